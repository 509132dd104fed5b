"""The layers of the selected model: their number, the spaces that they form with their mix, and the names of both.

A space is a layer, named by its number ("0", "1", ...), or the layer mix ("mix"). Everything that lists, weights, draws or names layers
uses this module, so that it works for a model of any depth. Layer 0 is ELMo's spelling, or a transformer's embeddings. Some models also
have the sense space ("senses", core.index.sense_space), which is not a layer mix.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from .config import ModelShape
from .errors import BadInput
from .i18n import InThread, t

MIX = "mix"
SENSES = "senses"
FEW = 5  # layers that fit side by side; more are on a slider
MOST_LAYERS = 1000  # of a model
ELMO = "ELMo"
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
# The entries by which configurations of `transformers` say how many blocks an encoder, or else a decoder, has.
DEPTHS = ("encoder_layers", "num_hidden_layers", "n_layers", "n_layer", "num_layers")


@dataclass(frozen=True, slots=True)
class Layers:
    """The `n` layers of a model, layer 0 included. `transformer` is its name, or "" for a biLM."""

    n: int = 3
    transformer: str = ""

    @property
    def is_elmo(self) -> bool:
        """Return whether the model is a biLM."""
        return not self.transformer

    @property
    def called(self) -> str:
        """Return the model's name within a sentence."""
        return self.transformer or ELMO

    @property
    def alone(self) -> tuple[str, ...]:
        """Return the spaces that are single layers."""
        return tuple(map(str, range(self.n)))

    @property
    def spaces(self) -> tuple[str, ...]:
        """Return all layers and the layer mix."""
        return (*self.alone, MIX)

    @property
    def reading(self) -> tuple[str, ...]:
        """Return the layers with context: all except layer 0."""
        return self.spaces[1:]

    @property
    def top(self) -> str:
        """Return the top layer."""
        return str(self.n - 1)

    @property
    def few(self) -> bool:
        """Return whether all spaces fit side by side."""
        return self.n <= FEW

    @property
    def some(self) -> tuple[str, ...]:
        """Return all spaces if they fit side by side, else four: layer 0, a middle one, the top and the mix."""
        return self.spaces if self.few else ("0", str((self.n - 1) // 2), self.top, MIX)

    def at_depth(self, space: str, layers: Layers) -> str:
        """Return the space of another model at the same relative depth: bottom for bottom, top for top, mix for mix."""
        return space if space in (MIX, SENSES) else str(round(int(space) * (layers.n - 1) / max(1, self.n - 1)))

    def title(self, space: str) -> str:
        """Return a space's name within a sentence."""
        if space in (MIX, SENSES):
            return t("the layer mix") if space == MIX else t("the sense space")
        if self.is_elmo:
            return t("layer {layer}", layer=space)
        return t("the embeddings") if space == "0" else t("layer {layer} of {n}", layer=space, n=self.n - 1)

    def short(self, space: str) -> str:
        """Return a space's name next to a bar or below arrows."""
        return t("layer mix") if space == MIX else self.title(space)

    def at(self, space: str, *, begins: bool = False) -> str:
        """Return the adverbial of a space, as in "the cosine is 0.75 at layer 1", capitalized if it `begins` a sentence."""
        if begins:
            where = self.at(space)
            return where[:1].upper() + where[1:]
        if space in (MIX, SENSES):
            return t("in the layer mix") if space == MIX else t("in the sense space")
        if self.is_elmo:
            return t("at layer {layer}", layer=space)
        return t("in the embeddings") if space == "0" else t("at layer {layer} of {n}", layer=space, n=self.n - 1)

    def heading(self, space: str) -> str:
        """Return a space's name as a heading, with an explanation."""
        if space == MIX:
            return t("Layer mix, equal weights")
        if space == SENSES:
            return t("Sense space")
        if self.is_elmo:
            return t("Layer 0 · spelling only") if space == "0" else t("Layer {layer}", layer=space)
        return t("The embeddings · no context") if space == "0" else t("Layer {layer} of {n}", layer=space, n=self.n - 1)

    def label(self, space: str) -> str:
        """Return a space's name on a button or in a column."""
        if space in (MIX, SENSES):
            return t("mix") if space == MIX else t("sense space")
        return t("embeddings") if space == "0" and not self.is_elmo else space

    def weight_name(self, space: str) -> str:
        """Return the name of a layer's weight slider."""
        return t("w{subscript}, {layer}", subscript=subscript(int(space)), layer=self.title(space))


_layers: InThread[Layers] = InThread("layers")
use, follow = _layers.use, _layers.follow
speaking_of = _layers.within  # for a second model that is compared with the selected one


def in_use() -> Layers:
    """Return the layers of the selected model, by default elmo-mini's."""
    return _layers.get() or Layers()


def subscript(number: int) -> str:
    """Return a number as a subscript, as in h₀."""
    return str(number).translate(_SUBSCRIPTS)


def name_of(folder: Path) -> str:
    """Return a transformer's name from its folder, without its owner and without characters that markup interprets."""
    name = folder.parents[1].name if folder.parent.name == "snapshots" else folder.name
    return re.sub(r"[^\w .+-]", "-", name.rpartition("--")[2])[:60] or "transformer"


def of_folder(folder: Path) -> Layers:
    """Return a model folder's layers from its options, without opening it; elmo-mini's if they cannot be read."""
    try:
        paths = [path for path in folder.glob("*options*.json") if not path.name.startswith(".")]
        transformer = ""
        if options := sorted(paths, key=lambda path: (path.name != "options.json", path.name)):
            depth = ModelShape.from_options(json.loads(options[0].read_bytes())).n_layers
        else:
            config = json.loads((folder / "config.json").read_bytes())
            config = config.get("text_config", config)
            depth = next(config[entry] for entry in DEPTHS if entry in config)
            transformer = name_of(folder)
        return Layers(int(depth) + 1, transformer) if depth in range(1, MOST_LAYERS) else Layers()
    except (BadInput, OSError, ValueError, RecursionError, TypeError, AttributeError, StopIteration):
        return Layers()
