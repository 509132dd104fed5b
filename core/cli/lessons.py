"""What `evaluate lessons` and `check-sentences` do: a model measured for the lessons, and our own sentences checked; JSON and a table."""

from __future__ import annotations

from core.cli.shared import open_model, progress
from core.evaluation.sentence_checks import faults, meeting, read_rows
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


def check_sentences(args) -> tuple[dict, str]:
    """The rules that a file of sense-labelled sentences breaks, and what it holds."""
    rows = read_rows(args.file)
    broken_rules = list(faults(rows))
    counts = {
        "sentences": len(rows),
        "words": len({row.lemma for row in rows}),
        "senses": len({(row.lemma, row.sense) for row in rows}),
        "meetings": len(meeting(rows)) // 2,
        "faults": broken_rules,
    }
    line = "{sentences:,} labelled words in sentences, {meetings:,} times two in one; {words:,} words, {senses:,} senses: {n:,} faults".format(
        n=len(broken_rules), **counts
    )
    return counts, "\n".join([*broken_rules, line])
