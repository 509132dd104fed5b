"""Report how well a table's vectors, or its static contexts, separate the senses of words (core.senses.separation)."""

import numpy as np

from ..analysis.word_maps import rows_to_measure
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..static.vectors import StaticVectors, cosines, static_contexts
from .separation import SenseReport, sense_report


def sense_report_of(table: OccurrenceTable, word: str, weights: np.ndarray, *, normalized: bool = False) -> SenseReport:
    """Sense measures of a word's labeled rows (or of all words') in the full space, for one mix, of normalized layers if told so."""
    rows = rows_to_measure(table, word)
    words = np.array([table.lemmas[k] for k in table.lemma[rows]])
    labels = np.array([table.senses[k] for k in table.sense[rows]])
    return sense_report(lambda picked: table.similarities(rows[picked], weights, normalized=normalized), words, labels, seed=0)


def senses_report_of(table: OccurrenceTable, word: str, space: SenseSpace) -> SenseReport:
    """The same measures of the same rows in the sense space, each word's by a map that has not seen it."""
    rows = rows_to_measure(table, word)
    words = np.array([table.lemmas[k] for k in table.lemma[rows]])
    labels = np.array([table.senses[k] for k in table.sense[rows]])

    def similarities(picked: np.ndarray) -> np.ndarray:
        placed = space.place(space.of_rows(table, rows[picked]), word=str(words[picked[0]]))
        return placed @ placed.T

    return sense_report(similarities, words, labels, seed=0)


def static_report_of(table: OccurrenceTable, word: str, vectors: StaticVectors) -> SenseReport:
    """The same measures of the same rows by their static contexts: the other words' vectors, summed, no network (core.static.vectors)."""
    rows = rows_to_measure(table, word)
    words = np.array([table.lemmas[k] for k in table.lemma[rows]])
    labels = np.array([table.senses[k] for k in table.sense[rows]])
    contexts = static_contexts_of(table, rows, vectors)
    return sense_report(lambda picked: cosines(contexts[picked]), words, labels, seed=0)


def static_contexts_of(table: OccurrenceTable, rows: np.ndarray, vectors: StaticVectors) -> np.ndarray:
    """(n,) rows -> (n, D): the sum of the static vectors of each sentence's other words."""
    results = [table.occurrence(int(row)) for row in rows]
    return static_contexts(vectors, [o.tokens for o in results], [(o.position, o.position + 1) for o in results])
