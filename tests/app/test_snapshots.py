"""Compare the texts of pages with the files in tests/app/snapshots: every view in both languages, and states that a user reaches."""

import itertools
import json
import re
import sys

import pytest
from streamlit.testing.v1 import AppTest

from core.elmo.models import open_model
from core.index.tables import open_table
from core.senses import quiz
from pages._frame.menu import list_views
from pages._frame.server import BY_PLOTLY, WITHOUT_TABLE
from tests.app.snapshot import check_snapshot
from tests.app.test_texts import OWN_TEXT
from tests.app.visit import HANGUL, offered, opened, opened_whole, read_through, rows_of, tables, words_on
from tests.core.common.test_i18n import entries

KNOWN = {english: korean for (english, *_), (korean, *_) in entries("ko") if "{" not in english and len(english) > 24}
SHORT_NOTICE = ("map", "mix", "found", "spread", "about", "classify", "tasks", "results")  # one sentence, at most 15 words
WITH_READING = ("home", "neighbors", "map", "mix", "why", "found", "search", "how")  # these may wait for a job that reads texts
WITHOUT_SNAPSHOT = ("compare", "neighbors")  # their words are those read so far in the background
HAS_MECAB_KO = sys.version_info < (3, 13)  # plain MeCab cuts a few Korean words differently: other counts on the page of texts


@pytest.fixture(autouse=True)
def same_day(monkeypatch):
    """Fix the day, because every day has another quiz."""
    monkeypatch.setattr(quiz, "today", lambda: 331)


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("view", list_views())
def test_view_shows_the_texts_of_its_snapshot(view: str, language: str):
    page = opened_whole("app.py" if view == "home" else view, lang=language)
    assert len(page.title) == 1
    assert not page.warning
    if view not in ("spread", "change"):
        check_rules(view, language, page)
    text = "\n".join(words_on(page))
    assert bool(HANGUL.search(page.title[0].value)) == (language == "ko")
    if language == "ko":
        assert not [english for english, korean in KNOWN.items() if english in text and english not in korean]
    check_exports(page)
    if view not in WITHOUT_SNAPSHOT and (HAS_MECAB_KO or (view, language) != ("texts", "ko")):
        check_snapshot(f"{view}.{language}", page, with_sidebar=view == "home")


def check_exports(page: AppTest) -> None:
    """Check that numbers such as +6.2 have no quote in exported tables. Only formulas have one."""
    assert [cell for table in offered(page) for row in rows_of(table) for cell in row if re.match(r"'[-+]\d", cell)] == []


def check_rules(view: str, language: str, page: AppTest) -> None:
    """Check that the document requests the scripts that the view needs, and how much a notice shows before it is unfolded."""
    assert not page.get("plotly_chart") or view in BY_PLOTLY  # the document requests its scripts
    assert not tables(page) or view not in WITHOUT_TABLE
    notices = [block.proto.body for block in page.get("html") if block.proto.body.startswith('<div class="notice">')]
    assert notices
    for body in notices:
        visible = re.sub("<details>.*</details>|<[^>]*>", "", body.partition("</b>")[2], flags=re.DOTALL).strip()
        assert len(re.findall(r"(?<!\bet al)[.!?]+[”’)]*(?=\s|$)", visible)) <= (1 if view in SHORT_NOTICE else 2), visible
        assert view not in SHORT_NOTICE or language == "ko" or len(visible.split()) <= 15, visible


