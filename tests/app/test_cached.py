"""Test that cached values depend on everything they are computed from."""

import itertools
import json
import os
from dataclasses import dataclass

import pytest
from streamlit.testing.v1 import AppTest

from core.cli import wire
from core.common import i18n
from core.corpus.search import find
from core.text import languages
from core.views import neighbors
from core.views.concordance import ConcordanceRequest, concordance
from core.workspace import Names, Workspace, open_workspace
from pages._cached import cache
from pages._cached.cache import keep, view, within_run
from pages._classify import tasks
from pages._frame.in_use import InUse
from tests.core.test_workspace import models, requests_of, texts
from tests.tiny import differences

__all__ = ["models", "texts"]  # fixtures


def test_text_is_read_again_in_another_language(tmp_path):
    path = tmp_path / "강.txt"
    path.write_text("은행에서 돈을 찾았다.\n은행은 문을 닫았다.\n", encoding="utf-8")
    for code, found in (("en", 0), ("ko", 2), ("en", 0)):
        with languages.reading(languages.get_language(code)):
            assert len(find(cache.encoded(str(path), languages.in_use()), "은행")) == found


def test_edited_file_of_equal_size_and_time_is_read_again(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"tokens": ["One", "heron"]}) + "\n")
    stat = path.stat()
    assert cache.encoded(str(path), languages.in_use()).word_list == ["heron", "one"]
    key = cache._key(str(path), "elmo-mini")
    path.write_text(json.dumps({"tokens": ["One", "egret"]}) + "\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    assert cache.encoded(str(path), languages.in_use()).word_list == ["egret", "one"]
    assert cache._key(str(path), "elmo-mini") != key  # its index is another job's
    path.write_text(json.dumps({"tokens": ["One", "egret"], "position": 1, "word": "egret", "sense": "bird"}) + "\n")
    assert cache.is_labeled(str(path))


def test_value_of_a_model_is_computed_again_if_its_weights_change(tmp_path):
    numbers = itertools.count(1)
    (tmp_path / "options.json").write_text("{}")
    for weights, expected in ((b"one", 1), (b"other", 2)):
        (tmp_path / "weights.hdf5").write_bytes(weights)
        for _ in range(2):
            assert keep("computed", [("model", str(tmp_path))], None, lambda: next(numbers), most=4) == expected


def test_value_within_a_run_is_computed_once_in_each_run():
    def script():
        import streamlit as st

        from pages._cached.cache import within_run

        length = within_run(lambda word: st.session_state.setdefault("asked", []).append(word) or len(word))
        assert [length("lynx"), length("lynx")] == [4, 4]

    assert AppTest.from_function(script).run().run().session_state["asked"] == ["lynx"] * 2
    assert within_run(len)("lynx") == 4  # where no page runs


@pytest.fixture
def empty_cache():
    cache.memo.__init__()
    yield
    cache.memo.__init__()


def test_cached_answers_belong_to_their_model_and_texts(texts, models, empty_cache):
    opener = open_workspace(next(iter(models))).opener
    workspaces = {model: Workspace(Names(model=model, corpus=texts[code].corpus), opener) for model, code in models.items()}
    several = [name for name, _ in requests_of(texts["en"], "elmo-mini")]
    for k in range(0, len(several), 2):  # every second request, of each model in turn
        for model, code in models.items():
            name, request = requests_of(texts[code], model)[k]
            compute, workspace = wire.view_named(name), workspaces[model]
            answer = view(compute, workspace, wire.request_of(workspace, compute, request))
            assert not [*differences(wire.json_of(answer), wire.answer(workspace, name, request), absolute=2e-3, relative=1e-3)], (
                model,
                name,
            )


@dataclass(frozen=True)
class Request:
    word: str


def test_unfinished_answer_is_not_cached(empty_cache):
    answers = iter([None, None, "ready"])

    def compute(workspace, request):
        return next(answers)

    compute.__module__ = neighbors.__name__
    workspace = open_workspace()
    assert [view(compute, workspace, Request("bank")) for _ in range(4)] == [None, None, "ready", "ready"]
    unready = iter([None, 1])
    assert [keep("a table", (), None, lambda: next(unready), most=2) for _ in range(3)] == [None, 1, 1]


def test_cached_dates_and_problems_are_in_the_language_of_each_user(tmp_path, empty_cache, monkeypatch):
    rows = [f"{year},The bank opened." for year in range(1800, 1900, 5)]
    (tmp_path / "dated.csv").write_text("\n".join(["date,text", *rows]))
    over, request = open_workspace(corpus=str(tmp_path / "dated.csv")), ConcordanceRequest(query="bank")
    monkeypatch.setattr(tasks.answers, "open_tasks", lambda *_: {"names": i18n.t("Not a word")})
    for code, first, second in (("en", "1800s", "1810s"), ("ko", "1800년대", "1810년대"), ("en", "1800s", "1810s")):
        with i18n.within(code):
            assert [name for name, *_ in view(concordance, over, request).dates][:2] == [first, second]
            assert tasks._open_tasks(InUse("elmo-mini", "glove-mini", "sentences", ""))["names"] == i18n.catalog(code).gettext("Not a word")
