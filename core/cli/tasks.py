"""The `tasks` commands: fetch, train, evaluate; the tasks of the ELMo paper with and without it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..common.config import cache_folder
from ..common.errors import MissingArtifact
from ..common.i18n import t
from ..files import public_data
from .options import MODEL_AND_VECTORS, Answer, command, flag, group, option, whole
from .shared import epoch_notes, fetch_files, mix_text, note, open_both, progress

if TYPE_CHECKING:
    pass

# core.tasks.heads, which imports torch
PAPER_TASKS = ("questions", "entailment", "roles", "coreference", "names", "wikigold", "chunks", "speech", "clusters")
DATA = option("--data", "holds ner/, entailment/, srl/, coref/, qa/, conll2000/", metavar="FOLDER", required=True)
HEAD = (
    option("--task", ", ".join(PAPER_TASKS), metavar="T", choices=PAPER_TASKS, required=True),
    option("--variant", "GloVe and characters, or ELMo beside them", choices=("baseline", "elmo"), default="elmo"),
    DATA,
)
ONLY = option("--only", "default: all", metavar="T", choices=PAPER_TASKS, many=True, default=PAPER_TASKS)


@command(
    "train",
    "Train a task's head and score it on the test set; resumes where it stopped.",
    *HEAD,
    option("--further", "also train on these: reddit, amazon (questions)", metavar="SET", many=True),
    option("--seed", "of every random choice (default 0)", metavar="S", type=whole(0), default=0),
    option("--epochs", "at most (default: the task's own)", metavar="N", type=whole(1, 1000)),
    flag("--random-labels", "control run: training labels drawn at random"),
    option("--limit-train", "examples of the train set (0: all; default: the task's own)", metavar="N", type=whole(0)),
    option("--limit-test", "examples of the test set (0: all; default: the task's own)", metavar="N", type=whole(0)),
    option("--output", "save the head as DIR/TASK/VARIANT (default: the cache)", metavar="DIR"),
    *MODEL_AND_VECTORS,
    recipe="seed epochs random_labels limit_train limit_test",
)
def train(*, task, variant, data, further, recipe, output, vectors, model, outputs) -> Answer:
    from ..tasks import results as measured
    from ..tasks.heads import FILES, freeze, save_head, task_named
    from ..tasks.task import read_data

    task = task_named(task)
    chosen = {"epochs": recipe.epochs, "train_limit": recipe.limit_train, "test_limit": recipe.limit_test}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    recipe = replace(task.recipe, seed=recipe.seed, random_labels=recipe.random_labels, **chosen)
    root = Path(output) if output else cache_folder() / "task-heads"
    if not recipe.random_labels:
        outputs.check_folder(root / task.name / variant, FILES)
    data = read_data(task, data, recipe, further=further)
    model, vectors = open_both(model, vectors, model=variant == "elmo")
    frozen = freeze(variant, data, model, vectors, report=progress("layers, tokens"))
    head = measured.train_one(task, variant, recipe, data, frozen, watch=task_notes())
    if not recipe.random_labels:
        note(f"saved in {save_head(head, root / task.name / variant)}")
    result = measured.entry(head)
    return result, _line(result)


@command(
    "evaluate",
    "Score a trained head on the test set.",
    *HEAD,
    option("--test", "a further test set in place of the task's own: xquad (questions)", metavar="SET"),
    option("--heads", "folder of heads, as DIR/TASK/VARIANT (default: the cache, then assets)", metavar="DIR"),
    *MODEL_AND_VECTORS,
)
def evaluate(*, task, variant, data, test, heads, vectors, model) -> Answer:
    from ..learning.features import vectors_fingerprint
    from ..tasks import results as measured
    from ..tasks.heads import freeze, load_head, task_named
    from ..tasks.task import read_data, read_test

    task = task_named(task)
    roots = [Path(heads)] if heads else [cache_folder() / "task-heads", measured.FOLDER]
    places = [place for root in roots if ((place := root / task.name / variant) / "meta.json").is_file()]
    if not places:
        values = {"task": task.name, "variant": variant}
        raise MissingArtifact(t("No trained head for {task}, {variant}. Train it: python -m core tasks train --help", **values))
    model, vectors = open_both(model, vectors, model=variant == "elmo")
    fits = {"model": model.fingerprint if model else None, "vectors": vectors_fingerprint(vectors)}
    head = load_head(places[0], **fits)
    data = read_test(task, data, test) if test else read_data(task, data, head.recipe)
    frozen = freeze(variant, data, model, vectors, report=progress("layers, tokens"))
    scores = task.score(data.test, head.predictions(data.test, vectors, frozen.layers))
    values = {"task": task.name, "variant": variant, "head": str(places[0]), "test": scores, "n": len(data.test)}
    return values, f"{task.name}, {variant}: {_scores(scores)} ({len(data.test):,} examples, {places[0]})"


@command(
    "fetch",
    "Download the tasks' data sets from their publishers; sizes and checksums are checked, existing files stay.",
    option("--data", "where to keep them (default: data/tasks in the cache)", metavar="FOLDER"),
    ONLY,
)
def fetch(*, data, only) -> Answer:
    """Download the published files of the tasks, and unpack the part of SNLI's archive that is read."""
    from ..tasks.entailment import unpack
    from ..tasks.heads import task_named
    from ..tasks.task import MADE_BY_HAND

    rooms = set()
    for name in only:
        paths = task_named(name).files.values()
        if any(path.startswith(MADE_BY_HAND) for path in paths):
            note(f"{name}: nothing to fetch: its files are joined from several publishers', see core/tasks/README.md")
        else:
            rooms |= {path.partition("/")[0] for path in paths}
    names = [name for name in public_data.TASK_FILES if name.partition("/")[0] in rooms]
    folder = Path(data) if data else public_data.fetched_folder() / "tasks"
    return fetch_files(names, public_data.TASK_FILES, folder, lambda path: unpack(path) if path.suffix == ".zip" else ())


def task_notes():
    return epoch_notes(lambda measures: f"dev {measures['score']:.2%}")


def _line(result: dict) -> str:
    measured = f"{result['task']}, {result['variant']}: {_scores(result['test'])}, {result['seconds']:.0f} s"
    return "; ".join([measured, *(f"{where}: {mix_text(mix)}" for where, mix in result["mixes"].items())])


def _scores(scores: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2%}" for name, value in scores.items() if isinstance(value, float))


tasks = group("tasks", "The tasks of the ELMo paper, with and without ELMo.", commands=(fetch, train, evaluate))
