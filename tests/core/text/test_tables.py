"""Test tables as spreadsheets, pandas and R write them: every text is read, or a note names what is left out."""

import csv
import datetime
import json
from concurrent.futures import ThreadPoolExecutor

import openpyxl
import pandas as pd
import pytest

from core.classify.tables import read_columns, read_table
from core.common import reports
from core.common.errors import BadInput
from core.text import tables
from core.text.columns import iterate_cells
from core.text.dates import parse_date
from core.text.sentences import read_lines, read_sentences
from tests.tiny import workbook

TEXTS = ["Rain, and more rain.", 'He said "no" to me.', "Sun; wind | fog.", "Two\nlines here."]
LABELS = ["wet", "talk", "dry", "wet"]


def texts_of(path, column: str | None = None) -> tuple[list[str], list[str]]:
    with reports.collecting() as found:
        return [text for _, text, *_ in iterate_cells(path, path.suffix, column, None)], list(found.values())


def rows_of(path) -> list[tuple[str, str]]:
    return [(row.text, row.label) for row in read_table(path).rows]


SKIES = ["Rain", "Sun", "Snow", "Fog"]
FRAME = pd.DataFrame({"text": TEXTS, "label": LABELS})
COMMAS, TABS = (FRAME.to_csv(index=False, sep=mark) for mark in ",\t")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *(("comma.csv", COMMAS), ("comma.tsv", COMMAS), ("index.csv", FRAME.to_csv()), ("blank lines.csv", "\n\n" + COMMAS)),
        *((f"mark.{kind}", FRAME.to_csv(index=False, sep=mark)) for mark, kind in ((";", "csv"), (";", "tsv"), ("|", "csv"))),
        *(("tab.csv", TABS), ("tab.tsv", TABS), ("tab.txt", TABS), ("wide.csv", TABS.encode("utf-16"))),
        *(("bom.csv", COMMAS.encode("utf-8-sig")), ("widest.csv", COMMAS.encode("utf-32"))),
        ("all.tsv", FRAME.to_csv(index=False, sep="\t", quoting=csv.QUOTE_ALL)),
        ("excel.csv", "sep=;\r\n" + FRAME.to_csv(index=False, sep=";", lineterminator="\r\n")),
        *(("hat.csv", "SEP=^\n" + FRAME.to_csv(index=False, sep="^")), ("quoted.csv", '"sep=,"\n' + COMMAS)),
        ("spaced.csv", FRAME.to_csv(index=False, quoting=csv.QUOTE_ALL).replace('","', '", "')),
        ("big.csv", b"\xfe\xff" + COMMAS.encode("utf-16-be")),
        ("mac.csv", FRAME[FRAME.index < 3].to_csv(index=False, lineterminator="\r") + '"Two\nlines here.",wet\r'),
        *((f"list{indent}.jsonl", FRAME.to_json(orient="records", indent=indent)) for indent in (None, 1)),
    ],
)
def test_a_table_is_read_however_it_was_written(write, name, content):
    path = write(name, content)
    assert rows_of(path) == list(zip(TEXTS, LABELS, strict=True))
    assert path.suffix in (".txt", ".jsonl") or texts_of(path) == (TEXTS, [])


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("excel.csv", 'text\tlabel\r\n"Ah, so"\tx\r\n"No, ""no"""\ty\r\n'.encode("utf-16"), [("Ah, so", "x"), ('No, "no"', "y")]),
        ("korean.csv", "text;label\n비가 와서 우산을 폈다;x\nSun;y\n".encode("cp949"), [("비가 와서 우산을 폈다", "x"), ("Sun", "y")]),
        ("r.tsv", '"text"\t"label"\n"1"\t"Rain"\t"x"\n"2"\t"Sun"\t"y"\n', [("Rain", "x"), ("Sun", "y")]),
        ("sql.csv", 'text,label\n"He said \\"no\\", twice",x\nplain,y\n', [('He said "no", twice', "x"), ("plain", "y")]),
        ("names.csv", "내용,분류\nRain,x\nSun,y\n", [("Rain", "x"), ("Sun", "y")]),
        ("none.csv", "text,label\nRain,NONE\nSun,FAVOR\nSnow,none\n", [("Rain", "NONE"), ("Sun", "FAVOR"), ("Snow", "none")]),
        ("floats.csv", "text,label\nRain,1.0\nSun,-1.0\nSnow,0.00\nFog,1.5\n", [*zip(SKIES, ("1", "-1", "0", "1.5"), strict=True)]),
        ("commas.csv", "text;label\nRain;1,0\nSun;-1,0\nSnow;−1\nFog;–1,5\n", [*zip(SKIES, ("1", "-1", "-1", "-1,5"), strict=True)]),
        ("dots.csv", "text;label\nRain;1,000\nSun;–\nSnow;1–2\nFog;−x\n", [*zip(SKIES, ("1,000", "–", "1–2", "−x"), strict=True)]),
        ("a.csv", "text,label\nRain,spam\u200b\nSun,\u2060spam\nSnow,sp\u00adam\nFog,\ufeffspam\n", [(sky, "spam") for sky in SKIES]),
    ],
)
def test_a_table_is_read_as_its_program_means_it(write, name, content, rows):
    path = write(name, content)
    assert rows_of(path) == rows and texts_of(path)[0] == [text for text, _ in rows]


