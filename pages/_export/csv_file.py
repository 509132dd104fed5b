"""A table as CSV that spreadsheets open and do not run."""

import pandas as pd

FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # what begins one, the wide forms included


def csv_of(table: pd.DataFrame) -> bytes:
    """A table as CSV, UTF-8 with a mark that spreadsheets know it by; cells that one would run are quoted."""
    safe = table.map(_plain_cell).rename(columns=_plain_cell)
    return safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")  # by which a lone \r is quoted, too


def _plain_cell(value):
    """A text that a spreadsheet would take for a formula, also behind blanks and unseen signs, with a quote before it."""
    if not isinstance(value, str):
        return value
    first = next((sign for sign in value if sign.isprintable() and not sign.isspace()), "")
    return f"'{value}" if (first in FORMULA and first) or value[:1] in ("\t", "\r", "\n") else value
