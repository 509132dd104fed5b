"""Nearest occurrences in an index of many shards: the k best of each worker's own mapped shards, merged exactly.

Without a cluster the same shards are gone through one after another. Equal cosines keep the order of the rows, as on one
machine. Products and cosines are computed of the same numbers as in one whole table, but of fewer rows at a time, which BLAS
may round otherwise in the last bit of float32.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from distributed import Client

from core.cluster.jobs import Job, spread
from core.cluster.shards import Shard, Shards
from core.cluster.store import open_store
from core.common.errors import BadInput
from core.common.i18n import t
from core.index.neighbours import ANY, OTHER, SAME, Neighbour, Query, best, cosines, own_row, products
from core.index.table import Occurrence, OccurrenceTable

MOST_OPEN = 256  # shards that a worker keeps open: their labels and gram are in memory, 44 bytes a row


@dataclass(frozen=True, slots=True)
class Question:
    """What every worker is asked."""

    query: Query
    weights: tuple[float, ...]
    k: int
    which: str
    lemmas: tuple[str, ...] = ()  # of the query's word anywhere: its other forms count as the same word


def nearest(
    shards: Shards, query: Query, weights: Iterable[float], *, k: int = 10, which: str = ANY, client: Client | None = None
) -> list[Neighbour]:
    """As core.index.neighbours.nearest, over all shards: the rows are numbered through them."""
    if k < 1:
        raise BadInput(t("k must be at least 1, got {k}.", k=k))
    if which not in (ANY, SAME, OTHER):
        known = ", ".join((ANY, SAME, OTHER))
        raise BadInput(t("Unknown choice of neighbours '{which}'; use one of: {known}.", which=which, known=known))
    lemmas: set[str] = set()
    if which != ANY and shards.meta["lemmas"]:
        lemmas = set().union(*_everywhere(lemmas_of, shards, (query.word,), client))
    question = Question(query, tuple(weights), k, which, tuple(sorted(lemmas)))
    return merged(_everywhere(best_of, shards, (question,), client), k)


def merged(parts: Iterable[list[Neighbour]], k: int) -> list[Neighbour]:
    """The k best of several lists, ties in the order of rows."""
    return sorted((n for part in parts for n in part), key=lambda n: (-n.cosine, n.occurrence.row))[:k]


def best_of(url: str, shards: list[Shard], question: Question) -> list[Neighbour]:
    """One worker's job: the k best of some shards."""
    return merged((_best_of_one(url, shard, question) for shard in shards), question.k)


def lemmas_of(url: str, shards: list[Shard], word: str) -> set[str]:
    """One worker's job: the lemmas that a spelling is labelled with in some shards."""
    found: set[str] = set()
    for shard in shards:
        table = opened(url, shard)
        codes = np.unique(table.lemma[table.word == table.word_codes.get(word.casefold(), -2)])
        found |= {table.lemmas[code] for code in codes if code >= 0}
    return found


@lru_cache(maxsize=MOST_OPEN)
def opened(url: str, shard: Shard) -> OccurrenceTable:
    """A shard's table; its vectors are mapped, and read when a search touches them."""
    return OccurrenceTable(open_store(url).fetch(shard.name))


def kept(table: OccurrenceTable, question: Question) -> np.ndarray:
    """Which rows may answer, (N,) bool: by spelling and lemma, and never the query's own."""
    keep = np.ones(len(table), bool)
    if question.which != ANY:
        same = table.word == table.word_codes.get(question.query.word.casefold(), -2)
        same |= np.isin(table.lemma, [code for code, lemma in enumerate(table.lemmas) if lemma in question.lemmas])
        keep = same if question.which == SAME else ~same
    return keep & ~own_row(table, question.query)


def placed(shard: Shard, found: Occurrence, cosine: float) -> Neighbour:
    """A shard's row as one of the whole index."""
    row = shard.first_row + found.row
    return Neighbour(Occurrence(row, found.word, found.tokens, found.position, found.sense, found.lemma), cosine)


def _best_of_one(url: str, shard: Shard, question: Question) -> list[Neighbour]:
    table = opened(url, shard)
    values = cosines(table.rows, products(table.rows, question.query), question.weights)
    rows = best(np.where(kept(table, question), values, -np.inf), question.k)
    found = [placed(shard, table.occurrence(int(row)), float(values[row])) for row in rows]
    table.rows.let_go()  # mapped pages count as a worker's memory, and Dask stops one that seems to have too much
    return found


def _everywhere(run, shards: Shards, arguments: tuple, client: Client | None) -> list:
    """What `run` answers of all shards: each worker is asked for the same ones every time, whose files it has in memory."""
    if client is None:
        return [run(shards.url, list(shards.shards), *arguments)]
    workers = sorted(client.nthreads()) or [None]  # none just now: `spread` waits for one
    parts = [(worker, list(shards.shards[k :: len(workers)])) for k, worker in enumerate(workers)]
    jobs = [Job(str(k), run, (shards.url, part, *arguments), 0, worker) for k, (worker, part) in enumerate(parts) if part]
    return [answer for _, answer in spread(client, jobs)]
