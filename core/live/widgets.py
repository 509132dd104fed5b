"""Maps, Home's picture and the curves of "What decides" as data for their widgets, and the settings that these send back.

What the browser sends is validated here. A selection on one map is linked to the others of the same word (`Brush`).
"""

from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256

import numpy as np

from ..analysis.word_maps import Links
from ..common import model_layers
from ..common.i18n import t
from ..common.markup import shorten
from ..common.model_layers import SENSES
from ..figures.influence import EvidenceRow
from ..figures.maps import NEAR_BOTH, outer_edge
from ..figures.style import DIFFERENT, OWN, SAME, ink, layer_color, layer_title, sense_color
from ..index.rows import Occurrence
from ..senses.densities import Density
from ..senses.scene import Scene
from ..text import languages
from ..text.readings import Chosen
from ..views.pair import Judgment
from .texts import curve_texts, kind_names, map_texts, plain_name, say_like, say_own, say_point, say_together, scene_texts, stop_name

NONE = "none"  # no point
STARS = {1: "first", 2: "second"}  # by the sentence's number
TOP = 5.0  # upper end of the slider for gamma
TABLE = "map.table"  # a source of selections other than a map
NEUTRAL = "#8c8c96"  # dots in no group
UNLABELED_LIMITS = (-1.05, 1.05, -0.57, 0.57)  # cosine distances, rings included: the same for every word without labels


def pack_numbers(numbers: np.ndarray, kind: str = "<f4") -> str:
    """Encode numbers as base64, little-endian float32 by default, for `decoded` in JavaScript."""
    return b64encode(np.ascontiguousarray(numbers, kind).tobytes()).decode("ascii")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Points:
    """The points of one map: N dots, each an occurrence, and S stars in K spaces."""

    names: Sequence[str]  # (K,) of the spaces
    coordinates: np.ndarray  # (K, N, 2)
    stars: np.ndarray  # (K, S, 2)
    chosen: Mapping[int, Chosen]  # the user's sentences that are stars, by number
    occurrences: Sequence[Occurrence]  # (N,)
    groups: Sequence[Sequence[int]]  # the group of each dot, by space or once for all: a number into `colors`, 0 for none
    colors: Sequence[str]
    chips: Sequence[tuple[str, int, int]]  # a group's name, number and shape
    shapes: Sequence[int]  # (N,)
    notes: Sequence[str]  # (N,)
    links: Sequence[Sequence[Links]]  # true neighbors of the first dots, then of the stars, in every space
    labels: Sequence[tuple[str, int, np.ndarray]] = ()  # names on the map, their groups, and where they are: (K, 2)
    words: Sequence[Sequence[int]] = ()  # numbers of the dots whose words are written, in every space
    under: Sequence[str] = ()  # the text under a space's name
    meanings: Mapping[str, str] = field(default_factory=dict)  # definitions by group name
    axes: tuple[str, str] | None = None


def map_data(points: Points, *, title: str, alt: str) -> dict:
    """Return everything that the map of these points needs in any layer, as JSON. `alt` has a placeholder "{where}" for the space."""
    layers = model_layers.in_use()
    n_spaces, n, _ = points.coordinates.shape
    places = np.concatenate([points.coordinates, points.stars], axis=1).astype(float)
    labels = np.array([[spots[k] for _, _, spots in points.labels] for k in range(n_spaces)], float).reshape(n_spaces, -1, 2)
    everything = places.reshape(-1, 2)
    low, high = np.zeros(2), np.ones(2)
    if len(everything):
        low, high = everything.min(0), everything.max(0)
    linked = len(points.links) - len(points.chosen)
    origins = [*range(linked), *range(n, n + len(points.chosen))]
    result = {
        "names": list(points.names),
        "short": [t("sense") if name == SENSES else layers.label(name) for name in points.names],
        "titles": [layers.heading(name) for name in points.names],
        "where": [layer_title(name) for name in points.names],
        "under": list(points.under) or [""] * n_spaces,
        "tints": [layer_color(name) for name in points.names],
        "places": pack_numbers(np.concatenate([places, labels], axis=1)),
        "limits": [float(low[0]), float(high[0]), float(low[1]), float(high[1])],
        "rows": [o.row for o in points.occurrences],
        "groups": [[int(group) for group in groups] for groups in points.groups],
        "colors": list(points.colors),
        "chips": [
            {"name": name, "group": group, "shape": shape, "told": points.meanings.get(name, "")} for name, group, shape in points.chips
        ],
        "shapes": [int(shape) for shape in points.shapes],
        "lines": [o.around() for o in points.occurrences],
        "notes": list(points.notes),
        "stars": [
            {"name": STARS[k], "label": t("yours, {number}", number=k), "text": item.readable, "color": OWN[k - 1]}
            for k, item in points.chosen.items()
        ],
        "labels": [
            {"name": name, "group": group, "color": points.colors[group], "ink": ink(points.colors[group])}
            | {"shown": [0.0, *[1.0] * (n_spaces - 1)] if n_spaces > 1 else [1.0]}
            for name, group, _ in points.labels
        ],
        "words": [[int(k) for k in numbers] for numbers in points.words] or None,
        "links": {str(k): [link.as_lists for link in links] for k, links in zip(origins, points.links, strict=True)},
        "axes": points.axes,
        "text": map_texts() | {"all": t("all layers"), "every": t("all tokens"), "title": title, "alt": alt},
    }
    return result | {"key": sha256(repr(result).encode("utf-8", "surrogatepass")).hexdigest()[:16]}


