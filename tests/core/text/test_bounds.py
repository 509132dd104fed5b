"""Test that reading small files with very much content is bounded and can be stopped."""

import io
import resource
import zipfile

import pypdf
import pytest
from pypdf.generic import DecodedStreamObject, NameObject

from core.common.errors import STOPPED, BadInput, JobEnded
from core.text.documents import read_lines
from core.text.own_corpus import Source, is_quick, keep_files
from core.text.sentences import read_sentences
from tests.memory import measure_peak
from tests.tiny import epub, pdf, spaced_tokens, word_document, workbook, zipped

SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
SENTENCE = "<w:p><w:r><w:t>The bank was steep.</w:t></w:r></w:p>"
UP = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
RAISED = f"<w:p><w:r><w:t>The banks</w:t></w:r><w:r>{UP}<w:t>1</w:t></w:r><w:r><w:t> are 10</w:t></w:r><w:r>{UP}<w:t>2</w:t></w:r></w:p>"


@pytest.fixture(autouse=True)
def small_limits(monkeypatch, private_cache):
    """Set a tenth of the limits of a public server, so that tests are quick."""
    for name, value in {"UNPACKED_MB": 2, "LINES": 50_000, "PARAGRAPHS": 10_000, "CELLS": 100_000, "PAGES": 100}.items():
        monkeypatch.setenv(f"ELMOSCOPE_MAX_{name}", str(value))


def xlsx(*sheets: str, **parts: str) -> bytes:
    with zipfile.ZipFile(workbook(io.BytesIO(), **{f"s{k}": () for k in range(len(sheets))})) as file:
        members = {name: file.read(name) for name in file.namelist()}
    parts |= {f"worksheets/sheet{k}": f"<worksheet {SHEET}><sheetData>{rows}</sheetData></worksheet>" for k, rows in enumerate(sheets, 1)}
    return zipped(members | {f"xl/{name}.xml": content for name, content in parts.items()})


def row(*cells: str) -> str:
    return "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in cells) + "</row>"


def packed_pdf(content: bytes) -> bytes:
    writer, out, stream = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(["a"]))), io.BytesIO(), DecodedStreamObject()
    stream.set_data(content)
    writer.pages[0][NameObject("/Contents")] = stream.flate_encode()
    writer.write(out)
    return out.getvalue()


FILES = {
    "breaks.docx": lambda: word_document("<w:p><w:r><w:t>a</w:t>" + "<w:br/>" * 15_000 + "</w:r></w:p>"),
    "cells.docx": lambda: word_document("<w:tbl><w:tr>" + "<w:tc><w:p/></w:tc>" * 15_000 + "</w:tr></w:tbl>" + SENTENCE),
    "deep.docx": lambda: word_document("<w:sdt>" * 5_000 + SENTENCE + "</w:sdt>" * 5_000),
    "entities.docx": lambda: word_document(SENTENCE, '<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'),
    "heavy.docx": lambda: word_document(SENTENCE, **{"word/styles": " " * 2_100_000}),
    "members.docx": lambda: word_document(SENTENCE, **{f"a/{k}": "" for k in range(20_100)}),
    "rows.xlsx": lambda: xlsx(row("text") + "<row/>" * 60_000),
    "gap.xlsx": lambda: xlsx(row("text") + '<row r="1000000000000"><c/></row>'),
    "gaps.xlsx": lambda: xlsx(row("text"), *['<row r="40000"><c/></row>'] * 3),
    "wide.xlsx": lambda: xlsx(row("text") + '<row><c r="ALL1"/></row>' * 200),
    "one_row.xlsx": lambda: xlsx(row("text") + "<row>" + "<c/>" * 100_000 + "</row>"),
    "strings.xlsx": lambda: xlsx(row("text"), sharedStrings=f"<sst {SHEET}>" + "<si/>" * 110_000 + "</sst>"),
    "styles.xlsx": lambda: xlsx(row("text"), styles=f"<styleSheet {SHEET}><fonts>" + "<font/>" * 300_000 + "</fonts></styleSheet>"),
    "paragraphs.epub": lambda: epub({"a.xhtml": "<p>The bank.</p>" + "<p/>" * 15_000}),
    "breaks.epub": lambda: epub({"a.xhtml": "<p>The bank.</p>" + "<br>" * 15_000}),
    "manifest.epub": lambda: epub({"a.xhtml": "<p>The bank.</p>"}, ["a.xhtml"] * 60_000),
    "pages.pdf": lambda: pdf(*[["The bank."]] * 101),
    "blank.pdf": lambda: packed_pdf(b"BT /F1 12 Tf (a) Tj ET " + b" " * 2_100_000),
    "lines.txt.gz": lambda: b"\n" * 60_000 + b"The bank.",
    "lines.txt.xz": lambda: b"\r" * 60_000 + b"The bank.",
    "bytes.txt.gz": lambda: b" " * 2_100_000 + b"The bank.",
    "rows.csv": lambda: b"text\nThe bank.\n" + b"\n" * 60_000,
    "lists.json": lambda: b'["The bank.", [' + b"[]," * 60_000 + b"1]]",
    "items.json": lambda: b"[" + b"[]," * 60_000 + b'"The bank."]',
}


