"""Maps: a new sentence put into four frozen ones, and one that follows the layer mix, against umap-learn.

The points are tokens of our own sentences under the bundled model, in layers 0, 1, 2 and their equal mix. The peer is
umap.UMAP with our number of neighbors, min_dist and metric, and without a seed, which lets it use all threads.
"""

import warnings
from collections.abc import Iterator

import numpy as np
from scipy.special import softmax

from core.analysis import aligned_umap as projection
from core.analysis.aligned_umap import FrozenMaps, ProjectionConfig, trustworthiness
from core.analysis.word_maps import follow_mix, place
from core.common.model_layers import Layers
from core.elmo.mix import layer_weights, mixed
from core.elmo.models import BUNDLED_MODEL, open_model
from core.index import neighbors
from core.index.build import build_index
from core.index.neighbors import Query
from core.index.rows import warm_up
from core.index.table import OccurrenceTable
from tests.bench import texts
from tests.bench.measure import Bound, Check, Row, Setting, milliseconds, paired, timed

SPACES = Layers().spaces

POINTS, HELD_OUT = 3000, 60  # frozen points; others, put in one by one
AROUND = 15  # map neighbors among which the true ones are looked for
INSERTING, FOLLOWING, WORSE = 20, 8, 0.01
CONFIG = ProjectionConfig()


def rows(setting: Setting) -> Iterator[Row]:
    """Inserting, then following the mix."""
    import numba

    setting.report("maps: encoding the points")
    warm_up()  # as a server that has been up for a while
    table = _table(setting)
    before = numba.get_num_threads()
    numba.set_num_threads(min(setting.threads, before))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # umap's, on small sets and on its threads
            yield _inserting(setting, table)
            yield _following(setting, table)
    finally:
        numba.set_num_threads(before)


def _table(setting: Setting) -> OccurrenceTable:
    """All tokens of as many sentences as hold the points."""
    wanted, sentences, n = setting.pick(POINTS + HELD_OUT, 80), [], 0
    for sentence in texts.labeled():
        if n < wanted:
            sentences.append(sentence)
            n += len(sentence.tokens)
    model = open_model(BUNDLED_MODEL)
    return build_index(sentences, model.encoder, setting.folder / "maps", model=model.fingerprint)


def _umap():
    import umap

    return umap.UMAP(n_neighbors=CONFIG.n_neighbors, min_dist=CONFIG.min_dist, metric=CONFIG.metric)


def _inserting(setting: Setting, table: OccurrenceTable) -> Row:
    """One new token a round, from its layers to its place in all four maps; both sides have the same four maps."""
    n_points = setting.pick(POINTS, 60)
    order = np.random.default_rng(0).permutation(len(table))
    frozen, new = np.sort(order[:n_points]), order[n_points : n_points + setting.pick(HELD_OUT, 4)]
    layers = table.rows.take(frozen)  # (N, L, D)
    weights = [layer_weights(space, table.meta["layers"]) for space in SPACES]
    fitted = []
    for space, weight in zip(SPACES, weights, strict=True):
        setting.report(f"maps: fitting umap.UMAP to {n_points:,} points of {space}")
        fitted.append(_umap().fit(mixed(layers.transpose(1, 0, 2), weight)))
    queries = [Query(("x",), 0, item) for item in table.rows.take(new)]
    placed: tuple[list, list] = ([], [])
    coordinates = np.stack([item.embedding_ for item in fitted])
    maps = FrozenMaps(names=SPACES, coordinates=coordinates, method="umap.UMAP", config=CONFIG, trustworthiness=(), displacement=())

    def ours(query: Query) -> None:
        products = neighbors.products(table.rows, query)
        placed[0].append(place(table, products, frozen, maps))

    def theirs(query: Query) -> None:
        placed[1].append([f.transform(mixed(query.layers, w)[None])[0] for f, w in zip(fitted, weights, strict=True)])

    turns = [iter([queries[0], *queries]) for _ in range(2)]  # the first of them uncounted
    sides = [timed(run, lambda turn=turn: (next(turn),)) for run, turn in zip((ours, theirs), turns, strict=True)]
    pair = paired(*sides, len(queries))
    kept = [_kept(layers, weights, fitted, queries, np.array(places[1:])) for places in placed]
    return setting.row(
        "maps",
        "a new token put into four frozen maps",
        ours=milliseconds("ours, layer products and core.analysis.word_maps.place", pair.ours),
        peer=milliseconds("umap.UMAP.transform", pair.peer),
        ratio=pair.times_faster(),
        bound=Bound(text=f"at least {INSERTING} x", number=INSERTING),
        sizes=f"{n_points:,} frozen points of 256 numbers in {len(SPACES)} spaces, {len(queries)} new tokens one by one",
        **dict(zip(("neighbors_kept_ours", "neighbors_kept_umap"), kept, strict=True)),
    )


def _kept(layers, weights, fitted, queries: list[Query], places: np.ndarray) -> float:
    """Share of a new token's nearest points by cosine that are among the nearest on the map: how well it was placed.

    places: (Q, K, 2), of each query in each of the K maps.
    """
    shares, k = [], min(AROUND, len(layers) - 1)
    for space, (weight, frozen) in enumerate(zip(weights, fitted, strict=True)):
        points = mixed(layers.transpose(1, 0, 2), weight)
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        for query, at in zip(queries, places[:, space], strict=True):
            true = np.argsort(-(points @ mixed(query.layers, weight)), kind="stable")[:k]
            near = np.argsort(np.linalg.norm(frozen.embedding_ - at, axis=1), kind="stable")[:k]
            shares.append(len(np.intersect1d(true, near)) / k)
    return float(np.mean(shares))


def _following(setting: Setting, table: OccurrenceTable) -> Row:
    n_points = setting.pick(POINTS, 60)
    layers = table.rows.take(np.arange(n_points)).transpose(1, 0, 2)  # (L, N, D)
    setting.report(f"maps: laying out the frozen maps of {n_points:,} points")
    frozen = projection.aligned_maps([*layers, layers.mean(axis=0)], list(SPACES), CONFIG)
    rounds, random = setting.pick(5, 1), np.random.default_rng(3)
    moves = [softmax(random.normal(size=len(layers))) for _ in range(rounds + 1)]
    turns = [iter(moves), iter(moves)]
    ours = timed(lambda weights: follow_mix(layers, weights, frozen), lambda: (next(turns[0]),))
    theirs = timed(lambda weights: _umap().fit(mixed(layers, weights)).embedding_, lambda: (next(turns[1]),))
    pair = paired(ours, theirs, rounds)
    last = mixed(layers, moves[-1])
    own, fresh = (trustworthiness(last, flat) for flat in (pair.ours_result, pair.peer_result))
    lost = Check(what="trustworthiness lost", difference=fresh - own, limit=WORSE)
    return setting.row(
        "maps",
        "mix changed, the map follows",
        ours=milliseconds("ours, UMAP from the frozen maps", pair.ours),
        peer=milliseconds("umap.UMAP.fit", pair.peer),
        ratio=pair.times_faster(),
        bound=Bound(text=f"at least {FOLLOWING} x, trustworthiness no more than {WORSE} worse", number=FOLLOWING),
        checks=setting.pick([lost], []),  # of a handful of points it says nothing
        sizes=f"{n_points:,} points of 256 numbers, other weights each round",
        trustworthiness=own,
        trustworthiness_umap=fresh,
    )
