"""A word's labeled sentences on a map of every space, how well each space separates the senses, and how far a map can be trusted."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from ..analysis import axes
from ..analysis.aligned_umap import FrozenMaps, follow, insert, trustworthiness
from ..analysis.word_maps import ALL_WORDS, NEIGHBORS_TO_PLACE, Links, links, map_rows, open_maps, place
from ..common import model_layers
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.markup import check_choice
from ..common.model_layers import MIX, SENSES
from ..elmo.mix import layer_weights, mixed
from ..elmo.weights import has_softmax
from ..index.neighbors import best
from ..index.rows import Occurrence, Query
from ..index.table import OccurrenceTable
from ..senses.separation import GAINS, SenseReport, WordGain, read_gains, sense_report_of, senses_report_of, static_report_of, word_ranking
from ..text.readings import WordInContext
from ..workspace import Workspace, reads_as_model, table_key

READS = ("model", "corpus")
UMAP, PCA, POLES, SOLID = "umap", "pca", "poles", "3d"  # layouts
REST = "–"  # the second axis: the largest spread orthogonal to the first
MOST_TO_TRUST = 500  # points whose map's trustworthiness is measured now; UMAP's is measured once, with the map


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutRequest:
    """A labeled word, or all of them, and a layout."""

    word: str
    contexts: tuple[WordInContext, ...] = ()  # sentences to place among the labeled ones
    plan: str = UMAP
    ends: tuple[str, ...] = ()  # custom axes: right, left, or right, left, up, down; (): the word's two most frequent senses
    senses: bool = False  # add the sense space to the layers, by UMAP


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class InSenses:
    """The cosines in the sense space of N dots and S stars with every dot."""

    cosines: np.ndarray  # (N, N)
    star_cosines: np.ndarray  # (S, N)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Layout:
    """A map of N dots and S stars in K spaces, in d dimensions."""

    word: str
    plan: str
    names: tuple[str, ...]  # (K,) of the spaces; last the sense space, where it is wanted
    rows: np.ndarray  # (N,) of the table; those whose sense a model guessed are drawn, not measured
    occurrences: Sequence[Occurrence]  # (N,)
    coordinates: np.ndarray  # (K, N, d)
    stars: np.ndarray  # (K, S, d)
    reports: Mapping[str, SenseReport]  # by space; {} with fewer than two senses
    static: SenseReport | None  # for the other words' static vectors
    trustworthiness: Mapping[str, float]  # by space; {} if not measured
    maps: FrozenMaps | None = None  # for UMAP
    views: tuple[axes.View, ...] = ()  # (K,), except for UMAP
    ends: tuple[str, ...] = ()  # ends of custom axes
    senses: InSenses | None = None

    def senses_of(self, lemma: str | None) -> list[str]:
        """Return the senses of a word's dots."""
        return sorted({sense for o in self.occurrences if (sense := o.sense or o.guess) and o.lemma == lemma})

    @property
    def guessed(self) -> int:
        """Return how many dots have a sense that a model guessed."""
        return sum(o.guess is not None for o in self.occurrences)

    def places(self, space: str) -> np.ndarray:
        """Return the places (N + S, d) in a space: of the dots, then of the stars."""
        k = self.names.index(space)
        return np.concatenate([self.coordinates[k], self.stars[k]])

    def table(self) -> Frame:
        """Return a row for each dot, with its places in every space."""
        columns = {t("word"): [o.tokens[o.position] for o in self.occurrences], t("sense"): [o.sense or "" for o in self.occurrences]}
        if self.guessed:
            columns[t("guess")] = [o.guess or "" for o in self.occurrences]
        columns[t("sentence")] = [o.sentence for o in self.occurrences]
        for name, coordinates in zip(self.names, self.coordinates, strict=True):
            layer = model_layers.in_use().label(name)
            titles = t("x, layer {layer}", layer=layer), t("y, layer {layer}", layer=layer), t("z, layer {layer}", layer=layer)
            columns |= dict(zip(titles, coordinates.T.round(3), strict=False))
        return frame(columns)


@reads_as_model
def compute(workspace: Workspace, request: LayoutRequest) -> Layout | None:
    """Return the map, or None while words at an axis's end are being read. Raises BadInput for an unlabeled word or unknown layout."""
    check_choice(t("layout"), request.plan, (UMAP, PCA, POLES, SOLID))
    table, word = workspace.targets, request.word
    rows = map_rows(table, word)
    common = {
        "word": word,
        "plan": request.plan,
        "rows": rows,
        "occurrences": workspace.opener.memo.value("dots", (table_key(table), word), lambda: table.occurrences(rows), most=32),
        "static": static_report(workspace, word),
        "reports": _reports(workspace, word),
    }
    if request.plan != UMAP:
        return _layout_on_axes(workspace, table, request, common)
    layout = _umap_layout(workspace, table, request, common)
    return _with_senses(workspace, table, layout, request.contexts) if request.senses else layout


