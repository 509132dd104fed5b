"""The language model: the full softmax, what it expects next and before, perplexity, and minimal pairs of BLiMP."""

import json
import math

import numpy as np
import pytest
import torch

from core.common.config import ModelShape
from core.common.errors import BadInput, MissingArtifact
from core.elmo.encoder import Encoder
from core.elmo.language_model import MEASURES, SPECIALS, LanguageModel, MinimalPair, Softmax, Vocabulary, evaluate_pairs, read_pairs
from core.elmo.model import BiLM

SHAPE = ModelShape(filters=((1, 4), (2, 4)), hidden=8, projection=5)
WORDS = [*SPECIALS, "the", "bank", "river", "money", "of", "a"]


def language_model(seed: int = 0, words: list[str] = WORDS, softmax: Softmax | None = None) -> LanguageModel:
    torch.manual_seed(seed)
    model = BiLM(SHAPE)
    softmax = softmax or Softmax(len(words), SHAPE.projection)
    return LanguageModel(Encoder(model), softmax.requires_grad_(False), Vocabulary(words))


def uniform(n_words: int = len(WORDS)) -> Softmax:
    softmax = Softmax(n_words, SHAPE.projection).requires_grad_(False)
    softmax.weight.zero_()
    return softmax


def log_probabilities(lm: LanguageModel, sentence: list[str]) -> np.ndarray:
    """Return log p (2, T + 1), forward and backward, of each token and of the sentence's end or beginning; NaN for unknown words."""
    ((_, ahead, behind),) = lm.encoder.directions([sentence])
    ids = [0, *map(lm.vocabulary.id, sentence), 1]
    sides = (lm.softmax(torch.from_numpy(ahead[:-1])), ids[1:]), (lm.softmax(torch.from_numpy(behind[1:])), ids[:-1])
    return np.array([[np.nan if k == SPECIALS.index("<UNK>") else float(p[k]) for p, k in zip(*side, strict=True)] for side in sides])


@pytest.mark.parametrize("backward", [False, True])
def test_predictions_are_the_softmax_of_the_right_state_without_the_unknown_and_the_boundary_behind(backward):
    lm, tokens = language_model(), ["the", "bank", "zebra"]
    top = lm.encoder.encode([tokens])[0][2]  # forward state of the last token, backward state of the first
    state = top[0, SHAPE.projection :] if backward else top[-1, : SHAPE.projection]
    p = lm.softmax(torch.from_numpy(state)[None])[0].double().exp()
    result = lm.next_words(tokens, backward=backward, k=1000)
    assert result.unknown == pytest.approx(float(p[2]), abs=1e-5)
    p[[2, 1 if backward else 0]] = 0  # no answers
    best = sorted(range(len(WORDS)), key=lambda k: -p[k])[:-2]
    assert [x.word for x in result.likeliest] == [WORDS[k] for k in best]
    np.testing.assert_allclose([x.probability for x in result.likeliest], p[best], atol=1e-5)
    assert lm.next_words(tokens, backward=backward, k=3).likeliest == result.likeliest[:3]


def test_no_text_is_refused():
    lm = language_model()
    with pytest.raises(BadInput, match="no text to continue"):
        lm.next_words([])
    for sentences in ([], [[]], [[], []]):
        with pytest.raises(BadInput, match="no text to score"):
            lm.perplexity(sentences)


def test_scores_are_sums_of_log_probabilities_in_the_order_of_the_sentences_and_nan_for_an_empty_one():
    lm = language_model()
    sentences = [["the"], ["the", "bank", "of", "a", "river"], [], ["a", "bank"], ["the"]]
    scores = lm.sentence_scores(sentences)
    assert np.isnan(scores[2]).all()
    for sentence, score in zip(sentences[:2] + sentences[3:], np.delete(scores, 2, axis=0), strict=True):
        np.testing.assert_allclose(score, log_probabilities(lm, sentence).sum(axis=1), rtol=1e-5)


def test_perplexity_is_exp_of_the_mean_surprisal_over_all_sentences():
    lm = language_model()
    sentences = [["the", "bank"], ["a", "zebra", "river", "of", "money"]] * 3
    result = lm.perplexity(sentences * 50)  # in several blocks of rows
    every = np.concatenate([log_probabilities(lm, sentence) for sentence in sentences], axis=1)
    np.testing.assert_allclose([result.forward, result.backward], np.exp(-np.nanmean(every, axis=1)), rtol=1e-5)


