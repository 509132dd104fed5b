"""Measure whether ELMo helps with few labels, and whether the context is the reason.

One network (core.lab.equal_network) is trained on subsets of the news texts with every set of parts, and tested on the same texts. A tenth
of each subset is for validation. Differences to GloVe alone are paired by subset and by test text (core.common.significance). Layers are
computed once per text and stored. Finished runs in the results file are not repeated.

Every part gives numbers for each token: (L, T, D), NaN for tokens without any. The alternatives to ELMo's layers are its layer 0 alone (no
context), its layers for the shuffled sentence (no word order), the layers of a biLM with shuffled LSTM weights (nothing learned; the
char-CNN stays trained, as in Tenney et al. 2019, section 4), and the static context: the sum of the other words' vectors.
"""

import copy
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from ..classify import tasks
from ..classify.data import Dataset, subset
from ..classify.experiments import CONTEXT_RUNS, PARTS, RECIPE_NUMBER, SUBSETS, add_line, done_runs
from ..classify.scores import evaluate, pack_bits, softmax_rows
from ..classify.train import truth_of
from ..common.device import seeded
from ..elmo.encoder import Encoder
from ..elmo.models import Model
from ..files.artifacts import provenance, text_fingerprint
from ..files.disk_space import layers_folder
from ..learning.features import FeatureStore, Layers, open_features
from ..static.vectors import COMMONEST, StaticVectors
from .equal_network import EqualConfig, Fitted, Part, Tokens, fit

TESTED = 2_000  # of the official 7,600 test texts, always the same
WITHOUT_ELMO = ("glove", "glove+static")  # of PARTS: another model changes nothing of their runs


def static_part(vectors: StaticVectors) -> Part:
    """Return the part of each token's static vector, (1, T, D)."""

    def part(tokens: Tokens) -> np.ndarray:
        return _rows(vectors, tokens, {})[None]

    return Part(part)


def context_part(vectors: StaticVectors, *, commonest: int = COMMONEST) -> Part:
    """Return the part of each token's static context, (1, T, D): the sum of the other tokens' vectors (core.static.vectors)."""
    common: dict[str, None] = dict.fromkeys(vectors.words[:commonest])

    def part(tokens: Tokens) -> np.ndarray:
        rows = np.nan_to_num(_rows(vectors, tokens, common))
        return (rows.sum(axis=0) - rows)[None]

    return Part(part)


