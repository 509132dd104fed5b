"""Maps of a word's occurrences: PCA, and aligned UMAP (McInnes, Healy and Melville 2018).

Each space (layer 0, 1, 2, the layer mix) gets a map of the same points. The maps are laid out together, so that a point stays near its
place from one layer to the next. Graph and curve are umap-learn's own functions. The loop over epochs is written here because
AlignedUMAP (0.5.12) ignores min_dist, compiles again at every fit and lays each space out once for nothing.

Layer 0 has no context: all occurrences of a spelling have one vector. Equal vectors are drawn on one small disc, larger for more
of them, in random order. The place of a point on its disc has no meaning.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path

import numpy as np

from ..common.directions import unit_rows
from ..common.errors import CorruptArtifact
from ..common.i18n import t
from ..common.libraries import import_library
from ..files.artifacts import replacing
from .axes import find_views

CLIP, NEGATIVES = 4.0, 5  # largest move along an axis, and points pushed away for each one pulled (umap's defaults)
FORMAT = 1  # version of a saved map
DISC = 0.004  # radius of a disc of equal vectors: times the root of their number, on a map from -1 to 1
SAME = 1e-5  # cosine distance under which two vectors are one: float16 storage makes 2e-7, another context over 1e-3
SAMPLE, NEAREST = 3_000, 12  # points on which trustworthiness is measured, at most, and neighbors compared
UNDECIDED = 0.05  # largest share of points whose nearest neighbors are undecided because of ties
FOLLOW_EPOCHS = 40  # from a similar map
COMPUTING = threading.RLock()  # numba's fallback threading ends the process when two threads compute at once


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionConfig:
    """Parameters of a map."""

    n_neighbors: int = 15  # vectors in a neighborhood; more keeps more of the large structure
    min_dist: float = 0.1  # how close UMAP packs alike points, in its own units
    alignment_regularisation: float = 0.05  # how firmly a point is tied to itself in the other spaces
    alignment_window: int = 3  # spaces to either side it is tied to
    n_epochs: int = 200
    seed: int = 0
    metric: str = "cosine"  # the only choice, because all similarities in the app are cosines


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrozenMaps:
    """K maps of the same N points on shared axes from -1 to 1."""

    names: tuple[str, ...]  # (K,), of the spaces
    coordinates: np.ndarray  # (K, N, 2) float32
    method: str  # in words, for the caption
    config: ProjectionConfig
    trustworthiness: tuple[float, ...]  # (K,), 1 is perfect; on at most 3,000 points; NaN without distinct neighbors
    displacement: tuple[float, ...]  # (K - 1,), mean way of a point from a map to the next, in widths of the map
    provenance: dict = field(default_factory=dict)

    def save(self, path: Path | str) -> Path:
        """Write one safetensors file, atomically, and return its path."""
        from safetensors.numpy import save

        about = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "coordinates"}
        about |= {"config": asdict(self.config), "format": FORMAT}
        with replacing(path) as temporary:
            temporary.write_bytes(save({"coordinates": self.coordinates}, {"elmoscope_maps": json.dumps(about, sort_keys=True)}))
        return Path(path)

    @classmethod
    def load(cls, path: Path | str) -> FrozenMaps:
        """Read a file that `save` wrote. Raises CorruptArtifact."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                about = json.loads(file.metadata()["elmoscope_maps"])
                points = file.get_tensor("coordinates")
            if about.pop("format") != FORMAT:
                raise CorruptArtifact(t("The maps in {path} are from another Elmoscope version. Make them again.", path=path))
            about = {key: tuple(value) if isinstance(value, list) else value for key, value in about.items()}
            maps = cls(coordinates=points, **about | {"config": ProjectionConfig(**about["config"])})
            counts = {len(points), len(maps.trustworthiness), len(maps.displacement) + 1}
            if counts != {len(maps.names)} or points.shape[2:] != (2,) or not np.isfinite(points).all():
                raise ValueError
        except (SafetensorError, OSError, LookupError, TypeError, ValueError, AttributeError):
            raise CorruptArtifact(t("The map file {path} is damaged. Make the maps again.", path=path)) from None
        return maps


