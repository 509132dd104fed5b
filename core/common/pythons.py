"""The supported Python versions, checked before anything is imported that another version lacks."""

import sys

from .i18n import t

OLDEST, NEWEST = (3, 11), (3, 13)  # Pythons for which every package of requirements.txt is ready made


def unsupported() -> str:
    """Return the error message for a Python that is too old or too new, or ""."""
    if OLDEST <= tuple(sys.version_info[:2]) <= NEWEST:
        return ""
    version = ".".join(map(str, sys.version_info[:3]))
    return t("Elmoscope needs Python 3.11, 3.12 or 3.13, not {here}. Run: python3.13 -m venv .venv", here=version)
