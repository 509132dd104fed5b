"""Home's picture and the curves of "What decides" as their widgets are sent them, and selections that are linked between maps."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.figures.influence import EvidenceRow, curves_figure
from core.figures.maps import scene_figure
from core.live import widgets
from core.live.widgets import TABLE, UNLABELED_LIMITS, Brush, caption, curves_data, decisive_rows, scene_data
from core.senses.densities import Density
from core.senses.scene import Scene
from core.senses.verdict import Verdict
from core.text.readings import Chosen
from core.views.pair import Judgment

SPACES = ("0", "1", "senses")
CHOSEN = {1: Chosen("The port is full.", ("The", "port", "is", "full", "."), 1)}
CHOSEN |= {2: Chosen("A glass of port.", ("A", "glass", "of", "port", "."), 3)}
SENTENCES = [(item.tokens, item.position) for item in CHOSEN.values()]


@pytest.fixture
def labeled() -> Scene:
    places = np.random.default_rng(0).normal(size=(3, 6, 2)).astype(np.float32)
    places[0] = 0
    points, stars = places[:, :4], places[:, 4:]
    texts, positions = ("The port was closed.", "Ships left the port, at last.", "He likes port.", "Port is sweet."), (1, 3, 2, 0)
    dots = {"in_own": (2, 3, 4), "nearest": (((0,), (0,)), ((0,), (1,)), ((0, 1), (1,))), "texts": texts, "positions": positions}
    senses = {"senses": ("harbor", "<wine>"), "sense_of": np.array([0, 0, 1, 1])}
    return Scene(spaces=SPACES, points=points, stars=stars, **senses, **dots, distance=None, ring=None, labeled=True)


@pytest.fixture
def unlabeled(labeled: Scene) -> Scene:
    words = {"texts": ("doctor", "captain", "friend", "mate"), "sense_of": np.array([0, 2, 1, 1]), "positions": ()}
    return replace(labeled, **words, senses=(), in_own=(), nearest=(), distance=0.5, ring=0.44, labeled=False)


def test_a_sentence_is_cut_around_its_word_and_a_cloud_named_in_its_color(labeled: Scene, unlabeled: Scene):
    assert [item.around() for item in widgets.occurrences(labeled)][1] == ("Ships left the ", "port", ", at last.")
    data = scene_data(labeled, "port", CHOSEN)
    assert ["".join(line) for line in data["lines"]] == list(labeled.texts) and data["rows"] == [0, 1, 2, 3]
    assert data["compact"] and data["takes"] and data["ring"] is None
    assert [star["text"] for star in data["stars"]] == ["The port is full.", "A glass of port."]
    assert [(label["name"], label["group"]) for label in data["labels"]] == [("harbor", 1), ("<wine>", 2)]
    assert data["labels"][0]["color"] == data["colors"][1] and data["groups"] == [[1, 1, 2, 2]]
    assert data["labels"][0]["shown"] == [0.0, 1.0, 1.0] and caption(labeled, "1") == "3 of 4 sentences lie with their own sense."
    assert "ring" in caption(unlabeled, "senses") and not caption(unlabeled, "1")


def test_words_without_labels_have_the_color_of_their_star_and_the_same_scale_for_every_pair(unlabeled: Scene):
    data = scene_data(unlabeled, "port", CHOSEN)
    (own, other), (first, both, *second) = ([item["color"] for item in data[kind]] for kind in ("stars", "labels"))
    assert first == own and second == [other] * 2 and both not in (own, other) and data["limits"] == list(UNLABELED_LIMITS)
    assert not data["takes"] and data["ring"] == {"radius": 0.44, "shown": [0.0, 0.0, 1.0]}


@pytest.mark.parametrize("space", SPACES)
def test_the_figure_has_the_same_places(labeled: Scene, unlabeled: Scene, space: str):
    figure, at = scene_figure(labeled, space, SENTENCES), SPACES.index(space)
    dots = np.concatenate([np.column_stack([trace.x, trace.y]) for trace in figure.data])
    np.testing.assert_allclose(dots, np.concatenate([labeled.points[at], labeled.stars[at]]), atol=1e-6)
    assert "<wine>" not in str(figure.to_json())
    assert [note.text for note in scene_figure(unlabeled, space, SENTENCES).layout.annotations][-4:] == list(unlabeled.texts)


def row(name: str, value: float) -> EvidenceRow:
    same, different = (np.exp(-((np.linspace(-0.975, 0.975, 40) - middle) ** 2) * 9) for middle in (0.4, -0.4))
    return EvidenceRow(name, Density(np.linspace(-1, 1, 41), same, different), value)


def test_every_space_has_its_gray_row_and_a_pair_is_like_the_pairs_that_are_denser_where_it_falls():
    assert [row("a", value).favors_same for value in (0.5, 7.0, -0.5, -7.0)] == [True, True, False, False]  # 7: beyond the last bin
    plain = {"1": row("layer 1", 0.3), "mix": row("mix", 0.2)}
    data = curves_data([row("place", -0.5), row("words", 0.5)], plain, ("0", "1", "mix", "senses"), "1", "Together: 90% two meanings.")
    assert [item and item["name"] for item in data["plain"]] == ["layer 1", "layer 1", "mix", "layer 1"]
    assert [len(item["same"]) for item in data["rows"]] == [40, 40] and json.loads(json.dumps(data)) == data
    assert "place: like pairs of different meanings. words: like pairs of the same meaning." in data["text"]["alt"]
    assert curves_data([], {}, ("0", "senses"), "1", "")["plain"] == [None, None]
    figure = curves_figure([row("place", -0.5), row("words", 0.5)])
    assert len(figure.data) == 4 and [shape.x0 for shape in figure.layout.shapes] == [-0.5, 0.5]


@pytest.mark.parametrize(("lemma", "kinds"), [("port", ["Place in the sense space", "Words around it"]), ("", ["Words around it"])])
def test_a_row_is_drawn_for_each_kind_that_decides_and_has_densities(lemma: str, kinds: list[str]):
    density = Density(np.linspace(-1, 1, 41), np.full(40, 0.025), np.full(40, 0.025))
    densities = {"around": density} | ({"senses": density, "token": density, "1": density} if lemma else {})
    judgment = Judgment(Verdict(0.2, "1", evidence={"senses": -0.3, "around": 0.1, "token": 0.4, "expected": 0.2}), lemma, "1")
    rows = decisive_rows(densities, judgment)
    assert [row.name for row in rows] == kinds and rows[-1].value == 0.1 and rows[0].density is density
    assert list(widgets.plain_rows(densities, {"0": 1.0, "1": 0.5})) == (["1"] if lemma else [])
    assert widgets.say_probability(judgment) == "Together: 80% two meanings."
    assert decisive_rows(densities, Judgment(None, "", "1")) == []


ALL, ZOOM = (0.0, 1.0, 0.0, 1.0), (0.2, 0.4, 0.2, 0.4)


def drawn(brush: Brush, *maps: str) -> list[tuple[int, ...]]:
    return [brush.figure_of(name, None, ALL)[0] for name in maps]  # the selection on each


def test_a_selection_is_drawn_on_the_other_maps_and_one_in_the_table_where_the_map_was_zoomed_to():
    brush = Brush(("corpus",))
    drawn(brush, "one", "two")
    brush.select([3, 4, 3], "one")
    assert drawn(brush, "one", "two") == [(), (3, 4)] and (brush.picked, brush.version) == ((3, 4), 1)  # the browser shows it on map one
    brush.select([5], "two")
    assert drawn(brush, "one", "two") == [(5,), (3, 4)]  # the browser shows 5 on map two, over what was drawn
    brush.select([], "")
    assert drawn(brush, "one", "two") == [(), ()] and brush.turns == {"one": 1, "two": 1}  # the first figure, mounted again
    brush = Brush(("corpus",))
    drawn(brush, "one")
    brush.zooms["one"] = ZOOM
    assert brush.figure_of("one", None, ALL)[1] == ALL  # a zoom alone draws nothing
    brush.select([7], TABLE)
    assert brush.version == 0 and brush.figure_of("one", None, ALL) == brush.figure_of("one", "a line", ALL) == ((7,), ZOOM)
