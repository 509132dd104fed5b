"""Stop is one visitor's: shared work goes on while anyone else wants it, and whoever stopped it can go on with it, again and again."""

import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.testing.v1 import AppTest

from core.elmo.encoder import Encoder
from pages._cached import shared_jobs
from pages._cached.cache import memo
from pages._frame import jobs as frame_jobs
from pages._frame.jobs import JobEnded, Queue
from tests.app.visit import captions, forget, text_of, until
from tests.app.visit import opened as visited


@pytest.fixture(autouse=True)
def no_jobs() -> Iterator[None]:
    shared_jobs._jobs()[0].clear()
    forget("spellings")
    yield
    forget("spellings")


@pytest.fixture(autouse=True)
def visits(monkeypatch) -> None:
    """A page is a visit of its own, by the name that its session holds: all of AppTest's have one session's."""

    def context(**_) -> SimpleNamespace | None:
        return SimpleNamespace(session_id=st.session_state.get("who", "one")) if get_script_run_ctx(suppress_warning=True) else None

    monkeypatch.setattr(frame_jobs, "get_script_run_ctx", context)
    monkeypatch.setattr(shared_jobs, "MAX_WAIT_S", 0.1)


def test_job_ends_when_every_user_has_stopped_it_and_they_stay_stopped_in_the_next_one():
    queue = Queue()
    job = queue.add("one")
    job.join("two")
    job.stop_for("one")
    job.check()
    job.stop_for("two")
    with pytest.raises(JobEnded):
        job.check()
    again, without_user = queue.add("three"), queue.add()
    for other in (again, without_user):
        other.take_over(job)
    again.join("one")  # a page that shows the job does not resume it
    assert again.owners == {"three"} and again.has_stopped("one") and without_user.is_wanted
    again.stop_for(None)
    without_user.stop_for(None)
    assert not again.is_wanted and not without_user.is_wanted
    without_user.resume(None)
    assert without_user.is_wanted


def script() -> None:
    import streamlit as st

    from pages._cached import shared_jobs
    from tests.app import test_stop

    job = shared_jobs.job("counting", 1, test_stop.WORK[0], failed="It failed.", most=2)
    job.wait(shared_jobs.MAX_WAIT_S)
    if job.result is None:
        shared_jobs.show_state(
            "counting", 1, lambda job, left: f"{job.done} of {job.total}", widget="counting", stopped="Stopped here.", again="Go on"
        )
    else:
        st.success(f"Counted {job.result}")


WORK: list[Callable] = []


def visit(who: str) -> AppTest:
    page = AppTest.from_function(script, default_timeout=60)
    page.session_state["who"] = who
    return page.run()


@pytest.fixture
def counting() -> Iterator[SimpleNamespace]:
    """A job that counts while it may, and begins where it was."""
    state = SimpleNamespace(done=0, began=0, go=threading.Event())

    def work(job) -> int:
        state.began += 1
        while not state.go.is_set():
            state.done += 1
            job.report(state.done, 10_000, 1.0)
            time.sleep(0.01)
        return state.done

    WORK[:] = [work]
    yield state
    state.go.set()


def said(page: AppTest) -> str:
    return " ".join([*(item.value for item in (*page.info, *page.success, *page.error)), *(bar.proto.text for bar in page.get("progress"))])


def test_stop_of_one_user_does_not_stop_the_job_of_another(counting):
    first, second = visit("one"), visit("two")
    assert "of 10000" in said(first) and "of 10000" in said(second) and counting.began == 1
    first.button(key="counting.stop").click().run()
    assert "Stopped here." in said(first)
    before = counting.done
    until(lambda: counting.done > before + 5)
    assert "of 10000" in said(second.run()) and not second.button(key="counting.stop").disabled
    first.run()  # whatever else the visit does, it is not read for it again
    assert "Stopped here." in said(first)
    first.button(key="counting.again").click().run()
    assert "of 10000" in said(first) and counting.began == 1
    counting.go.set()
    until(lambda: "Counted" in said(first.run()))
    assert "Counted" in said(second.run())


def test_spellings_are_drawn_before_the_first_word_of_the_vocabulary_is_read(monkeypatch):
    monkeypatch.setattr("pages._how.spellings.read_words", lambda over, spellings, upto: None)
    page = visited("pages/how.py", step="4")
    assert "Reading the vocabulary…" in text_of(page) and "among the 0 most frequent" in captions(page)
    assert "Your closest words" in text_of(page) and "random words" not in text_of(page)


def test_reading_spellings_can_be_stopped_and_continued_twice(monkeypatch):
    vectors = Encoder.word_vectors

    def word_vectors(self, words):
        if len(words) == 256:
            time.sleep(0.6)
        return vectors(self, words)

    monkeypatch.setattr(Encoder, "word_vectors", word_vectors)
    page = visited("pages/how.py", step="4")
    ((spellings, _),) = [value for (maker, _), (value, _) in memo._values.items() if maker == "spellings"]
    for _ in range(2):
        page.button(key="spell.stop").click().run()
        until(lambda: any(button.key == "spell.again" for button in page.run().button))
        before = spellings.read
        assert page.run() and spellings.read == before < 10_000 and not page.get("progress")
        page.button(key="spell.again").click().run()
        until(lambda before=before: spellings.read > before)
    page.button(key="spell.stop").click().run()
