"""Patch Streamlit: check the widget values that a client sends, and let no click or file be lost because a run begins or ends at the same time.

A client need not be the app's page in a browser, so it can send any value for any widget. Streamlit expects the values that the widget's
own page would send. A number in place of a text, or JSON of another shape, would end a run with an exception. This module ignores such a
value, and the widget keeps its default.
"""

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, wraps
from threading import RLock
from typing import Any

from streamlit.elements.arrow import DataframeSelectionSerde
from streamlit.elements.plotly_chart import PlotlyChartSelectionSerde
from streamlit.elements.widgets.data_editor import DataEditorSerde
from streamlit.elements.widgets.selectbox import SelectboxSerde
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequest, ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import RunLocation, ThreadState
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.runtime.state.session_state import Serialized, SessionState

from core.common.limits import BOX

MAX_JSON = 2_000_000  # characters of a component's value; a selection of all dots of the largest map has fewer
MAX_NUMBER = 1e15  # below it, floats represent every whole number exactly
MAX_OPTION = BOX["folder"]  # characters of a typed option
JSON_FIELDS = ("json_value", "json_trigger_value")
ANSWERS = ("file_urls_response", "backend_operation_response")  # messages with which a session answers its browser outside runs
KEPT_S = 10.0  # during which a download of an earlier run is still answered
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")  # characters that occur in no text


@cache
def check_values() -> None:
    """Patch Streamlit so that it checks the values of all sessions of this process."""
    set_widgets = SessionState.set_widgets_from_proto
    register = SessionState.register_widget

    @wraps(set_widgets)
    def set_checked_widgets(self: SessionState, widget_states: WidgetStates) -> None:
        metadata = self._new_widget_state.widget_metadata
        states = widget_states.widgets
        invalid_ids = [
            state.id for state in states if not _has_type(state, metadata[state.id].value_type if state.id in metadata else None)
        ]
        if invalid_ids:
            valid_states = [state for state in states if state.id not in invalid_ids]
            del widget_states.widgets[:]
            widget_states.widgets.extend(valid_states)
        set_widgets(self, widget_states)

    @wraps(register)
    def register_checked_widget(self: SessionState, metadata: Any, user_key: str | None) -> Any:
        state = self._new_widget_state.states.get(metadata.id)
        if isinstance(state, Serialized) and not _has_type(state.value, metadata.value_type):
            del self._new_widget_state[metadata.id]
        return register(self, replace(metadata, deserializer=check_result(metadata.deserializer)), user_key)

    SessionState.set_widgets_from_proto = set_checked_widgets
    SessionState.register_widget = register_checked_widget


