"""Record what a view shows as it is drawn, for the exports: figures, tables, sentences, settings and address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from threading import RLock
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from core.common import i18n, model_layers
from core.common.markup import Markup
from core.common.model_layers import Layers
from core.text import languages
from core.text.languages import Language

if TYPE_CHECKING:  # not at run time: a page's title does not wait for them
    import pandas as pd
    import plotly.graph_objects as go

KEY = "_taken"  # in the session
PLAIN = (str, int, float, bool)
LOCAL = (".localhost", ".local", ".localdomain", ".lan", ".internal", ".home", ".home.arpa", ".intranet", ".corp", ".test", ".invalid")


@dataclass(frozen=True, slots=True)
class NotedFigure:
    """A figure of the view, or a function that makes it, with its description."""

    figure: go.Figure | Callable[[], go.Figure]
    alt: str


@dataclass(frozen=True, slots=True)
class NotedTable:
    """A table of the view, the name of its file, and its title on the page."""

    table: pd.DataFrame
    name: str
    label: str


@dataclass
class Taken:
    """The record of one view from the start of a run of its page. Fragments that run again change it."""

    view: str  # its code in pages._frame.menu; "home" for app.py
    title: str  # in the menu
    in_use: Any = None  # pages._frame.in_use.InUse
    before: tuple[str, dict[str, str]] | None = None  # the view before this one, and its address
    question: str = ""
    lede: str = ""
    language: str = i18n.ENGLISH
    reads: Language = field(default_factory=languages.in_use)  # the language that text is read as
    layers: Layers = field(default_factory=model_layers.in_use)  # the model's layers
    settings: dict[str, Any] = field(default_factory=dict)  # values of all controls, by key
    address: str = ""
    drawing: Any = field(default_factory=RLock, repr=False)  # held by a fragment while it draws
    _noted: dict[tuple[str, str], tuple[Any, str | None, Any]] = field(default_factory=dict)  # what, by which fragment, in which run
    _runs: dict[str | None, Any] = field(default_factory=dict)  # fragment -> its last run
    _notices: int = 0  # number of notices in that run

    @contextmanager
    def exported(self) -> Iterator[None]:
        """Wait until the view is completely drawn, and restore its languages and layers: a file is made in a separate thread."""
        with self.drawing, i18n.within(self.language), languages.reading(self.reads), model_layers.speaking_of(self.layers):
            yield

    def note(self, kind: str, what: Any, key: str = "") -> None:
        """Record a "figure", "table", "notice" or "typed". What a fragment drew in its last run and not in this one is removed."""
        fragment = ThreadState.get().fragment_id
        run = get_script_run_ctx().fragment_ids_this_run
        if run is not None and self._runs.get(fragment) is not run:
            self._runs[fragment] = run
            self._notices = 0
        if not key:
            key = f"{fragment}.{self._notices}"
            self._notices += 1
        self._noted[kind, key] = what, fragment, run
        self.look()

    def figures(self) -> dict[str, NotedFigure]:
        return self._all("figure")

    def tables(self) -> dict[str, NotedTable]:
        return self._all("table")

    def list_texts(self) -> list[tuple[str, str]]:
        """Return what was typed and which words are meant in it: each box's label and text, without empty ones."""
        return [(label, text) for label, text in self._all("typed").values() if text.strip()]

    def link(self) -> str:
        """Return the address where others can open it, or "" if the server is on this machine or in its network."""
        url = urlsplit(self.address)
        return self.address if url.scheme in ("http", "https") and _is_public(url.hostname or "") else ""

    def place(self) -> str:
        """Return the address without its server, for any Elmoscope."""
        url = urlsplit(self.address)
        return f"{url.path or '/'}{'?' if url.query else ''}{url.query}"

    def query(self) -> list[tuple[str, str]]:
        """Return the URL parameters with one value each."""
        return parse_qsl(urlsplit(self.address).query, keep_blank_values=True)

    def notices(self) -> list[Markup]:
        return list(self._all("notice").values())

    def _all(self, kind: str) -> dict[str, Any]:
        return {
            key: what
            for (item_kind, key), (what, fragment, run) in self._noted.items()
            if item_kind == kind and self._runs.get(fragment) is run
        }

    def look(self) -> None:
        """Read the controls and the address again."""
        self.reads, self.layers = languages.in_use(), model_layers.in_use()
        self.settings = {key: value for key, value in st.session_state.to_dict().items() if _is_plain(value)}
        query = urlencode({key: st.query_params.get_all(key) for key in st.query_params}, doseq=True)
        self.address = f"{st.context.url or ''}{'?' if query else ''}{query}"


def begin(view: str, title: str, in_use: Any) -> None:
    last = st.session_state.get(KEY)
    before = last and (last.before if last.view == view else (last.view, dict(last.query())))
    st.session_state[KEY] = Taken(view, title, in_use, before, language=i18n.language())


def now() -> Taken:
    if KEY not in st.session_state:
        begin("", "", None)
    return st.session_state[KEY]


def _is_public(host: str) -> bool:
    """Return whether a host name or IP address can be reached from anywhere."""
    with suppress(ValueError):
        return ip_address(host).is_global
    name = host.rstrip(".").casefold()
    return "." in name and not name.endswith(LOCAL)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, PLAIN) or (isinstance(value, list | tuple) and all(isinstance(v, PLAIN) for v in value))
