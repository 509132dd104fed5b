"""A visitor's labels of a word's sentences: kept for the session, on one's own machine on disk too, changed step by step."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import streamlit as st

from core.common.config import cache_folder
from core.common.errors import ElmoscopeError
from core.common.limits import limits
from core.corpus import label_files
from core.corpus.spread import Labels
from core.files.artifacts import text_fingerprint
from core.files.atomic import replacing
from core.index.neighbours import Occurrence

KEPT, FAULT, TURN, UNSURE = "spread.labels", "spread.fault", "spread.turn", "spread.unsure"
DIGITS = 32


def current(key: tuple[str, str], items: Sequence[Occurrence]) -> Labels:
    """The labels of a corpus' word, by (corpus, word): this session's, else those on this machine."""
    labels = st.session_state.setdefault(KEPT, {})
    if key not in labels:
        labels[key] = Labels()
        path = _path(key)
        if path is not None and path.is_file():
            with suppress(ElmoscopeError):  # of an earlier version, or of other sentences: begun anew, the file stays
                labels[key] = label_files.read_labels(path, label_files.tokens_of(items)).labels
    return labels[key]


def change(key: tuple[str, str], items: Sequence[Occurrence], step: Callable[[Labels], Labels]) -> None:
    """Take a step, in a callback: what is wrong with it is said when the page is drawn, and nothing is lost."""
    state = st.session_state
    try:
        labels = step(current(key, items))
    except ElmoscopeError as error:
        state[FAULT] = str(error)
        return
    state[KEPT][key] = labels
    state[TURN] = turn() + 1  # selections were used: their boxes begin anew
    if (path := _path(key)) is not None:
        with suppress(ElmoscopeError, OSError), replacing(path) as temporary:
            temporary.write_text(label_files.format_labels(key[1], label_files.tokens_of(items), labels, None), "utf-8")


def turn() -> int:
    """Of the widgets that hold a selection."""
    return st.session_state.get(TURN, 0)


def unsure(key: tuple[str, str]) -> set[int]:
    """Sentences that the visitor was offered and could not decide."""
    return st.session_state.setdefault(UNSURE, {}).setdefault(key, set())


def _path(key: tuple[str, str]) -> Path | None:
    return cache_folder() / "labels" / f"{text_fingerprint(key)[:DIGITS]}.jsonl" if limits().paths else None  # on one's own machine alone
