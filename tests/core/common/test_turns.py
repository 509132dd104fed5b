"""core.common.turns: so many jobs at once, owners served by turns, ended when asked, when nobody is there, when their time is over."""

import threading
import time

import pytest

from core.common import turns as jobs
from core.common.errors import BadInput
from core.common.turns import JobEnded, Turns


@pytest.fixture
def one_at_once(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_JOBS", "1")


def began(turns: Turns) -> list:
    """Let everybody who can begin do so; who is under way then."""
    for turn in list(turns.waiting):
        turn.wait(0)
    return list(turns.running)


def test_no_more_jobs_are_under_way_than_allowed(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_JOBS", "3")
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_JOBS", "20")
    turns, at_once, most, lock = Turns(), [0], [0], threading.Lock()

    def work() -> None:
        with turns.ask("a"):
            with lock:
                at_once[0] += 1
                most[0] = max(most[0], at_once[0])
            time.sleep(0.01)
            with lock:
                at_once[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert most[0] == 3 and not turns.running and not turns.waiting


def test_owners_take_turns_however_many_jobs_one_of_them_has(one_at_once):
    turns = Turns()
    greedy = [turns.ask("greedy") for _ in range(3)]
    assert began(turns) == [greedy[0]]
    modest, third = turns.ask("modest"), turns.ask("third")
    assert turns.order() == [modest, third, greedy[1], greedy[2]]
    assert [turn.ahead for turn in (greedy[0], modest, third, greedy[1], greedy[2])] == [0, 1, 2, 3, 4]
    greedy[0].leave()
    assert began(turns) == [greedy[1]]  # nobody has one under way now: first come, first served
    assert turns.order() == [modest, third, greedy[2]]


def test_one_visitor_and_all_together_may_only_ask_for_so_much(monkeypatch, one_at_once):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_JOBS", "2")
    monkeypatch.setenv("ELMOSCOPE_MAX_WAITING", "3")
    turns = Turns()
    turns.ask("a"), turns.ask("a")
    with pytest.raises(BadInput, match="You have 2 jobs, the limit here"):
        turns.ask("a")
    turns.ask("b"), turns.ask("c")  # c gets the place of the second job of a
    with pytest.raises(BadInput, match="3 jobs are waiting"):
        turns.ask("d")
    assert [turn.first_owner for turn in turns.order()] == ["a", "b", "c"]


def test_stop_ends_a_job_that_waits_and_one_under_way(one_at_once):
    turns = Turns()
    first, second = turns.ask("a"), turns.ask("b")
    with first:
        second.stop_asked = True
        with pytest.raises(JobEnded) as ended, second:
            pass
        assert ended.value.why == "asked" and second not in turns.waiting
        first.stop_asked = True
        assert first.is_over()
    assert not turns.running


def test_a_job_ends_once_the_last_who_wanted_it_has_left_and_frees_its_turn(monkeypatch, one_at_once):
    monkeypatch.setattr(jobs, "GONE_AFTER_S", 0.05)
    there = {"a", "b"}
    turns = Turns(there.__contains__)
    job, other = turns.ask("a"), turns.ask("c")
    job.join("b")
    assert job.wait(0)
    there.remove("a")
    time.sleep(0.1)
    job.check()  # b still wants it
    there.clear()
    time.sleep(0.1)
    with pytest.raises(JobEnded) as ended:
        job.check()
    assert ended.value.why == "left"
    job.leave()
    there.add("c")
    assert other.wait(0)


def test_a_page_that_is_loaded_anew_is_not_taken_for_gone():
    there = {"a"}
    turn = Turns(there.__contains__).ask("a")
    there.clear()
    turn.check()


def test_the_clock_runs_from_the_turn_on_and_its_limit_is_named(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_JOB_MINUTES", "1")
    turn = Turns().ask()
    turn.check()
    turn.wait(0)
    turn.began -= 61
    with pytest.raises(JobEnded, match=r"1 minute, .*ELMOSCOPE_MAX_JOB_MINUTES"):
        turn.check()


def test_work_of_the_machine_itself_has_no_owner_and_is_never_taken_for_left(monkeypatch):
    monkeypatch.setattr(jobs, "GONE_AFTER_S", 0.0)
    turn = Turns(lambda owner: False).ask()
    turn.check()


def test_sessions_of_one_address_take_turns_with_those_of_another(one_at_once):
    turns = Turns()
    greedy = [turns.ask(f"greedy {k}", "192.0.2.1") for k in range(6)]
    assert began(turns) == [greedy[0]]
    modest, unknown = turns.ask("modest", "192.0.2.2"), turns.ask("unknown")
    assert turns.order() == [modest, unknown, *greedy[1:]]
    greedy[0].leave()
    assert began(turns) == [greedy[1]] and turns.order()[:2] == [modest, unknown]


def test_full_queue_gives_a_place_to_an_address_without_jobs(monkeypatch, one_at_once):
    monkeypatch.setenv("ELMOSCOPE_MAX_WAITING", "3")
    turns = Turns()
    greedy = [turns.ask(f"greedy {k}", "192.0.2.1") for k in range(3)]
    with pytest.raises(BadInput, match="3 jobs are waiting"):
        turns.ask("greedy 3", "192.0.2.1")
    modest = turns.ask("modest", "192.0.2.2")
    assert modest in turns.waiting and greedy[2] not in turns.waiting
    with pytest.raises(JobEnded, match="3 jobs are waiting, the limit here") as ended:
        greedy[2].wait(0)
    assert ended.value.why == "full"
    assert turns.order() == [greedy[0], modest, greedy[1]]


def test_full_queue_gives_a_place_of_a_session_with_two_jobs_to_one_without(monkeypatch, one_at_once):
    monkeypatch.setenv("ELMOSCOPE_MAX_WAITING", "4")
    turns = Turns()
    for visit in ("a", "b"):
        turns.ask(visit), turns.ask(visit)
    new = turns.ask("c")
    assert new in turns.waiting and [turn.first_owner for turn in turns.order()] == ["a", "b", "c", "a"]


@pytest.mark.parametrize("n", [1, 3])
def test_closed_session_loses_its_place_in_the_queue_at_once(monkeypatch, one_at_once, n):
    monkeypatch.setenv("ELMOSCOPE_MAX_WAITING", str(n))
    open_sessions = {"open", *map(str, range(n))}
    turns = Turns(open_sessions.__contains__)
    earlier_turns = [turns.ask(str(k)) for k in range(n)]
    with pytest.raises(BadInput, match="waiting, the limit here"):
        turns.ask("open")
    open_sessions.remove("0")
    new = turns.ask("open")
    assert earlier_turns[0] not in turns.waiting and new in turns.waiting
    open_sessions.difference_update(map(str, range(n)))
    assert turns.order()[0] is new and began(turns) == [new]


def test_job_without_a_user_ends_if_another_user_waits(monkeypatch, one_at_once):
    monkeypatch.setattr(jobs, "YIELD_AFTER_S", 0.05)
    open_sessions = {"a"}
    turns = Turns(open_sessions.__contains__)
    job = turns.ask("a")
    assert job.wait(0)
    open_sessions.clear()
    closed_turn = turns.ask("closed")
    time.sleep(0.1)
    job.check()  # no user with an open page waits
    open_sessions.add("b")
    other = turns.ask("b")
    with pytest.raises(JobEnded) as ended:
        job.check()
    assert ended.value.why == "left"
    job.leave()
    assert other.wait(0) and turns.running == [other] and turns.waiting == [closed_turn]
