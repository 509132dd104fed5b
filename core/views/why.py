"""The words that decide how a word is read, dropped, masked or swapped, and the edits that turn one sentence into another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..analysis.aligned_umap import insert
from ..analysis.word_maps import NEIGHBORS_TO_PLACE, map_rows
from ..common import model_layers
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.markup import check_choice
from ..common.model_layers import MIX, SENSES
from ..elmo.mix import layer_weights, mixed
from ..elmo.substitutes import Change
from ..index.rows import Occurrence
from ..index.sense_space import MOST_READ
from ..senses import edits, influence
from ..senses.calibration import choose_rows
from ..senses.edits import Alignment, EditStep
from ..senses.evidence import TIE
from ..senses.influence import DROP, Centroids, Influence, half_name
from ..text import target_word
from ..text.readings import WordInContext
from ..text.tokens import join_tokens
from ..workspace import Workspace, reads_as_model
from . import layouts
from .layouts import LayoutRequest

READS = ("model", "corpus")
BY_SENSES, BY_OTHER, BY_MOVE = "senses", "other", "moved"  # measures of influence
SENTENCES = FIRST, SECOND = "first", "second"  # the senses of a path without two labeled senses


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionRequest:
    """A word, and what is done to each word around it."""

    word: WordInContext
    other: WordInContext | None = None  # a word of another sentence to compare with if no two senses are labeled
    how: str = DROP  # drop, mask or swap
    swap: str = ""  # the word in place of each word, to swap
    weights: str = ""  # layer weights "a,b,c"; "" for equal weights


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """The influence of each word, and its measure: the word's "senses", the "other" sentence's word, or how far the vector "moved"."""

    by: str
    senses: tuple[str, ...]  # all that are labeled, in the order of their colors
    influence: Influence
    content: frozenset[int]  # positions of content words; no other word is named as decisive

    def table(self) -> Frame:
        """Return a row for each word, layer and direction: how far it moves the vector, and toward which senses (differences of cosines)."""
        result, title = self.influence, model_layers.in_use().title
        rows = []
        for n, position in enumerate(result.changed):
            for v, view in enumerate(result.views):
                for h, half in enumerate(influence.HALVES):
                    change = result.cosines[v, h] - result.varied[n, v, h]
                    rows.append(
                        {
                            t("place"): position + 1,
                            t("word"): result.tokens[position],
                            t("layer"): title(view),
                            t("half"): half_name(half),
                            t("moves it (1 − cosine)"): round(float(result.moved[n, v, h]), 4),
                            **{t("toward {sense}", sense=s): round(float(c), 4) for s, c in zip(result.senses, change, strict=True)},
                        }
                    )
        return frame(rows)

    def halves_table(self) -> Frame:
        """Return a row for each layer and direction: its sense, the lead, and the cosine to every sense."""
        result, title = self.influence, model_layers.in_use().title
        rows = []
        for v, view in enumerate(result.views):
            added = influence.gains(result, view)
            chosen = influence.verdict(result, view, influence.BOTH).sense
            for h, verdict in enumerate(influence.halves(result, view).values()):
                cosines = zip(result.senses, result.cosines[v, h], strict=True)
                rows.append(
                    {
                        t("sentence"): join_tokens(list(result.tokens)),
                        t("layer"): title(view),
                        t("half"): half_name(verdict.half),
                        t("nearest sense"): verdict.sense,
                        t("lead"): round(verdict.margin, 4),
                        t("lead without a sentence"): round(verdict.alone, 4),
                        t("the sentence adds (standard deviations)"): round(added[verdict.half], 2),
                        t("what both choose"): chosen,
                        **{t("cosine to {sense}", sense=s): round(float(c), 4) for s, c in cosines},
                    }
                )
        return frame(rows)


@reads_as_model
def compute_attribution(workspace: Workspace, request: AttributionRequest) -> Attribution:
    """Return the influences. The word's own sentence does not count for the senses. Raises BadInput as `variants` does."""
    word, other_word = request.word, request.other
    weights = layer_weights(MIX, workspace.layers.n, request.weights or None)
    lemma = word.lemma_in(workspace.targets) if workspace.is_labeled else None
    measures = None
    if lemma:
        table = workspace.targets
        rows = np.array([row for row in table.labeled_rows(lemma) if table.occurrence(row).tokens != word.tokens], int)
        measures = influence.centroids(table.rows.take(rows), [table.senses[code] for code in table.sense[rows]], weights)
    by = BY_SENSES if measures and len(measures.senses) > 1 else BY_MOVE
    if by == BY_MOVE and other_word and (other_word.tokens, other_word.position) != (word.tokens, word.position):
        vectors = np.stack([query.layers for query in workspace.queries((word, other_word))])
        by, measures = BY_OTHER, Centroids(("this sentence", "the other"), influence.unit_views(vectors, weights))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EditsRequest:
    """A pair of words in context, the order of the edits, and the layer, "mix" or "senses" in which the steps are read."""

    first: WordInContext
    second: WordInContext
    order: str = edits.LEFT_TO_RIGHT
    space: str


