"""Columns of one's own table: which there are, and which look like texts and labels, whatever they are called."""

import pytest

from core.classify.tables import read_columns, read_table
from core.common.errors import BadInput

TOPICS = ("garden", "kitchen", "workshop")
SENTENCES = ("the hinge of the old door squeaks", "two eggs and a cup of flour", "rain fell on the seedlings all night")


def rows(n: int = 12) -> list[tuple[str, str, str]]:
    return [(f"id-{k}", f"{SENTENCES[k % 3]} {k}", TOPICS[k % 3]) for k in range(n)]


@pytest.mark.parametrize(
    ("name", "text", "texts", "label"),
    [
        ("a.csv", "text,label\n" + "\n".join(f"{b},{c}" for _, b, c in rows()), ("text",), "label"),
        ("b.csv", "key;what was said;place\n" + "\n".join(";".join(row) for row in rows()), ("what was said",), "place"),
        ("c.tsv", "place\tkey\tremark\n" + "\n".join(f"{c}\t{a}\t{b}" for a, b, c in rows()), ("remark",), "place"),
        ("d.jsonl", "\n".join(f'{{"said": "{b}", "where": "{c}"}}' for _, b, c in rows()), ("said",), "where"),
        ("e.csv", "title,description,category\n" + "\n".join(f"{a},{b},{c}" for a, b, c in rows()), ("title", "description"), "category"),
        ("f.csv", "\n".join(f"{c},{b}" for _, b, c in rows()), ("text",), "class"),  # no names on top
        ("g.csv", "one,two\n" + "\n".join(f"{b},{a}" for a, b, _ in rows()), ("one",), None),  # nothing recurs
    ],
)
def test_columns_are_guessed(tmp_path, name, text, texts, label):
    (tmp_path / name).write_text(text)
    result = read_columns(tmp_path / name)
    assert tuple(result.names[k] for k in result.texts) == texts
    assert (None if result.label is None else result.names[result.label]) == label


def test_a_chosen_column_may_share_its_name_or_have_none(tmp_path):
    (tmp_path / "own.csv").write_text("x,x,\n" + "\n".join(",".join(row) for row in rows()))
    assert read_columns(tmp_path / "own.csv").names == ("x", "x", "")
    table = read_table(tmp_path / "own.csv", text_columns=[2], label_column=3)
    assert table.rows[0].text == "the hinge of the old door squeaks 0" and table.rows[0].label == "garden" and len(table.rows) == 12


def test_an_empty_file_is_said_to_be_empty(tmp_path):
    (tmp_path / "none.csv").write_text(" \n")
    with pytest.raises(BadInput, match="is empty"):
        read_columns(tmp_path / "none.csv")
