"""Commands `train`, `classify` and `fetch`: train text classifiers on labeled rows, classify a text, download data."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..classify.data import Dataset, SplitConfig
from ..common.config import cache_folder
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import ENGLISH, t
from ..files import published, registry
from ..text import languages
from ..text.languages import Language
from .options import MODEL_AND_VECTORS, Answer, ModelOptions, argument, command, finite, flag, option, whole, why_unwritable
from .shared import counted, epoch_notes, fetch_files, in_columns, mix_text, note, open_both, progress

if TYPE_CHECKING:
    from ..classify import tasks
    from ..classify.head import TextHead
    from ..classify.model import Variant
    from ..elmo.models import Model
    from ..static.vectors import StaticVectors

TASKS = ("news", "news-title", "spam", "sentiment", "sentiment2", "headlines")
VARIANT_NAMES = (
    "embedding, glove, glove-unfrozen, elmo, embedding+elmo, glove+elmo, glove-unfrozen+elmo, mean-elmo, tfidf, mean-glove, "
    "glove-unfrozen+tfidf, glove-unfrozen+elmo+tfidf"
)
HEADS = option("--heads", "folder of heads, as DIR/TASK/VARIANT (default: assets/heads, the cache)", metavar="DIR")


@command(
    "train",
    option("--task", f"{', '.join(TASKS)}, or any name for rows of your own", metavar="T", required=True),
    option("--variant", VARIANT_NAMES, metavar="NAME", required=True, many=True),
    option("--train", ".csv, .tsv, .xlsx, .jsonl, .txt with tabs, or SST's trees as .txt; .xz, .gz too", metavar="F", required=True),
    option("--test", "rows to test on (default: 20% of --train, by a hash of the text)", metavar="F"),
    option("--valid", "rows that decide when to stop (default: 10% of --train, by hash)", metavar="F"),
    option("--extra", "more training rows", metavar="F", many=True),
    option("--text-column", "by name, or by number from 1; several are joined", metavar="NAME", many=True),
    option("--label-column", "by name, or by number from 1 (default: the usual names)", metavar="NAME"),
    option("--seeds", "one run each (default 0)", metavar="S", type=whole(0), many=True, default=(0,)),
    option("--split-seed", "seed of the split, the same for all runs", metavar="S", type=whole(0), default=0),
    option("--share", "share of the labeled rows to use, for training and validation", metavar="S", type=finite, default=1.0),
    option("--folds", "K-fold cross-validation, K runs per variant", metavar="K", type=whole(0, 100), default=0),
    option("--duplicates", "duplicate texts (default: drop for spam, else keep)", choices=("keep", "drop")),
    flag("--order", "test on the last 20% of the rows instead of by hash"),
    option("--epochs", "at most (default: until the validation loss rises)", metavar="N", type=whole(1, 1000)),
    option("--output", "save the first seed's heads as DIR/TASK/VARIANT (default: the cache)", metavar="DIR"),
    *MODEL_AND_VECTORS,
    rows="train test valid extra text_column label_column split_seed share folds duplicates order",
)
def train(*, task, variant, seeds, rows, epochs, output, vectors, model, outputs) -> Answer:
    """Train text classifiers on labeled rows and score them on held-out ones."""
    from ..classify import tasks
    from ..classify.head import FILES, save_head
    from ..classify.model import variant_named
    from ..classify.train import freeze, train_head, with_members
    from ..common.device import choose
    from ..learning.fit import forget

    device = choose(model.device)
    variants = [variant_named(name) for name in dict.fromkeys(variant)]
    task = tasks.task_named(task)
    root = Path(output) if output else cache_folder() / "heads"
    is_saved = not rows.folds and (output is not None or rows.share == 1)
    if not output and is_saved and (reason := why_unwritable(root / task.name, is_folder=True)):
        raise BadInput(f"{root} cannot be written: {reason}. Name a folder with --output, or another cache with ELMOSCOPE_CACHE.")
    if output:  # before anything is trained
        for chosen in variants:
            outputs.check_folder(root / task.name / chosen.name, FILES)
    runs, finished = [], []
    opened = open_both(model, vectors, model=any(v.elmo for v in variants), static=any(v.glove for v in variants))
    for fold, dataset in _datasets(task, rows, _language_of(*opened, vectors, model)):
        frozen = freeze(with_members(variants), dataset, *opened, report=progress("layers, tokens"))
        for seed in dict.fromkeys(seeds):
            config = tasks.task_config(task, seed=seed, epochs=epochs)
            trained = {}
            for variant in with_members(variants):
                watch = head_notes(dataset, variant)
                head = train_head(variant, dataset, config, frozen[variant.name], trained, device, watch=watch)
                trained[variant.name] = head
                finished.append(head.run)
                if variant not in variants:
                    continue
                runs.append({**facts_of(head), "seed": seed})
                if rows.folds:
                    runs[-1]["fold"] = fold
                note(line_of(runs[-1]))
                if seed == seeds[0] and is_saved:
                    note(f"saved in {save_head(head, root / task.name / variant.name)}")
    for run in finished:
        forget(run)
    if len(runs) == 1:
        return {key: value for key, value in runs[0].items() if key != "seed"}, line_of(runs[0])
    summary = {variant.name: _summary([run for run in runs if run["variant"] == variant.name]) for variant in variants}
    lines = in_columns((name, spread(**scores["accuracy"]), f"macro F1 {spread(**scores['macro_f1'])}") for name, scores in summary.items())
    return {"task": task.name, "runs": runs, "summary": summary}, lines


@command(
    "classify",
    option("--task", f"{', '.join(TASKS)}, or a name you trained under", metavar="T", required=True),
    option("--text", "a headline, a message, a sentence", metavar="TEXT", required=True),
    option("--variant", "default: every variant that has a trained head", metavar="NAME", many=True),
    HEADS,
    *MODEL_AND_VECTORS,
)
def classify(*, task, text, variant, heads, vectors, model) -> Answer:
    """Print each trained classifier's prediction for a text, with its confidence."""
    from ..classify import tasks
    from ..classify.head import letters_of, read_and_unread
    from ..classify.model import variant_named
    from ..common.device import choose

    task = tasks.task_named(task)
    tasks.text_tokens(task, text)  # refuse a blank text before a model is opened
    device = choose(model.device)
    wanted = [variant_named(name) for name in variant or tasks.head_folders(task.name, heads)]
    model, vectors = open_both(model, vectors, model=any(v.elmo for v in wanted), static=any(v.glove for v in wanted))
    opened = tasks.open_heads(task, variant, model=model, vectors=vectors, folder=heads, device=device)
    for problem in opened.problems:
        note(f"left out: {problem}")
    if not read_and_unread(opened.tokens(text), letters_of(opened.heads.values(), vectors))[0]:
        raise BadInput(t("This text has no word in letters these classifiers know. Try another."))
    tasks.classify_text(opened, text, model=model, vectors=vectors)  # the cost of a first answer is not counted
    _, answers = tasks.classify_text(opened, text, model=model, vectors=vectors)
    result = {
        name: {"label": answer.label, "seconds": round(answer.seconds + answer.shared_seconds, 6)}
        | {"probabilities": {label: round(p, 6) for label, p in answer.probabilities.items()}}
        for name, answer in answers.items()
    }
    lines = in_columns(((name, r["label"], f"{max(r['probabilities'].values()):.1%}") for name, r in result.items()), right=(2,))
    return {"text": text, "task": task.name, "variants": result}, lines


