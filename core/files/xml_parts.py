"""Read the XML parts of archives (.docx, .xlsx, .epub) as a stream of elements, with bounded nesting."""

import zipfile
from collections.abc import Callable
from xml.parsers import expat

from ..common import steps
from ..common.errors import BadInput
from ..common.i18n import t

PIECE = 1 << 16  # bytes read at a time
MAX_DEPTH = 256  # of nested elements

Start = Callable[[str, dict[str, str]], None]


def read_part(
    archive: zipfile.ZipFile,
    member: str,
    name: str,
    start: Start,
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
            steps.step(len(piece))
            parser.Parse(piece, False)
    parser.Parse(b"", True)


def local_name(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition(" ")[2]
