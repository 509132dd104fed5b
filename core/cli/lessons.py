"""What `evaluate lessons` does: measures a model for the lessons, and answers with JSON and a table."""

from __future__ import annotations

from core.cli.shared import open_model, progress
from core.lessons import store


def evaluate_lessons(args) -> tuple[dict, str]:
    model = open_model(args)
    lines = []
    measures = store.measure(model, args.only, report=progress("tokens or probes"))
    for name, values in measures.get("context", {}).get("one_nn", {}).items():
        lines.append(f"1-NN, {name}: {sum(values) / len(values):.1%}")
    for layer, ranks in measures.get("control", {}).get("layers", {}).items():
        for rank, one in ranks.items():
            lines.append(f"layer {layer}, rank {rank}: tags {one['tags']:.1%}, random tags {one['control']:.1%}")
    return measures, "\n".join([*lines, f"-> {model.folder / store.FILE}"])
