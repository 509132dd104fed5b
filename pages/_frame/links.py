"""Read and check the parameters of an address, before anything of the page is drawn, and expand short links (`?v=`).

Every parameter has its bounds here, once: how long its value is, of what form, and how often it is there. No page sees one that breaks
them, nor a path of this machine that the user has not allowed (places.py).
"""

import re
from collections.abc import Sequence
from unicodedata import category

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import get_session_state

from core.common import short_links
from core.common.errors import BadInput
from core.common.i18n import t, tn
from core.common.limits import BOX, limits
from core.common.markup import plain
from core.text import languages
from pages._frame import places

KEY = "v"
WRONG = "link.wrong"  # in the session, for the run that says so
# Of number boxes and sliders: Streamlit's own reading of an address falls over an endless number.
WHOLE = ("pseed", "k", "window", "minimum", "key_minimum", "seeds", "epochs")
DECIMAL = re.compile(r"gamma|pheat|apart_at|w\d{1,3}")
REPEATED = re.compile(r"variants")  # of several choices, which older links name one by one
CONTROL = ("Cc", "Cs")  # categories of NUL and its like, and of half characters
HIDDEN = (*CONTROL, "Cf")  # of a path: what hides or turns around a part of it, too
MOST_PARAMETERS = 500  # of a short link
INTERNAL = "$$"  # begins Streamlit's own keys of the session, which it lets nobody use
MOST_SAID = 3  # parameters whose errors are said
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
SHARED = (*QUESTION, "model", "vectors", "corpus", "beside", "engine")  # have a box on every page, or on most
EMBEDDING = ("embed", "embed_options")  # Streamlit's own, which nothing but the browser's address may set


def keep_values() -> None:
    """At the end of a run: note the shared values that its address gave, for `give_back`, and the paths that were typed."""
    places.keep_typed()
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
            values: dict[str, list[str]] = {}
            for name, value in results[:MOST_PARAMETERS]:
                values.setdefault(name, []).append(value)
            st.query_params.from_dict(values)
    for name, codes in TITLES.items():
        if (title := st.query_params.get(name)) in codes:
            st.query_params[name] = codes[title]
    wrong, gone = {}, []
    for name, value in list(st.query_params.items()):
        if why := _unfit(name):
            is_key = bool(name) and not name.startswith(INTERNAL)
            if is_key and st.session_state.get(name) == value:  # it was typed
                st.session_state[name] = _fit(name)
                continue
            wrong[name] = why
            gone.append(name)
            if is_key:
                st.session_state.pop(name, None)
        elif not places.may_read(name, value):
            gone.append(name)
            if why := places.propose(name, value):
                wrong[name] = why
    _remove(gone)
    if wrong:
        more = len(wrong) - MOST_SAID
        sentences = list(dict.fromkeys(wrong.values()))[:MOST_SAID]
        if more > 0:
            sentences.append(tn("{n:,} more parameter was ignored.", "{n:,} more parameters were ignored.", more))
        st.session_state[WRONG] = " ".join(sentences)
    if gone or (code is not None and results is not None):
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


def _remove(names: Sequence[str]) -> None:
    """Take parameters out of the address, also those of boxes which were drawn: after Back, Streamlit would read them again."""
    with get_session_state().query_params() as address:
        for name in names[:-1]:
            address.discard_param_no_forward_msg(name)
        for name in names[-1:]:  # which sends the new address, once
            address.remove_param(name)


def say_if_wrong() -> None:
    """Say once what was wrong with the address that opened the page, and ask about what it names on this machine."""
    if wrong := st.session_state.pop(WRONG, ""):
        st.warning(wrong, icon=":material/link_off:")
    places.show()


def _most(name: str) -> int:
    """Characters of a parameter's value."""
    return BOX["folder"] if name in places.KINDS else max(limits().max_text, limits().max_passage)


def readable(text: str) -> str:
    """A text without signs that are in none, as an address may hold it."""
    return "".join(sign for sign in text if category(sign) not in CONTROL or sign.isspace())


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
    elif (
        name.startswith(INTERNAL)
        or any(category(sign) in CONTROL and not sign.isspace() for text in (name, *values) for sign in text)
        or (name in places.KINDS and any(category(sign) in HIDDEN for value in values for sign in value))
    ):
        reason = t("invalid characters")
    elif len(values) > 1 and not REPEATED.fullmatch(name):
        reason = t("given {n:,} times", n=len(values))
    elif name in WHOLE and not all(re.fullmatch(r"-?\d{1,9}(\.0*)?", value, re.ASCII) for value in values):
        reason = t("not a whole number")
    elif DECIMAL.fullmatch(name) and not all(re.fullmatch(r"-?\d{1,9}(\.\d{0,20})?", value, re.ASCII) for value in values):
        reason = t("not a number")
    else:
        return ""
    return t("Ignored “{name}” in the address: {reason}. Choose another.", name=called, reason=reason)
