"""Build an index on a cluster through failures: a scheduler and four single-thread workers as processes of their own.

    python -m tests.bench.cluster [--occurrences 2000000] [--model elmo-mini] [--folder /tmp/proof]

A worker is killed (SIGKILL), then the client, which is started again; another worker is stopped for a while (SIGSTOP); then
the disk is full (a small tmpfs, as root). Each index is compared with one machine's, row for row. Prints tables in Markdown.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from core.cluster import approximate
from core.cluster import shards as index
from core.cluster.jobs import connected
from core.cluster.store import open_store
from core.common.config import ROOT, data_folder
from core.elmo.models import BUNDLED_MODEL, open_model
from core.index.build import build_index, rounds
from core.index.rows import make_query
from core.index.table import OccurrenceTable
from core.text.sentences import Sentence, read_sentences
from core.training.data import read_lines
from tests.bench.measure import markdown, options, peak_mb, say, timed

WORKERS, MEMORY = 4, "2GiB"
QUERIES = 20
STOPPED_S = 20.0  # a worker's SIGSTOP
POLL_S = 0.2
Rows = list[tuple[str, str]]


class Cluster:
    """A scheduler and its workers, and the clients that build an index on them: processes of their own."""

    def __init__(self, folder: Path, corpus: Path, model: str) -> None:
        self.folder, self.corpus, self.model, self.processes = folder, corpus, model, []
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0")
        self.workers = [self.add() for _ in range(WORKERS)]
        while not self.file.exists():
            time.sleep(POLL_S)
        self.address = json.loads(self.file.read_text())["address"]

    def add(self) -> subprocess.Popen:
        options = ("--nthreads", "1", "--no-nanny", "--memory-limit", MEMORY, "--no-dashboard")
        return self._start("worker", *options, "--local-directory", str(self.folder))

    def _start(self, what: str, *options: str) -> subprocess.Popen:
        command = [sys.executable, "-m", "dask", what, "--scheduler-file", str(self.file), *options]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"}
        with (self.folder / f"{what}.log").open("ab") as log:
            self.processes.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log))
        return self.processes[-1]

    def client(self, output: Path, stderr: int = subprocess.DEVNULL) -> subprocess.Popen:
        command = [sys.executable, "-m", "core", "index", "build", "--corpus", str(self.corpus), "--output", str(output)]
        command += ["--model", self.model, "--cluster", self.address, "--json"]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=stderr)

    def close(self) -> None:
        for process in self.processes:
            with suppress(OSError):
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


def main() -> int:
    arguments = options(__doc__, occurrences=2_000_000, model=BUNDLED_MODEL, folder="/tmp/elmoscope-cluster").parse_args()
    work = Path(arguments.folder)
    work.mkdir(parents=True, exist_ok=True)
    corpus, model = _corpus(arguments.occurrences, work), open_model(arguments.model)
    sentences = read_sentences(corpus)
    tokens = sum(len(s.tokens) for s in sentences)
    say(f"{tokens:,} occurrences, {len(sentences):,} sentences, model {model.name}, {WORKERS} workers of one thread")
    alone, item = timed(lambda: build_index(sentences, model.encoder, work / "one", model=model.fingerprint))()
    rows = [("one machine, one process: index built", f"{alone:.1f} s, {tokens / alone:,.0f} tokens/s")]
    with closing(Cluster(work / "dask", corpus, arguments.model)) as cluster:
        rows += _trouble(cluster, sentences, work / "many", item)
        rows += _full_disk(cluster, work / "full", item)
        rows += _searches(cluster, work / "many", item, sentences, model)
        rows.append(("most memory of a worker", f"{max(peak_mb(worker.pid) for worker in cluster.workers):,.0f} MB (limit {MEMORY})"))
    say("\n" + markdown(("what", "measured"), rows))
    shutil.rmtree(work)
    return 0 if all("DIFFERS" not in measured for _, measured in rows) else 1


def _trouble(cluster: Cluster, sentences: list[Sentence], output: Path, item: OccurrenceTable) -> Rows:
    """Build an index while a worker and the client are killed, and another worker is stopped for a while."""
    n_rounds = sum(1 for _ in rounds(sentences))
    total = -(-n_rounds // index.rounds_per_shard(n_rounds))

    def done() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in (output / "shards").glob("*/meta.json")}

    def wait(client: subprocess.Popen, shards: int) -> None:
        while client.poll() is None and len(done()) < shards:
            time.sleep(POLL_S)

    began, client = time.perf_counter(), cluster.client(output)
    wait(client, total // 4)
    cluster.workers[0].kill()
    rows = [("a worker killed (SIGKILL)", f"after {len(done())} of {total} shards; {WORKERS - 1} go on")]
    wait(client, total // 2)
    client.kill()
    client.wait()
    before = done()
    rows.append(("the client killed (SIGKILL), started again", f"after {len(before)} of {total} shards"))
    client = cluster.client(output)
    wait(client, total * 5 // 8)
    stopped = cluster.workers[1]
    stopped.send_signal(signal.SIGSTOP)
    with suppress(subprocess.TimeoutExpired):
        client.wait(STOPPED_S)
    stopped.send_signal(signal.SIGCONT)
    rows.append(("a worker stopped (SIGSTOP)", f"for {STOPPED_S:.0f} s, from {total * 5 // 8} of {total} shards"))
    status, seconds = client.wait(), time.perf_counter() - began
    after = done()
    touched = sum(after.get(path) != when for path, when in before.items())
    rows.append(("shards of before made again", f"{touched} of {len(before)}{' DIFFERS' if touched else ''}"))
    rows.append(("index built through all this", f"{seconds:.1f} s, {len(item) / seconds:,.0f} tokens/s, status {status}"))
    rows.append(("rows equal to one machine's", _equal(output, item)))
    cluster.workers[0] = cluster.add()
    return rows


def _full_disk(cluster: Cluster, place: Path, item: OccurrenceTable) -> Rows:
    """Build where only half of the index fits, then continue on a larger disk."""
    size, output = sum(p.stat().st_size for p in item.folder.iterdir()), place / "index"
    place.mkdir(exist_ok=True)
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size // 2}", "none", place]).returncode:
        return [("a full disk", "not tried: mounting a small tmpfs needs root")]
    try:
        client = cluster.client(output, stderr=subprocess.PIPE)
        message = client.communicate()[1].decode().strip().splitlines()[-1]
        done = len(list((output / "shards").glob("*/meta.json")))
        rows = [("a full disk (tmpfs of half the size)", f"status {client.returncode}, {done} shards: “{message}”")]
        subprocess.run(["mount", "-o", f"remount,size={size * 3}", place], check=True)
        return [*rows, ("the same command after the disk grew", f"status {cluster.client(output).wait()}, {_equal(output, item)}")]
    finally:
        subprocess.run(["umount", "-l", place])


def _searches(cluster: Cluster, where: Path, item: OccurrenceTable, sentences: list[Sentence], model) -> Rows:
    """Time exact search on one machine's table and on the workers' shards."""
    rng, same, times = np.random.default_rng(0), 0, []
    chosen = [sentences[k] for k in rng.choice(len(sentences), QUERIES)]
    queries = [make_query(model.encoder, list(s.tokens), len(s.tokens) // 2) for s in chosen]
    weights, shards = np.full(model.encoder.n_layers, 1 / model.encoder.n_layers), index.open_shards(where)
    with connected(cluster.address) as client:
        client.wait_for_workers(WORKERS, timeout=60)
        approximate.ShardedIndex(shards, client).nearest(queries[0], weights)  # opens the shards
        for query in queries:
            one, expected = timed(lambda query=query: item.nearest(query, weights, k=20))()
            many, result = timed(lambda query=query: approximate.ShardedIndex(shards, client).nearest(query, weights, k=20))()
            times.append((one, many))
            same += [n.occurrence for n in result] == [n.occurrence for n in expected]
    one, many = 1000 * np.median(times, axis=0)
    return [
        ("exact search, one machine", f"{one:.0f} ms a query (median of {QUERIES})"),
        (f"exact search, {WORKERS} workers", f"{many:.0f} ms a query"),
        ("20 nearest in the same order", f"{same} of {QUERIES}{'' if same == QUERIES else ' DIFFERS'}"),
    ]


def _equal(where: Path, item: OccurrenceTable) -> str:
    """Return whether an index in shards has one machine's rows, and the share of numbers that are float16's next one."""
    shards, row, other = index.open_shards(where), 0, 0
    for shard in shards.shards:
        table = OccurrenceTable(open_store(shards.url).fetch(shard.name))
        here, rows = slice(row, row + len(table)), np.arange(len(table))
        same = np.array_equal(table.position, item.position[here])
        same &= np.array_equal(table.sentence + shard.first_sentence, item.sentence[here])
        same &= [table.words[k] for k in table.word] == [item.words[k] for k in item.word[here]]
        result, expected = table.rows.take(rows), item.rows.take(rows + row)
        if not same or not np.allclose(result, expected, rtol=2**-9, atol=1e-4):
            return f"DIFFERS in {shard.name}"
        row, other = row + len(table), other + int((result != expected).sum())
    if row != len(item):
        return f"DIFFERS: {row:,} rows of {len(item):,}"
    share = other / (row * item.meta["layers"] * item.meta["dim"])
    return f"yes, {row:,} of {len(item):,}; {share:.4%} of the numbers are float16's next one"


def _corpus(occurrences: int, work: Path) -> Path:
    """Write sentences of the shared data, one a line, until there are enough tokens."""
    path, tokens = work / "corpus.jsonl", 0
    files = sorted((data_folder() or ROOT / "shared" / "data").glob("corpus/wikipedia-*.txt.xz"))
    if not files:
        raise SystemExit("Name the folder of data in ELMOSCOPE_DATA.")
    with path.open("w", encoding="utf-8") as out:
        for words in (line.split()[:60] for file in files for line in read_lines(file)):  # not tokenized: the proof is of the cluster
            if words and tokens < occurrences:
                out.write(json.dumps({"tokens": words}, ensure_ascii=False) + "\n")
                tokens += len(words)
    return path


if __name__ == "__main__":
    sys.exit(main())
