"""Compare the texts of pages with the files in tests/app/snapshots: every view in both languages, and states that a user reaches."""

import re
import sys

import pytest
from streamlit.testing.v1 import AppTest

from pages._frame.frame import sentence_count
from pages._frame.menu import list_views
from pages._frame.server import BY_PLOTLY, WITHOUT_TABLE
from tests.app.snapshot import check_snapshot
from tests.app.visit import HANGUL, opened, read_through, tables, words_on
from tests.core.common.test_i18n import entries

KNOWN = {english: korean for (english, *_), (korean, *_) in entries("ko") if "{" not in english and len(english) > 24}
SHORT_NOTICE = ("map", "mix", "found", "spread", "about", "classify", "tasks", "results")  # one sentence, at most 15 words
WITHOUT_RULES = ("spread", "change")
WITHOUT_SNAPSHOT = ("compare", "neighbors")  # their words are those read so far in the background
HAS_MECAB_KO = sys.version_info < (3, 13)  # plain MeCab cuts a few Korean words differently: other counts on the page of texts


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("view", list_views())
def test_view_shows_the_texts_of_its_snapshot(view: str, language: str):
    page = opened("app.py" if view == "home" else view, lang=language)
    assert not page.exception and not page.error and len(page.title) == 1
    assert not page.warning
    if view not in WITHOUT_RULES:
        check_rules(view, language, page)
    text = "\n".join(words_on(page))
    assert bool(HANGUL.search(page.title[0].value)) == (language == "ko")
    if language == "ko":
        assert not [english for english, korean in KNOWN.items() if english in text and english not in korean]
    if view not in WITHOUT_SNAPSHOT and (HAS_MECAB_KO or (view, language) != ("texts", "ko")):
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


BANK = {"a": "We sat on the grassy bank.", "b": "The bank lent him money.", "ai": "bank", "bi": "bank"}
LYNX = {"a": "A lynx watched the deer from a branch.", "ai": "lynx", "b": "My uncle drove his old lynx.", "bi": "lynx"}
MISSPELLED = {"a": "She lost her thimbel there.", "b": "The thimbel was old.", "ai": "thimbel", "bi": "thimbel"}
FORMS = {"a": "The banks of the river were steep.", "b": "The bank refused to lend money.", "ai": "1", "bi": "1"}
# What each snapshot is named for, with the view and the address that open it.
STATES = {
    "home with different words": (
        "home",
        {"a": "She bought a strawberry.", "b": "The traffic was slow.", "ai": "strawberry", "bi": "traffic"},
    ),
    "home without a word": ("home", {"a": "🎉 party", "b": "🎉", "ai": "🎉", "bi": "🎉"}),
    "home in another language": ("home", {"a": "눈이 온다", "b": "눈이 아프다", "ai": "눈이", "bi": "눈이"}),
    "home with capitals": ("home", {"a": "THE BANK IS SHUT", "b": "the bank is shut", "ai": "BANK", "bi": "bank"}),
    "home with a name and a noun": ("home", {"a": "Her parents moved from China to Peru.", "b": "The wedding china is kept behind glass."}),
    "home without labels": ("home", {"a": "We spread marmalade on the bread.", "b": "There was marmalade beside the butter."}),
    "home at layer 0": ("home", {"layer": "0"} | BANK),
    "home with a misspelled word": ("home", MISSPELLED),
    "neighbors of a misspelled word": ("neighbors", MISSPELLED),
    "neighbors at layer 0": ("neighbors", {"nlayer": "0"} | BANK),
    "map without labels": ("map", LYNX),
    "map of one sentence": ("map", LYNX | {"b": ""}),
    "map without sentences": ("map", {"a": "", "b": ""}),
    "map of an unknown word": ("map", {"map_word": "<b>qzxv</b>"}),
    "map at layer 0 without labels": ("map", LYNX | {"view": "0"}),
    "mix without labels": ("mix", LYNX),
    "mix of one sentence": ("mix", LYNX | {"b": ""}),
    "mix without sentences": ("mix", {"a": "", "b": ""}),
    "why without labels": ("why", LYNX | {"reveal": "true"}),
    "why of one word": ("why", {"a": "Bank", "ai": "Bank"}),
    "how with a repeated word": ("how", {"step": "7", "a": "I swear that I did not swear."}),
    "how without a repeated word": ("how", {"step": "7", "a": "She ran; he runs; they were running."}),
    "how with windows": ("how", {"step": "2", "a": "a village"}),
    "how with windows in Korean": ("how", {"step": "2", "a": "은행에 갔다.", "lang": "ko"}),
    "how with two sentences": ("how", {"step": "8"} | BANK),
    "how with one sentence": ("how", {"step": "8"} | BANK | {"b": ""}),
    "predict a repeated word": ("predict", {"ptext": "I swear that I did not swear.", "predict_part": "words"}),
    "predict after a sentence": ("predict", {"ptext": "Two cranes lifted the statue onto its plinth."}),
    "predict unknown words": ("predict", {"ptext": "She lost her thimbel on the blorptastic stairs.", "predict_part": "words"}),
    "predict other letters": ("predict", {"ptext": "은행에서 돈을 빌렸다."}),
    "predict an edit": ("predict", {"ptext": "She poured the molten glass into a mould.", "predict_part": "edit"}),
    "classify unreadable text": ("classify", {"text_news-title": "삼성전자 주가 급등"}),
    "classify mixed letters": ("classify", {"text_news-title": "Harvest festival opens in 부산 with fireworks"}),
    "classify a long text": ("classify", {"text_news-title": "The mayor opened a new bridge. " * 100}),
    "classify with all classifiers": ("classify", {"all": "true"}),
    "classify our headlines": ("classify", {"task": "headlines"}),
    "search without a corpus": ("search", {"corpus": "nonsense"}),
    **{f"lesson {lesson}": ("lessons", {"lesson": lesson}) for lesson in ("apart", "homonyms", "control", "context", "before")},
    **{f"slide {k}": ("slides", {"slide": str(k)}) for k in range(2, 10)},
    **{f"slide {k} with two forms": ("slides", {"slide": str(k)} | FORMS) for k in (1, 3, 4)},
    **{
        f"task {task}": ("tasks", {"task_of_paper": task})
        for task in ("roles", "chunks", "speech", "entailment", "coreference", "questions")
    },
    **{f"results {part}": ("results", {"results_part": part}) for part in ("more", "labels", "classifiers", "shipped")},
}


@pytest.mark.parametrize("name", STATES)
def test_state_shows_the_texts_of_its_snapshot(name: str):
    view, address = STATES[name]
    page = opened("app.py" if view == "home" else view, **address)
    if not page.error:
        read_through(page)
    check_snapshot(f"states/{name.replace(' ', '-')}", page)
