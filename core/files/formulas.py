"""Write tables as CSV, with a guard before cells that a spreadsheet would run as a formula."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the first paint must not wait for it
    import pandas as pd

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"  # what begins a formula, the wide forms included


def format_csv(table: "pd.DataFrame") -> str:
    """Return a table as CSV. Texts that a spreadsheet would run are quoted, numbers stay numbers."""
    safe = table.map(_guard_text).rename(columns=_guard_text)
    return safe.to_csv(index=False, lineterminator="\r\n")  # with this terminator a lone \r is quoted as well


def encode_csv(table: "pd.DataFrame") -> bytes:
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