BANK = {"a": "We sat on the grassy bank.", "b": "The bank lent him money.", "ai": "bank", "bi": "bank"}
LYNX = {"a": "A lynx watched the deer from a branch.", "ai": "lynx", "b": "My uncle drove his old lynx.", "bi": "lynx"}
DIFFERENT = {"a": "She bought a strawberry.", "b": "The traffic was slow.", "ai": "strawberry", "bi": "traffic"}
MISSPELLED = {"a": "She lost her thimbel there.", "b": "The thimbel was old.", "ai": "thimbel", "bi": "thimbel"}
FORMS = {"a": "The banks of the river were steep.", "b": "The bank refused to lend money.", "ai": "1", "bi": "1"}
PDF = {"a": "The ban\u00adking sector\u200b of the coun-\u200bcil o\ufb03ce impor- tance.", "b": "A bank lent money."}
TASKS = ("roles", "chunks", "speech", "entailment", "coreference", "questions")
# What each snapshot is named for, with the view and the address that open it.
STATES = {
    "home with different words": ("home", DIFFERENT),
    "home without a word": ("home", {"a": "🎉 party", "b": "🎉", "ai": "🎉", "bi": "🎉"}),
    "home in another language": ("home", {"a": "눈이 온다", "b": "눈이 아프다", "ai": "눈이", "bi": "눈이"}),
    "home with capitals": ("home", {"a": "THE BANK IS SHUT", "b": "the bank is shut", "ai": "BANK", "bi": "bank"}),
    "home with a name and a noun": ("home", {"a": "Her parents moved from China to Peru.", "b": "The wedding china is kept behind glass."}),
    "home without labels": ("home", {"a": "We spread marmalade on the bread.", "b": "There was marmalade beside the butter."}),
    "home at layer 0": ("home", {"layer": "0"} | BANK),
    "home with a misspelled word": ("home", MISSPELLED),
    "home with punctuation": ("home", {"a": "“Yes,” she said: go!", "b": "Go, then."}),
    "home with punctuation alone": ("home", {"a": "! ?", "b": "🎉 party, 🎊", "bi": "🎉"}),
    "home with one sentence": ("home", {"a": "", "b": "The bank refused to lend him any money."}),
    "neighbors of a misspelled word": ("neighbors", MISSPELLED),
    "neighbors at layer 0": ("neighbors", {"nlayer": "0"} | BANK),
    "neighbors of text from a PDF": ("neighbors", PDF),
    "neighbors of an unknown model": ("neighbors", {"model": "nonsense", "nlayer": "9", "s": "1,2"}),
    "map without labels": ("map", LYNX),
    "map of other letters": ("map", {"a": "The bank of Ελλάδα, 은행.", "b": "A bank lent money."}),
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
    "how with a split word": ("how", {"step": "4", "spell": "don't"}),
    "how with a whole word": ("how", {"step": "4", "spell": "maple"}),
    "how with unknown letters": ("how", {"step": "4", "spell": "😂 🙂 ghost"}),
    "how with capitals": ("how", {"step": "4", "spell": "Bank bank BANK"}),
    "how with a Korean piece": ("how", {"step": "4", "spell": "은행", "lang": "ko"}),
    "how with two sentences": ("how", {"step": "8"} | BANK),
    "how with one sentence": ("how", {"step": "8"} | BANK | {"b": ""}),
    "predict a repeated word": ("predict", {"ptext": "I swear that I did not swear.", "predict_part": "words"}),
    "predict a word of a link": ("predict", {"ptext": "She poured the molten glass into a mould.", "pat": "molten"}),
    "predict in Korean": ("predict", {"ptext": "나는 오늘 아침에", "lang": "ko"}),
    "predict after a sentence": ("predict", {"ptext": "Two cranes lifted the statue onto its plinth."}),
    "predict unknown words": ("predict", {"ptext": "She lost her thimbel on the blorptastic stairs.", "predict_part": "words"}),
    "predict other letters": ("predict", {"ptext": "은행에서 돈을 빌렸다."}),
    "predict an edit": ("predict", {"ptext": "She poured the molten glass into a mould.", "predict_part": "edit"}),
    "classify unreadable text": ("classify", {"text_news-title": "삼성전자 주가 급등"}),
    "classify mixed letters": ("classify", {"text_news-title": "Harvest festival opens in 부산 with fireworks"}),
    "classify a long text": ("classify", {"text_news-title": "The mayor opened a new bridge. " * 100}),
    "classify with all classifiers": ("classify", {"all": "true"}),
    "classify our headlines": ("classify", {"task": "headlines"}),
    "groups of few sentences": ("found", {"found_word": "bank", "found_k": "8"}),
    "groups at layer 2": ("found", {"found_word": "bank", "found_layer": "2"}),
    "search without a corpus": ("search", {"corpus": "nonsense"}),
    **{f"lesson {lesson}": ("lessons", {"lesson": lesson}) for lesson in ("apart", "homonyms", "control", "context", "before")},
    **{f"slide {k}": ("slides", {"slide": str(k)}) for k in range(2, 10)},
    **{f"slide {k} with two forms": ("slides", {"slide": str(k)} | FORMS) for k in (1, 3, 4)},
    "change of a rare word": ("change", {"change_word": "mouse"}),
    "change by dates without dates": ("change", {"change_by": "dates"}),
    "change of a missing corpus": ("change", {"change_first": "nonsense", "change_second": "nonsense"}),
    "why of a word without a past": ("why", {"a": "Kettle drums thundered.", "ai": "Kettle"}),
    "task coreference without names": ("tasks", {"task_of_paper": "coreference", "tasks_text": "the dog left because it was tired"}),
    "task coreference without a pronoun": ("tasks", {"task_of_paper": "coreference", "tasks_text": "quickly !"}),
    "task names without text": ("tasks", {"task_of_paper": "names", "tasks_names": " "}),
    "task names without words": ("tasks", {"task_of_paper": "names", "tasks_names": "🎉 ⚽"}),
    "task names in a long text": ("tasks", {"task_of_paper": "names", "tasks_names": "word " * 900}),
    "task roles in Korean": ("tasks", {"task_of_paper": "roles", "tasks_roles": "고양이가 잔다"}),
    "task entailment of one sentence": ("tasks", {"task_of_paper": "entailment", "tasks_second": " "}),
    "task questions without a question": ("tasks", {"task_of_paper": "questions", "tasks_question": " "}),
    "task questions without a paragraph": ("tasks", {"task_of_paper": "questions", "tasks_paragraph": " "}),
    **{f"task {task}": ("tasks", {"task_of_paper": task}) for task in TASKS},
    **{f"results {part}": ("results", {"results_part": part}) for part in ("more", "labels", "classifiers", "shipped")},
}


