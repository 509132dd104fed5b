"""Search tables of millions of rows approximately: one faiss index serves every layer mix, and its candidates are ranked exactly.

cos(mix(a), mix(b)) |mix(b)| is an inner product of the stacked layers x = [h_0; h_1; h_2] with q' = [s_0 m; s_1 m; s_2 m],
m = mix(a), so one index of x answers any weights. Each layer of x is scaled to length 1 and q' uses the layers' mean lengths: long
vectors do not come first, and for one layer the product is the cosine. Rows are in cells around centroids (an inverted file), one
byte per number; a search visits the cells nearest to q'. A filter is applied within the cells, so it loses no candidate, unlike in a
graph; but the next rows are in more distant cells, and more cells are visited. The candidates' cosines are then computed from the
stored vectors. `python -m tests.bench.approximate DIR` measures recall: at these settings 0.98 or more for every layer, filtered
or not (66,673 real rows).
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..common.directions import unit
from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.markup import shorten
from ..elmo.mix import check_weights, gram, mix_cosines, mixed
from ..files.artifacts import provenance, read_json, replacing, write_json
from ..index.neighbors import ANY, Index, Neighbor, Question
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from .search import best_in_shard, by_shard, merged, of_all, open_shard, rank_senses
from .shards import APPROXIMATE, APPROXIMATE_SENSES, Shards
from .store import open_store

FORMAT = 1
ROWS_PER_CELL = 200  # on average
TRAINED_ON = 64  # rows a cell, of those that place the centroids
PROBED = 0.08  # share of the cells that a search visits
FEWEST_PROBED = 16  # cells, more than PROBED of a table under 40,000 rows: 8 of 87 cells lose one neighbor in six
PROBED_FILTERED = 0.2  # where words are left out
PROBED_SENSES = 0.2, 0.4  # the same two in the sense space, whose candidates another map chose than ranks them
CANDIDATES = 20  # ranked exactly, for each answer wanted
LEAST = 400  # candidates at least
Report = Callable[[int, int], None]  # rows done, in all
Take = Callable[[OccurrenceTable, np.ndarray], np.ndarray]  # (n,) rows of a table -> (n, W)


def build(
    shards: Shards, *, take: Take | None = None, space: SenseSpace | None = None, report: Report | None = None, seed: int = 0
) -> dict:
    """Make the approximate index next to the shards, on this machine, and return its facts as in meta.json.

    Indexes the layers, or the vectors that `take` returns for rows in a `space`.
    """
    faiss = _faiss()
    began = time.perf_counter()
    folder = _folder(shards, space)
    n = shards.meta["occurrences"]
    cells = max(1, min(65_536, n // ROWS_PER_CELL))
    width = space.dim if space else shards.meta["layers"] * shards.meta["dim"]
    index = faiss.index_factory(width, f"IVF{cells},SQ8", faiss.METRIC_INNER_PRODUCT)
    index.cp.seed = seed
    sample = _sample(shards, min(n, max(cells * TRAINED_ON, 10_000)), seed, take or _layers)
    lengths = np.ones(1) if take else np.linalg.norm(sample, axis=2).mean(axis=0)  # (L,)
    index.train(sample if take else _stacked(sample))
    for shard in shards.shards:
        table = open_shard(shards.url, shard)
        for start in range(0, len(table), 8192):
            rows = np.arange(start, min(start + 8192, len(table)))
            index.add(take(table, rows) if take else _stacked(_layers(table, rows)))
            done = shard.first_row + min(start + 8192, len(table))
            if report:
                report(done, n)
    with replacing(folder) as temporary:
        temporary.mkdir(parents=True)
        faiss.write_index(index, str(temporary / "cells.faiss"))
        meta = {"format": FORMAT, "occurrences": n, "cells": cells, "bytes": (temporary / "cells.faiss").stat().st_size}
        meta |= {
            "seconds": round(time.perf_counter() - began, 1),
            "corpus": shards.meta["corpus"],
            "model": _fingerprint(shards, space),
            "lengths": lengths.tolist(),
        }
        write_json(temporary / "meta.json", meta | provenance(faiss=faiss.__version__))
    return meta


def build_senses(shards: Shards, space: SenseSpace, *, report: Report | None = None) -> dict:
    """Make the approximate index of the sense space next to the shards and return its facts. Raises BadInput without substitutes."""
    for shard in shards.shards:
        if space.unread(open_shard(shards.url, shard), np.arange(shard.rows)).any():
            raise BadInput(t("{place} keeps no substitutes. Build the index with --senses.", place=shards.url))

    def take(table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
        return space.place(space.of_rows(table, rows))

    return build(shards, take=take, space=space, report=report)


@dataclass(frozen=True, slots=True)
class ApproximateIndex(Index):
    """Neighbors from the approximate index's candidates, with exact cosines.

    `probed` is the share of the cells visited (more: slower and more complete). Raises MissingArtifact if `build` was not run.
    """

    shards: Shards
    probed: float | None = None

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that answer a question."""
        question = of_all(question, self.shards)
        query = question.query
        weights = check_weights(question.weights, len(query.layers))
        _, lengths = _open_cells(self.shards, None)
        mix = mixed(query.layers, weights.astype(np.float32))
        vector = np.concatenate([w * length * mix for w, length in zip(weights, lengths, strict=True)])[None].astype(np.float32)
        return _rank_rows(self.shards, candidates(self.shards, vector, question, probed=self.probed), question)


