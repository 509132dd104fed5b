"""A layer mix weighted by hand: its nearest sentences, how well it separates a word's senses, and the data for any other mix."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from ..analysis import axes
from ..analysis.aligned_umap import procrustes
from ..analysis.axes import Surroundings
from ..analysis.word_maps import follow_mix, map_rows, place, rows_to_measure
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import check_choice
from ..common.model_layers import MIX
from ..elmo.mix import check_weights, layer_normalized, mean_lengths, mixed, pulls
from ..index.neighbors import (
    SAME,
    Candidates,
    Neighbor,
    Question,
    TypeNeighbor,
    candidates_of,
    choose_candidates,
    join_candidates,
    products_between,
    products_of_pairs,
)
from ..index.rows import Occurrence, Query
from ..index.table import OccurrenceTable
from ..senses.evidence import chance
from ..senses.separation import SenseReport
from ..text.readings import WordInContext
from ..text.tokens import bare
from ..workspace import Workspace, reads_as_model, table_key
from .layouts import maps_of, report_of, static_report
from .neighbors import TYPES

READS = ("model", "corpus")
LENGTHS_OF = 1_000  # tokens whose vectors are measured
MOST_PAIRS = 480  # rows of a word times layers up to which all products are sent: 0.5 MB


@dataclass(frozen=True, slots=True, kw_only=True)
class MixRequest:
    """One or two words and the weights. With `every_token` all tokens may be read if needed."""

    words: tuple[WordInContext, ...]
    weights: tuple[float, ...]  # (L,)
    normalized: bool = False  # normalize each layer before weighting
    among: str = ""  # sentences with the same word, or "types", spellings; "": by `choose_among`
    k: int = 20
    every_token: bool = True


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Mixed:
    """A mix of L layers, with a map of N dots and S words as stars. Without labels the dots are sentences with the word, then spellings."""

    lemma: str | None  # of the first word; None if unlabeled
    lengths: np.ndarray  # (L,) mean length of each layer's vectors, as they are weighted
    pulls: np.ndarray  # (L,) each layer's share of the sum
    norm: float  # length of the first word's weighted sum
    # For each word; () where no other sentence has it; None until every token is read
    neighbors: tuple[tuple[Neighbor, ...] | tuple[TypeNeighbor, ...] | None, ...]
    report: SenseReport | None  # for the lemma; None with fewer than two senses
    by_layer: Mapping[str, SenseReport]
    static: SenseReport | None  # for the other words' static vectors
    coordinates: np.ndarray | None  # (N, 2)
    occurrences: Sequence[Occurrence]  # (N,) on a lemma's map
    stars: np.ndarray  # (S, 2)
    cosines: Mapping[str, float]  # cosine of two words in each layer and in this mix
    spellings: tuple[str, ...]  # (n,) in `neighbors`, from the first of two words to the second
    leans: np.ndarray  # (2, n) their cosines with either word


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AnyMix:
    """The data by which the browser ranks, counts and draws under any weights. An id is a table row, or -1 minus a spelling's code."""

    lemma: str | None  # None for an unlabeled word, for which the table has every token
    lengths: np.ndarray  # (L,) unweighted
    candidates: tuple[Candidates, ...]  # for each word, by ids
    between: np.ndarray | None  # (L, L) products of two words' layers
    ids: np.ndarray  # (N,) ids of the dots
    examples: Mapping[int, Occurrence]  # by id; for a spelling, its first occurrence
    coordinates: np.ndarray  # (L, N, 2)
    stars: Mapping[int, np.ndarray]  # number of a word -> (L, 2)
    pairs: np.ndarray | None = None  # products of all pairs of dots, if they are few
    chance: float | None = None  # their accuracy with shuffled senses
    itself: tuple[int, ...] = ()  # number of each word's own spelling among the candidates; -1 for none
    listed: int = 0  # number of spellings, the first candidates
    occurrences: int = 0  # number of sentences with the word, the first dots


