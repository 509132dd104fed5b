"""Handle the formats of users' files: conversions, encodings, limits, XML parts of archives, and CSV without formulas."""

import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import NoReturn
from xml.parsers import expat

from ..common import reports
from ..common.errors import BadInput, ElmoscopeError, MissingArtifact
from ..common.i18n import t
from ..common.libraries import Frame
from ..common.limits import limits

PACKED = (".xz", ".gz")
MAX_MEMBERS = 20_000  # of an archive
_TEXTS = (".txt", ".csv", ".tsv", ".jsonl", ".json")  # formats that are read, in addition to documents and workbooks
_OFFICE = (".doc", ".docm", ".rtf", ".odt", ".xls", ".xlsm", ".xlsb", ".ods", ".pages", ".numbers")
# kinds that contain texts or tables of texts, and are not read
TEXTUAL = (*_OFFICE, ".html", ".htm", ".ppt", ".pptx", ".odp", ".md", ".rst", ".tex", ".xml", ".mobi", ".azw3", ".parquet", ".zip")
_TEXT_KINDS = ("doc", "docx", "docm", "rtf", "odt", "pages", "pdf", "epub", "html", "htm", "ppt", "pptx", "odp", "md", "tex", "xml")
PIECE = 1 << 16  # bytes read at a time
MAX_DEPTH = 256  # of nested elements
ENCODINGS = ("cp1252", "cp949", "cp932", "gb18030", "big5", "cp1251", "cp1250")  # what spreadsheets and editors save in
ENCODINGS += ("cp1253", "cp1255", "cp1256", "cp874", "koi8_r")  # not mac_roman, cp1257, euc_jp: short Western texts would be read as them
SAMPLE = 1 << 18  # bytes from which an encoding is guessed
SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"  # what begins a formula, the wide forms included
_OFFICE_97, _ZIP = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PK\x03\x04"
_BEGINNINGS = {_ZIP: "zip", _OFFICE_97: "doc", b"%PDF-": "pdf", b"{\\rtf": "rtf", b"PAR1": "parquet", b"SQLite format 3": "db"}


def suffix_of(path: Path) -> str:
    """Return the suffix in lower case, of a packed file the one before .xz or .gz."""
    return Path(path.stem if path.suffix.lower() in PACKED else path.name).suffix.lower()


def recognize_suffix(name: str) -> str:
    """Return the suffix of a file name from a browser, or "" unless the format is read or `refuse_format` explains how to convert it.

    >>> recognize_suffix("a.CSV.xz"), recognize_suffix("a.csv/../x.sh"), recognize_suffix("a.odt")
    ('.csv.xz', '', '.odt')
    """
    suffixes = PurePath(name.lower()).suffixes[-2:]
    packed = suffixes.pop() if suffixes and suffixes[-1] in PACKED else ""
    kind = suffixes[-1] if suffixes else ""
    return (kind if kind in _TEXTS or _conversion(kind.removeprefix("."), (".txt", ".csv")) else "") + packed


def refuse_format(path: Path, kinds: Sequence[str]) -> NoReturn:
    """Raise BadInput for a file of another kind than `kinds` (suffixes), or MissingArtifact. The message explains how to convert the file."""
    if not path.is_file():
        raise MissingArtifact(t("No file {path}. Check its name, or remake it.", path=path))
    suffix = suffix_of(path)
    advice = _conversion(suffix.removeprefix("."), kinds)
    if advice:
        raise BadInput(t("{name}: {suffix} files are not read. {way}", name=path.name, suffix=suffix, way=advice))
    values = {"name": path.name, "kinds": ", ".join(kinds[:-1]), "last": kinds[-1]}
    raise BadInput(t("{name}: save it as {kinds} or {last} (text and tables also packed: .xz, .gz).", **values))


