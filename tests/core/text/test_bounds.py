"""Test that reading small files with very much content is bounded and can be stopped."""

import gzip
import io
import json
import lzma
import os
import resource
import subprocess
import sys
import zipfile
import zlib

import pytest

from core.common.errors import STOPPED, BadInput, JobEnded
from core.text.own_corpus import Source, is_quick, keep_files
from tests.tiny import epub, pdf

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
SENTENCE = "<w:p><w:r><w:t>The bank was steep.</w:t></w:r></w:p>"


@pytest.fixture(autouse=True)
def small_limits(monkeypatch, private_cache):
    """Set a tenth of the limits of a public server, so that tests are quick."""
    caps = {"UNPACKED_MB": 2, "LINES": 50_000, "PARAGRAPHS": 10_000, "CELLS": 100_000, "PAGES": 100}
    for name, value in caps.items():
        monkeypatch.setenv(f"ELMOSCOPE_MAX_{name}", str(value))


def archive(**members: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name.replace("__", "/"), content)
    return out.getvalue()


def docx(body: str, declared: str = "", **more: str) -> bytes:
    return archive(**{"word/document.xml": f"{declared}<w:document {WORD}><w:body>{body}</w:body></w:document>"}, **more)


def xlsx(*sheets: str, strings: str = "", styles: str = "") -> bytes:
    numbers = range(len(sheets))
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    names = "".join(f'<sheet name="s{k}" sheetId="{k + 1}" r:id="r{k}"/>' for k in numbers)
    relations = "".join(f'<Relationship Id="r{k}" Type="{RELATED}/worksheet" Target="worksheets/sheet{k}.xml"/>' for k in numbers)
    parts = "".join(f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{kinds}.worksheet+xml"/>' for k in numbers)
    main = f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
    shared = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kinds}.sharedStrings+xml"/>'
    office = f'<Relationship Id="r" Type="{RELATED}/officeDocument" Target="xl/workbook.xml"/>'
    members = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">{main}{parts}{shared}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{office}</Relationships>',
        "xl/workbook.xml": f'<workbook {SHEET} xmlns:r="{RELATED}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{relations}</Relationships>',
        "xl/sharedStrings.xml": f"<sst {SHEET}>{strings}</sst>",
        "xl/styles.xml": f"<styleSheet {SHEET}><fonts>{styles}</fonts></styleSheet>",
    }
    members |= {
        f"xl/worksheets/sheet{k}.xml": f"<worksheet {SHEET}><sheetData>{rows}</sheetData></worksheet>" for k, rows in enumerate(sheets)
    }
    return archive(**members)


def row(*cells: str) -> str:
    return "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in cells) + "</row>"


