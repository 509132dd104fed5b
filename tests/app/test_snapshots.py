"""Every view in both languages: its texts (tests/app/snapshots), its title, how much its notice shows, and no English in Korean."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages._frame.frame import sentence_count
from pages._frame.menu import list_views
from pages._frame.server import BY_PLOTLY, WITHOUT_TABLE
from tests.app.snapshot import check_snapshot
from tests.app.visit import HANGUL, opened, tables, words_on
from tests.core.common.test_i18n import entries

KNOWN = {english: korean for (english, *_), (korean, *_) in entries("ko") if "{" not in english and len(english) > 24}
SHORT_NOTICE = ("map", "mix", "found", "spread", "about", "classify", "tasks", "results")  # one sentence, at most 15 words
WITHOUT_RULES = ("spread", "change")
WITHOUT_SNAPSHOT = ("compare", "neighbors")  # their words are those read so far in the background


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("view", list_views())
def test_view_shows_the_texts_of_its_snapshot(view: str, language: str):
    page = opened("app.py" if view == "home" else view, lang=language)
    assert not page.exception and not page.error and len(page.title) == 1
    if view not in WITHOUT_RULES:
        check_rules(view, language, page)
    text = "\n".join(words_on(page))
    assert bool(HANGUL.search(page.title[0].value)) == (language == "ko")
    if language == "ko":
        assert not [english for english, korean in KNOWN.items() if english in text and english not in korean]
    if view not in WITHOUT_SNAPSHOT:
        check_snapshot(f"{view}.{language}", page, with_sidebar=view == "home")


def check_rules(view: str, language: str, page: AppTest) -> None:
    """Check that the document requests the scripts that the view needs, and how much a notice shows before it is unfolded."""
    assert not page.get("plotly_chart") or view in BY_PLOTLY  # the document requests its scripts
    assert not tables(page) or view not in WITHOUT_TABLE
    notices = [block.proto.body for block in page.get("html") if block.proto.body.startswith('<div class="notice">')]
    assert notices
    for body in notices:
        visible = re.sub("<details>.*</details>", "", body.partition("</b>")[2], flags=re.DOTALL)
        assert sentence_count(visible) <= (1 if view in SHORT_NOTICE else 2), visible
        if view in SHORT_NOTICE and language == "en":
            assert len(re.sub("<[^>]*>", "", visible).split()) <= 15, visible
