"""The checks of labeled sentences: a good set passes, each rule sees the fault made for it."""

import json
import random

import pytest

from core.lab.sentences import CheckedSentence, faults, shared_lines

rng = random.Random(0)
LETTERS = "bcdfghjklmnprstvwz"


def invented() -> str:
    """A word that no other sentence holds."""
    return "".join(rng.choice(LETTERS) + rng.choice("aeiou") for _ in range(4))


def good() -> list[CheckedSentence]:
    """Two senses of ten sentences each, of different lengths, the word in every part of them."""
    rows = []
    for k in range(20):
        tokens = [invented() for _ in range(8 + k % 10)]
        position = (k * 3) % len(tokens)
        tokens[position] = "jam"
        rows.append(CheckedSentence(tuple(tokens), position, "jam", "sweet spread" if k % 2 else "stuck traffic", k + 1))
    return rows


def changed(rows: list[CheckedSentence], k: int, tokens, position: int | None = None, sense: str | None = None) -> list[CheckedSentence]:
    old = rows[k]
    new = CheckedSentence(tuple(tokens), old.position if position is None else position, old.lemma, sense or old.sense, old.line)
    return [*rows[:k], new, *rows[k + 1 :]]


def test_a_varied_set_has_no_error():
    assert list(faults(good())) == []


def test_a_sentence_in_which_two_words_meet_counts_for_neither():
    both = [
        CheckedSentence(("the", "bread", "and", "the", "jam"), at, lemma, "food", 21 + k)
        for k, (at, lemma) in enumerate(((1, "bread"), (4, "jam")))
    ]
    assert shared_lines([*good(), *both]) == {21, 22} and list(faults([*good(), *both])) == []
    assert "the same sentence as row 21" in " ".join(faults([*good(), both[0], both[0]]))


def with_word(rows: list[CheckedSentence], word: str, at: int, how_many: int) -> list[CheckedSentence]:
    """The word put at a place of the first sentences of one sense (every other row)."""
    for k in range(0, 2 * how_many, 2):
        tokens = list(rows[k].tokens)
        tokens[at if at != rows[k].position else at + 1] = word
        rows = changed(rows, k, tokens)
    return rows


def alike(row: CheckedSentence, k: int) -> CheckedSentence:
    """The row as it is, or from the 15th on with the same beginning."""
    return row if k < 14 else CheckedSentence(("so", "it", "is", *row.tokens[3:]), 5, row.lemma, row.sense, row.line)


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        (lambda rows: rows[2:], "jam / stuck traffic: 9 sentences; 10 wanted"),
        (lambda rows: [r for r in rows if r.sense == "sweet spread"], "jam: 1 senses; 2 to 6 wanted"),
        (lambda rows: with_word(rows, "traffic", 5, 4), "jam / stuck traffic: “traffic” is in 4 of 10 sentences; at most 25% wanted"),
        (lambda rows: with_word(rows, "the", 0, 5), "3 sentences begin with “the”; at most 2 wanted"),
        (lambda rows: changed(rows, 3, rows[1].tokens, rows[1].position), "row 4: the same sentence as row 2"),
        (lambda rows: changed(rows, 3, [*rows[1].tokens, "twice"], rows[1].position), "rows 2 and 4 are too alike"),
        (lambda rows: changed(rows, 5, ["a", "short", "jam"], 2), "row 6: 3 words; 7 to 30 wanted"),
        (
            lambda rows: [CheckedSentence((*r.tokens[:6], "jam", "x"), 6, r.lemma, r.sense, r.line) for r in rows],
            "the word is in the last third of 20 of 20 sentences",
        ),
        (
            lambda rows: [CheckedSentence(("jam", *[invented() for _ in range(8)]), 0, r.lemma, r.sense, r.line) for r in rows],
            "lengths spread by 0.0 tokens",
        ),
        (lambda rows: [alike(r, k) for k, r in enumerate(rows)], "the first three tokens are distinct in 15 of 20 sentences; 90% wanted"),
    ],
)
def test_each_rule_sees_its_error(spoilt, message):
    assert any(message in fault for fault in faults(spoilt(good()))), list(faults(spoilt(good())))


def test_the_command_says_what_a_file_holds_and_what_is_wrong_with_it(tmp_path, answer, refused):
    path = tmp_path / "own.jsonl"
    rows = good()[1:]
    path.write_text("\n".join(json.dumps({"tokens": r.tokens, "position": r.position, "lemma": r.lemma, "sense": r.sense}) for r in rows))
    message = answer("lab", "check-sentences", path)
    assert (message["sentences"], message["words"], message["senses"]) == (19, 1, 2)
    assert message["faults"] == ["jam / stuck traffic: 9 sentences; 10 wanted"]
    path.write_text('{"tokens": ["a", "jam"], "position": 2, "lemma": "jam", "sense": "s"}\n')
    assert refused("lab", "check-sentences", path) == "error: own.jsonl, row 1: position 2 is outside its 2 tokens."
