"""Measurements of every task with and without ELMo, by seed, in one JSON file, and the paper's table.

A run with an entry is not repeated, so an interrupted command continues. A new entry replaces one of other data, another recipe or other
weights.
"""

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ..common.config import ASSETS
from ..common.errors import CorruptArtifact
from ..elmo.models import Model
from ..files import sums
from ..files.artifacts import provenance, read_json, write_json
from ..files.atomic import locked
from ..learning.features import Frozen
from ..learning.fit import Epoch, forget, resumed
from ..static.vectors import StaticVectors
from .heads import TASKS, TaskHead, freeze, make_fit, save_head
from .task import VARIANTS, Task, TaskRecipe, read_data

FOLDER = ASSETS / "tasks"  # results.json, and of one seed the head of each task and variant
FORMAT = "elmoscope-tasks"
VERSION = 1
RECIPE_NUMBER = 2  # raise it when a change of the code alters a figure; runs of an earlier number are marked until they are run again
COMMAND = "python -m core.lab tasks --data FOLDER"
Watch = Callable[[str, Epoch], None]


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """A row of table 1 of Peters et al. (2018): a task's data, its measure in percent, and ELMo's relative error reduction."""

    data: str
    measure: str
    baseline: float
    elmo: float


PAPER = {
    "questions": PublishedScore("SQuAD", "F1", 81.1, 85.8),
    "entailment": PublishedScore("SNLI", "accuracy", 88.0, 88.7),
    "roles": PublishedScore("OntoNotes", "F1", 81.4, 84.6),
    "coreference": PublishedScore("OntoNotes", "CoNLL F1", 67.2, 70.4),
    "names": PublishedScore("CoNLL 2003", "F1", 90.15, 92.22),
    "sentiment": PublishedScore("SST-5", "accuracy", 51.4, 54.7),
}
# Tasks outside the table -> data
ADDITIONAL = {"wikigold": "Wikigold", "chunks": "CoNLL-2000", "speech": "CoNLL-2000", "clusters": "OntoGUM"}


def error_reduction(baseline: float, elmo: float) -> float:
    """Return the share of the baseline's errors that ELMo avoids. Both scores are shares of 1."""
    return (elmo - baseline) / max(1 - baseline, 1e-12)


@dataclass(frozen=True, slots=True)
class Summary:
    """Means of a task's runs over seeds, and sample standard deviations if there are several."""

    measure: str
    baseline: float
    elmo: float
    baseline_spread: float | None
    elmo_spread: float | None
    seeds: int
    sizes: dict[str, int]
    n_available: dict[str, int]  # examples in the files
    mixes: dict[str, list[float]]  # place of a mix -> mean s_j
    control: float | None  # score with random labels
    others: dict[str, dict[str, float]]  # variant -> mean of every other score
    seconds: float  # mean training time of one head

    @property
    def error_reduction(self) -> float:
        """Return the share of the baseline's errors that ELMo avoids."""
        return error_reduction(self.baseline, self.elmo)

    @property
    def in_words(self) -> tuple[str, str, float]:
        """Return the score without ELMo, with it, and the error reduction."""
        return with_spread(self.baseline, self.baseline_spread), with_spread(self.elmo, self.elmo_spread), self.error_reduction

    @property
    def beyond_spread(self) -> bool | None:
        """Return whether ELMo leads by more than a standard deviation of each; None with one seed."""
        if self.baseline_spread is None or self.elmo_spread is None:
            return None
        return self.elmo - self.baseline > self.baseline_spread + self.elmo_spread


def with_spread(value: float, spread: float | None) -> str:
    """Format a score: "71.2% ± 0.4"."""
    return f"{value:.1%}" if spread is None else f"{value:.1%} ± {100 * spread:.1f}"


