"""The nearest occurrences or spellings to a word in its sentence: at a layer, under a mix, or in the sense space."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..analysis.anisotropy import Level
from ..common.config import NEIGHBORS
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.model_layers import MIX, SENSES
from ..elmo.mix import layer_weights
from ..index.neighbors import OTHER, SAME, Neighbor, Occurrence, Query, TypeNeighbor
from ..index.sense_space import WEIGHTS, SenseIndex
from ..index.table import OccurrenceTable
from ..text.readings import WordInContext, dictionary_forms
from ..text.tokens import bare
from ..workspace import Workspace, reads_as_model
from . import levels
from .levels import sense_space

if TYPE_CHECKING:  # imported when a table is made: the first paint must not wait for it
    import pandas as pd

READS = ("model", "corpus")
TYPES = "types"
WORDS, OCCURRENCES = 8, 48  # nearest words that are listed, and the occurrences among which they are found
EQUAL = 0.005  # weights that differ less are equal


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighborsRequest:
    """A word, a space, and where to search: `among` the same word, other words, any word, or types.

    `whole`: in every token, else in the labeled ones.
    """

    word: WordInContext
    space: str  # a layer, "mix" or "senses"
    weights: str = ""  # of the mix, "a,b,c"; equal if none are given
    among: str = SAME
    k: int = NEIGHBORS
    whole: bool = True


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Neighbors:
    """A list, best first."""

    word: WordInContext
    lemma: str | None  # the labeled word that it is
    entries: tuple[Neighbor | TypeNeighbor, ...]
    examples: tuple[Occurrence, ...] = ()  # of types: the nearest sentence of each
    narrowed: int = 0  # in the sense space: how many occurrences are ranked, those nearest at layer 1, where not all are
    level: Level | None = None  # two random words' cosines, where it is known

    def table(self, context: str = "") -> "pd.DataFrame":
        """Return a row for each neighbor, best first. `context` names the list."""
        return tabulate_neighbors(self.entries, context)


@reads_as_model
def compute(workspace: Workspace, request: NeighborsRequest) -> Neighbors | None:
    """Return the list, or None while data is being read. Raises BadInput for a space that the model lacks."""
    table = workspace.every_token if request.whole else workspace.targets
    query, lemma = workspace.queries([request.word])[0], request.word.lemma_in(workspace.targets)
    of = {"word": request.word, "lemma": lemma}
    if table is None or (not request.whole and _needs_every_token(table, query, request.among)):
        return None
    if request.space == SENSES:
        return Neighbors(**of, **_in_senses(workspace, table, query, request))
    weights = layer_weights(request.space, workspace.layers.n, request.weights or None, senses=True)
    products = workspace.products(table, query, types=request.among == TYPES)
    if request.among == TYPES:
        types = table.nearest_types(products, weights, k=request.k)
        examples = table.nearest_of_types(query, [near.word for near in types], weights)
        return Neighbors(**of, entries=tuple(types), examples=tuple(examples))
    level = levels.level(workspace, request.space) if request.space != MIX or np.ptp(weights) < EQUAL else None
    return Neighbors(**of, entries=tuple(table.nearest(products, weights, k=request.k, which=request.among)), level=level)


@reads_as_model
def nearest_words(workspace: Workspace, request: NeighborsRequest) -> tuple[tuple[str, float], ...] | None:
    """Return the nearest other words, each with the cosine of its nearest occurrence (Peters et al. 2018, table 4).

    Forms of one word are listed once. Forms of the word itself and function words are left out. None while the sentences are still
    being read.
    """
    listed = compute(workspace, replace(request, among=OTHER, k=OCCURRENCES))
    if listed is None:
        return None
    seen, words = _forms(listed.word.word), []
    function = workspace.word_lists.function
    for near in listed.entries:
        word = bare(near.occurrence.word)
        if word.isalpha() and word.casefold() not in function and not (forms := _forms(word)) & seen:
            seen |= forms
            words.append((word, near.cosine))
    return tuple(words[:WORDS])


def tabulate_neighbors(entries: Sequence[Neighbor | TypeNeighbor], context: str = "") -> "pd.DataFrame":
    """Return neighbors as a table, best first: occurrences with their sentences, or types with their numbers of occurrences."""
    rows = []
    for near in entries:
        if isinstance(near, TypeNeighbor):
            rows.append((near.word, near.cosine, {t("occurrences"): near.occurrences}))
        else:
            of = near.occurrence
            rows.append((of.tokens[of.position], near.cosine, {t("sense"): of.sense or "", t("sentence"): of.sentence}))
    return tabulate_words([(bare(word), cosine) for word, cosine, _ in rows], context, [more for *_, more in rows])


def tabulate_words(words: Sequence[tuple[str, float]], context: str = "", more: Sequence[dict] = ()) -> "pd.DataFrame":
    """Return words and their cosines as a table, best first, with the cells of `more` behind them."""
    import pandas as pd

    rows = [{t("context"): context, t("rank"): k, t("word"): word, t("cosine"): round(c, 4)} for k, (word, c) in enumerate(words, 1)]
    return pd.DataFrame([row | cells for row, cells in zip(rows, more or [{}] * len(rows), strict=True)])


def _forms(word: str) -> set[str]:
    """Return the word in lower case and its dictionary forms."""
    word = bare(word).casefold()
    return {word, *dictionary_forms(word)}


def other_sentences(table: OccurrenceTable, query: Query) -> int:
    """Return how many other sentences have the word of this one."""
    return int((table.same_word(query.word, read_as=query.read_as) & ~table.own_row(query)).sum())


def _needs_every_token(table: OccurrenceTable, query: Query, among: str) -> bool:
    return among == TYPES or not table.same_word(query.word, read_as=query.read_as).any()


def _in_senses(workspace: Workspace, table: OccurrenceTable, query: Query, request: NeighborsRequest) -> dict:
    index = SenseIndex(table, sense_space(workspace))
    if request.among == TYPES:
        raise BadInput(t("Spellings have no place in the sense space: look among occurrences, or at a layer."))
    near = index.nearest(query, WEIGHTS, k=request.k, which=request.among)
    return {"entries": tuple(near), "narrowed": index.narrows(query, request.among), "level": levels.level(workspace, SENSES)}
