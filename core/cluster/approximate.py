"""Search an index in shards: exactly in every shard, or among the candidates of one approximate index (faiss).

The exact search merges the k best of each worker's mapped shards; without a cluster the shards are searched one after another. Equal cosines
keep the order of the rows, as on one machine. Products and cosines use the same numbers as in one table, but fewer rows at a time, which BLAS
may round differently in the last bit of float32. In the sense space (core.index.sense_space) all rows are placed by the map that was learned
without the query's word.

One approximate index serves every layer mix, and its candidates are ranked exactly. cos(mix(a), mix(b)) |mix(b)| is an inner product of the
stacked layers x = [h_0; h_1; h_2] with q' = [s_0 m; s_1 m; s_2 m], m = mix(a). Each layer of x is scaled to length 1 and q' uses the layers'
mean lengths: long vectors do not come first, and for one layer the product is the cosine. Rows are in cells around centroids (an inverted
file), one byte per number; a search visits the cells nearest to q'. A filter is applied within the cells, so it loses no candidate, unlike in
a graph; but the next rows are in more distant cells, and more cells are visited. At these settings recall is 0.98 or more for every layer,
filtered or not (66,673 real rows).
"""

import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from distributed import Client

from ..common.directions import unit
from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.markup import shorten
from ..elmo.mix import check_weights, gram, layer_weights, mix_cosines, mixed
from ..files.artifacts import provenance, read_json, replacing, write_json
from ..index import sense_space
from ..index.neighbors import ANY, Index, Neighbor, Question
from ..index.rows import Query
from ..index.sense_space import LAYER, SenseIndex, SenseSpace
from ..index.table import OccurrenceTable
from ..text.readings import WordInContext
from .jobs import ANSWER_S, ShardJob, run_jobs
from .shards import APPROXIMATE, APPROXIMATE_SENSES, Shard, Shards
from .store import open_store

MOST_OPEN = 256  # shards that a worker keeps open: their labels and gram are in memory, 44 bytes a row
FORMAT = 1
ROWS_PER_CELL = 200  # on average
TRAINED_ON = 64  # rows a cell, of those that place the centroids
PROBED, PROBED_FILTERED = 0.08, 0.2  # share of the cells that a search visits: for any word, and where words are left out
# The same two in the sense space, where one map selects the candidates and another ranks them
PROBED_SENSES, PROBED_SENSES_FILTERED = 0.2, 0.4
FEWEST_PROBED = 16  # cells, more than PROBED of a table under 40,000 rows: 8 of 87 cells lose one neighbor in six
CANDIDATES = 20  # ranked exactly for each requested neighbor
LEAST = 400  # candidates at least


@dataclass(frozen=True, slots=True)
class ShardedIndex(Index):
    """All shards, on the workers of `client` or here. Rows are numbered through all shards."""

    shards: Shards
    client: Client | None = None

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that answer a question."""
        question = with_all_lemmas(question, self.shards, self.client)
        return merged(_run_on_shards(best_of, self.shards, (question,), self.client), question.k)


@dataclass(frozen=True, slots=True)
class SensesOfShards(Index):
    """The sense space of all shards, searched on this machine."""

    shards: Shards
    space: SenseSpace

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that answer a question."""
        question = with_all_lemmas(question, self.shards)
        return rank_senses(self.shards, self.space, self._rows(question), question)

    def narrows(self, query: Query, which: str = ANY) -> int:
        """Return how many rows, those nearest at layer 1, are placed if not all are; else 0, as in `SenseIndex.narrows`."""
        return sense_space.MOST_READ * self._too_many(with_all_lemmas(Question(query, sense_space.WEIGHTS, which=which), self.shards))

    def _rows(self, question: Question) -> list[tuple[Shard, np.ndarray]]:
        if not self._too_many(question):
            return [(shard, np.flatnonzero(open_shard(self.shards.url, shard).may_answer(question))) for shard in self.shards.shards]
        weights = layer_weights(str(LAYER), len(question.query.layers))
        nearest = ShardedIndex(self.shards).nearest(question.query, weights, k=sense_space.MOST_READ, which=question.which)
        return by_shard(self.shards, np.sort([n.occurrence.row for n in nearest]))

    def _too_many(self, question: Question) -> bool:
        tables = (open_shard(self.shards.url, shard) for shard in self.shards.shards)
        unread = (np.count_nonzero(table.may_answer(question)) for table in tables if not self.space.is_stored(table))
        return sum(unread) > sense_space.MOST_READ


def with_all_lemmas(question: Question, shards: Shards, client: Client | None = None) -> Question:
    """Return a question for every shard, with the lemmas that the word has in any shard, so that its forms count everywhere.

    The products of one table do not fit the others, so the query replaces them.
    """
    lemmas: set[str] = set()
    if question.which != ANY and shards.meta["lemmas"]:
        lemmas = lemmas.union(*_run_on_shards(lemmas_of, shards, (question.query.word,), client))
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
    lists = []
    for shard in shards:
        table = open_shard(url, shard)
        lists.append(_place_in_index(shard, table.answer(question)))
        table.rows.release()  # mapped pages count as a worker's memory, and Dask stops one that seems to have too much
    return merged(lists, question.k)


