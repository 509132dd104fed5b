"""A map as data for its widget: dots, stars, groups and true neighbors in every space, as JSON."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from ..common import model_layers
from ..common.i18n import t
from ..common.model_layers import SENSES
from ..figures.style import OWN, ink, layer_color, layer_title
from ..index.neighbors import Occurrence
from ..senses.trust import Links
from ..text.readings import Chosen
from .texts import map_texts

NONE = "none"  # no point
STARS = {1: "first", 2: "second"}  # by the sentence's number
NEUTRAL = "#8c8c96"  # of dots in no group


def pack_numbers(numbers: np.ndarray, kind: str = "<f4") -> str:
    """Encode numbers as base64, little-endian float32 by default, for `decoded` in JavaScript."""
    return b64encode(np.ascontiguousarray(numbers, kind).tobytes()).decode("ascii")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Points:
    """The points of one map: N dots, each an occurrence, and S stars in K spaces."""

    names: Sequence[str]  # (K,) of the spaces
    coordinates: np.ndarray  # (K, N, 2)
    stars: np.ndarray  # (K, S, 2)
    chosen: Mapping[int, Chosen]  # the reader's sentences that are stars, by number
    occurrences: Sequence[Occurrence]  # (N,)
    groups: Sequence[Sequence[int]]  # of each dot, in every space or once for all: a number into `colors`, 0 for none
    colors: Sequence[str]
    chips: Sequence[tuple[str, int, int]]  # what a group is called, its number, its shape
    shapes: Sequence[int]  # (N,)
    notes: Sequence[str]  # (N,) what else is said of a dot
    links: Sequence[Sequence[Links]]  # true neighbors of the first dots, then of the stars, in every space
    labels: Sequence[tuple[str, int, np.ndarray]] = ()  # names on the map, their groups, and where they are: (K, 2)
    words: Sequence[Sequence[int]] = ()  # numbers of the dots whose words are written, in every space
    under: Sequence[str] = ()  # what is said under a space's name
    told: Mapping[str, str] = field(default_factory=dict)  # what a group's name means
    axes: tuple[str, str] | None = None


def map_data(shown: Points, *, title: str, alt: str) -> dict:
    """Return everything that the map of these points needs in any layer, as JSON. `alt` has a placeholder "{where}" for the space."""
    layers = model_layers.in_use()
    n_spaces, n, _ = shown.coordinates.shape
    places = np.concatenate([shown.coordinates, shown.stars], axis=1).astype(float)
    labels = np.array([[at[k] for _, _, at in shown.labels] for k in range(n_spaces)], float).reshape(n_spaces, -1, 2)
    everything = places.reshape(-1, 2)
    low, high = (everything.min(0), everything.max(0)) if len(everything) else (np.zeros(2), np.ones(2))
    linked = len(shown.links) - len(shown.chosen)
    origins = [*range(linked), *range(n, n + len(shown.chosen))]
    result = {
        "names": list(shown.names),
        "short": [t("sense") if name == SENSES else layers.label(name) for name in shown.names],
        "titles": [layers.heading(name) for name in shown.names],
        "where": [layer_title(name) for name in shown.names],
        "under": list(shown.under) or [""] * n_spaces,
        "tints": [layer_color(name) for name in shown.names],
        "places": pack_numbers(np.concatenate([places, labels], axis=1)),
        "limits": [float(low[0]), float(high[0]), float(low[1]), float(high[1])],
        "rows": [o.row for o in shown.occurrences],
        "groups": [[int(group) for group in each] for each in shown.groups],
        "colors": list(shown.colors),
        "chips": [{"name": name, "group": group, "shape": shape, "told": shown.told.get(name, "")} for name, group, shape in shown.chips],
        "shapes": [int(shape) for shape in shown.shapes],
        "lines": [o.around() for o in shown.occurrences],
        "notes": list(shown.notes),
        "stars": [
            {"name": STARS[k], "label": t("yours, {number}", number=k), "text": item.readable, "color": OWN[k - 1]}
            for k, item in shown.chosen.items()
        ],
        "labels": [
            {"name": name, "group": group, "color": shown.colors[group], "ink": ink(shown.colors[group])}
            | {"shown": [0.0, *[1.0] * (n_spaces - 1)] if n_spaces > 1 else [1.0]}
            for name, group, _ in shown.labels
        ],
        "words": [[int(k) for k in each] for each in shown.words] or None,
        "links": {str(k): [each.as_lists for each in links] for k, links in zip(origins, shown.links, strict=True)},
        "axes": shown.axes,
        "text": map_texts() | {"all": t("all layers"), "every": t("all tokens"), "title": title, "alt": alt},
    }
    return result | {"key": sha256(repr(result).encode("utf-8", "surrogatepass")).hexdigest()[:16]}


def point_named(name: str, rows: np.ndarray, numbers: Iterable[int]) -> int | None:
    """Return the number of a point: of a dot by its row, or of a star after the dots; None if there is no such point."""
    if name in STARS.values():
        return len(rows) + [STARS[number] for number in numbers].index(name)
    return None if name == NONE else int(np.flatnonzero(rows == int(name))[0])