@pytest.mark.parametrize("name", STATES)
def test_state_shows_the_texts_of_its_snapshot(name: str):
    check_state(name, *STATES[name])


LOADS, WATERS = "beams bricks pipes steel planks glass sand", "marsh pond lake reeds river shallows swamp"
CRANES = [f"The crane lifted {what} over the wall of the site." for what in LOADS.split()]
CRANES += [f"A crane waded in the {what} and ate a frog." for what in WATERS.split()]
PLACES = "river market harbour garden station bridge kitchen library castle"
VISITS = itertools.product(PLACES.split(), ("gray", "quiet", "small"), ("Monday", "Friday", "Sunday"))
GULL = {"position": 1, "word": "gull", "lemma": "gull", "sense": "bird"}
# The texts of a user, with the states in which pages use them.
TEXTS = {
    "heron.txt": "A heron slept.",
    "cranes.txt": "\n".join(CRANES),
    "gulls.jsonl": "\n".join(json.dumps({"tokens": ["The", "gull", "stole", what, "."]} | GULL) for what in ("chips", "bread", "fish")),
    "places.txt": "\n".join(f"The {place} looked {look} to the visitors on {day}." for place, look, day in VISITS),
    "short.txt": "Birds sang.\nIt rained.\n",
    "endless.txt": "x" * 4_000 + " " + "x" * 4_000,
    "word.txt": "bank",
    "own.txt": OWN_TEXT,
}
NO_SENTENCES = {"a": "", "b": ""}
STATES_WITH_TEXTS = {
    "map of one dot": ("map", "heron.txt", {"map_word": "heron"} | NO_SENTENCES),
    "map of user texts": ("map", "cranes.txt", {"map_word": "crane"} | NO_SENTENCES),
    "map of a target in user texts": ("map", "cranes.txt", {"a": "The crane flew off.", "b": "The crane was rusty.", "ai": "crane"}),
    "map of one sense": ("map", "gulls.jsonl", NO_SENTENCES),
    "lesson cone with user texts": ("lessons", "places.txt", {}),
    "lesson apart with user texts": ("lessons", "places.txt", {"lesson": "apart"}),
    "lesson homonyms with user texts": ("lessons", "places.txt", {"lesson": "homonyms"}),
    "lesson with too short texts": ("lessons", "short.txt", {}),
    "quiz with user texts": ("guess", "own.txt", {"quiz": "31313"}),
    "groups of user texts": ("found", "own.txt", {}),
    "groups of a target in user texts": ("found", "own.txt", {"a": "We saw the garden.", "b": "The garden was green."}),
    **{f"{view} with an endless word": (view, "endless.txt", {}) for view in ("search", "collocates", "keyness", "found")},
    "keyness of one word": ("keyness", "word.txt", {}),
}


@pytest.mark.parametrize("name", STATES_WITH_TEXTS)
def test_state_with_user_texts_shows_the_texts_of_its_snapshot(tmp_path, name: str):
    view, file, address = STATES_WITH_TEXTS[name]
    (tmp_path / file).write_text(TEXTS[file], encoding="utf-8")
    open_table(str(tmp_path / file), open_model("elmo-mini"))
    check_state(name, view, address | {"corpus": str(tmp_path / file)})


def check_state(name: str, view: str, address: dict[str, str]) -> None:
    page = opened("app.py" if view == "home" else view, **address)
    if view in WITH_READING and not page.error:
        read_through(page)
    check_exports(page)
    check_snapshot(f"states/{name.replace(' ', '-')}", page)