def make_pdf(content: bytes, resources: str = "", *objects: bytes) -> bytes:
    """Return a PDF with one page of this content. Additional objects are numbered from 6."""
    page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /Font << /F 3 0 R >> {resources} >> /Contents 5 0 R >>"
    first_objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>"]
    first_objects += ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", page]
    all_objects = [*(text.encode() for text in first_objects), stream(content), *objects]
    out = b"%PDF-1.4\n"
    places = []
    for number, item in enumerate(all_objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + item + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(all_objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(all_objects) + 1) + table + end


def stream(data: bytes, entries: str = "") -> bytes:
    packed = zlib.compress(data, 9)
    return b"<< /Filter /FlateDecode /Length %d %s >>\nstream\n" % (len(packed), entries.encode()) + packed + b"\nendstream"


FILES = {
    "paragraphs.docx": lambda: docx(SENTENCE + "<w:p/>" * 15_000),
    "breaks.docx": lambda: docx("<w:p><w:r><w:t>a</w:t>" + "<w:br/>" * 15_000 + "</w:r></w:p>"),
    "cells.docx": lambda: docx("<w:tbl><w:tr>" + "<w:tc><w:p/></w:tc>" * 15_000 + "</w:tr></w:tbl>" + SENTENCE),
    "deep.docx": lambda: docx("<w:sdt>" * 5_000 + SENTENCE + "</w:sdt>" * 5_000),
    "entities.docx": lambda: docx(SENTENCE, '<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'),
    "heavy.docx": lambda: docx(SENTENCE, "", word__styles=" " * 2_100_000),
    "members.docx": lambda: docx(SENTENCE, **{f"a__{k}": "" for k in range(20_100)}),
    "rows.xlsx": lambda: xlsx(row("text") + "<row/>" * 60_000),
    "gap.xlsx": lambda: xlsx(row("text") + '<row r="1000000000000"><c/></row>'),
    "gaps.xlsx": lambda: xlsx(row("text"), *['<row r="40000"><c/></row>'] * 3),
    "wide.xlsx": lambda: xlsx(row("text") + '<row><c r="ALL1"/></row>' * 200),
    "one_row.xlsx": lambda: xlsx(row("text") + "<row>" + "<c/>" * 100_000 + "</row>"),
    "strings.xlsx": lambda: xlsx(row("text"), strings="<si/>" * 110_000),
    "styles.xlsx": lambda: xlsx(row("text"), styles="<font/>" * 300_000),
    "paragraphs.epub": lambda: epub({"a.xhtml": "<p>The bank.</p>" + "<p/>" * 15_000}),
    "breaks.epub": lambda: epub({"a.xhtml": "<p>The bank.</p>" + "<br>" * 15_000}),
    "manifest.epub": lambda: epub({"a.xhtml": "<p>The bank.</p>"}, ["a.xhtml"] * 60_000),
    "pages.pdf": lambda: pdf(*[["The bank."]] * 101),
    "blank.pdf": lambda: make_pdf(b"BT /F 12 Tf (a) Tj ET " + b" " * 2_100_000),
    "lines.txt.gz": lambda: gzip.compress(b"\n" * 60_000 + b"The bank."),
    "lines.txt.xz": lambda: lzma.compress(b"\r" * 60_000 + b"The bank."),
    "bytes.txt.gz": lambda: gzip.compress(b" " * 2_100_000 + b"The bank."),
    "rows.csv": lambda: b"text\nThe bank.\n" + b"\n" * 60_000,
    "lists.json": lambda: b'["The bank.", [' + b"[]," * 60_000 + b"1]]",
    "items.json": lambda: b"[" + b"[]," * 60_000 + b'"The bank."]',
}


@pytest.mark.parametrize("name", FILES)
def test_small_file_with_too_much_content_is_refused_by_name(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(FILES[name]())
    assert path.stat().st_size < 5_000_000
    with pytest.raises(BadInput) as refused:
        keep_files([Source(name, path)])
    assert name in str(refused.value)
    assert "\n" not in str(refused.value) and str(tmp_path) not in str(refused.value)


def test_chapter_that_is_listed_many_times_is_read_once(tmp_path):
    path = tmp_path / "a.epub"
    path.write_bytes(epub({"a.xhtml": "<p>The bank was steep.</p>"}, ["a.xhtml"] * 10_000))
    assert keep_files([Source("a.epub", path)]).path.read_text().count("steep") == 1


def test_nested_pictures_in_a_chapter_are_read_in_linear_time(tmp_path):
    path = tmp_path / "a.epub"
    path.write_bytes(
        epub({"a.xhtml": "<p>The bank.</p><svg>" + "<math>" * 50_000 + "</svg>" + "</math>" * 50_000 + "<p>It was steep.</p>"})
    )
    start_cpu_s = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    assert "steep" in keep_files([Source("a.epub", path)]).path.read_text()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - start_cpu_s < 5


def test_word_document_is_read_with_insertions_and_without_deletions(tmp_path):
    path = tmp_path / "a.docx"
    body = (
        "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>The </w:t></w:r><w:ins><w:r><w:t>steep </w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>flat </w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved </w:t></w:r></w:moveFrom>"
        "<w:hyperlink><w:r><w:t>bank</w:t><w:tab/><w:t>rose.</w:t></w:r></w:hyperlink></w:p>"
    )
    path.write_bytes(docx(body))
    rows = [json.loads(line) for line in keep_files([Source("a.docx", path)]).path.read_text().splitlines()]
    assert [line["tokens"] for line in rows] == [["The", "steep", "bank", "rose", "."]]


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.txt", "a.csv", "a.jsonl", "a.epub", "a.txt.gz"])
def test_reading_ends_when_its_job_is_stopped(tmp_path, name, monkeypatch):
    """Check that each reader reports its progress often enough, and passes on the exception of the report."""
    monkeypatch.setattr("core.common.reports.REPORTED_EVERY_S", 0)
    n = 2_000
    text = "The bank was steep.\n" * n
    content = {
        "a.docx": lambda: docx(SENTENCE * n),
        "a.xlsx": lambda: xlsx(row("text") + row("The bank was steep.") * n),
        "a.epub": lambda: epub({"a.xhtml": "<p>The bank was steep.</p>" * n}),
        "a.csv": lambda: b"text\n" + text.encode(),
        "a.jsonl": lambda: b'{"text": "The bank was steep."}\n' * n,
        "a.txt.gz": lambda: gzip.compress(text.encode()),
    }.get(name, text.encode)()
    path = tmp_path / name
    path.write_bytes(content)
    calls = []

    def report(done: int, total: int, speed: float) -> None:
        calls.append(done)
        assert 0 <= done < total == path.stat().st_size
        if len(calls) == 5:
            raise JobEnded(STOPPED, "Stopped.")

    with pytest.raises(JobEnded):
        keep_files([Source(name, path)], report=report)
    assert len(calls) == 5


def test_is_quick_is_false_for_large_packed_and_pdf_files(tmp_path):
    def is_quick_file(name: str, content: bytes) -> bool:
        (tmp_path / name).write_bytes(content)
        return is_quick([Source(name, tmp_path / name)])

    assert is_quick_file("a.txt", b"The bank.") and is_quick_file("a.docx", docx(SENTENCE))
    assert not is_quick_file("b.docx", docx(SENTENCE + "<w:p/>" * 200_000))
    assert not is_quick_file("a.pdf", pdf(["The bank."])) and not is_quick_file("a.txt.gz", gzip.compress(b"The bank."))
    assert not is_quick_file("b.txt", b"The bank. " * 200_000)


def test_millions_of_empty_paragraphs_are_refused_quickly_in_little_memory(tmp_path):
    """Measure the memory and the processor time in a separate process."""
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("word/document.xml", "w") as member:
        member.write(f"<w:document {WORD}><w:body>".encode())
        for _ in range(28):
            member.write(b"<w:p/>" * 100_000)
        member.write(b"</w:body></w:document>")
    assert path.stat().st_size < 40_000
    code = """
import resource, sys
from pathlib import Path
from core.common.errors import BadInput
from core.text.documents import read_lines
def measure():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime, usage.ru_maxrss
start = measure()
try:
    read_lines(Path(sys.argv[1]))
except BadInput as error:
    print(error)
end = measure()
print(end[0] - start[0], (end[1] - start[1]) / 1000)
"""
    environment = os.environ | {"ELMOSCOPE_MAX_PARAGRAPHS": "100000", "ELMOSCOPE_MAX_UNPACKED_MB": "20"}
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True, env=environment)
    message, figures = done.stdout.splitlines()
    seconds, megabytes = map(float, figures.split())
    assert message == "a.docx has over 100,000 lines or paragraphs, blank ones included. Split it."
    assert seconds < 2 and megabytes < 30
