"""Minimal pairs of BLiMP: reading the published files, and which sentence of a pair is more probable."""

import json
import math

import numpy as np
import pytest

from core.common.errors import BadInput, MissingArtifact
from core.elmo.blimp import MEASURES, MODELS, OVERALL, PUBLISHED, MinimalPair, evaluate_pairs, read_pairs

from .test_language_model import WORDS, language_model, uniform

ROW = {"sentence_good": "the bank", "sentence_bad": "the river", "linguistics_term": "binding", "UID": "x", "pairID": "0"}


def test_pairs_are_read_from_all_files_with_the_phenomena_of_the_paper(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.jsonl").write_text(json.dumps(ROW))
    (tmp_path / "b.jsonl").write_text(json.dumps(ROW | {"linguistics_term": "s-selection"}))
    pairs = sorted(read_pairs(tmp_path), key=lambda pair: pair.phenomenon)
    assert pairs == [MinimalPair("the bank", "the river", name) for name in ("argument_structure", "binding")]


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
    assert result == {name: {"n": n, **dict.fromkeys(MEASURES, 0.5)} for name, n in ((OVERALL, 4), ("binding", 2), ("ellipsis", 2))}


def test_the_joined_measure_adds_both_directions():
    model = language_model(seed=3)
    sentences = ["the bank of money", "bank the of money", "a river", "river a", "money of the bank", "the money of bank"]
    scores = model.sentence_scores([sentence.split() for sentence in sentences])
    pairs = [MinimalPair(*sentences[k : k + 2], str(k)) for k in (0, 2, 4)]
    seen = []
    result = evaluate_pairs(model, pairs, str.split, report=lambda *numbers: seen.append(numbers))
    assert seen == [(6, 6)]
    for k, pair in zip((0, 2, 4), pairs, strict=True):
        expected = [*(scores[k] > scores[k + 1]), scores[k].sum() > scores[k + 1].sum()]
        assert [result[pair.phenomenon][name] for name in MEASURES] == expected


def test_published_rows_have_every_phenomenon_and_average_to_the_overall_one():
    sets = {"anaphor_agreement": 2, "argument_structure": 9, "binding": 7, "control_raising": 5, "determiner_noun_agreement": 8}
    sets |= {"ellipsis": 2, "filler_gap_dependency": 7, "irregular_forms": 2, "island_effects": 8, "npi_licensing": 7}
    sets |= {"quantifiers": 4, "subject_verb_agreement": 6}  # of 1,000 pairs
    assert sets.keys() | {OVERALL} == PUBLISHED.keys()
    rows, sizes = np.array([PUBLISHED[name] for name in sets]), np.array(list(sets.values()))
    np.testing.assert_allclose(sizes @ rows / 67, PUBLISHED[OVERALL], atol=0.05)
    assert rows.shape[1] == len(MODELS)
