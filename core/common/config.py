"""Folders, defaults, and the shape of a biLM."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from .errors import BadInput
from .i18n import t
from .markup import shorten

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "assets"
NEIGHBORS = 8  # the default number in lists: on pages, the command line and in notebooks
MOST_CHARACTERS = 1000  # the largest `max_characters_per_token` of a model
PRECISIONS = FLOAT32, FLOAT16, INT8 = "float32", "float16", "int8"  # of the LSTMs' weights: see core.elmo.model


def data_folder() -> Path | None:
    """Return the folder of local data named by ELMOSCOPE_DATA, or None."""
    return Path(value) if (value := os.environ.get("ELMOSCOPE_DATA")) else None


def cache_folder() -> Path:
    """Return the folder of downloads, indexes and fitted maps: ELMOSCOPE_CACHE, or the system's cache folder of the user."""
    if value := os.environ.get("ELMOSCOPE_CACHE"):
        return Path(value)
    return user_cache_path("elmoscope", appauthor=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """The shape of a biLM as in ELMo's options.json (Peters et al. 2018, section 3.1)."""

    filters: tuple[tuple[int, int], ...] = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
    character_dim: int = 16  # size of a character's embedding
    n_highway: int = 1  # highway layers after the convolutions
    hidden: int = 1024  # H, LSTM cell size
    projection: int = 128  # P, output of the char-CNN and of each LSTM layer
    n_layers: int = 2  # LSTM layers in each direction
    cell_clip: float = 3.0
    projection_clip: float = 3.0
    skip_connections: bool = True  # the second LSTM layer adds its input
    max_characters: int = 50  # ids of a token: two mark its ends, the others are its first bytes

    def __post_init__(self) -> None:
        sizes = {
            "lstm.dim": self.hidden,
            "lstm.projection_dim": self.projection,
            "lstm.n_layers": self.n_layers,
            "char_cnn.embedding.dim": self.character_dim,
            "char_cnn.n_highway": self.n_highway,
            "char_cnn.filters": min(map(min, self.filters), default=0),
        }
        least = {"char_cnn.n_highway": 0}  # and 1 of the others
        if wrong := [f"{key} = {size}" for key, size in sizes.items() if size < least.get(key, 1)]:
            raise BadInput(t("options.json: sizes must be positive, got {options}.", options=", ".join(wrong)))
        if not 3 <= self.max_characters <= MOST_CHARACTERS:
            values = {"most": MOST_CHARACTERS, "n": self.max_characters}
            raise BadInput(t("options.json: max_characters_per_token must be from 3 to {most}, got {n}.", **values))
        if max(width for width, _ in self.filters) > self.max_characters:
            values = {"most": self.max_characters, "filters": self.filters}
            raise BadInput(t("options.json: filters are at most {most} wide (max_characters_per_token), got {filters}.", **values))
        if not (self.cell_clip > 0 and self.projection_clip > 0):  # written so that NaN fails too
            clips = {"cell": self.cell_clip, "projection": self.projection_clip}
            raise BadInput(t("options.json: clips must be positive, got {cell} and {projection}.", **clips))

    @property
    def n_filters(self) -> int:
        """Return the number of filters of all widths."""
        return sum(count for _, count in self.filters)

    @property
    def parameters(self) -> dict[str, int]:
        """Return the number of parameters by part, including the embeddings of 262 characters, without the softmax."""
        n, p, h = self.n_filters, self.projection, self.hidden
        convolutions = sum(count * (self.character_dim * width + 1) for width, count in self.filters)
        highways = self.n_highway * 2 * n * (n + 1)
        lstm = 4 * h * (2 * p + 1) + p * h  # of one direction and layer: gates from input and state, projection
        return {"char-CNN": 262 * self.character_dim + convolutions + highways + (n + 1) * p, "LSTMs": 2 * self.n_layers * lstm}

    @property
    def n_parameters(self) -> int:
        """Return the number of parameters of all parts."""
        return sum(self.parameters.values())

    @property
    def dim(self) -> int:
        """Return D = 2P, the size of one layer's vector (forward half, backward half)."""
        return 2 * self.projection

    @classmethod
    def from_options(cls, options: dict) -> ModelShape:
        """Read the dictionary of an options.json. Raises BadInput, with the key, for an entry that is missing, wrong or unsupported."""
        activation = _entry(options, "char_cnn.activation", "relu")
        if activation != "relu":
            raise BadInput(t("options.json: activation '{name}' is unsupported, use 'relu'.", name=shorten(activation)))
        return cls(
            filters=_filters(options),
            character_dim=_whole_number(options, "char_cnn.embedding.dim"),
            n_highway=_whole_number(options, "char_cnn.n_highway"),
            hidden=_whole_number(options, "lstm.dim"),
            projection=_whole_number(options, "lstm.projection_dim"),
            n_layers=_whole_number(options, "lstm.n_layers"),
            cell_clip=_clip(options, "lstm.cell_clip"),
            projection_clip=_clip(options, "lstm.proj_clip"),
            skip_connections=bool(_entry(options, "lstm.use_skip_connections", None, kind=lambda value: isinstance(value, bool | None))),
            max_characters=_whole_number(options, "char_cnn.max_characters_per_token", 50),
        )

    def to_options(self) -> dict:
        """Return the dictionary of an options.json for AllenNLP 2.10.1."""
        return {
            "lstm": {
                "use_skip_connections": self.skip_connections,
                "projection_dim": self.projection,
                "cell_clip": self.cell_clip,
                "proj_clip": self.projection_clip,
                "dim": self.hidden,
                "n_layers": self.n_layers,
            },
            "char_cnn": {
                "activation": "relu",
                "filters": [list(f) for f in self.filters],
                "n_highway": self.n_highway,
                "embedding": {"dim": self.character_dim},
                "n_characters": 262,  # AllenNLP's count; it writes 261 only for the published files' own training
                "max_characters_per_token": self.max_characters,
            },
        }


def _entry(options: object, key: str, *default: object, kind: Callable[[Any], bool] = lambda _: True) -> Any:
    """Return the entry of an options.json at a dotted key, or the default.

    Raises BadInput if the entry is missing without a default, has no such parent, or is not of its `kind`.
    """
    parent, _, name = key.rpartition(".")
    entries = _entry(options, parent) if parent else options
    if not isinstance(entries, dict):
        raise _invalid(parent, entries)
    if name not in entries and not default:
        raise BadInput(t("options.json has no '{name}', which a model needs. Get the model again.", name=key))
    if not kind(value := entries.get(name, *default)):
        raise _invalid(key, value)
    return value


def _invalid(key: str, value: object) -> BadInput:
    """Return the error for an entry of an options.json, which names it and quotes its value as the file does."""
    text = shorten(json.dumps(value))
    return BadInput(t("options.json has an invalid value: {error}. Correct it.", error=f"{key} = {text}" if key else text))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    """Return whether a value is a whole number below a billion, such as 2 or 2.0."""
    return _is_number(value) and abs(value) < 1e9 and float(value).is_integer()


def _whole_number(options: object, key: str, *default: int) -> int:
    return int(_entry(options, key, *default, kind=_is_whole))


def _filters(options: object) -> tuple[tuple[int, int], ...]:
    key = "char_cnn.filters"
    filters = _entry(options, key, kind=lambda value: isinstance(value, list))
    for pair in filters:
        if not (isinstance(pair, list) and len(pair) == 2 and all(map(_is_whole, pair))):
            raise _invalid(key, pair)
    return tuple((int(width), int(count)) for width, count in filters)


def _clip(options: object, key: str) -> float:
    """Return a clip value, infinite if it is missing, null or 0."""
    value = _entry(options, key, None, kind=lambda value: value is None or _is_number(value))
    try:
        return float(value or "inf")
    except OverflowError:
        raise _invalid(key, value) from None


# elmo-mini's shape: ELMo "small", except for the char-CNN. It has more windows in place of a highway layer, and most of them match complete
# words. So it encodes spelling better (figures in its model card) and faster, because such a window is matched at one place only.
MINI = ModelShape(filters=((1, 32), (2, 64), (3, 512), (4, 1024), (5, 2048), (7, 8192), (12, 32768)), n_highway=0)
