"""Processes that are killed while they write, or write at the same time: each file is complete, and nothing is lost."""

import gc
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from multiprocessing.context import ForkProcess
from pathlib import Path

import pytest

from core.common.errors import BadInput
from core.files.artifacts import read_json, replacing, write_json
from core.files.outputs import RECORD, Outputs, remember
from tests.memory import FORK

CHANGES = re.compile("open|write|__exit__|close|flush|truncate|fsync|mkdir|chmod|utime|rename|replace|link|unlink|remove|rmdir|flock")


def start(work: Callable[[], object], killed_before: int = 0) -> ForkProcess:
    """Start `work` in a process that is killed before that number of CHANGES. It ends with exit code 0 if it makes fewer.

    Files and locks change only in these calls, so that killing a process before each of them leaves every state that a kill can leave.
    """

    def run() -> None:
        calls = count(1)

        def count_call(_, event: str, function: object) -> None:
            if event != "c_call" or not CHANGES.fullmatch(function.__name__) or type(function.__self__).__module__ == "_thread":
                return
            if next(calls) == killed_before:
                os.kill(os.getpid(), signal.SIGKILL)

        gc.freeze()  # a collection would copy the memory of the tests into this process
        sys.setprofile(count_call if killed_before else None)
        work()

    process = FORK.Process(target=run)
    process.start()
    return process


def ends(*processes: ForkProcess) -> bool:
    for process in processes:
        process.join(60)
        assert process.exitcode in (0, -signal.SIGKILL)
    return all(process.exitcode == 0 for process in processes)


def kills(work: Callable[[int], object]) -> Iterator[tuple[int, bool]]:
    """Start `work(number)` again and again, killed before each of its calls. Yield the number, and True when it has ended by itself."""
    for number in count(1):
        has_ended = ends(start(partial(work, number), number))
        yield number, has_ended
        if has_ended:
            return


def write_folder(folder: Path, text: str) -> None:
    with replacing(folder) as temporary:
        temporary.mkdir()
        for name in "ab":
            (temporary / name).write_text(text)


def write_as_command(command: str, path: Path, text: str) -> None:
    with Outputs(command, named=(path,), files=(path,)).guarding(), replacing(path) as temporary:
        temporary.write_text(text)


def test_a_file_is_complete_after_every_kill(tmp_path):
    path, last = tmp_path / "labels.json", 0
    write_json(path, {"number": 0, "labels": [0] * 3_000})
    for number, has_ended in kills(lambda n: write_json(path, {"number": n, "labels": [n] * 3_000})):
        found = read_json(path)
        assert found["labels"] == [found["number"]] * 3_000
        assert found["number"] == number if has_ended else found["number"] in (last, number)
        assert len([name for name in os.listdir(tmp_path) if name.startswith(".")]) <= 1  # what earlier ones have left is removed
        last = found["number"]
    assert number > 5
    assert [name for name in os.listdir(tmp_path) if name != "cache"] == ["labels.json"]


def test_a_folder_is_complete_after_every_kill(tmp_path):
    folder, last = tmp_path / "index", 0
    write_folder(folder, "0")
    for number, has_ended in kills(lambda n: write_folder(folder, str(n))):
        (found,) = {int((folder / name).read_text()) for name in "ab"}
        assert found == number if has_ended else found in (last, number)
        last = found
    assert number > 10


def test_a_command_goes_on_over_its_own_file_after_every_kill(tmp_path):
    """Whatever call it is killed before, the file is known as its own; and somebody's change is still seen."""
    path = tmp_path / "a.csv"
    for number in count(1):
        write_as_command("embed", path, f"before {number}")
        has_ended = ends(start(partial(write_as_command, "embed", path, str(number)), number))
        Outputs("embed", named=(path,)).check_file(path)
        if has_ended:
            break
    assert int(path.read_text()) == number > 10
    path.write_text("mine")
    with pytest.raises(BadInput, match="was changed"):
        Outputs("embed", named=(path,)).check_file(path)


def test_two_processes_record_50_files_each_and_none_is_lost(tmp_path, private_cache):
    assert ends(*(start(lambda who=who: [remember(who, {tmp_path / f"{who}{k}": "0" * 64}) for k in range(50)]) for who in "AB"))
    record = json.loads((private_cache / RECORD).read_text())
    assert record == {str(tmp_path / f"{who}{k}"): {"command": who, "sha256": ["0" * 64]} for who in "AB" for k in range(50)}


def test_of_two_commands_that_write_one_file_at_once_both_results_stay(tmp_path):
    def write(command: str) -> None:
        for k in range(60):
            with suppress(BadInput):
                write_as_command(command, tmp_path / f"{k}.csv", command)

    assert ends(*(start(lambda who=who: write(who)) for who in ("embed", "live")))
    for k in range(60):
        texts = {path.read_text() for path in tmp_path.glob(f"{k}*.csv") if path.stem.split("-")[0] == str(k)}
        first = (tmp_path / f"{k}.csv").read_text()
        assert first in ("embed", "live") and texts <= {"embed", "live"}
        # one came first and stays; the other, unless it was refused before it began, is next to it
        assert not (tmp_path / f"{k}-2.csv").exists() or (tmp_path / f"{k}-2.csv").read_text() != first
