"""The labeled sentences that ship: enough words and senses, marked correctly, no sense given away by one cue."""

import json
from collections import Counter, defaultdict

import pytest

from core.common.config import ASSETS
from core.lab.sentences import faults, read_rows
from core.text.languages import get_language
from core.text.tokens import join_tokens, tokenize

FILES = {"en": "sentences.jsonl", "ko": "sentences-ko.jsonl"}
# Language, whether the words are the basic ones, at least so many words and senses, sentences of a sense, tokens of a sentence.
PARTS = [
    ("en", True, 48, 100, (14, 20), (7, 40)),
    ("en", False, 400, 1300, (10, 25), (7, 40)),
    ("ko", True, 20, 40, (14, 30), (5, 30)),
    ("ko", False, 70, 180, (10, 12), (3, 40)),
]


def lines_of(language: str, *, is_basic: bool) -> list[str]:
    lines = (ASSETS / FILES[language]).read_text(encoding="utf-8").splitlines(keepends=True)
    n = get_language(language).basic
    return lines[:n] if is_basic else lines[n:]


def rows_of(language: str, *, is_basic: bool) -> list[dict]:
    return [json.loads(line) for line in lines_of(language, is_basic=is_basic)]


@pytest.mark.parametrize(("language", "is_basic", "n_words", "n_senses", "sentences", "tokens"), PARTS)
def test_words_have_enough_senses_and_sentences_and_a_gloss(language, is_basic, n_words, n_senses, sentences, tokens):
    rows = rows_of(language, is_basic=is_basic)
    labeled = [row for row in rows if "sense" in row]
    senses = Counter((row["lemma"], row["sense"]) for row in labeled)
    assert len({lemma for lemma, _ in senses}) >= n_words and len(senses) >= n_senses
    assert all(sentences[0] <= n <= sentences[1] for n in senses.values()), Counter(senses.values())
    assert len({tuple(row["tokens"]) for row in rows if is_basic or row["pos"]}) >= len(rows) - (0 if is_basic else 600)
    assert all(tokens[0] <= len(row["tokens"]) <= tokens[1] for row in rows)
    assert {row["pos"] for row in labeled} <= {
        "noun",
        "verb",
        "adjective",
        "adverb",
        *("modal", "determiner", "preposition", "numeral", "pronoun"),
    }
    glosses = json.loads((ASSETS / f"senses-{language}.json").read_text(encoding="utf-8"))
    for lemma, sense in senses:
        gloss = glosses[lemma][sense]
        assert all(gloss[each].strip() for each in {"en", language}) and gloss["en"].isprintable()


@pytest.mark.parametrize("language", FILES)
def test_basic_and_additional_words_are_different(language):
    first, second = ({row["lemma"] for row in rows_of(language, is_basic=each) if "sense" in row} for each in (True, False))
    assert not first & second


@pytest.mark.parametrize("language", FILES)
def test_marked_token_is_the_word_of_the_row(language):
    rows = [row for basic in (True, False) for row in rows_of(language, is_basic=basic) if "sense" in row]
    assert [row for row in rows if row["tokens"][row["position"]].casefold() != row["word"].casefold()] == []


def test_english_sentences_have_the_tokens_of_typed_text():
    rows = [row for basic in (True, False) for row in rows_of("en", is_basic=basic)]
    assert [row for row in rows if tokenize(join_tokens(row["tokens"])) != row["tokens"]] == []


def test_additional_english_sentences_have_no_error(tmp_path):
    (tmp_path / "more.jsonl").write_text("".join(lines_of("en", is_basic=False)), encoding="utf-8")
    rows = read_rows(tmp_path / "more.jsonl")
    assert list(faults(rows)) == []


def test_no_korean_sense_is_given_away_by_one_cue_or_one_form():
    by_sense = defaultdict(list)
    for row in rows_of("ko", is_basic=True):
        by_sense[row["lemma"], row["sense"]].append(row)
    for key, rows in by_sense.items():
        cues = Counter(stem for r in rows for stem in {w[:2] for w in r["tokens"] if w != r["word"] and len(w) > 1})
        assert cues.most_common(1)[0][1] <= len(rows) / 3 and len({r["word"] for r in rows}) >= 3, key
