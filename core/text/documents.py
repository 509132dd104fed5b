"""The text of documents that hold more than text: Word (.docx), PDF and e-books (.epub), as lines in reading order."""

import logging
import re
import zipfile
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

from core.common import notes
from core.common.errors import BadInput
from core.common.i18n import t, tn
from core.common.limits import limits
from core.files.formats import check_archive

SUFFIXES = (".docx", ".pdf", ".epub")
_MARKUP = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"  # a text box is in it again, for older versions of Word
_CONTAINER = "META-INF/container.xml"
_UNSEEN = {"script", "style", "head", "title", "template", "noscript", "rt", "rp", "svg", "math"}  # rt: how Japanese is read aloud
_PARAGRAPHS = re.compile(  # elements that begin a line of their own
    "p|div|h[1-6]|[uod]l|li|d[dt]|table|caption|t[rdh]|blockquote|pre|hr|body|main|section|article|aside|header|footer|figure|figcaption|"
    "address|details|summary|form|fieldset|legend|center"
)
logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells a server's log what is odd in each file


def read_lines(path: Path) -> list[str]:
    """Return the lines of a document; blank ones separate paragraphs. BadInput for what cannot be read or has no text."""
    lines = {".docx": _of_docx, ".pdf": _of_pdf, ".epub": _of_epub}[path.suffix.lower()](path)
    if not any(map(str.strip, lines)):
        raise BadInput(t("{name} has no text, perhaps only pictures. Run text recognition (OCR) on it first.", name=path.name))
    return lines


def _of_docx(path: Path) -> list[str]:
    """Return the paragraphs of a Word document, those in tables and text boxes too, in order."""
    check_archive(path, ("[Content_Types].xml", "word/document.xml"), ".txt")
    try:
        import docx
        from docx.oxml.ns import qn
        from docx.text.paragraph import Paragraph
    except ImportError:
        raise BadInput(t("{name} needs python-docx. Save it as .txt.", name=path.name)) from None

    def read() -> list[str]:
        document = docx.Document(str(path))
        again = {p for older in document.element.body.iter(f"{_MARKUP}Fallback") for p in older.iter(qn("w:p"))}
        return [Paragraph(p, document).text for p in document.element.body.iter(qn("w:p")) if p not in again]

    return [line for text in _guarded(path, read) for line in ("", *text.splitlines())]


def _guarded(path: Path, read: Callable[[], Any]) -> Any:
    """Return what `read` does; BadInput for a failure: of a file that anybody may have made, a library can fail in any way."""
    try:
        return read()
    except (BadInput, MemoryError):
        raise
    except Exception as error:
        message = t("{name} cannot be read ({error}). Save it as .txt.", name=path.name, error=type(error).__name__)
        raise BadInput(message) from error


