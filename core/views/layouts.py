"""A word's labelled sentences on a map of every space, in one layout: how well each space tells the senses apart, how far a map is true."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from core.analysis import axes
from core.analysis.maps import FrozenMaps, followed, insert
from core.analysis.trustworthiness import trustworthiness
from core.analysis.word_maps import ALL_WORDS, NEIGHBOURS_TO_PLACE, map_rows, open_maps, place
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.model_layers import MIX, SENSES
from core.elmo.mix import layer_weights, mixed
from core.index.neighbours import Query, best
from core.index.table import OccurrenceTable
from core.senses.reports import sense_report_of, senses_report_of, static_report_of
from core.senses.separation import SenseReport
from core.text.readings import WordInContext
from core.views.judging import judge, sense_space
from core.workbench import Bench, table_key

READS = ("model", "corpus")
UMAP, PCA, POLES, SOLID = "umap", "pca", "poles", "3d"  # layouts
REST = "–"  # the second axis: the largest spread that the first leaves over
MOST_TO_TRUST = 500  # points whose map's trustworthiness is measured now; UMAP's is measured once, with the map


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutRequest:
    """A labelled word, or all of them, and sentences to be placed among its own. `senses`: the sense space beside the layers, by UMAP."""

    word: str
    contexts: tuple[WordInContext, ...] = ()
    plan: str = UMAP
    ends: tuple[str, ...] = ()  # of one's own axes: right, left, or right, left, up, down; none: the word's two most frequent senses
    senses: bool = False


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class InSenses:
    """Cosines in the sense space, of N dots and S stars with every dot."""

    cosines: np.ndarray  # (N, N)
    star_cosines: np.ndarray  # (S, N)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Layout:
    """N dots and S stars in K spaces, in d dimensions."""

    plan: str
    names: tuple[str, ...]  # (K,) of the spaces; last the sense space, where it is wanted
    rows: np.ndarray  # (N,) of the table
    coordinates: np.ndarray  # (K, N, d)
    stars: np.ndarray  # (K, S, d)
    reports: Mapping[str, SenseReport]  # of each space; {} where there are no two senses to tell apart
    static: SenseReport | None  # of the other words' static vectors
    trustworthiness: Mapping[str, float]  # of each space's map; {} where it is not measured
    maps: FrozenMaps | None = None  # by UMAP
    views: tuple[axes.View, ...] = ()  # (K,) but for UMAP
    ends: tuple[str, ...] = ()  # of one's own axes
    senses: InSenses | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Senses:
    """A map of the sense space."""

    flat: np.ndarray  # (N, 2)
    stars: np.ndarray  # (S, 2)
    cosines: InSenses
    trustworthiness: float


def compute(bench: Bench, request: LayoutRequest) -> Layout | None:
    """The map; None while words at an axis's end are still being read. BadInput where the word has no labels or the layout is none."""
    if request.plan not in (UMAP, PCA, POLES, SOLID):
        known = ", ".join((UMAP, PCA, POLES, SOLID))
        raise BadInput(t("There is no layout “{plan}” here. Choose one of: {known}.", plan=request.plan[:40], known=known))
    table = bench.targets
    rows = map_rows(table, request.word)
    queries = bench.queries(request.contexts)
    reports = _reports(bench, request.word)
    static = static_report(bench, request.word)
    if request.plan == UMAP:
        maps = maps_of(bench, request.word)
        names, flat, trust = maps.names, maps.coordinates, dict(zip(maps.names, maps.trustworthiness, strict=True))
        stars = np.empty((len(names), 0, 2))
        if queries:
            stars = np.stack([place(table, bench.products(table, query), rows, maps) for query in queries], axis=1)
        senses = None
        if request.senses:
            of = _in_senses(bench, table, rows, maps, request)
            names, flat, stars = (*names, SENSES), np.concatenate([flat, of.flat[None]]), np.concatenate([stars, of.stars[None]])
            trust[SENSES], senses = of.trustworthiness, of.cosines
            reports = reports and reports | {SENSES: senses_report(bench, request.word)}
        return Layout(
            plan=UMAP,
            names=names,
            rows=rows,
            coordinates=flat,
            stars=stars,
            reports=reports,
            static=static,
            trustworthiness=trust,
            maps=maps,
            senses=senses,
        )
    names = bench.layers.spaces
    mixes = [layer_weights(name, table.meta["layers"]) for name in names]
    layers = table.rows.take(rows)  # (N, L, D)
    spaces = [mixed(layers.transpose(1, 0, 2), weights) for weights in mixes]
    ends = ()
    if request.plan == POLES:
        if (poles := _poles(bench, table, request)) is None:
            return None
        views = axes.pole_views(layers, rows, tuple(poles[:2]), tuple(poles[2:]) or None, mixes=mixes)
        ends = tuple(pole.name for pole in poles)
    else:
        views = axes.spread_views(spaces, 3 if request.plan == SOLID else 2)
    trust = {}
    if len(rows) <= MOST_TO_TRUST:
        trust = {name: trustworthiness(space, view.coordinates) for name, space, view in zip(names, spaces, views, strict=True)}
    return Layout(
        plan=request.plan,
        names=names,
        rows=rows,
        coordinates=np.stack([view.coordinates for view in views]),
        stars=_stars(table, rows, queries, views, mixes),
        reports=reports,
        static=static,
        trustworthiness=trust,
        views=tuple(views),
        ends=ends,
    )


