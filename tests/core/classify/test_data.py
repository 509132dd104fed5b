"""Test splits of labeled texts: their sizes, seeds, folds and shares, that no text is in two sets, and rows that cannot be split."""

from collections.abc import Iterable
from itertools import product

import pytest

from core.classify.data import Dataset, RowRules, SplitConfig, make_dataset, normal_form
from core.classify.tables import Table, TableRow
from core.common.errors import BadInput
from core.text.tokens import tokenize


def table_of(rows: Iterable[TableRow], name: str = "rows.csv") -> Table:
    return Table(name, tuple(rows), ("text",), "label")


def rows(n: int, *, labels=("a", "b")) -> Table:
    return table_of(TableRow(f"text number {k}", labels[k % len(labels)]) for k in range(n))


def split(table: Table, **options) -> Dataset:
    parts = {name: options.pop(name) for name in ("test", "valid", "extra", "rules") if name in options}
    return make_dataset("own", table, SplitConfig(**options), **parts)


def forms(examples) -> set[str]:
    return {normal_form(example.text) for example in examples}


def sizes(data: Dataset) -> tuple[int, int, int]:
    return len(data.train), len(data.valid), len(data.test)


def no_text_is_shared(data: Dataset) -> bool:
    train, valid, test = forms(data.train), forms(data.valid), forms(data.test)
    return not (train & valid or train & test or valid & test)


def test_equal_texts_are_in_one_set_or_only_the_first_of_them_is_kept():
    texts = ["One", "one", " ONE ", "two", "Two", "three", "five five", "Five  FIVE"] * 3
    table = table_of(TableRow(text, "ab"[k % 2]) for k, text in enumerate([*texts, *(f"other {k}" for k in range(12))]))
    for seed, folds in product(range(4), (0, 3)):
        data = split(table, seed=seed, folds=folds)
        assert no_text_is_shared(data) and sum(sizes(data)) == len(texts) + 12
    dropped = split(table_of([*rows(30).rows, TableRow("Text  NUMBER 3", "b"), TableRow("text number 4", "b")]), duplicates="drop")
    assert sum(sizes(dropped)) == 30
    assert dropped.notes == ("2 rows repeat an earlier text and were dropped (1 under another label).",)


def test_folds_test_every_text_once_and_the_seed_decides_a_split_not_the_row_order():
    data = [split(rows(50), folds=6, fold=k) for k in range(6)]
    tested = [form for each in data for form in forms(each.test)]
    assert sorted(tested) == sorted(forms(rows(50).rows)) and len({each.texts for each in data}) == 1
    data, backwards = split(rows(60)), split(table_of(rows(60).rows[::-1]))
    assert forms(data.test) == forms(backwards.test) and forms(data.valid) == forms(backwards.valid)
    assert forms(split(rows(60), seed=1).test) != forms(data.test)


def test_a_smaller_share_is_part_of_a_larger_one_validation_shrinks_with_it_and_the_test_set_stays_complete():
    whole, half, tenth = (split(rows(200), share=share) for share in (1, 0.5, 0.1))
    assert sizes(whole) == (144, 16, 40) and sizes(tenth) == (14, 2, 40)
    assert forms(tenth.train) < forms(half.train) < forms(whole.train)
    assert forms(tenth.valid) < forms(half.valid) < forms(whole.valid)
    assert forms(tenth.test) == forms(whole.test) and tenth.texts == whole.texts
    official = table_of(TableRow(f"checked {k}", "ab"[k % 2]) for k in range(50))
    assert len(split(rows(200), share=0.1, valid=official).valid) == 5