@reads_as_model
def true_neighbors(
    workspace: Workspace, layout: Layout, contexts: Sequence[WordInContext], points: Sequence[int]
) -> list[tuple[Links, ...]]:
    """Return the nearest dots in each of K full spaces, for points by number: dots, then the stars of `contexts`."""
    table, n = workspace.targets, len(layout.rows)
    stars = [query.layers[None] for query in workspace.queries(contexts)]
    layers = np.concatenate([table.rows.take(layout.rows), *stars])  # (N + S, L, D)
    same = [np.flatnonzero(table.same_sentence(layout.rows, word.tokens, word.position)) for word in contexts]
    own_rows = [*range(n), *(int(dots[0]) if len(dots) else None for dots in same)]
    places = np.concatenate([layout.coordinates, layout.stars], axis=1)  # (K, N + S, d)
    by_space = []
    for name, flat in zip(layout.names, places, strict=True):
        if name == SENSES:
            cosines = np.concatenate([layout.senses.cosines, layout.senses.star_cosines])[points]
        else:
            units = mixed(layers, layer_weights(name, table.meta["layers"]), axis=1, unit=True)
            cosines = units[points] @ units[:n].T
        by_space.append([links(row, flat[:n], flat[k], itself=own_rows[k]) for row, k in zip(cosines, points, strict=True)])
    return list(zip(*by_space, strict=True))


@reads_as_model
def offers_senses(workspace: Workspace, word: str, plan: str) -> bool:
    """Return whether a word can be drawn in the sense space: one word, by UMAP, with a model that predicts words."""
    return word != ALL_WORDS and plan == UMAP and has_softmax(workspace.model.folder)


@reads_as_model
def open_gains(workspace: Workspace) -> dict[str, dict[str, WordGain]]:
    """Return how well each space separates the senses of each labeled word, by word and space, where it ships with the table; else {}."""
    path = workspace.targets.folder / GAINS
    return workspace.opener.memo.value("gains", path, lambda: read_gains(path), most=4)


def word_gains(table: OccurrenceTable) -> dict[str, dict[str, WordGain]]:
    """Measure how well each space separates the senses of the basic labeled words, by word and space."""
    return word_ranking(table.basic)


def ends_of(table: OccurrenceTable, word: str) -> list[str]:
    """Return the offered ends of an axis, a word's own senses first. Raises BadInput with fewer than two."""
    names = axes.sense_names(table)
    own_names = [name for name in names if name.startswith(f"{word}: ")]
    if len(names) < 2:
        raise BadInput(t("Custom axes need two labeled senses, not {n}. Label more on Senses, or choose another layout.", n=len(names)))
    return [*own_names, *(name for name in names if name not in own_names)]


@reads_as_model
def maps_of(workspace: Workspace, word: str) -> FrozenMaps:
    """Return a labeled word's frozen maps, fitted if none are stored."""
    table = workspace.targets
    return workspace.opener.memo.value("maps", (table_key(table), word), lambda: open_maps(table, word), most=128)


@reads_as_model
def report_of(workspace: Workspace, word: str, weights: np.ndarray, *, normalized: bool = False) -> SenseReport:
    """Return how well a mix of layers separates a word's senses. Raises BadInput with fewer than two senses."""
    table = workspace.targets
    key = table_key(table), word, tuple(weights), normalized
    return workspace.opener.memo.value("report", key, lambda: sense_report_of(table, word, weights, normalized=normalized), most=512)


@reads_as_model
def senses_report(workspace: Workspace, word: str) -> SenseReport:
    """Return how well the sense space separates a word's senses."""
    table, space = workspace.targets, workspace.sense_space
    return workspace.opener.memo.value("senses report", (table_key(table), word), lambda: senses_report_of(table, word, space), most=64)


@reads_as_model
def static_report(workspace: Workspace, word: str) -> SenseReport | None:
    """Return how well the other words' static vectors, summed, separate a word's senses, or None without vectors or two senses."""
    table, vectors = workspace.targets, workspace.language_vectors

    def measure() -> SenseReport | None:
        with suppress(BadInput):
            return static_report_of(table, word, vectors)
        return None

    key = table_key(table), word, vectors
    return None if vectors is None else workspace.opener.memo.value("static report", key, measure, most=256)


def _reports(workspace: Workspace, word: str) -> dict[str, SenseReport]:
    """Return how well each layer and the mix separate a word's senses; {} with fewer than two senses."""
    spaces = workspace.layers.spaces
    with suppress(BadInput):
        return {name: report_of(workspace, word, layer_weights(name, workspace.layers.n)) for name in spaces}
    return {}


