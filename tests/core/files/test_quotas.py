"""core.files.quotas: room for texts is checked before they are written, small visits are never kept out by large ones, texts expire."""

import os
import threading
import time
from collections import namedtuple
from itertools import count
from pathlib import Path

import pytest

from core.common.errors import BadInput
from core.files import disk_space, own_names
from core.files.disk_space import hold, layers_folder
from core.files.quotas import UPLOAD, VISIT, VISITS, Visits, mark, texts

Usage = namedtuple("Usage", "total used free")


class Server:
    """Visits whose pages are open or closed."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.numbers = count(1)

    def paste(self, visit: str, kilobytes: float = 0.1) -> Path:
        """Store a text that nobody else has, of that many kilobytes, in a visit."""
        self.there.add(visit)
        number = next(self.numbers)
        text = own_names.folder() / f"{number:016x}{0:016x}.jsonl"
        with VISIT.within(visit), VISITS.writing(text, round(1000 * kilobytes)):
            text.parent.mkdir(parents=True, exist_ok=True)
            text.write_bytes(bytes(round(1000 * kilobytes)))
            mark(text, [f"mark-of-{number:016x}"])
        return text

    def held(self, visit: str) -> int:
        return sum(text.is_file() for text in VISITS.held(visit).texts)


@pytest.fixture
def server(monkeypatch) -> Server:
    monkeypatch.setenv("ELMOSCOPE_PUBLIC", "on")
    server = Server()
    monkeypatch.setattr(VISITS, "is_there", server.there.__contains__)
    return server


def stored() -> int:
    return len(texts())


def aged(text: Path, hours: float) -> Path:
    then = time.time() - 3600 * hours
    os.utime(text, (then, then))
    return text


def test_a_visit_is_refused_at_its_number_of_texts_before_anything_is_written(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_TEXTS", "3")
    first = server.paste("one")
    for _ in range(2):
        server.paste("one")
    for _ in range(3):
        with pytest.raises(BadInput, match="You have 3 texts, the limit here"):
            server.paste("one")
    assert stored() == 3 and len(list(own_names.folder().iterdir())) == 6
    assert server.paste("two").is_file()
    with VISIT.within("one"):
        VISITS.remove(first)
    assert server.paste("one").is_file()


def test_a_visit_is_refused_at_its_bytes_before_anything_is_written(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_DISK_MB", "1")
    server.paste("one", 600)
    with pytest.raises(BadInput, match=r"needs 0\.5 MB; you have used 0\.6 of 1 MB"):
        server.paste("one", 500)
    assert stored() == 1 and server.paste("one", 300) and server.paste("two", 900)


def test_texts_and_indexes_of_a_visit_count_together(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_DISK_MB", "2")
    kept = server.paste("one", 900)
    with VISIT.within("one"):
        made = VISITS.held().made
        made[kept.stem, "model", False] = 700_000
        with pytest.raises(BadInput, match=r"you have used 1\.6 of 2 MB"):
            server.paste("one", 500)
        VISITS.remove(kept)
        assert not made and VISITS.held().n_bytes == 0
    assert server.paste("one", 500)


def test_who_fills_the_disk_is_refused_and_keeps_nobody_out(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "2")
    with pytest.raises(BadInput, match=r"all texts use [12]\.\d of 2 MB"):
        for _ in range(20):
            server.paste("greedy", 190)
    n = server.held("greedy")
    assert 9 <= n <= 10
    first = server.paste("small", 150)
    assert server.paste("small", 150).is_file() and server.paste("other", 0.1).is_file() and first.is_file()
    assert 0 < server.held("greedy") < n
    with pytest.raises(BadInput):
        server.paste("greedy", 190)
    assert server.held("small") == 2 and server.held("other") == 1
    size = sum(text.stat().st_size for text in texts())
    assert size <= 2_000_000


def test_many_greedy_visits_share_with_those_that_come_later(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "2")
    for k in range(4):
        with pytest.raises(BadInput):
            for _ in range(20):
                server.paste(f"greedy {k}", 100)
    for k in range(5):
        assert server.paste(f"small {k}", 50).is_file()
    assert all(server.held(f"small {k}") == 1 for k in range(5))


def test_texts_of_visits_that_have_ended_go_first_the_longest_unused_before_others(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    old, older, recent = aged(server.paste("gone", 300), 2), aged(server.paste("gone", 300), 3), server.paste("here", 300)
    server.there.discard("gone")
    server.paste("new", 300)
    assert [kept.is_file() for kept in (older, old, recent)] == [False, True, True]
    server.paste("new", 300)
    assert [kept.is_file() for kept in (older, old, recent)] == [False, False, True]
    with pytest.raises(BadInput):
        server.paste("new", 300)
    assert recent.is_file()


def test_any_number_of_visits_with_a_text_each_make_room_when_they_end(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_TEXTS", "20")
    for k in range(60):
        server.paste(f"visit {k}")
        server.there.discard(f"visit {k - 5}")
    assert stored() == 20
    assert all(server.held(f"visit {k}") == 1 for k in range(55, 60))
    for k in range(60, 75):
        server.paste(f"visit {k}")
    with pytest.raises(BadInput, match="20 texts are stored, the limit here"):
        server.paste("one more")
    assert stored() == 20


def test_where_there_are_too_many_texts_the_visit_with_the_most_gives_way(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_TEXTS", "10")
    first = aged(server.paste("greedy"), 1)
    for _ in range(7):
        server.paste("greedy")
    for _ in range(2):
        server.paste("other", 5)
    for n in range(1, 4):
        server.paste("new", 50)  # larger, but fewer
        assert server.held("new") == n and server.held("greedy") == 8 - n and server.held("other") == 2
    assert not first.exists() and stored() == 10


def test_nothing_gives_way_where_that_would_not_do(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    ended = server.paste("gone", 300)
    server.there.clear()
    (disk_space.cache_folder() / "corpora" / "bundled").write_bytes(bytes(500_000))
    with pytest.raises(BadInput, match="all texts use"):
        server.paste("new", 600)
    assert ended.is_file()


def test_an_index_of_the_largest_visit_goes_before_its_text(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "2")
    kept = server.paste("large", 500)
    index = disk_space.cache_folder() / "indexes" / f"model-mark-of-{1:016x}"
    index.mkdir(parents=True)
    (index / "some").write_bytes(bytes(1_300_000))
    with VISIT.within("large"):
        VISITS.held().made[kept.stem, "model", False] = 1_300_000
    server.paste("small", 400)
    assert kept.is_file() and not index.exists() and not VISITS.held("large").made


def test_a_text_that_a_small_visit_uses_too_does_not_go_with_the_large_one(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    shared = server.paste("large", 400)
    aged(shared, 1)
    server.paste("large", 400)
    server.there.add("small")
    with VISIT.within("small"):
        VISITS.use(shared)
    server.paste("third", 500)
    assert shared.is_file() and server.held("large") == 1


def test_layers_give_way_unless_they_are_in_use(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    held = hold(layers_folder() / "one")
    (layers_folder() / "one" / "some").write_bytes(bytes(600_000))
    with pytest.raises(BadInput, match="all texts use"):
        server.paste("one", 500)
    held.release()
    assert server.paste("one", 500).is_file() and not (layers_folder() / "one").exists()


def test_states_of_trainings_that_were_stopped_give_way_to_texts(server, private_cache, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    folder = private_cache / "training"
    folder.mkdir(parents=True)
    for name, minutes in (("stopped.pt", 20), ("running.pt", 1)):
        (folder / name).write_bytes(bytes(400_000))
        os.utime(folder / name, (time.time() - 60 * minutes,) * 2)
    server.paste("one", 500)
    assert [path.name for path in folder.iterdir()] == ["running.pt"]


def test_a_full_disk_refuses_before_anything_is_written(server, monkeypatch):
    monkeypatch.setattr(disk_space.shutil, "disk_usage", lambda place: Usage(10**9, 10**9 - 1_000, 1_000))
    with pytest.raises(BadInput, match=r"MB of disk; 0\.0 MB are free"):
        server.paste("one", 100)
    assert not own_names.folder().exists() or not list(own_names.folder().iterdir())


def test_of_texts_stored_at_once_none_passes_the_limit(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_TEXTS", "5")
    refused = []

    def paste(_) -> None:
        try:
            server.paste("one")
        except BadInput as error:
            refused.append(str(error))

    server.there.add("one")
    threads = [threading.Thread(target=paste, args=(k,)) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stored() == 5 and len(refused) == 15


def test_texts_expire_some_hours_after_the_last_visit_that_uses_them(server):
    here, lately, old = server.paste("here"), server.paste("gone"), server.paste("gone")
    for text in (here, old):
        aged(text, 7)
    server.there.discard("gone")
    VISITS.expire()
    assert not old.exists() and here.is_file() and lately.is_file()
    server.there.clear()
    VISITS.expire()
    assert here.is_file()  # in use until now: its hours begin
    aged(here, 7)
    VISITS.expire()
    assert not here.exists() and lately.is_file()


def test_states_of_trainings_expire(server, private_cache):
    folder = private_cache / "training"
    folder.mkdir(parents=True)
    for name, hours in (("old.pt", 7), ("new.pt", 5)):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (time.time() - 3600 * hours,) * 2)
    VISITS.expire()
    assert [path.name for path in folder.iterdir()] == ["new.pt"]


def test_on_ones_own_machine_nothing_expires_and_nothing_gives_way(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    server = Server()
    old = [aged(server.paste("gone", 400), 24 * 365 * 20) for _ in range(2)]
    monkeypatch.setattr(VISITS, "is_there", lambda visit: False)
    VISITS.expire()
    with pytest.raises(BadInput, match=r"all texts use 0\.8 of 1 MB"):
        server.paste("new", 300)
    assert all(text.is_file() for text in old)


def test_use_changes_neither_the_content_nor_the_time_of_the_last_change(server):
    kept = aged(server.paste("one"), 5)
    before = kept.stat().st_mtime_ns
    VISITS.use(kept)
    assert kept.stat().st_mtime_ns == before and time.time() - kept.stat().st_atime < 60


def test_uploads_count_for_their_visit_and_for_all(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_DISK_MB", "2")
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "3")
    for visit in ("one", "two"):
        server.there.add(visit)
        with VISIT.within(visit):
            VISITS.check(1_400_000)
            VISITS.held().made[UPLOAD, 1] = 1_400_000
            with pytest.raises(BadInput, match=r"you have used 1\.4 of 2 MB"):
                VISITS.check(700_000)
    server.there.add("three")
    with VISIT.within("three"), pytest.raises(BadInput, match=r"all texts use 2\.8 of 3 MB"):
        VISITS.check(400_000)
    server.there.discard("one")
    with VISIT.within("three"):
        VISITS.check(400_000)


def test_work_of_the_machine_itself_has_no_quota_of_a_visit(server, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_TEXTS", "1")
    for name in ("a", "b"):
        with VISITS.writing(own_names.folder() / f"{name}.jsonl", 10):
            own_names.folder().mkdir(parents=True, exist_ok=True)
            (own_names.folder() / f"{name}.jsonl").write_bytes(bytes(10))
    assert stored() == 2


def test_who_lets_go_of_a_text_is_told_whether_another_visit_holds_it():
    visits = Visits()
    text = own_names.folder() / "0.jsonl"
    for visit in ("one", "two"):
        with VISIT.within(visit):
            visits.use(text)
    with VISIT.within("one"):
        assert visits.release(text) and not visits.held().texts
    with VISIT.within("two"):
        assert not visits.release(text)
