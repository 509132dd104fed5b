"""Neighbors in the sense space (core.index.sense_space): the occurrences of a table, placed when they are looked at.

All of them stand by one mean, that of all words, and by the map that has not seen the query's word: with the mean of the word's own rows
the nearest is right no more often (README.md). What was kept beside the table is there at once; of the other rows the sentences are read
anew, so where those are more than `MOST_READ`, or the kept ones more than `MOST_PLACED`, only the rows nearest at layer 1 are placed.
"""

from dataclasses import dataclass

import numpy as np

from ..elmo.mix import layer_weights
from ..text.readings import WordInContext
from .neighbors import ANY, Index, Neighbor, Query, Question, best, cosines, products_of
from .sense_space import LAYER, SenseSpace
from .table import OccurrenceTable

MOST_READ = 300  # rows whose sentences a search reads: two seconds
MOST_PLACED = 40_000  # rows whose substitutes are kept that a search places: 1.2 seconds
ROWS_AT_ONCE = 8_192  # placed at a time: 16 MB
WEIGHTS = (1.0,)  # the space is one layer


@dataclass(frozen=True, slots=True, eq=False)
class SenseIndex(Index):
    """A table's occurrences in a model's sense space."""

    table: OccurrenceTable
    space: SenseSpace
    word: str = ""  # by whose map; "" by that of the query's word as the table has it

    def answer(self, question: Question) -> list[Neighbor]:
        rows = self.rows(question)
        return self.table.best_of(rows, self.cosines(rows, question.query), question.k)

    def cosines(self, rows: np.ndarray, query: Query) -> np.ndarray:
        """Return the cosines (n,) of some rows with a word in its sentence. Sentences without stored substitutes are encoded."""
        place = self.place(query)
        parts = (rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE))
        return np.concatenate(
            [np.empty(0, np.float32), *(self._place(self.space.of_rows(self.table, part), query) @ place for part in parts)]
        )

    def place(self, query: Query, by: Query | None = None) -> np.ndarray:
        """Return the place (D,) of a word in its sentence, by the map learned without the word, or without the word of `by`."""
        return self._place(self.space.views([(query.tokens, query.position)], query.layers[None]), by or query)[0]

    def rows(self, question: Question) -> np.ndarray:
        """Return the rows (n,) that are placed, in the table's order: all that may answer, unless they are too many."""
        rows = np.flatnonzero(self.table.may_answer(question))
        if len(rows) <= (most := self.most(rows)):
            return rows
        layer = cosines(
            self.table.rows, products_of(self.table.rows, question.asked), layer_weights(str(LAYER), len(question.query.layers))
        )
        return np.sort(rows[best(layer[rows], most)])

    def narrows(self, query: Query, which: str = ANY) -> int:
        """Return how many rows, those nearest at layer 1, are placed if not all that may answer are; else 0."""
        rows = np.flatnonzero(self.table.may_answer(Question(query, WEIGHTS, which=which)))
        most = self.most(rows)
        return most if len(rows) > most else 0

    def most(self, rows: np.ndarray) -> int:
        """Return how many of these rows a search places."""
        return MOST_READ if np.count_nonzero(self.space.unread(self.table, rows)) > MOST_READ else MOST_PLACED

    def _place(self, views: np.ndarray, query: Query) -> np.ndarray:
        word = WordInContext(query.tokens, query.position, query.read_as)
        return self.space.place(views, word=self.word or word.lemma_in(self.table) or word.spelling)