GOOD = [f"{k},number {k} of many" for k in range(1_000)]
BAD_ROWS = {"77,one, too many": "3 cells for 2 columns", "77": "1 column"}
BAD_ROWS |= dict.fromkeys(('77,"never closed, and so on', '77,"He said "no", twice"'), "not a table row")


@pytest.mark.parametrize(("bad", "found"), BAD_ROWS.items())
def test_one_bad_row_among_many_is_left_out_counted_and_named(write, bad, found):
    path = write("many.csv", "\n".join(["label,text", *GOOD[:500], bad, *GOOD[500:]]))
    read, said = texts_of(path)
    assert read == [row.partition(",")[2] for row in GOOD]
    assert len(said) == 1 and said[0].startswith("many.csv: rows left out: 1. The first is line 502: ") and found in said[0]
    table = read_table(path)
    assert len(table.rows) == 1_000 and any("rows left out: 1. The first is line 502" in note for note in table.notes)


@pytest.mark.parametrize("cell", ['"Rain, he said', '5" disk', '"so"', 'a "quoted" word', '"', '\\"escaped\\" quotes'])
def test_a_quote_out_of_order_loses_no_text(write, cell):
    assert texts_of(write("own.tsv", f"text\tlabel\nbefore\tx\n{cell}\ty\nafter\tx\n"))[0] == ["before", cell, "after"]
    if "," not in cell:
        read = [text for text, _ in rows_of(write("own.csv", f"text,label\nbefore,x\n{cell},y\nafter,x\n"))]
        assert read[0] == "before" and read[-1] == "after" and read[1].replace("\\", "").strip('"') == cell.replace("\\", "").strip('"')


def test_quotes_between_tabs_belong_to_the_text_unless_one_closes_in_a_later_line(write):
    lines = ['"Well," she said.', 'He said "well".', '"Quite so', 'no"', '"All of it"']
    assert [text for text, _ in rows_of(write("literal.tsv", "text\tlabel\n" + "".join(f"{line}\tx\n" for line in lines)))] == lines
    lines = ["text\tlabel", '"a', *["b\tx"] * (tables.MOST_SNIFFED[0] - 3), 'c"\tx', "d\tx"]
    assert rows_of(write("own.tsv", "\n".join(lines)))


def test_many_bad_rows_are_refused_with_their_lines(write):
    path = write("bad.csv", "label,text\n" + "".join(f"{k},one, two\n{k},fine\n" for k in range(20)))
    for read in (read_sentences, read_table):
        with pytest.raises(BadInput, match=r"bad\.csv, line 2: 3 cells for 2 columns; errors also in line 4, 6, 8, …\. Quote a cell"):
            read(path)


@pytest.mark.parametrize("missing", ["", " ", "nan", "NaN", "NA", "N/A", "<NA>", "#N/A", "None", "null", "NULL", "\\N", "#REF!", "#WERT!"])
def test_every_spelling_of_missing_is_left_out_and_counted(write, missing):
    path = write("own.csv", f"text,label\nRain,x\n{missing},y\nSun,{missing}\nSnow,y\n")
    (note,) = read_table(path).notes
    assert rows_of(path) == [("Rain", "x"), ("Snow", "y")] and note.startswith("own.csv: rows without a text or a label, left out: 2")
    assert (f"“{missing}” 2" in note) == bool(missing.strip())
    assert texts_of(path) == (["Rain", "Sun", "Snow"], ["own.csv: 1 row without text is left out."])
    assert rows_of(write("a.csv", "text,label\nRain,x\nSun,\u200b\n")) == [("Rain", "x")]  # invisible characters alone


@pytest.mark.parametrize("rows", ["NA\nRain\n", "Rain\nNA\n"])
def test_missing_text_in_the_first_row_of_a_table_without_names_is_left_out(write, rows):
    path = write("own.csv", rows)
    assert texts_of(path) == (["Rain"], ["own.csv: 1 row without text is left out."])
    assert sorted(read_lines(path)) == [(), ("Rain",)]


