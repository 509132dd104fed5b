"""Find nearest occurrences in an index of many shards: the k best of each worker's mapped shards, merged exactly.

Without a cluster the shards are searched one after another. Equal cosines keep the order of the rows, as on one machine. Products and
cosines use the same numbers as in one table, but fewer rows at a time, which BLAS may round differently in the last bit of float32.
In the sense space (core.index.sense_space) all rows are placed by the map that was learned without the query's word.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from distributed import Client

from ..elmo.mix import layer_weights
from ..index import sense_space
from ..index.neighbors import ANY, Index, Neighbor, Question
from ..index.rows import Query
from ..index.sense_space import LAYER, SenseIndex, SenseSpace
from ..index.table import OccurrenceTable
from ..text.readings import WordInContext
from .jobs import ANSWER_S, ShardJob, run_jobs
from .shards import Shard, Shards
from .store import open_store

MOST_OPEN = 256  # shards that a worker keeps open: their labels and gram are in memory, 44 bytes a row


@dataclass(frozen=True, slots=True)
class ShardedIndex(Index):
    """All shards, on the workers of `client` or here. Rows are numbered through all shards."""

    shards: Shards
    client: Client | None = None

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that answer a question."""
        question = of_all(question, self.shards, self.client)
        return merged(_everywhere(best_of, self.shards, (question,), self.client), question.k)


@dataclass(frozen=True, slots=True)
class SensesOfShards(Index):
    """The sense space of all shards, searched on this machine."""

    shards: Shards
    space: SenseSpace

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that answer a question."""
        question = of_all(question, self.shards)
        return rank_senses(self.shards, self.space, self._rows(question), question)

    def narrows(self, query: Query, which: str = ANY) -> int:
        """Return how many rows, those nearest at layer 1, are placed if not all are; else 0, as in `SenseIndex.narrows`."""
        return sense_space.MOST_READ * self._too_many(of_all(Question(query, sense_space.WEIGHTS, which=which), self.shards))

    def _rows(self, question: Question) -> list[tuple[Shard, np.ndarray]]:
        if not self._too_many(question):
            return [(shard, np.flatnonzero(open_shard(self.shards.url, shard).may_answer(question))) for shard in self.shards.shards]
        weights = layer_weights(str(LAYER), len(question.query.layers))
        nearest = ShardedIndex(self.shards).nearest(question.query, weights, k=sense_space.MOST_READ, which=question.which)
        return by_shard(self.shards, np.sort([n.occurrence.row for n in nearest]))

    def _too_many(self, question: Question) -> bool:
        tables = (open_shard(self.shards.url, shard) for shard in self.shards.shards)
        return (
            sum(np.count_nonzero(self.space.unread(table, np.flatnonzero(table.may_answer(question)))) for table in tables)
            > sense_space.MOST_READ
        )


def of_all(question: Question, shards: Shards, client: Client | None = None) -> Question:
    """Return a question for every shard, with the lemmas that the word has in any shard, so that its forms count everywhere."""
    lemmas: set[str] = set()
    if question.which != ANY and shards.meta["lemmas"]:
        lemmas = lemmas.union(*_everywhere(lemmas_of, shards, (question.query.word,), client))
    return replace(question, source=question.query, lemmas=tuple(sorted(lemmas)))


def merged(parts: Iterable[list[Neighbor]], k: int) -> list[Neighbor]:
    """Return the k best of several lists, ties in the order of rows."""
    return sorted((n for part in parts for n in part), key=lambda n: (-n.cosine, n.occurrence.row))[:k]


def by_shard(shards: Shards, rows: np.ndarray) -> list[tuple[Shard, np.ndarray]]:
    """Group rows of the complete index by shard."""
    ends = np.searchsorted(rows, [shard.first_row + shard.rows for shard in shards.shards])
    parts = zip(shards.shards, np.split(rows, ends[:-1]), strict=True)
    return [(shard, shard_rows - shard.first_row) for shard, shard_rows in parts if len(shard_rows)]


def best_of(url: str, shards: list[Shard], question: Question) -> list[Neighbor]:
    """Return the k best of some shards (a worker's job)."""
    return merged((_best_of_one(url, shard, question) for shard in shards), question.k)


def lemmas_of(url: str, shards: list[Shard], word: str) -> set[str]:
    """Return the lemmas of a spelling's labels in some shards (a worker's job)."""
    return set().union(*(open_shard(url, shard).lemmas_of(word) for shard in shards))


@lru_cache(maxsize=MOST_OPEN)
def open_shard(url: str, shard: Shard) -> OccurrenceTable:
    """Open a shard's table. Its vectors are memory-mapped."""
    return OccurrenceTable(open_store(url).fetch(shard.name))


def place_in_index(shard: Shard, neighbor: Neighbor) -> Neighbor:
    """Convert a shard's row to a row of the complete index."""
    return replace(neighbor, occurrence=replace(neighbor.occurrence, row=shard.first_row + neighbor.occurrence.row))


def best_in_shard(shard: Shard, table: OccurrenceTable, rows: np.ndarray, values: np.ndarray, k: int) -> list[Neighbor]:
    """Return the k best of some rows of a shard by their cosines (n,), as rows of the complete index."""
    return [place_in_index(shard, item) for item in table.best_of(rows, values, k)]


def rank_senses(shards: Shards, space: SenseSpace, parts: list[tuple[Shard, np.ndarray]], question: Question) -> list[Neighbor]:
    """Return the k best of some rows of each shard, by the map of the query's word."""
    query = question.query
    word = WordInContext(query.tokens, query.position, query.read_as)
    lemmas = (word.lemma_in(open_shard(shards.url, shard)) for shard in shards.shards)
    name = next(filter(None, lemmas), None) or word.spelling
    lists = []
    for shard, rows in parts:
        table = open_shard(shards.url, shard)
        values = SenseIndex(table, space, name).cosines(rows, query) if len(rows) else np.empty(0, np.float32)
        lists.append(best_in_shard(shard, table, rows, values, question.k))
        table.rows.let_go()
    return merged(lists, question.k)


def _best_of_one(url: str, shard: Shard, question: Question) -> list[Neighbor]:
    table = open_shard(url, shard)
    results = [place_in_index(shard, item) for item in table.answer(question)]
    table.rows.let_go()  # mapped pages count as a worker's memory, and Dask stops one that seems to have too much
    return results


def _everywhere(run, shards: Shards, arguments: tuple, client: Client | None) -> list:
    """Return the results of `run` for all shards. Each worker always gets the same shards, whose files are in its memory."""
    if client is None:
        return [run(shards.url, list(shards.shards), *arguments)]
    workers = sorted(client.nthreads(callback_timeout=ANSWER_S)) or [None]  # none just now: `run_jobs` waits for one
    parts = [(worker, list(shards.shards[k :: len(workers)])) for k, worker in enumerate(workers)]
    jobs = [ShardJob(str(k), run, (shards.url, part, *arguments), 0, worker) for k, (worker, part) in enumerate(parts) if part]
    return [answer for _, answer in run_jobs(client, jobs)]
