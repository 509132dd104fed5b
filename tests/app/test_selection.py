"""What a selection in a map means, apart from any browser."""

from core.figures.maps import selected_rows


def test_a_selection_gives_row_ids_from_customdata_never_point_numbers():
    event = {"selection": {"points": [{"point_index": 0, "customdata": [17]}, {"point_index": 0, "customdata": {"0": 4}}]}}
    assert selected_rows(event) == [17, 4]


def test_the_users_own_stars_are_not_rows():
    assert selected_rows({"selection": {"points": [{"customdata": [-1]}, {"customdata": [3]}]}}) == [3]


def test_no_selection_is_an_empty_one():
    assert selected_rows(None) == [] and selected_rows({"selection": {"points": []}}) == []
