"""What ships and depends on the bundled model, made again by one command, so that a later model drops in."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core import workbench
from core.artifacts import write_json
from core.classifying import train_heads
from core.commands import check_replaceable, note, progress
from core.evaluating import evaluate_card
from core.heads import TASKS


def bundle(args) -> tuple[dict, str]:
    """The table and its maps; with --data also the measures and every classifier's head, which need the data sets."""
    from core.occurrences import build_index

    model = workbench.open_model(workbench.BUNDLED_MODEL)
    folder = Path(args.output)
    check_replaceable(folder)
    table = build_index(
        workbench.open_corpus(workbench.BUNDLED_CORPUS),
        model.encoder,
        folder,
        model=model.fingerprint,
        targets_only=True,
        report=progress("tokens"),
    )
    (folder / "maps").mkdir()
    for k, word in enumerate([*table.lemmas, workbench.ALL_WORDS], 1):
        workbench.fit_maps(table, word).save(folder / "maps" / f"{word}.safetensors")
        note(f"map {k} of {len(table.lemmas) + 1}: {word}")
    measured = {name: _senses(table, name) for name in workbench.SPACES}
    write_json(folder / "senses.json", measured)
    lines = [f"{len(table):,} labelled tokens and {k} maps in {folder}"]
    lines += [
        f"{name}: 1-NN {m['one_nn']:.1%} ({m['low']:.1%} to {m['high']:.1%}), shuffled {m['null']:.1%}"
        for name, m in measured.items()
    ]
    result = {"output": str(folder), "maps": k, "occurrences": len(table), "senses": measured}
    return (_with_data(args.data, result, lines) if args.data else result), "\n".join(lines)


def _with_data(data: str, result: dict, lines: list[str]) -> dict:
    used = {"data": data, "model": workbench.BUNDLED_MODEL, "vectors": workbench.BUNDLED_VECTORS, "download": False}
    for name, run, options in (
        ("card", evaluate_card, {"output": None, "limit_text": None, "only": None}),
        ("heads", train_heads, {"output": "assets/heads", "tasks": list(TASKS)}),
    ):
        result[name], text = run(Namespace(**used, **options))
        lines.append(text)
    return result


def _senses(table, space: str) -> dict:
    """Leave-one-out 1-NN of every labelled word, macro, with its 95 % interval and its shuffled null."""
    report = workbench.sense_report_of(table, workbench.ALL_WORDS, workbench.layer_weights(space, table.meta["layers"]))
    facts = {"one_nn": report.one_nn, "low": report.one_nn_low, "high": report.one_nn_high, "null": report.null_mean}
    return {name: round(value, 4) for name, value in (facts | {"silhouette": report.silhouette, "n": report.n}).items()}
