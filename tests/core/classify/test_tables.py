"""Test reading tables of labeled texts: usual files, wrong files, bounds of memory, and stopping."""

import gzip
import json
import lzma
from pathlib import Path

import pytest

from core.classify import tables
from core.classify.tables import GUESSED_CELLS, TableRow, read_columns, read_table, tree_leaves
from core.common import reports
from core.common.errors import BadInput
from tests.memory import MB, measure_peak

AG = '"3","Fears for pension","Unions say ""no"" to Haiti #39;s plan."\n"4","Race is on","A second\\team."\n"3","Oil","Up."\n'
SENTENCES = ("the hinge of the old door squeaks", "two eggs and a cup of flour", "rain fell on the seedlings all night")
CELLS = [(f"id-{k}", f"{SENTENCES[k % 3]} {k}", ("garden", "kitchen", "workshop")[k % 3]) for k in range(12)]


@pytest.fixture
def write(tmp_path):
    def written(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


@pytest.mark.parametrize(
    ("name", "content", "first", "columns"),
    [
        ("ag.csv", AG, ('Fears for pension Unions say "no" to Haiti #39;s plan.', "3"), ("title", "description")),
        ("spam.csv", "v1,v2,,,\nham,Ok lar...,,,\nspam,WIN,,,\n", ("Ok lar...", "ham"), ("v2",)),
        ("sms.tsv", 'ham\tGo "now"\nham\tHi\nspam\tWIN\n', ('Go "now"', "ham"), ("text",)),
        ("last.csv", "One day,x\nTwo,y\nThree,x\n", ("One day", "x"), ("text",)),
        ("own.jsonl", '{"target": 1.0, "message": "Hello"}\n\n{"target": 0, "message": "Bye"}\n', ("Hello", "1"), ("message",)),
        ("two.csv", "label,words\n1,Hello\n0,Bye\n", ("Hello", "1"), ("words",)),
        ("meta.jsonl", '{"text": "Hi", "label": ["a"], "meta": {"src": 1}}\n{"text": "Bye", "label": "b"}\n', ("Hi", "a"), ("text",)),
        ("late.jsonl", '{"text": "Hi"}\n{"text": "Bye", "label": "b"}\n{"text": "So", "label": "a"}\n', ("Bye", "b"), ("text",)),
        ("nan.jsonl", '{"text": NaN, "label": "b"}\n{"text": "So", "label": "a"}\n{"text": "Hi", "label": "b"}\n', ("So", "a"), ("text",)),
        ("topic.csv", "topic,text,label\nx,Hello,1\ny,Bye,0\n", ("Hello", "1"), ("text",)),
        ("empty.csv", "label,text,class\n,Hello,1\n,Bye,0\n", ("Hello", "1"), ("text",)),
    ],
)
def test_usual_files_are_read_without_being_told_their_columns(write, name, content, first, columns):
    table = read_table(write(name, content))
    assert (table.rows[0].text, table.rows[0].label) == first and table.text_columns == columns and len(table.rows) >= 2


OWN = "Id,Kind,Lead,Body\n1,a,One,two\n2,b,Three,four\n"


@pytest.mark.parametrize(
    ("content", "chosen", "second", "columns"),
    [
        (OWN, {"text_columns": ["body", "Lead"], "label_column": "kind"}, ("four Three", "b"), (("Body", "Lead"), "Kind")),
        (OWN, {"text_columns": ["Lead"], "label_column": "Kind", "prefer": ("title",)}, ("Three", "b"), (("Lead",), "Kind")),
        ("7,u,One\n8,v,Two\n", {"text_columns": ["3"], "label_column": "2"}, ("Two", "v"), (("3",), "2")),
        (AG, {"prefer": ("title",)}, ("Race is on", "4"), (("title",), "class")),
        ("x,x,\n" + "\n".join(map(",".join, CELLS)), {"text_columns": [2], "label_column": 3}, CELLS[1][1:], (("x",), "")),
        ("kind,said\nkind,Hi\nb,Bye\n", {"text_columns": ["said"], "label_column": "Kind"}, ("Bye", "b"), (("said",), "kind")),
    ],
    ids=["names", "named before preferred", "numbers without names", "preferred", "one name twice and none", "label as name"],
)
def test_columns_are_taken_by_name_or_number_and_joined_by_a_blank(write, content, chosen, second, columns):
    table = read_table(write("own.csv", content), **chosen)
    assert table.rows[1] == TableRow(*second) and (table.text_columns, table.label_column) == columns


@pytest.mark.parametrize(
    ("name", "text", "texts", "label"),
    [
        ("b.csv", "key;what was said;place\n" + "\n".join(map(";".join, CELLS)), ("what was said",), "place"),
        ("d.jsonl", "\n".join(f'{{"said": "{b}", "where": "{c}"}}' for _, b, c in CELLS), ("said",), "where"),
        ("e.csv", "title,description,category\n" + "\n".join(map(",".join, CELLS)), ("title", "description"), "category"),
        ("g.csv", "one,two\n" + "\n".join(f"{b},{a}" for a, b, _ in CELLS), ("one",), None),  # nothing recurs
        ("i.csv", "key,said,place\n" + "\n".join(map(",".join, [*CELLS, ("key", "said", "place"), *CELLS])), ("said",), "place"),
        ("j.csv", "key,said,place,\n" + "\n".join(f"{','.join(cells)}," for cells in CELLS), ("said",), "place"),
        ("k.csv", "mark,said,place\n" + "\n".join(f"{'x' if a == 'id-3' else ''},{b},{c}" for a, b, c in CELLS), ("said",), "place"),
        ("l.csv", "url,said,place\n" + "\n".join(f"http://{'x' * 90}{a},{b},{c}" for a, b, c in CELLS), ("said",), "place"),
    ],
)
def test_columns_are_guessed(write, name, text, texts, label):
    result = read_columns(write(name, text))
    assert tuple(result.names[k] for k in result.texts) == texts
    assert (None if result.label is None else result.names[result.label]) == label


@pytest.mark.parametrize(
    ("encoding", "first", "second"),
    [
        ("cp1252", "£5 café", "b"),
        ("cp1252", "He paid £5 for it.", "She paid £20 at the bank."),  # no two letters beyond ASCII in a row
        ("cp1252", "“The price rose to £30!” he said; “it’s far too much” was her reply", "He’s paid £20 – “a café’s price”"),
        *(("cp1252", "Die Straße ist schön", "Größe und Übermut"), ("cp932", "雨が降って傘をさした", "雪がとけた")),
        ("cp1253", "Η βροχή έπεφτε όλη μέρα", "Καθίσαμε στο σπίτι και διαβάσαμε"),
        ("cp1255", "הגשם ירד כל היום. ישבנו בבית וקראנו ספרים.", "מחר יהיה שמשי ונלך לפארק"),
        ("cp1256", "هطل المطر طوال اليوم. جلسنا في البيت", "غدا سيكون الجو مشمسا"),
        ("cp874", "ฝนตกทั้งวัน เรานั่งอ่านหนังสือ", "พรุ่งนี้แดดจะออก"),
        ("koi8_r", "Дождь шёл весь день. Мы сидели дома и читали книги.", "Завтра будет солнечно и мы поедем за город."),
        ("cp1252", "„Natürlich“ sagte er „können wir das tun“", "Das kostet 20 €"),
        *(("cp1250", "Żółw idzie przez łąkę", "Śnieg już stopniał"), ("latin-1", "a\x92b", "c")),
    ],
)
def test_encoding_other_than_utf_8_is_guessed_or_given_and_noted(write, encoding, first, second):
    path = write("own.csv", f"label,text\nx,{first}\ny,{second}\n".encode(encoding))
    table = read_table(path, encoding="latin-1" if encoding == "latin-1" else None)
    assert [row.text for row in table.rows] == [first, second]
    name = "Latin-1" if encoding == "latin-1" else encoding.upper()
    assert table.notes[0].startswith("own.csv is not UTF-8 (line ")
    assert table.notes[0].endswith(f"was read as {name}. If letters look wrong, save it as UTF-8.")


@pytest.mark.parametrize(
    ("tree", "leaves"),
    [
        ("(3 (2 They) (3 (2 like(d)) (2 it)))", ["They", "like(d)", "it"]),
        *(("(1 (2 It) (1 (2 :() (1 failed)))", ["It", ":(", "failed"]), ("(2 (2 New York) (2 rocks))", ["New York", "rocks"])),
        ("(4 x)", ["x"]),
        ("(3 (2 () (3 (2 good) (2 ))))", ["(", "good", ")"]),
        ("(2 (2 (a)) (2 b)))", ["(a)", "b)"]),
        ("(3  (2  wide)   (3 apart))", ["wide", "apart"]),
        *((tree, []) for tree in ("(2 (2 a)", "(2 (2 a))) (2 b)", "(2 a) (2 b)", "(5 (2 a) (2 b))", "(2 )", "(2 (2 a) (2 ))")),
        *((tree, []) for tree in ("plain words", "x (2 a)")),
    ],
)
def test_leaves_are_read_with_their_brackets_or_not_at_all(tree, leaves):
    assert tree_leaves(tree) == leaves


def test_other_usual_label_columns_and_rows_that_were_not_accepted_are_noted(write):
    rows = [{"text": "Hi", "target": "x", "label": "a", "answer": answer} for answer in ("accept", "reject", "ignore", "accept")]
    table = read_table(write("own.jsonl", "\n".join(map(json.dumps, rows))))
    assert len(table.rows) == 2 and table.notes == (
        "own.jsonl: the label is read from “label”, not from “target”. To read another, name it.",
        "own.jsonl: rows left out because their “answer” is “reject” or “ignore”: 2.",
    )
    assert len(read_table(write("own.jsonl", "\n".join(map(json.dumps, rows))), label_column="answer").rows) == 4


def test_trees_are_read_as_text_and_the_label_of_the_root_and_one_that_is_not_closed_is_left_out_of_many(write):
    trees = "(4 (2 It) (4 (2 's) (3 (2 a) (4 (2 good) (2 -LRB-film-RRB-)))))\n(1 (2 -lsb-) (1 (1 bad) (2 -RRB-)))\n(3 (2 a\\/b) (3 c))"
    rows = read_table(write("train.txt.xz", lzma.compress(trees.encode()))).rows
    assert rows == (TableRow("It's a good (film)", "very positive"), TableRow("[bad)", "negative"), TableRow("a/b c", "positive"))
    good = [f"(3 (2 number) (3 n{k}))" for k in range(40)]
    table = read_table(write("a.txt", "\n".join([*good[:7], "(2 (2 a)", *good[7:]])))
    assert [row.text for row in table.rows] == [f"number n{k}" for k in range(40)]
    assert table.notes == ("a.txt: rows left out: 1. The first is line 8: '(2 (2 a)' is not a tree.",)
    with pytest.raises(BadInput, match=r"a\.txt, line 5: '\(2 \(2 a\)' is not a tree\."):
        read_table(write("a.txt", "\n".join([*good[:4], "(2 (2 a)"])))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *(("a.csv", "", "a.csv is empty"), ("a.csv", ",\n,\n", "a.csv is empty"), ("a.csv", "label,text\n", "holds no row with both")),
        *(("a.csv", "p,q,r\n1,2,3\n4,5,6\n", "no label column among"), ("a.csv", "label,x,y\n1,2,3\n4,5,6\n", "no text column among")),
        *(("a.csv", "label,text\na\n", "line 2: 1 column"), ("a.csv.xz", b"no xz", "is incomplete")),
        ("a.tsv", "label\ttext\nspam\tWin\tmoney\n", "line 2: 3 cells for 2 columns. Replace tabs"),
        ("a.csv", 'label,text\na,"open, and more\n', "Check for an unclosed quote"),
        ("a.csv", bytes(range(1, 32)) * 3 + b"\xff\xfe\xfd", "not text in any known encoding"),
        *(("a.jsonl", "[1]\n", "line 1: .* is not a row"), ("a.jsonl", '{"text": "a", "label": ["b", "c"]}\n', "one value each")),
        *(("a.jsonl", "{\n", "line 1: not JSON"), ("a.txt", "plain words\n", "line 1: .* is not a tree. Separate text and")),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_sentence(write, name, content, message):
    for read in [read_table, *([read_columns] if "is empty" in message else [])]:
        with pytest.raises(BadInput, match=message):
            read(write(name, content))


def wide(name: str, n_rows: int, n_columns: int, cell: str) -> str:
    rest = {f"c{k}": cell for k in range(n_columns - 2)}
    rows = [{"text": f"The bank {k}.", "label": "ab"[k % 2]} | rest for k in range(n_rows)]
    if name.endswith(".jsonl"):
        return "\n".join(map(json.dumps, rows))
    return "".join(",".join(row) + "\n" for row in (rows[0], *(row.values() for row in rows)))


@pytest.mark.parametrize(
    ("name", "n_rows", "n_columns", "cell"),
    [
        *((name, 500, 1_000, "1.5") for name in ("a.csv", "a.csv.gz")),
        *(("emoji.csv", 500, 1_000, "1🎉"), ("latin.csv", 500, 1_000, "\u00e9\u00e9")),
        *(("columns.csv", 30, 25_000, "1"), ("a.jsonl", 300, 1_000, "one more value")),
    ],
)
def test_wide_table_takes_memory_only_for_its_texts_and_labels(write, name, n_rows, n_columns, cell):
    data = wide(name, n_rows, n_columns, cell).encode("latin-1" if name == "latin.csv" else "utf-8")
    path = write(name, gzip.compress(data, 1) if name.endswith(".gz") else data)
    with reports.collecting():
        table, peak_mb = measure_peak(lambda: read_table(path))
        columns, columns_peak_mb = measure_peak(lambda: read_columns(path))
    assert len(table.rows) == n_rows and table.rows[1] == TableRow("The bank 1.", "b")
    assert (columns.texts, columns.label) == ((0,), 1)
    assert peak_mb < 25 and len(data) > MB
    assert columns_peak_mb < 25 + 100 * GUESSED_CELLS / MB


def test_cell_of_many_megabytes_is_cut(write):
    path = write("a.csv", 'text,label\n"' + "word " * 1_500_000 + '",a\nThe bank.,b\nThe river.,a\n')
    table, peak_mb = measure_peak(lambda: read_table(path))
    assert [len(row.text) for row in table.rows] == [tables.MAX_CHARACTERS - 1, 9, 10] and peak_mb < 100


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("size.csv", b"x" * 11_000_001, "above the limit of 11.0 MB"),
        ("line.csv", b"text,label\n" + b"word " * 2_100_000 + b",a\nb,c\n", "over 10,000,000 bytes without line break"),
        ("names.csv", b"text,label" + b",c" * 100_000 + b"\na,b\n", "has 100,002 columns; at most 100,000 are read"),
        ("blank.csv.gz", gzip.compress(b"text,label\na,b\n" + b"\n" * 60_000, mtime=0), "over 50,000 lines"),
        ("blank.jsonl.xz", lzma.compress(b'{"text": "a", "label": "b"}\n' + b"\n" * 60_000), "over 50,000 lines"),
        ("bytes.csv.xz", lzma.compress(b"text,label\na,b\n" + (b" " * 999 + b"\n") * 12_000, preset=0), "over 11,000,000 bytes unpacked"),
    ],
    ids=["size", "line", "columns", "lines", "JSON lines", "unpacked size"],
)
def test_file_beyond_a_bound_is_refused_with_its_name_and_the_bound(write, monkeypatch, name, content, message):
    monkeypatch.setenv("ELMOSCOPE_MAX_LINES", "50000")
    monkeypatch.setenv("ELMOSCOPE_MAX_TABLE_MB", "11")
    with pytest.raises(BadInput) as refused:
        read_table(write(name, content))
    assert name in str(refused.value) and message in str(refused.value)


def test_read_table_stops_at_max_rows(write):
    path = write("a.csv", "text,label\n" + "The bank.,a\nThe dog.,b\n" * 5_000)
    n_lines = []
    with reports.watch_steps(n_lines.append), pytest.raises(BadInput, match=r"^a\.csv has more than 100 rows"):
        read_table(path, max_rows=100)
    assert len(n_lines) < 5_000 and len(read_table(path, max_rows=10_000).rows) == 10_000


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", "text,label\nThe bank.,a\n"), ("a.jsonl", '{"text": "The bank.", "label": "a"}\n'), ("a.txt", "(3 (2 The) (2 bank))\n")],
    ids=["csv", "jsonl", "trees"],
)
def test_reading_ends_when_its_job_is_stopped(write, name, content, steps_until_stopped):
    assert steps_until_stopped(20, read_table, write(name, content * 1_000)) == 20
