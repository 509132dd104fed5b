"""Home's picture as its widget is sent it: places, names, captions, and one scale for words without labels."""

from dataclasses import replace

import numpy as np
import pytest

from core.figures.maps import scene_figure
from core.live.widgets import UNLABELED_LIMITS, caption, occurrences, scene_data
from core.senses.scene import Scene
from core.text.readings import Chosen

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
