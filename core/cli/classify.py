"""What the commands of text classification do: train variants on labelled rows, classify a text, train what ships, fetch."""

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from core.classify import tasks
from core.classify.committee import with_members
from core.classify.data import Dataset, SplitConfig
from core.classify.head import FILES, TextHead, load_head, save_head
from core.classify.model import VARIANTS, Variant, variant_named
from core.classify.readable_words import letters_of, read_and_unread
from core.cli.shared import download_progress, in_columns, note, open_model, progress
from core.common.config import cache_folder
from core.common.device import choose
from core.common.errors import BadInput
from core.common.i18n import t
from core.elmo.models import Model
from core.experiments import context_curve
from core.experiments.typing_errors import accuracy_under_noise, read_accuracy
from core.experiments.variants import read_results, run_experiments, summary, trained_head
from core.files import ours, public_data, sums
from core.files.artifacts import provenance, write_json
from core.learning.fit import Epoch
from core.static.vectors import StaticVectors, open_vectors

SHOWN_EVERY_S = 10


def train(args) -> tuple[dict, str]:
    device = choose(args.device)
    variants = [variant_named(name) for name in dict.fromkeys(args.variant)]
    task = tasks.task_named(args.task)
    if args.output:
        _check_places([Path(args.output) / task.name / variant.name for variant in variants])
    runs = []
    opened = _opened(args, variants)
    for fold, dataset in _datasets(args, task):
        frozen = tasks.freeze(with_members(variants), dataset, *opened, report=progress("layers, tokens"))
        for seed in dict.fromkeys(args.seeds):
            config = tasks.task_config(task, seed=seed, epochs=args.epochs)
            trained = {}
            for variant in with_members(variants):
                head = trained[variant.name] = trained_head(
                    variant, dataset, config, frozen[variant.name], trained, device, watch=_told(f"{dataset.name}, {variant.name}")
                )
                if variant not in variants:
                    continue
                runs.append({**_result(head), "seed": seed} | ({"fold": fold} if args.folds else {}))
                note(_line(runs[-1]))
                if seed == args.seeds[0] and not args.folds and (args.output or args.share == 1):
                    root = Path(args.output) if args.output else cache_folder() / "heads"
                    note(f"saved in {save_head(head, root / task.name / variant.name)}")
    if len(runs) == 1:
        return {key: value for key, value in runs[0].items() if key != "seed"}, _line(runs[0])
    summary = {variant.name: _summary([run for run in runs if run["variant"] == variant.name]) for variant in variants}
    lines = in_columns((name, _spread(facts["accuracy"]), f"macro F1 {_spread(facts['macro_f1'])}") for name, facts in summary.items())
    return {"task": task.name, "runs": runs, "summary": summary}, "\n".join(lines)


def _check_places(folders: list[Path]) -> None:
    """BadInput, before anything is trained, where a head would take the place of files of somebody's."""
    for folder in folders:
        ours.check_replaceable(folder, FILES)


def classify(args) -> tuple[dict, str]:
    task = tasks.task_named(args.task)
    tasks.text_tokens(task, args.text)  # a blank text is said before a model is opened
    wanted = [variant_named(name) for name in args.variant or tasks.head_folders(task.name, args.heads)]
    model, vectors = _opened(args, wanted)
    found = tasks.open_heads(task, args.variant or (), model=model, vectors=vectors, folder=args.heads, device=choose(args.device))
    for problem in found.problems:
        note(f"left out: {problem}")
    if not read_and_unread(tasks.text_tokens(task, args.text), letters_of(found.heads.values(), vectors))[0]:
        raise BadInput(t("Nothing in this text can be read: it has no word in letters that these classifiers were trained on."))
    tasks.classify_text(found, args.text, model=model, vectors=vectors)  # what only a first answer costs is not counted
    _, answers = tasks.classify_text(found, args.text, model=model, vectors=vectors)
    result = {
        name: {
            "label": answer.label,
            "probabilities": {label: round(p, 6) for label, p in answer.probabilities.items()},
            "seconds": round(answer.seconds + answer.shared_seconds, 6),
        }
        for name, answer in answers.items()
    }
    lines = in_columns(((name, r["label"], f"{max(r['probabilities'].values()):.1%}") for name, r in result.items()), right=(2,))
    return {"text": args.text, "task": task.name, "variants": result}, "\n".join(lines)