@dataclass(frozen=True, slots=True, eq=False)
class MapPath:
    """A path on a word's frozen map of N labeled sentences."""

    occurrences: tuple[Occurrence, ...]
    coordinates: np.ndarray  # (N, 2)
    places: np.ndarray  # (n, 2) of each step


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EditPath:
    """A path of n steps. Without two labeled senses the two sentences, "first" and "second", are used in their place."""

    alignment: Alignment
    steps: Sequence[EditStep]
    space: str
    lemma: str  # the labeled word, or ""
    senses: tuple[str, ...]  # all of them, in the order of their colors
    read: tuple[str, ...]  # the sense of each step
    ends: tuple[str, str]  # the senses of both ends
    margins: Mapping[str, np.ndarray]  # by space, (n,): the lead of the second end
    map_path: MapPath | None  # for a word with labeled senses

    @property
    def flips(self) -> dict[str, int | None]:
        """Return the step at which each space's lead first changes its sign."""
        return {space: next(iter(edits.flips(margins)), None) for space, margins in self.margins.items()}

    def table(self) -> Frame:
        """Return a row for each step."""
        title = model_layers.in_use().title
        return frame(
            {
                t("edit"): range(len(self.steps)),
                t("from"): [step.old or "" for step in self.steps],
                t("to"): [step.new or "" for step in self.steps],
                t("sentence"): [join_tokens(list(step.tokens)) for step in self.steps],
                t("read as"): self.read,
                **{t("lead, {place}", place=title(name)): margins.round(4) for name, margins in self.margins.items()},
            }
        )


@reads_as_model
def compute_edits(workspace: Workspace, request: EditsRequest) -> EditPath:
    """Return the path. Raises BadInput for equal sentences and for too many edits."""
    both = first, second = request.first, request.second
    alignment = edits.align(first.tokens, first.position, second.tokens, second.position)
    if not alignment.changes:
        raise BadInput(t("The two sentences are the same. Change a word in one of them."))
    space = request.space
    weights = {name: _weights(workspace, name) for name in (space, *workspace.layers.spaces)}
    lemmas = {word.lemma_in(workspace.targets) for word in both} if workspace.is_labeled else set()
    lemma = next(iter(lemmas)) if len(lemmas) == 1 else None  # the word of both sentences, if others have two labeled senses of it
    if lemma:
        table, rows = workspace.targets, workspace.targets.labeled_rows(lemma)
        # A labeled sentence that is one of the two is left out, or it would judge itself
        rows = rows[~np.any([table.same_sentence(rows, word.tokens, word.position) for word in both], axis=0)]
        rows = choose_rows(table, rows, MOST_READ)
        lemma = lemma if len(np.unique(table.sense[rows])) > 1 else None
    if lemma:
        centroids = _centroids(workspace, rows, weights)
    else:
        of_words = {name: mixed(_layers(workspace, both, name), mix, axis=1, unit=True) for name, mix in weights.items()}
        centroids = {name: Centroids(SENTENCES, vectors) for name, vectors in of_words.items()}

    def readings(words: Sequence[WordInContext], name: str = space) -> np.ndarray:
        """Return the cosines of n words with the C senses' centroids (n, C)."""
        return mixed(_layers(workspace, words, name, lemma), weights[name], axis=1, unit=True) @ centroids[name].vectors.T

    steps = edits.steps(alignment, _order(alignment, request.order, readings))
    words = [WordInContext(step.tokens, step.position) for step in steps]
    read = {name: readings(words, name) for name in dict.fromkeys((*workspace.layers.spaces, space))}
    start, goal = edits.ends(read[space])
    leads = {name: values[:, goal] - values[:, start] for name, values in read.items()}
    senses = centroids[space].senses
    return EditPath(
        alignment=alignment,
        steps=steps,
        space=space,
        lemma=lemma or "",
        senses=tuple(workspace.targets.senses_of(lemma)) if lemma else SENTENCES,
        read=tuple(senses[k] for k in read[space].argmax(axis=1)),
        ends=(senses[start], senses[goal]),
        margins={name: np.where(np.abs(values) < TIE, 0.0, values) for name, values in leads.items()},
        map_path=_map_path(workspace, lemma, words, space) if lemma else None,
    )


