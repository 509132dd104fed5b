"""The labeled sentences of many more words: every rule of `check-sentences` holds, every sense is explained, the set opens by name."""

import json
from collections import Counter

import pytest

from core.common.config import ASSETS
from core.files import registry
from core.lab.sentence_checks import CheckedSentence, faults, read_rows, shared_lines
from core.text.corpora import open_corpus
from core.text.languages import get_language
from core.text.tokens import join_tokens, tokenize


@pytest.fixture(scope="module")
def rows(tmp_path_factory) -> list[CheckedSentence]:
    path = registry.resolve("sentences", "corpus")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (file := tmp_path_factory.mktemp("words") / "more.jsonl").write_text("".join(lines[get_language("en").basic :]), encoding="utf-8")
    return read_rows(file)


def test_four_hundred_words_have_senses_of_ten_sentences_each_and_no_fault(rows):
    senses = Counter((row.lemma, row.sense) for row in rows)
    assert len({lemma for lemma, _ in senses}) >= 400 and len(senses) >= 1300 and len(rows) >= 13_000
    assert list(faults(rows)) == []


def test_in_five_hundred_sentences_two_of_the_words_meet_no_two_of_them_twice(rows):
    twice = shared_lines(rows)
    met = [row for row in rows if row.line in twice]
    pairs = [frozenset((a.lemma, b.lemma)) for a, b in zip(met[::2], met[1::2], strict=True)]
    assert len(pairs) >= 500 and len(set(pairs)) == len(pairs) and len({lemma for pair in pairs for lemma in pair}) >= 400


def test_none_of_them_is_a_word_of_the_other_sentences_nor_a_sentence_of_theirs(rows):
    others = open_corpus("sentences")
    assert not {row.lemma for row in rows} & {target.lemma for sentence in others for target in sentence.targets}
    assert not {row.tokens for row in rows} & {sentence.tokens for sentence in others}


def test_every_sense_is_explained_in_a_line_and_has_a_part_of_speech(rows):
    words = {row.lemma for row in rows}
    defined = json.loads((ASSETS / "senses-en.json").read_text(encoding="utf-8"))
    message = {lemma: senses for lemma, senses in defined.items() if lemma in words}
    assert {(lemma, sense) for lemma, senses in message.items() for sense in senses} == {(row.lemma, row.sense) for row in rows}
    for senses in message.values():
        assert all(1 <= len(sense.split()) <= 4 and about["en"] and about["pos"] for sense, about in senses.items())


def test_sentences_are_cut_as_typed_text_is(rows):
    assert not [row.line for row in rows if tuple(tokenize(join_tokens(row.tokens))) != row.tokens]
