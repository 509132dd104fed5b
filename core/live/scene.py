"""Home's picture as data for its widget: the scene of a word in two sentences, drawn by the map's script."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from ..common import model_layers
from ..common.i18n import t
from ..common.markup import shorten
from ..common.model_layers import SENSES
from ..figures.style import OWN, sense_color
from ..index.neighbors import Occurrence
from ..senses.scene import Scene
from ..text import languages
from ..text.readings import Chosen
from .points import NEUTRAL, Points, map_data
from .texts import say_own, say_point, scene_texts, stop_name

UNLABELED_LIMITS = (-0.65, 0.65, -0.57, 0.57)  # cosine distances: the same for every word without labels, so that pictures compare
NEAR_BOTH = "#B4B4BE"
GAP = 0.07  # between a cloud and its name, of the picture's extent


def scene_data(scene: Scene, word: str, chosen: Mapping[int, Chosen]) -> dict:
    """Return everything that the map's script needs to draw a scene, as JSON. `chosen` holds both typed sentences, by number."""
    layers, text = model_layers.in_use(), scene_texts(labeled=scene.labeled)
    groups = np.asarray(scene.sense_of) + 1
    points = Points(
        names=scene.spaces,
        coordinates=scene.points,
        stars=scene.stars,
        chosen=chosen,
        occurrences=occurrences(scene),
        groups=[groups.tolist()],
        colors=group_colors(scene),
        chips=[(sense, k, k - 1) for k, sense in enumerate(scene.senses, 1)],
        shapes=(groups - 1).tolist() if scene.labeled else [0] * len(groups),
        notes=[scene.senses[k] for k in scene.sense_of] if scene.labeled else [""] * len(groups),
        links=[(), ()],
        labels=labels(scene),
        under=[caption(scene, space) for space in scene.spaces],
    )
    values = {"word": shorten(word), "n": len(groups), "where": "{where}"}
    data = map_data(points, title=text["title"].format(**values), alt=text["alt"].format(**values))
    stars = [star | {"label": label} for star, label in zip(data["stars"], text["stars"], strict=True)]
    ring = None if scene.ring is None else {"radius": scene.ring, "shown": [float(name == SENSES) for name in scene.spaces]}
    short = [stop_name(layers, space) for space in scene.spaces]
    limits = data["limits"] if scene.labeled else list(UNLABELED_LIMITS)
    return data | {"stars": stars, "limits": limits, "short": short, "compact": True, "takes": scene.labeled, "ring": ring}


def group_colors(scene: Scene) -> list[str]:
    """Return the colors of no group, then of each sense; without labels, of words near the first star, the second, or both."""
    return [NEUTRAL, *map(sense_color, range(len(scene.senses)))] if scene.labeled else [NEUTRAL, *OWN, NEAR_BOTH]


def labels(scene: Scene) -> list[tuple[str, int, np.ndarray]]:
    """Return the names of the clouds at their rims; without labels, every word at its own place."""
    if not scene.labeled:
        return [
            (shorten(word), int(group) + 1, scene.points[:, k])
            for k, (word, group) in enumerate(zip(scene.texts, scene.sense_of, strict=True))
        ]
    clouds = [(name, k, scene.sense_of == k) for k, name in enumerate(scene.senses)]
    return [(name, k + 1, np.stack([above_or_below(flat[rows], flat) for flat in scene.points])) for name, k, rows in clouds]


def above_or_below(cloud: np.ndarray, everything: np.ndarray) -> np.ndarray:
    """Return the place of a cloud's name: above it, or below it if that is farther from the middle."""
    middle, (x, y) = everything.mean(axis=0), np.median(cloud, axis=0)
    side = 1 if y >= middle[1] else -1
    rim = side * np.quantile(side * cloud[:, 1], 0.85)
    return np.array([x, rim + side * GAP * np.ptp(everything, axis=0).max()])


def caption(scene: Scene, space: str) -> str:
    """Return the text under the slider at a space: how many sentences are closest to their own sense."""
    place = scene.spaces.index(space)
    if not np.ptp(scene.points[place], axis=0).any():
        return say_point()
    if not scene.labeled:
        return t("Words near each sentence. Within the ring: as near as two sentences of one meaning.") if space == SENSES else ""
    return say_own(scene.in_own[place], len(scene.sense_of))


def occurrences(scene: Scene) -> Sequence[Occurrence]:
    """Return the labeled sentences, or the words, with the number of the dot as row."""
    return _occurrences(scene.texts, scene.positions, languages.in_use().code)


@lru_cache(maxsize=64)
def _occurrences(texts: tuple[str, ...], positions: tuple[int, ...], code: str) -> tuple[Occurrence, ...]:
    language = languages.get_language(code)
    results = []
    for row, text in enumerate(texts):
        tokens = tuple(language.tokenize(text)) if positions else (text,)
        position = min(positions[row], len(tokens) - 1) if positions else 0
        results.append(Occurrence(row, tokens[position], tokens, position, None, None, text if positions else None))
    return tuple(results)
