"""Processes that are killed while they write, or write at the same time: each file is whole, and nothing is lost."""

import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from core.common.errors import BadInput
from core.files import atomic
from core.files.artifacts import read_json, replacing, write_json
from core.files.atomic import locked
from core.files.outputs import RECORD, Outputs, remember

FORK = multiprocessing.get_context("fork")  # a process of its own in a few milliseconds: nothing is imported again
KILLS = 100
OWN = r"a|b"


def killed_while(work: Callable[[Callable[[int], None], int], None], first: int, delay_s: float) -> int:
    """Run `work` in a process that is killed some time after it has written once, however slow the machine; the last number that it reported."""
    read, written = os.pipe()
    process = FORK.Process(target=_work, args=(work, written, first))
    process.start()
    os.close(written)
    with open(read, "rb", buffering=0) as stream:
        said = stream.read(1 << 16)
        time.sleep(delay_s)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        while more := stream.read(1 << 16):
            said += more
    return int(said.split(b"\n")[-2])


def _work(work, written: int, first: int) -> None:
    work(lambda number: os.write(written, b"%d\n" % number), first)


def _report(written: int, name: str, number: int) -> None:
    os.write(written, f"{name} {number}\n".encode())


def in_processes(*works: Callable[[], None]) -> None:
    processes = [FORK.Process(target=work) for work in works]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0


def test_a_file_is_complete_and_no_older_than_what_was_reported_after_every_kill(tmp_path):
    path, rng, last, most = tmp_path / "labels.json", random.Random(1), 0, 0

    def work(report, first):
        for number in range(first, first + 10_000):
            write_json(path, {"number": number, "labels": [number] * 3_000})
            report(number)

    for _ in range(KILLS):
        reported = killed_while(work, last + 1, rng.uniform(0, 0.02))
        last = max(last, reported)
        if path.exists():
            found = read_json(path)
            assert found["labels"] == [found["number"]] * 3_000
            assert last <= found["number"] <= last + 1
            last = found["number"]
        most = max(most, len([each for each in os.listdir(tmp_path) if each.startswith(".")]))
    assert last >= KILLS and most <= 2  # what earlier ones have left is swept away
    write_json(path, {})
    assert [each for each in os.listdir(tmp_path) if each != "cache"] == ["labels.json"]


def test_a_folder_is_complete_after_every_kill(tmp_path):
    folder, rng, last = tmp_path / "index", random.Random(2), 0

    def work(report, first):
        for number in range(first, first + 10_000):
            with replacing(folder) as temporary:
                temporary.mkdir()
                for name in "ab":
                    (temporary / name).write_text(str(number))
            report(number)

    for _ in range(KILLS):
        last = max(last, killed_while(work, last + 1, rng.uniform(0, 0.02)))
        if last:
            numbers = {int((folder / name).read_text()) for name in "ab"}
            assert len(numbers) == 1 and numbers <= {last, last + 1}
            last = max(numbers)
    assert last >= KILLS


def test_a_command_goes_on_over_its_own_file_after_every_kill(tmp_path):
    """Whenever it is killed, what is there is known as its own; and somebody's change is still seen."""
    path, rng = tmp_path / "a.csv", random.Random(3)

    def work(report, first):
        for number in range(first, first + 10_000):
            with Outputs("embed", named=(path,), files=(path,)).guarding(), replacing(path) as temporary:
                temporary.write_text(str(number))
            report(number)

    last = 0
    for _ in range(KILLS // 2):
        last = max(last, killed_while(work, last + 1, rng.uniform(0, 0.02)))
        Outputs("embed", named=(path,)).check_file(path)
    assert int(path.read_text()) >= last > 0
    path.write_text("mine")
    with pytest.raises(BadInput, match="was changed"):
        Outputs("embed", named=(path,)).check_file(path)


def test_two_processes_that_merge_lose_nothing_although_they_are_killed(tmp_path):
    path, rng = tmp_path / "labels.json", random.Random(4)
    write_json(path, [])

    def adds(name: str):
        def work(report, first):
            for number in range(first, first + 10_000):
                with locked(path):
                    write_json(path, [*read_json(path), [name, number]])
                report(number)

        return work

    works = {name: adds(name) for name in "AB"}
    reported = dict.fromkeys(works, 0)
    for _ in range(KILLS // 2):
        read, written = os.pipe()
        processes = {}
        for name, work in works.items():
            first = reported[name] + 1
            processes[name] = FORK.Process(target=work, args=(partial(_report, written, name), first))
            processes[name].start()
        os.close(written)
        said = os.read(read, 1 << 16)
        time.sleep(rng.uniform(0, 0.03))
        for process in processes.values():
            os.kill(process.pid, signal.SIGKILL)
            process.join()
        with open(read, "rb") as stream:
            for line in (said + stream.read()).decode().split("\n")[:-1]:
                name, number = line.split()
                reported[name] = max(reported[name], int(number))
        kept = read_json(path)
        for name in works:
            mine = [number for who, number in kept if who == name]
            assert mine in (list(range(1, reported[name] + 1)), list(range(1, reported[name] + 2)))
            reported[name] = len(mine)
    assert min(reported.values()) > 0


def test_two_processes_record_200_files_each_and_none_is_lost(tmp_path, private_cache):
    in_processes(*(lambda who=who: [remember(who, {tmp_path / f"{who}{k}": "0" * 64}) for k in range(200)] for who in "AB"))
    record = json.loads((private_cache / RECORD).read_text())
    assert record == {str(tmp_path / f"{who}{k}"): {"command": who, "sha256": ["0" * 64]} for who in "AB" for k in range(200)}


def test_of_two_commands_that_write_one_file_at_once_both_results_stay(tmp_path):
    def write(command: str, number: int) -> None:
        path = tmp_path / f"{number}.csv"
        run = Outputs(command, named=(path,), files=(path,))
        with suppress(BadInput), run.guarding(), replacing(path) as temporary:
            temporary.write_text(command)

    in_processes(*(lambda who=who: [write(who, k) for k in range(60)] for who in ("embed", "live")))
    for k in range(60):
        texts = {path.read_text() for path in tmp_path.glob(f"{k}*.csv") if path.stem.split("-")[0] == str(k)}
        first = (tmp_path / f"{k}.csv").read_text()
        assert first in ("embed", "live") and texts <= {"embed", "live"}
        # one came first and stays; the other, unless it was refused before it began, is next to it
        assert not (tmp_path / f"{k}-2.csv").exists() or (tmp_path / f"{k}-2.csv").read_text() != first


def test_what_a_killed_process_left_is_taken_for_nothing(tmp_path):
    from core.common.model_layers import of_folder
    from core.elmo.weights import find_files
    from core.files.registry import model_files

    model = tmp_path / "model"
    model.mkdir()
    for name in ("options.json", "weights.hdf5"):
        (model / name).write_text("{}")
        for stale in (name, f"old.{name}"):
            (model / f".0123abcd-12-0123abcd.tmp-01234567-{stale}").write_text("half")
    assert find_files(model) == model_files(model) == (model / "options.json", model / "weights.hdf5")
    assert of_folder(model) is not None
    assert atomic.find_foreign_file(model, r"options\.json|weights\.hdf5") is None
    run = Outputs("convert", named=(model,), overwrite=True)
    run.check_folder(model, r"options\.json|weights\.hdf5")