def read_results(path: str | Path = FOLDER / "results.json") -> list[dict]:
    """Read the runs of a results file; none if it does not exist."""
    if not Path(path).is_file():
        return []
    record = read_json(path, expect=dict)
    if record.get("format") != FORMAT or not isinstance(record.get("runs"), list):
        raise CorruptArtifact(f"{path} holds something other than results of the tasks. Name another folder.")
    return record["runs"]


def are_current(runs: Iterable[dict]) -> bool:
    """Return whether every run was made with today's recipe. Runs without a number were made with the first."""
    return all(run.get("recipe_number", 1) == RECIPE_NUMBER for run in runs)


def summaries(runs: Sequence[dict]) -> dict[str, Summary]:
    """Return the tasks with runs of both variants, over the seeds of both."""
    result = {}
    for name, task in TASKS.items():
        mine = [run for run in runs if run["task"] == name and run["recipe"]["train_limit"] == task.recipe.train_limit]
        plain: dict[str, dict[int, dict]] = {variant: {} for variant in VARIANTS}  # variant -> seed -> run
        for run in mine:
            if run["variant"] in plain and not run["recipe"]["random_labels"]:
                plain[run["variant"]][run["seed"]] = run
        seeds = sorted(plain["baseline"].keys() & plain["elmo"].keys())
        if not seeds:
            continue
        both = {v: [plain[v][seed] for seed in seeds] for v in VARIANTS}
        scores = {v: [r["test"][task.measure] for r in rows] for v, rows in both.items()}
        spreads = {v: statistics.stdev(values) if len(values) > 1 else None for v, values in scores.items()}
        control = [r["test"][task.measure] for r in mine if r["recipe"]["random_labels"]]
        first = both["elmo"][0]
        columns = {where: zip(*(r["mixes"][where]["s"] for r in both["elmo"]), strict=True) for where in first["mixes"]}
        result[name] = Summary(
            measure=task.measure,
            baseline=statistics.fmean(scores["baseline"]),
            elmo=statistics.fmean(scores["elmo"]),
            baseline_spread=spreads["baseline"],
            elmo_spread=spreads["elmo"],
            seeds=len(seeds),
            sizes=first["sizes"],
            n_available=first["whole"],
            mixes={where: list(map(statistics.fmean, values)) for where, values in columns.items()},
            control=statistics.fmean(control) if control else None,
            others={v: {k: statistics.fmean(r["test"][k] for r in rows) for k in rows[0]["test"]} for v, rows in both.items()},
            seconds=statistics.fmean(r["seconds"] for rows in both.values() for r in rows),
        )
    return result


def curves(runs: Sequence[dict]) -> dict[str, list[tuple[int, float, float]]]:
    """Return for tasks trained on several sizes (examples, baseline, ELMo) over the seeds of every size, smallest first."""
    result = {}
    for name, task in TASKS.items():
        scores: dict[tuple[int, str], dict[int, float]] = {}
        for run in runs:
            alike = asdict(replace(task.recipe, seed=run["seed"], train_limit=run["recipe"]["train_limit"])) == run["recipe"]
            if run["task"] == name and alike:
                scores.setdefault((run["sizes"]["train"], run["variant"]), {})[run["seed"]] = run["test"][task.measure]
        sizes = sorted({size for size, _ in scores})
        seeds = set.intersection(*(set(by_seed) for by_seed in scores.values())) if scores else set()
        if len(sizes) > 1 and seeds and len(scores) == len(sizes) * len(VARIANTS):
            means = {place: statistics.fmean(by_seed[seed] for seed in seeds) for place, by_seed in scores.items()}
            result[name] = [(size, means[size, "baseline"], means[size, "elmo"]) for size in sizes]
    return result


def train_one(task: Task, variant: str, recipe: TaskRecipe, data, frozen: Frozen, *, watch: Watch) -> TaskHead:
    """Train one head to the end. An interrupted run continues."""
    fit = make_fit(task, variant, data, recipe, frozen)
    for progress in resumed(fit):
        watch(f"{task.name}, {variant}, seed {recipe.seed}" + (", random labels" if recipe.random_labels else ""), progress)
    head = fit.finish()
    head.meta["key"] = fit.key
    return head