def _conversion(kind: str, kinds: Collection[str]) -> str:
    """Return a sentence on how to convert a file of this kind into one of `kinds`; "" for an unknown kind."""
    text = ".txt" if ".txt" in kinds else ".csv"
    written = ".docx" if ".docx" in kinds else text
    table = next((suffix for suffix in (".xlsx", ".csv") if suffix in kinds), ".txt")
    book = ".epub" if ".epub" in kinds else text
    if ".txt" not in kinds and kind in _TEXT_KINDS:
        return t("Copy its table into a spreadsheet and save it as {kind}.", kind=table)
    advice = {
        "doc rtf odt dot wps wpd docm docx": t("Open it in Word or LibreOffice and save it as {kind}.", kind=written),
        "xls ods xlsb xlsm dbf xlsx": t("Open it in Excel or LibreOffice and save it as {kind}.", kind=table),
        "numbers gsheet": t("Export it as {kind} from the program that wrote it.", kind=table),
        "pages key gdoc": t("Export it as {kind} from the program that wrote it.", kind=written),
        "ppt pptx odp pdf": t("Copy its text into a {kind} file.", kind=text),
        "html htm xhtml mhtml": t("Open it in a browser, copy the text and save it as {kind}.", kind=text),
        "xml tei tex md rst": t("Save its text as {kind}.", kind=text),
        "mobi azw azw3 fb2 djvu epub": t("Convert it to {kind}, for example with Calibre.", kind=book),
        "parquet feather arrow pkl pickle dta sav h5 hdf5 npz npy": t(
            "Convert it in Python: pandas.read_…(file).to_csv('texts.csv', index=False)."
        ),
        "rds rdata rda": t("Convert it in R: write.csv(data, 'texts.csv', row.names = FALSE)."),
        "db sqlite sqlite3 mdb accdb": t("Export the table as {kind}.", kind=".csv"),
        "zip 7z rar tar tgz bz2 zst xz gz": t("Unpack it and choose the files inside."),
        "png jpg jpeg tif tiff gif webp heic": t("It is a picture: recognize its text first (OCR) and save that as {kind}.", kind=text),
    }
    return next((sentence for names, sentence in advice.items() if kind in names.split()), "")


def check_beginning(path: Path, data: bytes) -> None:
    """Raise BadInput if a text file begins like a file of another kind."""
    kind = next((kind for beginning, kind in _BEGINNINGS.items() if data.startswith(beginning)), None)
    if kind is None:
        return
    kind = _kind_of_archive(path) if kind == "zip" else kind
    _refuse_name(path, kind)
    advice = _conversion("xls" if kind == "doc" and path.suffix.lower() in (".csv", ".tsv") else kind, (".txt", ".csv"))
    raise BadInput(t("{name} is not text inside, whatever its name. {way}", name=path.name, way=advice))


def _refuse_name(path: Path, kind: str) -> None:
    """Raise BadInput for a document that has the suffix of another kind."""
    if kind in ("xlsx", "docx", "epub", "pdf") and path.suffix.lower() != f".{kind}":
        raise BadInput(t("{name} is a .{kind} file by another name. Rename it {stem}.{kind}.", name=path.name, kind=kind, stem=path.stem))


def _kind_of_archive(path: Path) -> str:
    names = {member.filename for member in _members(path) or ()}
    members = {"word/document.xml": "docx", "xl/workbook.xml": "xlsx", "META-INF/container.xml": "epub", "content.xml": "odt"}
    return next((kind for member, kind in members.items() if member in names), "zip")


def unpacked_size(path: Path) -> int:
    """Return the size of a file, or the sum of the sizes that an archive states for its members. No more than these is ever read."""
    if (members := _members(path)) is not None:
        return sum(member.file_size for member in members)
    return path.stat().st_size if path.is_file() else 0


def _members(path: Path) -> list[zipfile.ZipInfo] | None:
    """Return the members of an archive, or None if it cannot be read."""
    with suppress(zipfile.BadZipFile, OSError, ValueError, RuntimeError), zipfile.ZipFile(path) as archive:
        return archive.infolist()
    return None


