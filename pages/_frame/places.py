"""Ask the user before reading a file or folder of this machine that an address names.

Anyone can write a link. Therefore a path is removed from the address before any widget sees it, and the page asks whether to read it. It
asks again in each session. A path that the user types into a box is read without a question.
"""

from collections.abc import Mapping
from types import MappingProxyType

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import check_allowed
from core.common.markup import code
from core.common.model_layers import MIX, SENSES
from core.files import registry

FOLDER, SPACE = "folder", "space"
# Parameters that can hold a path, and the kind of the file: one of the registry, a space as Compare names it, or a folder.
KINDS: Mapping[str, str] = MappingProxyType(
    {
        "model": "model",
        "beside": "model",
        "vectors": "vectors",
        "corpus": "corpus",
        "first_corpus": "corpus",
        "second_corpus": "corpus",
        "change_first": "corpus",
        "change_second": "corpus",
        "against": "corpus",
        "first": SPACE,
        "second": SPACE,
        "corpus_folder": FOLDER,
    }
)
ALLOWED = "places.read"  # the session's key of the values that the user allowed or typed
PROPOSALS = "places.proposed"  # the session's key of a page and the paths in its link: parameter -> value


def is_place(name: str, value: str) -> bool:
    """Return whether a parameter's value is a path of this machine, and not a registered name."""
    kind = KINDS.get(name)
    if kind is None or not value.strip():
        return False
    if kind == FOLDER:
        return True
    if kind == SPACE:
        source, _, layer = value.strip().rpartition("·")
        if layer.strip().isdecimal() or layer.strip() in (MIX, SENSES):
            return registry.names_place(source, "model")
        return registry.names_place(value, "model") or registry.names_place(value, "vectors")
    return registry.names_place(value, kind)


def may_read(name: str, value: str) -> bool:
    """Return whether a value of the address may be used: it is not a path, or the user has allowed or typed it."""
    state = st.session_state
    if not is_place(name, value) or value in state.get(ALLOWED, ()):
        return True
    if state.get(name) == value:  # boxes never get a path from an address, so the user typed it
        _allow(value)
        return True
    return False


def keep_typed() -> None:
    """Allow the paths in the boxes, for other pages that get them by their address. Call it at the end of a run."""
    for name in KINDS:
        value = st.session_state.get(name)
        if isinstance(value, str) and is_place(name, value):
            _allow(value)


def propose(name: str, value: str) -> str:
    """Store a path that was removed from the address, so that `show` asks about it. Return an error if paths are off, or ""."""
    try:
        check_allowed("paths")
    except BadInput as error:
        return str(error)
    page, proposals = st.session_state.get(PROPOSALS, ("", {}))
    st.session_state[PROPOSALS] = _page(), (proposals if page == _page() else {}) | {name: value}
    return ""


def show() -> None:
    """Ask whether to read the paths in the link that opened this page."""
    page, proposals = st.session_state.get(PROPOSALS, ("", {}))
    if page != _page():
        st.session_state.pop(PROPOSALS, None)
        return
    for name, value in proposals.items():
        row = st.container(border=True, horizontal=True, vertical_alignment="center", gap="small", key=f"places-{name}")
        if KINDS[name] == FOLDER:
            row.markdown(t("This link names the folder {place} of this machine.", place=code(value)))
        else:
            row.markdown(t("This link names the file or folder {place} of this machine.", place=code(value)))
        row.button(t("Read it"), key=f"places.read.{name}", icon=":material/folder_open:", on_click=_read, args=(name, value))
        row.button(t("Ignore"), key=f"places.ignore.{name}", on_click=_forget, args=(name,))


def _read(name: str, value: str) -> None:
    _allow(value)
    _forget(name)
    st.session_state[name] = value
    if KINDS[name] == FOLDER:
        st.session_state["corpus_way"] = "folder"


def _forget(name: str) -> None:
    page, proposals = st.session_state.get(PROPOSALS, ("", {}))
    st.session_state[PROPOSALS] = page, {other: value for other, value in proposals.items() if other != name}


def _allow(value: str) -> None:
    st.session_state[ALLOWED] = {*st.session_state.get(ALLOWED, ()), value}


def _page() -> str:
    return getattr(get_script_run_ctx(suppress_warning=True), "page_script_hash", "")
