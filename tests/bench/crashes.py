"""kill -9 at random points: the next start is clean and loses at most the step in flight.

usage: python -m tests.bench.crashes [--times 50] [--only indexing training downloading mapping] [--seed N]

Each time a process does the work in an empty folder and is killed (SIGKILL) at a random moment; then another one does the same work to its
end. It must find what was finished before, give the result of an undisturbed run, and leave no other file behind. `lost` is the most that had to
be done again: rounds, epochs, bytes, maps.
"""

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.common.config import ROOT
from tests.bench.measure import options, say
from tests.core.files.server import serving

CONTENT = random.Random(0).randbytes(6_000_000)  # of the file that is downloaded
ROUNDS = 10  # of indexing
CHUNK_S = 0.02  # a download waits so long after each 64 KB


def _sum(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def tell(what: str, value: object = 0) -> None:
    say(json.dumps([what, value]))


def indexing(folder: Path, _: str) -> None:
    """Index 40,000 tokens in rounds of 4,000 by a very small model."""
    from core.index.build import build_index
    from core.text.sentences import Sentence
    from tests.tiny import tiny_encoder

    draw, place = random.Random(0), folder / "index"
    words = ["".join(draw.choices("abcdefgh", k=5)) for _ in range(400)]
    sentences = [Sentence(tuple(draw.choices(words, k=20))) for _ in range(2_000)]
    parts = [path for path in folder.glob(".index.*.parts/*.npz") if not path.name.startswith(".")]
    # killed behind its end: nothing is lost, though this work does it all again
    tell("begun", ROUNDS if (place / "meta.json").is_file() else len(parts))
    build_index(sentences, tiny_encoder(), place, model="tiny", report=lambda done, total, speed: tell("step", done // 4_000))
    tell("result", _sum(place / "sentences.arrow"))  # and the vectors, which are compared with `_alike`


def training(folder: Path, _: str) -> None:
    """Train the smallest network for eight epochs, kept after each."""
    from core.classify import tasks
    from core.classify.head import save_head
    from core.classify.model import VARIANTS
    from core.classify.train import make_text_fit, run
    from core.learning.features import Frozen
    from core.learning.fit import forget
    from tests.tiny import dataset

    config = tasks.task_config(tasks.task_named("own"), seed=0, epochs=8)
    trainer = make_text_fit(VARIANTS["embedding"], dataset(1_200), config, Frozen())
    steps = run(trainer)
    first = next(steps, None)  # None where every epoch was kept
    tell("begun", first.epoch - 1 if first else trainer.epoch)
    for progress in steps:
        if progress.measures:
            tell("step", progress.epoch)
    head = save_head(trainer.finish(), folder / "head")
    forget(trainer.key)
    tell("result", _sum(head / "weights.safetensors", head / "vocabulary.txt"))


def downloading(folder: Path, url: str) -> None:
    from core.files.download import download

    target, part = folder / "file.bin", folder / "file.bin.part"
    tell("begun", len(CONTENT) if target.is_file() else part.stat().st_size if part.is_file() else 0)
    how = {"size": len(CONTENT), "sha256": hashlib.sha256(CONTENT).hexdigest(), "stop": lambda: time.sleep(CHUNK_S)}
    download(url, target, report=lambda progress: tell("step", progress.done), **how)
    tell("result", _sum(target))


def mapping(folder: Path, _: str) -> None:
    """Find or fit the maps of three words as the pages do."""
    from core.analysis.word_maps import open_maps
    from core.common.config import ASSETS
    from core.index.table import OccurrenceTable

    table = OccurrenceTable(ASSETS / "targets")
    table.folder = folder / "no-maps-here"
    tell("begun", len([path for path in folder.rglob("*.safetensors") if not path.name.startswith(".")]))
    coordinates = b""
    for k, word in enumerate(table.lemmas[:3]):
        coordinates += open_maps(table, word).coordinates.tobytes()
        tell("step", k + 1)
    tell("result", hashlib.sha256(coordinates).hexdigest())


def _alike(item: Path, other: Path) -> bool:
    """Return whether two indexes are equal, vectors up to float16's next number: words in other batches may differ in float32's last digit."""
    from core.index.table import OccurrenceTable

    a, b = (OccurrenceTable(folder / "index") for folder in (item, other))
    facts = all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("word", "position", "sentence"))
    rows = np.arange(len(a))
    return len(a) == len(b) and facts and np.allclose(a.rows.take(rows), b.rows.take(rows), rtol=2**-9, atol=1e-4)


@dataclass
class Ran:
    begun: int = 0  # where it began
    step: int = 0  # the last complete one
    result: str | None = None
    seconds: float = 0.0  # from "begun" to the end
    said: str = ""


def run(work: str, folder: Path, url: str, *, kill_after: float | None = None) -> Ran:
    """Run a process to its end, or kill it that many seconds after its work began."""
    folders = {"ELMOSCOPE_CACHE": str(folder / "cache"), "NUMBA_CACHE_DIR": str(folder.parent / "numba")}
    environment = {**os.environ, **folders, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.bench.crashes", "--work", work, str(folder), url]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True)
        ran, started, timer = Ran(), 0.0, threading.Timer(kill_after or 0, process.kill)
        for line in process.stdout:
            what, value = json.loads(line)
            setattr(ran, what, value)
            if what == "begun":
                started = time.perf_counter()
                if kill_after is not None:
                    timer.start()
        process.wait()
        timer.cancel()
        ran.seconds = time.perf_counter() - started
        errors.seek(0)
        ran.said = errors.read()[-1500:]
    return ran


def trials(work: str, times: int, draw: random.Random, url: str) -> bool:
    """Kill a job `times` times, and print a line with the outcome."""
    lost, killed, faults = 0, 0, []
    with tempfile.TemporaryDirectory(prefix="elmoscope-crashes-") as root:
        whole = run(work, Path(root) / "whole", url)
        if whole.result is None:
            say(f"{work:14} does not run by itself: {whole.said}")
            return False
        for k in range(times):
            folder = Path(root) / f"{k}"
            cut = run(work, folder, url, kill_after=draw.uniform(0, whole.seconds))
            killed += cut.result is None
            again = run(work, folder, url)
            if again.result != whole.result or (work == "indexing" and not _alike(Path(root) / "whole", folder)):
                faults.append(f"time {k}: another result, or none: {again.said}")
            left = [str(path) for path in folder.rglob("*") if any(mark in path.name for mark in (".tmp", ".part", ".old-"))]
            if left and again.result is not None:
                faults.append(f"time {k}: left behind {left[:4]}")
            if cut.result is None:
                lost = max(lost, cut.step - again.begun)
    say(f"{work:14}{times:6}{killed:8}{whole.seconds:9.1f} s{max(0, lost):12,}{len(faults):8}")
    for fault in faults[:3]:
        say(fault)
    return not faults


def main() -> int:
    works = {"indexing": indexing, "training": training, "downloading": downloading, "mapping": mapping}
    parser = options(__doc__, times=50, seed=0)
    parser.add_argument("--only", nargs="+", choices=list(works), default=list(works))
    parser.add_argument("--work", nargs=3, metavar=("WORK", "FOLDER", "URL"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        folder = Path(arguments.work[1])
        folder.mkdir(parents=True, exist_ok=True)
        works[arguments.work[0]](folder, arguments.work[2])
        return 0
    say(f"{'work':14}{'times':>6}{'killed':>8}{'whole':>11}{'lost':>12}{'faults':>8}")
    draw = random.Random(arguments.seed)
    with serving(data=CONTENT) as server:
        return 0 if all([trials(work, arguments.times, draw, f"{server.url}/plain/file.bin") for work in arguments.only]) else 1


if __name__ == "__main__":
    sys.exit(main())
