"""Maps of meaning: PCA, and aligned UMAP (McInnes, Healy and Melville 2018; umap-learn's AlignedUMAP) that never moves.

Each space (layer 0, 1, 2, the mix) gets a map of the same points, and all maps are laid out together, so that a point
stays about where it was from one layer to the next. The graphs and the curve are umap-learn's own; only the loop over
epochs is written here, because AlignedUMAP's (0.5.12) ignores min_dist, compiles itself anew at every fit, lays each
space out once for nothing, and is silent while it works. Two-dimensional distances are not similarities: each map
carries its trustworthiness, and neighbours are always looked up in the full space.

Layer 0 knows no context: all occurrences of a spelling have one vector. Equal vectors are one point of its graph, and
are drawn on one small disc whose area grows with their number; where on the disc a point lies says nothing.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from core.errors import BadInput, CorruptArtifact, MissingArtifact

FORMAT = 1  # of a saved map
SAME = 1e-5  # cosine distance under which two vectors are one: float16 storage makes 2e-7, another context over 1e-3
CLIP = 4.0  # largest step of a point along an axis, times the learning rate (umap.layouts)
NEGATIVES = 5  # random points pushed away for each neighbour pulled (umap's negative_sample_rate)
SAMPLE = 3_000  # points on which trustworthiness is measured, at most
DISC = 0.004  # radius of a disc of equal vectors: times the root of their number, in a map that reaches from -1 to 1
COMPUTING = threading.RLock()  # numba's fallback threading layer ends the process when two threads enter it at once


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionConfig:
    """How maps are made."""

    n_neighbors: int = 15  # points in a neighbourhood; more keeps more of the large structure
    min_dist: float = 0.1  # how close UMAP packs alike points, in its own units
    alignment_regularisation: float = 0.03  # how firmly a point is tied to itself in the other spaces
    alignment_window: int = 3  # spaces to either side it is tied to
    n_epochs: int = 200
    seed: int = 0
    metric: str = "cosine"  # the only one: every other figure of the app is a cosine too

    def __post_init__(self) -> None:
        limits = {"n_neighbors": (2, 500), "alignment_window": (1, 100), "n_epochs": (1, 10_000), "seed": (0, 2**32 - 1)}
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if not isinstance(value, int) or not low <= value <= high:
                raise BadInput(f"A map's {name} must be a whole number from {low} to {high:,}, got {value!r}.")
        if not 0 <= self.min_dist < 1:
            raise BadInput(f"A map's min_dist must be at least 0 and below 1, got {self.min_dist!r}.")
        if not 0 <= self.alignment_regularisation <= 1:
            raise BadInput(f"A map's alignment_regularisation must be from 0 to 1, got {self.alignment_regularisation!r}.")
        if self.metric != "cosine":
            raise BadInput(f"A map's metric must be 'cosine', got {self.metric!r}.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrozenMaps:
    """K maps of the same N points on shared axes, from -1 to 1."""

    names: tuple[str, ...]  # of the spaces
    coordinates: np.ndarray  # (K, N, 2) float32
    method: str  # in words, for the caption
    config: ProjectionConfig
    trustworthiness: tuple[float, ...]  # (K,), 1 is perfect; on at most 3,000 points
    displacement: tuple[float, ...]  # (K - 1,), mean way of a point from a map to the next, in widths of the map
    provenance: dict = field(default_factory=dict)

    def save(self, path: Path | str) -> Path:
        """Write one safetensors file, under a temporary name first, and return its path."""
        from safetensors.numpy import save

        path = Path(path)
        about = {name: getattr(self, name) for name in ("names", "method", "trustworthiness", "displacement", "provenance")}
        about |= {"format": FORMAT, "config": asdict(self.config)}
        content = save({"coordinates": np.ascontiguousarray(self.coordinates)}, {"elmoscope_maps": json.dumps(about, sort_keys=True)})
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return path

    @classmethod
    def load(cls, path: Path | str) -> FrozenMaps:
        from safetensors import SafetensorError, safe_open

        if not Path(path).is_file():
            raise MissingArtifact(f"There are no maps at {path}.")
        try:
            with safe_open(path, framework="numpy") as file:
                about = json.loads(file.metadata()["elmoscope_maps"])
                coordinates = file.get_tensor("coordinates")
            if about.pop("format") != FORMAT:
                raise CorruptArtifact(f"The maps in {path} are of another version of Elmoscope; make them again.")
            about["config"] = ProjectionConfig(**about["config"])
            maps = cls(coordinates=coordinates, **{k: tuple(v) if isinstance(v, list) else v for k, v in about.items()})
            K = len(maps.names)
            whole = coordinates.ndim == 3 and coordinates.shape[::2] == (K, 2) and np.isfinite(coordinates).all()
            if not (whole and coordinates.dtype == np.float32 and len(maps.trustworthiness) == K):
                raise ValueError
        except (SafetensorError, OSError, KeyError, TypeError, ValueError, AttributeError, BadInput):
            raise CorruptArtifact(f"The file of maps {path} is damaged, or holds something else; make the maps again.") from None
        return maps


def pca(vectors: np.ndarray, dims: int = 2) -> np.ndarray:
    """(N, D) -> (N, dims): principal components of the directions; each axis's largest loading is positive."""
    rows = _unit(_checked(vectors)).astype(np.float64)
    rows -= rows.mean(axis=0)
    _, spread, axes = np.linalg.svd(rows if len(rows) <= rows.shape[1] else np.linalg.qr(rows, mode="r"), full_matrices=False)
    axes = axes[:dims][spread[:dims] > 1e-6 * np.sqrt(len(rows))]  # (<= dims, D): what is smaller is rounding
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    points = np.zeros((len(rows), dims), np.float32)
    points[:, : len(axes)] = rows @ (axes * np.sign(largest)).T
    return points


