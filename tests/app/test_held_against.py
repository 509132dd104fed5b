"""What a figure on a page is held against stands beside it: cosines beside two random words, weights beside lengths, maps beside chance."""

import re

import numpy as np

from core.analysis.maps import FrozenMaps
from core.analysis.trustworthiness import by_chance
from core.common import translations
from core.common.config import ASSETS
from core.elmo.models import open_model as opened_model
from core.evaluation.card import read_card
from core.views import levels
from core.workspace import open_workspace
from pages._frame.in_use import InUse
from tests.app.visit import html_of, opened

OWN = InUse("elmo-mini", "glove-mini", "sentences", "Elmoscope")


def text_of(page) -> str:
    """The text of a page's own HTML, without its pictures' descriptions."""
    return re.sub("<[^>]*>", "", html_of(page))






def test_two_random_words_are_as_alike_on_every_page():
    """One definition and one figure: of the model, whatever is asked of which sentences."""
    model = opened_model("elmo-mini")
    kept = read_card(model.folder, model.fingerprint).measures["random"]
    pattern = r"(?:random pairs: |random pairs .{4,16} are between −?0\.\d\d and −?0\.\d\d, )(−?0\.\d\d) on average"
    for layer in ("1", "mix"):
        mean = f"{kept[layer]['mean']:.2f}"
        weights = {"1": (0.0, 1.0, 0.0), "mix": (1 / 3, 1 / 3, 1 / 3)}[layer]
        level = levels.level_of_mix(open_workspace(), weights)
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




def test_the_mix_says_that_equal_weights_are_no_equal_parts():
    page = opened("pages/mix.py")
    parts = [int(part) for part in re.findall(r"(\d+)%", page.session_state["_taken"].figures()["mix.pulls"].alt)]
    assert len(parts) == 3 and parts[2] > 50 and abs(sum(parts) - 100) <= 1


def test_the_maps_layer_0_has_no_trustworthiness_and_the_others_are_above_chance():
    for table, word in (("targets", "bank"), ("targets", "all words"), ("targets-ko", "배")):
        maps = FrozenMaps.load(ASSETS / table / "maps" / f"{word}.safetensors")
        chance = by_chance(maps.coordinates.shape[1])
        assert np.isnan(maps.trustworthiness[0]) and all(0.3 < chance < item < 1 for item in maps.trustworthiness[1:])
