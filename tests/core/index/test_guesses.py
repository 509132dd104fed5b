"""Senses that a model guessed: read, written and drawn as guesses, and in no measure."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.analysis.word_maps import ALL_WORDS, map_rows, rows_to_measure
from core.common.errors import BadInput
from core.index.build import build_index
from core.senses.separation import sense_report_of
from core.text.own_corpus import keep_sentences
from core.text.sentences import Sentence, Target, fingerprint, read_labeled, read_sentences
from core.views.layouts import ends_of
from tests.core.index.test_table import FakeEncoder

EQUAL = np.ones(3) / 3
WORDS = ("river", "water", "shore", "boat", "loan", "money", "check", "clerk")


def corpus(guesses: tuple[str, ...]) -> list[Sentence]:
    """Eight sentences of a person's two senses, then one for each guess."""
    labeled = [Sentence(("The", "bank", "by", w), (Target(1, "bank", ("shore", "money")[k // 4], "bank"),)) for k, w in enumerate(WORDS)]
    guessed = [Sentence(("A", "bank", f"number{k}"), (Target(1, "bank", None, "bank", None, sense),)) for k, sense in enumerate(guesses)]
    return [*labeled, *guessed]


def table_of(sentences: list[Sentence], folder, *, targets_only: bool = True):
    return build_index(sentences, FakeEncoder(), folder, model="fake", targets_only=targets_only)


@pytest.mark.parametrize("targets_only", [True, False])
def test_a_guess_is_drawn_and_no_sense(tmp_path, targets_only):
    table = table_of(corpus(("money", "shore", "slope")), tmp_path / "index", targets_only=targets_only)
    labeled, drawn = table.labeled_rows("bank"), table.rows_to_draw("bank")
    assert len(labeled) == 8 and len(drawn) == 11
    guessed = [table.occurrence(int(row)) for row in np.setdiff1d(drawn, labeled)]
    assert [(item.sense, item.guess) for item in guessed] == [(None, "money"), (None, "shore"), (None, "slope")]
    assert {table.occurrence(int(row)).guess for row in labeled} == {None} and table.senses_of("bank") == ["money", "shore"]
    assert map_rows(table, "bank").tolist() == drawn.tolist() and rows_to_measure(table, "bank").tolist() == labeled.tolist()
    assert len(table.rows_to_draw("other")) == 0


def test_no_measure_of_senses_depends_on_guesses(tmp_path):
    measures = []
    for name, guesses in (("none", ()), ("right", ("money",) * 5), ("wrong", ("shore",) * 5), ("new", tuple("abcde"))):
        table = table_of(corpus(guesses), tmp_path / name)
        report = sense_report_of(table, "bank", EQUAL)
        measures.append((report.n, report.one_nn, report.p, report.silhouette, report.majority, table.has_senses("bank")))
    assert measures[1:] == measures[:1] * 3


def test_a_word_of_which_all_senses_are_guesses_is_not_measured(tmp_path):
    sentences = [Sentence(s.tokens, (replace(s.targets[0], sense=None, guess=s.targets[0].sense),)) for s in corpus(())]
    table = table_of(sentences, tmp_path / "index")
    assert len(map_rows(table, "bank")) == 8 and not table.has_senses("bank")
    for word, message in (("bank", "Nobody labeled a sentence of “bank”"), (ALL_WORDS, "Nobody labeled a sentence of this corpus")):
        with pytest.raises(BadInput, match=message):
            sense_report_of(table, word, EQUAL)
    with pytest.raises(BadInput, match="two labeled senses, not 0"):
        ends_of(table, "bank")


def test_a_corpus_is_another_when_its_guesses_change():
    assert len({fingerprint(corpus(guesses)) for guesses in ((), ("money",), ("shore",), ("money", "shore"), ("shore", "money"))}) == 5
    plain = corpus(())[0]
    assert "guess" not in repr(plain.targets)  # or what is made of every labeled corpus would be made again


def test_rows_with_a_guess_are_not_scored_and_read_as_they_were_written(tmp_path, private_cache):
    sentences = corpus(("money", "shore"))
    assert read_sentences(keep_sentences(sentences).path) == sentences
    file = tmp_path / "labels.jsonl"
    row = {"word": "bank", "tokens": ["The", "bank"], "position": 1, "sense": "money", "lemma": "bank"}
    file.write_text("\n".join(map(json.dumps, [row, row | {"given": True}, row | {"given": False, "probability": 0.9}])), "utf-8")
    assert len(read_labeled(file)) == 2
    assert [(t.sense, t.guess) for s in read_sentences(file) for t in s.targets] == [("money", None), ("money", None), (None, "money")]
