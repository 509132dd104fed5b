"""Texts that are not ours, shown where Streamlit reads Markdown: names of files and labels, words that were typed, errors about them."""

from __future__ import annotations

MARKDOWN = frozenset(r"\`*_{}[]()#+!|~$<>:^&")


def plain(text: object) -> str:
    """`text` as it stands: Markdown finds nothing in it to mark up, to link, or to fetch."""
    return "".join(f"\\{sign}" if sign in MARKDOWN else sign for sign in str(text))
