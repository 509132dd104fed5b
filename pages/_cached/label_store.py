"""The user's labels of a word's sentences. They are in the session, and on the user's machine in a file that all tabs share."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.limits import limits
from core.corpus import label_files
from core.corpus.label_files import Token
from core.corpus.spread import Given, Labels

KEPT, FAULT, TURN, UNSURE, UNSAVED = "spread.labels", "spread.fault", "spread.turn", "spread.unsure", "spread.unsaved"
Key = tuple[str, str]  # corpus and word


def current(key: Key) -> Labels:
    """Return the current labels of a word by sentence. Other tabs and programs may have changed them."""
    state = st.session_state
    stored = state.setdefault(KEPT, {})
    labels = stored.get(key, Labels())
    if (path := file_of(key)) is not None:
        try:
            labels_on_disk = label_files.read_stored(path, key[1])
        except ElmoscopeError as error:
            state[FAULT] = str(error)
        else:
            labels = replace(labels, given=_with_unsaved(labels_on_disk, key))
    stored[key] = labels
    return labels


def change(key: Key, step: Callable[[Labels], Labels]) -> None:
    """Apply a change in a callback. The page shows its error. Labels that cannot be saved stay in the session."""
    state = st.session_state
    path = file_of(key)
    labels = current(key)
    unsaved = state.setdefault(UNSAVED, {})
    try:
        after = step(labels)
        if path is not None:
            after = label_files.change_stored(path, key[1], labels, lambda now: step(replace(now, given=_with_unsaved(now.given, key))))
            unsaved.pop(key, None)
    except label_files.CannotSave as error:
        state[FAULT] = str(error)
        unsaved[key] = unsaved.get(key, {}) | dict.fromkeys(dict(labels.given)) | dict(after.given)  # None: removed
    except ElmoscopeError as error:  # the step cannot be taken, perhaps on what another tab left
        state[FAULT] = str(error)
        return
    state[KEPT][key] = after
    state[TURN] = turn() + 1  # the boxes of used selections start again


def _with_unsaved(given: Given, key: Key) -> Given:
    """Return labels with the changes that could not be saved."""
    changed = dict(given) | st.session_state.get(UNSAVED, {}).get(key, {})
    return tuple((token, sense) for token, sense in changed.items() if sense)


def copy(key: Key, labels: Labels) -> None:
    """Add labels to those of another corpus in which the same sentences are."""
    change(key, lambda now: now.join(labels.given))


def forget(corpus: str) -> None:
    """Delete the labels of a corpus from this machine and from the session."""
    label_files.forget_stored(corpus)
    for labels_by_key in (st.session_state.get(name, {}) for name in (KEPT, UNSURE, UNSAVED)):
        for key in [key for key in labels_by_key if key[0] == corpus]:
            del labels_by_key[key]


def turn() -> int:
    """Return the number of the current widgets that hold a selection."""
    return st.session_state.get(TURN, 0)


def unsure(key: Key) -> set[Token]:
    """Return the sentences that the user was offered and could not decide."""
    return st.session_state.setdefault(UNSURE, {}).setdefault(key, set())


def find_set_aside(key: Key) -> list[Path]:
    """Return the files of labels that could not be read."""
    with suppress(OSError):
        return label_files.find_set_aside(path) if (path := file_of(key)) else []
    return []


def file_of(key: Key) -> Path | None:
    """Return the file that stores the labels, or None on a public server."""
    return label_files.stored_file(*key) if limits().paths else None
