"""Several tables of one model read as one: the bundled labeled words', and those of further words, a small table each.

Rows stand table after table, so that those of the first keep their numbers; nothing is copied but names and the mean vectors of spellings.
"""

from functools import cached_property

import numpy as np
import pyarrow as pa

from ..elmo.mix import gram
from ..files.artifacts import text_fingerprint
from .rows import Rows
from .table import OccurrenceTable


class JoinedTable(OccurrenceTable):
    """Tables of the same model as one; maps and verdicts that were bundled with the first stay those of its words."""

    def __init__(self, tables: list[OccurrenceTable]) -> None:
        first = tables[0]
        self.tables, self.folder = tuple(tables), first.folder
        self.rows = JoinedRows([table.rows for table in tables])
        self.words, self.word = _renamed([(table.words, table.word) for table in tables])
        self.senses, self.sense = _renamed([(table.senses, table.sense) for table in tables])
        self.lemmas, self.lemma = _renamed([(table.lemmas, table.lemma) for table in tables])
        starts = np.cumsum([0, *(len(table.sentences) for table in tables)])
        self.sentence = np.concatenate([table.sentence + start for table, start in zip(tables, starts, strict=False)])
        self.position = np.concatenate([table.position for table in tables])
        corpus = text_fingerprint([table.meta["corpus"] for table in tables])
        counts = {name: sum(table.meta[name] for table in tables) for name in ("occurrences", "sentences")}
        self.meta = first.meta | counts | {"types": len(self.words), "corpus": corpus}

    @cached_property
    def sentences(self) -> pa.Array:
        return pa.concat_arrays([table.sentences for table in self.tables])

    @cached_property
    def texts(self) -> pa.Array:
        return pa.concat_arrays([table.texts for table in self.tables])

    @cached_property
    def tags(self) -> pa.Array:
        return pa.concat_arrays([table.tags for table in self.tables])

    @cached_property
    def guessed(self) -> pa.Array:
        return pa.concat_arrays([table.guessed for table in self.tables])

    @cached_property
    def types(self) -> Rows:
        """The first table's as they are; what another one brings, or has more of, is averaged here over its rows."""
        first = self.tables[0]
        known, n = len(first.words), len(self.words)
        means = np.zeros((n, self.meta["layers"], self.meta["dim"]), np.float16)
        means[:known] = np.concatenate(first.types.layers)
        grams = np.zeros((n, first.types.gram.shape[1]), np.float32)
        grams[:known] = np.concatenate(first.types.grams)
        new = np.unique(self.word[len(first) :])
        for code in new:
            means[code] = self.rows.take(np.flatnonzero(self.word == code)).mean(axis=0)
        grams[new] = gram(means[new])
        return JoinedRows([], [means], [grams])


class JoinedRows(Rows):
    """The blocks of several files behind one another, and of arrays in memory."""

    def __init__(self, parts: list[Rows], layers: list[np.ndarray] | None = None, grams: list[np.ndarray] | None = None) -> None:
        self.parts = parts
        self.layers = [*(block for part in parts for block in part.layers), *(layers or [])]
        self.grams = [*(block for part in parts for block in part.grams), *(grams or [])]
        self.dim = self.layers[0].shape[2]
        self.starts = np.cumsum([0, *map(len, self.layers)])

    def let_go(self) -> None:
        for part in self.parts:
            part.let_go()


def _renamed(columns: list[tuple[list[str], np.ndarray]]) -> tuple[list[str], np.ndarray]:
    """(names, codes) a table -> the names of all, the first table's first, and all codes in them; -1 stays -1."""
    code = {name: k for k, name in enumerate(dict.fromkeys(name for names, _ in columns for name in names))}
    moved = [np.array([*(code[name] for name in names), -1], np.int32)[codes] for names, codes in columns]
    return list(code), np.concatenate(moved)
