"""Read and validate the parameters of an address before the page is drawn, and expand short links (`?v=`).

This module defines the length, the form and the number of the values of every parameter. Pages see only parameters within these bounds,
and only the paths of this machine that the user has allowed (places.py).
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
ERROR = "link.wrong"  # the session's key of the error message that the next run shows
# Parameters of number boxes and sliders. Streamlit raises an exception for an endless number in an address.
WHOLE_NUMBERS = ("pseed", "k", "window", "minimum", "key_minimum", "seeds", "epochs")
DECIMAL_NUMBERS = re.compile(r"gamma|pheat|apart_at|w\d{1,3}")
CONTROL = ("Cc", "Cs")  # Unicode categories of control characters and half characters
HIDDEN = (*CONTROL, "Cf")  # and of characters that hide or reverse a part of a path
MAX_PARAMETERS = 500  # of a short link
INTERNAL = "$$"  # the beginning of Streamlit's reserved session keys
MAX_ERRORS = 3  # listed one by one
SHOWN = "address.shown"  # the session's key of the last page, the values from its address, and some of them as the address had them
OWED = "address.owed"  # the session's key of the values of `give_back` that no run has read from the address yet
TEXTS = ("a", "b", "lang")  # parameters that are stored before their run has ended
QUESTION = (*TEXTS, "ai", "bi")  # parameters that are written into the address again
SHARED = (*QUESTION, "model", "vectors", "corpus", "beside", "engine")  # parameters with a box on most pages
EMBEDDING = ("embed", "embed_options")  # Streamlit's parameters, which only the address in the browser may set


def keep_values() -> None:
    """Store the shared values of the address, for `give_back`, and the typed paths. Call it at the end of a run."""
    places.keep_typed()
    state = st.session_state
    page, before, address = state[SHOWN]
    texts = {name: before[name] for name in address if name in before}  # a page may have no boxes for them
    values = {name: state[name] for name in SHARED if name in state and (name in before or name in st.query_params)}
    same = {name: address[name] for name in address if name not in state or state[name] == before.get(name)}  # not typed since
    state[SHOWN] = (page, texts | values, same | _read_address())


def give_back() -> None:
    """Restore the values of the last address when another page opens. Call it before the page is drawn.

    Streamlit drops the value of a box that came from a link if the user opens another page before a second run.
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
    """Restore the values of `give_back` again in a run that was requested before the browser received them. Call it in later runs.

    Such a run reads the previous address, and would send it back to the browser with its first change.
    """
    state = st.session_state
    owed = {name: both for name, both in state.get(OWED, {}).items() if name not in st.query_params and state.get(name) == both[0]}
    state[OWED] = owed
    for name, (value, written) in owed.items():
        try:
            st.query_params[name] = written
        except StreamlitAPIException:  # a box of this page is bound to the parameter, so Streamlit writes the value of the box
            state[name] = value


def _read_address() -> dict[str, str]:
    """Return the valid parameters of the question in the address."""
    now = {name: st.query_params[name] for name in QUESTION if name in st.query_params and not _find_error(name)}
    if now.get("lang") not in languages.codes():
        now.pop("lang", None)
    return now


def open_view() -> None:
    """Expand a short link in the address, remove invalid parameters, and propose the paths that the address names."""
    code = st.query_params.get(KEY)
    if code is not None:
        del st.query_params[KEY]
        try:
            results = [(name, value) for name, value in short_links.expanded(code) if name.casefold() not in EMBEDDING]
        except BadInput as error:
            st.session_state[ERROR] = str(error)
            results = None
        if results is not None:
            values: dict[str, list[str]] = {}
            for name, value in results[:MAX_PARAMETERS]:
                values.setdefault(name, []).append(value)
            st.query_params.from_dict(values)
    errors, removed_names = {}, []
    for name, value in list(st.query_params.items()):
        if error := _find_error(name):
            is_key = bool(name) and not name.startswith(INTERNAL)
            if is_key and st.session_state.get(name) in (value, _clean(name)):  # the user typed it
                st.session_state[name] = _clean(name)
                continue
            errors[name] = error
            removed_names.append(name)
            if is_key:
                st.session_state.pop(name, None)
        elif not places.may_read(name, value):
            removed_names.append(name)
            if error := places.propose(name, value):
                errors[name] = error
    _remove(removed_names)
    if errors:
        n_others = len(errors) - MAX_ERRORS
        sentences = list(dict.fromkeys(errors.values()))[:MAX_ERRORS]
        if n_others > 0:
            sentences.append(tn("{n:,} more parameter was ignored.", "{n:,} more parameters were ignored.", n_others))
        st.session_state[ERROR] = " ".join(sentences)
    if removed_names or (code is not None and results is not None):
        st.rerun()  # because boxes read the address as it was at the start of the run


def write(name: str, value: str | None) -> None:
    """Set a parameter of the address, or remove it if the value is None. An unchanged value is not sent.

    Each change sends the entire address, as it was when the run was requested.
    """
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def drop(name: str) -> bool:
    """Remove a parameter from the address. Return False if a box on the page is bound to it, because only the box can change it then."""
    try:
        st.query_params.pop(name, None)
    except StreamlitAPIException:
        return False
    return True


def _remove(names: Sequence[str]) -> None:
    """Remove parameters from the address, including those of widgets on the page. Otherwise Streamlit would read them again after Back."""
    with get_session_state().query_params() as address:
        for name in names[:-1]:
            address.discard_param_no_forward_msg(name)
        for name in names[-1:]:  # sends the new address to the browser, once
            address.remove_param(name)


def show_errors() -> None:
    """Show the errors in the address that opened the page, once, and ask about the paths that it names."""
    if message := st.session_state.pop(ERROR, ""):
        st.warning(message, icon=":material/link_off:")
    places.show()


def _max_length(name: str) -> int:
    """Return the maximum number of characters of a parameter's value."""
    return BOX["folder"] if name in places.KINDS else max(limits().max_text, limits().max_passage)


def readable(text: str) -> str:
    """Return a text without control characters and half characters."""
    return "".join(sign for sign in text if category(sign) not in CONTROL or sign.isspace())


def _clean(name: str) -> str:
    """Return the value of a parameter without control characters, cut to its maximum length."""
    return readable(st.query_params[name])[: _max_length(name)]


def _find_error(name: str) -> str:
    """Return the error in a parameter, or "" if it is valid."""
    max_length = _max_length(name)
    values = st.query_params.get_all(name)
    title = plain(name, 30)
    if name.casefold() in EMBEDDING:
        return ""
    if (n := max(map(len, [name, *values]))) > max_length:
        reason = t("{n:,} characters, limit {most:,}", n=n, most=max_length)
    elif (
        name.startswith(INTERNAL)
        or any(category(sign) in CONTROL and not sign.isspace() for text in (name, *values) for sign in text)
        or (name in places.KINDS and any(category(sign) in HIDDEN for value in values for sign in value))
    ):
        reason = t("invalid characters")
    elif len(values) > 1:
        reason = t("given {n:,} times", n=len(values))
    elif name in WHOLE_NUMBERS and not all(re.fullmatch(r"-?\d{1,9}(\.0*)?", value, re.ASCII) for value in values):
        reason = t("not a whole number")
    elif DECIMAL_NUMBERS.fullmatch(name) and not all(re.fullmatch(r"-?\d{1,9}(\.\d{0,20})?", value, re.ASCII) for value in values):
        reason = t("not a number")
    else:
        return ""
    return t("Ignored “{name}” in the address: {reason}. Choose another.", name=title, reason=reason)