@pytest.mark.parametrize("name", FILES)
def test_small_file_with_too_much_content_is_refused_by_name(write, tmp_path, name):
    path = write(name, FILES[name]())
    assert path.stat().st_size < 5_000_000
    with pytest.raises(BadInput) as refused:
        keep_files([Source(name, path)])
    assert name in str(refused.value) and "\n" not in str(refused.value) and str(tmp_path) not in str(refused.value)


DELETION = (
    "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>The </w:t></w:r><w:ins><w:r><w:t>steep </w:t></w:r></w:ins>"
    "<w:del><w:r><w:delText>flat </w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved </w:t></w:r></w:moveFrom>"
    "<w:hyperlink><w:r><w:t>bank</w:t><w:tab/><w:t>rose.</w:t></w:r></w:hyperlink></w:p>"
)
BOX = "<w:txbxContent><w:p><w:r><w:t>A sentence in a box.</w:t></w:r></w:p></w:txbxContent>"
TEXT_BOX = (  # Word writes it twice, the second time for older versions of itself
    '<w:p><w:r><w:t>Before the box.</w:t></w:r><w:r xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    f'<mc:AlternateContent><mc:Choice Requires="wps"><w:x>{BOX}</w:x></mc:Choice><mc:Fallback><w:pict>{BOX}</w:pict></mc:Fallback>'
    "</mc:AlternateContent></w:r></w:p><w:p><w:r><w:t>Behind it.</w:t></w:r></w:p>"
)
NESTED = "<p>The bank.</p><svg>" + "<math>" * 50_000 + "</svg>" + "</math>" * 50_000 + "<p>It was steep.</p>"


@pytest.mark.parametrize(
    ("name", "content", "sentences"),
    [
        ("a.epub", lambda: epub({"a.xhtml": "<p>The bank was steep.</p>"}, ["a.xhtml"] * 10_000), ["The bank was steep ."]),
        ("a.epub", lambda: epub({"a.xhtml": NESTED}), ["The bank .", "It was steep ."]),
        ("a.docx", lambda: word_document(DELETION), ["The steep bank rose ."]),
        ("a.docx", lambda: word_document(RAISED), ["The banks are 10\u00b2"]),
        ("a.docx", lambda: word_document(TEXT_BOX), ["Before the box .", "A sentence in a box .", "Behind it ."]),
    ],
    ids=["chapter listed many times", "nested pictures", "insertions and deletions", "raised digits", "text box"],
)
def test_document_is_read_once_and_in_linear_time(write, name, content, sentences):
    start_cpu_s = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    assert spaced_tokens(read_sentences(keep_files([Source(name, write(name, content()))]).path)) == sentences
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - start_cpu_s < 5


LONG = {
    "a.docx": lambda: word_document(SENTENCE * 2_000),
    "a.xlsx": lambda: xlsx(row("text") + row("The bank was steep.") * 2_000),
    "a.epub": lambda: epub({"a.xhtml": "<p>The bank was steep.</p>" * 2_000}),
    "a.jsonl": lambda: '{"text": "The bank was steep."}\n' * 2_000,
} | dict.fromkeys(("a.csv", "a.txt", "a.txt.gz"), lambda: "text\n" + "The bank was steep.\n" * 2_000)


@pytest.mark.parametrize("name", LONG)
def test_reading_ends_when_its_job_is_stopped(write, name, monkeypatch):
    monkeypatch.setattr("core.common.reports.REPORTED_EVERY_S", 0)
    path, calls = write(name, LONG[name]()), []

    def report(done: int, total: int, speed: float) -> None:
        calls.append(done)
        assert 0 <= done < total == path.stat().st_size
        if len(calls) == 5:
            raise JobEnded(STOPPED, "Stopped.")

    with pytest.raises(JobEnded):
        keep_files([Source(name, path)], report=report)
    assert len(calls) == 5


def test_is_quick_is_false_for_large_packed_and_pdf_files(write):
    files = {"a.txt": b"The bank.", "a.docx": word_document(SENTENCE), "large.docx": word_document("<w:p/>" * 200_000)}
    files |= {"a.pdf": pdf(["The bank."]), "a.txt.gz": b"The bank.", "large.txt": b"The bank. " * 200_000}
    assert [name for name, content in files.items() if is_quick([Source(name, write(name, content))])] == ["a.txt", "a.docx"]


def test_millions_of_empty_paragraphs_are_refused_quickly_in_little_memory(write, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_PARAGRAPHS", "100000")
    monkeypatch.setenv("ELMOSCOPE_MAX_UNPACKED_MB", "20")
    path = write("a.docx", word_document("<w:p/>" * 2_800_000))
    assert path.stat().st_size < 40_000

    def read() -> float:
        with pytest.raises(BadInput, match=r"^a\.docx has over 100,000 lines or paragraphs, blank ones included\. Split it\.$"):
            read_lines(path)
        return resource.getrusage(resource.RUSAGE_SELF).ru_utime

    cpu_s, peak_mb = measure_peak(read)
    assert cpu_s < 2 and peak_mb < 30
