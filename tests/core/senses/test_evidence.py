"""The four views of a word without labels, by hand."""

import numpy as np
import pytest

from core.elmo.encoder import Encoder
from core.senses import evidence
from core.senses.evidence import VIEWS, Evidence, centers, cosines


class Reader:
    """A biLM that counts: forward the tokens read so far, backward those still read from the right; the boundaries count."""

    dim, around, _edges = 2, Encoder.around, Encoder._edges  # of a biLM, by its two directions

    def directions(self, sentences):
        for number, tokens in reversed(list(enumerate(sentences))):  # in any order
            n = len(tokens) + 2
            yield number, np.arange(1.0, n + 1)[:, None], np.arange(float(n), 0, -1)[:, None]

    def encode(self, sentences):
        states = {n: np.stack([ahead[1:-1], behind[1:-1]], axis=1)[..., 0] for n, ahead, behind in self.directions(sentences)}
        return [np.stack([np.full_like(states[n], len(tokens[0])), states[n]]) for n, tokens in enumerate(sentences)]


def test_the_place_is_what_was_read_before_it_and_behind_it():
    places = Reader().around([["a", "b", "c"], ["a"]], [1, 0])
    # before "b": <S> a; behind it: c </S>. Before the only token: <S>; behind it: </S>
    assert places.tolist() == [[2, 2], [1, 1]]


def test_the_token_is_less_itself_standing_alone():
    result = Evidence(np.array([[[3.0, 4.0]]]), np.array([[[0.0, 2.0]]]), np.ones((1, 2)), np.array([[0.0, 5.0]]))
    views = result.views("0")
    assert views["token"].tolist() == pytest.approx(np.array([[0.6, -0.2]]), abs=1e-6)
    assert views["topic"].tolist() == [[0, 1]]
    assert evidence.standing_alone(Reader(), ["jam"])["jam"].tolist() == [[3, 3], [2, 2]]


def test_every_word_counts_alike_in_the_center_and_an_empty_view_has_no_angle():
    rows = np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    views = dict.fromkeys(VIEWS, rows)
    center = centers(views, np.array([0, 0, 1, 1]))
    assert center["token"].tolist() == [1.0, 0.25]  # of (2, 0) and (0, 0.5)
    zero = dict.fromkeys(VIEWS, np.zeros(2))
    assert cosines(views, zero, np.array([0, 0, 0]), np.array([1, 2, 3])).tolist() == [[1] * len(VIEWS), [0] * len(VIEWS), [0] * len(VIEWS)]
