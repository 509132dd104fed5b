"""The parameters of an address: one table of them, reading and writing them, and short links (`?v=`).

Every page sees only parameters whose length, form and number of values are valid. Anyone can write a link, so a path of this machine is
removed from the address before any widget sees it, and the user decides whether to read it, again in each session. A path that the user types
into a box is read without a question.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from types import MappingProxyType
from typing import Any
from unicodedata import category

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import get_session_state

from core.common import short_links
from core.common.errors import BadInput
from core.common.i18n import t, tn
from core.common.limits import BOX, check_allowed, limits
from core.common.markup import code, plain
from core.common.model_layers import MIX, SENSES
from core.files import registry
from core.text import languages

TEXT, LAYER, WHOLE, DECIMAL, FLAG = "text", "layer", "whole number", "decimal number", "flag"  # a text or the code of a choice
MODEL, VECTORS, CORPUS, FOLDER, SPACE = "model", "vectors", "corpus", "folder", "space"  # values that may be a path of this machine
PATHS = (MODEL, VECTORS, CORPUS, FOLDER, SPACE)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the address. Its name is also the key of its widget and of its value in the session."""

    kind: str = TEXT
    limits: tuple[float, float] = ()  # for a number
    default: float | bool | None = None  # for a number or a flag; the default of others depends on the page's contents
    step: float | None = None
    is_shared: bool = False  # most pages have a box for it, so its value is restored when another page opens


def _list(names: str, kind: str = TEXT, *, is_shared: bool = False) -> dict[str, Parameter]:
    return dict.fromkeys(names.split(), Parameter(kind, is_shared=is_shared))


PARAMETERS: Mapping[str, Parameter] = MappingProxyType(
    _list("a b ai bi lang engine", is_shared=True)
    | _list("model beside", MODEL, is_shared=True)
    | _list("vectors", VECTORS, is_shared=True)
    | _list("corpus", CORPUS, is_shared=True)
    | _list("as device front s among layout map_word dot around right left up down dsense dhow dhalf dswap order guess")
    | _list("found_word found_k task why closer scores_task task_of_paper tasks_verb tasks_pronoun results_part results_task")
    | _list("train_task variants share ptext pother pat predict_part corpus_way corpus_text corpus_column corpus_dates corpus_lines")
    | _list("find find_order find_by by_sense collocate_order correction change_word change_by step spell spell_among howlayer")
    | _list("slide slide_word lesson cone apart_word context_word before_word quiz curve cmp cmp_word")
    | _list("layer nlayer view dlayer flip_layer found_layer context_layer control_layer relation_layer", LAYER)
    | _list("corpus_folder", FOLDER)
    | _list("against change_first change_second first_corpus second_corpus", CORPUS)
    | _list("first second", SPACE)
    | dict.fromkeys(("norm", "reveal", "found_glosses", "grammar"), Parameter(FLAG, default=False))
    | {
        "k": Parameter(WHOLE, (3, 30), 8),
        "gamma": Parameter(DECIMAL, (0.1, 5.0), 1.0, 0.1),
        "seeds": Parameter(WHOLE, (1, 5), 1),
        "epochs": Parameter(WHOLE, (1, 40), 30),
        "pheat": Parameter(DECIMAL, (0.0, 2.0), 1.0, 0.1),
        "pseed": Parameter(WHOLE, (0, 9999), 0),
        "window": Parameter(WHOLE, (1, 10), 5),
        "minimum": Parameter(WHOLE, (1, 1_000), 2),
        "key_minimum": Parameter(WHOLE, (1, 1_000), 5),
        "apart_at": Parameter(DECIMAL, (0.0, 1.0), step=0.01),
    }
)
WEIGHT = re.compile(r"w\d{1,3}")  # the raw score of a layer on Mix and How it works
LAYER_KEYS = tuple(name for name, parameter in PARAMETERS.items() if parameter.kind == LAYER)
SHARED = tuple(name for name, parameter in PARAMETERS.items() if parameter.is_shared)
TEXTS = ("a", "b", "lang")  # parameters that are stored before their run has ended
QUESTION = (*TEXTS, "ai", "bi")  # parameters that are written into the address again
EMBEDDING = ("embed", "embed_options")  # Streamlit's parameters, which only the address in the browser may set
BOUND: Mapping[str, Any] = MappingProxyType({"bind": "query-params", "persist_state": "session"})

KEY = "v"  # the parameter of a short link
ERROR = "link.wrong"  # the session's key of the error message that the next run shows
SHOWN = "address.shown"  # the session's key of the last page, the values from its address, and some of them as the address had them
OWED = "address.owed"  # the session's key of the values of `restore_values` that no run has read from the address yet
ALLOWED = "places.read"  # the session's key of the paths that the user allowed or typed
PROPOSALS = "places.proposed"  # the session's key of a page and the paths in its link: parameter -> value
CONTROL = ("Cc", "Cs")  # Unicode categories of control characters and half characters
HIDDEN = (*CONTROL, "Cf")  # and of characters that hide or reverse a part of a path
MAX_PARAMETERS = 500  # parameters of a short link
INTERNAL = "$$"  # the beginning of Streamlit's reserved session keys
MAX_ERRORS = 3  # listed one by one
ECHO_S = 5.0  # a run after quick clicks may still have the address from before the last click for this time


