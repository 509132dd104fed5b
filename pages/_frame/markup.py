"""Show texts from users in places where Streamlit reads Markdown, such as file names, labels and error messages."""

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common import markup
from core.common.config import ROOT, cache_folder, data_folder
from core.common.errors import ElmoscopeError
from core.common.limits import limits
from core.files import user_names
from pages._export import record

_TAIL = r"(?:[/\\][^\s/\\:;,\"'“”()<>]+)*"
_BEGINS, _ENDS = r"(?<![\w.~-])", r"(?![\w-]|\.\w)"  # around a folder's path: "/tmp" is neither in "/var/tmp/x" nor in "/tmpx"
_ANY = rf"(?<![\w/\\:.<])(?:~|[A-Za-z]:)?{_TAIL[:-1]}{{2,}}"  # a path of at least two parts, unlike "and/or"


def plain(text: object) -> str:
    """Escape a text for Markdown. Paths of this machine are replaced by names, and stored names of uploads by their owners' names."""
    return markup.plain(pathless(user_names.restore_names(str(text))))


def show_html(template: str, /, *values: object, place: DeltaGenerator = st, **named: object) -> None:
    """Show HTML from a template (core.common.markup.html) on the page or in `place`."""
    place.html(markup.html(template, *values, **named))


def component(name: str, path: Path, **parts: str) -> Callable[..., Any]:
    """Return the component of the files `path`.html, .css and .js, as far as they exist, and of other `parts`."""
    files = {end: path.with_suffix(f".{end}") for end in ("html", "css", "js")}
    return st.components.v2.component(name, **parts, **{end: file.read_text("utf-8") for end, file in files.items() if file.is_file()})


def pathless(text: str) -> str:
    """Shorten each path in this program's folders to its last name. On a server without paths, shorten every path."""
    if "/" not in text and "\\" not in text:
        return text
    roots = {str(place) for place in (cache_folder(), ROOT, data_folder(), gettempdir()) if place}
    folders = "|".join(re.escape(root) for root in sorted(roots, key=len, reverse=True))
    for pattern in (rf"{_BEGINS}(?:{folders}){_ENDS}{_TAIL}", *(() if limits().paths else (_ANY,))):
        text = re.sub(pattern, lambda match: re.split(r"[/\\]", match[0].rstrip("/\\"))[-1], text)
    return text


@contextmanager
def show_errors() -> Iterator[None]:
    """Show a user's error where it arose and leave the rest of the page working."""
    try:
        yield
    except ElmoscopeError as error:
        st.error(plain(error), icon=":material/error:")


def fragment(function: Callable[..., None]) -> Callable[..., None]:
    """Make a function a Streamlit fragment that shows its own errors, which do not reach its caller."""

    @st.fragment
    @functools.wraps(function)
    def show(*args, **kwargs) -> None:
        with record.now().drawing, show_errors():
            function(*args, **kwargs)

    return show