@reads_as_model
def compute(workspace: Workspace, request: MixRequest) -> Mixed | None:
    """Return the view under one mix, or None while data is being read. Raises BadInput for an unknown `among`."""
    table = workspace.targets
    request = replace(request, among=request.among or choose_among(workspace, request.words))
    check_choice(t("neighbors"), request.among, (SAME, TYPES))
    weights = check_weights(request.weights, table.meta["layers"])
    queries = workspace.queries(request.words)
    layers_of_words = [_as_weighed(query.layers, request) for query in queries]
    lemma = request.words[0].lemma_in(table)
    nearest = [_same_word(workspace, table, word, query, request) for word, query in zip(request.words, queries, strict=True)]
    everything = None
    if request.every_token and not all(nearest):
        if (everything := workspace.every_token) is None:
            return None
        for k, query in enumerate(queries):
            if not nearest[k]:
                products = workspace.products(everything, query, normalized=request.normalized, types=True)
                nearest[k] = tuple(everything.nearest_types(products, np.array(request.weights), k=request.k))
    report, static, by_layer = None, None, {}
    if lemma is not None:
        with suppress(BadInput):
            report = report_of(workspace, lemma, weights, normalized=request.normalized)
            by_layer = {
                str(k): report_of(workspace, lemma, item, normalized=request.normalized) for k, item in enumerate(np.eye(len(weights)))
            }
            static = static_report(workspace, lemma)
    flat, dots, stars = None, (), np.empty((0, 2))
    if report is not None and request.among == SAME:
        flat, stars = _map(workspace, table, lemma, queries, request)
        dots = table.occurrences(map_rows(table, lemma))
    elif everything is not None:
        flat, stars = _plane(workspace, everything, queries, request)
    lengths = layer_lengths(workspace) if not request.normalized else np.full(len(weights), workspace.model.encoder.dim**0.5)
    cosines = {}
    if len(layers_of_words) == 2:
        mixes = {str(k): single for k, single in enumerate(np.eye(len(weights)))} | {MIX: weights}
        cosines = {name: axes.cosine(*layers_of_words, mix) for name, mix in mixes.items()}
    spellings, leans = _leans(everything, nearest, layers_of_words, request)
    return Mixed(
        lemma=lemma,
        lengths=lengths,
        pulls=pulls(weights, lengths),
        norm=float(np.linalg.norm(mixed(layers_of_words[0], weights))),
        neighbors=tuple(nearest),
        report=report,
        by_layer=by_layer,
        static=static,
        coordinates=flat,
        occurrences=dots,
        stars=stars,
        cosines=cosines,
        spellings=spellings,
        leans=leans,
    )


@reads_as_model
def of_any(workspace: Workspace, request: MixRequest) -> AnyMix | None:
    """Return the data for any mix, whatever the weights of the request, or None while it is being read."""
    lengths = layer_lengths(workspace)
    queries = workspace.queries(request.words)
    if (request.among or choose_among(workspace, request.words)) == SAME:
        return _any_of_labeled(workspace, queries, lengths, request)
    everything = workspace.every_token
    return None if everything is None else _any_of_spellings(workspace, everything, queries, lengths, request)


@reads_as_model
def choose_among(workspace: Workspace, words: Sequence[WordInContext]) -> str:
    """Return where neighbors are searched: the words' own sentences if all are labeled and the first has two senses, else spellings."""
    lemmas = [word.lemma_in(workspace.targets) for word in words]
    return SAME if all(lemmas) and len(workspace.targets.senses_of(lemmas[0])) > 1 else TYPES