def test_rows_left_out_for_different_reasons_have_a_note_each(write):
    path = write("own.csv", "\n".join(["label,text", *GOOD, "77,one, too many cells", "77", f"77,{'x ' * 6_000}"]))
    with reports.collecting() as found:
        read_lines(path)
    assert sum("left out" in note for note in found.values()) == 3
    with pytest.warns(reports.ReadingNote, match="1 row without text is left out"):  # without a collector
        read_sentences(write("own.csv", "text,n\nRain.,1\n,2\n"))


def test_columns_with_text_that_are_not_read_are_named(write):
    path = write("news.csv", "id,title,body,year\n1,Rain in the north again,It rained.,1990\n2,Sun in the south today,It shone.,1991\n")
    said = ["news.csv: the text is read from “body”, not from “title”. Name the column to read, or call it “text”."]
    assert texts_of(path) == (["It rained.", "It shone."], said)
    assert texts_of(path, column="title") == (["Rain in the north again", "Sun in the south today"], [])
    prose = write("two.csv", "text,answer\nWhy?,Because it is so and not otherwise.\n")
    assert texts_of(prose)[1] == ["two.csv: the text is read from “text”, not from “answer”. To read another, name it."]
    assert texts_of(write("short.csv", "text,author\nWhy?,Kim\nHow?,Lee Ann\n"))[1] == []
    path = write("twice.csv", "text,n,text\nRain,1,Snow\nSun,2,Fog\n")  # of one name
    read, (said,) = texts_of(path)
    assert read == ["Rain", "Sun"] and "another “text”, give its number: 3" in said
    assert texts_of(path, column="3") == (["Snow", "Fog"], [])
    labels = read_table(write("labels.csv", "label,text,label\nx,Rain,u\ny,Sun,v\n"))
    assert any("another “label”, give its number: 3" in note for note in labels.notes)


def test_usual_names_of_columns_are_known_in_other_languages(write):
    for names in ("본문,연도", "내용,날짜", "Texte,Année", "TEXT,Jahr", "Testo,Anno", "tweet,Datum", "text,fecha", "text,created_at"):
        (sentence,) = read_sentences(write("a.csv", f"id,{names}\n1,Rain.,1850\n"))
        assert (sentence.tokens, sentence.date) == (("Rain", "."), "1850"), names


def test_year_stands_for_an_unreadable_date_and_takes_its_month(write):
    sentences = read_sentences(write("a.csv", "text,date,year,created_at\nRain.,n.d.,1850,2020\nSun.,n.d.,,2020\nSnow.,1851,1850,2020\n"))
    assert [sentence.date for sentence in sentences] == ["1850", "n.d.", "1851"]
    sentences = read_sentences(write("b.csv", "text,day,month,year\nRain.,3,5,1850\nSun.,,May,1850\nSnow.,3,,1850\n"))
    assert [sentence.date for sentence in sentences] == ["1850-05-03", "1850-May", "1850"]
    ((_, _, date, _),) = iterate_cells(write("a.csv", f"text,date\nRain.,1850{' ' * 76}or 1950\n"), ".csv", None, None)
    assert parse_date(date) is None  # no part of a long date is read


@pytest.mark.parametrize("name", ["own.csv", "own.tsv"])
def test_line_before_the_column_names_is_noted(write, name):
    read, notes = texts_of(write(name, "# Rain\ntext,n\nRain.,1\nSun.,2".replace(",", "," if name == "own.csv" else "\t")))
    said = f"{name}: its first line has one cell, so each line is read as one text. Remove lines before the column names."
    assert len(read) == 4 and notes == [said]
    assert texts_of(write(name, "text\nRain, and so.\nSun.\nFog.\n"))[1] == []


@pytest.mark.parametrize(
    ("names", "date_column", "is_read"),
    [("1,Rain", None, True), ("id,text", None, False), ("Date,Rain", None, False), ("when,Rain", "when", False), ("when,Rain", "1", True)],
)
def test_first_row_of_a_table_with_a_numbered_column_is_text_unless_it_names_columns(write, names, date_column, is_read):
    path = write("own.csv", f"{names}\n1,Snow\n2,Sun\n")
    assert [text for _, text, *_ in iterate_cells(path, ".csv", "2", date_column)] == [*["Rain"] * is_read, "Snow", "Sun"]


