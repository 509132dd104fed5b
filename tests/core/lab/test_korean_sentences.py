"""The Korean sentences: whole, balanced, each with its word where it says, no cue that gives a sense away."""

import json
from collections import Counter, defaultdict

import pytest

from core.common.config import ASSETS
from core.text.languages import get_language
from core.text.sentences import read_sentences

BASIC = get_language("ko").basic
ROWS = [json.loads(line) for line in (ASSETS / "sentences-ko.jsonl").read_text(encoding="utf-8").splitlines()[:BASIC]]
WORDS = {row["lemma"] for row in ROWS}
DEFINED = json.loads((ASSETS / "senses-ko.json").read_text(encoding="utf-8"))
GLOSSES = {word: senses for word, senses in DEFINED.items() if word in WORDS}
BY_SENSE = defaultdict(list)
for row in ROWS:
    BY_SENSE[row["lemma"], row["sense"]].append(row)


def test_the_corpus_reader_reads_them_all_with_their_labels():
    sentences = read_sentences(ASSETS / "sentences-ko.jsonl", limit=BASIC)
    assert len(sentences) == len(ROWS) and all(len(s.targets) == 1 for s in sentences)


def test_the_word_stands_where_the_row_says_and_begins_with_its_lemma():
    wrong = [r for r in ROWS if r["tokens"][r["position"]] != r["word"] or not r["word"].startswith(r["lemma"])]
    assert not wrong


def test_no_sentence_stands_twice_and_none_is_too_short_or_too_long():
    assert len({" ".join(r["tokens"]) for r in ROWS}) == len(ROWS)
    assert [r["tokens"] for r in ROWS if not 5 <= len(r["tokens"]) <= 30] == []


def test_there_are_twenty_words_with_two_to_five_senses_and_fourteen_sentences_each():
    words = Counter(lemma for lemma, _ in BY_SENSE)
    assert len(words) >= 20 and set(words.values()) <= {2, 3, 4, 5}
    assert {key: len(rows) for key, rows in BY_SENSE.items() if len(rows) < 14} == {}


def test_every_sense_has_a_gloss_in_korean_and_in_english():
    assert {(w, s) for w, senses in GLOSSES.items() for s in senses} == set(BY_SENSE)
    assert all(gloss["ko"].strip() and gloss["en"].isascii() for senses in GLOSSES.values() for gloss in senses.values())


@pytest.mark.parametrize("key", list(BY_SENSE), ids=" ".join)
def test_a_sense_is_not_given_away_by_one_cue_or_one_form(key):
    rows = BY_SENSE[key]
    cues = Counter(stem for r in rows for stem in {w[:2] for w in r["tokens"] if w != r["word"] and len(w) > 1})
    assert cues.most_common(1)[0][1] <= len(rows) / 3
    assert len({r["word"] for r in rows}) >= 3


def test_more_words_have_ten_sentences_a_sense_and_a_gloss_in_both_languages():
    lines = (ASSETS / "sentences-ko.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[BASIC:]]
    senses = Counter((r["lemma"], r["sense"]) for r in rows)
    assert len({lemma for lemma, _ in senses}) >= 70 and len(senses) >= 180 and set(senses.values()) <= set(range(10, 13))
    assert not {lemma for lemma, _ in senses} & {lemma for lemma, _ in BY_SENSE}
    message = {word: glosses for word, glosses in DEFINED.items() if word in {lemma for lemma, _ in senses}}
    assert {(w, s) for w, result in message.items() for s in result} == set(senses)
    assert all(g["ko"] and g["en"].isascii() and g["pos"] for result in message.values() for g in result.values())
    assert len({" ".join(r["tokens"]) for r in rows}) == len(rows)
    for key in {(r["lemma"], r["sense"]) for r in rows if r["pos"] == "noun"}:  # a verb may need its object (눈을 감다)
        mine = [
            {w for k, w in enumerate(r["tokens"]) if k != r["position"] and len(w) > 1} for r in rows if (r["lemma"], r["sense"]) == key
        ]
        assert Counter(w for words in mine for w in words).most_common(1)[0][1] <= max(3, len(mine) / 4), key