def bound(name: str, **options: Any) -> dict[str, Any]:
    """Return the options of a widget whose value is a parameter of the address: its key, limits, default and step."""
    parameter = Parameter(DECIMAL) if WEIGHT.fullmatch(name) else PARAMETERS[name]
    values = dict(zip(("min_value", "max_value"), parameter.limits, strict=False)) | {"value": parameter.default, "step": parameter.step}
    return {"key": name, **BOUND, **{key: value for key, value in values.items() if value is not None}, **options}


def kind_of(name: str) -> str:
    return DECIMAL if WEIGHT.fullmatch(name) else PARAMETERS.get(name, Parameter()).kind


def read_parameter(name: str) -> str | None:
    return st.query_params.get(name)


def write_parameter(name: str, value: str | None) -> None:
    """Set a parameter of the address, or remove it if None. An unchanged one is not sent, because each change sends all of them."""
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value
    state = st.session_state
    seen = f"{name}.seen"
    if seen in state and state[seen] != value:
        state[f"{name}.before"] = [*state.get(f"{name}.before", ())[-7:], (state[seen], monotonic())]
    state[seen] = value


def is_new(name: str) -> bool:
    """Return whether the address wins over the session: after Back, and if no recent run of this session wrote its value."""
    state = st.session_state
    value = read_parameter(name)
    echoes = {earlier for earlier, written_at in state.get(f"{name}.before", ()) if monotonic() - written_at < ECHO_S}
    return gone_through_history() or (value is not None and value not in {state.get(f"{name}.seen"), *echoes})


def gone_through_history() -> bool:
    """Return whether this run comes from Back or Forward, so that the address wins over the widgets."""
    return bool(getattr(get_script_run_ctx(suppress_warning=True), "is_history_navigation", False))


def current_page() -> str:
    return getattr(get_script_run_ctx(suppress_warning=True), "page_script_hash", "")


def store_values() -> None:
    """Store the shared values of the address, for `restore_values`, and the typed paths. Call it at the end of a run."""
    _allow_typed()
    state = st.session_state
    page, before, address = state[SHOWN]
    texts = {name: before[name] for name in address if name in before}  # a page may have no boxes for them
    values = {name: state[name] for name in SHARED if name in state and (name in before or name in st.query_params)}
    same = {name: address[name] for name in address if name not in state or state[name] == before.get(name)}  # not typed since
    state[SHOWN] = (page, texts | values, same | _read_address())


def restore_values() -> None:
    """Restore the values of the last address before another page is drawn. Streamlit drops those of boxes that came from a link."""
    state = st.session_state
    page = current_page()
    before, values, address = state.get(SHOWN, (page, {}, {}))
    if gone_through_history():
        state[OWED] = {}
    elif before != page:
        lost = sorted(values.keys() - st.query_params.keys())
        state.update({name: state.get(name, values[name]) for name in lost})
        back = [name for name in lost if name in address and state[name] == values[name]]
        state[OWED] = {name: (values[name], values[name] if name in TEXTS else address[name]) for name in back}
        for name, (_, written) in state[OWED].items():
            st.query_params[name] = written
    else:
        restore_again()
    current = _read_address()
    state[SHOWN] = (page, values | {name: current[name] for name in TEXTS if name in current}, address | current)


def restore_parameter(name: str, value: Any, written: str) -> None:
    """Write a value of the session into the address, where it stays while this page is open. An address that has the parameter stays."""
    if name not in st.query_params:
        with suppress(StreamlitAPIException):  # a box is bound to the parameter, so Streamlit writes its value
            st.query_params[name] = written
            st.session_state[OWED][name] = (value, written)


def keep_parameter(name: str) -> None:
    """Keep a parameter whose box is not drawn in this run. Streamlit would remove it from the address with the box."""
    with get_session_state().query_params() as address:
        if binding := address.get_binding_for_param(name):
            address.unbind_widget(binding.widget_id)


def restore_again() -> None:
    """Restore the values again in a run that the browser requested before it received them, with the previous address."""
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
    values = {name: st.query_params[name] for name in QUESTION if name in st.query_params and not _find_error(name)}
    if values.get("lang") not in languages.codes():
        values.pop("lang", None)
    return values


def open_link() -> None:
    """Expand a short link in the address, remove invalid parameters, and propose the paths that the address names."""
    errors, removed_names, is_expanded = {}, [], False
    if (code := st.query_params.pop(KEY, None)) is not None:
        try:
            values: dict[str, list[str]] = {}
            for name, value in [item for item in short_links.expanded(code) if item[0].casefold() not in EMBEDDING][:MAX_PARAMETERS]:
                values.setdefault(name, []).append(value)
            st.query_params.from_dict(values)
            is_expanded = True
        except BadInput as error:
            st.session_state[ERROR] = str(error)
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
        elif not may_read(name, value):
            removed_names.append(name)
            if error := propose(name, value):
                errors[name] = error
    _remove(removed_names)
    if errors:
        sentences = list(dict.fromkeys(errors.values()))[:MAX_ERRORS]
        if (n_others := len(errors) - MAX_ERRORS) > 0:
            sentences.append(tn("{n:,} more parameter was ignored.", "{n:,} more parameters were ignored.", n_others))
        st.session_state[ERROR] = " ".join(sentences)
    if removed_names or is_expanded:
        st.rerun()  # because boxes read the address as it was at the start of the run


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


