"""Test core.files.quotas: limits before writing, removal of the data of the largest visit, and expiry."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from core.common.errors import BadInput
from core.files import disk_space, user_names
from core.files.quotas import UPLOAD, VISIT, VISITS, list_texts, mark


class Server:
    def __init__(self) -> None:
        self.open_visits: set[str] = set()
        self.numbers = count(1)

    def paste(self, visit: str, kilobytes: float = 0.1, hours: float = 0) -> Path:
        """Store a new text of that many kilobytes for a visit, last used that many hours ago."""
        self.open_visits.add(visit)
        number = next(self.numbers)
        text = user_names.corpus_folder() / f"{number:016x}{0:016x}.jsonl"
        with VISIT.within(visit), VISITS.reserve(text, round(1000 * kilobytes)):
            text.parent.mkdir(parents=True, exist_ok=True)
            text.write_bytes(bytes(round(1000 * kilobytes)))
            mark(text, [f"mark-of-{number:016x}"])
        make_older(text, hours)
        return text

    def count_texts(self, visit: str) -> int:
        return sum(text.is_file() for text in VISITS.get_holdings(visit).texts)


@pytest.fixture
def server(monkeypatch) -> Server:
    monkeypatch.setenv("ELMOSCOPE_PUBLIC", "on")
    server = Server()
    monkeypatch.setattr(VISITS, "is_there", server.open_visits.__contains__)
    return server


def make_older(path: Path, hours: float) -> None:
    then = time.time() - 3600 * hours
    os.utime(path, (then, then))


def write_states(folder: Path, n_bytes: int, hours: dict[str, float]) -> None:
    folder.mkdir(parents=True)
    for name, age in hours.items():
        (folder / name).write_bytes(bytes(n_bytes))
        make_older(folder / name, age)


def test_a_visit_is_refused_at_its_bytes_of_texts_and_indexes_before_anything_is_written(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_DISK_MB", "2")
    text = server.paste("one", 900)
    with VISIT.within("one"):
        sizes = VISITS.get_holdings().data_sizes
        sizes[text.stem, "model", False] = 700_000
        with pytest.raises(BadInput, match=r"needs 0\.5 MB; you have used 1\.6 of 2 MB"):
            server.paste("one", 500)
        assert len(list_texts()) == 1 and server.paste("one", 300) and server.paste("two", 1_900)
        VISITS.remove(text)
        assert not sizes and VISITS.get_holdings().n_bytes == 300_000
    assert server.paste("one", 500)


def test_longest_unused_texts_of_ended_visits_are_removed_first_and_none_if_a_text_cannot_fit(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    old, older = (server.paste("ended", 300, hours) for hours in (2, 3))
    recent = server.paste("open", 300)
    server.open_visits.discard("ended")
    with pytest.raises(BadInput, match="all texts use"):
        server.paste("new", 800)
    assert all(text.is_file() for text in (older, old, recent))
    server.paste("new", 300)
    assert [text.is_file() for text in (older, old, recent)] == [False, True, True]
    server.paste("new", 300)
    assert [text.is_file() for text in (older, old, recent)] == [False, False, True]
    with pytest.raises(BadInput):
        server.paste("new", 300)
    assert recent.is_file()


def test_texts_of_ended_visits_and_then_of_the_visit_with_most_are_removed_at_the_number_of_texts(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_TEXTS", "4")
    first = [server.paste("greedy", hours=age) for age in (2, 1)]
    ended = server.paste("ended")
    server.open_visits.discard("ended")
    for visit in ("greedy", "new"):
        server.paste(visit, 50)
        assert ended.is_file() == (visit == "greedy") and len(list_texts()) == 4
    server.paste("new", 50)  # larger texts, but fewer
    assert [text.is_file() for text in first] == [False, True] and len(list_texts()) == 4
    with pytest.raises(BadInput, match="limit of stored texts is reached: 4"):
        server.paste("greedy")
    assert (server.count_texts("greedy"), server.count_texts("new")) == (2, 2)


def test_index_of_the_largest_visit_is_removed_before_its_text(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "2")
    text = server.paste("large", 500)
    index = disk_space.cache_folder() / "indexes" / f"model-mark-of-{1:016x}"
    index.mkdir(parents=True)
    (index / "some").write_bytes(bytes(1_300_000))
    with VISIT.within("large"):
        VISITS.get_holdings().data_sizes[text.stem, "model", False] = 1_300_000
    server.paste("small", 400)
    assert text.is_file() and not index.exists() and not VISITS.get_holdings("large").data_sizes


def test_text_shared_with_a_small_visit_is_not_removed(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    shared_text = server.paste("large", 400, hours=1)
    server.paste("large", 400)
    server.open_visits.add("small")
    with VISIT.within("small"):
        VISITS.use(shared_text)
    server.paste("third", 500)
    assert shared_text.is_file() and server.count_texts("large") == 1


def test_states_of_stopped_trainings_are_removed_and_those_in_use_stay(server, private_cache, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    write_states(private_cache / "training", 400_000, {"stopped.pt": 20 / 60, "running.pt": 1 / 60})
    server.paste("one", 500)
    assert [path.name for path in (private_cache / "training").iterdir()] == ["running.pt"]


def test_texts_pasted_at_the_same_time_stay_within_the_limit(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_TEXTS", "5")
    with ThreadPoolExecutor(20) as pool:
        refusals = [job.exception() for job in [pool.submit(server.paste, "one") for _ in range(20)]]
    assert len(list_texts()) == 5 and sum(isinstance(refusal, BadInput) for refusal in refusals) == 15


def test_texts_and_states_of_trainings_expire_some_hours_after_their_last_use(server, private_cache):
    write_states(private_cache / "training", 1, {"old.pt": 7, "new.pt": 5})
    held_text, recent_text, old_text = server.paste("open", hours=7), server.paste("ended"), server.paste("ended", hours=7)
    server.open_visits.discard("ended")
    modification_time = held_text.stat().st_mtime_ns
    VISITS.expire()
    assert not old_text.exists() and held_text.is_file() and recent_text.is_file()
    assert held_text.stat().st_mtime_ns == modification_time  # it identifies what was made from the text; the access time counts
    assert [path.name for path in (private_cache / "training").iterdir()] == ["new.pt"]
    server.open_visits.clear()
    VISITS.expire()
    assert held_text.is_file()  # it was in use until now, so its hours begin now
    make_older(held_text, 7)
    VISITS.expire()
    assert not held_text.exists() and recent_text.is_file()


def test_nothing_expires_and_nothing_is_removed_on_a_users_own_machine(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    server = Server()
    old_texts = [server.paste("ended", 400, hours=24 * 365 * 20) for _ in range(2)]
    monkeypatch.setattr(VISITS, "is_there", lambda visit: False)
    VISITS.expire()
    with pytest.raises(BadInput, match=r"all texts use 0\.8 of 1 MB"):
        server.paste("new", 300)
    assert all(text.is_file() for text in old_texts)


def test_uploads_count_for_their_visit_and_for_all_visits(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_DISK_MB", "2")
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "3")
    for visit in ("one", "two"):
        server.open_visits.add(visit)
        with VISIT.within(visit):
            VISITS.check(1_400_000)
            VISITS.get_holdings().data_sizes[UPLOAD, 1] = 1_400_000
            with pytest.raises(BadInput, match=r"you have used 1\.4 of 2 MB"):
                VISITS.check(700_000)
    server.open_visits.add("three")
    with VISIT.within("three"), pytest.raises(BadInput, match=r"all texts use 2\.8 of 3 MB"):
        VISITS.check(400_000)
    server.open_visits.discard("one")
    with VISIT.within("three"):
        VISITS.check(400_000)