def ends_of(table: OccurrenceTable, word: str) -> list[str]:
    """What an axis's end can be without typing, a word's own senses first. BadInput where there are no two."""
    names = axes.sense_names(table)
    own = [name for name in names if name.startswith(f"{word}: ")]
    if len(names) < 2:
        raise BadInput(t("Your own axes need two labeled senses; there is one. Choose another layout."))
    return [*own, *(name for name in names if name not in own)]


def _poles(bench: Bench, table: OccurrenceTable, request: LayoutRequest) -> list[axes.Pole] | None:
    ends = request.ends or ends_of(table, request.word)[:2]
    if len(ends) not in (2, 4):
        raise BadInput(t("An axis has two ends: name two of them, or four for two axes."))
    everything = None
    if any(axes.outside(table, end) for end in ends) and (everything := bench.every_token) is None:
        return None
    return [axes.pole(table, end, everything) for end in ends]


def _stars(
    table: OccurrenceTable, rows: np.ndarray, queries: Sequence[Query], views: Sequence[axes.View], mixes: Sequence[np.ndarray]
) -> np.ndarray:
    """(K, S, d): one that is among the dots lies on its dot."""
    same = [np.flatnonzero(table.same_sentence(rows, query.tokens, query.position)) for query in queries]
    places = [
        [
            view.coordinates[own[0]] if len(own) else view.plane.place(mixed(query.layers, weights)[None])[0]
            for query, own in zip(queries, same, strict=True)
        ]
        for view, weights in zip(views, mixes, strict=True)
    ]
    return np.array(places).reshape(len(views), len(queries), views[0].coordinates.shape[1])


def _in_senses(bench: Bench, table: OccurrenceTable, rows: np.ndarray, maps: FrozenMaps, request: LayoutRequest) -> _Senses:
    """Begun from the map of the mix, so that no dot jumps on the way there."""
    space = sense_space(bench)
    if request.word == ALL_WORDS:  # each word has a map into the space of its own
        raise BadInput(t("The sense space is drawn for one word at a time."))
    vectors = space.placed(space.of_rows(table, rows), word=request.word)  # (N, D)
    flat = followed(vectors, maps.coordinates[maps.names.index(MIX)], maps.config)
    stars = np.empty((0, vectors.shape[1]), np.float32)
    if request.contexts:
        layers = np.stack([query.layers for query in bench.queries(request.contexts)])
        stars = space.placed(space.views([(word.tokens, word.position) for word in request.contexts], layers), word=request.word)
    cosines = stars @ vectors.T  # (S, N)
    near = np.array([best(each, NEIGHBOURS_TO_PLACE) for each in cosines], int)
    places = insert(flat, near, np.take_along_axis(cosines, near, axis=1)) if len(stars) else np.empty((0, 2))
    return _Senses(flat, places, InSenses(cosines=vectors @ vectors.T, star_cosines=cosines), trustworthiness(vectors, flat))


def _reports(bench: Bench, word: str) -> dict[str, SenseReport]:
    with suppress(BadInput):
        return {name: report_of(bench, word, layer_weights(name, bench.layers.n)) for name in bench.layers.spaces}
    return {}


def maps_of(bench: Bench, word: str) -> FrozenMaps:
    """A labelled word's frozen maps, fitted where there are none."""
    table = bench.targets
    return bench.opener.memo.value("maps", (table_key(table), word), lambda: open_maps(table, word, fit=True), most=128)


def report_of(bench: Bench, word: str, weights: np.ndarray, *, normalised: bool = False) -> SenseReport:
    """How well a mix of the layers tells a word's senses apart. BadInput where there are no two."""
    table = bench.targets
    key = table_key(table), word, tuple(weights), normalised
    return bench.opener.memo.value("report", key, lambda: sense_report_of(table, word, weights, normalised=normalised), most=512)


def senses_report(bench: Bench, word: str) -> SenseReport:
    """How well the sense space tells them apart."""
    table, space = bench.targets, judge(bench).space
    return bench.opener.memo.value("senses report", (table_key(table), word), lambda: senses_report_of(table, word, space), most=64)


def static_report(bench: Bench, word: str) -> SenseReport | None:
    """The same of the other words' static vectors, summed without a network; None where the language has none, or no two senses."""
    table, vectors = bench.targets, bench.language_vectors

    def measure() -> SenseReport | None:
        with suppress(BadInput):
            return static_report_of(table, word, vectors)
        return None

    key = table_key(table), word, vectors
    return None if vectors is None else bench.opener.memo.value("static report", key, measure, most=256)
