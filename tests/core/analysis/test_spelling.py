"""Spellings: windows that add up to the vector, letters of every script, neighbors that are kept, tables of cosines."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.analysis.spelling import BEGIN_MARK, END_MARK, Spellings, cosine_matrix, firing, list_words, split_words
from core.analysis.walk import read_spelling
from core.common.directions import unit
from core.common.errors import CorruptArtifact
from core.elmo.encoder import Encoder
from core.elmo.model import BiLM
from core.figures.walk import cosine_table, letter_marks, visible, windows_figure
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
    ids = torch.from_numpy(character_ids([word]))
    _, banks = read_spelling(characters, word)
    with torch.inference_mode():
        pooled = characters.pooled(ids)[0].numpy()
    np.testing.assert_allclose(np.concatenate([bank.pooled for bank in banks]), pooled, rtol=1e-5, atol=1e-5)
    assert [len(bank.places) for bank in banks] == [count for _, count in model.encoder.model.shape.filters]
    x = characters.embedding(ids)[0].double()  # (50, C)
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
    assert not len(characters.highways)
    _, banks = read_spelling(characters, word)
    weight, bias = characters.projection.weight.numpy().astype(float), characters.projection.bias.numpy()
    vector = encoder.word_vectors([word])[0]
    np.testing.assert_allclose((weight * np.concatenate([bank.pooled for bank in banks])).sum(axis=1) + bias, vector, atol=2e-4)
    result = firing(characters, word)
    assert result.exact and sum(window.share for window in result.windows) + result.bias == pytest.approx(1, abs=1e-4)
    assert result.bias == pytest.approx(float(bias @ vector / (vector @ vector)), abs=1e-4)


def test_shares_of_windows_and_letters_and_rest_sum_to_one_in_a_model_whose_filters_answer_anywhere():
    result = firing(without_highway().model.characters, "scoreboard")
    assert result.exact and len({window.start for window in result.windows}) > 3
    assert result.grid.sum() + result.unlettered == pytest.approx(1, abs=1e-5)
    assert [abs(w.share) for w in result.windows] == sorted((abs(w.share) for w in result.windows), reverse=True)
    text = "".join(result.letters)
    assert text == f"{BEGIN_MARK}scoreboard{END_MARK}"
    for window in result.windows:
        assert window.text == text[window.start : window.start + window.width]
        assert window.lettered == any(letter in window.text for letter in "scoreboard")
    behind = firing(tiny_encoder().model.characters, "dog")  # behind a highway layer: strengths
    assert not behind.exact and behind.bias == 0
    assert min(window.share for window in behind.windows) >= 0 and sum(window.share for window in behind.windows) == pytest.approx(1)


@pytest.mark.parametrize(
    ("word", "letters", "cut"),
    [
        *(("눈사람", "눈사람", 0), ("🎉", "🎉", 0), ("x" * 60, "x" * 48, 12), ("눈" * 30, "눈" * 16, 14)),
        *(("\ud800", "\ud800", 0), ("<b>", "<b>", 0), ("<S>", ["<S>"], 0)),  # the name of a boundary is one letter
    ],
)
def test_letters_are_characters_not_bytes_and_end_where_the_model_stops_reading(characters, word: str, letters: str, cut: int):
    result = firing(characters, word)
    assert result.letters == (BEGIN_MARK, *letters, END_MARK) and result.cut == cut
    assert result.grid.shape == (len(result.widths), len(result.letters))


@pytest.fixture(scope="module")
def vocabulary(model) -> list[str]:
    words, own = list_words(model.folder, None)
    assert own
    return [*words[:300], "dogs"]


@pytest.fixture
def open_spellings(model, vocabulary):
    """open_spellings(): the spellings read so far; with `count`, after as many were read."""

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
    among = spellings.nearest(query, 5, exclude=("",), among=20)[0]
    assert {n.word for n in among} <= set(spellings.words[:20])


def test_what_was_read_is_kept_and_gone_on_with(model, vocabulary, open_spellings):
    first, message = open_spellings(), []
    first.extend(model.encoder, 20, report=lambda done, total: message.append((done, total)))
    again = open_spellings()
    assert message == [(20, 20)] and again.read == 20
    np.testing.assert_array_equal(again.vectors[:20], first.vectors[:20])
    with pytest.raises(ZeroDivisionError):
        again.extend(model.encoder, 10_000, report=lambda done, total: 1 / 0)
    assert again.read == open_spellings().read == 276
    again.extend(model.encoder, 10_000)
    assert again.read == len(again.words) == open_spellings().read
    assert open_spellings(fingerprint="another").read == open_spellings(words=[*vocabulary, "more"]).read == 0


def test_a_damaged_or_foreign_file_is_named(open_spellings):
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
    pairs = (units @ units.T)[np.triu_indices(len(units), 1)]
    assert np.mean(pairs < spellings.usual_cosine()) == pytest.approx(0.95, abs=0.02)
    assert spellings.usual_cosine(8) > spellings.usual_cosine(2)  # of eight words there are 28 pairs, one of which is near as a rule


def test_a_model_without_a_vocabulary_takes_the_static_vectors_words(tmp_path):
    vectors = StaticVectors(["one", "two"], np.eye(2, dtype=np.float32), name="v", provenance={})
    assert list_words(tmp_path, vectors) == (["one", "two"], False)
    (tmp_path / "vocabulary.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(CorruptArtifact, match="not UTF-8"):
        list_words(tmp_path, vectors)


@pytest.mark.parametrize(
    ("text", "words", "left_out"),
    [
        *(("dog, doggy  dgo\tdog", ("dog", "doggy", "dgo"), 0), (" ,, ", (), 0)),
        *(("a b c d", ("a", "b", "c"), 1), ("<b>, 눈,🎉", ("<b>", "눈", "🎉"), 0)),
    ],
)
def test_words_are_parted_by_blanks_and_commas(text: str, words: tuple, left_out: int):
    assert split_words(text, 3) == (words, left_out)


@pytest.mark.parametrize("word", ["dog", "<b>&", "🎉", "a"])
def test_the_windows_figure_draws_the_strongest_where_they_stand(characters, word: str):
    result = firing(characters, word)
    figure = windows_figure(result, k=5)
    heat, bars = figure.data
    assert np.asarray(heat.z).shape == result.grid.shape
    drawn = [window for window in result.windows if window.lettered][:5]
    assert [b + 0.45 for b in bars.base or ()] == pytest.approx([window.first for window in drawn])
    assert list(bars.x or ()) == pytest.approx([window.last - window.first + 0.9 for window in drawn])
    shares = [note.text for note in figure.layout.annotations if note.text.endswith("%")]
    assert len(shares) == len(result.widths) + len(drawn) and not any("-" in share for share in shares[: len(result.widths)])
    marks = letter_marks(result)
    assert word != "<b>&" or ("&lt;" in marks and "<b>&" not in marks and "&amp;" in marks)
    assert visible("\u200b") == "U+200B" and visible("눈") == "눈"


def test_a_word_without_a_vector_has_no_cosine_and_its_cell_reports_it():
    matrix = cosine_matrix([np.array([1.0, 0.0]), None, np.array([1.0, 1.0])])
    assert np.isnan(matrix[1]).all() and np.isnan(matrix[:, 1]).all()
    assert matrix[0, 2] == pytest.approx(2**-0.5) and matrix[2, 2] == pytest.approx(1)
    assert np.isnan(cosine_matrix([None, None])).all()
    figure = cosine_table(["<b>", "b" * 40], np.array([[1.0, np.nan], [np.nan, -0.12]]), "#000000", key="k")
    assert list(figure.data[1].text) == ["1.00", "none", "none", "−0.12"]
    assert "<b>" not in figure.layout.xaxis.ticktext[0]
