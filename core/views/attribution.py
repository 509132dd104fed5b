"""The words that decide how a word is read: each other word dropped, masked or swapped, measured by senses or another sentence."""

from dataclasses import dataclass

import numpy as np

from ..common import model_layers
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.model_layers import MIX
from ..elmo.mix import layer_weights
from ..elmo.substitutes import Change
from ..senses import influence
from ..senses.influence import DROP, Influence, centroids, half_name, pair
from ..text import target_word
from ..text.readings import WordInContext
from ..text.tokens import join_tokens
from ..workspace import Workspace, reads_as_model

READS = ("model", "corpus")
SENSES, OTHER, MOVED = "senses", "other", "moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionRequest:
    """A word, what is done to each word around it, and a word of another sentence to compare with if no two senses are labeled."""

    word: WordInContext
    other: WordInContext | None = None
    how: str = DROP
    swap: str = ""
    weights: str = ""  # of the mix, "a,b,c"; "" for equal weights


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """The answer, and what it is measured by: the word's "senses", the "other" sentence's word, or how far the vector "moved" at all."""

    by: str
    senses: tuple[str, ...]  # all that are labeled, in the order of their colors
    influence: Influence
    content: frozenset[int]  # positions of content words; no other word is named as decisive

    def table(self) -> Frame:
        """Return a row for each word, layer and direction: how far it moves the vector, and toward which senses (differences of cosines)."""
        result, title, rows = self.influence, model_layers.in_use().title, []
        for n, position in enumerate(result.changed):
            for v, view in enumerate(result.views):
                for h, half in enumerate(influence.HALVES):
                    row = {t("place"): position + 1, t("word"): result.tokens[position], t("layer"): title(view)}
                    row |= {t("half"): half_name(half), t("moves it (1 − cosine)"): round(float(result.moved[n, v, h]), 4)}
                    change = result.cosines[v, h] - result.varied[n, v, h]
                    row |= {t("toward {sense}", sense=s): round(float(c), 4) for s, c in zip(result.senses, change, strict=True)}
                    rows.append(row)
        return frame(rows)

    def halves_table(self) -> Frame:
        """Return a row for each layer and direction: its sense, the lead, and the cosine to every sense."""
        result, title, rows = self.influence, model_layers.in_use().title, []
        for v, view in enumerate(result.views):
            added = influence.gains(result, view)
            chosen = influence.verdict(result, view, influence.BOTH).sense
            for h, verdict in enumerate(influence.halves(result, view).values()):
                row = {t("sentence"): join_tokens(list(result.tokens)), t("layer"): title(view)}
                row |= {t("half"): half_name(verdict.half), t("nearest sense"): verdict.sense}
                row |= {t("lead"): round(verdict.margin, 4), t("lead without a sentence"): round(verdict.alone, 4)}
                row[t("the sentence adds (standard deviations)")] = round(added[verdict.half], 2)
                row[t("what both choose")] = chosen
                cosines = zip(result.senses, result.cosines[v, h], strict=True)
                row |= {t("cosine to {sense}", sense=s): round(float(c), 4) for s, c in cosines}
                rows.append(row)
        return frame(rows)


@reads_as_model
def compute(workspace: Workspace, request: AttributionRequest) -> Attribution:
    """Return the influences. The word's own sentence does not count for the senses. Raises BadInput as `variants` does."""
    word, other_word = request.word, request.other
    weights = layer_weights(MIX, workspace.layers.n, request.weights or None)
    lemma = word.lemma_in(workspace.targets) if workspace.is_labeled else None
    measures = None
    if lemma:
        table = workspace.targets
        rows = np.array([row for row in table.labeled_rows(lemma) if table.occurrence(row).tokens != word.tokens], int)
        measures = centroids(table.rows.take(rows), [table.senses[code] for code in table.sense[rows]], weights)
    by = SENSES if measures and len(measures.senses) > 1 else MOVED
    if by == MOVED and other_word and (other_word.tokens, other_word.position) != (word.tokens, word.position):
        vectors = np.stack([query.layers for query in workspace.queries((word, other_word))])
        by, measures = OTHER, pair(vectors, weights, ("this sentence", "the other"))
    result = influence.influence(
        workspace.model.encoder, word.tokens, word.position, measures, how=request.how, swap=request.swap, weights=weights
    )
    content = frozenset(candidate.position for candidate in target_word.candidates(result.tokens, workspace.language))
    return Attribution(by, tuple(workspace.targets.senses_of(lemma)) if lemma else (), result, content)


@reads_as_model
def expectation_changes(workspace: Workspace, request: AttributionRequest) -> dict[int, Change]:
    """Return how each other word, dropped, masked or swapped, changes the expected words, by its position."""
    word = request.word
    return influence.expectations(workspace.substitutes, word.tokens, word.position, how=request.how, swap=request.swap)
