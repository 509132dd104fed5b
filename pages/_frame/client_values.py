"""Check what a client sends as the values of widgets, in the one place through which all of them enter.

A client need not be our page in a browser: it can send any value for any widget. Streamlit converts a value as the widget's own
page would send it, so that a number in place of a text, or JSON of another shape, ends a run with an exception. Here such a value
counts as none at all: the widget has the value that it opens with.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from streamlit.elements.arrow import DataframeSelectionSerde
from streamlit.elements.plotly_chart import PlotlyChartSelectionSerde
from streamlit.elements.widgets.data_editor import DataEditorSerde
from streamlit.elements.widgets.selectbox import SelectboxSerde
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state.session_state import Serialized, SessionState

from core.common.limits import BOX

MOST_JSON = 2_000_000  # characters of a component's value; a selection of all dots of the largest map has fewer
MOST_NUMBER = 1e15  # also of a row, which has no fraction then
MOST_NEW = BOX["folder"]  # characters of an option that is typed
JSON_FIELDS = ("json_value", "json_trigger_value")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")  # signs that are in no text
_INSTALLED = "_elmoscope_checks"


def install() -> None:
    """Check the values of all sessions of this process from now on."""
    if hasattr(SessionState, _INSTALLED):
        return
    take, register = SessionState.set_widgets_from_proto, SessionState.register_widget

    @wraps(take)
    def checked_take(self: SessionState, widget_states: WidgetStates) -> None:
        known = self._new_widget_state.widget_metadata
        unfit = [state.id for state in widget_states.widgets if not _fits(state, known[state.id].value_type if state.id in known else None)]
        if unfit:
            kept = [state for state in widget_states.widgets if state.id not in unfit]
            del widget_states.widgets[:]
            widget_states.widgets.extend(kept)
        take(self, widget_states)

    @wraps(register)
    def checked_register(self: SessionState, metadata: Any, user_key: str | None) -> Any:
        state = self._new_widget_state.states.get(metadata.id)
        if isinstance(state, Serialized) and not _fits(state.value, metadata.value_type):
            del self._new_widget_state[metadata.id]
        return register(self, replace(metadata, deserializer=checked(metadata.deserializer)), user_key)

    SessionState.set_widgets_from_proto, SessionState.register_widget = checked_take, checked_register
    setattr(SessionState, _INSTALLED, True)


def checked(deserialize: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a widget's conversion of a sent value that gives its default for one that it cannot convert, or that no page of ours sends."""
    check = next((check for kind, check in CHECKS.items() if isinstance(getattr(deserialize, "__self__", None), kind)), None)

    def read(value: Any) -> Any:
        try:
            result = deserialize(value)
            return check(deserialize.__self__, result) if check and value is not None else result
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
            return deserialize(None)

    return read


def _fits(state: WidgetState, value_type: str | None) -> bool:
    """Return whether a sent value is of the type that the widget has; JSON must be JSON, too."""
    field = state.WhichOneof("value")
    if field is None:
        return True
    if value_type is not None and field != value_type:
        return False
    return field not in JSON_FIELDS or _is_json(getattr(state, field))


def _is_json(text: str) -> bool:
    """Return whether a text is strict JSON, not too long, and without half characters."""
    if len(text) > MOST_JSON:
        return False
    try:
        json.dumps(json.loads(text, parse_constant=_refuse), ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _option(serde: SelectboxSerde, value: Any) -> Any:
    """One of the options, or a new one of a length and without signs that are in no text, of which the box knows what it is."""
    if not isinstance(value, str) or value in serde.options or value in serde.formatted_option_to_option_index:
        return value
    if len(value) > MOST_NEW:
        raise ValueError(value)
    return CONTROL.sub("", value)


def _rows(serde: DataframeSelectionSerde, state: Any) -> Any:
    """Rows, columns and cells of a table that are there."""
    selection = state["selection"]
    rows = [row for row in selection["rows"] if _is_row(row, serde.num_rows)]
    cells = [cell for cell in selection["cells"] if len(cell) == 2 and _is_row(cell[0], serde.num_rows) and isinstance(cell[1], str)]
    columns = [column for column in selection["columns"] if isinstance(column, str)]
    if [rows, cells, columns] == [selection["rows"], selection["cells"], selection["columns"]]:
        return state
    return serde.deserialize(json.dumps({"selection": {"rows": rows, "columns": columns, "cells": cells}}))


def _is_row(row: Any, most: int) -> bool:
    return type(row) is int and 0 <= row < most


def _points(serde: PlotlyChartSelectionSerde, state: Any) -> Any:
    """Points of a chart, each with scalars as its data."""
    selection = state["selection"]
    points = selection.get("points", [])
    if not (isinstance(points, list) and all(isinstance(point, dict) and _is_data(point.get("customdata")) for point in points)):
        raise ValueError(points)
    if "points" not in selection:
        raise ValueError(selection)
    return state


def _is_data(data: Any) -> bool:
    items = list(data.values()) if isinstance(data, dict) else data
    if isinstance(data, dict) and "0" not in data:
        return False
    return not items or (isinstance(items, list) and all(isinstance(item, str) or is_number(item) or item is None for item in items))


def is_number(item: Any) -> bool:
    """Return whether an item of a component's value is a number that a float can hold."""
    return isinstance(item, int | float) and not isinstance(item, bool) and abs(item) < MOST_NUMBER


def _edits(serde: DataEditorSerde, state: Any) -> Any:
    """Edits of cells, by rows from 0; no row is added or removed on any page."""
    edited = state["edited_rows"]
    if state["added_rows"] or state["deleted_rows"]:
        raise ValueError(state)
    for row, cells in edited.items():
        if row < 0 or not isinstance(cells, dict) or not all(isinstance(cell, str) or cell is None for cell in cells.values()):
            raise ValueError(cells)
    return state


CHECKS: dict[type, Callable[[Any, Any], Any]] = {
    SelectboxSerde: _option,
    DataframeSelectionSerde: _rows,
    PlotlyChartSelectionSerde: _points,
    DataEditorSerde: _edits,
}