def _umap_layout(workspace: Workspace, table: OccurrenceTable, request: LayoutRequest, common: Mapping) -> Layout:
    """Return the word's frozen maps with the sentences placed on them. `common` has the fields that all layouts share."""
    maps = maps_of(workspace, request.word)
    mixes = [layer_weights(name, workspace.layers.n) for name in maps.names]
    products = [workspace.products(table, query) for query in workspace.queries(request.contexts)]
    places = [place(table, item, common["rows"], maps.coordinates, mixes) for item in products]
    return Layout(
        **common,
        names=maps.names,
        coordinates=maps.coordinates,
        stars=np.stack(places, axis=1) if places else np.empty((len(maps.names), 0, 2)),
        trustworthiness=dict(zip(maps.names, maps.trustworthiness, strict=True)),
        maps=maps,
    )


def _layout_on_axes(workspace: Workspace, table: OccurrenceTable, request: LayoutRequest, common: Mapping) -> Layout | None:
    """Return the layout by principal or custom axes; None while words at an axis's end are being read."""
    rows, names = common["rows"], workspace.layers.spaces
    mixes = [layer_weights(name, table.meta["layers"]) for name in names]
    layers = table.rows.take(rows)  # (N, L, D)
    spaces = [mixed(layers.transpose(1, 0, 2), weights) for weights in mixes]
    ends = ()
    if request.plan == POLES:
        if (poles := _poles(workspace, table, request)) is None:
            return None
        views = axes.pole_views(layers, rows, tuple(poles[:2]), tuple(poles[2:]) or None, mixes=mixes)
        ends = tuple(pole.name for pole in poles)
    else:
        views = axes.find_views(spaces, 3 if request.plan == SOLID else 2)
    trust = {}
    if len(rows) <= MOST_TO_TRUST:
        trust = {name: trustworthiness(space, view.coordinates) for name, space, view in zip(names, spaces, views, strict=True)}
    return Layout(
        **common,
        names=names,
        coordinates=np.stack([view.coordinates for view in views]),
        stars=_stars(table, rows, workspace.queries(request.contexts), views, mixes),
        trustworthiness=trust,
        views=tuple(views),
        ends=ends,
    )


def _poles(workspace: Workspace, table: OccurrenceTable, request: LayoutRequest) -> list[axes.Pole] | None:
    ends = request.ends or ends_of(table, request.word)[:2]
    if len(ends) not in (2, 4):
        raise BadInput(t("An axis has two ends: name two of them, or four for two axes."))
    everything = None
    if any(axes.outside(table, end) for end in ends):
        everything = workspace.every_token
        if everything is None:
            return None
    return [axes.pole(table, end, everything) for end in ends]


def _stars(
    table: OccurrenceTable, rows: np.ndarray, queries: Sequence[Query], views: Sequence[axes.View], mixes: Sequence[np.ndarray]
) -> np.ndarray:
    """Return the places (K, S, d) of words in context. A sentence that is among the dots is on its dot."""
    same = [np.flatnonzero(table.same_sentence(rows, query.tokens, query.position)) for query in queries]
    places = [
        [
            view.coordinates[dots[0]] if len(dots) else view.plane.place(mixed(query.layers, weights)[None])[0]
            for query, dots in zip(queries, same, strict=True)
        ]
        for view, weights in zip(views, mixes, strict=True)
    ]
    return np.array(places).reshape(len(views), len(queries), views[0].coordinates.shape[1])


def _with_senses(workspace: Workspace, table: OccurrenceTable, layout: Layout, contexts: Sequence[WordInContext]) -> Layout:
    """Add the sense space to the layers. It starts from the map of the mix, so that no dot jumps between them."""
    space, word = workspace.require_sense_space(), layout.word
    if word == ALL_WORDS:  # each word has its own map into the space
        raise BadInput(t("The sense space is drawn for one word at a time. Choose a word."))
    vectors = space.place(space.of_rows(table, layout.rows), word=word)  # (N, D)
    flat = follow(vectors, layout.coordinates[layout.names.index(MIX)], layout.maps.config)
    stars = np.empty((0, vectors.shape[1]), np.float32)
    if contexts:
        layers = np.stack([query.layers for query in workspace.queries(contexts)])
        stars = space.place(space.views([(word.tokens, word.position) for word in contexts], layers), word=word)
    cosines = stars @ vectors.T  # (S, N)
    nearest = np.array([best(row, NEIGHBORS_TO_PLACE) for row in cosines], int)
    places = insert(flat, nearest, np.take_along_axis(cosines, nearest, axis=1)) if len(stars) else np.empty((0, 2))
    return replace(
        layout,
        names=(*layout.names, SENSES),
        coordinates=np.concatenate([layout.coordinates, flat[None]]),
        stars=np.concatenate([layout.stars, places[None]]),
        trustworthiness={**layout.trustworthiness, SENSES: trustworthiness(vectors, flat)},
        reports={**layout.reports, SENSES: senses_report(workspace, word)} if layout.reports else {},
        senses=InSenses(cosines=vectors @ vectors.T, star_cosines=cosines),
    )