def test_unknown_words_charged_by_hand():
    """Under a uniform softmax each of seven predictions costs log V, and each of two unknown ones log 2 more: two types share <UNK>."""
    result = language_model(softmax=uniform()).perplexity([["the", "zebra"], ["quagga", "of", "a"]])
    assert (result.tokens, result.unknown_types, result.unknown_share) == (5, 2, pytest.approx(2 / 5))
    by_hand = np.exp((7 * np.log(len(WORDS)) + 2 * np.log(2)) / 7)
    assert result.charged_forward == pytest.approx(by_hand, rel=1e-5) == result.charged_backward
    assert result.forward == pytest.approx(len(WORDS), rel=1e-5) and result.forward < result.charged_forward
    only_ends = language_model(softmax=uniform()).perplexity([["zebra", "quagga"]])
    assert (only_ends.tokens, only_ends.unknown_share) == (1, 1.0) and only_ends.forward == pytest.approx(len(WORDS), rel=1e-5)


ROW = {"sentence_good": "the bank", "sentence_bad": "the river", "linguistics_term": "binding", "UID": "x", "pairID": "0"}


def test_pairs_are_read_from_all_files_with_the_phenomena_of_the_paper(tmp_path):
    (tmp_path / "data").mkdir()
    for name, term in (("data/a.jsonl", "binding"), ("b.jsonl", "s-selection")):
        (tmp_path / name).write_text(json.dumps(ROW | {"linguistics_term": term}))
    assert {pair.phenomenon for pair in read_pairs(tmp_path)} == {"argument_structure", "binding"}
    assert {(pair.good, pair.bad) for pair in read_pairs(tmp_path)} == {("the bank", "the river")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{]", "a.jsonl, line 1"),
        ("[1, 2]", "a.jsonl, line 1 is not a minimal pair. Each line needs sentence_good, sentence_bad, linguistics_term"),
        (json.dumps(ROW) + "\n" + json.dumps(ROW | {"sentence_good": " "}), "a.jsonl, line 2 is not a minimal pair"),
        ("\n", "are empty"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path, text, message):
    (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(BadInput, match=message):
        read_pairs(tmp_path)


def test_a_folder_without_pairs_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(MissingArtifact, match=r"has no \.jsonl files of BLiMP\. Get them from https"):
        read_pairs(tmp_path / "missing")
    (tmp_path / "blimp.tar.xz").touch()
    with pytest.raises(MissingArtifact, match=r"Unpack its archive: tar xJf .*blimp\.tar\.xz"):
        read_pairs(tmp_path)


def test_accuracy_by_hand():
    """The softmax ignores its state and knows "bank" twice as well as every other of its 9 words, unknown ones included."""
    softmax = uniform()
    softmax.bias[WORDS.index("bank")] = math.log(2)
    model = language_model(softmax=softmax)
    expected = [math.log(2 / 10) + 2 * math.log(1 / 10), 3 * math.log(1 / 10), 3 * math.log(1 / 10)]
    scores = model.sentence_scores([["the", "bank"], ["the", "river"], ["the", "zebra"]])
    np.testing.assert_allclose(scores, np.repeat(np.array(expected)[:, None], 2, axis=1), rtol=1e-5)
    pairs = [
        MinimalPair("the bank", "the river", "binding"),  # right
        MinimalPair("the river", "the bank", "binding"),  # wrong
        MinimalPair("the river", "the zebra", "ellipsis"),  # equally probable: wrong
        MinimalPair("the river", "a zebra of money", "ellipsis"),  # the shorter one: right
    ]
    result = evaluate_pairs(model, pairs, str.split)
    assert result == {name: {"n": n, **dict.fromkeys(MEASURES, 0.5)} for name, n in (("overall", 4), ("binding", 2), ("ellipsis", 2))}


def test_the_joined_measure_adds_both_directions():
    model = language_model(seed=3)
    sentences = ["the bank of money", "bank the of money", "a river", "river a", "money of the bank", "the money of bank"]
    scores = model.sentence_scores([sentence.split() for sentence in sentences])
    pairs = [MinimalPair(*sentences[k : k + 2], str(k)) for k in (0, 2, 4)]
    result = evaluate_pairs(model, pairs, str.split)
    for k, pair in zip((0, 2, 4), pairs, strict=True):
        expected = [*(scores[k] > scores[k + 1]), scores[k].sum() > scores[k + 1].sum()]
        assert [result[pair.phenomenon][name] for name in MEASURES] == expected
