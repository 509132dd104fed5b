"""Linked brushing, apart from any browser: what each map is drawn with after a selection here or there."""

from core.live.brush import TABLE, Brush

ALL = (0.0, 1.0, 0.0, 1.0)


def drawn(brush: Brush, *maps: str, shows=None) -> list[tuple[int, ...]]:
    return [brush.figure_of(name, shows, ALL)[0] for name in maps]


def test_a_selection_is_drawn_on_the_other_maps_and_leaves_its_own_map_as_it_is():
    brush = Brush(("corpus",))
    drawn(brush, "one", "two")
    brush.select([3, 4, 3], "one")
    assert drawn(brush, "one", "two") == [(), (3, 4)]  # the browser shows it on map one
    assert (brush.picked, brush.version) == ((3, 4), 1)


def test_a_selection_elsewhere_ends_the_one_before():
    brush = Brush(("corpus",))
    drawn(brush, "one", "two")
    brush.select([3], "one")
    drawn(brush, "one", "two")
    brush.select([5], "two")
    assert drawn(brush, "one", "two") == [(5,), (3,)]  # two shows 5 by itself over what it was drawn with
    brush.select([], "")
    assert drawn(brush, "one", "two") == [(), ()]
    assert brush.turns == {"one": 1, "two": 1}  # the same figure as at first, but mounted anew


def test_ticks_in_the_table_keep_the_table_as_it_is():
    brush = Brush(("corpus",))
    drawn(brush, "one")
    brush.select([1, 2], TABLE)
    assert brush.version == 0 and drawn(brush, "one") == [(1, 2)]


def test_a_map_that_is_drawn_anew_begins_where_it_was_zoomed_to_and_no_zoom_draws_it():
    brush = Brush(("corpus",))
    brush.figure_of("one", None, ALL)
    brush.zooms["one"] = (0.2, 0.4, 0.2, 0.4)
    assert brush.figure_of("one", None, ALL)[1] == ALL
    brush.select([7], TABLE)
    assert brush.figure_of("one", None, ALL) == ((7,), (0.2, 0.4, 0.2, 0.4))
    assert brush.figure_of("one", "a line", ALL) == ((7,), (0.2, 0.4, 0.2, 0.4))
