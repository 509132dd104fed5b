"""All labeled words at once: their measures ship with the table; and the corpora that can be chosen."""

from tests.app.visit import opened_whole, tables


def test_all_words_are_drawn_and_listed():
    page = opened_whole("pages/map.py", **{"map.all": "true"})
    listed = [frame for frame in tables(page) if "above chance" in frame.columns and "virus" in set(frame["word"])]
    assert not page.exception and len(listed[0]) == 475


