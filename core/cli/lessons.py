"""What `evaluate lessons`, `evaluate layers` and `check-sentences` do: a model measured for the lessons, several models layer by layer
on the same data, and our own sentences checked; JSON and a table."""

import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import numpy as np

from core.classify.tables import clean_ag_news, read_table
from core.cli.shared import in_columns, note, open_model, progress
from core.common.errors import BadInput
from core.common.model_layers import name_of
from core.elmo.models import Model
from core.evaluation import side_by_side
from core.evaluation.datasets import read_sense_rows, read_tags, split_rows
from core.evaluation.sentence_checks import faults, meeting, read_rows
from core.files.artifacts import provenance, write_json
from core.lessons import store
from core.text.corpora import open_corpus


def evaluate_lessons(args) -> tuple[dict, str]:
    model = open_model(args)
    lines = []
    measures = store.measure(model, args.only, report=progress("tokens or probes"))
    for part, measure in (("context", "one_nn"), ("before", "one_nn"), ("before", "ari")):
        for name, values in measures.get(part, {}).get(measure, {}).items():
            lines.append(f"{part}, {measure}, {name}: {sum(values) / len(values):.3f}")
    for layer, ranks in measures.get("control", {}).get("layers", {}).items():
        for rank, one in ranks.items():
            lines.append(f"layer {layer}, rank {rank}: tags {one['tags']:.1%}, random tags {one['control']:.1%}")
    return measures, "\n".join([*lines, f"-> {model.folder / store.FILE}"])


def evaluate_layers(args) -> tuple[dict, str]:
    """Several models on the same data, by layer; each measure is written as soon as it is done."""
    folder = Path(args.data)
    models = [open_model(Namespace(**{**vars(args), "model": name})) for name in args.models]
    if len({model.language.code for model in models}) > 1:
        raise BadInput("These models read different languages: name some of one language.")
    names = [name_of(model.folder) if not model.is_elmo else model.name for model in models]
    told = {"models": dict(zip(names, (model.fingerprint for model in models), strict=True)), "static": models[0].language.vectors}
    result = provenance(measure="layers", **told, titles=args.titles, tag_sentences=args.limit, measures={})
    lines = []
    for what in args.only or list(MEASURED):
        note(f"{what} ...")
        started = time.perf_counter()
        try:
            data = _data_of(what, folder, models[0], args)
        except FileNotFoundError as error:
            note(f"{what}: left out, there is no {error.filename}.")
            continue
        found = MEASURED[what](models, *data[0], progress("tokens"))
        rows = {names[args.models.index(name)] if name in args.models else name: row for name, row in found.items()}
        result["measures"][what] = {"rows": rows, "n": data[1], "seconds": round(time.perf_counter() - started, 1)}
        if args.output:
            write_json(Path(args.output), result)
        lines.append(f"{what} ({data[1]:,} test items)")
        cells = ((f"  {name}", *(f"{space} {value:.1%}".strip() for space, value in row.items())) for name, row in rows.items())
        lines += in_columns(cells)
        note("\n".join(lines[-len(rows) - 1 :]))
    if not result["measures"]:
        raise BadInput(f"Nothing was measured: {folder} holds none of the data sets.")
    return result, "\n".join(lines)


MEASURED: dict[str, Callable] = {
    "sentences": side_by_side.sentences,
    "senses": side_by_side.senses,
    "pairs": side_by_side.pairs,
    "tags": side_by_side.tags,
    "titles": side_by_side.titles,
}


def _data_of(what: str, folder: Path, model: Model, args) -> tuple[tuple, int]:
    """What a measure reads, and how many items it is measured on."""
    if what == "sentences":
        own = open_corpus(model.language.sentences, model.language)
        return (), sum(bool(target.sense) for one in own for target in one.targets)
    if what == "pairs":
        dev, test = side_by_side.own_pairs(open_corpus(model.language.sentences, model.language))
        return (dev, test), len(test)
    if what == "senses":
        rows = [
            row for word in ("hard", "interest", "line", "serve") for row in read_sense_rows(_there(folder / f"senseval/{word}.pos.xz"))
        ]
        train, test = split_rows(rows, 0.8, 0)
        return (train, test), len(test)
    if what == "tags":
        train, test = (read_tags(_there(folder / f"conll2000/{part}.txt.xz"))[: args.limit] for part in ("train", "test"))
        return (train, test), sum(len(one.tokens) for one in test)
    table = read_table(_there(folder / "ag_news/test.csv"), text_columns=("title",)).rows
    chosen = [table[k] for k in np.random.default_rng(0).permutation(len(table))[: 2 * args.titles]]
    cut = [(tuple(model.language.tokenize(clean_ag_news(row.text))), row.label) for row in chosen]
    cut = [one for one in cut if one[0]]
    return (cut[: args.titles], cut[args.titles :]), len(cut[args.titles :])


def _there(path: Path) -> Path:
    if not path.is_file():
        raise FileNotFoundError(2, "no such file", str(path))
    return path


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
    line = (
        "{sentences:,} labelled words in sentences, {meetings:,} times two in one; {words:,} words, {senses:,} senses: {n:,} faults".format(
            n=len(broken_rules), **counts
        )
    )
    return counts, "\n".join([*broken_rules, line])