def aligned_maps(
    spaces: Sequence[np.ndarray],
    names: Sequence[str],
    config: ProjectionConfig,
    report: Callable[[str], None] | None = None,
    *,
    provenance: dict | None = None,
) -> FrozenMaps:
    """K arrays (N, D) of the same N points -> their maps; PCA where there are too few points for UMAP.

    `report` hears a line at each step; an exception it raises stops the work.
    """
    spaces = [_unit(_checked(space)) for space in spaces]
    if not spaces or len(names) != len(spaces) or len({len(space) for space in spaces}) > 1:
        shapes = ", ".join(str(space.shape) for space in spaces)
        raise BadInput(f"Maps need the same points in every space and a name for each; got {len(names)} names for {shapes or 'nothing'}.")
    say = report or (lambda line: None)
    groups = [_groups(space) for space in spaces]
    n_points = len(spaces[0])
    if n_points < max(12, config.n_neighbors + 2):
        method = f"PCA: {n_points} points are too few for UMAP"
        points = np.stack([pca(space) for space in spaces])
        for k in range(1, len(points)):
            points[k] = procrustes(points[k], points[k - 1], scale=False)
    else:
        method = "aligned UMAP"
        with COMPUTING:
            points = _layout(spaces, groups, config, say)
    points = _normalised(points)
    for k, group in enumerate(groups):
        points[k] = _on_discs(points[k], group, config.seed)
    say(f"measuring the maps of {n_points:,} points")
    way = np.linalg.norm(np.diff(points, axis=0), axis=2).mean(axis=1) / 2  # the maps are 2 wide
    trust = tuple(trustworthiness(space, flat) for space, flat in zip(spaces, points, strict=True))
    distinct = [int(group.max()) + 1 for group in groups]
    about = {"points": n_points, "distinct": distinct, "trustworthiness_points": min(n_points, SAMPLE)} | (provenance or {})
    return FrozenMaps(
        names=tuple(names), coordinates=points, method=method, config=config,
        trustworthiness=trust, displacement=tuple(map(float, way)), provenance=about,
    )  # fmt: skip


