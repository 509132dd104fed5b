"""Test that reading tables of labeled texts is bounded in memory and can be stopped."""

import gzip
import json
import lzma

import pytest

from core.classify import tables
from core.classify.tables import GUESSED_CELLS, read_columns, read_table
from core.common import reports
from core.common.errors import STOPPED, BadInput, JobEnded
from tests.memory import MB, measure_peak


def wide(n_rows: int, n_columns: int, cell: str = "1.5", separator: str = ",") -> str:
    names = separator.join(["text", "label", *(f"c{k}" for k in range(n_columns - 2))])
    rest = separator.join([cell] * (n_columns - 2))
    return "".join([names + "\n", *(f"The bank {k}.{separator}{'ab'[k % 2]}{separator}{rest}\n" for k in range(n_rows))])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", wide(500, 1_000)),
        ("a.tsv", wide(500, 1_000, separator="\t")),
        ("emoji.csv", wide(500, 1_000, "1🎉")),
        ("latin.csv", wide(500, 1_000, "\u00e9\u00e9")),
        ("columns.csv", wide(60, 25_000, "1")),
        ("a.csv.gz", wide(500, 1_000)),
    ],
)
def test_wide_table_takes_memory_only_for_its_texts_and_labels(tmp_path, name, text):
    path = tmp_path / name
    data = text.encode("latin-1" if name == "latin.csv" else "utf-8")
    path.write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
    size = len(data) / MB
    n_rows = 60 if name == "columns.csv" else 500
    with reports.collecting():
        table, peak_mb = measure_peak(lambda: read_table(path))
        columns, columns_peak_mb = measure_peak(lambda: read_columns(path))
    assert len(table.rows) == n_rows and table.rows[1].text == "The bank 1." and table.rows[1].label == "b"
    assert (columns.texts, columns.label) == ((0,), 1)
    assert peak_mb < 25 and size > 1
    assert columns_peak_mb < 25 + 100 * GUESSED_CELLS / MB


def test_wide_json_rows_take_memory_only_for_their_texts_and_labels(tmp_path):
    path = tmp_path / "a.jsonl"
    row = {f"c{k}": "one more value" for k in range(1_000)}
    path.write_text("".join(json.dumps({"text": f"The bank {k}.", "label": "ab"[k % 2]} | row) + "\n" for k in range(300)))
    table, peak_mb = measure_peak(lambda: read_table(path))
    assert len(table.rows) == 300 and path.stat().st_size > 7 * MB and peak_mb < 6


def test_cell_of_many_megabytes_is_cut(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('text,label\n"' + "word " * 1_500_000 + '",a\nThe bank.,b\nThe river.,a\n')
    table, peak_mb = measure_peak(lambda: read_table(path))
    assert [len(row.text) for row in table.rows] == [tables.MAX_CHARACTERS - 1, 9, 10] and peak_mb < 100


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("line.csv", b"text,label\n" + b"word " * 2_100_000 + b",a\nb,c\n", "over 10,000,000 bytes without line break"),
        ("names.csv", b"text,label" + b",c" * 100_000 + b"\na,b\n", "has 100,002 columns; at most 100,000 are read"),
        ("blank.csv.gz", gzip.compress(b"text,label\na,b\n" + b"\n" * 60_000, mtime=0), "over 50,000 lines"),
        ("blank.jsonl.xz", lzma.compress(b'{"text": "a", "label": "b"}\n' + b"\n" * 60_000), "over 50,000 lines"),
        ("bytes.csv.xz", lzma.compress(b"text,label\na,b\n" + b" " * (11 * MB)), "over 10,000,000 bytes unpacked"),
    ],
)
def test_file_beyond_a_bound_is_refused_with_its_name_and_the_bound(tmp_path, monkeypatch, name, content, message):
    monkeypatch.setenv("ELMOSCOPE_MAX_LINES", "50000")
    monkeypatch.setenv("ELMOSCOPE_MAX_TABLE_MB", "11" if name == "line.csv" else "10")
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput) as refused:
        read_table(path)
    assert name in str(refused.value) and message in str(refused.value) and "\n" not in str(refused.value)


def test_read_table_stops_at_max_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "The bank.,a\nThe dog.,b\n" * 5_000)
    assert len(read_table(path, max_rows=10_000).rows) == 10_000
    n_lines = []
    with reports.watch_steps(n_lines.append), pytest.raises(BadInput, match=r"^a\.csv has more than 100 rows"):
        read_table(path, max_rows=100)
    assert len(n_lines) < 5_000


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.txt"])
def test_reading_ends_when_its_job_is_stopped(tmp_path, name):
    line = {"a.jsonl": '{"text": "The bank.", "label": "a"}\n', "a.txt": "(3 (2 The) (2 bank))\n", "a.tsv": "The bank.\ta\n"}
    head = {"a.csv": "text,label\n", "a.tsv": "text\tlabel\n"}.get(name, "")
    path = tmp_path / name
    path.write_text(head + line.get(name, "The bank.,a\n") * 1_000)
    calls = []

    def stop(n: int) -> None:
        calls.append(n)
        if len(calls) == 20:
            raise JobEnded(STOPPED, "Stopped.")

    with reports.watch_steps(stop), pytest.raises(JobEnded):
        read_table(path)
    assert len(calls) == 20
