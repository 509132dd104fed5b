"""Test the labeled sentences that ship, and that each rule for sentences finds its error."""

import json
import random
from collections import Counter, defaultdict
from dataclasses import asdict, replace
from functools import cache

import pytest

from core.common.config import ASSETS
from core.lab.sentences import CheckedSentence, broken_rules, read_rows, shared_lines
from core.text.languages import get_language
from core.text.tokens import join_tokens, tokenize

FILES = {"en": "sentences.jsonl", "ko": "sentences-ko.jsonl"}
# Language, whether the words are the basic ones, at least so many words and senses, sentences of a sense, tokens of a sentence.
PARTS = [
    *(("en", True, 48, 100, (14, 20), (7, 40)), ("en", False, 400, 1300, (10, 25), (7, 40)), ("ko", True, 20, 40, (14, 30), (5, 30))),
    ("ko", False, 70, 180, (10, 12), (3, 40)),
]


@cache
def rows_of(language: str, *, is_basic: bool) -> list[dict]:
    rows = [json.loads(line) for line in (ASSETS / FILES[language]).read_text("utf-8").splitlines()]
    n = get_language(language).basic
    return rows[:n] if is_basic else rows[n:]


@pytest.mark.parametrize(("language", "is_basic", "n_words", "n_senses", "sentences", "tokens"), PARTS)
def test_words_have_enough_senses_and_sentences_of_typed_tokens_and_a_gloss(language, is_basic, n_words, n_senses, sentences, tokens):
    rows = rows_of(language, is_basic=is_basic)
    labeled = [row for row in rows if "sense" in row]
    assert [row for row in labeled if row["tokens"][row["position"]].casefold() != row["word"].casefold()] == []
    assert language != "en" or [row for row in rows if tokenize(join_tokens(row["tokens"])) != row["tokens"]] == []
    senses = Counter((row["lemma"], row["sense"]) for row in labeled)
    assert len({lemma for lemma, _ in senses}) >= n_words and len(senses) >= n_senses
    assert all(sentences[0] <= n <= sentences[1] for n in senses.values()), Counter(senses.values())
    assert len({tuple(row["tokens"]) for row in rows if is_basic or row["pos"]}) >= len(rows) - (0 if is_basic else 600)
    assert all(tokens[0] <= len(row["tokens"]) <= tokens[1] for row in rows)
    classes = {"noun", "verb", "adjective", "adverb", "modal", "determiner", "preposition", "numeral", "pronoun"}
    assert {row["pos"] for row in labeled} <= classes
    glosses = json.loads((ASSETS / f"senses-{language}.json").read_text(encoding="utf-8"))
    for lemma, sense in senses:
        gloss = glosses[lemma][sense]
        assert all(gloss[each].strip() for each in {"en", language}) and gloss["en"].isprintable()


def test_additional_english_sentences_have_no_error_and_no_korean_sense_is_given_away_by_one_cue_or_one_form(tmp_path):
    (tmp_path / "more.jsonl").write_text("\n".join(map(json.dumps, rows_of("en", is_basic=False))))
    assert list(broken_rules(read_rows(tmp_path / "more.jsonl"))) == []
    by_sense = defaultdict(list)
    for row in rows_of("ko", is_basic=True):
        by_sense[row["lemma"], row["sense"]].append(row)
    for key, rows in by_sense.items():
        cues = Counter(stem for r in rows for stem in {w[:2] for w in r["tokens"] if w != r["word"] and len(w) > 1})
        assert cues.most_common(1)[0][1] <= len(rows) / 3 and len({r["word"] for r in rows}) >= 3, key


rng = random.Random(0)


def invented() -> str:
    return "".join(rng.choice("bcdfghjklmnprstvwz") + rng.choice("aeiou") for _ in range(4))


def good() -> list[CheckedSentence]:
    """Return ten sentences of each of two senses, of different lengths, with the word in every part of them."""
    rows = []
    for k in range(20):
        tokens = [invented() for _ in range(8 + k % 10)]
        position = (k * 3) % len(tokens)
        tokens[position] = "jam"
        rows.append(CheckedSentence(tuple(tokens), position, "jam", "sweet spread" if k % 2 else "stuck traffic", k + 1))
    return rows


def test_a_sentence_in_which_two_words_meet_counts_for_neither():
    places = ((1, "bread"), (4, "jam"))
    both = [CheckedSentence(("the", "bread", "and", "the", "jam"), at, lemma, "food", 21 + k) for k, (at, lemma) in enumerate(places)]
    assert shared_lines([*good(), *both]) == {21, 22} and list(broken_rules([*good(), *both])) == []


ROWS = good()


@pytest.mark.parametrize(
    ("numbers", "tokens_of", "message"),
    [
        ((0, 2, 6, 8), lambda t: (*t[:5], "traffic", *t[6:]), "jam / stuck traffic: “traffic” is in 4 of 10 sentences; at most 25% wanted"),
        ((2, 6, 8), lambda t: ("the", *t[1:]), "3 sentences begin with “the”; at most 2 wanted"),
        ((3,), lambda _: ROWS[1].tokens, "row 4: the same sentence as row 2"),
        ((3,), lambda _: (*ROWS[1].tokens, "twice"), "rows 2 and 4 are too alike"),
        ((5,), lambda _: ("a", "short", "jam"), "row 6: 3 words; 7 to 30 wanted"),
        (range(20), lambda t: (*t[:6], "jam", "x"), "the word is in the last third of 20 of 20 sentences"),
        (range(20), lambda _: ("jam", *(invented() for _ in range(8))), "lengths spread by 0.0 tokens"),
        (range(14, 20), lambda t: ("so", "it", "is", "jam", *t[4:]), "the first three tokens are distinct in 15 of 20 sentences"),
    ],
)
def test_each_rule_sees_its_error(numbers, tokens_of, message):
    rows = list(ROWS)
    for k in numbers:
        tokens = tokens_of(rows[k].tokens)
        rows[k] = replace(rows[k], tokens=tokens, position=max(at for at, token in enumerate(tokens) if token == "jam"))
    assert any(message in fault for fault in broken_rules(rows)), list(broken_rules(rows))


def test_the_command_says_what_a_file_holds_and_what_is_wrong_with_it(tmp_path, answer, refused):
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(json.dumps(asdict(row)) for row in ROWS[1:]))
    message = answer("lab", "check-sentences", path)
    assert (message["sentences"], message["words"], message["senses"]) == (19, 1, 2)
    assert message["faults"] == ["jam / stuck traffic: 9 sentences; 10 wanted"]
    path.write_text("\n".join(json.dumps(asdict(row)) for row in ROWS if row.sense == "sweet spread"))
    assert "jam: 1 senses; 2 to 6 wanted" in answer("lab", "check-sentences", path)["faults"]
    path.write_text('{"tokens": ["a", "jam"], "position": 2, "lemma": "jam", "sense": "s"}\n')
    assert refused("lab", "check-sentences", path) == "error: own.jsonl, row 1: position 2 is outside its 2 tokens."
