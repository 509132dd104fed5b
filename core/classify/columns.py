"""Which columns a table of one's own has, and which of them look like its texts and its labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ..common import notes
from ..text.composed import folded
from .column_names import LABEL_COLUMNS, TEXT_COLUMNS, one_text
from .tables import MAX_CHARACTERS, iterate_rows

LOOKED_AT = 1_000  # rows
MAX_CELLS = 200_000  # of these rows


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a file, and which of them look like texts and like the label (numbers from 0)."""

    names: tuple[str, ...]
    texts: tuple[int, ...]
    label: int | None


def read_columns(path: str | Path) -> Columns:
    """Return the columns of a .csv, .tsv, .xlsx or .jsonl file, or of a .txt file with tabs.

    The label column has a usual name, or else its values recur most. The text columns have usual names, or else the text is the column with
    the most characters. The first LOOKED_AT rows decide, or fewer rows of a wide table.
    """
    path = Path(path)
    with notes.collecting():  # dropped, because reading the rows adds the same notes
        placed = iterate_rows(path, numbered=False)
        _, names = next(placed)
        n_rows = max(2, min(LOOKED_AT, MAX_CELLS // max(1, len(names))))
        rows = [[cell[:MAX_CHARACTERS] for cell in cells] for _, cells in islice(placed, n_rows) if len(cells) == len(names)]
    names, names_folded = [name.strip() for name in names], [folded(name.strip()) for name in names]
    label = next((k for k, name in enumerate(names_folded) if name in LABEL_COLUMNS), None)
    if label is None:
        kinds = {k: len({row[k].strip() for row in rows}) for k in range(len(names))}
        recurring = [k for k, n in kinds.items() if 2 <= n <= len(rows) // 2]
        label = min(recurring, key=lambda k: (kinds[k], k), default=None)
    texts = one_text([k for k, name in enumerate(names_folded) if name in TEXT_COLUMNS and k != label], names_folded)
    if not texts:
        lengths = {k: sum(len(row[k]) for row in rows) for k in range(len(names)) if k != label}
        texts = [max(lengths, key=lengths.get)] if lengths else []
    return Columns(tuple(names), tuple(texts), label)


def selector(names: Sequence[str], number: int) -> str | int:
    """A column as readers of tables, and their commands, know it: by its name; by its number where no name is its alone."""
    name = names[number - 1]
    alone = sum(other.casefold() == name.casefold() for other in names) == 1
    return name if name and alone and not name.isdecimal() else number