def _centroids(workspace: Workspace, rows: np.ndarray, weights: Mapping[str, np.ndarray]) -> dict[str, Centroids]:
    """Return the senses' centroids of labeled rows by space."""
    table = workspace.targets
    labels = [table.senses[code] for code in table.sense[rows]]
    layers = table.rows.take(rows)

    def of(space: str) -> np.ndarray:
        if space != SENSES:
            return layers
        senses = workspace.require_sense_space()
        return senses.place(senses.of_rows(table, rows), word=table.lemmas[table.lemma[rows[0]]])[:, None]

    return {name: edits.centroids(of(name), labels, mix) for name, mix in weights.items()}


def _weights(workspace: Workspace, space: str) -> np.ndarray:
    """Return the weights (L,) of a layer or "mix". The sense space is one layer."""
    return np.ones(1) if space == SENSES else layer_weights(space, workspace.layers.n, senses=True)


def _layers(workspace: Workspace, words: Sequence[WordInContext], space: str, lemma: str | None = None) -> np.ndarray:
    """Return (n, L, D) as a table would store them; in the sense space (n, 1, D), by the map that has not seen the word."""
    layers = np.stack([query.layers for query in workspace.queries(words)])
    if space != SENSES:
        return layers
    senses = workspace.require_sense_space()
    return senses.place(senses.views([(word.tokens, word.position) for word in words], layers), word=lemma or words[0].spelling)[:, None]


def _order(alignment: Alignment, order: str, readings: Callable[[Sequence[WordInContext]], np.ndarray]) -> list[int]:
    """Return the columns to switch, in order. `readings` gives the (n, C) cosines of n words."""
    check_choice(t("order of edits"), order, edits.ORDERS)
    if order != edits.GREEDY or len(alignment.changes) > edits.MAX_EDITS:  # `steps` raises BadInput for so many
        return edits.order_edits(alignment, edits.LEFT_TO_RIGHT if order == edits.GREEDY else order)

    def read(sentences: Sequence[tuple]) -> np.ndarray:
        return readings([WordInContext(*sentence) for sentence in sentences])

    start, goal = edits.ends(read([alignment.sentence(switched) for switched in (frozenset(), frozenset(alignment.changes))]))

    def margins(sentences: Sequence[tuple]) -> np.ndarray:
        cosines = read(sentences)
        return cosines[:, goal] - cosines[:, start]

    return edits.greedy(alignment, margins)


def _map_path(workspace: Workspace, lemma: str, words: Sequence[WordInContext], space: str) -> MapPath:
    table = workspace.targets
    rows = map_rows(table, lemma)
    occurrences = tuple(table.occurrences(rows))
    if space == SENSES:
        layout = layouts.compute(workspace, LayoutRequest(word=lemma, contexts=tuple(words), senses=True))
        return MapPath(occurrences, layout.coordinates[-1], layout.stars[-1])
    maps, weights = layouts.maps_of(workspace, lemma), _weights(workspace, space)
    coordinates = maps.coordinates[maps.names.index(space)]
    typed = mixed(_layers(workspace, words, space), weights, axis=1, unit=True)
    labeled = mixed(table.rows.take(rows), weights, axis=1, unit=True)
    cosines = typed @ labeled.T
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :NEIGHBORS_TO_PLACE]
    places = insert(coordinates, nearest, np.take_along_axis(cosines, nearest, axis=1))
    return MapPath(occurrences, coordinates, places)
