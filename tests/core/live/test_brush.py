"""Check linked brushing without a browser: the rows of a selection, and what each map is drawn with after a selection."""

import pytest

from core.figures.maps import selected_rows
from core.live.widgets import TABLE, Brush

ALL = (0.0, 1.0, 0.0, 1.0)


def drawn(brush: Brush, *maps: str) -> list[tuple[int, ...]]:
    """Draw maps, and return the selection of each."""
    return [brush.figure_of(name, None, ALL)[0] for name in maps]


@pytest.mark.parametrize(
    ("points", "rows"),
    [
        ([{"point_index": 0, "customdata": [17]}, {"point_index": 0, "customdata": {"0": 4}}], [17, 4]),  # never point numbers
        ([{"customdata": [-1]}, {"customdata": [3]}], [3]),  # a star is not a row
        ([], []),
        (None, []),
    ],
)
def test_a_selection_holds_row_ids(points, rows):
    assert selected_rows(points if points is None else {"selection": {"points": points}}) == rows


def test_a_selection_is_drawn_on_the_other_maps_until_the_next_one():
    brush = Brush(("corpus",))
    drawn(brush, "one", "two")
    brush.select([3, 4, 3], "one")
    assert drawn(brush, "one", "two") == [(), (3, 4)] and (brush.picked, brush.version) == ((3, 4), 1)  # the browser shows it on map one
    brush.select([5], "two")
    assert drawn(brush, "one", "two") == [(5,), (3, 4)]  # the browser shows 5 on map two, over what was drawn
    brush.select([], "")
    assert drawn(brush, "one", "two") == [(), ()] and brush.turns == {"one": 1, "two": 1}  # the first figure, mounted again


def test_a_selection_in_the_table_does_not_draw_the_table_again():
    brush = Brush(("corpus",))
    drawn(brush, "one")
    brush.select([1, 2], TABLE)
    assert brush.version == 0 and drawn(brush, "one") == [(1, 2)]


def test_a_map_that_is_drawn_again_begins_where_it_was_zoomed_to_and_a_zoom_does_not_draw_it():
    brush, zoom = Brush(("corpus",)), (0.2, 0.4, 0.2, 0.4)
    brush.figure_of("one", None, ALL)
    brush.zooms["one"] = zoom
    assert brush.figure_of("one", None, ALL)[1] == ALL
    brush.select([7], TABLE)
    assert brush.figure_of("one", None, ALL) == brush.figure_of("one", "a line", ALL) == ((7,), zoom)
