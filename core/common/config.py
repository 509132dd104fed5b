"""Frozen settings: folders, the shape of a biLM, its training, and maps."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from .errors import BadInput
from .i18n import t
from .markup import shorten

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "assets"
NEIGHBORS = 8  # the default number in lists: on pages, the command line and in notebooks
MOST_CHARACTERS = 1000  # of a token, that a model may read
PRECISIONS = FLOAT32, FLOAT16, INT8 = "float32", "float16", "int8"  # of the LSTMs' weights: see core.elmo.low_precision


def data_folder() -> Path | None:
    """Return the folder of local data named by ELMOSCOPE_DATA, or None."""
    value = os.environ.get("ELMOSCOPE_DATA")
    return Path(value) if value else None


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
        sizes = {name: getattr(self, name) for name in ("character_dim", "hidden", "projection", "n_layers")}
        sizes |= {"filters": min((n for filter_shape in self.filters for n in filter_shape), default=0), "n_highway": self.n_highway + 1}
        if wrong := [f"{name} {size - (name == 'n_highway')}" for name, size in sizes.items() if size < 1]:
            raise BadInput(t("options.json: sizes must be positive, got {options}", options=", ".join(wrong)))
        if not 3 <= self.max_characters <= MOST_CHARACTERS:
            values = {"most": MOST_CHARACTERS, "n": self.max_characters}
            raise BadInput(t("options.json: max_characters_per_token must be from 3 to {most}, got {n}.", **values))
        if max(width for width, _ in self.filters) > self.max_characters:
            values = {"most": self.max_characters, "filters": self.filters}
            raise BadInput(t("options.json: filters are at most {most} wide (max_characters_per_token), got {filters}", **values))
        if not (self.cell_clip > 0 and self.projection_clip > 0):  # written so that NaN fails too
            clips = {"cell": self.cell_clip, "projection": self.projection_clip}
            raise BadInput(t("options.json: clips must be positive, got {cell} and {projection}", **clips))

    @property
    def n_filters(self) -> int:
        """Return the number of filters of all widths."""
        return sum(count for _, count in self.filters)

    @property
    def n_parameters(self) -> int:
        """Return the number of parameters of a biLM of this shape, including its embeddings of 262 characters."""
        n, p, h = self.n_filters, self.projection, self.hidden
        characters = 262 * self.character_dim + sum(count * (self.character_dim * width + 1) for width, count in self.filters)
        return characters + self.n_highway * 2 * n * (n + 1) + (n + 1) * p + 2 * self.n_layers * (4 * h * (2 * p + 1) + p * h)

    @property
    def dim(self) -> int:
        """Return D = 2P, the size of one layer's vector (forward half, backward half)."""
        return 2 * self.projection

    @classmethod
    def from_options(cls, options: dict) -> ModelShape:
        """Read the dictionary of an options.json. Raises BadInput for a missing or unsupported entry."""
        try:
            lstm, cnn = options["lstm"], options["char_cnn"]
            if cnn.get("activation", "relu") != "relu":
                name = cnn["activation"]
                raise BadInput(t("options.json: activation '{name}' is unsupported, use 'relu'.", name=shorten(name)))
            return cls(
                filters=tuple((int(width), int(count)) for width, count in cnn["filters"]),
                character_dim=int(cnn["embedding"]["dim"]),
                n_highway=int(cnn["n_highway"]),
                hidden=int(lstm["dim"]),
                projection=int(lstm["projection_dim"]),
                n_layers=int(lstm["n_layers"]),
                cell_clip=float(lstm.get("cell_clip") or float("inf")),
                projection_clip=float(lstm.get("proj_clip") or float("inf")),
                skip_connections=bool(lstm.get("use_skip_connections", False)),
                max_characters=int(cnn.get("max_characters_per_token", 50)),
            )
        except KeyError as missing:
            message = t("options.json has no {name}; it needs 'lstm' and 'char_cnn'.", name=missing)
            raise BadInput(message) from None
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BadInput(t("options.json has an invalid value: {error}. Correct it.", error=error)) from None

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


# elmo-mini's shape: ELMo "small", except for the char-CNN. It has more windows in place of a highway layer, and most of them match complete
# words. So it encodes spelling better (figures in its model card) and faster, because such a window is matched at one place only.
MINI = ModelShape(filters=((1, 32), (2, 64), (3, 512), (4, 1024), (5, 2048), (7, 8192), (12, 32768)), n_highway=0)