def check_result(deserialize: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a deserializer of a widget that returns the default for a value that is invalid or that no page of the app sends."""
    check = next((check for kind, check in CHECKS.items() if isinstance(getattr(deserialize, "__self__", None), kind)), None)

    def read(value: Any) -> Any:
        try:
            result = deserialize(value)
            return check(deserialize.__self__, result) if check and value is not None else result
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
            return deserialize(None)

    return read


def _has_type(state: WidgetState, value_type: str | None) -> bool:
    """Return whether a sent value has the type of the widget. A JSON value must also be valid JSON."""
    field = state.WhichOneof("value")
    if field is None:
        return True
    if value_type is not None and field != value_type:
        return False
    return field not in JSON_FIELDS or _is_json(getattr(state, field))


def _is_json(text: str) -> bool:
    """Return whether a text is strict JSON of at most MAX_JSON characters, without half characters."""
    if len(text) > MAX_JSON:
        return False
    try:
        json.dumps(json.loads(text, parse_constant=_refuse_constant), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)


def _check_option(serde: SelectboxSerde, value: Any) -> Any:
    """Return an option of a select box. A typed option loses its control characters and all after MAX_OPTION characters."""
    if not isinstance(value, str) or value in serde.options or value in serde.formatted_option_to_option_index:
        return value
    return CONTROL.sub("", value)[:MAX_OPTION]


def _check_table_selection(serde: DataframeSelectionSerde, state: Any) -> Any:
    """Return a selection in a table without rows, columns and cells that do not exist."""
    selection = state["selection"]
    rows = [row for row in selection["rows"] if _is_row(row, serde.num_rows)]
    cells = [cell for cell in selection["cells"] if len(cell) == 2 and _is_row(cell[0], serde.num_rows) and isinstance(cell[1], str)]
    columns = [column for column in selection["columns"] if isinstance(column, str)]
    if [rows, cells, columns] == [selection["rows"], selection["cells"], selection["columns"]]:
        return state
    return serde.deserialize(json.dumps({"selection": {"rows": rows, "columns": columns, "cells": cells}}))


def _is_row(row: Any, n_rows: int) -> bool:
    return type(row) is int and 0 <= row < n_rows


def _check_points(serde: PlotlyChartSelectionSerde, state: Any) -> Any:
    """Return a selection in a chart. Raises ValueError unless the data of each point are scalars."""
    points = state["selection"]["points"]
    if not (isinstance(points, list) and all(isinstance(point, dict) and _is_data(point.get("customdata")) for point in points)):
        raise ValueError(points)
    return state


def _is_data(data: Any) -> bool:
    if isinstance(data, dict) and "0" not in data:
        return False
    items = list(data.values()) if isinstance(data, dict) else data
    return not items or (isinstance(items, list) and all(isinstance(item, str) or is_number(item) or item is None for item in items))


def is_number(item: Any) -> bool:
    """Return whether an item of a component's value is a number below MAX_NUMBER."""
    return isinstance(item, int | float) and not isinstance(item, bool) and abs(item) < MAX_NUMBER


def _check_edits(serde: DataEditorSerde, state: Any) -> Any:
    """Return edits of cells. Raises ValueError for added or deleted rows, which no page allows, and for malformed edits."""
    rows = state["edited_rows"]
    if state["added_rows"] or state["deleted_rows"]:
        raise ValueError(state)
    for row, cells in rows.items():
        if row < 0 or not isinstance(cells, dict) or not all(isinstance(cell, str) or cell is None for cell in cells.values()):
            raise ValueError(cells)
    return state


CHECKS: dict[type, Callable[[Any, Any], Any]] = {
    SelectboxSerde: _check_option,
    DataframeSelectionSerde: _check_table_selection,
    PlotlyChartSelectionSerde: _check_points,
    DataEditorSerde: _check_edits,
}


# When the user clicks again, Streamlit starts a new run in another thread and stops the old one at its next access to the session state, even
# in the middle of a callback. The rest of that callback would never run: a text would be deleted, but its name would stay selected.
# A click may also arrive when its page has been left: its callback would read the values of widgets that the next page has not drawn yet.
# Finally, a click may be sent before the browser has received the values that a callback assigned. Its message has the previous values.
_LOCK, _ASSIGNED = "_callbacks.lock", "_callbacks.assigned"  # keys of the session


@cache
def protect_callbacks() -> None:
    """Patch Streamlit so that no click interrupts or undoes a callback, or runs one of a page that was left. Affects all sessions."""
    next_request = ScriptRequests.on_scriptrunner_yield
    begin_run = SessionState.on_script_will_rerun
    end_run = SessionState.on_script_finished
    is_changed = SessionState._widget_changed

    @wraps(next_request)
    def next_outside_callbacks(self: ScriptRequests) -> ScriptRequest | None:
        return None if ThreadState.get().run_location is RunLocation.CALLBACK else next_request(self)

    @wraps(begin_run)
    def begin_after_callbacks(self: SessionState, widget_states: WidgetStates | None, **options: Any) -> None:
        with self._old_state.setdefault(_LOCK, RLock()):
            assignments = self._old_state.setdefault(_ASSIGNED, {})  # by key: the state in the browser, and the value assigned since
            if options.get("is_history_navigation"):  # the address wins
                assignments.clear()
            states = {state.id: state for state in widget_states.widgets} if widget_states else {}
            values = {key: value for key, (state, value) in assignments.items() if states.get(state.id) == state}  # not received yet
            for key, (state, _) in list(assignments.items()):
                if key in values:
                    widget_states.widgets.remove(state)
                elif state.id in states:  # the user has chosen another value since
                    del assignments[key]
            begin_run(self, widget_states, **options)
            for key, value in self._new_session_state.items():
                if state := states.get(self._key_id_mapper.get_id_from_key(key, "")):
                    assignments[key] = state, value
            self._new_session_state = values | self._new_session_state

    @wraps(end_run)
    def end_with_values_sent(self: SessionState, widget_ids: frozenset[str], **options: Any) -> None:
        assignments = self._old_state.get(_ASSIGNED, {})
        context = get_script_run_ctx(suppress_warning=True)
        if options:  # without options, another page opens and has drawn nothing yet
            is_fragment = bool(context and context.fragment_ids_this_run)
            get_id = self._key_id_mapper.get_id_from_key  # the id changes if a box gets other options
            for key in [key for key, (state, _) in assignments.items() if not is_fragment or get_id(key, state.id) in widget_ids]:
                del assignments[key]
        end_run(self, widget_ids, **options)

    @wraps(is_changed)
    def is_changed_here(self: SessionState, widget_id: str) -> bool:
        key = user_key_from_element_id(widget_id)
        is_current = key is None or self._key_id_mapper.get_id_from_key(key, widget_id) == widget_id
        return is_current and is_changed(self, widget_id)

    ScriptRequests.on_scriptrunner_yield = next_outside_callbacks
    SessionState.on_script_will_rerun = begin_after_callbacks
    SessionState.on_script_finished = end_with_values_sent
    SessionState._widget_changed = is_changed_here


_PAGES = "_elmoscope_pages"  # an attribute of a session: the page requested last, and the page whose run had started by then


@cache
def ignore_left_pages() -> None:
    """Patch Streamlit so that a late request of a fragment does not reopen, empty, a page that the user has left, in all sessions."""
    request = AppSession.request_rerun

    @wraps(request)
    def request_on_current_page(self: AppSession, client_state: ClientState | None) -> None:
        last_run = self._client_state.page_script_hash
        if client_state and client_state.fragment_id:
            requested_page, previous_run = getattr(self, _PAGES, ("", ""))
            page = requested_page if last_run == previous_run else last_run  # a page may also open another (st.switch_page)
            # The first page is requested by its name. Streamlit takes it for the main page until its first run ends.
            is_first_run = not requested_page and last_run == self._pages_manager.main_script_hash
            if page and not is_first_run and client_state.page_script_hash != page:
                return
        elif client_state:
            setattr(self, _PAGES, (client_state.page_script_hash, last_run))  # "" for the first page, which is requested by its name
        request(self, client_state)

    AppSession.request_rerun = request_on_current_page


@cache
def answer_late_downloads() -> None:
    """Patch Streamlit so that a click on a download is answered although its page has just been drawn again. Affects all sessions.

    Every run registers its downloads under new ids, and Streamlit drops those of the run before when it ends. If the browser has not yet
    received the new ones, a click would have no effect.
    """

    def remove_old(self: MediaFileManager) -> None:
        referenced = {file_id for ids in self._files_by_session_and_coord.values() for file_id in ids.values()}
        now = time.monotonic()
        for file_id, download in list(self._deferred_callables.items()):
            if file_id not in referenced and now - download.setdefault("left", now) >= KEPT_S:
                self._drop_deferred_id(file_id)

    MediaFileManager._remove_orphaned_deferred_callables = remove_old


@cache
def keep_answers() -> None:
    """Patch Streamlit so that no upload or download is lost because a run begins. Affects all sessions.

    The browser asks where to send a file, or where a download is. A run that begins clears the messages that have not been sent yet, and
    Streamlit would clear the answer too: the browser would wait for it forever.
    """
    clear = ForwardMsgQueue.clear

    @wraps(clear)
    def clear_all_but_answers(self: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, *args: Any, **options: Any) -> None:
        answers = [message for message in self._queue if message.WhichOneof("type") in ANSWERS] if retain_lifecycle_msgs else []
        clear(self, retain_lifecycle_msgs, *args, **options)
        self._queue.extend(answer for answer in answers if not any(answer is message for message in self._queue))

    ForwardMsgQueue.clear = clear_all_but_answers
