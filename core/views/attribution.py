"""Which words decide how a word is read: each word around it dropped, masked or swapped, measured by its senses or by another sentence."""

from dataclasses import dataclass

import numpy as np

from ..common.model_layers import MIX
from ..elmo.mix import layer_weights
from ..index.table import OccurrenceTable
from ..senses.influence import DROP, Centroids, Influence, centroids, influence, pair
from ..text import word_in_question
from ..text.readings import WordInContext
from ..workspace import Workspace, reads_as_model

READS = ("model", "corpus")
SENSES, OTHER, MOVED = "senses", "other", "moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionRequest:
    """A word, what is done to each word around it, and a word of another sentence to measure by where no two senses are labeled."""

    word: WordInContext
    other: WordInContext | None = None
    how: str = DROP
    swap: str = ""
    weights: str = ""  # of the mix, "a,b,c"; equal if none are given


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """The answer, and what it is measured by: the word's "senses", the "other" sentence's word, or how far the vector "moved" at all."""

    by: str
    senses: tuple[str, ...]  # all that are labeled, in the order of their colors
    influence: Influence
    content: frozenset[int]  # positions of the words that carry more than grammar: no other is named as what decided


@reads_as_model
def compute(workspace: Workspace, request: AttributionRequest) -> Attribution:
    """The answer; the word's own sentence, where it is labeled, has no part in the senses. BadInput as `variants`."""
    word, other = request.word, request.other
    workspace = workspace.about(word)
    weights = layer_weights(MIX, workspace.layers.n, request.weights or None)
    lemma = word.lemma_in(workspace.targets) if workspace.is_labeled else None
    measures = _senses(workspace.targets, lemma, word, weights) if lemma else None
    by = SENSES if measures and len(measures.senses) > 1 else MOVED
    if by == MOVED and other and (other.tokens, other.position) != (word.tokens, word.position):
        vectors = np.stack([query.layers for query in workspace.queries((word, other))])
        by, measures = OTHER, pair(vectors, weights, ("this sentence", "the other"))
    result = influence(workspace.model.encoder, word.tokens, word.position, measures, how=request.how, swap=request.swap, weights=weights)
    content = frozenset(each.position for each in word_in_question.candidates(result.tokens, workspace.language))
    return Attribution(by, tuple(workspace.targets.senses_of(lemma)) if lemma else (), result, content)


def _senses(table: OccurrenceTable, lemma: str, word: WordInContext, weights: np.ndarray) -> Centroids:
    rows = np.array([row for row in table.labeled_rows(lemma) if table.occurrence(row).tokens != word.tokens], int)
    return centroids(table.rows.take(rows), [table.senses[code] for code in table.sense[rows]], weights)
