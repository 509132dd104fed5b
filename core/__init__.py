"""Elmoscope's thinking: ELMo, static vectors, occurrences, neighbours, maps, senses. It knows no web framework."""

import sys

__version__ = "0.1.0"
OLDEST, NEWEST = (3, 11), (3, 13)  # Pythons for which every package of requirements.txt is ready made


def unsupported() -> str:
    """The sentence for a Python that is too old or too new; empty for one that works."""
    if OLDEST <= tuple(sys.version_info[:2]) <= NEWEST:
        return ""
    from core.texts import t

    here = ".".join(map(str, sys.version_info[:3]))
    return t(
        "Elmoscope runs on Python 3.11, 3.12 and 3.13, and this is Python {here}. Make its environment with one of those: python3.13 -m venv .venv",
        here=here,
    )
