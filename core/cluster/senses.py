"""The sense space (core.index.sense_space) of large indexes: shard by shard, and by an approximate index.

All rows are placed by the map that was learned without the query's word. The approximate index uses the map of all words, which only
selects candidates; they are ranked by the word's own map. It needs the substitutes that `index build --senses` stores.
"""

from dataclasses import dataclass

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from ..elmo.mix import layer_weights
from ..index import sense_space
from ..index.neighbors import ANY, Index, Neighbor, Query, Question
from ..index.sense_space import LAYER, SenseIndex, SenseSpace
from ..index.table import OccurrenceTable
from ..text.readings import WordInContext
from . import approximate
from .search import ShardedIndex, best_in_shard, by_shard, merged, of_all, open_shard
from .shards import Shard, Shards


@dataclass(frozen=True, slots=True)
class SensesOfShards(Index):
    """All shards, searched on this machine."""

    shards: Shards
    space: SenseSpace

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that a question asks for."""
        question = of_all(question, self.shards)
        return _rank_rows(self.shards, self.space, self._rows(question), question)

    def narrows(self, query: Query, which: str = ANY) -> int:
        """Return how many rows, those nearest at layer 1, are placed if not all are; else 0, as in `SenseIndex.narrows`."""
        return sense_space.MOST_READ * self._too_many(of_all(Question(query, sense_space.WEIGHTS, which=which), self.shards))

    def _rows(self, question: Question) -> list[tuple[Shard, np.ndarray]]:
        if not self._too_many(question):
            return [(shard, np.flatnonzero(open_shard(self.shards.url, shard).may_answer(question))) for shard in self.shards.shards]
        weights = layer_weights(str(LAYER), len(question.query.layers))
        near = ShardedIndex(self.shards).nearest(question.query, weights, k=sense_space.MOST_READ, which=question.which)
        return by_shard(self.shards, np.sort([n.occurrence.row for n in near]))

    def _too_many(self, question: Question) -> bool:
        tables = (open_shard(self.shards.url, shard) for shard in self.shards.shards)
        return (
            sum(np.count_nonzero(self.space.unread(table, np.flatnonzero(table.may_answer(question)))) for table in tables)
            > sense_space.MOST_READ
        )


@dataclass(frozen=True, slots=True)
class ApproximateSenses(Index):
    """Neighbors from the approximate index's candidates, with exact cosines. Raises MissingArtifact if `build` was not run."""

    shards: Shards
    space: SenseSpace
    probed: float | None = None  # as of ApproximateIndex

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that a question asks for."""
        question = of_all(question, self.shards)
        query = question.query
        vector = self.space.place(self.space.views([(query.tokens, query.position)], query.layers[None]))
        rows = approximate.candidates(self.shards, vector, question, probed=self.probed, space=self.space)
        return _rank_rows(self.shards, self.space, by_shard(self.shards, rows), question)


def build(shards: Shards, space: SenseSpace, *, report: approximate.Report | None = None) -> dict:
    """Make the approximate index of the sense space next to the shards and return its facts. Raises BadInput without substitutes."""
    for shard in shards.shards:
        if space.unread(open_shard(shards.url, shard), np.arange(shard.rows)).any():
            raise BadInput(t("{place} keeps no substitutes. Build the index with --senses.", place=shards.url))

    def take(table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
        return space.place(space.of_rows(table, rows))

    return approximate.build(shards, take=take, space=space, report=report)


def _rank_rows(shards: Shards, space: SenseSpace, parts: list[tuple[Shard, np.ndarray]], question: Question) -> list[Neighbor]:
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
