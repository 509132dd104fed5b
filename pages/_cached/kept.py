"""Cache what pages compute, by everything that it depends on, within the budget of core.common.memo.

A file can change under the same name. Therefore the key holds the contents of what is read, not only names. The key
also holds the model or the language that texts are read as.
"""

import functools
import threading
from collections.abc import Callable, Hashable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common.memo import Kept
from core.files import registry
from core.files.artifacts import file_sha256
from core.text import languages
from core.text.labeled_words import owner_of

P = ParamSpec("P")
R = TypeVar("R")
KEPT = Kept()
_RUN = threading.local()  # for each thread that runs a page: the run, and the cached values of its names


def keep(
    maker: str,
    reads: Iterable[tuple[str, str]],
    key: Hashable,
    make: Callable[[], R],
    *,
    most: int,
    weighed: bool = True,
    meanwhile: str = "",
) -> R:
    """Return the cached result of `make` for a key and the contents of `reads` (kinds and names). Show `meanwhile` while it is computed."""

    def work() -> R:
        with st.spinner(meanwhile) if meanwhile else nullcontext():
            return make()

    versions = tuple((name, version(name, kind)) for kind, name in reads)
    return KEPT.value(maker, (versions, key), work, most=most, weighed=weighed)


def within_run(function: Callable[P, R]) -> Callable[P, R]:
    """Cache a function within one run of a page, for names whose files would be looked up each time."""

    @functools.wraps(function)
    def found(*args: P.args, **kwargs: P.kwargs) -> R:
        run = get_script_run_ctx(suppress_warning=True)
        if run is None:
            return function(*args, **kwargs)
        if getattr(_RUN, "of", None) is not run.cursors:  # Streamlit makes new cursors for every run
            _RUN.of, _RUN.known = run.cursors, {}
        key = function, args, tuple(kwargs.items()), languages.in_use().code
        if key not in _RUN.known:
            _RUN.known[key] = function(*args, **kwargs)
        return _RUN.known[key]

    return found


def content_of(name: str, kind: str) -> tuple:
    """Return the sha256 of a file of texts, or the places, sizes and times of last change of other files; () if there is nothing.

    Two corpora of a language are parts of one file, so their names count too.
    """
    path = registry.place_of(name, kind)
    try:
        if path is None:
            return ()
        if path.is_dir():
            return (str(path), *(_stamp(file) for file in sorted(path.iterdir()) if file.is_file()))
        if kind != "corpus":
            return _stamp(path)
        return (_sha256(_stamp(path)), name) if owner_of(name) else (_sha256(_stamp(path)),)
    except OSError:
        return ()


def _stamp(path: Path) -> tuple:
    stat = path.stat()
    return str(path), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


@functools.lru_cache(maxsize=256)
def _sha256(stamp: tuple) -> str:
    """Return the sha256 of a file; it is read again when its stamp changes."""
    return file_sha256(stamp[0])


version = within_run(content_of)  # the fingerprint of the contents of a name, in this run