def entry(head: TaskHead) -> dict:
    """Return the record of a run for results.json: the head's meta without the steps of its curve."""
    return {
        "recipe_number": RECIPE_NUMBER,
        "task": head.task.name,
        "variant": head.variant,
        "seed": head.recipe.seed,
        "recipe": asdict(head.recipe),
        **{name: value for name, value in head.meta.items() if name not in ("environment", "curve")},
        "curve": [{name: epoch[name] for name in ("epoch", "loss", "score")} for epoch in head.meta["curve"]],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The runs of a task. One with folds runs once for each fold instead of each seed."""

    seeds: Sequence[int] = (0, 1, 2)
    controls: bool = True  # on random labels, too
    curve: Sequence[int] = ()  # sizes of the training set that the first seed is run with, too


def measure(
    tasks: Iterable[Task],
    folder: str | Path,
    model: Model,
    vectors: StaticVectors,
    *,
    plan: RunPlan,
    output: Path = FOLDER,
    watch: Watch = lambda what, progress: None,
    report: Callable[[int, int, float], None] | None = None,
) -> Iterator[dict]:
    """Train what has no entry yet, and yield each new entry. The first seed's heads are saved next to the results."""
    path = output / "results.json"
    for task in tasks:
        # ELMo's layers of the complete set serve its smaller subsets
        complete = read_data(task, folder, task.recipe) if plan.curve else None
        for recipe, variants in _planned(task, plan):
            data = read_data(task, folder, recipe)
            limit = task.recipe.train_limit
            is_of_curve = recipe.train_limit != limit
            is_part = is_of_curve and (not limit or recipe.train_limit < limit)  # of the complete set
            for variant in variants:
                frozen = freeze(variant, complete if is_part else data, model, vectors, report=report)
                key = make_fit(task, variant, data, recipe, frozen).key
                place = output / task.name / variant
                ships = recipe.seed == plan.seeds[0] and not (recipe.random_labels or is_of_curve or task.folds)
                is_done = any(run["key"] == key and are_current([run]) for run in read_results(path))
                if is_done and (not ships or (place / "meta.json").is_file()):
                    continue
                head = train_one(task, variant, recipe, data, frozen, watch=watch)
                new = entry(head) | {"command": f"{COMMAND} --only {task.name}"}
                if ships:
                    save_head(head, place)
                    sums.renew(place)
                _add(path, new, model.fingerprint)
                forget(key)
                yield new


def _planned(task: Task, plan: RunPlan) -> list[tuple[TaskRecipe, tuple[str, ...]]]:
    planned = [(replace(task.recipe, seed=seed), VARIANTS) for seed in (range(task.folds) if task.folds else plan.seeds)]
    planned += [(replace(task.recipe, seed=plan.seeds[0], train_limit=size), VARIANTS) for size in plan.curve]
    control = replace(task.recipe, seed=plan.seeds[0], random_labels=True)
    return [*planned, (control, ("elmo",))] if plan.controls else planned


def _add(path: Path, new: dict, model: str) -> None:
    """Add an entry, replacing one of the same task, variant, seed, kind of labels and size, and those of another model."""
    order = list(TASKS)

    def place(item: dict) -> tuple:
        recipe = item["recipe"]
        return order.index(item["task"]), recipe["train_limit"], recipe["random_labels"], item["seed"], item["variant"]

    with locked(path):  # processes may share the file, each with tasks of its own
        others = [run for run in read_results(path) if place(run) != place(new) and run.get("model") in (None, model)]
        runs = sorted([*others, new], key=place)
        write_json(path, provenance(format=FORMAT, version=VERSION, command=COMMAND, runs=runs))
    sums.renew(path)
