"""Test that PDF files, e-books and other formats are read in order, or refused with what to do."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pypdf
import pytest

from core.classify.tables import read_table
from core.common import reports
from core.common.errors import BadInput, MissingArtifact
from core.text.sentences import read_sentences
from tests.tiny import WORD, epub, pdf, spaced_tokens, word_document, zipped


def words(path) -> list[str]:
    return spaced_tokens(read_sentences(path))


def drm(name: str) -> dict[str, str]:
    cipher = f"<CipherData><CipherReference URI='{name}'/></CipherData>"
    return {"META-INF/encryption.xml": f"<encryption><EncryptedData>{cipher}</EncryptedData></encryption>"}


def test_a_pdf_is_read_page_by_page_and_pages_without_text_are_counted(write):
    path = write("a.pdf", pdf(["The bank was steep.", "It was (very) steep."], ["A heron stood."]))
    assert words(path) == ["The bank was steep .", "It was ( very ) steep .", "A heron stood ."]
    with reports.collecting() as found:
        assert words(write("a.pdf", pdf(["The bank was steep."], [], ["The \\001\\003\\004 rose."])))[:1] == ["The bank was steep ."]
    noted = [note.partition(". ")[0] for note in found.values()]
    assert sorted(noted) == ["a.pdf: no text on 1 of 3 pages, perhaps scans.", "a.pdf: unreadable letters on 1 of 3 pages"]
    with pytest.raises(BadInput, match=r"^scan\.pdf has no text: its pages are pictures \(a scan\)\. Recognize the text \(OCR\)"):
        read_sentences(write("scan.pdf", pdf([], [], [])))


def test_a_locked_pdf_is_refused_and_one_locked_only_for_changes_is_read(write, tmp_path):
    for password in ("", "secret"):
        writer = pypdf.PdfWriter(clone_from=write(f"a{password}.pdf", pdf(["The bank was steep."])))
        writer.encrypt(password, "owner", algorithm="RC4-128")
        writer.write(tmp_path / f"a{password}.pdf")
    assert words(tmp_path / "a.pdf") == ["The bank was steep ."]
    with pytest.raises(BadInput, match=r"asecret\.pdf is locked with a password\. Save it without one"):
        read_sentences(tmp_path / "asecret.pdf")


CHAPTERS = {
    "text/two.xhtml": "<h2>Two</h2><p>The bank lent money.</p>",
    "nav.xhtml": "<nav><ol><li>Contents of the book</li></ol></nav>",
    "text/one.xhtml": "<h1>One</h1><p>We sat on the <em>b</em>ank,\n   and &#8220;talked&#8221;&nbsp;long.<script>var x = 1;</script></p>"
    "<script src='x.js'/><p>A&amp;B<br/>stood.</p><ul><li>Reeds</li><li>Boats</li></ul>",
}


def test_an_e_book_is_read_in_the_order_of_its_spine_and_what_is_locked_or_missing_is_reported(write):
    text = " ".join(words(write("a.epub", epub(CHAPTERS, ["nav.xhtml", "text/one.xhtml", "text/two.xhtml"]))))
    assert text == 'One We sat on the bank , and " talked " long . A&B stood . Reeds Boats Two The bank lent money .'
    assert "lent" in " ".join(words(write("fonts.epub", epub(CHAPTERS, more=drm("OEBPS/fonts/a.otf")))))
    with pytest.raises(BadInput, match=r"drm\.epub is locked \(DRM\)"):
        read_sentences(write("drm.epub", epub(CHAPTERS, more=drm("OEBPS/text/one.xhtml"))))
    with reports.collecting() as found:
        assert "lent" in " ".join(words(write("part.epub", epub(CHAPTERS).replace(b"OEBPS/text/one.xhtml", b"OEBPS/text/old.xhtml"))))
    assert list(found.values()) == ["part.epub: missing chapters: 1 (first: one.xhtml)."]


def replace_member(book: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    return zipped(members | {name: change(members[name])})


KOREAN = "은행이 문을 닫았다."
FRENCH = "Le café est fermé."


@pytest.mark.parametrize(
    ("declared", "encoding", "text"),
    [
        *(('<?xml version="1.0" encoding="iso-8859-1"?>', encoding, FRENCH) for encoding in ("cp1252", "utf-8")),
        ("<?xml version='1.0'?><meta charset=windows-1252>", "cp1252", FRENCH),
        ('<meta http-equiv="Content-Type" content="text/html; charset=euc-kr"/>', "cp949", KOREAN),
        *(("", "utf-16-le", KOREAN), ("", "utf-16-be", FRENCH), ('<?xml version="1.0" encoding="no-such"?>', "utf-8", KOREAN)),
        ("", "latin-1", FRENCH),  # declared as nothing: wrong bytes are noted
    ],
)
def test_chapter_is_read_in_its_encoding_and_wrong_bytes_are_noted(write, declared, encoding, text):
    chapter = f"{declared}<html>\n<body><p>{text}</p></body></html>".encode(encoding)
    path = write("a.epub", replace_member(epub({"a.xhtml": ""}), "OEBPS/a.xhtml", lambda _: chapter))
    with reports.collecting() as found:
        result = words(path)
    assert result == (["Le caf � est ferm � ."] if encoding == "latin-1" else [f"{text[:-1]} ."])
    message = "a.epub: lines with bytes that are not UTF-8, shown as �: 1 (first: line 2 (a.xhtml))."
    assert (message in found.values()) == (encoding == "latin-1")


@pytest.mark.parametrize(
    ("body", "sentences"),
    [
        ("<p><![CDATA[The bank, 1 < 2]]> is.</p><p><![CDATA[open</p>", ["The bank , 1 < 2 is ."]),
        ("<p>The bank<sup>1</sup> was it.<sup><a href='#n'>[2]</a></sup> Why?</p>", ["The bank was it .", "Why ?"]),
        ("<p>It<a epub:type='noteref' href='#n'><sup>1</sup></a> is<a epub:type='noteref'>*</a> so.</p>", ["It is so ."]),
        ("<p>Ten km<sup>2</sup> on the 4<sup>th</sup>.</p><p><sup>1</sup> A note.</p>", ["Ten km2 on the 4th .", "1 A note ."]),
        ("<p>It is 10<sup>3</sup> in 1850.<sup>1</sup> So.</p>", ["It is 10\u00b3 in 1850 .", "So ."]),
        ("<p>Banks<a href='#n' class='fnanchor'>[1]</a> in chapter <a href='#c'>3</a>.</p>", ["Banks in chapter 3 ."]),
        ("<p>im<span epub:type='pagebreak'>23</span>por<i role='doc-pagebreak'/>tance</p><p class='pagenum'>[Pg iv]</p>", ["importance"]),
        ("<p>A <span class='pagenum calibre5'>12</span>man<span class='x-ebookmaker-pageno'>[3]</span>.</p>", ["A man ."]),
        ("<p>Bank<sup>a</sup> by mud<sup>1,2</sup> or<span class='fnref'>1</span> sea<sup>1\u20133</sup>.</p>", ["Bank by mud or sea ."]),
        ("<pre>\n  The bank,\n  The river.\n</pre><p>One\ntwo</p>", ["The bank ,", "The river .", "One two"]),
        ("<p>A<span class='pagenum'>long text</span>.</p><div class='pagebreak'>1</div>B", ["Along text .", "1", "B"]),
    ],
    ids=["CDATA", "note numbers", "links to notes", "other signs", "powers", "bare links", "pages", "classes", "numbers", "verse", "text"],
)
def test_chapter_has_the_text_that_is_shown(write, body, sentences):
    assert words(write("a.epub", epub({"a.xhtml": body})))[: len(sentences)] == sentences


@pytest.mark.parametrize(
    ("old", "new", "text", "notes"),
    [
        *((b'href="b.xhtml"', b'href="B.XHTML"', "A nav .|The bank .", []), (b"<spine>.*</spine>", b"<spine/>", "A nav .|The bank .", [])),
        (b'href="b.xhtml" media-type="[^"]*"', b'href="b.txt" media-type="text/plain"', "A nav .", ["(first: #b.txt)"]),
        (b'href="b.xhtml" media-type="[^"]*"', b'href="b.png" media-type="image/png"', "A nav .", []),
        (b'href="b.xhtml" media-type="[^"]*"', b'href="b.xhtml" media-type="application/xml"', "A nav .|The bank .", []),
        (b"</spine>", b'<itemref idref="gone"/></spine>', "A nav .|The bank .", ["missing chapters: 1 (first: #gone)."]),
        (b'href="(.).xhtml"', rb'href="\1.htm"', "", ["missing chapters: 2"]),
    ],
    ids=["other case", "no spine", "text", "picture", "other type", "reference to nothing", "all missing"],
)
def test_no_chapter_is_lost_without_a_note(write, old, new, text, notes):
    book = epub({"a.xhtml": "<nav><p>Contents</p></nav><p>A nav.</p>", "b.xhtml": "<p>The bank.</p>"})
    path = write("a.epub", replace_member(book, "OEBPS/book.opf", lambda package: re.sub(old, new, package)))
    with reports.collecting() as found:
        try:
            assert words(path) == text.split("|")
        except BadInput as error:
            assert not text
            found["error"] = str(error)
    assert all(part in note for part, note in zip(notes, found.values(), strict=True))


def test_dropped_capital_of_a_word_document_begins_a_paragraph_and_notes_are_read_after_the_text(write):
    capital = '<w:p><w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr><w:r><w:t>T</w:t></w:r></w:p>'
    text = capital + "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in ("he bank was closed.", "It rained."))
    for kind in ("footnote", "endnote"):
        note = f"<w:p><w:r><w:{kind}Ref/></w:r><w:r><w:t>A note.</w:t></w:r></w:p>"
        notes = f"<w:{kind}s {WORD}><w:{kind}>{note}</w:{kind}></w:{kind}s>"
        path = write("a.docx", word_document(text, **{f"word/{kind}s.xml": notes}))
        assert words(path) == ["The bank was closed .", "It rained .", "A note ."]


def test_word_that_the_end_of_a_page_cuts_is_joined_only_to_its_other_half(write):
    for pages, expected in (
        ([["Annual report 1", "The bank is of impor-"], ["Annual report 2", "tance to us."]], "impor"),
        ([["The bank is of impor-", "page 1 of two"], ["tance to us.", "page 2 of two"]], "impor"),
        ([["Annual report", "The bank is of impor-"], ["tance to us."]], "importance"),
    ):
        assert [token for token in " ".join(words(write("a.pdf", pdf(*pages)))).split() if token.startswith("impor")] == [expected], pages


def test_running_heads_and_page_numbers_are_left_out_and_noted(write):
    lines = ["It is of impor-", "tance to banks and the govern-", "ment."]
    one_line = [*(["Of banks", line, str(k)] for k, line in enumerate(lines, 9)), ["Of banks"]]
    lines = ["A bank lent.", "A bank sank.", "A bank rose."]
    several = [["Journal of Banks", f"{k} Smith", line, "Downloaded from us", f"Page {k}", "i" * k] for k, line in enumerate(lines, 1)]
    for pages, sentences, n, head in (
        (one_line, ["It is of importance to banks and the government .", "Of banks"], 6, "Of banks"),
        (several, ["A bank lent .", "A bank sank .", "A bank rose ."], 15, "Journal of Banks"),
    ):
        with reports.collecting() as found:
            assert words(write("a.pdf", pdf(*pages))) == sentences
        assert list(found.values()) == [f"a.pdf: {n} headings and footers that pages repeat are left out, such as “{head}”."]


@pytest.mark.parametrize("name", ["a.pdf", "a.epub", "a.docx", "a.xlsx"])
def test_a_damaged_document_ends_in_a_sentence_and_one_without_permission_is_reported(write, name, monkeypatch):
    whole = pdf(["The bank."]) if name == "a.pdf" else epub(CHAPTERS)
    for content in (b"", b"x", whole[: len(whole) // 2], b"%PDF-1.4\n", whole[:40] + b"\x00" * 100):
        with pytest.raises(BadInput) as refused:
            read_sentences(write(name, content))
        assert "\n" not in str(refused.value) and name in str(refused.value) and "Error" not in str(refused.value)

    def refuse(path, *_):
        raise PermissionError(13, "Permission denied", str(path))

    path = write(name, b"x")
    monkeypatch.setattr(type(path), "open", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(BadInput, match=rf"{name} cannot be read: permission denied"):
        read_sentences(path)


TEXT_WAYS = {"doc rtf odt": "save it as .docx", "pages": "Export it as .docx", "html": "save it as .txt", "mobi": "Convert it to .epub"}
TEXT_WAYS |= {"xls ods": "save it as .xlsx", "zip": "Unpack it", "png": "(OCR)", "odd": "save it as .txt, .csv", "parquet": "to_csv('texts"}
TABLE_WAYS = {"xls ods docx pdf": "save it as .xlsx", "parquet odd": ".csv", "zip": "Unpack it"}


@pytest.mark.parametrize(("read", "ways"), [(read_sentences, TEXT_WAYS), (read_table, TABLE_WAYS)])
def test_any_other_format_says_how_to_convert_it(write, read, ways):
    for suffix, way in ((suffix, way) for suffixes, way in ways.items() for suffix in suffixes.split()):
        with pytest.raises(BadInput) as refused:
            read(write(f"a.{suffix}", b"x"))
        assert str(refused.value).startswith(f"a.{suffix}: ") and way in str(refused.value)
    with pytest.raises(MissingArtifact, match="No file none"):
        read(Path("none"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", pdf(["The bank."]), r"a\.txt is a \.pdf file by another name\. Rename it a\.pdf"),
        *[(f"a.{kind}", epub(CHAPTERS), rf"a\.{kind} is a \.epub file by another name\. Rename it") for kind in ("txt", "docx", "xlsx")],
        *(("a.txt", begin + b"\x01" * 600, r"a\.txt is not text inside") for begin in (b"{\\rtf1", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")),
    ],
)
def test_a_document_by_another_name_is_reported(write, name, content, message):
    with pytest.raises(BadInput, match=message):
        read_sentences(write(name, content))