def pca(vectors: np.ndarray) -> np.ndarray:
    """Return the first two principal components (N, 2) of the directions of vectors (N, D). The largest loading of each is positive."""
    return find_views([unit_rows(vectors)])[0].plane.place(vectors)


def aligned_maps(
    spaces: Sequence[np.ndarray], names: Sequence[str], config: ProjectionConfig, report: Callable[[str], None] | None = None
) -> FrozenMaps:
    """Return the maps of K arrays (N, D) of the same N points, by PCA if they are too few for UMAP. Calls `report` at each step."""
    spaces = [unit_rows(space) for space in spaces]
    say = report or (lambda line: None)
    groups = [equal_rows(space) for space in spaces]
    n_points = len(spaces[0])
    if n_points < max(12, config.n_neighbors + 2):
        method = f"PCA ({n_points} points are too few for UMAP)"
        points = np.stack([pca(space) for space in spaces])
        for k in range(1, len(points)):
            points[k] = procrustes(points[k], points[k - 1], scale=False)
    else:
        with COMPUTING:
            method = "aligned UMAP"
            points = _layout(spaces, groups, config, say)
    low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))  # one shift and one scale for all maps
    points = ((points - (low + high) / 2) * 2 / max((high - low).max(), 1e-6)).astype(np.float32)
    for flat, group in zip(points, groups, strict=True):
        _put_on_discs(flat, group, config.seed)
    say(f"measuring the maps of {n_points:,} points")
    movement = np.linalg.norm(np.diff(points, axis=0), axis=2).mean(axis=1) / 2  # the maps are 2 wide
    trust = tuple(trustworthiness(space, flat) for space, flat in zip(spaces, points, strict=True))
    about = {"points": n_points, "distinct": [int(g.max()) + 1 for g in groups], "trustworthiness_points": min(n_points, SAMPLE)}
    measured = {"trustworthiness": trust, "displacement": tuple(movement.tolist()), "provenance": about}
    return FrozenMaps(names=tuple(names), coordinates=points, method=method, config=config, **measured)


def follow(vectors: np.ndarray, start: np.ndarray, config: ProjectionConfig) -> np.ndarray:
    """Run UMAP from a similar map (N, 2), of another layer mix for example, and rotate the result onto it."""
    space = unit_rows(vectors)
    start = np.asarray(start, np.float64)
    group = equal_rows(space)
    if len(space) < max(12, config.n_neighbors + 2):
        flat = procrustes(pca(space), start)
    else:
        with COMPUTING:
            points = _descended(_started(start, config), [_graph(space, group, config)], None, config, FOLLOW_EPOCHS)
            flat = procrustes(points[0], start)
    _put_on_discs(flat, group, config.seed)
    return flat


