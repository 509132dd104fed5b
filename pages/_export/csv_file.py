"""Tables as CSV that spreadsheets open without running a cell."""

import pandas as pd

from core.files.formulas import guard


def csv_of(table: pd.DataFrame) -> bytes:
    """Return a table as CSV in UTF-8 with a byte order mark. Cells that a spreadsheet would run are quoted."""
    safe = table.map(_plain_cell).rename(columns=_plain_cell)
    return safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")  # by which a lone \r is quoted, too


def _plain_cell(value):
    return guard(value) if isinstance(value, str) else value
