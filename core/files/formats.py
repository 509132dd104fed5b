"""Formats of files that people have: how to convert one that is not read, and the limits of archives that are."""

import zipfile
from collections.abc import Collection, Sequence
from pathlib import Path, PurePath
from typing import NoReturn

from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits

PACKED = (".xz", ".gz")
MAX_MEMBERS = 20_000  # of an archive
_TEXTS = (".txt", ".csv", ".tsv", ".jsonl", ".json")  # formats that are read, in addition to documents and workbooks
# Kinds that hold texts or tables of texts, and are not read
TEXTUAL = (
    ".doc",
    ".docm",
    ".rtf",
    ".odt",
    ".xls",
    ".xlsm",
    ".xlsb",
    ".ods",
    ".pages",
    ".numbers",
    ".html",
    ".htm",
    ".mobi",
    ".azw3",
    ".parquet",
)
_TEXT_KINDS = ("doc", "docx", "docm", "rtf", "odt", "pages", "pdf", "epub", "html", "htm", "ppt", "pptx", "odp", "md", "tex", "xml")
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
    """Raise BadInput: `path` is none of `kinds` (suffixes), and how to convert it."""
    suffix = suffix_of(path)
    way = _conversion(suffix.removeprefix("."), kinds)
    if way:
        raise BadInput(t("{name}: {suffix} files are not read. {way}", name=path.name, suffix=suffix, way=way))
    listed = ", ".join(kinds[:-1])
    message = t(
        "{name}: save it as {kinds} or {last} (text and tables also packed: .xz, .gz).", name=path.name, kinds=listed, last=kinds[-1]
    )
    raise BadInput(message)


def _conversion(kind: str, kinds: Collection[str]) -> str:
    """Return a sentence on how to convert a file of this kind into one of `kinds`; "" for a kind that nobody knows."""
    text = ".txt" if ".txt" in kinds else ".csv"
    written = ".docx" if ".docx" in kinds else text
    table = ".xlsx" if ".xlsx" in kinds else ".csv" if ".csv" in kinds else ".txt"
    book = ".epub" if ".epub" in kinds else text
    if ".txt" not in kinds and kind in _TEXT_KINDS:
        return t("Copy its table into a spreadsheet and save it as {kind}.", kind=table)
    if kind in ("doc", "rtf", "odt", "dot", "wps", "wpd", "docm", "docx"):
        return t("Open it in Word or LibreOffice and save it as {kind}.", kind=written)
    if kind in ("xls", "ods", "xlsb", "xlsm", "dbf", "xlsx"):
        return t("Open it in Excel or LibreOffice and save it as {kind}.", kind=table)
    if kind in ("pages", "numbers", "key", "gdoc", "gsheet"):
        return t("Export it as {kind} from the program that wrote it.", kind=table if kind in ("numbers", "gsheet") else written)
    if kind in ("ppt", "pptx", "odp"):
        return t("Copy its text into a {kind} file.", kind=text)
    if kind == "pdf":
        return t("Copy its text into a {kind} file.", kind=text)
    if kind in ("html", "htm", "xhtml", "mhtml"):
        return t("Open it in a browser, copy the text and save it as {kind}.", kind=text)
    if kind in ("xml", "tei", "tex", "md", "rst"):
        return t("Save its text as {kind}.", kind=text)
    if kind in ("mobi", "azw", "azw3", "fb2", "djvu", "epub"):
        return t("Convert it to {kind}, for example with Calibre.", kind=book)
    if kind in ("parquet", "feather", "arrow", "pkl", "pickle", "dta", "sav", "h5", "hdf5", "npz", "npy"):
        return t("Convert it in Python: pandas.read_…(file).to_csv('texts.csv', index=False).")
    if kind in ("rds", "rdata", "rda"):
        return t("Convert it in R: write.csv(data, 'texts.csv', row.names = FALSE).")
    if kind in ("db", "sqlite", "sqlite3", "mdb", "accdb"):
        return t("Export the table as {kind}.", kind=".csv")
    if kind in ("zip", "7z", "rar", "tar", "tgz", "bz2", "zst", "xz", "gz"):
        return t("Unpack it and choose the files inside.")
    if kind in ("png", "jpg", "jpeg", "tif", "tiff", "gif", "webp", "heic"):
        return t("It is a picture: recognize its text first (OCR) and save that as {kind}.", kind=text)
    return ""


def check_beginning(path: Path, data: bytes) -> None:
    """Raise BadInput where a file that is called text begins as one of another kind does."""
    kind = next((kind for beginning, kind in _BEGINNINGS.items() if data.startswith(beginning)), None)
    if kind is None:
        return
    kind = _kind_of_archive(path) if kind == "zip" else kind
    if kind in ("xlsx", "docx", "epub", "pdf"):
        raise BadInput(t("{name} is a .{kind} file by another name. Rename it {stem}.{kind}.", name=path.name, kind=kind, stem=path.stem))
    way = _conversion("xls" if kind == "doc" and path.suffix.lower() in (".csv", ".tsv") else kind, (".txt", ".csv"))
    raise BadInput(t("{name} is not text inside, whatever its name. {way}", name=path.name, way=way))


def _kind_of_archive(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError):
        return "zip"
    members = {"word/document.xml": "docx", "xl/workbook.xml": "xlsx", "META-INF/container.xml": "epub", "content.xml": "odt"}
    return next((kind for member, kind in members.items() if member in names), "zip")


def unpacked_size(path: Path) -> int:
    """Return the size of a file, or the sum of the sizes that an archive states for its members. No more than these is ever read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError):
        return path.stat().st_size if path.is_file() else 0


def check_archive(path: Path, needed: Collection[str], other: str) -> None:
    """Raise BadInput for an archive without any of the members `needed`, with too many members, or with too large ones.

    zipfile reads no more of a member than its stated size. `other` is the format that the message recommends.
    """
    kind = path.suffix.lower()
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if not set(needed) & set(archive.namelist()):
                raise zipfile.BadZipFile
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError):
        raise BadInput(_not_of_its_kind(path, kind, other)) from None
    if len(members) > MAX_MEMBERS:
        values = {"name": path.name, "n": len(members), "most": MAX_MEMBERS, "other": other}
        raise BadInput(t("{name} holds {n:,} files; the limit is {most:,}. Save it as {other}.", **values))
    most = limits().max_unpacked_mb
    if size > most * 10**6:
        values = {"name": path.name, "mb": size / 1e6, "most": most, "other": other}
        raise BadInput(t("{name} unpacks to {mb:,.0f} MB; the limit is {most:,.0f} MB. Save it as {other}.", **values))


def _not_of_its_kind(path: Path, kind: str, other: str) -> str:
    with path.open("rb") as stream:
        locked_or_old = stream.read(len(_OFFICE_97)) == _OFFICE_97
    if locked_or_old:
        values = {"name": path.name, "kind": kind}
        return t("{name} is locked with a password, or an older format. Save it without a password as {kind}.", **values)
    return t("{name} is not a {kind}, or locked. Save it as {other}.", name=path.name, kind=kind, other=other)