@command("fetch", argument("data_set", "ag_news: 127,600 rows, 31 MB, non-commercial use", metavar="DATASET", choices=("ag_news",)))
def fetch_data(*, data_set) -> Answer:
    """Download a data set from its publisher into the cache, laid out as ELMOSCOPE_DATA; resumes where it stopped."""
    return fetch_files(published.PUBLISHED, published.PUBLISHED)


def _language_of(model: Model | None, static: StaticVectors | None, vectors: str, options: ModelOptions) -> Language:
    """Return the language of the texts: that of the opened model, else of the vectors, else of the model in the options."""
    for opened in (model, options.model):
        if opened is not None and not isinstance(opened, str):
            return opened.language
    with suppress(ElmoscopeError):
        kind, name = ("model", options.model) if static is None else ("vectors", vectors)
        return languages.of_model(registry.resolve(name, kind))
    return languages.get_language(ENGLISH)


def _datasets(task: tasks.TextTask, rows, language: Language) -> Iterator[tuple[int, Dataset]]:
    """Yield the number and the data of the one split, or of each of K folds."""
    from ..classify import tasks

    if rows.test and (rows.folds or rows.order):
        raise BadInput("With --test the rows of that file are tested on: leave --folds and --order out.")
    if rows.label_column in rows.text_column:
        raise BadInput(f"--text-column and --label-column both name {rows.label_column}. The text needs another column.")
    if not 0 < rows.share <= 1:
        raise BadInput(f"--share must be above 0 and at most 1, got {rows.share:g}.")
    duplicates = rows.duplicates or task.duplicates
    split = SplitConfig(share=rows.share, folds=rows.folds, seed=rows.split_seed, in_order=rows.order, duplicates=duplicates)
    files = {"test": rows.test, "valid": rows.valid, "extra": rows.extra}
    columns = {"text_columns": rows.text_column, "label_column": rows.label_column}
    noted: set[str] = set()
    for fold in range(max(1, rows.folds)):
        dataset = tasks.open_data(task, rows.train, split=replace(split, fold=fold), **files, **columns, language=language)
        for remark in dataset.notes:
            if remark not in noted:
                note(remark)
        noted.update(dataset.notes)
        yield fold, dataset


def head_notes(dataset: Dataset, variant: Variant):
    """Return a function that notes the epochs of a head's training."""
    watch = epoch_notes(lambda measures: f"validation loss {measures['valid_loss']:.3f}, accuracy {measures['valid_accuracy']:.1%}")
    return lambda event: watch(f"{dataset.name}, {variant.name}", event)


def facts_of(head: TextHead) -> dict:
    """Return how one run was made and its scores, as `train` prints them; `seconds` excludes the layers, which are computed once."""
    scores = {key: head.meta["test"][key] for key in ("accuracy", "macro_f1", "confusion", "per_class", "ece", "n")}
    meta = {key: head.meta[key] for key in ("task", "seconds", "mix", "data")}
    return meta | {"variant": head.variant.name, "labels": list(head.labels)} | scores


def line_of(result: dict) -> str:
    """Format one run's scores as a line."""
    scores = f"accuracy {result['accuracy']:.2%}, macro F1 {result['macro_f1']:.2%} on {counted(result['n'], 'row')}"
    line = f"{result['task']}, {result['variant']}: {scores}, {result['seconds']:.0f} s"
    return f"{line}, {mix_text(result['mix'])}" if result["mix"] else line


def _summary(runs: list[dict]) -> dict:
    """Return the mean and sample standard deviation over runs."""
    values = {key: [run[key] for run in runs] for key in ("accuracy", "macro_f1", "seconds")}
    spreads = {key: {"mean": statistics.fmean(v), "spread": statistics.stdev(v) if len(v) > 1 else None} for key, v in values.items()}
    return {"runs": len(runs)} | spreads


def spread(mean: float, spread: float | None) -> str:
    """Format a mean with its standard deviation, if there is one."""
    return f"{mean:.2%}" if spread is None else f"{mean:.2%} (standard deviation {spread:.2%})"
