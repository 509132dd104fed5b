"""Nearest occurrences in an index of many shards: the k best of each worker's own mapped shards, merged exactly.

Without a cluster the same shards are gone through one after another. Equal cosines keep the order of the rows, as on one
machine. Products and cosines are computed of the same numbers as in one whole table, but of fewer rows at a time, which BLAS
may round otherwise in the last bit of float32.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from distributed import Client

from ..index.neighbors import ANY, Index, Neighbor, Question
from ..index.table import OccurrenceTable
from .jobs import ANSWER_S, ShardJob, run_jobs
from .shards import Shard, Shards
from .store import open_store

MOST_OPEN = 256  # shards that a worker keeps open: their labels and gram are in memory, 44 bytes a row


@dataclass(frozen=True, slots=True)
class ShardedIndex(Index):
    """All shards, on the workers of `client` or here; the rows are numbered through them."""

    shards: Shards
    client: Client | None = None

    def answer(self, question: Question) -> list[Neighbor]:
        question = of_all(question, self.shards, self.client)
        return merged(_everywhere(best_of, self.shards, (question,), self.client), question.k)


def of_all(question: Question, shards: Shards, client: Client | None = None) -> Question:
    """A question for every shard: with the lemmas that its word has in any, whose other forms count as the same word in all."""
    lemmas: set[str] = set()
    if question.which != ANY and shards.meta["lemmas"]:
        lemmas = lemmas.union(*_everywhere(lemmas_of, shards, (question.query.word,), client))
    return replace(question, asked=question.query, lemmas=tuple(sorted(lemmas)))


def merged(parts: Iterable[list[Neighbor]], k: int) -> list[Neighbor]:
    """The k best of several lists, ties in the order of rows."""
    return sorted((n for part in parts for n in part), key=lambda n: (-n.cosine, n.occurrence.row))[:k]


def by_shard(shards: Shards, rows: np.ndarray) -> list[tuple[Shard, np.ndarray]]:
    """Rows of the whole index, in order, as those of each shard that has any of them."""
    ends = np.searchsorted(rows, [shard.first_row + shard.rows for shard in shards.shards])
    parts = zip(shards.shards, np.split(rows, ends[:-1]), strict=True)
    return [(shard, here - shard.first_row) for shard, here in parts if len(here)]


def best_of(url: str, shards: list[Shard], question: Question) -> list[Neighbor]:
    """One worker's job: the k best of some shards."""
    return merged((_best_of_one(url, shard, question) for shard in shards), question.k)


def lemmas_of(url: str, shards: list[Shard], word: str) -> set[str]:
    """One worker's job: the lemmas that a spelling is labeled with in some shards."""
    return set().union(*(open_shard(url, shard).lemmas_of(word) for shard in shards))


@lru_cache(maxsize=MOST_OPEN)
def open_shard(url: str, shard: Shard) -> OccurrenceTable:
    """A shard's table; its vectors are mapped, and read when a search touches them."""
    return OccurrenceTable(open_store(url).fetch(shard.name))


def place_in_index(shard: Shard, neighbor: Neighbor) -> Neighbor:
    """A shard's row as one of the whole index."""
    return replace(neighbor, occurrence=replace(neighbor.occurrence, row=shard.first_row + neighbor.occurrence.row))


def best_in_shard(shard: Shard, table: OccurrenceTable, rows: np.ndarray, values: np.ndarray, k: int) -> list[Neighbor]:
    """The k best of some rows of a shard by their cosines, (n,) each, as rows of the whole index."""
    return [place_in_index(shard, item) for item in table.best_of(rows, values, k)]


def _best_of_one(url: str, shard: Shard, question: Question) -> list[Neighbor]:
    table = open_shard(url, shard)
    results = [place_in_index(shard, item) for item in table.answer(question)]
    table.rows.let_go()  # mapped pages count as a worker's memory, and Dask stops one that seems to have too much
    return results


def _everywhere(run, shards: Shards, arguments: tuple, client: Client | None) -> list:
    """What `run` answers of all shards: each worker is asked for the same ones every time, whose files it has in memory."""
    if client is None:
        return [run(shards.url, list(shards.shards), *arguments)]
    workers = sorted(client.nthreads(callback_timeout=ANSWER_S)) or [None]  # none just now: `run_jobs` waits for one
    parts = [(worker, list(shards.shards[k :: len(workers)])) for k, worker in enumerate(workers)]
    jobs = [ShardJob(str(k), run, (shards.url, part, *arguments), 0, worker) for k, (worker, part) in enumerate(parts) if part]
    return [answer for _, answer in run_jobs(client, jobs)]
