"""Pack what the page's engine reads into one file: a biLM's weights, its words and the labeled sentences, with matrices in 8 bits."""

import gzip
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from ..analysis.word_maps import map_rows
from ..common.config import ModelShape
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits
from ..common.model_layers import MIX
from ..learning.folders import quantize
from ..senses.calibration import calibration_of
from ..senses.verdict import is_also_a_name
from ..text.target_word import words_of
from ..views import layouts, pair
from ..workspace import Workspace
from .widgets import labels

WIDE = 16  # columns of a matrix are padded to a multiple (kernel.js)
KINDS = {"int8": "i8", "uint8": "u8", "int32": "i32", "float32": "f32"}
MOST_PARAMETERS = 32_000_000  # of a model without its softmax; each takes about a byte of the page
COMMONEST = 20_000  # words of the softmax that can be substitutes
FINE = 1_500_000  # weights of a convolution up to which its rounding error is packed too, as 8 bits more
STATIC = 40_000  # words that have their static vector in the page
FILTERS_AT_ONCE = 2048
NO_CLIP = 1e9  # a bound that no number reaches, because JSON has no infinity
SCRIPTS = {"Latin": "a", "Hangul": "가", "Greek": "α", "Cyrillic": "я", "Han": "水", "Hiragana": "あ", "Katakana": "ア"}
SCRIPTS |= {"Arabic": "ب", "Devanagari": "क"}
# Name of a list in the page -> field of core.text.target_word.Words
LISTS = {"own": "separate"} | {name: name for name in ("function", "common", "graded", "before_nouns", "either")}


class Pack:
    """A pack that is filled array by array and then written with its facts."""

    def __init__(self) -> None:
        self._arrays: dict[str, dict[str, Any]] = {}
        self._parts: list[bytes] = []
        self._end = 0

    def add(self, name: str, numbers: np.ndarray, **facts: int) -> None:
        """Add an array unchanged. Its type is one of KINDS."""
        data = np.ascontiguousarray(numbers).astype(numbers.dtype.newbyteorder("<")).tobytes()
        self._arrays[name] = {"kind": KINDS[numbers.dtype.name], "at": self._end, "size": numbers.size, **facts}
        self._parts.append(data + bytes(-len(data) % 8))
        self._end += len(self._parts[-1])

    def add_rows(self, name: str, matrix: np.ndarray) -> None:
        """Add rows (n, d) in 8 bits with a scale each, padded with zero columns."""
        integers, scales = quantize(matrix)
        padded = np.pad(integers, ((0, 0), (0, -integers.shape[1] % WIDE)))
        self.add(name, padded, rows=padded.shape[0], columns=padded.shape[1])
        self.add(f"{name}.scales", scales)

    def add_lines(self, name: str, lines: list[str]) -> None:
        """Add words or sentences without line breaks."""
        self.add(name, np.frombuffer("\n".join(lines).encode("utf-8"), np.uint8))

    def to_bytes(self, facts: dict) -> bytes:
        """Return the content of the file."""
        content = {"facts": facts, "arrays": self._arrays}
        head = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
        head += b" " * (-(len(head) + 4) % 8)
        return gzip.compress(len(head).to_bytes(4, "little") + head + b"".join(self._parts), 9, mtime=0)


def as_packed(matrix: np.ndarray) -> np.ndarray:
    """Return rows (n, d) as the page reads them after rounding."""
    integers, scales = quantize(matrix)
    return integers * scales[:, None]


