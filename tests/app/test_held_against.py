"""What a figure on a page is held against stands beside it: cosines beside two random words, weights beside lengths, maps beside chance."""

import re

import numpy as np

from core.analysis.maps import FrozenMaps, by_chance
from core.common import translations
from core.common.config import ASSETS
from core.elmo.models import open_model as opened_model
from core.views.card import read_card
from core.views.neighbors import random_level_of_mix
from core.workspace import open_workspace
from pages._frame.in_use import InUse
from tests.app.test_pages import html_of, opened

OWN = InUse("elmo-mini", "glove-mini", "sentences", "Elmoscope")


def text_of(page) -> str:
    """The text of a page's own HTML, without its pictures' descriptions."""
    return re.sub("<[^>]*>", "", html_of(page))


def test_the_cosines_of_lists_stand_beside_those_of_two_random_words():
    captions = " ".join(caption.value for caption in opened("pages/neighbors.py", nlayer="1").caption)
    means = re.findall(r"random pairs: (0\.\d\d) on average", captions)
    assert len(means) == 1 and 0.05 < float(means[0]) < 0.5  # one level for both lists, said once


def test_the_model_s_own_page_says_where_two_random_words_stand_in_each_layer():
    text = " ".join(caption.value for caption in opened("pages/about.py").caption)
    (values,) = re.findall(r"Cosine of random pairs \(90% range\): (.+)\.", text)
    assert len(re.findall(r"layer \d: −?0\.\d\d \(−?0\.\d\d to 0\.\d\d\)", values)) == 3


def test_two_random_words_are_as_alike_on_every_page():
    """One definition and one figure: of the model, whatever is asked of which sentences."""
    model = opened_model("elmo-mini")
    kept = read_card(model.folder, model.fingerprint).measures["random"]
    pattern = r"(?:random pairs: |random pairs .{4,16} are between −?0\.\d\d and −?0\.\d\d, )(−?0\.\d\d) on average"
    for layer in ("0", "1", "2", "mix"):
        mean = f"{kept[layer]['mean']:.2f}"
        weights = {"0": (1.0, 0.0, 0.0), "1": (0.0, 1.0, 0.0), "2": (0.0, 0.0, 1.0), "mix": (1 / 3, 1 / 3, 1 / 3)}[layer]
        level = random_level_of_mix(open_workspace(), weights)
        assert f"{level.mean:.2f}" == mean, layer
        captions = " ".join(caption.value for caption in opened("pages/neighbors.py", nlayer=layer).caption)
        assert re.findall(pattern, captions) == [mean]
    text = " ".join(caption.value for caption in opened("pages/about.py").caption)
    assert re.findall(r"layer \d: (−?0\.\d\d) \(", text) == [f"{kept[layer]['mean']:.2f}" for layer in "012"]
    assert re.findall(pattern, text_of(opened("pages/lessons.py"))) == [f"{kept['2']['mean']:.2f}"]
    unlabeled = {"a": "The harbour was quiet.", "b": "They built a harbour.", "ai": "harbour", "bi": "harbour"}
    around = opened("pages/map.py", view="2", **unlabeled)
    while "all sentences are read first" in text_of(around):
        around.run()
    assert re.findall(r"random pairs: (−?0\.\d\d)", text_of(around)) == [f"{kept['2']['mean']:.2f}"]


def test_what_is_called_random_pairs_is_that_one_figure_everywhere():
    """These texts are given the figure of core.views.neighbors. Check a new one before it is added."""
    texts = [message.id for message in translations.read(ASSETS / "texts/ko.po") if "random pair" in str(message.id).casefold()]
    assert sorted(texts) == [
        "90% of random pairs {at} are between {low:.2f} and {high:.2f}, {mean:.2f} on average.",
        "Average of random pairs: {values}.",
        "Cosine of random pairs (90% range): {values}.",
        "Cosines; random pairs: {mean:.2f} on average.",
        "Random pairs",
        "The cosine of your two words {at} is {cosine:.2f} (random pairs: {random:.2f} on average).",
        "random pairs",
        "{layer}: random pairs, mean {cosine}",
    ]


def test_the_mix_says_that_equal_weights_are_no_equal_parts():
    page = opened("pages/mix.py")
    parts = [int(part) for part in re.findall(r"(\d+)%", page.session_state["_taken"].figures()["mix.pulls"].alt)]
    assert len(parts) == 3 and parts[2] > 50 and abs(sum(parts) - 100) <= 1


def test_the_maps_layer_0_has_no_trustworthiness_and_the_others_are_above_chance():
    for table, word in (("targets", "bank"), ("targets", "all words"), ("targets-ko", "배")):
        maps = FrozenMaps.load(ASSETS / table / "maps" / f"{word}.safetensors")
        chance = by_chance(maps.coordinates.shape[1])
        assert np.isnan(maps.trustworthiness[0]) and all(0.3 < chance < item < 1 for item in maps.trustworthiness[1:])
