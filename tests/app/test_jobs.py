"""Test background jobs: the queue, shared work, and callbacks that end before the next run."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from core.common.errors import STOPPED, BadInput
from core.views.sides import Side
from pages._cached import shared_jobs
from pages._frame import jobs as frame_jobs
from pages._frame import patches
from pages._frame.jobs import JobEnded, Queue, TooManyJobs

pytestmark = pytest.mark.unread


@pytest.fixture(autouse=True)
def no_jobs():
    yield shared_jobs._jobs()[0].clear()
    shared_jobs._jobs()[0].clear()


def be_user(monkeypatch, name: str) -> None:
    for module in (shared_jobs, frame_jobs):
        monkeypatch.setattr(module, "current_user", lambda: name)


def begin(key, work=lambda job: job):
    job = shared_jobs.job("a kind", key, work, failed="It failed.", most=2)
    job.wait(30)
    return job


@pytest.mark.parametrize("key", [("letters", 1), (Side(corpus="news"), Side(corpus="letters"))], ids=["name", "side"])
def test_same_work_is_one_job_until_its_corpus_is_ended(key):
    job, other = begin(key), begin(("another text", 1))
    assert begin(key) is job is job.result is shared_jobs.find_job("a kind", key) and shared_jobs.find_job("another kind", key) is None
    shared_jobs.end("letters", 30)
    assert shared_jobs.find_job("a kind", key) is None and begin(key) is not job and begin(("another text", 1)) is other


def test_a_stop_is_remembered_while_another_user_has_no_room_for_the_job(monkeypatch):
    be_user(monkeypatch, "one")
    job = begin(1)
    job.stop()
    job.result, job.why_ended = None, STOPPED
    be_user(monkeypatch, "another")
    with monkeypatch.context() as full:
        full.setattr(shared_jobs, "add_job", lambda: (_ for _ in ()).throw(TooManyJobs("No room.")))
        with pytest.raises(TooManyJobs):
            begin(1)
    assert shared_jobs._jobs()[0]["a kind", 1] is job and begin(1).has_stopped("one")


def test_refused_job_of_one_user_is_started_for_another(monkeypatch):
    def refuse(job):
        raise BadInput("No room.")

    be_user(monkeypatch, "one")
    job = begin(1, refuse)
    assert job.error == "No room." and begin(1, refuse) is job
    be_user(monkeypatch, "another")
    again = begin(1)
    assert again is not job and again.result
    again.result, again.why_ended = None, "left"
    assert begin(1) is not again


@pytest.fixture
def one_at_once(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_JOBS", "1")


def began(queue: Queue) -> list:
    for job in list(queue.waiting):
        job.wait_for_turn(0)
    return list(queue.running)


def test_no_more_jobs_are_under_way_than_allowed(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_JOBS", "3")
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_JOBS", "20")
    queue, at_once = Queue(), []

    def work(_) -> None:
        with queue.add("a"):
            at_once.append(len(queue.running))
            time.sleep(0.01)

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(work, range(12)))
    assert max(at_once) == 3 and not queue.running and not queue.waiting


@pytest.mark.parametrize(
    ("owners", "address"), [(("greedy",) * 3, ()), (("greedy 0", "greedy 1", "greedy 2"), ("192.0.2.1",))], ids=["session", "address"]
)
def test_owners_and_addresses_take_turns(one_at_once, owners, address):
    queue = Queue()
    greedy = [queue.add(owner, *address) for owner in owners]
    assert began(queue) == [greedy[0]]
    modest, third = queue.add("modest", *address and ["192.0.2.2"]), queue.add("third")
    assert queue.order() == [modest, third, greedy[1], greedy[2]]
    assert [job.ahead for job in (greedy[0], modest, third, greedy[1], greedy[2])] == [0, 1, 2, 3, 4]
    greedy[0].leave()
    assert began(queue) == [greedy[1]]  # nobody has one under way now: first come, first served
    assert queue.order() == [modest, third, greedy[2]]


def test_jobs_of_a_user_and_of_all_users_are_limited(monkeypatch, one_at_once):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_JOBS", "2")
    monkeypatch.setenv("ELMOSCOPE_MAX_WAITING", "3")
    queue = Queue()
    queue.add("a"), queue.add("a")
    with pytest.raises(BadInput, match="Your jobs: 2, the limit here"):
        queue.add("a")
    queue.add("b"), queue.add("c")  # c gets the place of the second job of a
    with pytest.raises(BadInput, match="3 jobs are waiting"):
        queue.add("d")
    assert [job.first_owner for job in queue.order()] == ["a", "b", "c"]


def test_stop_ends_a_job_that_waits_and_one_under_way(one_at_once):
    queue = Queue()
    first, second = queue.add("a"), queue.add("b")
    with first:
        second.end()
        with pytest.raises(JobEnded) as ended, second:
            pass
        assert ended.value.why == "stopped" and second not in queue.waiting
        first.end()
        assert first.is_over()
    assert not queue.running


def test_job_ends_when_its_last_user_has_left_and_sooner_if_another_user_waits(monkeypatch, one_at_once):
    monkeypatch.setattr(frame_jobs, "YIELD_AFTER_S", 0.05)
    there = {"a", "b"}
    queue = Queue(there.__contains__)
    job, closed = queue.add("a"), queue.add("closed")
    job.join("b")
    assert job.wait_for_turn(0)
    there.remove("a")
    time.sleep(0.1)
    job.check()  # b still wants it
    there.clear()
    time.sleep(0.1)
    job.check()  # no user with an open page waits
    there.add("c")
    other = queue.add("c")
    with pytest.raises(JobEnded) as ended:
        job.check()
    assert ended.value.why == "left"
    job.leave()
    assert other.wait_for_turn(0) and queue.running == [other] and queue.waiting == [closed]
    there.clear()
    monkeypatch.setattr(frame_jobs, "GONE_AFTER_S", 0.05)
    time.sleep(0.1)
    with pytest.raises(JobEnded):
        other.check()


def test_time_limit_of_a_job_starts_with_its_turn(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_JOB_MINUTES", "1")
    job = Queue().add()
    job.check()
    job.wait_for_turn(0)
    job.began -= 61
    with pytest.raises(JobEnded, match=r"1 min, .*ELMOSCOPE_MAX_JOB_MINUTES"):
        job.check()


def test_job_of_a_reloaded_page_or_of_the_server_itself_does_not_end(monkeypatch):
    Queue(lambda owner: False).add("a").check()  # its user may come back
    monkeypatch.setattr(frame_jobs, "GONE_AFTER_S", 0.0)
    Queue(lambda owner: False).add().check()


def test_full_queue_gives_a_place_to_an_address_without_jobs(monkeypatch, one_at_once):
    monkeypatch.setenv("ELMOSCOPE_MAX_WAITING", "3")
    queue = Queue()
    greedy = [queue.add(f"greedy {k}", "192.0.2.1") for k in range(3)]
    with pytest.raises(BadInput, match="3 jobs are waiting"):
        queue.add("greedy 3", "192.0.2.1")
    modest = queue.add("modest", "192.0.2.2")
    assert modest in queue.waiting and greedy[2] not in queue.waiting
    with pytest.raises(JobEnded, match="3 jobs are waiting, the limit here") as ended:
        greedy[2].wait_for_turn(0)
    assert ended.value.why == "full"
    assert queue.order() == [greedy[0], modest, greedy[1]]


def test_closed_session_loses_its_place_in_the_queue_at_once(monkeypatch, one_at_once):
    monkeypatch.setenv("ELMOSCOPE_MAX_WAITING", "3")
    open_sessions = {"open", "0", "1", "2"}
    queue = Queue(open_sessions.__contains__)
    first, *_ = [queue.add(name) for name in "012"]
    with pytest.raises(BadInput, match="waiting, the limit here"):
        queue.add("open")
    open_sessions.remove("0")
    new = queue.add("open")
    assert first not in queue.waiting and new in queue.waiting
    open_sessions -= {"1", "2"}
    assert queue.order()[0] is new and began(queue) == [new]


def test_waiting_job_that_nobody_polls_does_not_hold_the_queue(monkeypatch, one_at_once):
    monkeypatch.setattr(frame_jobs, "ABANDONED_AFTER_S", 0.05)
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_JOBS", "1")
    queue = Queue()
    abandoned = queue.add("a")
    time.sleep(0.1)
    other = queue.add("b")
    assert other.wait_for_turn(0) and abandoned not in queue.waiting
    assert not abandoned.wait_for_turn(0) and abandoned in queue.waiting  # it asks again, after the others
    other.leave()
    assert abandoned.wait_for_turn(0)


def test_second_click_does_not_interrupt_a_callback():
    def script() -> None:
        import streamlit as st
        from streamlit.runtime.scriptrunner import get_script_run_ctx
        from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

        from pages._frame import patches

        def delete() -> None:
            get_script_run_ctx().script_requests.request_rerun(RerunData())  # the user clicks again
            st.session_state.deleted = True

        patches.protect_callbacks()
        st.button("Delete", on_click=delete)

    page = AppTest.from_function(script).run()
    page.button[0].click().run()
    assert page.session_state.deleted


def test_next_run_waits_for_the_callbacks_of_the_session_and_not_for_those_of_others(monkeypatch):
    patches.protect_callbacks()
    entered, may_end, order = threading.Event(), threading.Event(), []

    def call(self: SessionState, **_) -> None:
        order.append("other" if self is not mine else "second" if "first" in order else "first")
        if order[-1] == "first":
            entered.set()
            may_end.wait(20)
            order.append("end")

    monkeypatch.setattr(SessionState, "_call_callbacks", call)
    mine, other = SessionState(), SessionState()
    runs = [threading.Thread(target=mine.on_script_will_rerun, args=(WidgetStates(),)) for _ in range(2)]
    runs[0].start()
    assert entered.wait(20)
    runs[1].start()
    other.on_script_will_rerun(WidgetStates())
    may_end.set()
    for run in runs:
        run.join(20)
    assert order == ["first", "other", "end", "second"]


def test_click_on_a_widget_that_another_has_replaced_runs_no_callback():
    patches.protect_callbacks()
    state = SessionState()
    state._new_widget_state.set_from_value("$$ID-1-ai", 3)
    assert state._widget_changed("$$ID-1-ai")
    state._key_id_mapper["ai"] = "$$ID-2-ai"  # the next page has drawn its own tokens under this key
    assert not state._widget_changed("$$ID-1-ai")


@pytest.mark.parametrize("reason", ["another value", "the end of a run", "Back"])
def test_click_sent_before_the_browser_has_an_assigned_value_does_not_undo_it(monkeypatch, reason: str):
    patches.protect_callbacks()
    name, state = "$$ID-1-corpus", SessionState()
    state._key_id_mapper["corpus"] = name

    def send(value: str, **options: bool) -> str | None:
        """Return the value that the next run has for a box, if a callback assigned one."""
        state.on_script_will_rerun(WidgetStates(widgets=[WidgetState(id=name, string_value=value)]), **options)
        return state._new_session_state.get("corpus")

    with monkeypatch.context() as patch:
        patch.setattr(SessionState, "_call_callbacks", lambda self, **_: self._new_session_state.update(corpus="bundled"))
        assert send("deleted") == "bundled"
    assert send("deleted") == send("deleted") == "bundled"
    state.on_script_finished(frozenset({name}))  # another page opens
    assert send("deleted") == "bundled"
    if reason == "another value":
        assert send("typed") is None
    elif reason == "Back":
        assert send("deleted", is_history_navigation=True) is None
    else:
        state.on_script_finished(frozenset(), remove_stale_widgets=False)
    assert send("deleted") is None


def test_late_request_of_a_fragment_does_not_reopen_the_page_that_was_left(monkeypatch):
    requests = []
    monkeypatch.setattr(AppSession, "request_rerun", lambda _, state: requests.append(state))
    patches.ignore_left_pages.__wrapped__()
    session = SimpleNamespace(_client_state=ClientState(), _pages_manager=SimpleNamespace(main_script_hash="home"))
    first, home, neighbors = ClientState(page_name=""), *(ClientState(page_script_hash=name) for name in ("home", "neighbors"))
    on_home, on_learn, on_map = (ClientState(page_script_hash=name, fragment_id="answer") for name in ("home", "learn", "map"))

    def send(*states: ClientState | None, started: str = "") -> list[ClientState | None]:
        """Start a run of a page, if one is named, then send the requests. Return those that are accepted."""
        session._client_state.page_script_hash = started or session._client_state.page_script_hash
        requests.clear()
        for state in states:
            AppSession.request_rerun(session, state)
        return requests

    assert send(first, on_home) == [first, on_home]
    assert send(on_learn, started="home") == [on_learn]  # the first page, opened by its name: its first run has not ended
    assert send(on_home, started="home") == [on_home]
    assert send(on_home, on_learn, started="learn") == [on_learn]  # it has
    assert send(neighbors, on_home, None) == [neighbors, None]
    assert send(on_learn, on_map, started="map") == [on_map]  # st.switch_page has opened the map
    assert send(home, on_map, on_home) == [home, on_home]


def test_download_is_answered_for_a_while_after_its_page_was_drawn_again(monkeypatch):
    monkeypatch.setattr(MediaFileManager, "_remove_orphaned_deferred_callables", None)
    patches.answer_late_downloads.__wrapped__()
    manager = MediaFileManager(MemoryMediaFileStorage("/media"))
    first = manager.add_deferred(lambda: b"a table", "text/csv", "1.0")

    def draw_again() -> str:
        manager.clear_session_refs()
        result = manager.add_deferred(lambda: b"another table", "text/csv", "1.0")
        manager.remove_orphaned_files()
        return result

    second = draw_again()
    assert manager.execute_deferred(first) != manager.execute_deferred(second)
    monkeypatch.setattr(patches, "KEPT_S", 0.0)
    draw_again()
    with pytest.raises(MediaFileStorageError, match="not found"):
        manager.execute_deferred(first)


def test_run_that_begins_drops_no_answer_about_an_upload_or_a_download(monkeypatch):
    monkeypatch.setattr(ForwardMsgQueue, "clear", ForwardMsgQueue.clear)
    patches.keep_answers.__wrapped__()
    for fragments in (None, ["a fragment"]):
        queue, messages = ForwardMsgQueue(), [ForwardMsg() for _ in range(3)]
        messages[0].file_urls_response.response_id = "an upload"
        messages[1].backend_operation_response.request_id = "a download"
        messages[2].delta.fragment_id = "a fragment"
        for message in messages:
            queue.enqueue(message)
        queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=fragments)
        assert queue.flush() == messages[:2] and queue.flush() == []  # each is sent once
