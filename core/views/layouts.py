"""A word's labelled sentences on a map of the sense space, begun from the map of the mix, so that no dot jumps on the way there."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from core.analysis.maps import FrozenMaps, followed, insert
from core.analysis.trustworthiness import trustworthiness
from core.analysis.word_maps import ALL_WORDS, NEIGHBOURS_TO_PLACE, map_rows, open_maps
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.model_layers import MIX
from core.index.neighbours import best
from core.senses.reports import sense_report_of, static_report_of
from core.senses.separation import SenseReport
from core.text.readings import WordInContext
from core.views.pair import judge
from core.workbench import Bench, table_key

READS = ("model", "corpus")


@dataclass(frozen=True, slots=True, kw_only=True)
class SensesRequest:
    """A labelled word, and sentences with it to be placed among its own."""

    word: str
    stars: tuple[WordInContext, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SensesMap:
    """N sentences and S stars."""

    coordinates: np.ndarray  # (N, 2)
    cosines: np.ndarray  # (N, N)
    star_coordinates: np.ndarray  # (S, 2)
    star_cosines: np.ndarray  # (S, N)
    trustworthiness: float


def compute(bench: Bench, request: SensesRequest) -> SensesMap:
    """The map. BadInput where the model has no sense space, and for all words: each word has a map into the space of its own."""
    space = judge(bench).space
    if space is None:
        raise BadInput(t("{model} has no sense space: a layer is shown.", model=bench.names.model))
    if request.word == ALL_WORDS:
        raise BadInput(t("The sense space is drawn for one word at a time."))
    table = bench.targets
    rows = map_rows(table, request.word)
    maps = maps_of(bench, request.word)
    vectors = space.placed(space.of_rows(table, rows), word=request.word)  # (N, D)
    flat = followed(vectors, maps.coordinates[maps.names.index(MIX)], maps.config)
    stars = np.empty((0, vectors.shape[1]), np.float32)
    if request.stars:
        layers = np.stack([query.layers for query in bench.queries(request.stars)])
        stars = space.placed(space.views([(star.tokens, star.position) for star in request.stars], layers), word=request.word)
    cosines = stars @ vectors.T  # (S, N)
    near = np.array([best(each, NEIGHBOURS_TO_PLACE) for each in cosines], int)
    return SensesMap(
        coordinates=flat,
        cosines=vectors @ vectors.T,
        star_coordinates=insert(flat, near, np.take_along_axis(cosines, near, axis=1)) if len(stars) else np.empty((0, 2)),
        star_cosines=cosines,
        trustworthiness=trustworthiness(vectors, flat),
    )


def maps_of(bench: Bench, word: str) -> FrozenMaps:
    """A labelled word's frozen maps, fitted where there are none."""
    table = bench.targets
    return bench.opener.memo.value("maps", (table_key(table), word), lambda: open_maps(table, word, fit=True), most=128)


def report_of(bench: Bench, word: str, weights: np.ndarray, *, normalised: bool = False) -> SenseReport:
    """How well a mix of the layers tells a word's senses apart. BadInput where there are no two."""
    table = bench.targets
    key = table_key(table), word, tuple(weights), normalised
    return bench.opener.memo.value("report", key, lambda: sense_report_of(table, word, weights, normalised=normalised), most=512)


def static_report(bench: Bench, word: str) -> SenseReport | None:
    """The same of the other words' static vectors, summed without a network; None where the language has none, or no two senses."""
    table, vectors = bench.targets, bench.language_vectors

    def measure() -> SenseReport | None:
        with suppress(BadInput):
            return static_report_of(table, word, vectors)
        return None

    key = table_key(table), word, vectors
    return None if vectors is None else bench.opener.memo.value("static report", key, measure, most=256)