def layers_part(layers: Layers, *, only_layer0: bool = False) -> Part:
    """Return the part of a biLM's layers (L, T, D), or of layer 0 without its repetition, (1, T, D / 2)."""

    def part(tokens: Tokens) -> np.ndarray:
        result = layers([tokens])[0]
        return result[:1, :, : result.shape[2] // 2] if only_layer0 else result

    return Part(part)


class ShuffledOrder:
    """An encoder that reads each text with shuffled words. Every token keeps its place in the result."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self.n_layers, self.dim = encoder, encoder.n_layers, encoder.dim

    def encode(self, sentences: list[list[str]]) -> list[np.ndarray]:
        """Return layers (L, T, D) float32 for each token list."""
        orders = [shuffled_order(tokens) for tokens in sentences]
        result = self.encoder.encode([[tokens[k] for k in order] for tokens, order in zip(sentences, orders, strict=True)])
        return [layers[:, np.argsort(order)] for layers, order in zip(result, orders, strict=True)]


class RandomLSTMs:
    """An encoder with the same char-CNN and shuffled LSTM weights."""

    def __init__(self, encoder: Encoder, *, seed: int = 0) -> None:
        self.reader, self.n_layers, self.dim = encoder, encoder.n_layers, encoder.dim
        model = copy.deepcopy(encoder.model)
        generator = seeded(seed)
        for stack in (model.forward_layers, model.backward_layers):
            for weights in stack.parameters():
                flat = weights.data.reshape(-1)
                weights.data = flat[torch.randperm(len(flat), generator=generator)].reshape(weights.shape)
        self.encoder = Encoder(model, name=f"{encoder.name}, LSTMs shuffled")

    def encode(self, sentences: list[list[str]]) -> list[np.ndarray]:
        """Return layers (L, T, D) float32 for each token list."""
        words = sorted({token for tokens in sentences for token in tokens})
        if words:
            self.encoder.know(words, self.reader.word_vectors(words))  # the char-CNN is the same
        return self.encoder.encode(sentences)


def shuffled_order(tokens: Sequence[str]) -> np.ndarray:
    """Return a random order (T,) of a text's positions that depends only on the text."""
    digest = hashlib.sha256("\0".join(tokens).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big")).permutation(len(tokens))


def _rows(vectors: StaticVectors, tokens: Tokens, without: dict[str, None]) -> np.ndarray:
    """Return vectors (T, D), NaN for unknown spellings and those left out."""
    rows = np.full((len(tokens), vectors.dim), np.nan, np.float32)
    for row, token in zip(rows, tokens, strict=True):
        spelling = vectors.spelling(token)
        if spelling is not None and spelling not in without:
            row[:] = vectors.vector(spelling)
    return rows


class StoredLayers:
    """The layers of a biLM for every added text, read from disk."""

    def __init__(self, encoder, name: str) -> None:
        self.encoder, self.name = encoder, name  # a fingerprint
        self._stores: dict[Tokens, FeatureStore] = {}

    def add(self, texts: Sequence[Tokens]) -> None:
        """Compute and store the layers of new texts."""
        if new := sorted(set(texts) - self._stores.keys()):
            store = open_features(new, self.encoder, self.name, layers_folder())
            self._stores.update(dict.fromkeys(new, store))

    def __call__(self, texts: Sequence[Tokens]) -> list[np.ndarray]:
        """Return the layers (L, T, D) of each text."""
        return [self._stores[text]([text])[0] for text in texts]


class Workshop:
    """The parts by name, and the layers that they read."""

    def __init__(self, model: Model, vectors: StaticVectors) -> None:
        self.layers = {
            "elmo": StoredLayers(model.encoder, model.fingerprint),
            "shuffled": StoredLayers(ShuffledOrder(model.encoder), _changed_fingerprint(model, "shuffled order")),
            "random": StoredLayers(RandomLSTMs(model.encoder), _changed_fingerprint(model, "shuffled LSTMs")),
        }
        self.parts: dict[str, Part] = {
            "glove": static_part(vectors),
            "static": context_part(vectors),
            "layer0": layers_part(self.layers["elmo"], only_layer0=True),
            **{name: layers_part(layers) for name, layers in self.layers.items()},
        }

    def of(self, name: str) -> list[Part]:
        """Return the parts of one of PARTS."""
        return [self.parts[part] for part in name.split("+")]

    def add(self, dataset: Dataset) -> None:
        """Prepare the layers of a subset's texts."""
        for layers in self.layers.values():
            layers.add(dataset.texts_in_use)


def run_contexts(
    names: Sequence[str],
    folder: str | Path,
    model: Model,
    vectors: StaticVectors,
    *,
    output: str | Path,
    config: EqualConfig | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> Iterator[dict]:
    """Run what has no line in `output` yet, one subset at a time with every set of parts. Yield each line as it is written."""
    config = config or EqualConfig()
    output = Path(output)
    task = tasks.task_named("news")
    every = tasks.open_data(task, **tasks.task_files(task, folder))
    workshop = Workshop(model, vectors)
    for name in names:
        for number in range(SUBSETS[CONTEXT_RUNS[name]]):
            dataset = subset(every, CONTEXT_RUNS[name], number, n_test=TESTED)
            done = done_runs(output, name, number, model=model.fingerprint, data=dataset.fingerprint)
            sources = {
                kind: {"model": None if kind in WITHOUT_ELMO else model.fingerprint, "vectors": tasks.vectors_fingerprint(vectors)}
                for kind in PARTS
            }
            keys = {kind: f"{name}/{_key(kind, number, dataset, config, sources[kind])}" for kind in PARTS}
            missing = [kind for kind in PARTS if keys[kind] not in done]
            if set(missing) - set(WITHOUT_ELMO):
                workshop.add(dataset)
            for kind in missing:
                line = {
                    "run": keys[kind],
                    "recipe_number": RECIPE_NUMBER,
                    "experiment": name,
                    "variant": kind,
                    "seed": number,
                    "fold": number,
                }
                line |= _line(fit(workshop.of(kind), dataset, config, number), dataset) | sources[kind]
                add_line(output, line)
                report(f"{name}, {kind}, subset {number}: {line['accuracy']:.2%}, {line['seconds']:.0f} s")
                yield line


def _line(fitted: Fitted, dataset: Dataset) -> dict:
    truth = truth_of(dataset.test)
    scores = evaluate(softmax_rows(fitted.logits), truth, dataset.labels)
    line = {"accuracy": scores.accuracy, "macro_f1": scores.macro_f1, "n": scores.n}
    line["right"] = pack_bits(fitted.logits.argmax(axis=1) == truth)
    line["sizes"] = {part: len(getattr(dataset, part)) for part in ("train", "valid", "test")}
    line |= {"dropout": fitted.dropout, "valid_losses": [round(loss, 4) for loss in fitted.valid_losses], "epochs": fitted.epochs}
    return line | {"seconds": round(fitted.seconds, 2), "mix": fitted.mix, "data": dataset.fingerprint, "date": provenance()["date"]}


def _key(kind: str, number: int, dataset: Dataset, config: EqualConfig, sources: dict) -> str:
    """Return 16 hex digits of everything that determines a run."""
    return text_fingerprint([json.dumps([dataset.fingerprint, kind, number, asdict(config), sources], sort_keys=True)])[:16]


def _changed_fingerprint(model: Model, what: str) -> str:
    """Return the fingerprint of a modified model."""
    return text_fingerprint([model.fingerprint, what])
