"""Spellings: windows that add up to the vector, letters of every script, neighbors that are kept, tables of cosines."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.analysis.spelling import BEGIN_MARK, END_MARK, Spellings, cosine_matrix, firing, list_words
from core.analysis.walk import read_spelling
from core.common.directions import unit
from core.common.errors import CorruptArtifact
from core.elmo.encoder import Encoder
from core.elmo.model import BiLM
from core.figures.walk import cosine_table
from core.static.vectors import StaticVectors
from core.text.tokens import character_ids
from tests.tiny import SHAPE, tiny_encoder

ONE = pytest.approx(1, abs=2e-3)  # in float16
WORDS = ("dog", "doggy", "dgo", "unfriendlyish", "눈사람", "🎉", "café", "<b>&", "x" * 60, "눈" * 30, "<S>", "\ud800", "a")


@pytest.fixture(scope="module")
def characters(model):
    return model.encoder.model.characters


def without_highway() -> Encoder:
    """The tiny random biLM with its highway layer taken off: its filters answer anywhere in a word, so windows differ."""
    plain = BiLM(replace(SHAPE, n_highway=0))
    plain.load_state_dict({name: value for name, value in tiny_encoder().model.state_dict().items() if "highway" not in name})
    return Encoder(plain)


@pytest.mark.parametrize("word", WORDS)
def test_the_answers_are_those_that_the_model_pools_each_of_the_window_it_names(model, characters, word: str):
    _, banks = read_spelling(characters, word)
    x = characters.embedding(torch.from_numpy(character_ids([word])))[0].double()  # (50, C)
    for convolution, bank in zip(characters.convolutions, banks, strict=True):
        assert bank.pooled[bank.strongest[0]] == bank.pooled.max()
        for k, f in enumerate(bank.strongest):
            window = x[bank.places[f] : bank.places[f] + bank.width].t()
            answer = float((convolution.weight[f].double() * window).sum() + convolution.bias[f])
            assert max(0.0, answer) == pytest.approx(float(bank.pooled[f]), abs=1e-4)
            assert answer == pytest.approx(float(bank.answers[k].max()), abs=1e-4)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("which", ["bundled", "tiny"])
def test_contributions_and_bias_are_the_vector(model, word: str, which: str):
    encoder = without_highway() if which == "tiny" else model.encoder
    characters = encoder.model.characters
    _, banks = read_spelling(characters, word)
    bias, vector = characters.projection.bias.numpy(), encoder.word_vectors([word])[0]
    sums = characters.projection.weight.numpy().astype(float) @ np.concatenate([bank.pooled for bank in banks])
    np.testing.assert_allclose(sums + bias, vector, atol=2e-4)
    result = firing(characters, word)
    assert result.exact and sum(window.share for window in result.windows) + result.bias == pytest.approx(1, abs=1e-4)
    assert result.bias == pytest.approx(float(bias @ vector / (vector @ vector)), abs=1e-4)


def test_shares_of_windows_and_letters_and_rest_sum_to_one_in_a_model_whose_filters_answer_anywhere():
    result = firing(without_highway().model.characters, "scoreboard")
    assert result.exact and len({window.start for window in result.windows}) > 3
    assert result.grid.sum() + result.unlettered == pytest.approx(1, abs=1e-5)
    assert [abs(w.share) for w in result.windows] == sorted((abs(w.share) for w in result.windows), reverse=True)
    text = f"{BEGIN_MARK}scoreboard{END_MARK}"
    assert all(window.text == text[window.start : window.start + window.width] for window in result.windows)
    behind = firing(tiny_encoder().model.characters, "dog")  # behind a highway layer: strengths
    assert not behind.exact and behind.bias == 0
    assert min(window.share for window in behind.windows) >= 0 and sum(window.share for window in behind.windows) == pytest.approx(1)


LETTERS = [("눈사람", "눈사람", 0), ("🎉", "🎉", 0), ("x" * 60, "x" * 48, 12), ("눈" * 30, "눈" * 16, 14), ("\ud800", "\ud800", 0)]


@pytest.mark.parametrize(("word", "letters", "cut"), [*LETTERS, ("<S>", ["<S>"], 0)])  # the name of a boundary is one letter
def test_letters_are_characters_not_bytes_and_end_where_the_model_stops_reading(characters, word: str, letters: str, cut: int):
    result = firing(characters, word)
    assert result.letters == (BEGIN_MARK, *letters, END_MARK) and result.cut == cut
    assert result.grid.shape == (len(result.widths), len(result.letters))


@pytest.fixture
def open_spellings(model):
    """open_spellings(): the spellings read so far; with `count`, after as many were read."""
    words, is_own = list_words(model.folder, None)
    vocabulary = [*words[: is_own * 300], "dogs"]

    def opened(count: int = 0, words=vocabulary, fingerprint: str = model.fingerprint, dim: int = model.encoder.dim // 2) -> Spellings:
        spellings = Spellings(words, fingerprint, dim)
        if count:
            spellings.extend(model.encoder, count)
        return spellings

    return opened


def test_the_nearest_spellings_have_the_largest_cosines_and_words_can_be_left_out(model, open_spellings):
    spellings = open_spellings(10_000)
    rows = model.encoder.word_vectors(["dogs", "the"])
    whole = spellings.nearest(rows, 4, exclude=("", ""))
    assert [(result[0].word, result[0].cosine) for result in whole] == [("dogs", ONE), ("the", ONE)]
    assert spellings.nearest(rows, 3, exclude=("dogs", "the")) == [result[1:] for result in whole]
    query = model.encoder.word_vectors(["doggy"])
    cosines = unit(model.encoder.word_vectors(list(spellings.words))) @ unit(query)[0]
    assert [n.cosine for n in spellings.nearest(query, 5, exclude=("",))[0]] == pytest.approx(np.sort(cosines)[::-1][:5], abs=2e-3)
    assert {n.word for n in spellings.nearest(query, 5, exclude=("",), among=20)[0]} <= set(spellings.words[:20])


def test_what_was_read_is_kept_and_gone_on_with(model, open_spellings):
    first, reports = open_spellings(), []
    first.extend(model.encoder, 20, report=lambda done, total: reports.append((done, total)))
    again = open_spellings()
    assert reports == [(20, 20)] and again.read == 20
    np.testing.assert_array_equal(again.vectors[:20], first.vectors[:20])
    with pytest.raises(ZeroDivisionError):
        again.extend(model.encoder, 10_000, report=lambda done, total: 1 / 0)
    assert again.read == open_spellings().read == 276
    again.extend(model.encoder, 10_000)
    assert again.read == len(again.words) == open_spellings().read
    assert open_spellings(fingerprint="another").read == open_spellings(words=[*first.words, "more"]).read == 0


def test_a_model_without_a_vocabulary_takes_the_words_of_static_vectors_and_a_damaged_file_is_named(open_spellings, tmp_path):
    vectors = StaticVectors(["one", "two"], np.eye(2, dtype=np.float32), name="v", provenance={})
    assert list_words(tmp_path, vectors) == (["one", "two"], False)
    (tmp_path / "vocabulary.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(CorruptArtifact, match="not UTF-8"):
        list_words(tmp_path, vectors)
    spellings = open_spellings(100)
    with pytest.raises(CorruptArtifact, match="Delete it"):
        open_spellings(dim=3)
    spellings.file.write_bytes(b"no safetensors")
    with pytest.raises(CorruptArtifact, match="Delete it"):
        open_spellings()


def test_what_is_usual_lies_above_most_pairs_and_needs_words(model, open_spellings):
    assert open_spellings().usual_cosine() is None
    spellings = open_spellings(10_000)
    units = unit(model.encoder.word_vectors(list(spellings.words)))
    assert np.mean((units @ units.T)[np.triu_indices(len(units), 1)] < spellings.usual_cosine()) == pytest.approx(0.95, abs=0.02)
    assert spellings.usual_cosine(8) > spellings.usual_cosine(2)  # one of the 28 pairs of eight words is usually near


def test_a_word_without_a_vector_has_no_cosine_and_its_cell_reports_it():
    matrix = cosine_matrix([np.array([1.0, 0.0]), None, np.array([1.0, 1.0])])
    assert np.isnan(matrix[1]).all() and np.isnan(matrix[:, 1]).all()
    assert matrix[0, 2] == pytest.approx(2**-0.5) and matrix[2, 2] == pytest.approx(1)
    figure = cosine_table(["<b>", "b" * 40], np.array([[1.0, np.nan], [np.nan, -0.12]]), "#000000", key="k")
    assert list(figure.data[1].text) == ["1.00", "none", "none", "−0.12"]
    assert "<b>" not in figure.layout.xaxis.ticktext[0]
