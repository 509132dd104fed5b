"""Our own sentences hold what they promise: enough words and senses, balanced, marked rightly, no near duplicates."""

import json
from collections import Counter, defaultdict
from itertools import combinations

import pytest

from core.common.config import ASSETS
from core.text.languages import get_language
from core.text.tokens import join_tokens, tokenize


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    lines = (ASSETS / "sentences.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[: get_language("en").basic]]


@pytest.fixture(scope="module")
def labeled(rows) -> list[dict]:
    return [row for row in rows if "sense" in row]


def test_at_least_48_words_have_2_to_5_senses_of_at_least_14_sentences_each(labeled):
    senses = defaultdict(Counter)
    for row in labeled:
        senses[row["lemma"]][row["sense"]] += 1
    assert len(senses) >= 48
    assert all(2 <= len(counts) <= 5 for counts in senses.values())
    assert all(14 <= n <= 20 for counts in senses.values() for n in counts.values())


def test_a_few_hundred_sentences_have_no_target(rows, labeled):
    assert 200 <= len(rows) - len(labeled) <= 1000


def test_the_marked_token_is_a_form_of_its_lemma(labeled):
    irregular = {"led": "lead", "meant": "mean"}
    for row in labeled:
        token = row["tokens"][row["position"]].lower()
        assert token == row["word"]
        assert irregular.get(token, token)[:2] == row["lemma"][:2], row


def test_each_target_has_its_part_of_speech(labeled):
    assert {row["pos"] for row in labeled} <= {"noun", "verb", "adjective", "adverb"}


def test_sentences_are_8_to_30_words_long_and_tokenized_as_typed_text_is(rows):
    for row in rows:
        words = [token for token in row["tokens"] if any(c.isalnum() for c in token)]
        assert 7 <= len(words) <= 32, row
        assert tokenize(join_tokens(row["tokens"])) == row["tokens"], row


def test_targets_stand_at_the_beginning_in_the_middle_and_at_the_end(labeled):
    thirds = Counter(min(2, 3 * row["position"] // len(row["tokens"])) for row in labeled)
    assert all(thirds[k] > 0.12 * len(labeled) for k in range(3))


def test_no_two_sentences_of_a_word_are_near_duplicates(labeled):
    words = defaultdict(list)
    for row in labeled:
        words[row["lemma"]].append({t.lower() for t in row["tokens"] if t.isalpha()})
    for sets in words.values():
        for a, b in combinations(sets, 2):
            assert len(a & b) / len(a | b) < 0.5, (a, b)


def test_no_sentence_stands_twice(rows):
    assert len({tuple(row["tokens"]) for row in rows}) == len(rows)
