"""Neighbors of a word in its sentence: the nearest occurrences or spellings as a list, and those around an unlabeled word as a map."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from ..analysis import axes
from ..analysis.aligned_umap import ProjectionConfig, aligned_maps
from ..analysis.axes import Surroundings
from ..analysis.random_pairs import Level, random_level
from ..analysis.word_maps import Links, links
from ..common import model_layers
from ..common.config import NEIGHBORS
from ..common.directions import unit_rows
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.markup import check_choice, shorten
from ..common.model_layers import MIX, SENSES
from ..elmo.mix import layer_weights, mixed
from ..index.neighbors import OTHER, SAME, Neighbor, TypeNeighbor, check_search
from ..index.rows import Occurrence, Query
from ..index.sense_space import WEIGHTS, SenseIndex
from ..index.table import OccurrenceTable
from ..senses import clusters
from ..text.readings import WordInContext, dictionary_forms
from ..text.target_word import words_of
from ..text.tokens import bare
from ..workspace import Workspace, reads_as_model, table_key

READS = ("model", "corpus")
TYPES = "types"
WORDS, OCCURRENCES = 8, 48  # listed words, and the occurrences among which they are found
EQUAL = 0.005  # weights that differ less are equal
SPREAD, BETWEEN, UMAP = "spread", "between", "umap"  # layouts of the map
OFFERED = 200  # words to choose from in a corpus without labels


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighborsRequest:
    """A word, a space, and where to search: `among` the same word, other words, any word, or types, of all tokens or the labeled ones."""

    word: WordInContext
    space: str  # a layer, "mix" or "senses"
    weights: str = ""  # layer weights "a,b,c"; "" for equal weights
    among: str = SAME
    k: int = NEIGHBORS
    every_token: bool = True


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Neighbors:
    """A list, best first."""

    word: WordInContext
    lemma: str | None  # the labeled word, if it is a form of one
    entries: tuple[Neighbor | TypeNeighbor, ...]
    examples: tuple[Occurrence, ...] = ()  # for types: the nearest sentence of each
    narrowed: int = 0  # in the sense space: the number of ranked occurrences, nearest at layer 1; 0 for all
    level: Level | None = None  # cosines of two random words, if measured

    def table(self, context: str = "") -> Frame:
        """Return a row for each neighbor, best first. `context` names the list."""
        return tabulate_neighbors(self.entries, context)


@reads_as_model
def compute(workspace: Workspace, request: NeighborsRequest) -> Neighbors | None:
    """Return the list, or None if the labeled tokens cannot answer it or the table is being read. Raises BadInput for a missing space."""
    weights = _check_request(workspace, request)
    table = workspace.every_token if request.every_token else workspace.targets
    if table is None:
        return None
    query = workspace.queries([request.word])[0]
    if not request.every_token and (request.among == TYPES or not table.same_word(query.word, read_as=query.read_as).any()):
        return None
    word, lemma = request.word, request.word.lemma_in(workspace.targets)
    if weights is None:
        index = SenseIndex(table, workspace.require_sense_space())
        nearest = tuple(index.nearest(query, WEIGHTS, k=request.k, which=request.among))
        level = random_level(workspace, SENSES)
        return Neighbors(word=word, lemma=lemma, entries=nearest, narrowed=index.narrows(query, request.among), level=level)
    products = workspace.products(table, query, types=request.among == TYPES)
    if request.among == TYPES:
        types = table.nearest_types(products, weights, k=request.k)
        examples = table.nearest_of_types(query, [neighbor.word for neighbor in types], weights)
        return Neighbors(word=word, lemma=lemma, entries=tuple(types), examples=tuple(examples))
    level = random_level(workspace, request.space) if request.space != MIX or np.ptp(weights) < EQUAL else None
    nearest = tuple(table.nearest(products, weights, k=request.k, which=request.among))
    return Neighbors(word=word, lemma=lemma, entries=nearest, level=level)


@reads_as_model
def nearest_words(workspace: Workspace, request: NeighborsRequest) -> tuple[tuple[str, float], ...] | None:
    """Return the nearest other words, each with the cosine of its nearest occurrence (Peters et al. 2018, table 4). None while sentences are read.

    Forms of one word are listed once. Forms of the word itself and function words are left out.
    """
    if (listed := compute(workspace, replace(request, among=OTHER, k=OCCURRENCES))) is None:
        return None
    function_words = words_of(workspace.language).function
    seen = _forms(listed.word.word)
    words = []
    for neighbor in listed.entries:
        word = bare(neighbor.occurrence.word)
        if not word.isalpha() or word.casefold() in function_words:
            continue
        forms = _forms(word)
        if not forms & seen:
            seen |= forms
            words.append((word, neighbor.cosine))
    return tuple(words[:WORDS])


def tabulate_neighbors(entries: Sequence[Neighbor | TypeNeighbor], context: str = "") -> Frame:
    """Return neighbors as a table, best first: occurrences with their sentences, or types with their numbers of occurrences."""
    rows = []
    for k, neighbor in enumerate(entries, 1):
        if isinstance(neighbor, TypeNeighbor):
            word, more = neighbor.word, {t("occurrences"): neighbor.occurrences}
        else:
            o = neighbor.occurrence
            word, more = o.tokens[o.position], {t("sense"): o.sense or "", t("sentence"): o.sentence}
        rows.append(_row(k, bare(word), neighbor.cosine, context) | more)
    return frame(rows)


def tabulate_words(words: Sequence[tuple[str, float]], context: str = "") -> Frame:
    """Return words and their cosines as a table, best first."""
    return frame([_row(k, *word, context) for k, word in enumerate(words, 1)])


@dataclass(frozen=True, slots=True, kw_only=True)
class AroundRequest:
    """A word, at most two sentences whose surroundings are shown, and a layout. Between two sentences runs an axis."""

    word: str
    contexts: tuple[WordInContext, ...] = ()
    plan: str = SPREAD


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Around:
    """A map of N points and S stars (the sentences' own words) in K spaces."""

    word: str
    label: str  # the word without punctuation, for messages
    plan: str
    spaces: tuple[str, ...]  # (K,)
    points: Surroundings
    labels: tuple[str, ...]  # (N,) the points' words, without punctuation
    absent: tuple[str, ...]  # words that do not occur
    total: int  # all occurrences, on the map or not
    coordinates: np.ndarray  # (K, N, 2)
    stars: np.ndarray  # (K, S, 2)
    shares: tuple[float, ...]  # (K,) of the spread that the plane holds; () for UMAP, and of one point, which has none
    cosines: np.ndarray  # (K, S, N) of each star with every point
    between: tuple[float, ...]  # (K,) cosines of two stars with each other; else ()
    groups: np.ndarray  # (K, N) the nearer of two sentences, 1 or 2, or the cluster from 1; 0: none
    strength: np.ndarray  # (K, N) in which order points are named
    telling: tuple[tuple[str, ...], ...]  # words typical of each cluster; () without clusters
    links: tuple[tuple[Links, ...], ...]  # (N + S, K) true neighbors of each point, then of each star
    has_sides: bool  # whether there are two sentences, so that groups are their sides
    leans: np.ndarray | None  # (K, N) cosine with the first of two sentences minus cosine with the second; None where there are not two

    def at(self, space: str) -> int:
        """Return the number of a space."""
        return self.spaces.index(space)

    def table(self) -> Frame:
        """Return a row for each point with its places in every space and, between two sentences, its difference of cosines."""
        columns = {t("word"): self.labels, t("occurrences"): self.points.counts}
        for k, name in enumerate(self.spaces):
            layer = model_layers.in_use().label(name)
            if self.has_sides and len(self.points):
                columns[t("lean, layer {layer}", layer=layer)] = self.leans[k].round(3)
            columns[t("x, layer {layer}", layer=layer)] = self.coordinates[k][:, 0].round(3)
            columns[t("y, layer {layer}", layer=layer)] = self.coordinates[k][:, 1].round(3)
        return frame(columns)


@reads_as_model
def frequent_words(workspace: Workspace) -> list[str]:
    """Return the most frequent content words of a corpus without labels, or any words if it has no content words."""
    table = workspace.targets

    def choose() -> list[str]:
        counts = np.bincount(table.word, minlength=len(table.words))
        order = [table.words[code] for code in np.argsort(-counts, kind="stable") if any(map(str.isalpha, table.words[code]))]
        content_words = [word for word in order if clusters.is_telling(word) or not word.isascii()]
        return (content_words or order)[:OFFERED]

    return workspace.opener.memo.value("frequent words", table_key(table), choose, most=8)


@reads_as_model
def compute_around(workspace: Workspace, request: AroundRequest) -> Around | None:
    """Return the map, or None while the corpus is still being read."""
    check_choice(t("layout"), request.plan, (SPREAD, UMAP, BETWEEN) if len(request.contexts) == 2 else (SPREAD, UMAP))
    if (table := workspace.every_token) is None:
        return None
    queries = workspace.queries(request.contexts)
    words = list(dict.fromkeys([request.word, *(query.word.casefold() for query in queries)]))
    n_layers = table.meta["layers"]
    points = axes.surroundings(table, words, queries, np.eye(n_layers)[-1])
    spaces = workspace.layers.spaces
    mixes = [layer_weights(space, n_layers) for space in spaces]
    coordinates, stars, shares = _places(points, queries, request.plan, spaces, mixes)
    values = [[axes.cosines(points.layers, query.layers, weights) for query in queries] for weights in mixes]
    cosines = np.array(values).reshape(len(mixes), len(queries), len(points))
    groups, telling = _groups(table, points, cosines)
    has_sides = len(queries) == 2
    return Around(
        word=request.word,
        label=shorten(bare(request.word)),
        plan=request.plan,
        spaces=spaces,
        points=points,
        labels=tuple(shorten(bare(word)) for word in points.words),
        absent=tuple(word for word in dict.fromkeys(map(bare, words)) if not axes.occurrence_mask(table, word, queries).any()),
        total=int(np.any([axes.occurrence_mask(table, word, queries) for word in words], axis=0).sum()),
        coordinates=coordinates,
        stars=stars,
        shares=shares,
        cosines=cosines,
        between=tuple(axes.cosine(*(query.layers for query in queries), weights) for weights in mixes) if has_sides else (),
        groups=groups,
        strength=cosines.max(axis=1) if has_sides else np.tile(np.arange(len(points), 0, -1.0), (len(spaces), 1)),
        telling=telling,
        links=_links(points.layers, mixes, coordinates, stars, cosines),
        has_sides=has_sides,
        leans=cosines[:, 0] - cosines[:, 1] if has_sides else None,
    )


def _check_request(workspace: Workspace, request: NeighborsRequest) -> np.ndarray | None:
    """Return the layer weights (L,), or None for the sense space. Raises BadInput before any sentence is read."""
    if request.among != TYPES:
        check_search(request.k, request.among)
    if request.space != SENSES:
        return layer_weights(request.space, workspace.layers.n, request.weights or None, senses=True)
    workspace.require_sense_space()
    if request.among == TYPES:
        raise BadInput(t("The sense space has no spellings. Search occurrences, or choose a layer."))
    return None


def _row(rank: int, word: str, cosine: float, context: str) -> dict:
    return {t("context"): context, t("rank"): rank, t("word"): word, t("cosine"): round(cosine, 4)}


def _forms(word: str) -> set[str]:
    """Return the word in lower case and its dictionary forms."""
    word = bare(word).casefold()
    return {word, *dictionary_forms(word)}


def _places(
    points: Surroundings, queries: Sequence[Query], plan: str, spaces: Sequence[str], mixes: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, tuple[float, ...]]:
    """Return places of the points (K, N, 2) and stars (K, S, 2), and the shares of the variance."""
    stars = np.stack([query.layers for query in queries]) if queries else np.empty((0, *points.layers.shape[1:]), np.float32)
    n = len(points)
    shares = ()
    if n + len(stars) < 2:
        flat = np.zeros((len(mixes), n + len(stars), 2), np.float32)
    elif plan == UMAP:
        flat = aligned_maps(axes.mix_points(points.layers, stars, mixes), spaces, ProjectionConfig(n_neighbors=10)).coordinates
    else:
        find_views = axes.by_sentences if plan == BETWEEN else axes.by_spread
        views = find_views(points.layers, stars, mixes)
        flat = np.stack([view.coordinates for view in views])
        shares = tuple(view.plane.together for view in views)
    return flat[:, :n], flat[:, n:], shares


def _groups(table: OccurrenceTable, points: Surroundings, cosines: np.ndarray) -> tuple[np.ndarray, tuple[tuple[str, ...], ...]]:
    """Return the groups (K, N), and each cluster's characteristic words."""
    n_spaces, n_stars, n = cosines.shape
    if n_stars == 2:
        return axes.sides(cosines[:, 0] - cosines[:, 1]), ()
    none = np.zeros((n_spaces, n), int)
    if n_stars or points.occurrences < clusters.FEWEST:
        return none, ()
    directions = clusters.directions(points.layers[:, -1], np.array(points.words))  # at the top layer
    number = clusters.suggest(directions).number
    if number < 2:
        return none, ()
    numbers = clusters.clusters(directions, number)
    occurrences = table.occurrences(points.rows)
    contexts = [clusters.content_words(o.tokens, o.position, without={o.word}) for o in occurrences]
    telling = clusters.telling_words(contexts, numbers, Counter(chain.from_iterable(contexts)))
    return none + numbers + 1, tuple(tuple(word for word, _ in words[:3]) for words in telling)


def _links(
    layers: np.ndarray, mixes: Sequence[np.ndarray], coordinates: np.ndarray, stars: np.ndarray, cosines: np.ndarray
) -> tuple[tuple[Links, ...], ...]:
    """Return the true neighbors of N points, then of S stars, in each of K spaces."""
    n, n_stars = coordinates.shape[1], stars.shape[1]
    rows = [unit_rows(mixed(np.moveaxis(layers, 1, 0), weights), np.float64) for weights in mixes] if n else []
    of_points = [
        tuple(links(vectors @ vectors[k], flat, flat[k], itself=k) for vectors, flat in zip(rows, coordinates, strict=True))
        for k in range(n)
    ]
    by_layer = zip(cosines, coordinates, stars, strict=True)
    by_space = [[links(vectors[s], flat, star_places[s]) for s in range(n_stars)] for vectors, flat, star_places in by_layer]
    return (*of_points, *zip(*by_space, strict=True))