def test_a_workbook_is_read_as_a_table(tmp_path):
    rows = [["id", "text", "label"], [1, "Rain, and more", 1.0], [2.0, None, 0], [3, datetime.date(1850, 3, 1), 0], [4, "Two\nlines", True]]
    path = workbook(tmp_path / "own.xlsx", first=[[], *rows], second=[["other"], ["text"]])
    assert rows_of(path) == [("Rain, and more", "1"), ("1850-03-01", "0"), ("Two\nlines", "True")]
    read, said = texts_of(path)
    assert read == ["Rain, and more", "1850-03-01", "Two\nlines"] and read_columns(path).names == ("id", "text", "label")
    assert all(any("sheet “first” is read, not: second" in note for note in notes) for notes in (said, read_table(path).notes))


def test_last_cells_of_a_workbook_may_be_empty_and_those_without_a_name_lose_no_row(tmp_path):
    path = workbook(tmp_path / "own.xlsx", first=[["label", "text"], *([k % 2, f"Bank {k}" if k < 7 else None] for k in range(10))])
    assert len(rows_of(path)) == 7 and read_table(path).notes == ("own.xlsx: rows without a text or a label, left out: 3.",)
    assert texts_of(path) == ([f"Bank {k}" for k in range(7)], ["own.xlsx: 3 rows without text are left out."])
    path = workbook(tmp_path / "own.xlsx", first=[["text", "label"], ["Rain", "x", "a remark"], ["Sun", "y"]])
    note = "own.xlsx: cells to the right of the last column name are not read."
    assert rows_of(path) == [("Rain", "x"), ("Sun", "y")] and read_table(path).notes == (note,)


def test_merged_cells_of_a_workbook_are_in_each_of_their_rows_and_hidden_sheets_last(tmp_path):
    book = openpyxl.load_workbook(workbook(tmp_path / "own.xlsx", draft=[["text"], ["Fog."]], final=[["document", "text", "date"]]))
    for row in (["A", "Rain._x000D_\nSun.", 1850], [None, "Snow.", None], ["B", "Ice.", None]):
        book["final"].append(row)
    book["final"].merge_cells("A2:A3")
    book["final"].merge_cells("C2:C4")
    book["draft"].sheet_state = "hidden"
    book.save(tmp_path / "own.xlsx")
    with reports.collecting() as found:
        read = [(s.tokens[0], s.document, s.date) for s in read_sentences(tmp_path / "own.xlsx")]
    assert read == [("Rain", "A", "1850"), ("Sun", "A", "1850"), ("Snow", "A", "1850"), ("Ice", "B", "1850")]
    assert "own.xlsx: a merged cell is read in each of its rows." in found.values()


TITLED = "Survey 2023,,|,,|id,text,label|1,Rain,x|2,text,y", "the rows above the column names, line 3, are left out."
REPEATED = "text,label|Rain,x|text,label|text,y|\ufefftext,label", "rows left out: 2. The first is line 3: the names of the columns again."


@pytest.mark.parametrize("name", ["own.csv", "own.tsv", "own.xlsx"])
@pytest.mark.parametrize(("content", "note"), [TITLED, REPEATED], ids=["title", "names again"])
def test_title_above_the_column_names_and_their_repetitions_are_left_out_and_noted(write, tmp_path, name, content, note):
    if name == "own.xlsx":
        path = workbook(tmp_path / name, first=[[cell or None for cell in line.split(",")] for line in content.split("|")])
    else:
        path = write(name, content.replace("|", "\n").replace(",", "," if name == "own.csv" else "\t") + "\n")
    assert texts_of(path) == (["Rain", "text"], [f"{name}: {note}"])
    assert rows_of(path) == [("Rain", "x"), ("text", "y")] and read_table(path).notes == (f"{name}: {note}",)
    assert read_columns(path).names[-2:] == ("text", "label")


def test_rows_that_repeat_the_first_row_of_a_table_without_names_are_read(write):
    assert rows_of(write("a.csv", "ham,Go\nham,Go\nspam,Win\n")) == [("Go", "ham"), ("Go", "ham"), ("Win", "spam")]
    assert texts_of(write("a.csv", "1,Go\n1,Go\n"), column="2")[0] == ["Go", "Go"]


