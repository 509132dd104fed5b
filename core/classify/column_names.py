"""Which columns of a table hold texts and labels: those of the usual names, or those that the caller names or numbers."""

from collections.abc import Sequence

from ..common.i18n import t
from ..text.composed import folded
from ..text.file_lines import Place, refuse, show_value
from ..text.tables import INDEX_NAMES

LABEL_COLUMNS = ("label", "class", "category", "target", "v1", "y", "sentiment", "topic", "class index")
TEXT_COLUMNS = ("text", "title", "description", "headline", "message", "sentence", "v2", "content", "body", "review", "sms")


def find_columns(names: list[str], wanted: Sequence[str | int], place: Place) -> list[int]:
    """Return the positions of the columns that the caller named (ignoring case) or numbered from 1."""
    names_folded = [folded(name) for name in names]
    results = []
    for column in wanted:
        if isinstance(column, int) and 1 <= column <= len(names):
            results.append(column - 1)
            continue
        column = str(column)
        if folded(column.strip()) in names_folded:
            results.append(names_folded.index(folded(column.strip())))
        elif column.isdecimal() and 1 <= int(column) <= len(names):
            results.append(int(column) - 1)
        else:
            missing = t("no column {column} among {columns}", column=show_value(column), columns=show_value(names, 300))
            refuse(place, missing, t("Name one of them, or give its number."))
    return results


def usual_columns(names: list[str], usual: Sequence[str], what: str, place: Place) -> list[int]:
    """Return the positions of the columns with usual names, in the order of the file; at least one."""
    names_folded = [folded(name) for name in names]
    results = [k for k, name in enumerate(names_folded) if name in usual]
    if not results and what == "text":  # the only other column, whatever it is called; row numbers aside
        others = [k for k, name in enumerate(names_folded) if not INDEX_NAMES.fullmatch(name)]
        label = next((k for k in others if names_folded[k] in LABEL_COLUMNS), None)
        results = [k for k in others if k != label] if len(others) == 2 else []
    if not results and what == "label":
        missing = t("no label column among {columns}", columns=show_value(names, 300))
        refuse(place, missing, t("Say which one holds the label (--label-column)."))
    if not results:
        missing = t("no text column among {columns}", columns=show_value(names, 300))
        refuse(place, missing, t("Say which one holds the text (--text-column)."))
    return results if what == "label" else one_text(results, names_folded)


def one_text(result: list[int], names: list[str]) -> list[int]:
    """A title and its description belong together; beside a column called "text" others would say the same twice."""
    return [k for k in result if names[k] == "text"] or result