def lemmas_of(url: str, shards: list[Shard], word: str) -> set[str]:
    """Return the lemmas of a spelling's labels in some shards (a worker's job)."""
    return set().union(*(open_shard(url, shard).lemmas_of(word) for shard in shards))


@lru_cache(maxsize=MOST_OPEN)
def open_shard(url: str, shard: Shard) -> OccurrenceTable:
    """Open a shard's table. Its vectors are memory-mapped."""
    return OccurrenceTable(open_store(url).fetch(shard.name))


def _place_in_index(shard: Shard, neighbors: Iterable[Neighbor]) -> list[Neighbor]:
    """Return a shard's neighbors with their rows numbered through the complete index."""
    return [replace(n, occurrence=replace(n.occurrence, row=shard.first_row + n.occurrence.row)) for n in neighbors]


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
        lists.append(_place_in_index(shard, table.best_of(rows, values, question.k)))
        table.rows.release()
    return merged(lists, question.k)


def _run_on_shards(run, shards: Shards, arguments: tuple, client: Client | None) -> list:
    """Return the results of `run` for all shards. Each worker always gets the same shards, whose files are in its memory."""
    if client is None:
        return [run(shards.url, list(shards.shards), *arguments)]
    workers = sorted(client.nthreads(callback_timeout=ANSWER_S)) or [None]  # none just now: `run_jobs` waits for one
    parts = [(worker, list(shards.shards[k :: len(workers)])) for k, worker in enumerate(workers)]
    jobs = [ShardJob(str(k), run, (shards.url, part, *arguments), 0, worker) for k, (worker, part) in enumerate(parts) if part]
    return [answer for _, answer in run_jobs(client, jobs)]


