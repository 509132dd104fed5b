"""What `evaluate lessons`, `evaluate layers` and `check-sentences` do: a model measured for the lessons, several models layer by layer
on the same data, and our own sentences checked; JSON and a table."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.classify.tables import clean_ag_news, read_table
from core.cli.options import MODEL, Answer, argument, command, flag, option, whole
from core.cli.shared import in_columns, note, open_model, progress
from core.common.errors import BadInput
from core.common.model_layers import name_of
from core.evaluation.datasets import read_sense_rows, read_tags, split_rows
from core.evaluation.sentence_checks import faults, meeting, read_rows
from core.files.artifacts import provenance, write_json
from core.text.corpora import open_corpus

if TYPE_CHECKING:
    from core.elmo.models import Model

PARTS = ("context", "before", "control")  # of the lessons
ACROSS = ("sentences", "senses", "pairs", "tags", "titles")  # what several models are measured by


@command(
    "lessons",
    "Measure what the lessons show, in minutes, and keep it beside the model: context, before the word is read, the control task.",
    option("--only", f"only these of: {', '.join(PARTS)}; others stay", metavar="WHAT", choices=PARTS, many=True),
    *MODEL,
)
def evaluate_lessons(*, only, **model) -> Answer:
    from core.evaluation import lessons

    model = open_model(**model)
    lines = []
    measures = lessons.measure(model, only or None, report=progress("tokens or probes"))
    for part, measure in (("context", "one_nn"), ("before", "one_nn"), ("before", "ari")):
        for name, values in measures.get(part, {}).get(measure, {}).items():
            lines.append(f"{part}, {measure}, {name}: {sum(values) / len(values):.3f}")
    for layer, ranks in measures.get("control", {}).get("layers", {}).items():
        for rank, value in ranks.items():
            lines.append(f"layer {layer}, rank {rank}: tags {value['tags']:.1%}, random tags {value['control']:.1%}")
    return measures, "\n".join([*lines, f"-> {model.folder / lessons.FILE}"])


@command(
    "layers",
    "Compare models on the same data, by layer and best mix.",
    option("--models", "registry names or folders, of one language", metavar="M", required=True, many=True),
    option("--data", "holds senseval, conll2000, ag_news, or some of them", metavar="FOLDER", required=True),
    option("--only", f"only these of: {', '.join(ACROSS)}", metavar="WHAT", choices=ACROSS, many=True),
    option("--limit", "tagged sentences per part (default 1000)", metavar="N", type=whole(1), default=1000),
    option("--titles", "titles to train on, and as many to test on (default 2000)", metavar="N", type=whole(10), default=2000),
    option("--output", "a JSON file for the result, written after each measure", metavar="FILE"),
    option("--pieces", "how pieces become a word (default mean)", choices=("mean", "first", "last"), default="mean"),
    flag("--download", "fetch models that are not on this machine"),
)
def evaluate_layers(*, models, data, only, limit, titles, output, pieces, download) -> Answer:
    """Several models on the same data, by layer; each measure is written as soon as it is done."""
    from core.evaluation import side_by_side

    folder = Path(data)
    given_names, models = models, [open_model(name, pieces=pieces, download=download) for name in models]
    if len({model.language.code for model in models}) > 1:
        raise BadInput("These models read different languages: name some of one language.")
    names = [name_of(model.folder) if not model.is_elmo else model.name for model in models]
    values = {"models": dict(zip(names, (model.fingerprint for model in models), strict=True)), "static": models[0].language.vectors}
    result = provenance(measure="layers", **values, titles=titles, tag_sentences=limit, measures={})
    lines = []
    for what in only or ACROSS:
        note(f"{what} ...")
        started = time.perf_counter()
        try:
            data = _data_of(what, folder, models[0], limit, titles)
        except FileNotFoundError as error:
            note(f"{what}: left out, there is no {error.filename}.")
            continue
        measured = getattr(side_by_side, what)(models, *data[0], progress("tokens"))
        rows = {names[given_names.index(name)] if name in given_names else name: row for name, row in measured.items()}
        result["measures"][what] = {"rows": rows, "n": data[1], "seconds": round(time.perf_counter() - started, 1)}
        if output:
            write_json(Path(output), result)
        lines.append(f"{what} ({data[1]:,} test items)")
        cells = ((f"  {name}", *(f"{space} {value:.1%}".strip() for space, value in row.items())) for name, row in rows.items())
        lines += in_columns(cells)
        note("\n".join(lines[-len(rows) - 1 :]))
    if not result["measures"]:
        raise BadInput(f"Nothing was measured: {folder} holds none of the data sets.")
    return result, "\n".join(lines)


def _data_of(what: str, folder: Path, model: Model, limit: int, titles: int) -> tuple[tuple, int]:
    """What a measure reads, and how many items it is measured on."""
    from core.evaluation import side_by_side

    if what == "sentences":
        own = open_corpus(model.language.sentences, model.language)
        return (), sum(bool(target.sense) for item in own for target in item.targets)
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
        train, test = (read_tags(_there(folder / f"conll2000/{part}.txt.xz"))[:limit] for part in ("train", "test"))
        return (train, test), sum(len(item.tokens) for item in test)
    table = read_table(_there(folder / "ag_news/test.csv"), text_columns=("title",)).rows
    chosen = [table[k] for k in np.random.default_rng(0).permutation(len(table))[: 2 * titles]]
    cut = [(tuple(model.language.tokenize(clean_ag_news(row.text))), row.label) for row in chosen]
    cut = [item for item in cut if item[0]]
    return (cut[:titles], cut[titles:]), len(cut[titles:])


def _there(path: Path) -> Path:
    if not path.is_file():
        raise FileNotFoundError(2, "no such file", str(path))
    return path


@command(
    "check-sentences",
    "Check a file of sense-labeled sentences: enough of each sense, varied, no copies.",
    argument("file", ".jsonl or .json: rows with tokens, position, lemma and sense", metavar="F"),
)
def check_sentences(*, file) -> Answer:
    """The rules that a file of sense-labelled sentences breaks, and what it holds."""
    rows = read_rows(file)
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