@dataclass(frozen=True, slots=True)
class ApproximateSenses(Index):
    """Neighbors in the sense space from the approximate index's candidates, with exact cosines.

    The approximate index uses the map of all words, which only selects candidates. They are ranked by the map learned without the word.
    Raises MissingArtifact if `build_senses` was not run.
    """

    shards: Shards
    space: SenseSpace
    probed: float | None = None  # as of ApproximateIndex

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that answer a question."""
        question = of_all(question, self.shards)
        query = question.query
        vector = self.space.place(self.space.views([(query.tokens, query.position)], query.layers[None]))
        rows = candidates(self.shards, vector, question, probed=self.probed, space=self.space)
        return rank_senses(self.shards, self.space, by_shard(self.shards, rows), question)


def candidates(
    shards: Shards, vector: np.ndarray, question: Question, *, probed: float | None = None, space: SenseSpace | None = None
) -> np.ndarray:
    """Return the rows of the complete index that may be nearest to a vector (1, W), in order."""
    faiss = _faiss()
    index, _ = _open_cells(shards, space)
    chosen = np.packbits(np.concatenate([open_shard(shards.url, shard).may_answer(question) for shard in shards.shards]), bitorder="little")
    usual = PROBED_SENSES if space else (PROBED, PROBED_FILTERED)
    share = probed if probed is not None else usual[question.which != ANY]
    nprobe = min(index.nlist, max(FEWEST_PROBED, round(share * index.nlist)))
    options = faiss.SearchParametersIVF(sel=faiss.IDSelectorBitmap(chosen), nprobe=nprobe)
    _, rows = index.search(vector, max(LEAST, CANDIDATES * question.k), params=options)
    return np.sort(rows[0][rows[0] >= 0])


def _rank_rows(shards: Shards, rows: np.ndarray, question: Question) -> list[Neighbor]:
    """Return the k best of some rows by their exact cosines."""
    parts = []
    query_gram = gram(question.query.layers[None])[0]
    for shard, shard_rows in by_shard(shards, rows):
        table = open_shard(shards.url, shard)
        cross = np.einsum("id,njd->nij", question.query.layers, table.rows.take(shard_rows), optimize=True)
        values = mix_cosines(cross, query_gram, table.rows.gram[shard_rows], np.asarray(question.weights))
        parts.append(best_in_shard(shard, table, shard_rows, values, question.k))
    return merged(parts, question.k)


def _stacked(layers: np.ndarray) -> np.ndarray:
    """Stack layers (n, L, D) into (n, L * D) float32, each layer scaled to length 1."""
    return unit(layers).reshape(len(layers), -1)


def _layers(table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
    """Return the layers (n, L, D) of rows."""
    return table.rows.take(rows)


def _sample(shards: Shards, n: int, seed: int, take: Take) -> np.ndarray:
    """Return vectors (n, ...) of rows drawn at random, from every shard its share."""
    rng = np.random.default_rng(seed)
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
    return _read(str(folder), shards.meta["corpus"], _fingerprint(shards, space), changed)


@lru_cache(maxsize=4)
def _read(folder: str, corpus: str, model: str, changed: int):
    path = Path(folder)
    meta = read_json(path / "meta.json", expect=dict)
    if (meta.get("format"), meta.get("corpus"), meta.get("model")) != (FORMAT, corpus, model):
        raise CorruptArtifact(t("{file} belongs to another index. Rerun `index approximate`.", file=path))
    try:
        mapped = 0 if sys.platform == "win32" else _faiss().IO_FLAG_MMAP
        lengths = [float(length) for length in meta["lengths"]]
        return _faiss().read_index(str(path / "cells.faiss"), mapped), lengths
    except (RuntimeError, KeyError, TypeError, ValueError) as error:
        reason = shorten(error, 100)
        message = t("{file} is unreadable ({reason}). Rerun `index approximate`.", file=path / "cells.faiss", reason=reason)
        raise CorruptArtifact(message) from None


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
