"""Read, update and compile translators' catalogs (.po) with Babel.

Babel takes a third of a second to import, so this module is imported only for .po files; pages read .mo files.
"""

import ast
import io
import json
from itertools import chain
from pathlib import Path

from babel.messages.catalog import Catalog as BabelCatalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, PoFileParser, write_po

from .errors import BadInput

SLIDES, SLIDE_FIELDS = "pages/_learn/slides.json", {"title", "note", "question", "lede", "exercise"}
CALLS = {"t": 1, "tn": 2}  # functions of core.common.i18n and the literals that each translates: tn takes singular and plural
Text = str | tuple[str, str]


class Catalog(BabelCatalog):
    """A catalog whose header has no dates, names or versions: the same texts give the same bytes."""

    @BabelCatalog.mime_headers.getter
    def mime_headers(self) -> list[tuple[str, str]]:
        """Return the header's entries. Babel's setter stays."""
        return [
            ("Language", self.locale_identifier),
            ("Content-Type", f"text/plain; charset={self.charset}"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_forms),
        ]


def read(path: Path) -> Catalog:
    """Read a .po file, or return an empty catalog of the language in its name if it does not exist."""
    try:
        texts = Catalog(locale=path.stem, fuzzy=False, header_comment=f"# Elmoscope's interface, {path.stem}: python -m core.lab texts")
        if path.exists():
            PoFileParser(texts, ignore_obsolete=True, abort_invalid=True).parse(io.BytesIO(path.read_bytes()))
        return texts
    except (PoFileError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} cannot be read as a .po file: {error}. Correct it.") from None


def po_bytes(texts: Catalog) -> bytes:
    """Return a .po file sorted by the English texts, one line each, so that concurrent additions merge."""
    for message in texts:
        message.flags -= {"python-format", "python-brace-format"}  # Babel guesses them from "50% of"; Python has no format for particles
    file = io.BytesIO()
    write_po(file, texts, width=0, no_location=True, sort_output=True, ignore_obsolete=True)
    return file.getvalue()


def compiled(texts: Catalog) -> bytes:
    """Return the .mo file of a catalog. Empty and fuzzy entries are left out and stay English."""
    file = io.BytesIO()
    write_mo(file, texts)
    return file.getvalue()


def in_code(root: Path) -> dict[Text, str]:
    """Return every literal translated by `t` or `tn` with its first place, from the syntax tree, and the texts of slides.json.

    Babel's extractor skips calls inside f-strings before Python 3.12.
    """
    items = chain(*json.loads((root / SLIDES).read_text("utf-8")).values())
    texts: dict[Text, str] = {item[field]: SLIDES for item in items for field in SLIDE_FIELDS & item.keys()}
    for path in (root / "app.py", *sorted((root / "pages").rglob("*.py")), *sorted((root / "core").rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
                literals = tuple(arg.value for arg in node.args[: CALLS[node.func.id]] if isinstance(arg, ast.Constant))
                if len(literals) == CALLS[node.func.id]:  # a test finds any other call
                    texts.setdefault(literals if len(literals) > 1 else literals[0], f"{path.relative_to(root)}:{node.lineno}")
    return texts


def renew(texts: Catalog, places: dict[Text, str]) -> tuple[list[Text], list[Text]]:
    """Add an empty entry for each new text and remove those no longer used; return both.

    Entries with a comment ("# ...") stay: names that the code defines elsewhere and translates by `say`.
    """
    entries = {message.id: bool(message.user_comments) for message in texts if message.id}
    new = [text for text in places if text not in entries]
    unused = [text for text, has_comment in entries.items() if not has_comment and text not in places]
    for text in unused:
        texts.delete(text)
    for text in new:
        texts.add(text, "")
    return new, unused