def show_link_errors() -> None:
    """Show the errors in the address that opened the page, once, and the paths that it names."""
    if message := st.session_state.pop(ERROR, ""):
        st.warning(message, icon=":material/link_off:")
    _offer_to_read()


def _max_length(name: str) -> int:
    return BOX["folder"] if kind_of(name) in PATHS else max(limits().max_text, limits().max_passage)


def readable(text: str) -> str:
    """Return a text without control characters and half characters."""
    return "".join(sign for sign in text if category(sign) not in CONTROL or sign.isspace())


def _clean(name: str) -> str:
    """Return the value of a parameter without control characters, cut to its maximum length."""
    return readable(st.query_params[name])[: _max_length(name)]


def _find_error(name: str) -> str:
    """Return the error in a parameter, or "" if it is valid."""
    kind = kind_of(name)
    max_length = _max_length(name)
    values = st.query_params.get_all(name)
    text = "".join((name, *values))
    if name.casefold() in EMBEDDING:
        return ""
    if (n := max(map(len, [name, *values]))) > max_length:
        reason = t("{n:,} characters, limit {most:,}", n=n, most=max_length)
    elif name.startswith(INTERNAL) or readable(text) != text or (kind in PATHS and any(category(sign) in HIDDEN for sign in text)):
        reason = t("invalid characters")
    elif len(values) > 1:
        reason = t("given {n:,} times", n=len(values))
    elif kind == WHOLE and not all(re.fullmatch(r"-?\d{1,9}(\.0*)?", value, re.ASCII) for value in values):
        reason = t("not a whole number")
    elif kind == DECIMAL and not all(re.fullmatch(r"-?\d{1,9}(\.\d{0,20})?", value, re.ASCII) for value in values):
        reason = t("not a number")
    else:
        return ""
    return t("Ignored “{name}” in the address: {reason}. Choose another.", name=plain(name, 30), reason=reason)


def is_path(name: str, value: str) -> bool:
    kind = kind_of(name)
    if kind not in PATHS or not value.strip():
        return False
    if kind != SPACE:
        return kind == FOLDER or registry.names_place(value, kind)
    source, _, layer = value.strip().rpartition("·")
    if layer.strip().isdecimal() or layer.strip() in (MIX, SENSES):
        return registry.names_place(source, "model")
    return registry.names_place(value, "model") or registry.names_place(value, "vectors")


def may_read(name: str, value: str) -> bool:
    """Return whether a value of the address may be used: it is not a path, or the user has allowed or typed it."""
    if not is_path(name, value):
        return True
    if st.session_state.get(name) == value:  # boxes never get a path from an address, so the user typed it
        _allow(value)
    return value in st.session_state.get(ALLOWED, ())


def _allow_typed() -> None:
    """Allow the paths in the boxes, for other pages that get them by their address."""
    for name in PARAMETERS:
        value = st.session_state.get(name)
        if isinstance(value, str) and is_path(name, value):
            _allow(value)


def propose(name: str, value: str) -> str:
    """Store a path that was removed from the address, so that the user can allow it. Return an error if paths are off, or ""."""
    try:
        check_allowed("paths")
    except BadInput as error:
        return str(error)
    page, proposals = st.session_state.get(PROPOSALS, ("", {}))
    st.session_state[PROPOSALS] = current_page(), (proposals if page == current_page() else {}) | {name: value}
    return ""


def _offer_to_read() -> None:
    page, proposals = st.session_state.get(PROPOSALS, ("", {}))
    if page != current_page():
        st.session_state.pop(PROPOSALS, None)
        return
    for name, value in proposals.items():
        row = st.container(border=True, horizontal=True, vertical_alignment="center", gap="small", key=f"places-{name}")
        row.markdown(t("This link names the file or folder {place} of this machine.", place=code(value)))
        row.button(t("Read it"), key=f"places.read.{name}", icon=":material/folder_open:", on_click=_read, args=(name, value))
        row.button(t("Ignore"), key=f"places.ignore.{name}", on_click=_forget, args=(name,))


def _read(name: str, value: str) -> None:
    _allow(value)
    _forget(name)
    st.session_state[name] = value
    if kind_of(name) == FOLDER:
        st.session_state["corpus_way"] = "folder"


def _forget(name: str) -> None:
    page, proposals = st.session_state.get(PROPOSALS, ("", {}))
    st.session_state[PROPOSALS] = page, {key: value for key, value in proposals.items() if key != name}


def _allow(value: str) -> None:
    st.session_state[ALLOWED] = {*st.session_state.get(ALLOWED, ()), value}
