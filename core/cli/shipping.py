"""Commands that make what ships of text classification: `train-heads`, `experiments` and `noise`."""

from __future__ import annotations

import statistics
from pathlib import Path

from core.cli.classify import HEADS, TASKS, check_places, facts_of, head_notes, line_of, model_and_vectors, open_heads, spread
from core.cli.options import MODEL_AND_VECTORS, SEEDS, Answer, command, flag, option, whole
from core.cli.shared import in_columns, note, progress, read_earlier
from core.files import sums
from core.files.artifacts import provenance, write_json
from core.files.atomic import locked

DATA = option("--data", "laid out as ELMOSCOPE_DATA: ag_news/, sms_spam/, sst5/", metavar="FOLDER", required=True)
EXPERIMENTS = (
    *("titles", "news", "spam", "spam-duplicates", "spam-one-epoch", "spam-twenty-epochs", "sentiment", "sentiment2", "titles-more"),
    *("titles-all", "news-all", "headlines", "headlines-few", "headlines-to-titles", "titles-to-headlines", "random", "random-copied"),
    *("context-0.01", "context-0.03", "context-0.1", "context-0.3", "context-1"),
)


@command(
    "train-heads",
    "Retrain what ships: every variant's head for every task; resumes where it stopped.",
    DATA,
    option("--output", "default: assets/heads", metavar="DIR", default="assets/heads"),
    option("--tasks", "default: all", metavar="T", choices=TASKS, many=True, default=TASKS),
    *MODEL_AND_VECTORS,
)
def train_heads(*, data, output, tasks, vectors, model, outputs) -> Answer:
    """Every variant of every task, in what ships; a head that is there and whole, of the same data and model, stays."""
    from core.classify.committee import with_members
    from core.classify.head import load_head, save_head
    from core.classify.model import VARIANTS
    from core.classify.tasks import freeze, is_made, open_data, task_config, task_files, task_named
    from core.common.device import choose
    from core.experiments.variants import train_head

    root, made, kept = Path(output), [], []
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
                kept.append(str(folder))
                trained[variant.name] = load_head(folder).to(device)
                continue
            watch = head_notes(dataset, variant)
            head = trained[variant.name] = train_head(variant, dataset, config, frozen[variant.name], trained, device, watch=watch)
            made.append({**facts_of(head), "head": str(save_head(head, folder, members_beside=bool(variant.members)))})
            sums.renew(folder)
            note(line_of(made[-1]))
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
    text = f"{len(made)} heads trained, {len(kept)} kept, {size / 1e6:.1f} MB in {root}"
    return {"output": output, "made": made, "kept": kept, "bytes": size}, text


@command(
    "experiments",
    "Run the experiments of the Results page, one line per run; resumes where it stopped.",
    DATA,
    option("--output", "default: assets/results/classification.jsonl", metavar="F", default="assets/results/classification.jsonl"),
    option("--only", ", ".join(EXPERIMENTS), metavar="E", choices=EXPERIMENTS, many=True, default=EXPERIMENTS),
    SEEDS,
    flag("--together", "at the end, also score all heads of all seeds as one ensemble"),
    *MODEL_AND_VECTORS,
)
def experiments(*, data, output, only, seeds, together, vectors, model, outputs) -> Answer:
    """Every run of the Results page that has no line yet."""
    from core.classify.model import VARIANTS
    from core.experiments import context_curve
    from core.experiments.variants import read_results, run_experiments, summary

    read_earlier(output, lambda path: read_results(path) if path.is_file() else [], outputs)
    model, vectors = model_and_vectors(list(VARIANTS.values()), vectors, model)
    where = {"output": output, "report": note}
    contexts = [name for name in only if name in context_curve.EXPERIMENTS]
    others = [name for name in only if name not in contexts]
    made = list(run_experiments(others, data, model, vectors, seeds=seeds, together=together, **where))
    if contexts:
        made += context_curve.run_contexts(contexts, data, model, vectors, **where)
    lines = read_results(output)
    summaries = {name: summary(lines, name) for name in only}
    cells = (
        (name, variant, f"{spread(facts['accuracy'], facts['spread'])}, {facts['seeds']} seeds")
        for name, variants in summaries.items()
        for variant, facts in variants.items()
    )
    return {"output": output, "made": len(made), "summary": summaries}, in_columns(cells)


@command(
    "noise",
    "Accuracy of trained classifiers as typing errors are added to the test texts.",
    option("--task", "default: news-title", metavar="T", choices=TASKS, default="news-title"),
    DATA,
    option("--output", "default: assets/results/noise.json", metavar="F", default="assets/results/noise.json"),
    SEEDS,
    option("--limit", "only the first N test texts", metavar="N", type=whole(1)),
    HEADS,
    *MODEL_AND_VECTORS,
)
def noise(*, task, data, output, seeds, limit, heads, vectors, model, outputs) -> Answer:
    """Accuracy of a task's heads on its test texts as letters are disturbed, kept for the Spelling page."""
    from core.classify import tasks
    from core.experiments.typing_errors import accuracy_under_noise, read_accuracy

    task = tasks.task_named(task)
    read_earlier(output, read_accuracy, outputs)  # what is wrong with it is said now
    dataset = tasks.open_data(task, **tasks.task_files(task, data))
    opened, model, vectors = open_heads(task, (), vectors, model, heads)
    reads = {"vectors": vectors, "encoder": model.encoder if model else None}
    report = progress("noise, texts")
    table = accuracy_under_noise(opened.heads, dataset, **reads, seeds=seeds, limit=limit, report=report)
    table |= {"task": task.name, "model": model.fingerprint if model else None, "model_name": model.name if model else None}
    with locked(output):  # a file that holds other tasks, by now perhaps, goes on holding them
        write_json(output, {**read_accuracy(output), task.name: provenance(**table)})
    sums.renew(output)
    cells = [("letters disturbed", *(f"{share:.0%}" for share in table["shares"]))]
    cells += [(name, *(f"{statistics.fmean(row):.1%}" for row in rows)) for name, rows in table["accuracy"].items()]
    return {"output": output, **table}, in_columns(cells, right=range(1, len(cells[0])))
