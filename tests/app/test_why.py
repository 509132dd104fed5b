"""Test the substitutes on the Why page: the effect of each word."""

import pytest

from tests.app.visit import captions, export_of, html_of, opened_whole


@pytest.mark.parametrize(("how", "said"), [("drop", "without it"), ("mask", "with it masked"), ("swap", "with “thing” in its place")])
def test_word_that_changes_the_substitutes_most_is_named(how: str, said: str):
    page = opened_whole("pages/why.py", a="We sat on the grassy bank and watched the boats.", ai="bank", dhow=how)
    rows, text = export_of(page, "decided.expected.table").set_index("word"), html_of(page) + captions(page)
    word = rows.loc[["sat", "grassy", "watched", "boats"], "change"].idxmax()
    assert f"“{word}” changes substitutes most ({rows.loc[word, 'change']:.2f}); {said}: {rows.loc[word, 'come in']} come" in text
    assert len(rows) == 10 and "bank" not in rows.index
