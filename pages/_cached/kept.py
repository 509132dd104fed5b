"""What pages compute once: kept by everything that it depends on, within the budget of core.common.memo.

A name is not what it stands for: a file may be edited, another language reads the same text otherwise. So whatever a function
is told by the name of a parameter in KINDS is kept by its content, too.
"""

import functools
import inspect
import threading
from collections.abc import Callable, Hashable, Iterable
from contextlib import nullcontext
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common.memo import Kept
from core.index.contents import content_of
from core.text import languages

P = ParamSpec("P")
R = TypeVar("R")
KINDS = {"corpus": "corpus", "model": "model", "model_name": "model", "vectors": "vectors", "vectors_name": "vectors"}
KEPT = Kept()
_RUN = threading.local()  # of each thread that runs a page: which run, and what names stand for in it


def kept(most: int, *, weighed: bool = True, **kinds: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep a function's values, `most` of them; what begins with an underscore is passed on and does not tell calls apart.

    `kinds` says of parameters what they name, where KINDS does not. Values are shared: nobody may change them.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        maker = f"{function.__module__}.{function.__qualname__}"
        signature = inspect.signature(function)
        KEPT.forget(maker)  # the file of the function was edited while the server runs
        named = {name: kind for name in signature.parameters if (kind := (KINDS | kinds).get(name))}

        @functools.wraps(function)
        def found(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()  # the same call, whether what is not said is said or not
            given = bound.arguments
            key = tuple((name, value) for name, value in given.items() if not name.startswith("_"))
            versions = tuple(version(given[name], kind) for name, kind in named.items() if name in given)
            return KEPT.value(maker, (key, versions), lambda: function(*args, **kwargs), most=most, weighed=weighed)

        return found

    return decorate


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
    """What `make` returns, once for this key and the contents of what it reads, each a kind and a name; `meanwhile` is on the page."""

    def work() -> R:
        with st.spinner(meanwhile) if meanwhile else nullcontext():
            return make()

    versions = tuple((name, version(name, kind)) for kind, name in reads)
    return KEPT.value(maker, (versions, key), work, most=most, weighed=weighed)


def version(name: str, kind: str) -> tuple:
    """What a name stands for now. A page asks for the same few names a hundred times: within one run of it, they are looked up once."""
    known = _known_of_run()
    if known is None:
        return content_of(name, kind)
    key = name, kind, languages.in_use().code if kind == "corpus" else ""
    if key not in known:
        known[key] = content_of(name, kind)
    return known[key]


def within_run(function: Callable[P, R]) -> Callable[P, R]:
    """Ask a function once within one run of a page for what it is asked again and again: names whose files are looked up each time."""

    @functools.wraps(function)
    def found(*args: P.args, **kwargs: P.kwargs) -> R:
        known = _known_of_run()
        if known is None:
            return function(*args, **kwargs)
        key = function, args, tuple(kwargs.items()), languages.in_use().code
        if key not in known:
            known[key] = function(*args, **kwargs)
        return known[key]

    return found


def _known_of_run() -> dict | None:
    """What this run of a page, in this thread, has looked up so far; None where no page runs."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is None:
        return None
    if getattr(_RUN, "of", None) is not run.cursors:  # Streamlit makes these anew for every run
        _RUN.of, _RUN.known = run.cursors, {}
    return _RUN.known
