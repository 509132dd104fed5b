"""Measure whether ELMo helps with few labels, and whether the context is the reason.

One network (core.lab.equal_network) is trained on subsets of the news texts with every set of parts, and tested on the same texts. A tenth
of each subset is for validation. Differences to GloVe alone are paired by subset and by test text (core.common.significance). Layers are
computed once per text and stored. Finished runs in the results file are not repeated.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ..classify import tasks
from ..classify.data import Dataset, subset
from ..classify.scores import evaluate, pack_bits, softmax_rows
from ..classify.train import truth_of
from ..elmo.models import Model
from ..evaluation.experiments import CONTEXT_RUNS, PARTS, RECIPE_NUMBER, SUBSETS
from ..files.artifacts import provenance, text_fingerprint
from ..files.disk_space import layers_folder
from ..learning.features import FeatureStore, open_features
from ..static.vectors import StaticVectors
from .control_inputs import Part, RandomLSTMs, ShuffledOrder, Tokens, context_part, layers_part, static_part
from .equal_network import EqualConfig, Fitted, fit
from .variants import add_line, done_runs

TESTED = 2_000  # of the official 7,600 test texts, always the same


class KeptLayers:
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
        return [self._stores[text]([text])[0] for text in texts]


class Workshop:
    """The parts by name, and the layers that they read."""

    def __init__(self, model: Model, vectors: StaticVectors) -> None:
        self.layers = {
            "elmo": KeptLayers(model.encoder, model.fingerprint),
            "shuffled": KeptLayers(ShuffledOrder(model.encoder), _changed_fingerprint(model, "shuffled order")),
            "random": KeptLayers(RandomLSTMs(model.encoder), _changed_fingerprint(model, "shuffled LSTMs")),
        }
        self.parts: dict[str, Part] = {
            "glove": static_part(vectors),
            "static": context_part(vectors),
            "layer0": layers_part(self.layers["elmo"], alone=True),
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
            done = done_runs(output, model, name, number, dataset)
            sources = {"model": model.fingerprint, "vectors": tasks.vectors_fingerprint(vectors)}
            keys = {kind: f"{name}/{_key(kind, number, dataset, config, sources)}" for kind in PARTS}
            if done >= set(keys.values()):
                continue
            workshop.add(dataset)
            for kind in (kind for kind in PARTS if keys[kind] not in done):
                line = _line(fit(workshop.of(kind), dataset, config, number), dataset)
                line = {
                    "run": keys[kind],
                    "recipe_number": RECIPE_NUMBER,
                    "experiment": name,
                    "variant": kind,
                    "seed": number,
                    "fold": number,
                } | line
                line |= sources if kind not in ("glove", "glove+static") else {**sources, "model": None}
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