def train_heads(args) -> tuple[dict, str]:
    """Every variant of every task, in what ships; a head that is there and whole, of the same data and model, stays."""
    output = Path(args.output)
    made = []
    kept = []
    device = choose(args.device)
    variants = list(VARIANTS.values())
    _check_places([output / name / variant.name for name in args.tasks for variant in variants])
    opened = _opened(args, variants)
    for name in args.tasks:
        task = tasks.task_named(name)
        dataset = tasks.open_data(task, **tasks.task_files(task, args.data))
        frozen = tasks.freeze(variants, dataset, *opened, report=progress(f"{name}, layers, tokens"))
        config = tasks.task_config(task)
        trained = {}
        for variant in with_members(variants):
            folder = output / name / variant.name
            if tasks.is_made(folder, dataset, config, frozen[variant.name]):
                kept.append(str(folder))
                trained[variant.name] = load_head(folder).to(device)
                continue
            head = trained[variant.name] = trained_head(
                variant, dataset, config, frozen[variant.name], trained, device, watch=_told(f"{dataset.name}, {variant.name}")
            )
            made.append({**_result(head), "head": str(save_head(head, folder, members_beside=bool(variant.members)))})
            sums.renew(folder)
            note(_line(made[-1]))
    size = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
    text = f"{len(made)} heads trained, {len(kept)} kept, {size / 1e6:.1f} MB in {output}"
    return {"output": args.output, "made": made, "kept": kept, "bytes": size}, text


def experiments(args) -> tuple[dict, str]:
    """Every run of the Results page that has no line yet."""
    model, vectors = _opened(args, list(VARIANTS.values()))
    where = {"output": args.output, "report": note}
    contexts = [name for name in args.only if name in context_curve.EXPERIMENTS]
    others = [name for name in args.only if name not in contexts]
    made = list(run_experiments(others, args.data, model, vectors, seeds=args.seeds, together=args.together, **where))
    if contexts:
        made += context_curve.run_contexts(contexts, args.data, model, vectors, **where)
    lines = read_results(args.output)
    found = {name: summary(lines, name) for name in args.only}
    text = "\n".join(
        in_columns(
            (name, variant, f"{_spread({'mean': facts['accuracy'], 'spread': facts['spread']})}, {facts['seeds']} seeds")
            for name, variants in found.items()
            for variant, facts in variants.items()
        )
    )
    return {"output": args.output, "made": len(made), "summary": found}, text


def fetch_data(args) -> tuple[dict, str]:
    """Every file of a published data set, in the cache: what is there and whole is not fetched again."""
    files = []
    for name in public_data.files_of(args.data_set):
        file = public_data.PUBLISHED[name]
        report = progress(f"{name}, bytes")
        note(f"{name}: {file.licence}, from {file.url}")
        folder = public_data.fetch([name], report=lambda p, report=report: report(p.done, p.total or p.done, p.bytes_per_s))
        files.append({"name": name, "bytes": (folder / name).stat().st_size, "md5": file.md5})
    lines = [f"{file['bytes'] / 1e6:6.1f} MB  {folder / file['name']}" for file in files]
    return {"folder": str(folder), "files": files}, "\n".join(lines)


def _opened(args, variants: list[Variant]) -> tuple[Model | None, StaticVectors | None]:
    """The model and the vectors, as far as these variants use them."""
    model = open_model(args) if any(variant.elmo for variant in variants) else None
    needs_vectors = any(variant.glove for variant in variants)
    vectors = open_vectors(args.vectors, allow_download=args.download, report=download_progress) if needs_vectors else None
    return model, vectors


def _datasets(args, task: tasks.Task) -> Iterator[tuple[int, Dataset]]:
    """The split of the arguments, or each of K folds."""
    if args.test and (args.folds or args.order):
        raise BadInput("With --test the rows of that file are tested on: leave --folds and --order out.")
    split = SplitConfig(
        share=args.share, folds=args.folds, seed=args.split_seed, in_order=args.order, duplicates=args.duplicates or task.duplicates
    )
    files = {"test": args.test, "valid": args.valid, "extra": args.extra}
    columns = {"text_columns": args.text_column or (), "label_column": args.label_column}
    for fold in range(max(1, args.folds)):
        dataset = tasks.open_data(task, args.train, split=replace(split, fold=fold), **files, **columns)
        for remark in dataset.notes if fold == 0 else ():
            note(remark)
        yield fold, dataset


