"""Test that a widget has its default if a client sends a value that no page of the app sends."""

import json

import pytest
from streamlit.elements.arrow import DataframeSelectionSerde
from streamlit.elements.plotly_chart import PlotlyChartSelectionSerde
from streamlit.elements.widgets.data_editor import DataEditorSerde
from streamlit.elements.widgets.number_input import NumberInputSerde
from streamlit.elements.widgets.selectbox import SelectboxSerde
from streamlit.elements.widgets.slider import SliderSerde
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.session_state import SessionState

from core.figures.maps import selected_data, selected_rows
from pages._frame import patches
from pages._frame.patches import MAX_JSON, MAX_OPTION, check_result
from pages._map import map_view
from pages._widgets.lists import read_selection

pytestmark = pytest.mark.unread  # no page is opened
NESTED = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("text", ["", "{", "nan", "[NaN]", '{"a": Infinity}', NESTED, '"\\ud800"', " " * (MAX_JSON + 1), "9" * 5_000])
def test_invalid_json_is_not_accepted_from_a_component(text):
    for field in patches.JSON_FIELDS:
        assert not patches._has_type(WidgetState(id="a", **{field: text}), field)


def test_value_of_another_type_is_not_accepted():
    for accepted in ({"string_value": "x"}, {}):  # {}: a box that the user emptied
        assert patches._has_type(WidgetState(id="a", **accepted), "string_value")
    for other in ({"int_value": 1}, {"double_value": 1}, {"bytes_value": b"x"}):
        assert not patches._has_type(WidgetState(id="a", **other), "string_value")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 1e999, 1e40, 10**400, -1, 10_000, "x", None, [1], {}])
def test_number_box_and_slider_accept_only_numbers_within_their_bounds(value):
    number = NumberInputSerde(value=5, data_type=NumberInput.INT, min_value=0, max_value=9999)
    assert check_result(number.deserialize)(value) == 5
    slider = SliderSerde([3.0], Slider.INT, True, None, 3, 30)
    assert check_result(slider.deserialize)([value]) == 3 and check_result(slider.deserialize)([4, 5]) == 3
    assert check_result(number.deserialize)(7) == 7 and check_result(slider.deserialize)([7]) == 7


def test_typed_option_is_cleaned_and_limited_in_length():
    places = {"A": 0, "B": 1}
    serde = SelectboxSerde(["a", "b"], formatted_options=[*places], formatted_option_to_option_index=places, default_option_index=0)
    read = check_result(serde.deserialize)
    assert (read("B"), read("/data/my\x00 texts"), read(5.5)) == ("b", "/data/my texts", 5.5)
    assert read("x" * (MAX_OPTION + 1)) == read("x" * 100_000) == "x" * MAX_OPTION


@pytest.mark.parametrize("rows", [[0, 2], [-1], [3], [10**30], ["0"], [0.5], [True], [None], [[0]], {}, "01", None, 7])
def test_table_selection_has_only_existing_rows(rows):
    read = check_result(DataframeSelectionSerde(num_rows=3).deserialize)
    state = read(json.dumps({"selection": {"rows": rows, "columns": [], "cells": []}}))
    assert read_selection(state, 3) == (rows if rows == [0, 2] else [])


@pytest.mark.parametrize(
    "value", ["null", "[]", "5", '"x"', '{"selection": 5}', '{"selection": {"cells": 5}}', '{"selection": {"cells": [[]]}}', "{"]
)
def test_selection_of_another_shape_is_empty(value):
    table = check_result(DataframeSelectionSerde(num_rows=3).deserialize)(value)
    assert table["selection"]["rows"] == [] == table["selection"]["cells"]
    chart = check_result(PlotlyChartSelectionSerde().deserialize)(value)
    assert selected_rows(chart) == [] == selected_data(chart)


SCALARS = [{"customdata": [17]}, {"customdata": {"0": 4}}, {"customdata": [-1]}, {"x": 1}]
NO_SCALARS = [5, {"1": 5}, [[1]], [1e300], {"0": {}}]


@pytest.mark.parametrize(("points", "rows"), [(SCALARS, [17, 4]), (5, []), ([5], []), *(([{"customdata": x}], []) for x in NO_SCALARS)])
def test_only_points_with_scalar_data_are_selected(points, rows):
    chart = check_result(PlotlyChartSelectionSerde().deserialize)(json.dumps({"selection": {"points": points}}))
    assert selected_rows(chart) == rows


NO_EDITS = [5, {"x": {}}, {"-1": {"label": "a"}}, {"0": 5}, {"0": {"label": [1]}}]


@pytest.mark.parametrize("value", [*({"edited_rows": rows} for rows in NO_EDITS), {"added_rows": [{}]}, {"deleted_rows": [0]}, [], 5])
def test_edits_of_another_shape_are_ignored(value):
    read = check_result(DataEditorSerde().deserialize)
    assert read(json.dumps(value))["edited_rows"] == {}
    assert read('{"edited_rows": {"0": {"label": "shore"}}}')["edited_rows"] == {0: {"label": "shore"}}


def test_click_on_a_missing_star_is_ignored():
    map_view.toggle_point(-3, {1: None, 2: None})
    map_view.toggle_point(-(10**9), {})


def test_every_value_enters_through_the_check():
    """Check that the patched methods, which Streamlit calls for each value, still exist in this version of Streamlit."""
    patches.check_values()
    for name in ("set_widgets_from_proto", "register_widget"):
        assert getattr(SessionState, name).__module__ == patches.__name__ or hasattr(getattr(SessionState, name), "__wrapped__")