def point_named(name: str, rows: np.ndarray, numbers: Iterable[int]) -> int | None:
    """Return the number of a point: of a dot by its row, or of a star after the dots; None if there is no such point."""
    if name in STARS.values():
        return len(rows) + [STARS[number] for number in numbers].index(name)
    return None if name == NONE else int(np.flatnonzero(rows == int(name))[0])


def scene_data(scene: Scene, word: str, chosen: Mapping[int, Chosen]) -> dict:
    """Return everything that the map's script needs to draw a scene, as JSON. `chosen` holds both typed sentences, by number."""
    layers = model_layers.in_use()
    text = scene_texts(labeled=scene.labeled)
    groups = np.asarray(scene.sense_of) + 1  # without labels: near the first star, the second, or both
    colors = map(sense_color, range(len(scene.senses))) if scene.labeled else (*OWN, NEAR_BOTH)
    points = Points(
        names=scene.spaces,
        coordinates=scene.points,
        stars=scene.stars,
        chosen=chosen,
        occurrences=occurrences(scene),
        groups=[groups.tolist()],
        colors=[NEUTRAL, *colors],
        chips=[(sense, k, k - 1) for k, sense in enumerate(scene.senses, 1)],
        shapes=(groups - 1).tolist() if scene.labeled else [0] * len(groups),
        notes=[scene.senses[k] for k in scene.sense_of] if scene.labeled else [""] * len(groups),
        links=[(), ()],
        labels=labels(scene),
        under=[caption(scene, space) for space in scene.spaces],
    )
    values = {"word": shorten(word), "n": len(groups), "where": "{where}"}
    data = map_data(points, title=text["title"].format(**values), alt=text["alt"].format(**values))
    return data | {
        "stars": [star | {"label": label} for star, label in zip(data["stars"], text["stars"], strict=True)],
        "limits": data["limits"] if scene.labeled else list(UNLABELED_LIMITS),
        "short": [stop_name(layers, space) for space in scene.spaces],
        "compact": True,
        "takes": scene.labeled,
        "ring": None if scene.ring is None else {"radius": scene.ring, "shown": [float(name == SENSES) for name in scene.spaces]},
    }


def labels(scene: Scene) -> list[tuple[str, int, np.ndarray]]:
    """Return the names of the clouds at their rims; without labels, every word at its own place."""
    if not scene.labeled:
        places = np.moveaxis(scene.points, 1, 0)  # (N, K, 2)
        return [(shorten(word), int(group) + 1, place) for word, group, place in zip(scene.texts, scene.sense_of, places, strict=True)]
    results = []
    for number, name in enumerate(scene.senses):
        is_of_sense = scene.sense_of == number
        results.append((name, number + 1, np.stack([outer_edge(flat[is_of_sense], flat) for flat in scene.points])))
    return results


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


def decisive_rows(densities: Mapping[str, Density], judgment: Judgment) -> list[EvidenceRow]:
    """Return a row for each kind of evidence of a verdict that has densities."""
    values = judgment.verdict.evidence if judgment.verdict else {}
    return [EvidenceRow(name, densities[kind], values[kind]) for kind, name in kind_names().items() if kind in densities and kind in values]


