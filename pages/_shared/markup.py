"""Texts that are not ours, shown where Streamlit reads Markdown: names of files and labels, words that were typed, errors about them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.errors import ElmoscopeError

MARKDOWN = frozenset(r"\`*_{}[]()#+!|~$<>:^&")


def plain(text: object) -> str:
    """`text` as it stands: Markdown finds nothing in it to mark up, to link, or to fetch."""
    return "".join(f"\\{sign}" if sign in MARKDOWN else sign for sign in str(text))


@contextmanager
def shown_errors() -> Iterator[None]:
    """Show a user's error where it arose and leave the rest of the page working."""
    try:
        yield
    except ElmoscopeError as error:
        st.error(plain(error), icon=":material/error:")