@pytest.mark.parametrize("read", [read_table, read_sentences, read_columns])
def test_workbooks_that_cannot_be_read_say_why(write, read):
    with pytest.raises(BadInput, match=r"own\.xlsx is locked with a password, or an older format\. Save it without a password as \.xlsx"):
        read(write("own.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)))
    with pytest.raises(BadInput, match=r"own\.xlsx is damaged, locked, or not a \.xlsx\. Save it as \.csv"):
        read(write("own.xlsx", b"text,label\n"))


def test_large_and_wide_workbooks_and_those_under_another_name_are_refused(tmp_path, monkeypatch):
    wide = workbook(tmp_path / "wide.xlsx", first=[["text", "label"], ["Rain"] * 1_001])
    with pytest.raises(BadInput, match="Row 2 of sheet “first” has 1,001 columns; at most 1,000 are read"):
        read_table(wide)
    wide.rename(tmp_path / "own.csv")
    with pytest.raises(BadInput, match=r"own\.csv is a \.xlsx file by another name\. Rename it own\.xlsx"):
        read_table(tmp_path / "own.csv")
    large = workbook(tmp_path / "large.xlsx", first=[["text", "label"], *([f"word {k} " * 500, "x"] for k in range(400))])
    monkeypatch.setenv("ELMOSCOPE_MAX_UNPACKED_MB", "1")
    with pytest.raises(BadInput, match=r"large\.xlsx unpacks to \d MB; the limit is 1 MB\. Save it as \.csv"):
        read_table(large)


def test_json_lines_that_are_none_or_have_no_text_are_left_out_and_counted(write):
    lines = [f'{{"text": "number {k} of many", "label": "{"ab"[k % 2]}"}}' for k in range(100)]
    for bad in ("{oops", "[1]", '{"text": ["a", "b"], "label": "x"}'):
        path = write("own.jsonl", "\n".join([*lines[:50], bad, *lines[50:]]))
        table = read_table(path)
        assert len(table.rows) == 100 and table.notes[0].startswith("own.jsonl: rows left out: 1. The first is line 51: ")
    with path.open("a") as file, reports.collecting() as found:
        file.writelines(f'\n{{"text": {text}}}' for text in ("null", '"nan"', '""'))
        file.flush()
        assert len(read_sentences(path)) == 100
    assert "rows left out: 1. The first is line 51" in str(found) and "own.jsonl: 3 rows without text are left out." in found.values()


def test_tables_read_at_the_same_time_do_not_disturb_each_other(write):
    long = write("long.csv", "label,text\n" + "".join(f"{'ab'[k % 2]},{'word ' * 60_000}\n" for k in range(6)))
    short = write("short.csv", "label,text\na,Rain\nb,Sun\n")
    before = csv.field_size_limit()
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(read_table, [long, *[short] * 100] * 3))
    assert {len(table.rows) for table in results} == {2, 6} and csv.field_size_limit() == before


@pytest.mark.parametrize("at", [0, 30, 59])
def test_a_line_with_bytes_that_are_not_utf_8_is_kept_and_noted(write, at):
    lines = [f"Das schöne Haus {k};x".encode() for k in range(60)]
    lines[at] = "Das alte Café;y".encode("cp1252")
    path = write("own.csv", b"text;label\n" + b"\n".join(lines) + b"\n")
    read, said = texts_of(path)
    assert read[at] == "Das alte Caf�" and read[at - 1] == f"Das schöne Haus {(at - 1) % 60}" and len(read) == 60
    assert said == [f"own.csv: lines with bytes that are not UTF-8, shown as �: 1 (first: line {at + 2})."]
    table = read_table(path)
    assert [row.text for row in table.rows] == read and list(table.notes) == said


@pytest.mark.parametrize("key", ["text", "Content", "sentence", "본문"])
def test_json_rows_are_read_as_the_rows_of_a_table(write, key):
    rows = [{"title": "A title of four words", key: text, "document": k, "Jahr": 1850} for k, text in ((1, "Rain."), (2.0, 7))]
    with reports.collecting() as found:
        sentences = read_sentences(write("own.json", "\n".join(map(json.dumps, rows))))  # lines, as Kaggle has them
    assert [(s.tokens[0], s.document, s.date) for s in sentences] == [("Rain", "1", "1850"), ("7", "2", "1850")]
    assert ["not from “title”" in note for note in found.values()] == [True]


DAY = datetime.datetime
WORKBOOK_TIMES = {DAY(1900, 1, 1): "1900-01-01", DAY(1899, 12, 30): "1899-12-30", DAY(1850, 3, 1): "1850-03-01"}
WORKBOOK_TIMES |= {DAY(1900, 1, 1, 5, 33): "29:33", datetime.timedelta(hours=29, minutes=33): "29:33", datetime.time(9, 5): "09:05"}


def test_dates_and_times_of_a_workbook_are_written_as_in_a_csv_file():
    assert {value: tables._cell_text(value) for value in WORKBOOK_TIMES} == WORKBOOK_TIMES