def check_archive(path: Path, needed: Collection[str], recommended: str) -> None:
    """Raise BadInput for an archive without any of the members `needed`, with too many members, or with too large ones.

    zipfile reads no more of a member than its stated size. `recommended` is the format that the message names.
    """
    _refuse_name(path, _kind_of_archive(path))
    members = _members(path) or []
    size = sum(member.file_size for member in members)
    if not set(needed) & {member.filename for member in members}:
        with refuse_unreadable(path, recommended):
            raise BadInput(_not_of_its_kind(path, path.suffix.lower(), recommended))
    if len(members) > MAX_MEMBERS:
        values = {"name": path.name, "n": len(members), "most": MAX_MEMBERS, "other": recommended}
        raise BadInput(t("{name} holds {n:,} files; the limit is {most:,}. Save it as {other}.", **values))
    max_mb = limits().max_unpacked_mb
    if size > max_mb * 10**6:
        values = {"name": path.name, "mb": size / 1e6, "most": max_mb, "other": recommended}
        raise BadInput(t("{name} unpacks to {mb:,.0f} MB; the limit is {most:,.0f} MB. Save it as {other}.", **values))


@contextmanager
def refuse_unreadable(path: Path, recommended: str) -> Iterator[None]:
    """Raise BadInput for any failure within the context, because a library can fail in any way on a file of unknown origin."""
    try:
        yield
    except (ElmoscopeError, MemoryError):
        raise
    except PermissionError:
        raise BadInput(t("{name} cannot be read: permission denied. Allow reading, or choose another file.", name=path.name)) from None
    except Exception as error:
        values = {"name": path.name, "kind": path.suffix.lower(), "other": recommended}
        raise BadInput(t("{name} is damaged, or not a {kind}. Save it as {other}.", **values)) from error


def _not_of_its_kind(path: Path, kind: str, recommended: str) -> str:
    with path.open("rb") as stream:
        locked_or_old = stream.read(len(_OFFICE_97)) == _OFFICE_97
    if locked_or_old:
        values = {"name": path.name, "kind": kind}
        return t("{name} is locked with a password, or an older format. Save it without a password as {kind}.", **values)
    return t("{name} is damaged, locked, or not a {kind}. Save it as {other}.", name=path.name, kind=kind, other=recommended)