@dataclass(frozen=True, slots=True)
class ApproximateIndex(Index):
    """Neighbors from the approximate index's candidates, with exact cosines: of layer mixes, or in a sense space.

    The map of all words only selects candidates of a sense space; they are ranked by the map learned without the word. Raises MissingArtifact
    if `build` was not run.
    """

    shards: Shards
    space: SenseSpace | None = None

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that answer a question."""
        question = with_all_lemmas(question, self.shards)
        query = question.query
        cells, lengths = _open_cells(self.shards, self.space)
        if self.space:
            vector = self.space.place(self.space.views([(query.tokens, query.position)], query.layers[None]))
        else:
            weights = check_weights(question.weights, len(query.layers))
            mix = mixed(query.layers, weights.astype(np.float32))
            vector = np.concatenate([w * length * mix for w, length in zip(weights, lengths, strict=True)])[None].astype(np.float32)
        parts = by_shard(self.shards, self._candidates(cells, vector, question))
        return rank_senses(self.shards, self.space, parts, question) if self.space else self._rank_rows(parts, question)

    def _candidates(self, cells, vector: np.ndarray, question: Question) -> np.ndarray:
        """Return the rows of the complete index that may be nearest to a vector (1, W), in order."""
        tables = (open_shard(self.shards.url, shard) for shard in self.shards.shards)
        chosen = np.packbits(np.concatenate([table.may_answer(question) for table in tables]), bitorder="little")
        if question.which == ANY:
            share = PROBED_SENSES if self.space else PROBED
        else:
            share = PROBED_SENSES_FILTERED if self.space else PROBED_FILTERED
        nprobe = min(cells.nlist, max(FEWEST_PROBED, round(share * cells.nlist)))
        faiss = _faiss()
        options = faiss.SearchParametersIVF(sel=faiss.IDSelectorBitmap(chosen), nprobe=nprobe)
        _, rows = cells.search(vector, max(LEAST, CANDIDATES * question.k), params=options)
        return np.sort(rows[0][rows[0] >= 0])

    def _rank_rows(self, parts: list[tuple[Shard, np.ndarray]], question: Question) -> list[Neighbor]:
        """Return the k best of some rows of each shard by their exact cosines."""
        lists = []
        query_gram = gram(question.query.layers[None])[0]
        for shard, rows in parts:
            table = open_shard(self.shards.url, shard)
            cross = np.einsum("id,njd->nij", question.query.layers, table.rows.take(rows), optimize=True)
            values = mix_cosines(cross, query_gram, table.rows.gram[rows], np.asarray(question.weights))
            lists.append(_place_in_index(shard, table.best_of(rows, values, question.k)))
        return merged(lists, question.k)


def build(shards: Shards, space: SenseSpace | None = None, *, report: Callable[[int, int], None] | None = None) -> dict:
    """Make the approximate index of the layers, or of a sense space, next to the shards, and return its facts as in meta.json.

    Calls `report(rows done, all rows)`. Raises BadInput without the substitutes that a sense space reads.
    """
    for shard in shards.shards if space else ():
        if not space.is_stored(open_shard(shards.url, shard)):
            raise BadInput(t("{place} has no substitutes. Build the index with --senses.", place=shards.url))
    faiss = _faiss()
    began = time.perf_counter()
    folder = _folder(shards, space)
    n = shards.meta["occurrences"]
    cells = max(1, min(65_536, n // ROWS_PER_CELL))
    width = space.dim if space else shards.meta["layers"] * shards.meta["dim"]
    index = faiss.index_factory(width, f"IVF{cells},SQ8", faiss.METRIC_INNER_PRODUCT)
    index.cp.seed = 0

    def take(table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
        """Return vectors (n, W) in the sense space, or layers (n, L, D)."""
        return space.place(space.of_rows(table, rows)) if space else table.rows.take(rows)

    def stack(vectors: np.ndarray) -> np.ndarray:
        return vectors if space else unit(vectors).reshape(len(vectors), -1)  # each layer scaled to length 1

    sample = _sample(shards, min(n, max(cells * TRAINED_ON, 10_000)), take)
    lengths = np.ones(1) if space else np.linalg.norm(sample, axis=2).mean(axis=0)  # (L,)
    index.train(stack(sample))
    for shard in shards.shards:
        table = open_shard(shards.url, shard)
        for start in range(0, len(table), 8192):
            end = min(start + 8192, len(table))
            index.add(stack(take(table, np.arange(start, end))))
            if report:
                report(shard.first_row + end, n)
    with replacing(folder) as temporary:
        temporary.mkdir(parents=True)
        with (temporary / "cells.faiss").open("wb") as stream:  # faiss hides why a file of its own cannot be written
            faiss.write_index(index, faiss.PyCallbackIOWriter(stream.write))
        meta = {
            "format": FORMAT,
            "occurrences": n,
            "cells": cells,
            "bytes": (temporary / "cells.faiss").stat().st_size,
            "seconds": round(time.perf_counter() - began, 1),
            "corpus": shards.meta["corpus"],
            "model": _fingerprint(shards, space),
            "lengths": lengths.tolist(),
        }
        write_json(temporary / "meta.json", meta | provenance(faiss=faiss.__version__))
    return meta


def _sample(shards: Shards, n: int, take: Callable[[OccurrenceTable, np.ndarray], np.ndarray]) -> np.ndarray:
    """Return what `take` returns for rows drawn at random, from every shard its share."""
    rng = np.random.default_rng(0)
    parts = []
    for shard in shards.shards:
        size = max(1, round(n * shard.rows / shards.meta["occurrences"]))
        rows = np.sort(rng.choice(shard.rows, min(size, shard.rows), replace=False))
        parts.append(take(open_shard(shards.url, shard), rows))
    return np.concatenate(parts)


def _fingerprint(shards: Shards, space: SenseSpace | None) -> str:
    return f"{shards.meta['model']} {space.mark}" if space else shards.meta["model"]


def _folder(shards: Shards, space: SenseSpace | None) -> Path:
    store = open_store(shards.url)
    if not store.is_folder:
        raise BadInput(t("Approximate indexes need a local folder, not {place}.", place=shards.url))
    return Path(store.place(APPROXIMATE_SENSES if space else APPROXIMATE))


def _open_cells(shards: Shards, space: SenseSpace | None):
    """Return the cells and the layers' mean lengths (L,)."""
    folder = _folder(shards, space)
    if not (folder / "meta.json").is_file():
        command = f"index approximate DIR{' --senses' if space else ''}"
        raise MissingArtifact(t("No approximate index in {place}: python -m core {command}", place=folder.parent, command=command))
    changed = (folder / "cells.faiss").stat().st_mtime_ns if (folder / "cells.faiss").is_file() else 0
    return _read(folder, shards.meta["corpus"], _fingerprint(shards, space), changed)


@lru_cache(maxsize=4)
def _read(folder: Path, corpus: str, model: str, changed: int):
    meta = read_json(folder / "meta.json", expect=dict)
    if (meta.get("format"), meta.get("corpus"), meta.get("model")) != (FORMAT, corpus, model):
        raise CorruptArtifact(t("{file} belongs to another index. Rerun `index approximate`.", file=folder))
    try:
        mapped = 0 if sys.platform == "win32" else _faiss().IO_FLAG_MMAP
        lengths = [float(length) for length in meta["lengths"]]
        return _faiss().read_index(str(folder / "cells.faiss"), mapped), lengths
    except (RuntimeError, KeyError, TypeError, ValueError) as error:
        values = {"file": folder / "cells.faiss", "reason": shorten(error, 100)}
        raise CorruptArtifact(t("{file} is unreadable ({reason}). Rerun `index approximate`.", **values)) from None


def _faiss():
    """Import faiss when needed; on macOS with one thread, because its OpenMP conflicts with torch's."""
    if sys.platform == "darwin":
        os.environ.setdefault("KMP_DUPLICATE_LIB_OK", "TRUE")
    try:
        import faiss
    except ImportError:
        raise BadInput(t("Approximate search needs faiss: pip install faiss-cpu")) from None
    if sys.platform == "darwin":
        faiss.omp_set_num_threads(1)
    return faiss