@reads_as_model
def layer_lengths(workspace: Workspace) -> np.ndarray:
    """Return the mean vector length of each layer, (L,), over the basic labeled tokens."""
    table = workspace.targets.basic

    def measure() -> np.ndarray:
        return mean_lengths(table.rows.take(np.arange(0, len(table), max(1, len(table) // LENGTHS_OF))))

    return workspace.opener.memo.value("layer lengths", table_key(table), measure, most=16)


@reads_as_model
def pulls_of(workspace: Workspace, weights: Sequence[float]) -> np.ndarray:
    """Return each layer's share of the mix under these weights, (L,), sum 1. () for weights of another number of layers."""
    if not len(weights):
        return np.empty(0)
    lengths = layer_lengths(workspace)
    return pulls(np.array(weights), lengths) if len(lengths) == len(weights) else np.empty(0)


def _as_weighed(layers: np.ndarray, request: MixRequest) -> np.ndarray:
    """Return layers (..., D) as the mix takes them."""
    return layer_normalized(layers) if request.normalized else layers


def _same_word(
    workspace: Workspace, table: OccurrenceTable, word: WordInContext, query: Query, request: MixRequest
) -> tuple[Neighbor, ...] | None:
    """Return other sentences with a labeled word, or None for an unlabeled word."""
    if request.among != SAME or word.lemma_in(table) is None:
        return None
    products = workspace.products(table, query, normalized=request.normalized)
    return tuple(table.nearest(products, np.array(request.weights), k=request.k, which=SAME))


def _leans(
    everything: OccurrenceTable | None, nearest: Sequence, layers_of_words: Sequence[np.ndarray], request: MixRequest
) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the spellings among the neighbors, from the first of two words to the second, and their cosines (2, n) with either word."""
    entries = [entry for listed in nearest if listed for entry in listed]
    spellings = list(dict.fromkeys(entry.word for entry in entries if isinstance(entry, TypeNeighbor)))
    if everything is None or not spellings or len(layers_of_words) < 2:
        return (), np.empty((2, 0))
    layers = _as_weighed(everything.types.take(np.array([everything.word_codes[word] for word in spellings])), request)
    cosines = np.array([axes.cosines(layers, word, np.array(request.weights)) for word in layers_of_words])
    order = np.argsort(cosines[1] - cosines[0], kind="stable")
    return tuple(spellings[k] for k in order), cosines[:, order]


def _map(
    workspace: Workspace, table: OccurrenceTable, lemma: str, queries: Sequence[Query], request: MixRequest
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lemma's sentences (N, 2), laid out from its frozen layers' maps, and the words that belong to it (S, 2)."""
    weights = np.array(request.weights)
    rows = map_rows(table, lemma)
    layers = table.rows.take(rows).transpose(1, 0, 2)
    flat = follow_mix(layers, weights, maps_of(workspace, lemma), normalized=request.normalized)
    own_queries = [query for word, query in zip(request.words, queries, strict=True) if word.lemma_in(table) == lemma]
    products = [workspace.products(table, query, normalized=request.normalized) for query in own_queries]
    return flat, np.array([place(table, item, rows, flat[None], [weights])[0] for item in products]).reshape(-1, 2)


def _plane(
    workspace: Workspace, everything: OccurrenceTable, queries: Sequence[Query], request: MixRequest
) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the plane of largest variance, turned onto the layers' planes in the mix's proportions: dots (N, 2), words (S, 2)."""
    weights = np.array(request.weights)
    points, planes = _planes(workspace, everything, queries, request)
    layers, stars = (_as_weighed(part, request) for part in (points.layers, np.stack([query.layers for query in queries])))
    start = mixed(planes.astype(float), weights)
    if len(start) < 2:
        return None, np.empty((0, 2))
    flat = procrustes(axes.by_spread(layers, stars, [weights])[0].coordinates, start, scale=False)
    return flat[: len(layers)], flat[len(layers) :]


def _planes(
    workspace: Workspace, everything: OccurrenceTable, queries: Sequence[Query], request: MixRequest
) -> tuple[Surroundings, np.ndarray]:
    """Return the N points around S words, and both in each layer's plane of largest variance, one turned onto the next (L, N + S, 2)."""

    def spread() -> tuple[Surroundings, np.ndarray]:
        words = list(dict.fromkeys(bare(query.word).casefold() for query in queries))
        points = axes.surroundings(everything, words, queries, np.eye(everything.meta["layers"])[-1])
        layers, stars = (_as_weighed(part, request) for part in (points.layers, np.stack([query.layers for query in queries])))
        return points, np.stack([view.coordinates for view in axes.by_spread(layers, stars, np.eye(stars.shape[1]))])

    key = table_key(everything), tuple((query.tokens, query.position, query.read_as) for query in queries), request.normalized
    return workspace.opener.memo.value("planes around", key, spread, most=12)


def _any_of_labeled(workspace: Workspace, queries: Sequence[Query], lengths: np.ndarray, request: MixRequest) -> AnyMix:
    table = workspace.targets
    lemma = request.words[0].lemma_in(table)
    products = [workspace.products(table, query, normalized=request.normalized) for query in queries]
    rows = map_rows(table, lemma)
    labeled = rows_to_measure(table, lemma)  # without guesses of a model, which would count as another sense
    own_words = {k: workspace.products(table, queries[k]) for k, word in enumerate(request.words) if word.lemma_in(table) == lemma}
    layers = maps_of(workspace, lemma).coordinates[: len(lengths)]
    single_layers = np.eye(len(lengths))
    are_few = len(labeled) * len(lengths) <= MOST_PAIRS
    may_answer = [table.may_answer(Question(item, (), which=SAME)) for item in products]
    candidates = tuple(choose_candidates(table.rows, item, mask, lengths) for item, mask in zip(products, may_answer, strict=True))
    ids = np.unique(np.concatenate([rows, *(part.rows for part in candidates)]))
    return AnyMix(
        lemma=lemma,
        lengths=lengths,
        candidates=candidates,
        examples={int(row): table.occurrence(int(row)) for row in ids},
        between=products_between(*products) if len(products) > 1 else None,
        ids=labeled,
        coordinates=layers[:, np.isin(rows, labeled)],
        stars={k: place(table, word_products, rows, layers, single_layers) for k, word_products in own_words.items()},
        pairs=products_of_pairs(_as_weighed(table.rows.take(labeled), request)) if are_few else None,
        chance=chance(table.sense[labeled]) if are_few else None,
    )


def _any_of_spellings(
    workspace: Workspace, table: OccurrenceTable, queries: Sequence[Query], lengths: np.ndarray, request: MixRequest
) -> AnyMix:
    """Return the data of spellings. Both words have the same candidates, whose nearer word is computed again under every mix."""
    points, planes = _planes(workspace, table, queries, request)
    of_types = [workspace.products(table, query, normalized=request.normalized, types=True) for query in queries]
    of_rows = [workspace.products(table, query, normalized=request.normalized) for query in queries]
    own_codes = [table.word_codes.get(query.word.casefold(), -1) for query in queries]
    nearest = [
        choose_candidates(table.types, item, np.arange(len(table.types)) != code, lengths).rows
        for item, code in zip(of_types, own_codes, strict=True)
    ]
    type_codes = np.array([table.word_codes[word] for word in points.words[points.occurrences :]], int)
    codes = np.unique(np.concatenate([*nearest, type_codes]))
    own_rows = points.rows[: points.occurrences]
    ids = np.concatenate([-1 - codes, own_rows])
    parts = [
        join_candidates([candidates_of(table.types, types, codes), candidates_of(table.rows, rows, own_rows)], ids)
        for types, rows in zip(of_types, of_rows, strict=True)
    ]
    itself = [np.flatnonzero(codes == code) for code in own_codes]
    first = dict(zip(*np.unique(table.word, return_index=True), strict=True))
    return AnyMix(
        lemma=None,
        lengths=lengths,
        candidates=tuple(parts),
        between=products_between(*of_types) if len(of_types) > 1 else None,
        ids=np.concatenate([own_rows, -1 - type_codes]),
        examples={number: table.occurrence(int(number if number >= 0 else first[-1 - number])) for number in ids.tolist()},
        coordinates=planes[:, : len(points)],
        stars={k: planes[:, len(points) + k] for k in range(len(queries))},
        itself=tuple(int(matches[0]) if len(matches) else -1 for matches in itself),
        listed=len(codes),
        occurrences=points.occurrences,
    )