def insert(maps_coordinates: np.ndarray, neighbor_rows: np.ndarray, similarities: np.ndarray) -> np.ndarray:
    """Return the places (Q, 2) of new points in a frozen map (N, 2), from their k nearest rows and cosines (Q, k).

    A neighbor has weight exp(-(d - rho) / sigma) / d with d = 1 - cosine, rho the smallest d (UMAP's local connectivity) and
    sigma the mean of d - rho. A neighbor equal to the new point outweighs all others. The point goes to the weighted density peak
    of the neighbors; their mean could fall between two clusters or follow one distant neighbor.
    """
    rows = np.asarray(neighbor_rows)
    distances = np.maximum(1 - np.asarray(similarities, np.float64), 0)
    beyond = distances - distances.min(axis=1, keepdims=True)  # (Q, k)
    weights = np.exp(-beyond / (beyond.mean(axis=1, keepdims=True) + 1e-9)) / (distances + 1e-6)
    neighbors = np.asarray(maps_coordinates, np.float64)[rows]  # (Q, k, 2)
    apart = np.linalg.norm(neighbors[:, :, None] - neighbors[:, None], axis=3)  # (Q, k, k)
    k = rows.shape[1]
    width = 2 * np.median(np.sort(apart, axis=2)[:, :, k // 4], axis=1)  # (Q,): about how wide a cluster is
    kernel = 1 / (1 + (apart / (width[:, None, None] + 1e-9)) ** 4)  # (Q, k, k): 1 within a cluster, 0 far off
    densest = (kernel * weights[:, None]).sum(axis=2).argmax(axis=1)  # (Q,)
    share = np.take_along_axis(kernel, densest[:, None, None], axis=1)[:, 0] * weights  # (Q, k)
    return (share[:, :, None] * neighbors).sum(axis=1) / share.sum(axis=1, keepdims=True)


def procrustes(moving: np.ndarray, fixed: np.ndarray, *, scale: bool = True) -> np.ndarray:
    """Rotate, reflect, scale and shift `moving` (N, d) onto `fixed` (N, d) (Gower 1975), float32."""
    from scipy.linalg import orthogonal_procrustes

    moving, fixed = np.asarray(moving, np.float64), np.asarray(fixed, np.float64)
    centered = moving - moving.mean(axis=0)
    target = fixed.mean(axis=0)
    turn, strength = orthogonal_procrustes(centered, fixed - target)
    factor = strength / max((centered**2).sum(), 1e-300) if scale else 1.0
    return (factor * centered @ turn + target).astype(np.float32)


def compile_layout() -> None:
    """Import umap and compile what the first map needs, which takes seconds. For a background thread; repeated calls do no harm."""
    aligned_maps([np.eye(16)] * 2, ["a", "b"], ProjectionConfig(n_neighbors=3, n_epochs=2))


def _graph(space: np.ndarray, group: np.ndarray, config: ProjectionConfig):
    """Return UMAP's fuzzy graph (N, N). A point's neighbors are the nearest other vectors, each represented by one of its points.

    If equal points were neighbors of each other, every spelling would be an island in layer 0. They are connected in a ring instead.
    """
    from scipy.sparse import coo_matrix

    _compiled()
    n = len(group)
    sizes = np.bincount(group)
    rng = np.random.default_rng(config.seed)
    order = rng.permutation(n)  # shuffled, because the rows may be sorted by sense
    members = order[np.argsort(group[order], kind="stable")]  # points, group after group
    starts = np.cumsum(sizes) - sizes
    graph = coo_matrix((n, n), dtype=np.float32)
    group_of_member = group[members]
    distinct = space[members[starts]]
    if len(distinct) > 1:
        search = import_library("sklearn.neighbors").NearestNeighbors(n_neighbors=min(config.n_neighbors, len(distinct)), metric="cosine")
        search.fit(distinct)
        distances, neighbors = (kneighbor[group] for kneighbor in search.kneighbors(distinct))  # (N, k), its own group first
        neighbors = members[starts[neighbors] + rng.integers(sizes[neighbors])]  # one point of each group
        neighbors[:, 0], distances[:, 0] = np.arange(n), 0
        knn = {"knn_indices": neighbors.astype(np.int32), "knn_dists": distances.astype(np.float32)}
        umap_ = import_library("umap.umap_")
        graph = umap_.fuzzy_simplicial_set(space, neighbors.shape[1], np.random.RandomState(config.seed), "cosine", **knn)[0]
    for step in range(1, 1 + min(sizes.max(), config.n_neighbors) // 2):
        ring = members[starts[group_of_member] + (np.arange(n) - starts[group_of_member] + step) % sizes[group_of_member]]
        graph = graph.maximum(coo_matrix(((ring != members).astype(np.float32), (members, ring)), shape=(n, n)).tocsr())
    return graph.maximum(graph.T).tocsr()


def _layout(spaces: list, groups: list, config: ProjectionConfig, say: Callable[[str], None]) -> np.ndarray:
    """Return the aligned UMAP layouts (K, N, 2). All start from the principal components of the spaces' sum."""
    say(f"finding the neighbors of {len(spaces[0]):,} points in {len(spaces)} spaces")
    graphs = [_graph(space, group, config) for space, group in zip(spaces, groups, strict=True)]
    links = [graph.astype(bool).astype(np.float32) for graph in graphs]
    ties = np.zeros((len(spaces), len(spaces), len(spaces[0])), np.float32)  # from a point of map k to the same point in map l
    for k, m in np.argwhere(~np.eye(len(spaces), dtype=bool)):
        if abs(k - m) <= config.alignment_window:  # weighted by the share of common neighbors, as in umap.aligned_umap
            shared = links[k].multiply(links[m]).sum(axis=1) / links[k].maximum(links[m]).sum(axis=1)
            ties[k, m] = config.alignment_regularisation * np.exp(1 - abs(k - m)) * np.nan_to_num(np.ravel(shared))
    return _descended(np.stack([_started(pca(sum(spaces)), config)[0]] * len(spaces)), graphs, ties, config, config.n_epochs, say)


def _started(start: np.ndarray, config: ProjectionConfig) -> np.ndarray:
    """Scale a layout (N, 2) to umap's initial size (1, N, 2), with all points separated."""
    start = start * (10 / max(np.abs(start).max(), 1e-6))
    return (start + np.random.default_rng(config.seed).normal(scale=1e-3, size=start.shape))[None]


def _descended(points: np.ndarray, graphs: list, ties, config: ProjectionConfig, n_epochs: int, say=lambda line: None) -> np.ndarray:
    """Run UMAP's epochs from (K, N, 2): edges attract, random points repel, `ties` (K, K, N) hold the maps together."""
    umap_ = import_library("umap.umap_")
    curve = umap_.find_ab_params(1.0, config.min_dist)
    ties = np.zeros((len(graphs), len(graphs), points.shape[1]), np.float32) if ties is None else ties
    edges = []
    for graph in graphs:
        every = umap_.make_epochs_per_sample(graph.data, n_epochs)  # an edge is due the more often, the stronger it is
        edges.append((*graph.tocoo().coords, every, every.copy(), every / NEGATIVES))
    for n in range(n_epochs):
        if n % 20 == 0:
            say(f"epoch {n + 1} of {n_epochs}")
        for k, edge in enumerate(edges):
            _compiled()(points, k, edge, ties, curve, 1 - n / n_epochs, n, (config.seed + n) % 2**32)
    return points


def _epoch(points, k, edges, ties, curve, rate, n, seed) -> None:
    """Run one epoch of UMAP's stochastic gradient descent (McInnes et al. 2018, appendix C) for map k. Compiled by numba.

    `edges` are those of the map's graph, arrays (E,): both ends, the epochs between updates, and the epochs of the next ones. All arguments
    are plain types: numba's cache on disk names a class by its module, which is `core` here and `elmoscope.core` in a notebook.
    """
    np.random.seed(seed)
    a, b = curve
    heads, tails, every, due, due_negative = edges
    for e in range(len(heads)):
        if due[e] > n:
            continue
        n_negatives = int((n - due_negative[e]) * NEGATIVES / every[e])
        due[e], due_negative[e] = due[e] + every[e], due_negative[e] + n_negatives * every[e] / NEGATIVES
        for turn in range(-2, n_negatives):  # tail and head approach each other, then the head leaves strangers
            i, j = (tails[e], heads[e]) if turn == -2 else (heads[e], tails[e])
            j = np.random.randint(points.shape[1]) if turn >= 0 else j
            square = 1e-9 + (points[k, i, 0] - points[k, j, 0]) ** 2 + (points[k, i, 1] - points[k, j, 1]) ** 2
            force = (-a * square ** (b - 1) if turn < 0 else 1 / (0.001 + square)) * 2 * b / (a * square**b + 1)
            for d in range(2):
                move = min(CLIP, max(-CLIP, force * (points[k, i, d] - points[k, j, d])))
                for m in range(len(points)):
                    move -= min(CLIP, max(-CLIP, ties[k, m, i] * (points[k, i, d] - points[m, i, d])))
                points[k, i, d] += rate * min(CLIP, max(-CLIP, move))


@cache
def _compiled():
    """Return the compiled epoch, and let umap's functions store what they compile on disk if possible (saves seconds per process)."""
    numba, umap_ = import_library("numba"), import_library("umap.umap_")
    epoch = numba.njit(_epoch, fastmath=True)
    for function in (epoch, umap_.smooth_knn_dist, umap_.compute_membership_strengths):
        with suppress(RuntimeError):  # no folder to write to
            function.enable_caching()
    return epoch


def _put_on_discs(points: np.ndarray, group: np.ndarray, seed: int) -> None:
    """Move each group of equal vectors, in place, to a disc around its median, arranged like sunflower seeds."""
    order = np.random.default_rng(seed).permutation(len(group))
    numbers = np.flatnonzero(np.bincount(group) > 1)
    centers = np.array([np.median(points[group == number], axis=0) for number in numbers])
    for number, center in zip(numbers, centers, strict=True):
        members = order[group[order] == number]
        radius = min([DISC * np.sqrt(len(members)), *0.4 * np.sort(np.linalg.norm(centers - center, axis=1))[1:2]])
        place = np.arange(len(members)) + 0.5
        spiral = radius * np.sqrt(place / len(place)) * np.exp(1j * np.pi * (3 - np.sqrt(5)) * place)
        points[members] = center + np.stack([spiral.real, spiral.imag], axis=1)


def trustworthiness(vectors: np.ndarray, coordinates: np.ndarray) -> float:
    """Return the trustworthiness of a map (N, 2) of vectors (N, D) under the cosine, on at most 3,000 random points.

    NaN where the vectors do not rank neighbors: in layer 0 all occurrences of a spelling have one vector, the k nearest of most points
    are tied, and any layout would be right. Occasional ties share their ranks.
    """
    from scipy.stats import rankdata

    vectors = unit_rows(vectors)
    sample = np.random.default_rng(0).permutation(len(vectors))[:SAMPLE]
    n = len(sample)
    if n < 3:
        return 1.0  # nothing can be misplaced
    k = min(NEAREST, (n - 1) // 2)
    group = equal_rows(vectors[sample])
    first = np.unique(group, return_index=True)[1]
    distinct = vectors[sample][first]
    apart = (1 - distinct @ distinct.T)[np.ix_(group, group)].astype(np.float64)  # equal vectors are equally far, to the last bit
    apart[group[:, None] == group] = 0
    np.fill_diagonal(apart, -1)  # the point itself has rank 0
    neighbors = np.partition(apart, (k, k + 1), axis=1)  # (n, n)
    if (neighbors[:, k + 1] - neighbors[:, k] <= 0).mean() > UNDECIDED:
        return float("nan")
    flat = np.asarray(coordinates, np.float64)[sample]
    ways = np.linalg.norm(flat[:, None] - flat, axis=2)
    np.fill_diagonal(ways, np.inf)
    on_map = np.argpartition(ways, k - 1, axis=1)[:, :k]
    ranks = np.take_along_axis(rankdata(apart, axis=1), on_map, axis=1) - 1  # (n, k), from 1
    return float(1 - np.maximum(ranks - k, 0).sum() * 2 / (n * k * (2 * n - 3 * k - 1)))


def by_chance(n_points: int) -> float:
    """Return the mean trustworthiness of a random layout of n points.

    Each other point is a map neighbor with probability k / (n - 1). A rank r beyond k costs r - k, and these sum to m (m + 1) / 2 over the
    m = n - 1 - k ranks. Nearly 1/2 if k is far below n.
    """
    n = min(n_points, SAMPLE)
    if n < 3:
        return 1.0
    k = min(NEAREST, (n - 1) // 2)
    m = n - 1 - k
    return 1 - m * (m + 1) / ((n - 1) * (2 * n - 3 * k - 1))


def equal_rows(space: np.ndarray) -> np.ndarray:
    """Return numbers (N,) from 0 for unit rows (N, D), the same for equal rows."""
    marked = np.column_stack([space, ~space.any(axis=1)])  # so that a zero vector equals the other zero vectors
    first = np.concatenate([(marked[n : n + 1024] @ marked.T > 1 - SAME).argmax(axis=1) for n in range(0, len(marked), 1024)])
    return np.unique(first[first], return_inverse=True)[1]
