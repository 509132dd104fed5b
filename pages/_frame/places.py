"""Files and folders of this machine that an address names: proposed on the page, and read only after a click in this visit.

Anybody can write a link. So a path in an address leaves it before any box sees it, and the page asks; whoever opens the same link
again is asked again. A path that is typed into a box is the user's own word.
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
# Parameters that can hold a path, and what it is a path of: a kind of the registry, a space as Compare names it, a folder.
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
READ = "places.read"  # in the session: values that the user allowed or typed
PROPOSED = "places.proposed"  # in the session: the page, and parameter -> value that its link names


def is_place(name: str, value: str) -> bool:
    """Return whether a parameter's value names a file or folder of this machine, and not something by its registered name."""
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
    """Return whether a value of the address may be used: it is no path, or the user has allowed or typed this one."""
    state = st.session_state
    if not is_place(name, value) or value in state.get(READ, ()):
        return True
    if state.get(name) == value:  # no box ever has a path of an address, so it was typed
        _allow(value)
        return True
    return False


def keep_typed() -> None:
    """At the end of a run: note the paths in the boxes, for another page that gets them by its address."""
    for name in KINDS:
        value = st.session_state.get(name)
        if isinstance(value, str) and is_place(name, value):
            _allow(value)


def propose(name: str, value: str) -> str:
    """Note a path that was taken out of the address. Return why it cannot be proposed; "" where it can."""
    try:
        check_allowed("paths")
    except BadInput as error:
        return str(error)
    page, proposed = st.session_state.get(PROPOSED, ("", {}))
    st.session_state[PROPOSED] = _page(), (proposed if page == _page() else {}) | {name: value}
    return ""


def show() -> None:
    """Ask whether to read what the link that opened this page names."""
    page, proposed = st.session_state.get(PROPOSED, ("", {}))
    if page != _page():
        st.session_state.pop(PROPOSED, None)
        return
    for name, value in proposed.items():
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
    page, proposed = st.session_state.get(PROPOSED, ("", {}))
    st.session_state[PROPOSED] = page, {other: value for other, value in proposed.items() if other != name}


def _allow(value: str) -> None:
    st.session_state[READ] = {*st.session_state.get(READ, ()), value}


def _page() -> str:
    return getattr(get_script_run_ctx(suppress_warning=True), "page_script_hash", "")
