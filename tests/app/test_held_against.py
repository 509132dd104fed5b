"""What a figure on a page is held against stands beside it: cosines beside words drawn by lot, weights beside lengths, maps beside chance."""

import re

import numpy as np

from core.analysis.maps import FrozenMaps
from core.analysis.trustworthiness import by_chance
from core.common.config import ASSETS
from tests.app.test_pages import html_of, opened, plain_mix


def test_the_cosines_of_lists_stand_beside_those_of_two_words_drawn_by_lot():
    told = re.findall(r"two words drawn by lot have (0\.\d\d)", html_of(opened("pages/neighbours.py", nlayer="1")))
    assert len(told) == 2 and all(0.05 < float(mean) < 0.5 for mean in told)  # of each list


def test_the_model_s_own_page_says_where_two_words_drawn_by_lot_stand_in_each_layer():
    told = " ".join(caption.value for caption in opened("pages/model.py").caption)
    assert len(re.findall(r"two words drawn by lot have a cosine of 0\.\d\d on average", told)) == 3


def test_the_mix_says_that_equal_weights_are_no_equal_parts():
    page = plain_mix()
    told = next(caption.value for caption in page.caption if "not of one length" in caption.value)
    lengths = [float(number) for number in re.findall(r"\d+\.\d", told)]
    assert len(lengths) == 3 and lengths == sorted(lengths) and lengths[2] > 3 * lengths[0]
    bars = re.findall(r"·‖h‖</span>.*?<b>(\d+)%</b>", html_of(page), re.DOTALL)
    assert len(bars) == 3 and int(bars[2]) > 50 and abs(sum(map(int, bars)) - 100) <= 1


def test_the_maps_layer_0_has_no_trustworthiness_and_the_others_are_above_chance():
    for table, word in (("targets", "bank"), ("targets", "all words"), ("targets-ko", "배")):
        maps = FrozenMaps.load(ASSETS / table / "maps" / f"{word}.safetensors")
        chance = by_chance(maps.coordinates.shape[1])
        assert np.isnan(maps.trustworthiness[0]) and all(0.3 < chance < one < 1 for one in maps.trustworthiness[1:])