def guess_encoding(data: bytes) -> str | None:
    """Return the most likely of ENCODINGS by the beginning of `data`, or None.

    Western European wins over Central European if both decode the text equally well, because few letters distinguish them. It also wins
    where no two bytes beyond ASCII are adjacent, as some are in almost every text in another script.
    """
    from charset_normalizer import from_bytes

    first = next((k for k, byte in enumerate(data) if byte > 127), 0)  # ASCII is the same in all encodings
    sample = data[max(0, first - SAMPLE // 4) :][:SAMPLE]
    if len(data) > len(sample):
        sample = sample[: sample.rfind(b"\n") + 1] or sample  # do not cut a letter in two
    matches = from_bytes(sample, cp_isolation=list(ENCODINGS))
    if (best := matches.best()) is None:
        return None
    if best.encoding == "cp1250" or not re.search(rb"[\x80-\xff]{2}", sample):
        as_good = {m.encoding for m in matches if m.chaos <= best.chaos and m.coherence >= best.coherence}
        western = "cp1252" in as_good | set(best.could_be_from_charset) or not _spells(sample, "cp1250", "cp1252")
        return "cp1252" if western else "cp1250"
    return best.encoding


def _spells(sample: bytes, encoding: str, second_encoding: str) -> bool:
    """Return whether a word has a letter only in `encoding`. A "Ł" before a number is a "£" in the other encoding."""
    first, second = (sample.decode(item, "replace") for item in (encoding, second_encoding))
    return any(
        a != b and a.isalpha() and (first[max(0, k - 1) : k].isalpha() or first[k + 1 : k + 2].isalpha())
        for k, (a, b) in enumerate(zip(first, second, strict=True))
    )


def detect_encoding(opened: Callable, path: Path, end: int, line: bytes, *, is_thorough: bool = False) -> str | None:
    """Return the encoding of a file by its first line that is not ASCII, which ends at byte `end`, and by the text after it.

    `opened` opens and unpacks the file. A line of UTF-8 is enough, unless `is_thorough`: short words in other encodings can be UTF-8 by chance.
    Returns None if no encoding fits.
    """
    if not is_thorough and is_utf8(line):
        return "utf-8"
    with opened(path, "rb") as stream:
        stream.seek(end - len(line))
        sample = stream.read(SAMPLE)
    lines = sample if len(sample) < SAMPLE else sample[: sample.rfind(b"\n") + 1]
    return "utf-8" if is_mostly_utf8(lines) or (not lines and is_utf8(line)) else guess_encoding(sample)


def is_mostly_utf8(data: bytes) -> bool:
    """Return whether fewer than a fifth of the lines that are not ASCII are no UTF-8 either."""
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    return 5 * sum(not is_utf8(line) for line in lines) < len(lines)


def is_utf8(line: bytes) -> bool:
    """Return whether these bytes are UTF-8."""
    with suppress(UnicodeDecodeError):
        line.decode()
        return True
    return False


def read_part(
    archive: zipfile.ZipFile,
    member: str,
    name: str,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None] | None = None,
    text: Callable[[str], None] | None = None,
) -> None:
    """Parse a member of an archive, and call `start(element, attributes)`, `end(element)` and `text(characters)`.

    Elements are named "namespace local", attributes "namespace local" or "local". `name` is the archive's name in errors.
    Raises BadInput for declared entities and deep nesting, and expat.ExpatError for a member that is not XML.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def begin(element: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise BadInput(t("{name} has elements nested more than {most} deep. Save it again from the program that wrote it.", **values))
        start(element, attributes)

    def finish(element: str) -> None:
        nonlocal depth
        depth -= 1
        if end is not None:
            end(element)

    def refuse_entity(*_: object) -> None:
        raise BadInput(t("{name} declares XML entities, which are not read. Save it again from the program that wrote it.", **values))

    values = {"name": name, "most": MAX_DEPTH}
    parser.StartElementHandler, parser.EndElementHandler = begin, finish
    parser.EntityDeclHandler = refuse_entity
    parser.CharacterDataHandler = text
    with archive.open(member) as stream:
        while piece := stream.read(PIECE):
            reports.step(len(piece))
            parser.Parse(piece, False)
    parser.Parse(b"", True)


def local_name(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition(" ")[2]


def format_csv(table: Frame) -> str:
    """Return a table as CSV. Texts that a spreadsheet would run are quoted, numbers stay numbers."""
    safe = table.map(_guard_text).rename(columns=_guard_text)
    return safe.to_csv(index=False, lineterminator="\r\n")  # with this terminator a lone \r is quoted as well


def encode_csv(table: Frame) -> bytes:
    """Return a table as CSV in UTF-8 with a byte order mark, which spreadsheets need."""
    return format_csv(table).encode("utf-8-sig")


def guard(cell: str) -> str:
    """Return a text with a quote before it if a spreadsheet would run it. One that looks guarded gets another, so that `unguard` is exact.

    >>> guard("=1+1"), guard("bank"), guard("'=1+1")
    ("'=1+1", 'bank', "''=1+1")
    """
    return f"'{cell}" if _is_formula(cell.lstrip("'")) else cell


def unguard(cell: str) -> str:
    """Return the cell that `guard` was given.

    >>> unguard("'=1+1"), unguard("'s"), unguard("''=1+1")
    ('=1+1', "'s", "'=1+1")
    """
    return cell[1:] if cell.startswith("'") and _is_formula(cell.lstrip("'")) else cell


def _guard_text(value):
    return guard(value) if isinstance(value, str) else value


def _is_formula(cell: str) -> bool:
    """Return whether a cell begins as a formula does, also behind blanks and invisible characters."""
    first = next((sign for sign in cell if sign.isprintable() and not sign.isspace()), "")
    return (first != "" and first in SIGNS) or cell[:1] in ("\t", "\r", "\n")
