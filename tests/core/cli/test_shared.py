"""Tables for people: columns never touch, whatever stands in them."""

import pandas as pd

from core.cli.shared import in_columns, table_lines


def test_a_long_name_does_not_touch_the_next_column():
    rows = [("layer", "best"), ("a name of thirty letters or so", "91.2%"), ("0", "100.0%")]
    assert in_columns(rows, right=(1,)) == [
        "layer                             best",
        "a name of thirty letters or so   91.2%",
        "0                               100.0%",
    ]


def test_large_numbers_of_a_table_are_whole():
    lines = table_lines(pd.DataFrame({"word": ["a", "b", "c"], "rate": [16_666.67, -0.123456, 999.96]}))
    assert lines == ["word     rate", "a      16,667", "b     -0.1235", "c       1,000"]


def test_letters_two_places_wide_are_counted_so():
    assert in_columns([("눈", "a", "x"), ("bank", "", "y"), ("e\u0301", "b")]) == ["눈    a  x", "bank     y", "e\u0301     b"]
    assert in_columns([]) == []