@pytest.mark.parametrize("options", [{}, {"folds": 3}, {"in_order": True}])
def test_a_rare_class_is_trained_on_or_its_test_rows_are_dropped_with_a_note(options):
    table = rows(40)
    where = {part: [example.text for example in getattr(split(table, **options), part)] for part in ("train", "valid", "test")}

    def split_with_rare(*texts: str) -> Dataset:
        return split(table_of(TableRow(row.text, "rare" if row.text in texts else row.label) for row in table.rows), **options)

    moved = split_with_rare(where["valid"][0])
    assert [moved.labels[e.label] for e in moved.train].count("rare") == 1 and len(moved.valid) == len(where["valid"]) - 1
    dropped = split_with_rare(*where["test"][:2])
    assert dropped.labels == ("a", "b") and len(dropped.test) == len(where["test"]) - 2
    assert dropped.notes == ("Test rows dropped because their label has no training row: 2.",)
    alone = split_with_rare(where["train"][0])
    assert sum(map(len, (alone.train, alone.valid, alone.test))) == 40 and not alone.notes


def test_rows_to_test_on_are_never_trained_on_although_other_files_repeat_them():
    half = table_of(TableRow(row.text.upper(), row.label) for row in rows(50).rows)
    data = split(rows(100), test=half, valid=table_of([*half.rows[:10], TableRow("one more", "a"), TableRow("and another", "b")]))
    assert no_text_is_shared(data) and forms(data.valid) == {"one more", "and another"}
    assert {f"{n} rows whose text is in the test set were dropped." for n in ("10 validation", "50 training")} <= set(data.notes)
    data = split(rows(40), extra=table_of([*rows(40).rows, TableRow("new", "a"), TableRow("newer", "b")]))
    assert forms(data.test) == forms(split(rows(40)).test) and no_text_is_shared(data) and {"new", "newer"} <= forms(data.train)


def test_file_order_tests_on_the_last_rows_notes_how_many_it_leaks_and_validates_on_none_of_them():
    table = table_of([*rows(40).rows[:36], *rows(4).rows])
    data = split(table, in_order=True)
    assert [e.text for e in data.test] == [row.text for row in table.rows[32:]] and forms(data.train) & forms(data.test)
    assert any("of 8 test rows repeat a training text" in note for note in data.notes)
    assert not forms(data.valid) & (forms(data.test) | forms(data.train))
    dropped = split(table, in_order=True, duplicates="drop")
    assert no_text_is_shared(dropped) and len(dropped.test) == 7


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        *((rows(20, labels=("a",)), {}, "only one label, 'a'"), (rows(2), {}, "no row to train on")),
        (rows(500, labels=tuple(map(str, range(250)))), {}, "different labels; at most 200"),
        (rows(4), {"folds": 5}, "4 distinct texts cannot make 5 folds"),
        *((rows(30), {"folds": 5, "in_order": True}, "not both"), (rows(40), {"share": 0.01}, "all have the same label")),
        (table_of([TableRow(" ", "a"), TableRow("\t", "b")]), {}, "no row to train on"),
        (rows(40), {"test": table_of([TableRow("unseen", "c")])}, "The label 'c' of a test or validation row is not a training label"),
        (rows(40), {"share": 0}, "Shares must lie between 0 and 1, got 0.2, 0.1 and 0"),
        (rows(40), {"folds": 1}, "2 to 100 folds, got 1"),
    ],
)
def test_rows_that_cannot_be_split_and_splits_that_make_no_sense_are_refused_in_one_sentence(table, options, message):
    with pytest.raises(BadInput, match=message):
        split(table, **options)


def test_labels_are_ordered_renamed_and_left_out_and_texts_cut_into_tokens_at_most_128():
    table = rows(60, labels=("10", "9", "x"))
    assert split(table).labels == ("9", "10", "x")
    assert split(table, rules=RowRules(names={"9": "nine", "x": "nine"}, order=("nine", "10"))).labels == ("nine", "10")
    assert split(table, rules=RowRules(left_out="x")).labels == ("9", "10")
    data = split(rows(40))
    assert data.train[0].tokens == tuple(tokenize(data.train[0].text))
    assert data.fingerprint == split(rows(40)).fingerprint != split(rows(40, labels=("b", "a"))).fingerprint
    long = split(table_of([TableRow("word " * 2_000, "a"), *rows(40).rows]))
    assert max(len(tokens) for tokens in long.texts) == 128
    assert any("1 texts were cut to their first 128 tokens" in note for note in long.notes)
