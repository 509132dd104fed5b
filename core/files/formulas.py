"""Guard table cells that a spreadsheet would run as a formula, and undo it when a file is read again."""

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"  # what begins a formula, the wide forms included


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


def _is_formula(cell: str) -> bool:
    """Whether a cell begins as a formula does, also behind blanks and invisible characters."""
    first = next((sign for sign in cell if sign.isprintable() and not sign.isspace()), "")
    return (first != "" and first in SIGNS) or cell[:1] in ("\t", "\r", "\n")
