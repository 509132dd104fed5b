"""Place two sentences and a word's labeled ones in a plane, in every space on one scale: the picture of a verdict.

A layer's vector minus that of the same spelling encoded alone is what the sentence adds: nothing at layer 0, where all sentences are one
point. The axes keep sentences of one sense together and separate the senses: Fisher's discriminants (1936) with shrunken covariances, as
scikit-learn's `LinearDiscriminantAnalysis` (solver "eigen") has them. Every sense counts alike. Every space is turned onto the last one,
the sense space, so that dots glide and never mirror. Typed sentences are projected, never fitted: no typed letter moves a dot.

A word without labels has the words nearest to either sentence in the sense space. They are drawn along the line between the sentences.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..common.directions import fix_signs, unit
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.model_layers import MIX, SENSES
from ..elmo.mix import layer_weights, mixed
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from .evidence import THIN, covariance_within, is_point, shrunken_covariance

MOST_DOTS = 200  # labeled sentences that are drawn: those of a corpus of thousands hide each other
WORDS = 14  # neighboring words of either sentence
FIRST, SECOND, BOTH = range(3)  # the star that a neighboring word is near
FOLDS = 8
# A star is in a tie if the nearest sense is at least this share as far as the next. In the sense space the nearest sense is
# right for 55% of the labeled sentences in a tie, and for 89% of the others.
TIE = 0.8
Encode = Callable[[Sequence[str]], np.ndarray]  # n spellings -> (n, L, D), each as a one-word sentence
Vectors = Mapping[str, np.ndarray]  # a space -> rows (n, d); in the order of the slider


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scene:
    """A word's labeled sentences and two typed ones in two dimensions, in S spaces on one scale.

    Of a word without labels the n points are its neighboring words, and the distance between the stars is their cosine distance.
    """

    spaces: tuple[str, ...]  # in the slider's order: layers, mix, sense space
    points: np.ndarray  # (S, n, 2) float32
    stars: np.ndarray  # (S, 2, 2) float32: the typed sentences
    sense_of: np.ndarray  # (n,) int: index into `senses`; without labels FIRST, SECOND or BOTH: the star that the word is near
    texts: tuple[str, ...]  # (n,) the sentences, or the words
    labeled: bool  # whether the points are labeled sentences
    # Of labeled sentences:
    senses: tuple[str, ...] = ()  # names, as labels have them
    in_own: tuple[int, ...] = ()  # (S,) dots nearest the mean of their own sense's other dots
    nearest: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()  # (S,) the sense whose cloud each star is nearest to; two in a tie
    positions: tuple[int, ...] = ()  # (n,) of the word among the tokens of its sentence
    # Of words:
    distance: float | None = None  # the cosine distance of the stars in the sense space
    ring: float | None = None  # the median distance of same-meaning pairs, on the same scale

    def table(self, space: str) -> Frame:
        """Return a row for each point of a space: what hover and colors show."""
        names = self.senses if self.labeled else (t("first sentence"), t("second sentence"), t("both"))
        places = self.points[self.spaces.index(space)].round(3).tolist()
        rows = [(text, names[k], *place) for text, k, place in zip(self.texts, self.sense_of, places, strict=True)]
        columns = [t("sentence"), t("sense")] if self.labeled else [t("word"), t("near")]
        return frame(rows, columns=[*columns, "x", "y"])


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """The projection of one space onto its picture."""

    mean: np.ndarray  # (d,) is drawn at the origin
    axes: np.ndarray  # (2, d)

    def place(self, rows: np.ndarray) -> np.ndarray:
        """Project rows (m, d) to (m, 2)."""
        return (rows - self.mean) @ self.axes.T


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LabeledDots:
    """The part of a scene that depends only on the labeled word."""

    rows: np.ndarray  # (n,) of the table
    scene: Scene  # without stars
    projections: tuple[Projection, ...]  # (S,)
    clouds: np.ndarray  # (S, n) the sense whose cloud each dot is nearest to
    mean: np.ndarray | None  # of the labeled sentences' views in the sense space; None without one


def draw_labeled(table: OccurrenceTable, lemma: str, rows: np.ndarray, encode: Encode, space: SenseSpace | None) -> LabeledDots:
    """Place some labeled rows of a word, at most MOST_DOTS of them drawn at random."""
    if len(rows) > MOST_DOTS:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_DOTS, replace=False))
    occurrences = table.occurrences(rows)
    vectors = layer_vectors(table.rows.take(rows), encode([occurrence.tokens[occurrence.position] for occurrence in occurrences]))
    views = space.of_rows(table, rows) if space else None
    if views is not None:
        vectors[SENSES] = space.place(views, views.mean(axis=0), lemma)
    names, senses = np.unique([occurrence.sense for occurrence in occurrences], return_inverse=True)
    points, projections = arrange(vectors, senses)
    clouds = np.stack([left_out_clouds(places, senses) for places in points])
    scene = Scene(
        spaces=tuple(vectors),
        points=points,
        stars=np.zeros((len(points), 0, 2), np.float32),
        senses=tuple(map(str, names)),
        sense_of=senses,
        in_own=tuple(map(int, (clouds == senses).sum(axis=1) * points.any(axis=(1, 2)))),  # 0 if all dots share one point
        texts=tuple(occurrence.sentence for occurrence in occurrences),
        positions=tuple(occurrence.position for occurrence in occurrences),
        labeled=True,
    )
    mean = None if views is None else views.mean(axis=0)
    return LabeledDots(rows=rows, scene=scene, projections=projections, clouds=clouds, mean=mean)


def arrange(vectors: Vectors, senses: np.ndarray) -> tuple[np.ndarray, tuple[Projection, ...]]:
    """Lay out rows of every space, (S, n, 2) with their mean at the origin, each layout turned onto the last; and how to place others."""
    layouts = []
    for x in vectors.values():
        places, mean, axes = lay_out(x, senses)
        if is_point(x):
            places, axes = np.zeros_like(places), np.zeros_like(axes)
        middle = places.mean(axis=0)
        layouts.append((places - middle, Projection(mean + middle @ axes, axes)))
    target = layouts[-1][0]
    turns = [turn_onto(places, target) for places, _ in layouts]
    points = np.stack([places @ turn for (places, _), turn in zip(layouts, turns, strict=True)])
    projections = (Projection(item.mean, turn.T @ item.axes) for (_, item), turn in zip(layouts, turns, strict=True))
    return points.astype(np.float32), tuple(projections)


def add_stars(dots: LabeledDots, typed: Vectors, typed_dots: Sequence[int | None] = (None, None)) -> Scene:
    """Add two typed sentences to the labeled ones, from their rows (2, d) in every space.

    `typed_dots` are the numbers of the dots with the same sentences, or None. A star is placed on its dot, where no axis has seen it.
    """
    scene = dots.scene
    stars = np.stack([projection.place(typed[name]) for name, projection in zip(scene.spaces, dots.projections, strict=True)])
    is_other = np.ones((2, len(scene.sense_of)), bool)
    for star, dot in enumerate(typed_dots):
        if dot is not None:
            stars[:, star] = scene.points[:, dot]
            is_other[star, dot] = False
    nearest = tuple(
        tuple(nearest_senses(points[others], scene.sense_of[others], place) for others, place in zip(is_other, places, strict=True))
        for points, places in zip(scene.points, stars, strict=True)
    )
    return replace(scene, stars=stars.astype(np.float32), nearest=nearest)


def layer_vectors(layers: np.ndarray, isolated: np.ndarray) -> dict[str, np.ndarray]:
    """Return what the sentence adds to tokens (n, D) for each layer and the mix, from their layers (n, L, D) in it and alone."""
    layers, isolated = unit(np.asarray(layers, np.float32)), unit(np.asarray(isolated, np.float32))
    n_layers = layers.shape[1]
    results = {}
    for name in (*map(str, range(n_layers)), MIX):
        weights = layer_weights(name, n_layers)
        results[name] = mixed(layers, weights, axis=1, unit=True) - mixed(isolated, weights, axis=1, unit=True)
    return results


def find_near_words(cosines: np.ndarray, may_answer: np.ndarray, name: Callable[[int], str]) -> tuple[np.ndarray, np.ndarray]:
    """Choose up to WORDS words near each of two stars: return a row (n,) of each, and the star that it is near: FIRST, SECOND or BOTH (n,).

    `cosines` (2, N) are those of the rows of a table with both stars. `may_answer` (N,) marks the rows of other words. `name` returns a
    row's word; inflected forms have the same.
    """
    nearest: list[dict[str, int]] = []
    for values in cosines:
        words: dict[str, int] = {}
        for row in np.argsort(-np.where(may_answer, values, -np.inf), kind="stable")[: may_answer.sum()]:
            words.setdefault(name(int(row)), int(row))
            if len(words) == WORDS:
                break
        nearest.append(words)
    first, second = nearest
    words = {**first, **second}
    for word in first.keys() & second.keys():
        words[word] = max(first[word], second[word], key=lambda row: cosines[:, row].sum())
    star_of = dict.fromkeys(first, FIRST) | dict.fromkeys(second, SECOND) | dict.fromkeys(first.keys() & second.keys(), BOTH)
    return np.array(list(words.values()), int), np.array([star_of[word] for word in words], int)


def draw_unlabeled(words: Sequence[str], star_of: np.ndarray, points: Vectors, stars: Vectors, ring: float | None) -> Scene:
    """Place the words near two sentences along the line between both: rows (n, d) and (2, d) in every space, the last the sense space.

    `star_of` (n,) is that of `find_near_words`.
    """
    layouts = [along_line(points[name], stars[name]) for name in points]
    heights = layouts[-1][0][:, 1]
    for places, _ in layouts:
        if places[:, 1] @ heights < 0:  # every space has the orientation of the sense space
            places[:, 1] *= -1
    first, second = stars[SENSES]
    return Scene(
        spaces=tuple(points),
        points=np.stack([places for places, _ in layouts]).astype(np.float32),
        stars=np.stack([ends for _, ends in layouts]).astype(np.float32),
        sense_of=star_of,
        texts=tuple(words),
        distance=float(1 - first @ second),
        ring=ring,
        labeled=False,
    )


def along_line(points: np.ndarray, stars: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place rows by which of two stars they are nearer to, and by the widest direction of the rest.

    The horizontal place of a unit vector is half the difference of its cosines with both stars. So the distance between the stars, unit
    vectors too, is their cosine distance, on one scale for every pair. Places (n, 2) and stars (2, 2) have the middle of the stars at the
    origin.
    """
    if is_point(np.concatenate([points, stars])):
        return np.zeros((len(points), 2)), np.zeros((2, 2))
    middle = stars.mean(axis=0)
    half = (stars[1] - stars[0]) / 2
    direction = unit(half)
    rest = points - middle - np.outer((points - middle) @ direction, direction)
    vertical = fix_signs(np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)[2][:1])[0]
    places = np.column_stack([(points - middle) @ half, rest @ vertical])
    width = float(half @ half)
    return places, np.array([[-width, 0.0], [width, 0.0]])