def _told(what: str) -> Callable[[Epoch], None]:
    """Notes a line for each epoch of a training, and now and then one within it."""
    last = time.monotonic()

    def watch(event: Epoch) -> None:
        nonlocal last
        if event.measures or time.monotonic() - last > SHOWN_EVERY_S:
            last = time.monotonic()
            note(f"{what}: {_event_line(event)}")

    return watch


def _event_line(event: Epoch) -> str:
    where = f"epoch {event.epoch} of at most {event.epochs}, step {event.step:,} of {event.steps:,}, loss {event.loss:.3f}"
    if event.measures is None:
        return f"{where}, at most {event.seconds_left:.0f} s left"
    return f"{where}; validation loss {event.measures['valid_loss']:.3f}, accuracy {event.measures['valid_accuracy']:.1%}; {event.seconds:.0f} s"


def _result(head: TextHead) -> dict:
    """What `train` says of one run; `seconds` is the training's, without the layers that are computed once."""
    test = head.meta["test"]
    facts = head.meta
    scores = {key: test[key] for key in ("accuracy", "macro_f1", "confusion", "per_class", "ece", "n")}
    made = {key: facts[key] for key in ("task", "seconds", "mix", "data")}
    return {**made, "variant": head.variant.name, "labels": list(head.labels), **scores}


def _line(result: dict) -> str:
    mix = result["mix"] and f", s {', '.join(f'{s:.2f}' for s in result['mix']['s'])}, gamma {result['mix']['gamma']:.2f}"
    scored = f"accuracy {result['accuracy']:.2%}, macro F1 {result['macro_f1']:.2%} on {result['n']:,} rows"
    return f"{result['task']}, {result['variant']}: {scored}, {result['seconds']:.0f} s{mix or ''}"


def _summary(runs: list[dict]) -> dict:
    """Mean and sample standard deviation over runs."""
    return {"runs": len(runs)} | {key: _mean_and_spread([run[key] for run in runs]) for key in ("accuracy", "macro_f1", "seconds")}


def _mean_and_spread(values: list[float]) -> dict:
    return {"mean": statistics.fmean(values), "spread": statistics.stdev(values) if len(values) > 1 else None}


def _spread(facts: dict) -> str:
    return f"{facts['mean']:.2%}" + (f" (standard deviation {facts['spread']:.2%})" if facts["spread"] is not None else "")


def noise(args) -> tuple[dict, str]:
    """Accuracy of a task's heads on its test texts as letters are disturbed, kept for the Spelling page."""
    task = tasks.task_named(args.task)
    measured = read_accuracy(args.output)  # a file that holds others goes on holding them
    dataset = tasks.open_data(task, **tasks.task_files(task, args.data))
    model, vectors = _opened(args, [variant_named(name) for name in tasks.head_folders(task.name, args.heads)])
    found = tasks.open_heads(task, model=model, vectors=vectors, folder=args.heads, device=choose(args.device))
    for problem in found.problems:
        note(f"left out: {problem}")
    given = {"vectors": vectors, "encoder": model.encoder if model else None}
    report = progress("noise, texts")
    table = accuracy_under_noise(found.heads, dataset, **given, seeds=args.seeds, limit=args.limit, report=report)
    table |= {"task": task.name, "model": model.fingerprint if model else None, "model_name": model.name if model else None}
    write_json(args.output, {**measured, task.name: provenance(**table)})
    sums.renew(args.output)
    cells = [("letters disturbed", *(f"{share:.0%}" for share in table["shares"]))]
    cells += [(name, *(f"{statistics.fmean(row):.1%}" for row in rows)) for name, rows in table["accuracy"].items()]
    lines = in_columns(cells, right=range(1, len(cells[0])))
    return {"output": args.output, **table}, "\n".join(lines)
