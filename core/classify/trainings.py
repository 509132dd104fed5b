"""Train text classifiers on custom rows: the command, checks of the rows, the duration and the results."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t
from ..common.markup import command, shorten
from . import tasks
from .data import SplitConfig, normal_form
from .head import TextHead
from .model import Variant, variant_titles
from .tables import Table
from .tasks import OpenHeads

FEWEST = 3  # different texts of a class: one to learn from, one to stop by, one to test on
MAX_CLASSES_IN_TABLE = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The classifiers and data of a training."""

    task: str
    title: str  # for people
    files: dict  # train, test, valid -> path, as core.classify.tasks.open_data takes them
    columns: dict  # text_columns, label_column
    variants: tuple[str, ...]
    seeds: tuple[int, ...]
    share: float
    epochs: int
    model: str
    vectors: str

    @property
    def command(self) -> str:
        """Return the equivalent command of the command line."""
        options = [("task", self.task), ("variant", self.variants), *self.files.items()]
        options += [("text-column", self.columns.get("text_columns")), ("label-column", self.columns.get("label_column"))]
        options += [("seeds", self.seeds), ("share", f"{self.share:g}"), ("epochs", self.epochs)]
        options += [("model", self.model), ("vectors", self.vectors), ("json", True)]
        return command("python", "-m", "core", "train", options=options)


def check_classes(table: Table, name: str) -> None:
    """Raise BadInput if there are fewer than two classes, or if most classes have too few texts to train, validate and test on."""
    forms: dict[str, set[str]] = {}
    for row in table.rows:
        forms.setdefault(row.label, set()).add(normal_form(row.text))
    values = {"name": name, "column": table.label_column, "classes": len(forms), "least": FEWEST}
    if len(forms) < 2:
        raise BadInput(t("{name} has one class ({label!r}); a classifier needs at least two.", name=name, label=shorten(next(iter(forms)))))
    few = [label for label, texts in forms.items() if len(texts) < FEWEST]
    if 2 * len(few) > len(forms):
        values |= {"n": len(few), "labels": ", ".join(sorted(few)[:5])[:120] + (" …" if len(few) > 5 else "")}
        raise BadInput(
            t(
                "{n} of {classes} classes under “{column}” in {name} have fewer than {least} different texts ({labels}). Choose another label column, or add rows.",
                **values,
            )
        )


def refusal(task: str, files: Mapping[str, str | Path], columns: Mapping[str, object], share: float) -> str:
    """Return why these rows cannot be split and trained on, or ""."""
    try:
        split = SplitConfig(share=share, duplicates=tasks.task_named(task).duplicates)
        tasks.open_data(tasks.task_named(task), split=split, **files, **columns)
    except ElmoscopeError as error:
        return str(error)
    return ""


def cost(variant: Variant) -> float:
    """Return a variant's approximate time per epoch relative to that of nn.Embedding's LSTM."""
    if variant.members:
        return 0.02  # its members are trained already
    if variant.network not in ("lstm", "mean"):
        return 0.1
    return (1.0 if variant.network == "lstm" else 0.3) + 0.9 * variant.elmo + 0.2 * bool(variant.glove)


def left_of_all(costs: Sequence[float], number: int, spent: float, left: float) -> float:
    """Return the seconds to the end of all runs, estimated from run `number`, its time spent and left, and the variants' costs."""
    return left + (spent + left) / costs[number] * sum(costs[number + 1 :])


def learned_weights(result: Mapping[tuple[str, int], TextHead]) -> dict[str, list[float]]:
    """Return the learned s_j of each classifier that mixes layers, the mean over its seeds. `result`: (variant, seed) -> head."""
    mixes = {variant: [meta["mix"]["s"] for meta in metas if meta.get("mix")] for variant, metas in _metas_of(result).items()}
    return {variant_titles()[variant]: np.mean(weights, axis=0).tolist() for variant, weights in mixes.items() if weights}


def results_rows(result: Mapping[tuple[str, int], TextHead]) -> list[dict]:
    """Return a row per variant, in the code's names: mean and spread over its seeds, F1 by class. `result`: (variant, seed) -> head."""
    rows = []
    for variant, metas in _metas_of(result).items():
        tests = [meta["test"] for meta in metas]
        classes = list(tests[0]["per_class"].items())[:MAX_CLASSES_IN_TABLE]
        f1 = {
            f"F1 {c}": round(statistics.fmean(test["per_class"][c]["f1"] for test in tests), 4) if score["n"] else None
            for c, score in classes
        }
        accuracies = [test["accuracy"] for test in tests]
        mix = metas[0].get("mix")
        row = {
            "classifier": variant,
            "accuracy": round(statistics.fmean(accuracies), 4),
            "± over seeds": round(statistics.stdev(accuracies), 4) if len(tests) > 1 else None,
            "macro F1": round(statistics.fmean(test["macro_f1"] for test in tests), 4),
            **f1,
            "seeds": len(tests),
            "seconds": round(statistics.fmean(meta["seconds"] for meta in metas), 1),
            "s0, s1, …": ", ".join(f"{s:.2f}" for s in mix["s"]) if mix else "",
        }
        rows.append(row)
    return rows


def all_metas(trained: Mapping[str, OpenHeads]) -> dict[str, dict[str, dict]]:
    """Return by task and classifier how each head was made and its scores: the bundled tasks, then custom ones by name."""
    result = {task: tasks.heads_metas(task) for task in tasks.TASKS}
    for name, opened in trained.items():
        heads = opened.heads.items()
        result[name] = {variant: {**head.meta, "labels": head.labels, "temperature": head.temperature} for variant, head in heads}
    return {task: metas for task, metas in result.items() if metas}


def _metas_of(result: Mapping[tuple[str, int], TextHead]) -> dict[str, list[dict]]:
    """Return the metas of heads by variant."""
    metas = {}
    for (variant, _), head in result.items():
        metas.setdefault(variant, []).append(head.meta)
    return metas
