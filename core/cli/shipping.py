"""Commands that make what ships of text classification: `train-heads` and `experiments`."""

from __future__ import annotations

from pathlib import Path

from ..files import sums
from .classify import TASKS, check_places, facts_of, head_notes, line_of, model_and_vectors, spread
from .options import MODEL_AND_VECTORS, SEEDS, Answer, command, flag, option
from .shared import in_columns, note, progress, read_earlier

DATA = option("--data", "laid out as ELMOSCOPE_DATA: ag_news/, sms_spam/, sst5/", metavar="FOLDER", required=True)
EXPERIMENTS = (
    *("titles", "news", "spam", "spam-duplicates", "sentiment", "sentiment2", "titles-more"),
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
    from ..classify.committee import with_members
    from ..classify.head import load_head, save_head
    from ..classify.model import VARIANTS
    from ..classify.tasks import freeze, is_made, open_data, task_config, task_files, task_named
    from ..common.device import choose
    from ..experiments.variants import train_head

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
    from ..classify.model import VARIANTS
    from ..experiments import context_curve
    from ..experiments.variants import read_results, run_experiments, summary

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
        (name, variant, f"{spread(row['accuracy'], row['spread'])}, {row['seeds']} seeds")
        for name, variants in summaries.items()
        for variant, row in variants.items()
    )
    return {"output": output, "made": len(made), "summary": summaries}, in_columns(cells)