def check_size(shape: ModelShape) -> None:
    """Raise BadInput for a model that is too large for a page."""
    if shape.n_parameters > MOST_PARAMETERS:
        millions = {"n": shape.n_parameters // 1_000_000, "most": MOST_PARAMETERS // 1_000_000}
        raise BadInput(t("The model has {n} million weights; a page holds at most {most} million. elmo-mini fits.", **millions))


def add_network(pack: Pack, bilm) -> dict:
    """Add a core.elmo.model.BiLM to the pack and return its facts. Raises BadInput for one that is too large for a page."""
    shape = bilm.shape
    check_size(shape)
    state = {name: value.detach().float().numpy(force=True) for name, value in bilm.state_dict().items()}
    pack.add("characters.embedding", state["characters.embedding.weight"].astype(np.float32))
    wide = -shape.character_dim % WIDE
    for k in range(len(shape.filters)):
        windows = np.pad(state[f"characters.convolutions.{k}.weight"].transpose(0, 2, 1), ((0, 0), (0, 0), (0, wide)))  # (n, width, dim)
        bias = state[f"characters.convolutions.{k}.bias"]
        flat = windows.reshape(len(windows), -1)
        if flat.size <= FINE:
            pack.add_rows(f"convolution.{k}.rest", flat - as_packed(flat))
        else:
            bias = bias + _strongest(windows - as_packed(flat).reshape(windows.shape), windows, state["characters.embedding.weight"])
        pack.add_rows(f"convolution.{k}", flat)
        pack.add(f"convolution.{k}.bias", bias)
    for k in range(shape.n_highway):
        for part in ("transform", "carry"):
            pack.add_rows(f"highway.{k}.{part}", state[f"characters.highways.{k}.{part}.weight"])
            pack.add(f"highway.{k}.{part}.bias", state[f"characters.highways.{k}.{part}.bias"])
    pack.add_rows("projection", state["characters.projection.weight"].T)  # one row per filter: most do not respond to a given spelling
    pack.add("projection.bias", state["characters.projection.bias"])
    for direction in ("forward", "backward"):
        for k in range(shape.n_layers):
            name = f"{direction}_layers.{k}"
            for ours, theirs in (("input", "input_weight"), ("state", "state_weight"), ("output", "projection")):
                pack.add_rows(f"{direction}.{k}.{ours}", state[f"{name}.{theirs}"])
            pack.add(f"{direction}.{k}.bias", state[f"{name}.bias"])
    clips = {name: min(getattr(shape, name), NO_CLIP) for name in ("cell_clip", "projection_clip")}
    return {"shape": asdict(shape) | clips, "anchored": bilm.characters.anchor()}


def add_softmax(pack: Pack, substitutes) -> dict:
    """Add the data of core.elmo.substitutes.Substitutes: the most frequent words, and rarer ones without their names."""
    words = substitutes.model.vocabulary.words
    softmax = substitutes.model.softmax
    _, halves, _, columns = substitutes.sample
    named = min(len(words), COMMONEST)
    sampled = np.flatnonzero(columns >= 0)
    rows = np.concatenate([np.arange(named), sampled[sampled >= named]])
    pack.add_rows("softmax", softmax.weight.detach().numpy(force=True)[rows])
    pack.add("softmax.bias", softmax.bias.detach().numpy(force=True)[rows])
    pack.add_lines("softmax.words", list(words[:named]))
    pack.add("sampled", np.searchsorted(rows, sampled).astype(np.int32))
    pack.add("sampled.halves", halves[0].numpy(force=True).astype(np.float32))
    for name, part in zip(("whitening.mean", "whitening"), substitutes.whitening, strict=True):
        pack.add(name, part.numpy(force=True).astype(np.float32))
    return {"vocabulary": len(words)}


def _strongest(error: np.ndarray, windows: np.ndarray, embedding: np.ndarray) -> np.ndarray:
    """Return the rounding error (n,) of each filter's response to the characters it responds to most.

    Filters as wide as a word respond to almost nothing else, and their response is a small difference of large sums.
    """
    results = []
    for start in range(0, len(windows), FILTERS_AT_ONCE):
        part = slice(start, start + FILTERS_AT_ONCE)
        characters = (windows[part, :, : embedding.shape[1]] @ embedding.T).argmax(axis=2)  # (block, width)
        results.append((error[part, :, : embedding.shape[1]] * embedding[characters]).sum(axis=(1, 2)))
    return np.concatenate(results)


def add_labeled(pack: Pack, workspace: Workspace) -> dict:
    """Add the table of labeled tokens to the pack and return its facts."""
    table = workspace.targets.basic
    calibration = calibration_of(workspace)
    rows = np.arange(len(table))
    layers = table.rows.take(rows)
    pack.add_lines("labeled.tokens", [" ".join(tokens) for tokens, _ in table.places(rows)])
    for name, numbers in (("position", table.position), ("lemma", table.lemma), ("sense", table.sense)):
        pack.add(f"labeled.{name}", np.asarray(numbers, np.int32))
    pack.add("labeled.pos", np.unique(table.pos_of(rows), return_inverse=True)[1].astype(np.int32))
    for layer in range(1, layers.shape[1]):
        pack.add_rows(f"labeled.layer.{layer}", layers[:, layer])
    spaces = [*workspace.layers.alone, MIX]
    places = np.zeros((len(spaces), len(table), 2), np.float32)
    for lemma in table.lemmas:
        maps = layouts.maps_of(workspace, lemma)
        places[:, map_rows(table, lemma)] = maps.coordinates[[maps.names.index(name) for name in spaces]]
    pack.add("labeled.places", places)
    space = workspace.sense_space
    learned = space.learned if space else None
    if space and len(rows):
        pack.add_rows("labeled.substitutes", space.expected(space.of_rows(table, rows)))
    if learned is not None:
        pack.add_rows("space.maps", learned.maps.reshape(-1, learned.maps.shape[2]))
        pack.add("space.mean", learned.mean.astype(np.float32))
    for name, center in calibration.centers.items():
        pack.add(f"center.{name}", np.asarray(center, np.float32))
    rated_words = {lemma: calibration.words[lemma] for lemma in table.lemmas if lemma in calibration.words}
    scenes = _add_scenes(pack, workspace, list(rated_words))
    facts = {}
    for lemma, trust in rated_words.items():
        facts[lemma] = {
            "senses": table.senses_of(lemma),
            "layer": trust.layer,
            "above_chance": trust.above_chance,
            "by_case": is_also_a_name(table, lemma),
            "map": learned.number_for(lemma) if learned else 0,
            "scene": scenes[lemma],
        }
    return {
        "spaces": spaces,
        "senses": table.senses,
        "lemmas": facts,
        "lemma_names": table.lemmas,
        "forms": {word: lemma for word in table.words if (lemma := table.lemma_of(word)) in rated_words},
        "calibration": {"layer": calibration.layer, "votes": list(calibration.votes), "alone": list(calibration.alone)},
        "folds": len(learned.maps) - 1 if learned else 0,
    }


def _add_scenes(pack: Pack, workspace: Workspace, lemmas: list[str]) -> dict[str, dict]:
    """Add each word's scene without stars, its dots and projection axes, to the pack. Returns the facts of each."""
    table = workspace.targets.basic
    scenes = {}
    numbers = []
    start = 0  # of the next word's numbers
    for lemma in lemmas:
        dots = pair.labeled_dots(workspace, table, lemma)
        # The axes (2, d), then the projection of the mean (2,), which the page subtracts
        axes = [np.concatenate([p.axes.ravel(), p.axes @ p.mean]) for p in dots.projections]
        parts = [dots.scene.points.ravel(), *axes]
        numbers += parts
        scenes[lemma] = {
            "at": start,
            "rows": dots.rows.tolist(),
            "spaces": list(dots.scene.spaces),
            "sizes": [p.axes.shape[1] for p in dots.projections],
            "senses": list(dots.scene.senses),
            "sense_of": dots.scene.sense_of.tolist(),
            "clouds": dots.clouds.tolist(),
            "in_own": list(dots.scene.in_own),
            "names": [[[round(float(value), 4) for value in place] for place in places] for _, _, places in labels(dots.scene)],
        }
        start += sum(part.size for part in parts)
    pack.add("scene", np.concatenate(numbers).astype(np.float32) if numbers else np.zeros(0, np.float32))
    return scenes


def pack_workspace(workspace: Workspace, report: Callable[[float, str], None]) -> tuple[bytes, dict]:
    """Return the pack of a workspace's model and the page's facts about it. Calls `report(share done, task)`.

    Raises BadInput or MissingArtifact for a model that no page can hold.
    """
    substitutes = workspace.substitutes  # first: a transformer, or a model without a softmax, is refused before any work
    pack = Pack()
    report(0.1, t("Weights"))
    content = add_network(pack, workspace.model.encoder.model) | add_softmax(pack, substitutes)
    report(0.4, t("Words"))
    if (vectors := workspace.language_vectors) is not None:  # all spellings in order of frequency
        pack.add_lines("static.words", vectors.words)
        pack.add_rows("static", vectors.vectors_of(vectors.words[:STATIC])[1])
        content["static_dim"] = vectors.dim
    report(0.5, t("Labeled sentences"))
    content |= add_labeled(pack, workspace)
    report(0.7, t("Packing"))
    language = workspace.language
    lemmas = list(content["lemmas"])
    word_lists = words_of(language)
    content |= {  # how the page tokenizes text, and its word lists
        "language": language.code,
        "tokenizer": language.tokenizer if language.tokenizer in ("words", "spaces") else "hangul",
        "most_words": limits().max_words,
        "scripts": [name for name, letter in SCRIPTS.items() if language.writes(letter)],
        "words": {
            **{name: sorted(getattr(word_lists, field)) for name, field in LISTS.items()},
            "worth": word_lists.worth,
            "forms": word_lists.forms,
            # Hangul is not analyzed in a page: a token counts as the labeled word that it begins with.
            "stems": sorted((lemma for lemma in lemmas if "가" <= lemma[:1] <= "힣"), key=len, reverse=True),
        },
    }
    return pack.to_bytes(content), {"lemmas": lemmas, "layer": content["calibration"]["layer"]}
