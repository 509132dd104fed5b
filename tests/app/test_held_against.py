"""What a figure on a page is held against stands beside it: cosines beside words drawn by lot, weights beside lengths, maps beside chance."""

from __future__ import annotations

import re

from tests.app.test_pages import html_of, opened


def test_the_cosines_of_lists_stand_beside_those_of_two_words_drawn_by_lot():
    told = html_of(opened("pages/neighbours.py", nlayer="1"))
    assert told.count("two words drawn by lot have 0.3") == 2  # 0.31 to 0.35 in every layer of the bundled model


def test_the_model_s_own_page_says_where_two_words_drawn_by_lot_stand_in_each_layer():
    told = " ".join(caption.value for caption in opened("pages/model.py").caption)
    assert len(re.findall(r"two words drawn by lot have a cosine of 0\.3\d on average", told)) == 3


def test_the_mix_says_that_equal_weights_are_no_equal_parts():
    page = opened("pages/mix.py")
    told = next(caption.value for caption in page.caption if "not of one length" in caption.value)
    lengths = [float(number) for number in re.findall(r"\d+\.\d", told)]
    assert len(lengths) == 3 and lengths == sorted(lengths) and lengths[2] > 3 * lengths[0]
    bars = re.findall(r"·‖h‖</span>.*?<b>(\d+)%</b>", html_of(page), re.DOTALL)
    assert len(bars) == 3 and int(bars[2]) > 50 and abs(sum(map(int, bars)) - 100) <= 1


def test_the_map_s_layer_0_has_no_trustworthiness_and_the_others_stand_beside_chance():
    table = next(frame.value for frame in opened("pages/map.py").dataframe if "map's trustworthiness" in frame.value)
    measured = dict(zip(table["layer"], table["map's trustworthiness"], strict=True))
    assert measured["0"].startswith("undefined") and float(measured["1"]) > 0.6
    chance = dict(zip(table["layer"], table["trustworthiness by chance"], strict=True))
    assert chance["0"] == "" and 0.3 < float(chance["1"]) < float(measured["1"])
