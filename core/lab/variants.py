"""Commands that train the shipped heads and run the experiments of the Results page: `train-heads`, `experiments`, `tasks`.

An experiment runs every variant on a task and writes one JSON line per run. Finished runs are not repeated, so an interrupted command
continues. Lines of other weights are dropped, and so are an experiment's lines of other data or another split. Processes may share a file; a
lock protects each write.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path

from ..classify import experiments as runs
from ..classify import tasks
from ..classify.data import Dataset, shuffled_labels
from ..classify.head import FILES as HEAD_FILES
from ..classify.head import TextHead, load_head, save_head
from ..classify.model import VARIANTS, Variant
from ..classify.scores import pack_bits
from ..classify.train import TrainConfig, freeze, run_key, train_head, with_members
from ..cli.classify import TASKS, facts_of, head_notes, line_of, spread
from ..cli.options import MODEL_AND_VECTORS, SEEDS, Answer, command, flag, option, whole
from ..cli.shared import in_columns, note, open_both, progress, read_earlier
from ..cli.training import DATA as TASK_DATA
from ..cli.training import ONLY, task_notes
from ..common.config import ASSETS
from ..common.device import choose
from ..common.errors import ElmoscopeError
from ..elmo.models import Model
from ..files import sums
from ..learning.features import Frozen
from ..learning.fit import forget
from ..static.vectors import StaticVectors
from ..tasks import results as measured
from ..tasks.heads import FILES
from . import context_curve

NAMES = (*runs.EXPERIMENTS, *runs.CONTEXT_RUNS)
DATA = option("--data", "laid out as ELMOSCOPE_DATA: ag_news/, sms_spam/, sst5/", metavar="FOLDER", required=True)


@command(
    "train-heads",
    DATA,
    option("--output", "default: assets/heads", metavar="DIR", default="assets/heads"),
    option("--tasks", "default: all", metavar="T", choices=TASKS, many=True, default=TASKS),
    *MODEL_AND_VECTORS,
)
def train_heads(*, data, output, tasks, vectors, model, outputs) -> Answer:
    """Retrain what ships: every variant's head for every task; resumes where it stopped."""
    from ..classify.tasks import open_data, task_config, task_files, task_named

    root = Path(output)
    new = []
    unchanged = []
    device = choose(model.device)
    variants = list(VARIANTS.values())
    for name, variant in product(tasks, variants):
        outputs.check_folder(root / name / variant.name, HEAD_FILES)
    opened = open_both(model, vectors)
    for name in tasks:
        task = task_named(name)
        dataset = open_data(task, **task_files(task, data))
        frozen = freeze(variants, dataset, *opened, report=progress(f"{name}, layers, tokens"))
        config = task_config(task)
        trained = {}
        for variant in with_members(variants):
            folder = root / name / variant.name
            if _is_made(folder, dataset, config, frozen[variant.name]):
                unchanged.append(str(folder))
                trained[variant.name] = load_head(folder).to(device)
                continue
            watch = head_notes(dataset, variant)
            head = trained[variant.name] = train_head(variant, dataset, config, frozen[variant.name], trained, device, watch=watch)
            new.append({**facts_of(head), "head": str(save_head(head, folder, members_beside=bool(variant.members)))})
            forget(head.run)
            sums.renew(folder)
            note(line_of(new[-1]))
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
    text = f"{len(new)} heads trained, {len(unchanged)} unchanged, {size / 1e6:.1f} MB in {root}"
    return {"output": output, "made": new, "kept": unchanged, "bytes": size}, text


@command(
    "experiments",
    DATA,
    option("--output", "default: assets/results/classification.jsonl", metavar="F", default="assets/results/classification.jsonl"),
    option("--only", ", ".join(NAMES), metavar="E", choices=NAMES, many=True, default=NAMES),
    SEEDS,
    *MODEL_AND_VECTORS,
)
def experiments(*, data, output, only, seeds, vectors, model, outputs) -> Answer:
    """Run the experiments of the Results page, one line per run; resumes where it stopped."""
    read_earlier(output, lambda path: runs.read_results(path) if path.is_file() else [], outputs)
    model, vectors = open_both(model, vectors)
    where = {"output": output, "report": note}
    contexts = [name for name in only if name in runs.CONTEXT_RUNS]
    new = list(run_experiments([name for name in only if name not in contexts], data, model, vectors, seeds=seeds, **where))
    if contexts:
        new += context_curve.run_contexts(contexts, data, model, vectors, **where)
    lines = runs.read_results(output)
    summaries = {name: runs.summary(lines, name) for name in only}
    cells = []
    for name, variants in summaries.items():
        for variant, row in variants.items():
            del row["right"]  # an array
            cells.append((name, variant, f"{spread(row['accuracy'], row['spread'])}, {row['seeds']} seeds"))
    return {"output": output, "made": len(new), "summary": summaries}, in_columns(cells)


