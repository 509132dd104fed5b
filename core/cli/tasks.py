"""The `tasks` commands: fetch, train, evaluate, results; the tasks of the ELMo paper with and without it."""

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import starmap
from pathlib import Path

from core.cli.shared import download_progress, in_columns, note, open_model, progress
from core.common.config import cache_folder
from core.common.errors import MissingArtifact
from core.common.i18n import t
from core.elmo.models import Model
from core.files import ours, public_data
from core.learning.fit import Epoch
from core.learning.frozen import vectors_fingerprint
from core.static.vectors import StaticVectors, open_vectors
from core.tasks import results as measured
from core.tasks.catalogue import task_named
from core.tasks.entailment import unpack
from core.tasks.heads import FILES, load_head, save_head
from core.tasks.results import Summary
from core.tasks.task import MADE_BY_HAND, read_data, read_test
from core.tasks.train import freeze

SHOWN_EVERY_S = 10


def train(args) -> tuple[dict, str]:
    task = task_named(args.task)
    asked = {"epochs": args.epochs, "train_limit": args.limit_train, "test_limit": args.limit_test}
    given = {name: value for name, value in asked.items() if value is not None}
    recipe = replace(task.recipe, seed=args.seed, random_labels=args.random_labels, **given)
    root = Path(args.output) if args.output else cache_folder() / "task-heads"
    if not args.random_labels:
        ours.check_replaceable(root / task.name / args.variant, FILES)
    data = read_data(task, args.data, recipe, further=args.further)
    model, vectors = _opened(args, args.variant)
    frozen = freeze(args.variant, data, model, vectors, report=progress("layers, tokens"))
    head = measured.trained(task, args.variant, recipe, data, frozen, watch=_told())
    if not args.random_labels:
        note(f"saved in {save_head(head, root / task.name / args.variant)}")
    result = measured.entry(head)
    return result, _line(result)


def evaluate(args) -> tuple[dict, str]:
    task = task_named(args.task)
    roots = [Path(args.heads)] if args.heads else [cache_folder() / "task-heads", measured.FOLDER]
    places = [place for root in roots if ((place := root / task.name / args.variant) / "meta.json").is_file()]
    if not places:
        told = {"task": task.name, "variant": args.variant}
        raise MissingArtifact(t("There is no trained head for {task}, {variant}. Train one: python -m core tasks train --help", **told))
    model, vectors = _opened(args, args.variant)
    fits = {"model": model.fingerprint if model else None, "vectors": vectors_fingerprint(vectors)}
    head = load_head(places[0], **fits)
    data = read_test(task, args.data, args.test) if args.test else read_data(task, args.data, head.recipe)
    frozen = freeze(args.variant, data, model, vectors, report=progress("layers, tokens"))
    scores = task.score(data.test, head.predictions(data.test, vectors, frozen.layers))
    told = {"task": task.name, "variant": args.variant, "head": str(places[0]), "test": scores, "n": len(data.test)}
    return told, f"{task.name}, {args.variant}: {_scores(scores)} ({len(data.test):,} examples, {places[0]})"


def results(args) -> tuple[dict, str]:
    """Every run that has no entry yet; then the table."""
    model, vectors = _opened(args, "elmo")
    made = list(
        measured.measure(
            [task_named(name) for name in args.only],
            args.data,
            model,
            vectors,
            seeds=args.seeds,
            controls=not args.no_controls,
            curve=args.curve,
            output=Path(args.output),
            watch=_told(),
            report=progress("layers, tokens"),
        )
    )
    found = measured.summaries(measured.read_results(Path(args.output) / "results.json"))
    table = {
        name: {"baseline": one.baseline, "elmo": one.elmo, "error_reduction": one.error_reduction, "seeds": one.seeds}
        for name, one in found.items()
    }
    return {"output": args.output, "made": len(made), "table": table}, "\n".join(in_columns(starmap(_row, found.items()), right=(1,)))


def fetch(args) -> tuple[dict, str]:
    """The published files of the tasks, whole or not there; SNLI's archive is unpacked to the part of it that is read."""
    folder = Path(args.data) if args.data else public_data.fetched_folder() / "tasks"
    files = []
    rooms = set()
    for name in args.only:
        paths = task_named(name).files.values()
        if any(path.startswith(MADE_BY_HAND) for path in paths):
            note(f"{name}: nothing to fetch: its files are joined from several publishers', see core/tasks/README.md")
        else:
            rooms |= {path.partition("/")[0] for path in paths}
    for name in [name for name in public_data.TASK_FILES if name.partition("/")[0] in rooms]:
        file = public_data.TASK_FILES[name]
        report = progress(f"{name}, bytes")
        note(f"{name}: {file.publisher}, {file.licence}, {file.size:,} bytes, from {file.url}")
        public_data.fetch(
            [name], folder, files=public_data.TASK_FILES, report=lambda p, report=report: report(p.done, p.total or p.done, p.bytes_per_s)
        )
        files.append({"name": name, "bytes": (folder / name).stat().st_size, "sha256": file.sha256})
        if name.endswith(".zip"):
            files += [{"name": f"entailment/{path.name}", "bytes": path.stat().st_size} for path in unpack(folder / name)]
    lines = [f"{file['bytes'] / 1e6:6.1f} MB  {folder / file['name']}" for file in files]
    return {"folder": str(folder), "files": files}, "\n".join(lines)


def _opened(args, variant: str) -> tuple[Model | None, StaticVectors]:
    """The model, where the variant reads it, and the vectors."""
    model = open_model(args) if variant == "elmo" else None
    return model, open_vectors(args.vectors, allow_download=args.download, report=download_progress)


def _told() -> Callable[[str, Epoch], None]:
    """Notes a line for each epoch of a training, and now and then one within it."""
    last = time.monotonic()

    def watch(what: str, event: Epoch) -> None:
        nonlocal last
        if event.measures or time.monotonic() - last > SHOWN_EVERY_S:
            last = time.monotonic()
            where = f"epoch {event.epoch} of at most {event.epochs}, step {event.step:,} of {event.steps:,}, loss {event.loss:.3f}"
            left = (
                f", at most {event.seconds_left:.0f} s left"
                if event.measures is None
                else f"; dev {event.measures['score']:.2%}; {event.seconds:.0f} s"
            )
            note(f"{what}: {where}{left}")

    return watch


def _line(result: dict) -> str:
    mixes = "; ".join(
        f"{where}: s {', '.join(f'{s:.2f}' for s in mix['s'])}, gamma {mix['gamma']:.2f}" for where, mix in result["mixes"].items()
    )
    return f"{result['task']}, {result['variant']}: {_scores(result['test'])}, {result['seconds']:.0f} s" + (f"; {mixes}" if mixes else "")


def _scores(scores: dict[str, float]) -> str:
    shares = {name: value for name, value in scores.items() if isinstance(value, float)}
    return ", ".join(f"{name} {value:.2%}" for name, value in shares.items())


def _row(name: str, one: Summary) -> tuple[str, str, str]:
    spread = "" if one.elmo_spread is None else f" ± {one.elmo_spread:.1%}"
    return name, f"{one.baseline:.1%}", f"-> {one.elmo:.1%}{spread}, error reduction {one.error_reduction:.0%}, {one.seeds} seeds"
