"""Home's picture and the curves of "What decides" as their widgets are sent them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.figures.influence import EvidenceRow, curves_figure
from core.figures.maps import scene_figure
from core.live.widgets import UNLABELED_LIMITS, caption, curves_data, decisive_rows, occurrences, plain_rows, say_probability, scene_data
from core.senses.calibration import Density
from core.senses.scene import Scene
from core.senses.verdict import Verdict
from core.text.readings import Chosen
from core.views.pair import Judgment

SPACES = ("0", "1", "senses")
CHOSEN = {
    1: Chosen("The port is full.", ("The", "port", "is", "full", "."), 1),
    2: Chosen("A glass of port.", ("A", "glass", "of", "port", "."), 3),
}
SENTENCES = [(item.tokens, item.position) for item in CHOSEN.values()]


@pytest.fixture
def labeled() -> Scene:
    places = np.random.default_rng(0).normal(size=(3, 6, 2)).astype(np.float32)
    places[0] = 0
    points, stars = places[:, :4], places[:, 4:]
    texts, positions = ("The port was closed.", "Ships left the port, at last.", "He likes port.", "Port is sweet."), (1, 3, 2, 0)
    found = {"in_own": (2, 3, 4), "nearest": ((0, 0), (0, 1), (0, 1)), "texts": texts, "positions": positions}
    senses = {"senses": ("harbor", "<wine>"), "sense_of": np.array([0, 0, 1, 1])}
    return Scene(spaces=SPACES, points=points, stars=stars, **senses, **found, distance=None, ring=None, labeled=True)


@pytest.fixture
def unlabeled(labeled: Scene) -> Scene:
    words = {"texts": ("doctor", "captain", "friend", "mate"), "sense_of": np.array([0, 2, 1, 1]), "positions": ()}
    return replace(labeled, **words, senses=(), in_own=(), nearest=(), distance=0.5, ring=0.44, labeled=False)


def test_a_sentence_is_cut_around_its_word(labeled: Scene):
    assert [item.around() for item in occurrences(labeled)][1] == ("Ships left the ", "port", ", at last.")
    data = scene_data(labeled, "port", CHOSEN)
    assert ["".join(line) for line in data["lines"]] == list(labeled.texts) and data["rows"] == [0, 1, 2, 3]
    assert data["compact"] and data["takes"] and data["ring"] is None
    assert [star["text"] for star in data["stars"]] == ["The port is full.", "A glass of port."]


def test_a_cloud_s_name_is_above_or_below_it_in_its_color(labeled: Scene):
    data = scene_data(labeled, "port", CHOSEN)
    assert [(label["name"], label["group"]) for label in data["labels"]] == [("harbor", 1), ("<wine>", 2)]
    assert data["labels"][0]["color"] == data["colors"][1] and data["groups"] == [[1, 1, 2, 2]]
    assert data["labels"][0]["shown"] == [0.0, 1.0, 1.0]


def test_captions_count_the_sentences_of_each_space(labeled: Scene, unlabeled: Scene):
    assert [caption(labeled, space) for space in SPACES] == [
        "One point, like GloVe’s one vector.",
        "3 of 4 sentences lie with their own sense.",
        "4 of 4 sentences lie with their own sense.",
    ]
    assert "ring" in caption(unlabeled, "senses") and not caption(unlabeled, "1")


def test_words_without_labels_have_the_color_of_their_star_and_the_same_scale_for_every_pair(unlabeled: Scene):
    data = scene_data(unlabeled, "port", CHOSEN)
    own = [star["color"] for star in data["stars"]]
    first, both, *second = [label["color"] for label in data["labels"]]
    assert first == own[0] and second == [own[1]] * 2 and both not in own
    assert data["limits"] == list(UNLABELED_LIMITS) and not data["takes"]
    assert data["ring"] == {"radius": 0.44, "shown": [0.0, 0.0, 1.0]}


@pytest.mark.parametrize("space", SPACES)
def test_the_figure_has_the_same_places(labeled: Scene, unlabeled: Scene, space: str):
    at = SPACES.index(space)
    figure = scene_figure(labeled, space, SENTENCES)
    dots = np.concatenate([np.column_stack([trace.x, trace.y]) for trace in figure.data])
    np.testing.assert_allclose(dots, np.concatenate([labeled.points[at], labeled.stars[at]]), atol=1e-6)
    assert "<wine>" not in str(figure.to_json())
    named = [note.text for note in scene_figure(unlabeled, space, SENTENCES).layout.annotations]
    assert named[-4:] == list(unlabeled.texts)


BINS = np.linspace(-0.975, 0.975, 40)


def row(name: str, value: float) -> EvidenceRow:
    return EvidenceRow(
        name=name, low=-1.0, high=1.0, same=np.exp(-((BINS - 0.4) ** 2) * 9), different=np.exp(-((BINS + 0.4) ** 2) * 9), value=value
    )


def test_a_pair_is_like_the_pairs_that_are_denser_where_it_falls():
    assert row("a", 0.5).favors_same and not row("a", -0.5).favors_same
    assert row("a", 7.0).favors_same == row("a", 1.0).favors_same and not row("a", -7.0).favors_same  # beyond the last bin


def test_every_space_has_its_gray_row_and_the_sense_space_the_usual_layer_s():
    plain = {"1": row("layer 1", 0.3), "mix": row("mix", 0.2)}
    data = curves_data([row("place", -0.5), row("words", 0.5)], plain, ("0", "1", "mix", "senses"), "1", "Together: 90% two meanings.")
    assert [item and item["name"] for item in data["plain"]] == ["layer 1", "layer 1", "mix", "layer 1"]
    assert [len(item["same"]) for item in data["rows"]] == [40, 40] and json.loads(json.dumps(data)) == data
    assert (
        "place: like pairs of different meanings." in data["text"]["alt"]
        and "words: like pairs of the same meaning." in data["text"]["alt"]
    )
    assert curves_data([], {}, ("0", "senses"), "1", "")["plain"] == [None, None]


def test_a_figure_has_two_curves_a_row():
    figure = curves_figure([row("place", -0.5), row("words", 0.5)])
    assert len(figure.data) == 4 and [shape.x0 for shape in figure.layout.shapes] == [-0.5, 0.5]


@pytest.mark.parametrize(("lemma", "kinds"), [("port", ["Place in the sense space", "Words around it"]), ("", ["Words around it"])])
def test_a_row_is_drawn_for_each_kind_that_decides_and_has_densities(lemma: str, kinds: list[str]):
    density = Density(np.linspace(-1, 1, 41), np.full(40, 0.025), np.full(40, 0.025))
    densities = {"around": density} | ({"senses": density, "token": density, "1": density} if lemma else {})
    verdict = Verdict(0.2, "1", evidence={"senses": -0.3, "around": 0.1, "token": 0.4, "expected": 0.2})
    judgment = Judgment(True, verdict, lemma, "1")
    rows = decisive_rows(densities, judgment)
    assert [row.name for row in rows] == kinds and rows[-1].value == 0.1 and (rows[0].low, rows[0].high) == (-1, 1)
    assert list(plain_rows(densities, {"0": 1.0, "1": 0.5})) == (["1"] if lemma else [])
    assert say_probability(judgment) == "Together: 80% two meanings."
    assert decisive_rows(densities, Judgment(False, None, "", "1")) == []