def plain_rows(densities: Mapping[str, Density], cosines: Mapping[str, float]) -> dict[str, EvidenceRow]:
    """Return the plain cosine by layer and mix, if it has densities."""
    named = {space: plain_name(model_layers.in_use(), space) for space in cosines if space in densities}
    return {space: EvidenceRow(name, densities[space], cosines[space]) for space, name in named.items()}


def say_probability(judgment: Judgment) -> str:
    """Return the verdict's own probability, in words."""
    if (verdict := judgment.verdict) is None:
        return ""
    share = min(99, max(1, round(100 * verdict.probability)))
    return say_together(verdict.says, share, 100 - share)


def curves_data(rows: Sequence[EvidenceRow], plain: Mapping[str, EvidenceRow], spaces: Sequence[str], usual: str, sure: str) -> dict:
    """Return all that the curves' script needs, as JSON: the evidence that decides, and the cosine alone in each space of the slider.

    The sense space shows that of the `usual` layer. `sure` is the verdict's own probability, in words.
    """
    gray = [plain.get(space, plain.get(usual)) for space in spaces]
    return {
        "rows": [row.as_lists for row in rows],
        "plain": [row.as_lists if row else None for row in gray],
        "colors": [SAME, DIFFERENT],
        "text": curve_texts() | {"sure": sure, "alt": describe(rows, sure)},
    }


def describe(rows: Sequence[EvidenceRow], sure: str) -> str:
    """Return what the curves show, in words."""
    return " ".join([f"{curve_texts()['title']}:", *(say_like(row.name, same=row.favors_same) for row in rows), sure])


def mix_setting(sent: dict, n_layers: int, limit: float) -> tuple[list[float], float, bool] | None:
    """Return raw scores within `limit`, gamma, and whether layers are normalized; None if the setting is invalid."""
    w, gamma = sent.get("w"), sent.get("gamma")
    if not isinstance(w, list) or len(w) != n_layers:
        return None
    try:
        numbers = [float(item) for item in (*w, gamma)]
    except (TypeError, ValueError, OverflowError):
        return None
    if not np.isfinite(numbers).all():
        return None
    *scores, gamma = numbers
    return [round(min(limit, max(-limit, item)), 1) for item in scores], round(min(TOP, max(0.1, gamma)), 1), bool(sent.get("norm"))


def map_setting(sent: dict, views: Collection[str], rows: Collection[int]) -> tuple[str, str, list[int]] | None:
    """Return the view, the point whose lines are drawn, and the selected rows; None if the setting is invalid."""
    view = sent.get("view")
    dot = sent.get("dot")
    picked = sent.get("picked")
    if view not in views or not isinstance(dot, str) or not isinstance(picked, list):
        return None
    row_set = {int(row) for row in rows}
    return view, dot, [row for row in picked if isinstance(row, int) and row in row_set]


@dataclass
class Brush:
    """The selection on the maps of one word, and the state in which each map was last drawn."""

    scope: tuple  # identifies the rows that the ids belong to
    picked: tuple[int, ...] = ()
    source: str = ""  # the map, or the table, in which it was selected
    version: int = 0  # the table's; it is mounted again when the selection was made elsewhere
    order: tuple[int, ...] = ()  # ids of the table's rows in order ...
    ticked: int = 0  # how many of them were selected when it was mounted
    states: dict[str, tuple] = field(default_factory=dict)  # map -> (picked, what else it shows, limits)
    turns: dict[str, int] = field(default_factory=dict)  # map -> how often it had to be mounted again with the same figure
    zooms: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def select(self, rows: Sequence[int], source: str) -> None:
        """Replace the selection by the one made in `source`."""
        if self.source != source and self.source in self.states:  # it shows a selection of its own, which is over
            del self.states[self.source]
            self.turns[self.source] = self.turns.get(self.source, 0) + 1
        self.picked, self.source = tuple(dict.fromkeys(rows)), source
        if source != TABLE:
            self.version, self.order = self.version + 1, ()

    def figure_of(self, name: str, shows, limits: tuple[float, ...]) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Return the selected rows and limits for the map `name`; the ones it has, if only what it already shows has changed."""
        picked, before, _ = self.states.get(name, (None, None, None))
        if name not in self.states or before != shows or (name != self.source and picked != self.picked):
            self.states[name] = self.picked, shows, self.zooms.get(name, limits)
        return self.states[name][0], self.states[name][2]