@command(
    "tasks",
    TASK_DATA,
    ONLY,
    SEEDS,
    option("--curve", "also train on N examples, for a learning curve", metavar="N", type=whole(1), many=True),
    flag("--no-controls", "skip the runs on random labels"),
    option("--output", "default: assets/tasks", metavar="DIR", default="assets/tasks"),
    *MODEL_AND_VECTORS,
)
def task_results(*, data, only, seeds, curve, no_controls, output, vectors, model, outputs) -> Answer:
    """Run every task of the ELMo paper with both variants and several seeds: the figures of Results."""
    path = Path(output) / "results.json"
    outputs.check_file(path)
    for place in (Path(output) / name / variant for name in only for variant in measured.VARIANTS):
        outputs.check_folder(place, FILES)
    read_earlier(path, measured.read_results, outputs)
    model, vectors = open_both(model, vectors)
    plan = measured.RunPlan(seeds=seeds, controls=not no_controls, curve=curve)
    how = {"plan": plan, "output": Path(output), "watch": task_notes(), "report": progress("layers, tokens")}
    new = list(measured.measure([measured.TASKS[name] for name in only], data, model, vectors, **how))
    summaries = measured.summaries(measured.read_results(path))
    keys = ("baseline", "elmo", "error_reduction", "seeds")
    table = {name: {key: getattr(value, key) for key in keys} for name, value in summaries.items()}
    cells = ((name, *value.in_words, value.seeds) for name, value in summaries.items())
    rows = ((name, plain, f"-> {elmo}, error reduction {spared:.0%}, {n} seeds") for name, plain, elmo, spared, n in cells)
    return {"output": output, "made": len(new), "table": table}, in_columns(rows, right=(1,))


def _is_made(folder: Path, dataset: Dataset, config: TrainConfig, frozen: Frozen) -> bool:
    """Return whether `folder` holds a complete head of this data, configuration and frozen parts."""
    try:
        meta = load_head(folder, **{kind: frozen.facts.get(kind) for kind in ("model", "vectors")}).meta
    except ElmoscopeError:
        return False
    return meta.get("data") == dataset.fingerprint and meta.get("config") == json.loads(json.dumps(asdict(config)))


def run_experiments(
    names: Sequence[str],
    folder: str | Path,
    model: Model,
    vectors: StaticVectors,
    *,
    output: str | Path,
    seeds: Sequence[int] = (0, 1, 2),
    report: Callable[[str], None] = lambda line: None,
) -> Iterator[dict]:
    """Run what has no line in `output` yet; yield every line as it is written."""
    output = Path(output)
    weights = {"model": model.fingerprint, "vectors": tasks.vectors_fingerprint(vectors)}
    for experiment in (runs.EXPERIMENTS[name] for name in names):
        for fold in range(experiment.folds_run or max(1, experiment.split.folds)):
            dataset = _dataset(experiment, folder, fold)
            done = runs.done_runs(output, experiment.name, fold, **weights, data=dataset.fingerprint)
            variants = [VARIANTS[name] for name in experiment.variants]
            frozen = freeze(with_members(variants), dataset, model, vectors)
            keys = {}
            for variant, seed in product(variants, seeds):
                key = run_key(variant, dataset, _config(experiment, seed), frozen[variant.name])
                keys[variant.name, seed] = f"{experiment.name}/{key}"
            baselines: dict[str, TextHead] = {}  # the same for every seed
            for seed in seeds:
                missing = [v for v in variants if keys[v.name, seed] not in done and (v.name not in runs.BASELINES or seed == seeds[0])]
                trained = dict(baselines)
                for variant in with_members(missing):
                    if variant.name in trained:
                        continue
                    config = _config(experiment, seed)
                    head = train_head(variant, dataset, config, frozen[variant.name], trained, model.encoder.device)
                    trained[variant.name] = head
                    if variant.name in runs.BASELINES:
                        baselines[variant.name] = head
                    if variant in missing:
                        line = _line(head, keys[variant.name, seed], experiment, variant, seed, fold)
                        runs.add_line(output, line)
                        forget(head.run)
                        done.add(line["run"])
                        report("{experiment}, {variant}, fold {fold}, seed {seed}: {accuracy:.2%}, {seconds:.0f} s".format(**line))
                        yield line


def _line(head: TextHead, key: str, experiment: runs.Experiment, variant: Variant, seed: int, fold: int) -> dict:
    return {
        "run": key,
        "recipe_number": runs.RECIPE_NUMBER,
        "experiment": experiment.name,
        "variant": variant.name,
        "seed": seed,
        "fold": fold,
        "right": pack_bits(head.right),
        **{name: head.meta["test"][name] for name in ("accuracy", "macro_f1", "ece", "n")},
        **{name: head.meta.get(name) for name in ("sizes", "epochs", "seconds", "mix", "data", "model", "vectors", "date")},
    }


def _dataset(experiment: runs.Experiment, folder: str | Path, fold: int) -> Dataset:
    task = tasks.task_named(experiment.task)
    extra = [Path(folder) / name for name in experiment.extra]
    split = replace(experiment.split, fold=fold)
    if experiment.files:
        files = {what: Path(folder) / name if "/" in name else ASSETS / name for what, name in experiment.files.items()}
    else:
        files = tasks.task_files(task, folder)
    dataset = tasks.open_data(task, **files, extra=extra, split=split)
    return with_random_labels(dataset, copied=experiment.copied) if experiment.shuffled else dataset


def with_random_labels(dataset: Dataset, *, copied: bool = False) -> Dataset:
    """Assign a random label to each text, equal texts alike: only memorized training texts can be predicted better than by chance.

    Validation is on training texts, to reward memorizing. On other texts the first epoch would be the best, and even test texts copied into
    training (`copied`) would hardly show.
    """
    dealt = shuffled_labels(dataset, 0)
    train = dealt.train + (dealt.test if copied else ())
    return replace(dealt, train=train, valid=train[:: max(1, len(train) // max(1, len(dealt.valid)))])


def _config(experiment: runs.Experiment, seed: int) -> TrainConfig:
    return tasks.task_config(tasks.task_named(experiment.task), seed=seed)
