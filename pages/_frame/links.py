"""What an address may hold: short links, `?v=`, in whose place the view that they hold stands; how long a value is, and of what form.

Both before anything of the page is drawn. Every parameter has its bound here, once: names are shorter than texts, no value has signs
that are in no text, and a page sees none that breaks this.
"""

import re
from unicodedata import category

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common import short_links
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import BOX, limits
from core.common.markup import plain
from core.text import languages

KEY = "v"
WRONG = "link.wrong"  # in the session, for the run that says so
NAMES = ("model", "vectors", "corpus", "beside", "first", "second")  # of what is opened, some by a path
NUMBERS = ("pseed",)  # boxes of whole numbers: Streamlit's own reading of an address falls over an endless one
CONTROL = "Cc"  # NUL and its like
TITLES = {  # what older links hold where there is a code now
    "layout": {
        "Largest spread (PCA)": "pca",
        "가장 넓은 퍼짐(PCA)": "pca",
        "Axes of your own": "poles",
        "직접 정한 축": "poles",
        "Three dimensions": "3d",
        "3차원": "3d",
    },
    "around": {
        "Neighbours kept (UMAP)": "umap",
        "이웃을 지킴(UMAP)": "umap",
        "Between your sentences": "between",
        "두 문장 사이": "between",
    },
}
SHOWN = "address.shown"  # in the session: the page drawn last, values that its address gave, and some as they stood there
OWED = "address.owed"  # in the session: values that `give_back` has set and how, while no run was asked for with them in the address
TEXTS = ("a", "b", "lang")  # are noted before their run has ended
QUESTION = (*TEXTS, "ai", "bi")  # stand in the address again
SHARED = (*QUESTION, "model", "vectors", "corpus", "beside", "engine", "teach")  # have a box on every page, or on most
EMBEDDING = ("embed", "embed_options")  # Streamlit's own, which nothing but the browser's address may set


def keep_values() -> None:
    """At the end of a run: note the shared values that its address gave, for `give_back`."""
    state = st.session_state
    page, before, address = state[SHOWN]
    texts = {name: before[name] for name in address if name in before}  # a page may have no boxes for them
    values = {name: state[name] for name in SHARED if name in state and (name in before or name in st.query_params)}
    same = {name: address[name] for name in address if name not in state or state[name] == before.get(name)}  # else it was typed since
    state[SHOWN] = (page, texts | values, same | _read_address())


def give_back() -> None:
    """On another page, before anything is drawn: set again what the last address gave.

    Streamlit forgets the value of a box from a cold link when the visitor goes to another page before a second run.
    """
    state = st.session_state
    context = get_script_run_ctx(suppress_warning=True)
    page = getattr(context, "page_script_hash", "")
    before, values, address = state.get(SHOWN, (page, {}, {}))
    if getattr(context, "is_history_navigation", False):
        state[OWED] = {}
    elif before != page:
        lost = sorted(values.keys() - st.query_params.keys())
        state.update({name: state.get(name, values[name]) for name in lost})
        back = [name for name in lost if name in address and state[name] == values[name]]
        state[OWED] = {name: (values[name], values[name] if name in TEXTS else address[name]) for name in back}
        for name, (_, written) in state[OWED].items():
            st.query_params[name] = written
    else:
        give_again()
    now = _read_address()
    state[SHOWN] = (page, values | {name: now[name] for name in TEXTS if name in now}, address | now)


def give_again() -> None:
    """On a later run of the page, a part's too: set again what `give_back` has set, where the run was asked for before the browser had that.

    Such a run reads the address of before, and with the first change of its own it would send that back.
    """
    state = st.session_state
    owed = {name: both for name, both in state.get(OWED, {}).items() if name not in st.query_params and state.get(name) == both[0]}
    state[OWED] = owed
    for name, (value, written) in owed.items():
        try:
            st.query_params[name] = written
        except StreamlitAPIException:  # a box of this page is bound to it: what the box holds, Streamlit writes
            state[name] = value


def _read_address() -> dict[str, str]:
    """The question as the address has it; nothing that `open_view` would refuse."""
    now = {name: st.query_params[name] for name in QUESTION if name in st.query_params and not _unfit(name)}
    if now.get("lang") not in languages.codes():
        now.pop("lang", None)
    return now


def open_view() -> None:
    """The address becomes the view's own, as a long link has it; what holds none leaves the page as it opens. Unfit values go."""
    code = st.query_params.get(KEY)
    if code is not None:
        del st.query_params[KEY]
        try:
            results = [(name, value) for name, value in short_links.expanded(code) if name.casefold() not in EMBEDDING]
        except BadInput as error:
            st.session_state[WRONG] = str(error)
            results = None
        if results is not None:
            st.query_params.from_dict({name: [value for other, value in results if other == name] for name, _ in results})
    for name, codes in TITLES.items():
        if (title := st.query_params.get(name)) in codes:
            st.query_params[name] = codes[title]
    wrong = {name: why for name in st.query_params if (why := _unfit(name))}
    for name in list(wrong):
        if drop(name):
            st.session_state.pop(name, None)
        else:  # it was typed
            st.session_state[name] = _fit(name)
            del wrong[name]
    if wrong:
        st.session_state[WRONG] = " ".join(wrong.values())
    if wrong or (code is not None and results is not None):
        st.rerun()  # boxes read the address as it was when the run began


def write(name: str, value: str | None) -> None:
    """Let the address say this; nothing where it is None. A change alone is sent: the whole address goes with it, as it was when the run was
    asked for."""
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def drop(name: str) -> bool:
    """Take a parameter out of the address; False where it is that of a box which was drawn, whose value alone changes it."""
    try:
        st.query_params.pop(name, None)
    except StreamlitAPIException:
        return False
    return True


def say_if_wrong() -> None:
    """What was wrong with the address that opened the page, once."""
    if wrong := st.session_state.pop(WRONG, ""):
        st.warning(wrong, icon=":material/link_off:")


def _most(name: str) -> int:
    """Characters of a parameter's value."""
    return BOX["folder"] if name in NAMES else max(limits().max_text, limits().max_passage)


def readable(text: str) -> str:
    """A text without signs that are in none, as an address may hold it."""
    return "".join(sign for sign in text if category(sign) != CONTROL or sign.isspace())


def _fit(name: str) -> str:
    """What was typed, without signs that are in no text, and not longer than may be."""
    return readable(st.query_params[name])[: _most(name)]


def _unfit(name: str) -> str:
    """Why a parameter cannot be read; "" where it can."""
    most = _most(name)
    values = st.query_params.get_all(name)
    called = plain(name, 30)
    if name.casefold() in EMBEDDING:
        return ""
    if (n := max(map(len, [name, *values]))) > most:
        reason = t("{n:,} characters, limit {most:,}", n=n, most=most)
    elif any(category(sign) == CONTROL and not sign.isspace() for value in values for sign in value):
        reason = t("invalid characters")
    elif name in NUMBERS and not all(re.fullmatch(r"-?\d{1,9}(\.0*)?", value, re.ASCII) for value in values):
        reason = t("not a whole number")
    else:
        return ""
    return t("Ignored “{name}” in the address: {reason}. Choose another.", name=called, reason=reason)