def insert(maps_coordinates: np.ndarray, neighbour_rows: np.ndarray, similarities: np.ndarray) -> np.ndarray:
    """(N, 2), (Q, k), (Q, k) -> (Q, 2): where new points go in a frozen map, from their nearest in the full space.

    A neighbour weighs exp(-(d - rho) / sigma), UMAP's membership with d = 1 - cosine, over d: as a neighbour gets equal to
    the new point it outweighs all others. The point goes to where the neighbours lie densest, by weight, not to their
    mean, which would fall between two clusters or be dragged by one far neighbour.
    """
    rows, similar = np.asarray(neighbour_rows), np.asarray(similarities, np.float64)
    if rows.ndim != 2 or rows.shape != similar.shape or not rows.shape[1] or not np.isfinite(similar).all():
        raise BadInput(f"A new point needs neighbours and their similarities; got arrays of shape {rows.shape} and {similar.shape}.")
    if rows.size and not 0 <= rows.min() <= rows.max() < len(maps_coordinates):
        raise BadInput(f"A neighbour's row must be from 0 to {len(maps_coordinates) - 1}; got {rows.min()} to {rows.max()}.")
    distances = np.maximum(1 - similar, 0)  # (Q, k)
    weights = _membership(distances) / (distances + 1e-6)
    near = np.asarray(maps_coordinates, np.float64)[rows]  # (Q, k, 2)
    apart = np.linalg.norm(near[:, :, None] - near[:, None], axis=3)  # (Q, k, k)
    quarter = np.sort(apart, axis=2)[:, :, max(1, rows.shape[1] // 4) : max(1, rows.shape[1] // 4) + 1]
    width = np.median(quarter, axis=(1, 2)) if quarter.size else np.zeros(len(rows))  # (Q,): how far a near neighbour is
    kernel = 1 / (1 + (apart / (width[:, None, None] + 1e-9)) ** 2) ** 2  # (Q, k, k)
    densest = (kernel * weights[:, None]).sum(axis=2).argmax(axis=1)  # (Q,)
    share = np.take_along_axis(kernel, densest[:, None, None], axis=1)[:, 0] * weights  # (Q, k)
    return (share[:, :, None] * near).sum(axis=1) / share.sum(axis=1, keepdims=True)


def trustworthiness(vectors: np.ndarray, coordinates: np.ndarray, k: int = 12) -> float:
    """(N, D), (N, 2) -> how far the k neighbours on the map are neighbours by cosine too (Venna and Kaski 2001), 1 at best.

    Above 3,000 points it is measured on 3,000 of them, drawn with seed 0.
    """
    vectors, coordinates = _checked(vectors), _checked(coordinates)
    if len(vectors) != len(coordinates) or k < 1:
        raise BadInput(f"Trustworthiness compares the same points over k >= 1; got {len(vectors)}, {len(coordinates)} and k = {k}.")
    from sklearn.manifold import trustworthiness as measure

    if len(vectors) > SAMPLE:
        drawn = np.sort(np.random.default_rng(0).choice(len(vectors), SAMPLE, replace=False))
        vectors, coordinates = vectors[drawn], coordinates[drawn]
    if len(vectors) < 3:
        return 1.0  # nothing can be misplaced
    return float(measure(_unit(vectors), coordinates, n_neighbors=min(k, (len(vectors) - 1) // 2), metric="cosine"))


def procrustes(moving: np.ndarray, fixed: np.ndarray, *, scale: bool = True) -> np.ndarray:
    """(N, d), (N, d) -> `moving` turned, mirrored, scaled and shifted onto `fixed` (Gower 1975)."""
    moving, fixed = _checked(moving).astype(np.float64), _checked(fixed).astype(np.float64)
    if moving.shape != fixed.shape:
        raise BadInput(f"Procrustes compares the same points; got {moving.shape} and {fixed.shape}.")
    centred, target = moving - moving.mean(axis=0), fixed.mean(axis=0)
    left, strengths, right = np.linalg.svd(centred.T @ (fixed - target))
    size = (centred**2).sum()
    factor = strengths.sum() / size if scale and size > 0 else 1.0
    return (factor * centred @ (left @ right) + target).astype(np.float32)


def warm_up() -> None:
    """Import umap and compile what the first map would (seconds); for a background thread, harmless when repeated."""
    points = np.random.default_rng(0).normal(size=(16, 4)).astype(np.float32)
    aligned_maps([points, points], ["a", "b"], ProjectionConfig(n_neighbors=3, n_epochs=2))


def _checked(vectors: np.ndarray) -> np.ndarray:
    vectors = np.asarray(vectors, np.float32)
    if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
        raise BadInput(f"A map needs a table of finite numbers, one row a point; got an array of shape {vectors.shape}.")
    return vectors


def _unit(vectors: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1)


def _membership(distances: np.ndarray) -> np.ndarray:
    """(Q, k) distances -> exp(-(d - rho) / sigma), where rho is the nearest and sigma makes the sum log2 k (UMAP, section 3.1)."""
    beyond = distances - distances.min(axis=1, keepdims=True)
    low, high = np.zeros((len(beyond), 1)), np.full((len(beyond), 1), 4.0 * len(distances.T) + 4)
    for _ in range(40):  # halving
        sigma = (low + high) / 2
        many = np.exp(-beyond / sigma).sum(axis=1, keepdims=True) > max(1.0, np.log2(distances.shape[1]))
        low, high = np.where(many, low, sigma), np.where(many, sigma, high)
    return np.exp(-beyond / np.maximum(high, 1e-3 * distances.mean(axis=1, keepdims=True) + 1e-12))  # the floor is umap's


def _groups(space: np.ndarray) -> np.ndarray:
    """Unit rows (N, D) -> (N,) numbers from 0 on, equal for equal vectors (within SAME)."""
    first = np.arange(len(space))
    for start in range(0, len(space), 1024):
        same = space[start : start + 1024] @ space.T > 1 - SAME  # (B, N)
        found = same.argmax(axis=1)
        first[start : start + 1024] = np.where(same.any(axis=1), found, first[start : start + 1024])
    while (first[first] != first).any():  # a chain of equals is one group
        first = first[first]
    return np.unique(first, return_inverse=True)[1]


def _graph(space: np.ndarray, group: np.ndarray, config: ProjectionConfig):
    """UMAP's fuzzy graph of the distinct vectors, handed down to the points -> sparse (N, N).

    A point is tied by weight 1 to members of its own group, and by their groups' weight to one member of each neighbour group.
    """
    import scipy.sparse as sparse
    from umap.umap_ import fuzzy_simplicial_set

    rng = np.random.default_rng(config.seed)
    order = rng.permutation(len(group))
    members = order[np.argsort(group[order], kind="stable")]  # (N,) points, group after group
    sizes = np.bincount(group)
    starts = np.cumsum(sizes) - sizes
    place = np.arange(len(group)) - np.repeat(starts, sizes)  # of a member in its group
    edges = []
    for step in range(1, min(sizes.max(), config.n_neighbors)):  # each is tied to the next ones of its group, in a ring
        heads = np.flatnonzero(np.repeat(sizes, sizes) > step)
        ring = starts[group[members[heads]]] + (place[heads] + step) % sizes[group[members[heads]]]
        edges.append((members[heads], members[ring], np.ones(len(heads))))
    if len(sizes) > 1:
        distinct = space[members[starts]]
        k = min(config.n_neighbors, len(sizes))
        indices, distances = _nearest(distinct, k)
        ties, *_ = fuzzy_simplicial_set(distinct, k, np.random.RandomState(config.seed), "cosine", knn_indices=indices, knn_dists=distances)
        ties = ties.tocoo()
        heads = np.concatenate([members[starts[a] : starts[a] + sizes[a]] for a in ties.row])
        per_edge = sizes[ties.row]
        other = np.repeat(ties.col, per_edge)
        edges.append((heads, members[starts[other] + rng.integers(sizes[other])], np.repeat(ties.data, per_edge)))
    heads, tails, weights = (np.concatenate(part) for part in zip(*edges, strict=True))
    graph = sparse.csr_matrix(sparse.coo_matrix((weights, (heads, tails)), shape=(len(group), len(group))))
    graph.data = np.minimum(graph.data, 1)
    return graph.maximum(graph.T)


def _nearest(rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit rows (M, D) -> indices and cosine distances (M, k), each row's own first, exactly."""
    indices = np.empty((len(rows), k), np.int32)
    distances = np.empty((len(rows), k), np.float32)
    for start in range(0, len(rows), 1024):
        apart = 1 - rows[start : start + 1024] @ rows.T  # (B, M)
        own = np.arange(len(apart))
        apart[own, start + own] = -1
        indices[start : start + 1024] = np.argsort(apart, axis=1, kind="stable")[:, :k]
        distances[start : start + 1024] = np.take_along_axis(apart, indices[start : start + 1024], axis=1).clip(0)
    return indices, distances


def _ties(graphs: list, config: ProjectionConfig) -> np.ndarray:
    """How strongly a point of map k is drawn to itself in map l: (K, K, N); more where its neighbours are the same (Jaccard)."""
    K = len(graphs)
    ties = np.zeros((K, K, graphs[0].shape[0]), np.float32)
    links = [graph.astype(bool).astype(np.float32) for graph in graphs]
    for k, l in ((k, l) for k in range(K) for l in range(K) if 0 < abs(k - l) <= config.alignment_window):
        both = np.asarray(links[k].multiply(links[l]).sum(axis=1)).ravel()
        either = np.asarray((links[k] + links[l]).sign().sum(axis=1)).ravel()
        ties[k, l] = config.alignment_regularisation * np.exp(1 - abs(k - l)) * both / np.maximum(either, 1)
    return ties


def _layout(spaces: list, groups: list, config: ProjectionConfig, say: Callable[[str], None], init="pca") -> np.ndarray:
    """Aligned UMAP: (K, N, 2). All maps start from one picture, the PCA of all spaces side by side."""
    from umap.umap_ import find_ab_params, make_epochs_per_sample

    a, b = find_ab_params(1.0, config.min_dist)
    graphs = []
    for space, group in zip(spaces, groups, strict=True):
        say(f"finding the neighbours of {len(space):,} points in space {len(graphs) + 1} of {len(spaces)}")
        graphs.append(_graph(space, group, config))
    if init == "pca":
        start = pca(np.concatenate(spaces, axis=1))
    else:
        from umap.spectral import spectral_layout
        start = spectral_layout(spaces[-1], sum(graphs) / len(graphs), 2, np.random.RandomState(0))
    start = (10 * start / max(np.abs(start).max(), 1e-9)).astype(np.float32)
    start += np.random.default_rng(config.seed).normal(scale=1e-3, size=start.shape)
    points = np.stack([start] * len(spaces)).astype(np.float32)
    ties, (epoch, step) = _ties(graphs, config), _compiled()
    edges = []
    for graph in graphs:
        graph = graph.tocoo()
        every = make_epochs_per_sample(graph.data, config.n_epochs)
        kept = (every > 0) & (every <= config.n_epochs)
        edges.append((graph.row[kept], graph.col[kept], every[kept], every[kept].copy(), every[kept] / NEGATIVES))
    state = np.array([config.seed], np.uint64)
    for n in range(config.n_epochs):
        if n % 10 == 0:
            say(f"epoch {n + 1} of {config.n_epochs}")
        for k, (heads, tails, every, due, due_negative) in enumerate(edges):
            epoch(step, points, k, heads, tails, every, due, due_negative, ties, a, b, 1 - n / config.n_epochs, n, state)
    return points


def _epoch(step, points, k, heads, tails, every, due, due_negative, ties, a, b, alpha, n, state) -> None:
    """One epoch of UMAP's stochastic gradient descent for map k; compiled by numba."""
    for e in range(len(heads)):
        if due[e] > n:
            continue
        due[e] += every[e]
        i, j = heads[e], tails[e]
        square = (points[k, i, 0] - points[k, j, 0]) ** 2 + (points[k, i, 1] - points[k, j, 1]) ** 2
        pull = -2 * a * b * square ** (b - 1) / (a * square**b + 1) if square > 0 else 0.0
        step(points, k, i, j, pull, ties, alpha)
        step(points, k, j, i, pull, ties, alpha)
        n_negatives = int((n - due_negative[e]) / (every[e] / NEGATIVES))
        due_negative[e] += n_negatives * every[e] / NEGATIVES
        for _ in range(n_negatives):
            state[0] = state[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)  # Knuth's generator
            j = np.int64((state[0] >> np.uint64(33)) % np.uint64(points.shape[1]))
            square = (points[k, i, 0] - points[k, j, 0]) ** 2 + (points[k, i, 1] - points[k, j, 1]) ** 2
            if i != j and square > 0:
                step(points, k, i, j, 2 * b / ((0.001 + square) * (a * square**b + 1)), ties, alpha)


def _step(points, k, i, j, force, ties, alpha) -> None:
    """Move point i of map k along (i - j) by `force`, and towards where it lies in the other maps; compiled by numba."""
    for d in range(2):
        move = min(CLIP, max(-CLIP, force * (points[k, i, d] - points[k, j, d])))
        for other in range(len(points)):
            if ties[k, other, i] > 0:
                move -= min(CLIP, max(-CLIP, ties[k, other, i] * (points[k, i, d] - points[other, i, d])))
        points[k, i, d] += alpha * min(CLIP, max(-CLIP, move))


@cache
def _compiled():
    import numba

    return numba.njit(_epoch, fastmath=True), numba.njit(_step, fastmath=True)


def _normalised(points: np.ndarray) -> np.ndarray:
    """(K, N, 2) -> the same with one shift and one scale for all, the wider side from -1 to 1."""
    low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
    return ((points - (low + high) / 2) * 2 / max((high - low).max(), 1e-6)).astype(np.float32)


def _on_discs(points: np.ndarray, group: np.ndarray, seed: int) -> np.ndarray:
    """Draw the points of each group of equal vectors on a disc round their median, in an order drawn by lot."""
    points = points.copy()
    order = np.random.default_rng(seed).permutation(len(group))  # by lot: the rows may be sorted by sense
    sizes = np.bincount(group)
    for number in np.flatnonzero(sizes > 1):
        members = order[group[order] == number]
        turn = np.arange(len(members)) * (np.pi * (3 - np.sqrt(5)))  # a sunflower's seeds
        away = DISC * np.sqrt(np.arange(len(members)) + 0.5)
        points[members] = np.median(points[members], axis=0) + np.stack([away * np.cos(turn), away * np.sin(turn)], axis=1)
    return points
