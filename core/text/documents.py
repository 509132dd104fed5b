"""Read the text of Word (.docx), PDF and EPUB files as lines in reading order."""

import codecs
import logging
import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any
from unicodedata import category
from urllib.parse import unquote

from ..common import reports
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits
from ..common.markup import shorten
from ..files.formats import check_archive, is_mostly_utf8, local_name, read_part, refuse_unreadable
from ..files.user_names import clean_name
from .file_lines import LineCount, note_wrong_bytes, wide_encoding

SUFFIXES = (".docx", ".pdf", ".epub")
_WORD = ("http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main")
_SKIPPED_ELEMENTS = {
    "http://schemas.openxmlformats.org/markup-compatibility/2006 Fallback",  # repeats a text box for older versions of Word
    "del",
    "moveFrom",
    "rt",  # the pronunciation of Japanese
}
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_RELATIONS, _CONTAINER, _ENCRYPTION = "_rels/.rels", "META-INF/container.xml", "META-INF/encryption.xml"
MAX_PARTS = 50_000  # of an e-book or a Word document
RUNNING = 3  # pages whose first or last lines differ only in numbers: a running head or foot, left out
MOST_RUNNING = 4  # such lines at the top of a page, and at its foot
_CUT_END = re.compile("[-\u2010\u00ad\u00ac\x02]\\s*\\Z")  # a hyphen at the end of a line that may cut a word
_OPERATOR_BYTES = 20  # counted for each PDF operator, because those of a form run each time the form is drawn
_UNSEEN = {"script", "style", "head", "title", "template", "noscript", "rt", "rp", "svg", "math", "nav"}  # rt: how Japanese is read aloud
_PARAGRAPHS = re.compile(  # elements that begin a line of their own
    "p|div|h[1-6]|[uod]l|li|d[dt]|table|caption|t[rdh]|blockquote|pre|hr|body|main|section|article|aside|header|footer|figure|figcaption|"
    "address|details|summary|form|fieldset|legend|center"
)
_IS_PAGE = re.compile("html|oeb1|(?<!svg[+])(?<!ncx[+])xml")  # the media types of chapters
_CDATA = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA\[).)*?)\]\]>", re.DOTALL)
_HEAD = 1_024  # bytes of a page that may declare its encoding
_DECLARED = re.compile(rb"<(?:\?xml|meta)\s[^>]*?(?:encoding|charset)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_BROWSERS = {"iso8859-1": "cp1252", "ascii": "cp1252", "euc_kr": "cp949", "shift_jis": "cp932", "gb2312": "gb18030", "gbk": "gb18030"}
_ENCODINGS = re.compile("ascii|cp|iso|koi8|mac|euc|gb|big5|shift|tis")  # beginnings of Python's names, not those of UTF-16 or escapes
_NOTE_ROLES = {"noteref", "doc-noteref", "fnref"}
_PAGE_ROLES = {"pagebreak", "doc-pagebreak", "pagenum", "pageno", "x-ebookmaker-pageno"}
_PAGE_NUMBER = re.compile(r"\s*\[?(?:(?:pg?|page|s)\.?\s*)?(?:\d{1,5}|[ivxlcdm]{1,8})\]?\s*", re.IGNORECASE)
_RAISED = str.maketrans("0123456789-\u2212", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b\u207b")
_NOTE_MARK = re.compile(r"\s*[\[(]?(?:(?:\d{1,3}|[a-c])(?:\s*[,\u2013-]\s*(?:\d{1,3}|[a-c]))*|[*\u2020\u2021\u00a7]{1,3})[\])]?\s*")
_MARKED = re.compile(r"(?:[^\W\d_]{3}|[^\W\d_A-Za-z\u00b5\u03bc]|\w[.,;:!?\"'\u201d\u2019\u00bb]+)\Z")  # not "km<sup>2</sup>"
logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs oddities of each file


def read_lines(path: Path) -> list[str]:
    """Return the lines of a document. Blank lines separate paragraphs. Raises BadInput for a file that cannot be read or has no text."""
    lines = {".docx": _of_docx, ".pdf": _of_pdf, ".epub": _of_epub}[path.suffix.lower()](path)
    if not any(map(str.strip, lines)):
        raise BadInput(t("{name} has no text, perhaps only pictures. Run text recognition (OCR) on it first.", name=path.name))
    return lines


def _of_docx(path: Path) -> list[str]:
    """Return the paragraphs of a Word document, read as a stream (python-docx holds all in memory), with tables and text boxes, then notes."""
    check_archive(path, ("[Content_Types].xml", "word/document.xml"), ".txt")
    with refuse_unreadable(path, ".txt"):
        body = _Body(path.name)
        with zipfile.ZipFile(path) as archive:
            relations = _elements(archive, _RELATIONS, path.name, ("Relationship",)) if _RELATIONS in archive.namelist() else []
            mains = (relation for _, relation in relations if relation.get("Type", "").endswith("/officeDocument"))
            main = next(mains, {"Target": "word/document.xml"}).get("Target", "").lstrip("/")
            notes = [str(PurePosixPath(main).with_name(part)) for part in ("footnotes.xml", "endnotes.xml")]
            for part in (main, *(note for note in notes if note in archive.namelist())):
                read_part(archive, part, path.name, body.start, body.end, body.data)
        return [line for text in body.texts for line in ("", *text.splitlines())]


class _Body:
    """The paragraphs of a Word document, collected from its stream of elements. Consecutive empty paragraphs become one."""

    def __init__(self, name: str) -> None:
        self.texts: list[str] = []
        self._lines = LineCount(name, limits().max_paragraphs)
        self._elements: list[str] = []  # open elements; those of Word's own namespace have their local name
        self._paragraphs: list[tuple[int, list[str]]] = []  # open paragraphs: index in `texts`, parts of the text so far
        self._skipped_depth = 0  # number of open elements from the first skipped one on
        self._is_raised = False  # whether the open run is superscript
        self._is_initial, self._initial = False, ""  # a dropped capital is a paragraph of its own: it begins the next one

    def start(self, element: str, attributes: dict[str, str]) -> None:
        namespace, _, kind = element.rpartition(" ")
        kind = kind if namespace in _WORD else element
        if self._skipped_depth or kind in _SKIPPED_ELEMENTS:
            self._skipped_depth += 1
        elif kind == "p":
            self._lines.add()
            self._paragraphs.append((len(self.texts), [self._initial]))
            self.texts.append("")
            self._initial = ""
        elif kind == "framePr":
            self._is_initial = any(name.endswith("dropCap") and value != "none" for name, value in attributes.items())
        elif self._paragraphs and kind in _SIGNS and self._elements[-1:] == ["r"]:  # w:tab is also a tab stop in a paragraph's format
            self._lines.add(_SIGNS[kind] == "\n")
            self._paragraphs[-1][1].append(_SIGNS[kind])
        elif kind == "r" or (kind == "vertAlign" and self._elements[-2:] == ["r", "rPr"]):
            self._is_raised = "superscript" in attributes.values()
        self._elements.append(kind)

    def end(self, _: str) -> None:
        kind = self._elements.pop()
        if self._skipped_depth:
            self._skipped_depth -= 1
        elif kind == "p":
            place, parts = self._paragraphs.pop()
            text = "".join(parts)
            self.texts[place], self._initial = ("", text) if self._is_initial else (text, "")
            self._is_initial = False
            if place and place == len(self.texts) - 1 and not self.texts[place] and not self.texts[place - 1]:
                self.texts.pop()

    def data(self, text: str) -> None:
        if self._paragraphs and not self._skipped_depth and self._elements[-2:] == ["r", "t"]:
            self._paragraphs[-1][1].append(text.translate(_RAISED) if self._is_raised else text)


def _of_pdf(path: Path) -> list[str]:
    """Return the lines of a PDF's pages, as pypdf orders them; pages of pictures are counted."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    with refuse_unreadable(path, ".txt"):
        reader = PdfReader(path)
        try:
            if reader.is_encrypted and not reader.decrypt(""):
                raise BadInput(t("{name} is locked with a password. Save it without one.", name=path.name))
            pages = list(_page_texts(path.name, reader))
        except (DependencyError, FileNotDecryptedError):
            raise BadInput(t("{name} is encrypted. Print it to a new PDF, or save its text as .txt.", name=path.name)) from None
    n_blank = sum(not page.strip() for page in pages)
    if n_blank == len(pages):
        raise BadInput(t("{name} has no text: its pages are pictures (a scan). Recognize the text (OCR), and save it.", name=path.name))
    values = {"name": path.name, "all": len(pages)}
    if n_blank:
        reports.add((path.name, "pages"), t("{name}: no text on {n} of {all} pages, perhaps scans.", n=n_blank, **values))
    if n_unreadable := sum(map(_has_lost_letters, pages)):
        text = t("{name}: unreadable letters on {n} of {all} pages. Recognize their text (OCR).", n=n_unreadable, **values)
        reports.add((path.name, "letters"), text)
    return list(_joined_pages(path.name, [page.splitlines() for page in pages]))


def _has_lost_letters(page: str) -> bool:
    """Return whether more than 2% of a page's characters are control, private-use or replacement characters."""
    characters = Counter("".join(page.split()))
    lost = sum(n for sign, n in characters.items() if sign == "\ufffd" or (category(sign) in ("Cc", "Co") and sign != "\x02"))
    return 50 * lost > characters.total()


def _joined_pages(name: str, pages: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of all pages, without the headings and footers that RUNNING pages share, which are noted."""
    text_lines = [[k for k, line in enumerate(page) if line.strip()] for page in pages]  # of each page, without those left out so far
    for _ in range(MOST_RUNNING):
        edges = [{"top": numbers[0], "foot": numbers[-1]} if len(numbers) > 1 else {} for numbers in text_lines]
        counts = Counter((side, _unnumbered(page[k])) for page, edge in zip(pages, edges, strict=True) for side, k in edge.items())
        running = [
            {k for side, k in edge.items() if counts[side, _unnumbered(page[k])] >= RUNNING}
            for page, edge in zip(pages, edges, strict=True)
        ]
        if not any(running):
            break
        text_lines = [[k for k in numbers if k not in repeated] for numbers, repeated in zip(text_lines, running, strict=True)]
    last, left_out = "", []
    for page, edge, staying in zip(pages, edges, map(set, text_lines), strict=True):
        for k, line in enumerate(page):
            if line.strip() and k not in staying:
                left_out.append(line.strip())
                continue
            is_repeated = any(counts[side, _unnumbered(line)] > 1 for side, number in edge.items() if number == k)
            if is_repeated and _CUT_END.search(last):  # a cut word is not joined to a heading that stays
                yield from ("", "")  # one would not separate lines that all have a blank line between them
            yield line
            last = line if line.strip() else last
    if left_out:
        values = {"name": name, "n": len(left_out), "line": shorten(left_out[0])}
        reports.add((name, "headings"), t("{name}: {n:,} headings and footers that pages repeat are left out, such as “{line}”.", **values))


def _unnumbered(line: str) -> str:
    return "0" if _PAGE_NUMBER.fullmatch(line) else re.sub(r"\d+", "0", line.strip())


def _page_texts(name: str, reader: Any) -> Iterator[str]:
    caps = limits()
    size = 0

    def count(n_bytes: int) -> None:
        nonlocal size
        size += n_bytes
        reports.step()
        if size > caps.max_unpacked_mb * 10**6:
            raise BadInput(t("{name} unpacks to more than {most:,.0f} MB. Save its text as .txt.", name=name, most=caps.max_unpacked_mb))

    for number, page in enumerate(reader.pages, start=1):
        if number > caps.max_pages:
            raise BadInput(t("{name} has more than {most:,} pages. Save its text as .txt.", name=name, most=caps.max_pages))
        contents = page.get_contents()
        count(len(contents.get_data()) if contents is not None else 0)
        text = page.extract_text(visitor_operand_before=lambda *_: count(_OPERATOR_BYTES))  # also called for those of nested forms
        count(0)  # again, because pypdf suppresses exceptions within a form
        yield text


def _of_epub(path: Path) -> list[str]:
    """Return the text of an e-book's chapters in the order of its spine, without its list of contents."""
    check_archive(path, (_CONTAINER,), ".txt")
    with refuse_unreadable(path, ".txt"):
        count = LineCount(path.name, limits().max_paragraphs)
        with zipfile.ZipFile(path) as archive:
            members = set(archive.namelist())
            names = {member.replace("\\", "/").casefold(): member for member in members}
            chapters = [names.get(chapter.casefold(), chapter) for chapter in dict.fromkeys(_spine(archive, path.name))]
            links = _elements(archive, _ENCRYPTION, path.name, ("CipherReference",)) if _ENCRYPTION in members else ()
            if {unquote(attributes.get("URI", "")) for _, attributes in links} & {*chapters}:  # readable books may have encrypted fonts
                raise BadInput(t("{name} is locked (DRM). Use a copy without it, or .txt.", name=path.name))
            absent = [chapter for chapter in chapters if chapter not in members]
            if absent:
                text = t("{name}: missing chapters: {n} (first: {chapter}).", name=path.name, n=len(absent), chapter=clean_name(absent[0]))
                reports.add((path.name, "chapters"), text)
                if absent == chapters:
                    raise BadInput(f"{text} {t('Choose another file.')}")
            lines, wrong = [], []
            for chapter in chapters:
                if chapter not in members:
                    continue
                page, is_wrong = _decode(archive.read(chapter))
                numbers = (number for number, line in enumerate(page.split("\n") if is_wrong else (), 1) if "\ufffd" in line)
                wrong += (f"{number} ({clean_name(chapter)})" for number in numbers)
                parser = _Lines(count)
                parser.feed(_CDATA.sub(lambda match: match[1].replace("&", "&amp;").replace("<", "&lt;"), page))  # which HTMLParser skips
                parser.close()
                lines += ["", *(" ".join(line.split()) for line in "".join(parser.parts).split("\n"))]  # without the blanks of the markup
            if wrong:
                note_wrong_bytes(path.name, wrong[0], len(wrong))
            return lines


def _spine(archive: zipfile.ZipFile, name: str) -> Iterator[str]:
    """Yield the archive's names of the chapters in reading order."""
    roots = _elements(archive, _CONTAINER, name, ("rootfile",))
    place = PurePosixPath(unquote(roots[0][1]["full-path"]))
    package = _elements(archive, str(place), name, ("item", "itemref"))
    items = {attributes["id"]: attributes for kind, attributes in package if kind == "item" and "id" in attributes}
    references = [attributes for kind, attributes in package if kind == "itemref"]
    for reference in references or [{"idref": name} for name, item in items.items() if _is_page(item)]:
        if (item := items.get(item_id := reference.get("idref", ""))) is None:
            yield f"#{item_id}"  # no member has this name
            continue
        if not _is_page(item):
            item = items.get(item.get("fallback", ""), item)
        path = place.parent / unquote(item["href"].partition("#")[0])
        if _is_page(item):
            yield normpath(f"/{path}").lstrip("/")
        elif not item["media-type"].startswith("image/"):
            yield f"#{path.name}"


def _is_page(item: dict[str, str]) -> bool:
    return bool(_IS_PAGE.search(item.get("media-type", "html")))


def _elements(archive: zipfile.ZipFile, member: str, name: str, kinds: Collection[str]) -> list[tuple[str, dict[str, str]]]:
    """Return the elements of the given kinds, with their attributes, in a part of an archive."""
    elements: list[tuple[str, dict[str, str]]] = []

    def start(element: str, attributes: dict[str, str]) -> None:
        if (kind := local_name(element)) in kinds:
            elements.append((kind, attributes))
            if len(elements) > MAX_PARTS:
                raise BadInput(t("{name} lists more than {most:,} parts. Save it as .txt.", name=name, most=MAX_PARTS))

    read_part(archive, member, name, start)
    return elements


def _decode(data: bytes) -> tuple[str, bool]:
    """Return a page's text, in UTF-8 or the encoding it begins with or declares, and whether wrong bytes were replaced."""
    wide = wide_encoding(data) or {b"<\x00": "utf-16-le", b"\x00<": "utf-16-be"}.get(data[:2])
    encoding = wide or ("utf-8" if is_mostly_utf8(data) else _declared_encoding(data))
    for name in (wide,) if wide else ("utf-8-sig", encoding):
        with suppress(UnicodeDecodeError):
            return data.decode(name), False
    return data.decode(encoding, "replace"), True


def _declared_encoding(data: bytes) -> str:
    """Return the encoding that a page declares, as browsers understand its name, or UTF-8."""
    with suppress(LookupError):
        if declared := _DECLARED.search(data[:_HEAD]):
            name = codecs.lookup(declared[1].decode("latin-1")).name
            return _BROWSERS.get(name, name) if _ENCODINGS.match(name) else "utf-8"
    return "utf-8"


class _Lines(HTMLParser):
    """The visible text of a page: a paragraph for each element that begins one."""

    def __init__(self, count: LineCount) -> None:
        super().__init__(convert_charrefs=True)
        self._count = count
        self.parts: list[str] = []
        self._unseen: list[str] = []  # open elements whose text is not shown
        # The open element that may be a note mark or page number, where its text begins, and its role
        self._mark: tuple[str, int, str] | None = None
        self._is_verbatim = False  # within <pre>, whose line breaks are shown

    def handle_starttag(self, tag: str, attrs: list) -> None:
        if tag in _UNSEEN:
            if tag not in self._unseen:  # the first end tag closes all open ones
                self._unseen.append(tag)
        elif tag == "br":
            self._count.add()
            self.parts.append("\n")
        elif _PARAGRAPHS.fullmatch(tag):
            self._begin()
        self._is_verbatim |= tag == "pre"
        parts = {(name, part) for name, value in attrs for part in (value or "").split()} - {("class", "pagebreak")}
        if (role := self._role(tag, {part for _, part in parts})) and tag != "hr":
            self._mark = tag, len(self.parts), role

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        if tag not in _UNSEEN:  # <script src="x"/> has no text, and no end
            mark = self._mark
            self.handle_starttag(tag, attrs)
            self._mark = mark

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            del self._unseen[self._unseen.index(tag) :]
        elif self._mark and self._mark[0] == tag:
            _, start, role = self._mark
            self._mark = None
            before = "".join(self.parts[max(0, start - 3) : start])
            text = "".join(self.parts[start:])
            if role == "page":
                is_mark = _PAGE_NUMBER.fullmatch(text)
            else:
                is_mark = _NOTE_MARK.fullmatch(text) and (role == "note" or _MARKED.search(before))
            if is_mark:
                del self.parts[start:]
            elif tag == "sup" and before[-1:].isdecimal():  # 10<sup>3</sup>
                self.parts[start:] = [text.translate(_RAISED)]
        self._is_verbatim &= tag != "pre"
        if tag not in _UNSEEN and _PARAGRAPHS.fullmatch(tag):
            self._begin()

    def _role(self, tag: str, values: set[str]) -> str:
        """Return "page" for a page number, "note" for a note mark, "perhaps" for a possible note mark, and "" for other elements."""
        if _PAGE_ROLES & values:
            return "page"
        if _NOTE_ROLES & values:
            return "note"
        is_link = tag == "a" and any("#" in value for value in values)
        return "perhaps" if (tag == "sup" or is_link) and not self._mark else ""

    def _begin(self) -> None:
        self._count.add()
        if self.parts[-1:] != ["\n\n"]:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._count.add(data.count("\n") * self._is_verbatim)
            self.parts.append(data if self._is_verbatim else data.replace("\n", " "))
