"""Commands that train the shipped heads and run the experiments: `train-heads`, `experiments`, `tasks`."""

from __future__ import annotations

from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

from ..cli.classify import TASKS, check_places, facts_of, head_notes, line_of, model_and_vectors, spread
from ..cli.options import MODEL_AND_VECTORS, SEEDS, Answer, command, flag, option, whole
from ..cli.shared import in_columns, note, open_both, progress, read_earlier
from ..cli.tasks import DATA as TASK_DATA
from ..cli.tasks import ONLY, task_notes
from ..evaluation import context_gains
from ..evaluation.experiments import EXPERIMENTS, read_results, summary
from ..files import sums

if TYPE_CHECKING:
    from ..tasks.results import Summary

NAMES = (*EXPERIMENTS, *context_gains.EXPERIMENTS)
DATA = option("--data", "laid out as ELMOSCOPE_DATA: ag_news/, sms_spam/, sst5/", metavar="FOLDER", required=True)


@command(
    "train-heads",
    "Retrain what ships: every variant's head for every task; resumes where it stopped.",
    DATA,
    option("--output", "default: assets/heads", metavar="DIR", default="assets/heads"),
    option("--tasks", "default: all", metavar="T", choices=TASKS, many=True, default=TASKS),
    *MODEL_AND_VECTORS,
)
def train_heads(*, data, output, tasks, vectors, model, outputs) -> Answer:
    """Train every variant of every task. An existing complete head of the same data and model stays."""
    from ..classify.head import load_head, save_head
    from ..classify.model import VARIANTS
    from ..classify.tasks import freeze, is_made, open_data, task_config, task_files, task_named, train_head
    from ..classify.train import with_members
    from ..common.device import choose

    root, new, unchanged = Path(output), [], []
    device = choose(model.device)
    variants = list(VARIANTS.values())
    check_places([root / name / variant.name for name in tasks for variant in variants], outputs)
    opened = model_and_vectors(variants, vectors, model)
    for name in tasks:
        task = task_named(name)
        dataset = open_data(task, **task_files(task, data))
        frozen = freeze(variants, dataset, *opened, report=progress(f"{name}, layers, tokens"))
        config = task_config(task)
        trained = {}
        for variant in with_members(variants):
            folder = root / name / variant.name
            if is_made(folder, dataset, config, frozen[variant.name]):
                unchanged.append(str(folder))
                trained[variant.name] = load_head(folder).to(device)
                continue
            watch = head_notes(dataset, variant)
            head = trained[variant.name] = train_head(variant, dataset, config, frozen[variant.name], trained, device, watch=watch)
            new.append({**facts_of(head), "head": str(save_head(head, folder, members_beside=bool(variant.members)))})
            sums.renew(folder)
            note(line_of(new[-1]))
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
    text = f"{len(new)} heads trained, {len(unchanged)} unchanged, {size / 1e6:.1f} MB in {root}"
    return {"output": output, "made": new, "kept": unchanged, "bytes": size}, text


@command(
    "experiments",
    "Run the experiments of the Results page, one line per run; resumes where it stopped.",
    DATA,
    option("--output", "default: assets/results/classification.jsonl", metavar="F", default="assets/results/classification.jsonl"),
    option("--only", ", ".join(NAMES), metavar="E", choices=NAMES, many=True, default=NAMES),
    SEEDS,
    *MODEL_AND_VECTORS,
)
def experiments(*, data, output, only, seeds, vectors, model, outputs) -> Answer:
    """Run every experiment of the Results page that has no line yet."""
    from ..classify.model import VARIANTS
    from . import context_curve
    from .variants import run_experiments

    read_earlier(output, lambda path: read_results(path) if path.is_file() else [], outputs)
    model, vectors = model_and_vectors(list(VARIANTS.values()), vectors, model)
    where = {"output": output, "report": note}
    contexts = [name for name in only if name in context_gains.EXPERIMENTS]
    others = [name for name in only if name not in contexts]
    new = list(run_experiments(others, data, model, vectors, seeds=seeds, **where))
    if contexts:
        new += context_curve.run_contexts(contexts, data, model, vectors, **where)
    lines = read_results(output)
    summaries = {name: summary(lines, name) for name in only}
    cells = (
        (name, variant, f"{spread(row['accuracy'], row['spread'])}, {row['seeds']} seeds")
        for name, variants in summaries.items()
        for variant, row in variants.items()
    )
    return {"output": output, "made": len(new), "summary": summaries}, in_columns(cells)


@command(
    "tasks",
    "Run every task of the ELMo paper with both variants and several seeds: the figures of Results.",
    TASK_DATA,
    ONLY,
    SEEDS,
    option("--curve", "also train on N examples, for a learning curve", metavar="N", type=whole(1), many=True),
    flag("--no-controls", "skip the runs on random labels"),
    option("--output", "default: assets/tasks", metavar="DIR", default="assets/tasks"),
    *MODEL_AND_VECTORS,
)
def task_results(*, data, only, seeds, curve, no_controls, output, vectors, model, outputs) -> Answer:
    """Run everything that has no entry yet; then show the table."""
    from ..tasks import results as measured
    from ..tasks.heads import FILES, task_named
    from ..tasks.task import VARIANTS

    path = Path(output) / "results.json"
    outputs.check_file(path)
    for place in (Path(output) / name / variant for name in only for variant in VARIANTS):
        outputs.check_folder(place, FILES)
    read_earlier(path, measured.read_results, outputs)
    model, vectors = open_both(model, vectors)
    plan = measured.RunPlan(seeds=seeds, controls=not no_controls, curve=curve)
    how = {"plan": plan, "output": Path(output), "watch": task_notes(), "report": progress("layers, tokens")}
    new = list(measured.measure([task_named(name) for name in only], data, model, vectors, **how))
    summaries = measured.summaries(measured.read_results(path))
    keys = ("baseline", "elmo", "error_reduction", "seeds")
    table = {name: {key: getattr(value, key) for key in keys} for name, value in summaries.items()}
    return {"output": output, "made": len(new), "table": table}, in_columns(starmap(_row, summaries.items()), right=(1,))


def _row(name: str, summary: Summary) -> tuple[str, str, str]:
    baseline, elmo, spared = summary.in_words
    return name, baseline, f"-> {elmo}, error reduction {spared:.0%}, {summary.seeds} seeds"