def _of_pdf(path: Path) -> list[str]:
    """Return the lines of a PDF's pages, as pypdf orders them; pages of pictures are counted."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, FileNotDecryptedError
    except ImportError:
        raise BadInput(t("{name} needs pypdf. Save it as .txt.", name=path.name)) from None

    def read() -> list[str]:
        reader = PdfReader(path)
        try:
            if reader.is_encrypted and not reader.decrypt(""):
                raise BadInput(t("{name} is locked with a password. Save it without one.", name=path.name))
            return list(_page_texts(path.name, reader))
        except (DependencyError, FileNotDecryptedError):
            raise BadInput(t("{name} is encrypted. Print it to a new PDF, or save its text as .txt.", name=path.name)) from None

    pages = _guarded(path, read)
    without = sum(not page.strip() for page in pages)
    if without == len(pages):
        message = t(
            "{name} has no text: its pages are pictures (a scan). Recognize the text first (OCR), and save it again.", name=path.name
        )
        raise BadInput(message)
    if without:
        values = {"name": path.name, "all": len(pages)}
        text = tn(
            "{name}: {n} of {all} pages has no text, perhaps a scan.",
            "{name}: {n} of {all} pages have no text, perhaps scans.",
            without,
            **values,
        )
        notes.add((path.name, "pages"), text)
    return [line for page in pages for line in page.splitlines()]


def _page_texts(name: str, reader: Any) -> Iterator[str]:
    most = limits().max_unpacked_mb
    size = 0
    for page in reader.pages:
        contents = page.get_contents()
        size += len(contents.get_data()) if contents is not None else 0
        if size > most * 10**6:
            raise BadInput(t("{name} unpacks to more than {most:,.0f} MB. Save its text as .txt.", name=name, most=most))
        yield page.extract_text()


def _of_epub(path: Path) -> list[str]:
    """Return the text of an e-book's chapters in the order of its spine, without its list of contents."""
    check_archive(path, (_CONTAINER,), ".txt")

    def read() -> list[str]:
        with zipfile.ZipFile(path) as archive:
            chapters = list(_spine(archive))
            if _locked(archive) & set(chapters):
                raise BadInput(t("{name} is locked (DRM). Use a copy without it, or .txt.", name=path.name))
            absent = [chapter for chapter in chapters if chapter not in archive.namelist()]
            if absent:
                values = {"name": path.name, "chapter": absent[0]}
                text = tn(
                    "{name}: {n} chapter is missing ({chapter}).",
                    "{name}: {n} chapters are missing (first {chapter}).",
                    len(absent),
                    **values,
                )
                notes.add((path.name, "chapters"), text)
            return [line for chapter in chapters if chapter not in absent for line in ("", *_html_lines(archive.read(chapter)))]

    return _guarded(path, read)


def _spine(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield the archive's names of the chapters in reading order."""
    root = next(node for node in ElementTree.fromstring(archive.read(_CONTAINER)).iter() if _name(node) == "rootfile")
    place = PurePosixPath(unquote(root.attrib["full-path"]))
    package = ElementTree.fromstring(archive.read(str(place)))
    items = {node.attrib["id"]: node.attrib for node in package.iter() if _name(node) == "item" and "id" in node.attrib}
    for reference in package.iter():
        item = items.get(reference.attrib.get("idref", "")) if _name(reference) == "itemref" else None
        if item and "html" in item.get("media-type", "html") and "nav" not in item.get("properties", "").split():
            yield _resolve(place.parent, unquote(item["href"].partition("#")[0]))


def _resolve(folder: PurePosixPath, reference: str) -> str:
    parts: list[str] = []
    for part in (folder / reference).parts:
        if part == "..":
            del parts[-1:]
        elif part not in (".", "/"):
            parts.append(part)
    return "/".join(parts)


def _locked(archive: zipfile.ZipFile) -> set[str]:
    """Return the members that are encrypted; fonts often are, in books that can be read."""
    if "META-INF/encryption.xml" not in archive.namelist():
        return set()
    nodes = ElementTree.fromstring(archive.read("META-INF/encryption.xml")).iter()
    return {unquote(node.attrib.get("URI", "")) for node in nodes if _name(node) == "CipherReference"}


def _name(node: ElementTree.Element) -> str:
    return node.tag.rpartition("}")[2]


def _html_lines(data: bytes) -> list[str]:
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    parser = _Lines()
    parser.feed(data.decode(encoding, "replace"))
    parser.close()
    return parser.lines()


class _Lines(HTMLParser):
    """The visible text of a page: a paragraph for each element that begins one."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._unseen: list[str] = []  # open elements whose text is not shown

    def handle_starttag(self, tag: str, attrs: list) -> None:
        if tag in _UNSEEN:
            self._unseen.append(tag)
        elif tag == "br":
            self._parts.append("\n")
        elif _PARAGRAPHS.fullmatch(tag):
            self._parts.append("\n\n")

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        if tag not in _UNSEEN:  # <script src="x"/> has no text, and no end
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            del self._unseen[self._unseen.index(tag) :]
        elif _PARAGRAPHS.fullmatch(tag):
            self._parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._parts.append(" ".join(data.split("\n")) if "\n" in data else data)

    def lines(self) -> list[str]:
        """Return lines without the blanks of the markup."""
        return [" ".join(line.split()) for line in "".join(self._parts).split("\n")]