def fit_axes(x: np.ndarray, senses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean (d,) of rows (n, d), d at least 2, and the two orthonormal axes (2, d) that separate their senses (n,) best.

    Two senses have one discriminant: the second axis is then the widest direction of the rest.
    """
    mean = x.mean(axis=0)
    if is_point(x):
        return mean, np.eye(2, x.shape[1], dtype=x.dtype)
    centered = x - mean
    _, widths, directions = np.linalg.svd(centered, full_matrices=False)
    span = directions[widths > THIN * widths[0]]
    discriminants = _discriminants(centered @ span.T, senses) @ span
    first = discriminants[0] if len(discriminants) else directions[0]
    if len(discriminants) > 1:
        second = discriminants[1]
    else:
        _, rest_widths, rest = np.linalg.svd(centered - np.outer(centered @ first, first), full_matrices=False)
        # Rows on a line leave nothing: any direction will do
        second = rest[0] if rest_widths[0] > THIN * widths[0] else np.eye(len(first))[np.abs(first).argmin()]
    return mean, fix_signs(np.stack([first, unit(second - (second @ first) * first)])).astype(x.dtype)


def lay_out(x: np.ndarray, senses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Place rows (n, d) with senses (n,), each on axes that were fitted without it, where an unseen sentence would be.

    The senses are cut into FOLDS parts. The places (n, 2) of a part come from axes of the other parts, turned onto those of all rows, whose
    mean (d,) and axes (2, d) are returned too, for other rows: (rows - mean) @ axes.T.
    """
    mean, axes = fit_axes(x, senses)
    on_all = (x - mean) @ axes.T
    # The rows' own coordinates: the axes depend on nothing else, and every fold is fitted in fewer numbers
    coordinates = (x - mean) @ np.linalg.svd(x - mean, full_matrices=False)[2].T
    folds = assign_folds(senses)
    places = np.zeros((len(x), 2), x.dtype)
    for fold in np.unique(folds):
        seen = folds != fold
        if not seen.any():
            continue
        seen_mean, seen_axes = fit_axes(coordinates[seen], senses[seen])
        on_seen = (coordinates - seen_mean) @ seen_axes.T  # the mean of the seen rows is at 0
        center = on_all[seen].mean(axis=0)
        places[~seen] = on_seen[~seen] @ turn_onto(on_seen[seen], on_all[seen] - center) + center
    return places, mean, axes


def assign_folds(senses: np.ndarray) -> np.ndarray:
    """Assign a fold to each row (n,), so that every sense gives each fold the same share of its rows."""
    folds = np.empty(len(senses), int)
    for sense in np.unique(senses):
        rows = np.random.default_rng(0).permutation(np.flatnonzero(senses == sense))
        folds[rows] = np.arange(len(rows)) % FOLDS
    return folds


def turn_onto(moving: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    """Find the rotation or reflection (2, 2) that brings centered places (n, 2) nearest to others (n, 2): moving @ turn (Schönemann 1966)."""
    u, _, v = np.linalg.svd(moving.T @ fixed)
    return u @ v


def nearest_senses(places: np.ndarray, senses: np.ndarray, point: np.ndarray) -> tuple[int, ...]:
    """Return the sense whose places (n, 2) have the mean nearest to a point (2,), and the next one in a tie."""
    names = np.unique(senses)
    distances = np.array([np.linalg.norm(places[senses == name].mean(axis=0) - point) for name in names])
    order = np.argsort(distances, kind="stable")[:2]
    is_tie = distances[order[0]] >= TIE * distances[order[-1]]
    return tuple(map(int, names[order if is_tie else order[:1]]))


def left_out_clouds(places: np.ndarray, senses: np.ndarray) -> np.ndarray:
    """Return for each place (n, 2) the sense whose cloud is nearest, by means without itself."""
    others = ~np.eye(len(places), dtype=bool)
    return np.array([nearest_senses(places[rest], senses[rest], place)[0] for rest, place in zip(others, places, strict=True)])


def _discriminants(x: np.ndarray, senses: np.ndarray) -> np.ndarray:
    """Return unit directions (k, d), best first: two, one for two senses, none if nothing varies within a sense or there is one sense."""
    n_senses = len(np.unique(senses))
    within = covariance_within(x, senses)
    if n_senses < 2 or np.trace(within) < 1e-12:
        return np.empty((0, x.shape[1]))
    between = shrunken_covariance(x) - within
    widths, directions = np.linalg.eigh(within)
    whitened = directions / np.sqrt(widths)
    _, turned = np.linalg.eigh(whitened.T @ between @ whitened)
    return unit((whitened @ turned[:, ::-1]).T[: min(2, n_senses - 1)])
