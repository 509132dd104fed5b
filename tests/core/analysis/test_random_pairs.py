"""Test the cosines of random pairs of words against values worked out by hand."""

import numpy as np
import pytest

from core.analysis.random_pairs import Drawn, Level, SharedDirections, draw, evaluate, level_of, level_under, random_cosines
from core.common.errors import BadInput
from core.elmo.models import open_model
from core.views.card import read_card


class Reader:
    """Two layers that count: [token's number, 1] and [sentence's length, 1]."""

    def encode(self, sentences):
        return [np.array([[[k, 1.0] for k in range(len(s))], [[len(s), 1.0]] * len(s)], np.float32) for s in sentences]


def test_pairs_are_of_two_different_words_and_their_cosines_those_by_hand():
    layers = np.array([[[1, 0]], [[0, 2]], [[1, 1]], [[0, -1]]], float)  # (4, 1, 2)
    result = random_cosines(Drawn(("a", "b", "a", "c"), layers), [1.0])
    assert result == pytest.approx([0, 0, 1 / np.sqrt(2), -1, -1 / np.sqrt(2)])  # ab, ac, ba, bc, ac; aa is one word
    level = level_under(Drawn(("a", "b", "a", "c"), layers), [1.0])
    assert level == Level(pytest.approx(result.mean()), *(pytest.approx(v) for v in np.quantile(result, (0.05, 0.95))))


def test_one_token_with_letters_of_each_sentence_is_drawn_and_the_draw_can_be_repeated():
    sentences = [["1", "Stone", "."], ["..."], ["river", "bank"], ["2", "3"]]
    result = draw(Reader(), sentences)
    assert result.words[0] == "stone" and result.words[1] in ("river", "bank") and len(result.words) == 2
    assert result.layers[:, 1].tolist() == [[3, 1], [2, 1]]
    assert draw(Reader(), sentences).words == result.words and len(draw(Reader(), [["a"], ["b"], ["c"]], 2).words) == 2
    for too_few in ([], [["."]], [["one", "word"]], [["Same"], ["same"]]):
        with pytest.raises(BadInput, match="two sentences"):
            draw(Reader(), too_few)


def test_without_what_all_share_words_at_random_have_nothing_in_common_and_the_rest_stays():
    rng = np.random.default_rng(0)
    along = np.zeros((2, 6), np.float32)
    along[:, 0] = 1  # the direction in which both layers differ most
    layers = rng.normal(size=(400, 2, 6)).astype(np.float32) + 5 * rng.normal(size=(400, 1, 1)).astype(np.float32) * along + 7
    drawn = Drawn(tuple(map(str, range(400))), layers)
    shared = SharedDirections.of(drawn, 2)
    assert abs(shared.directions[:, 0] @ along[0]) == pytest.approx([1, 1], abs=0.01)
    assert random_cosines(drawn, [0, 1]).mean() > 0.8
    centered, freed = shared.away(drawn, 0), shared.away(drawn, 1)
    assert abs(random_cosines(centered, [0, 1]).mean()) < 0.01 and np.abs(centered.layers - (layers - layers.mean(0))).max() < 1e-4
    assert np.abs(np.einsum("nld,ld->nl", freed.layers, shared.directions[:, 0])).max() < 1e-4
    other = shared.directions[:, 1]  # what was not taken away is as it was
    assert np.einsum("nld,ld->nl", freed.layers, other) == pytest.approx(np.einsum("nld,ld->nl", centered.layers, other), abs=1e-4)


def test_bundled_levels_are_those_of_the_sentences():
    model = open_model("elmo-mini")
    stored, fewer = read_card(model.folder, model.fingerprint).measures, evaluate(model, n=150)
    for layer in ("0", "1", "2", "mix"):
        level = level_of(stored, layer)
        assert 0.05 < level.mean == pytest.approx(fewer[layer]["mean"], abs=0.08) and level.low < level.mean < level.high
        assert abs(fewer[layer]["without"]["0"]) < 0.03
    assert level_of(stored, "7") is None and level_of(None, "0") is None
