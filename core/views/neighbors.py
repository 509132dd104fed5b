"""The nearest occurrences or spellings to a word in its sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..analysis.anisotropy import Level, random_level
from ..common.config import NEIGHBORS
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.model_layers import MIX, SENSES
from ..elmo.mix import layer_weights
from ..index.neighbors import OTHER, SAME, Neighbor, TypeNeighbor, check_search
from ..index.rows import Occurrence, Query
from ..index.sense_space import WEIGHTS, SenseIndex
from ..index.table import OccurrenceTable
from ..text.readings import WordInContext, dictionary_forms
from ..text.tokens import bare
from ..workspace import Workspace, reads_as_model

READS = ("model", "corpus")
TYPES = "types"
WORDS, OCCURRENCES = 8, 48  # listed words, and the occurrences among which they are found
EQUAL = 0.005  # weights that differ less are equal


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighborsRequest:
    """A word, a space, and where to search: `among` the same word, other words, any word, or types.

    With `every_token` all tokens are searched, else the labeled ones.
    """

    word: WordInContext
    space: str  # a layer, "mix" or "senses"
    weights: str = ""  # of the mix, "a,b,c"; "" for equal weights
    among: str = SAME
    k: int = NEIGHBORS
    every_token: bool = True


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Neighbors:
    """A list, best first."""

    word: WordInContext
    lemma: str | None  # the labeled word, if it is a form of one
    entries: tuple[Neighbor | TypeNeighbor, ...]
    examples: tuple[Occurrence, ...] = ()  # of types: the nearest sentence of each
    narrowed: int = 0  # in the sense space: the number of ranked occurrences, nearest at layer 1; 0 for all
    level: Level | None = None  # cosines of two random words, if measured

    def table(self, context: str = "") -> Frame:
        """Return a row for each neighbor, best first. `context` names the list."""
        return tabulate_neighbors(self.entries, context)


@reads_as_model
def compute(workspace: Workspace, request: NeighborsRequest) -> Neighbors | None:
    """Return the list, or None while data is being read. Raises BadInput for a space that the model lacks."""
    weights = _check_request(workspace, request)
    table = workspace.every_token if request.every_token else workspace.targets
    query, lemma = workspace.queries([request.word])[0], request.word.lemma_in(workspace.targets)
    facts = {"word": request.word, "lemma": lemma}
    if table is None or (
        not request.every_token and (request.among == TYPES or not table.same_word(query.word, read_as=query.read_as).any())
    ):
        return None
    if weights is None:
        return Neighbors(**facts, **_in_senses(workspace, table, query, request))
    products = workspace.products(table, query, types=request.among == TYPES)
    if request.among == TYPES:
        types = table.nearest_types(products, weights, k=request.k)
        examples = table.nearest_of_types(query, [neighbor.word for neighbor in types], weights)
        return Neighbors(**facts, entries=tuple(types), examples=tuple(examples))
    level = random_level(workspace, request.space) if request.space != MIX or np.ptp(weights) < EQUAL else None
    return Neighbors(**facts, entries=tuple(table.nearest(products, weights, k=request.k, which=request.among)), level=level)


def _check_request(workspace: Workspace, request: NeighborsRequest) -> np.ndarray | None:
    """Return the layer weights (L,), or None for the sense space. Raises BadInput before any sentence is read."""
    if request.among != TYPES:
        check_search(request.k, request.among)
    if request.space != SENSES:
        return layer_weights(request.space, workspace.layers.n, request.weights or None, senses=True)
    workspace.require_sense_space()
    if request.among == TYPES:
        raise BadInput(t("Spellings have no place in the sense space: look among occurrences, or at a layer."))
    return None


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
    for neighbor in listed.entries:
        word = bare(neighbor.occurrence.word)
        if word.isalpha() and word.casefold() not in function and not (forms := _forms(word)) & seen:
            seen |= forms
            words.append((word, neighbor.cosine))
    return tuple(words[:WORDS])


def tabulate_neighbors(entries: Sequence[Neighbor | TypeNeighbor], context: str = "") -> Frame:
    """Return neighbors as a table, best first: occurrences with their sentences, or types with their numbers of occurrences."""
    rows = []
    for neighbor in entries:
        if isinstance(neighbor, TypeNeighbor):
            rows.append((neighbor.word, neighbor.cosine, {t("occurrences"): neighbor.occurrences}))
        else:
            occurrence = neighbor.occurrence
            rows.append(
                (
                    occurrence.tokens[occurrence.position],
                    neighbor.cosine,
                    {t("sense"): occurrence.sense or "", t("sentence"): occurrence.sentence},
                )
            )
    return tabulate_words([(bare(word), cosine) for word, cosine, _ in rows], context, [more for *_, more in rows])


def tabulate_words(words: Sequence[tuple[str, float]], context: str = "", more: Sequence[dict] = ()) -> Frame:
    """Return words and their cosines as a table, best first, with the cells of `more` behind them."""
    rows = [{t("context"): context, t("rank"): k, t("word"): word, t("cosine"): round(c, 4)} for k, (word, c) in enumerate(words, 1)]
    return frame([row | cells for row, cells in zip(rows, more or [{}] * len(rows), strict=True)])


def _forms(word: str) -> set[str]:
    """Return the word in lower case and its dictionary forms."""
    word = bare(word).casefold()
    return {word, *dictionary_forms(word)}


def other_sentences(table: OccurrenceTable, query: Query) -> int:
    """Return how many other sentences have the word of this one."""
    return int((table.same_word(query.word, read_as=query.read_as) & ~table.own_row(query)).sum())


def _in_senses(workspace: Workspace, table: OccurrenceTable, query: Query, request: NeighborsRequest) -> dict:
    index = SenseIndex(table, workspace.require_sense_space())
    nearest = index.nearest(query, WEIGHTS, k=request.k, which=request.among)
    return {"entries": tuple(nearest), "narrowed": index.narrows(query, request.among), "level": random_level(workspace, SENSES)}
