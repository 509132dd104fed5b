"""Catalogs as translators keep them, .po files, by Babel: what the code says looked up, a catalog brought up to date, compiled.
Imported where a .po is read or written only, for Babel takes a third of a second to import: pages read the .mo."""

import ast
import io
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, PoFileParser, write_po

from .errors import BadInput

CALLS = {"t": 1, "tn": 2}  # the functions of core.common.i18n that say a literal, and how many: tn takes singular and plural
Text = str | tuple[str, str]


class Catalog(Catalog):
    """A catalog whose header holds no dates, names or versions: the same texts are the same bytes."""

    mime_headers = Catalog.mime_headers.getter(
        lambda self: [
            ("Language", self.locale_identifier),
            ("Content-Type", f"text/plain; charset={self.charset}"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_forms),
        ]
    )


def read(path: Path) -> Catalog:
    """A .po file; an empty catalog of the language that the file is named after, where there is none yet."""
    try:
        texts = Catalog(locale=path.stem, fuzzy=False, header_comment=f"# Elmoscope's interface, {path.stem}: python -m core.lab texts")
        if path.exists():
            PoFileParser(texts, ignore_obsolete=True, abort_invalid=True).parse(io.BytesIO(path.read_bytes()))
        return texts
    except (PoFileError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} is no .po file that can be read: {error}. Correct it.") from None


def po_bytes(texts: Catalog) -> bytes:
    """As a .po file: sorted by the English, each text on one line, so that what two people add merges; no place in the code, which moves."""
    for message in texts:
        message.flags -= {"python-format", "python-brace-format"}  # guessed from "50% of"; and a particle is no format of Python's
    file = io.BytesIO()
    write_po(file, texts, width=0, no_location=True, sort_output=True, ignore_obsolete=True)
    return file.getvalue()


def compiled(texts: Catalog) -> bytes:
    """As a .mo file, which gettext reads; what is empty or fuzzy is left out, so it stays English."""
    file = io.BytesIO()
    write_mo(file, texts)
    return file.getvalue()


def in_code(root: Path) -> dict[Text, str]:
    """Every literal that the app says by `t` or `tn` -> where it stands first. By the syntax tree: Babel's own extractor passes over
    calls inside of f-strings before Python 3.12."""
    texts: dict[Text, str] = {}
    for path in (root / "app.py", *sorted((root / "pages").rglob("*.py")), *sorted((root / "core").rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
                literals = tuple(arg.value for arg in node.args[: CALLS[node.func.id]] if isinstance(arg, ast.Constant))
                if len(literals) == CALLS[node.func.id]:  # else a test names it
                    texts.setdefault(literals if len(literals) > 1 else literals[0], f"{path.relative_to(root)}:{node.lineno}")
    return texts


def renew(texts: Catalog, places: dict[Text, str]) -> tuple[list[Text], list[Text]]:
    """Give the catalog an empty entry for each text that is said and new, and remove those no longer said; which these are. An entry with
    a remark of its own ("# ...") stays: names that the code writes elsewhere and says by `say`."""
    there = {message.id: bool(message.user_comments) for message in texts if message.id}
    new, unused = (
        [text for text in places if text not in there],
        [text for text, kept in there.items() if not kept and text not in places],
    )
    for text in unused:
        texts.delete(text)
    for text in new:
        texts.add(text, "")
    return new, unused
