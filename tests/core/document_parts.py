"""Small documents made in a test: PDF, e-books and workbooks."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

import openpyxl

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def pdf(*pages: Sequence[str]) -> bytes:
    """A PDF of these pages, each a list of lines; a page without any has no text."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    numbers = []
    for lines in pages:
        shown = [line.replace("(", r"\(").replace(")", r"\)") for line in lines]
        stream = "BT /F1 12 Tf 14 TL 72 720 Td " + " ".join(f"({line}) Tj T*" for line in shown) + " ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {font} /Contents {len(objects)} 0 R >>")
        numbers.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(numbers)}] /Count {len(numbers)} >>"
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1"))
    begin = out.tell()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode())
    out.write(f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{begin}\n%%EOF\n".encode())
    return out.getvalue()


def epub(chapters: dict[str, str], spine: Sequence[str] = (), *, more: dict[str, str] | None = None) -> bytes:
    """An e-book of chapters (file name -> body), in the order of `spine`, else in theirs; `more` members as they are."""
    properties = {name: ' properties="nav"' for name in chapters if name.startswith("nav")}
    items = "".join(
        f'<item id="i{k}" href="{name}" media-type="application/xhtml+xml"{properties.get(name, "")}/>' for k, name in enumerate(chapters)
    )
    places = {name: k for k, name in enumerate(chapters)}
    references = "".join(f'<itemref idref="i{places[name]}"/>' for name in spine or chapters)
    package = f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{references}</spine></package>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OEBPS/book.opf", package)
        for name, body in chapters.items():
            head = "<head><title>A title</title><style>p {color: red}</style></head>"
            archive.writestr(f"OEBPS/{name}", f'<html xmlns="http://www.w3.org/1999/xhtml">{head}<body>{body}</body></html>')
        for name, content in (more or {}).items():
            archive.writestr(name, content)
    return out.getvalue()


def workbook(path: Path, **sheets: Sequence[Sequence]) -> Path:
    """A workbook of these sheets, each a list of rows of values."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    return path
