"""Commands that measure models: `card` (all measures, stored next to a model), `lessons`, `layers`; and `check-sentences`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..cli.evaluate import evaluate_perplexity
from ..cli.options import DOWNLOAD, MODEL, OVERWRITE, PIECES, Answer, ModelOptions, argument, command, option, whole
from ..cli.shared import in_columns, note, open_model, progress, read_earlier
from ..common import i18n, markup
from ..common.errors import BadInput, MissingArtifact
from ..common.model_layers import name_of
from ..files import sums
from ..files.artifacts import provenance, read_json, write_json
from ..files.atomic import locked
from ..senses.senseval import read_sense_rows, split_rows, without_repeated
from .datasets import read_semcor, read_tags
from .sentences import faults, read_rows, shared_lines

if TYPE_CHECKING:
    from ..elmo.models import Model


FORMAT = 1  # of measures.json
SENSEVAL = tuple(f"senseval/{word}.pos.xz" for word in ("hard", "interest", "line", "serve"))
FILES = {  # of each measure, under --data
    "perplexity": ("corpus/valid.txt.xz",),
    "senses": SENSEVAL,
    "all_words": ("semcor/semcor3.tsv.xz",),
    "tags": ("conll2000/train.txt.xz", "conll2000/test.txt.xz"),
    "sentences": (),
    "random": (),
}
OTHERS = ("perplexity", "sentences", "random")  # of a model of another language, on its own data
PARTS = ("context", "before", "control")  # of the lessons
ACROSS = ("sentences", "senses", "pairs", "tags", "titles")  # measures of several models


@command(
    "card",
    option("--data", "holds corpus, senseval, semcor, conll2000, or some", metavar="FOLDER", required=True),
    option("--output", "default: measures.json in the model's folder", metavar="FILE", is_checked=False),
    option("--limit-text", "only the first N sentences for the perplexity", metavar="N", type=whole(1)),
    option("--only", f"only these of: {', '.join(FILES)}; others stay", metavar="WHAT", choices=tuple(FILES), many=True),
    *MODEL,
)
def evaluate_card(*, data, output, limit_text, only, model, outputs) -> Answer:
    """Take all measures whose data are there and store each with the model, so that an interrupted run keeps its results."""
    folder = Path(data)
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder}. Name the one that holds senseval, semcor, conll2000 and the like.")
    model = open_model(model)
    output = Path(output) if output else model.folder / "measures.json"
    outputs.check_file(output, merged=True)
    measured = read_earlier(output, lambda path: _earlier(path, model), outputs)
    card = _card(model, measured)
    is_english = model.language.code == i18n.ENGLISH
    for name in FILES if is_english else OTHERS:
        if only and name not in only:
            continue
        names = FILES[name] if is_english or name != "perplexity" else model.language.corpus  # of which its training held out some
        if missing := [folder / file for file in names if not (folder / file).is_file()]:
            note(f"{name}: left out, there is no {', '.join(map(str, missing))}.")
            continue
        note(f"{name} ...")
        started = time.perf_counter()
        try:
            scores = _measure(name, [folder / file for file in names], model, limit_text)
        except MissingArtifact as error:  # a model that came without a softmax has no perplexity
            note(f"{name}: left out. {error}")
            continue
        command = _command(name, model.name, limit_text if name == "perplexity" else None)
        scores |= {"command": command, "seconds": round(time.perf_counter() - started, 1), "date": provenance()["date"]}
        with locked(output):  # another process may have added measures
            measured = _earlier(output, model) | {name: scores}
            card = _card(model, measured)
            write_json(output, card)
        sums.renew(output)
    if not measured:
        raise BadInput(f"Nothing was measured: {folder} holds none of the data sets. Choose another folder.")
    lines = in_columns(((name, f"{scores['seconds']:.1f} s", scores["command"]) for name, scores in measured.items()), right=(1,))
    return {**card, "output": str(output)}, [*lines, f"-> {output}"]


def _measure(name: str, files: list[Path], model: Model, limit_text: int | None) -> dict:
    """Take one measure of FILES on its files."""
    from ..analysis import anisotropy
    from ..senses import evaluate
    from . import all_words, layer_scores, own_sentences

    report = progress("tokens")
    match name:
        case "perplexity":
            hold_out = model.language.hold_out if model.language.code != i18n.ENGLISH else None
            return evaluate_perplexity(text=list(map(str, files)), hold_out=hold_out, limit=limit_text, model=model)[0]
        case "senses":
            train, test = split_rows([row for file in files for row in read_sense_rows(file)], 0.8, 0)
            return evaluate.senses(model, without_repeated(train, test), test, report=report)
        case "all_words":
            return all_words.all_words(model, read_semcor(*files), report=report)
        case "tags":
            return layer_scores.tags(model, *map(read_tags, files), report=report)
        case "sentences":
            return own_sentences.own_sentences(model, model.language.sentences, report=report)
    return anisotropy.evaluate(model)


def _command(name: str, model: str, limit_text: int | None) -> str:
    """Return the command line that takes a measure again."""
    from ..elmo.models import BUNDLED_MODEL

    options = [("data", "FOLDER"), ("only", name), ("limit-text", limit_text), ("model", None if model == BUNDLED_MODEL else model)]
    return markup.command("python", "-m", "core.lab", "card", options=options)


def _earlier(output: Path, model: Model) -> dict:
    """Return the measures of an earlier card for the same weights; BadInput if the file is not a card."""
    if not output.exists():
        return {}
    card = read_json(output, expect=dict)
    if card.get("format") != FORMAT or not isinstance(card.get("measures"), dict):
        raise BadInput(f"{output} holds something else than measures of a model, which a card would replace. Name a new file.")
    return card["measures"] if card.get("fingerprint") == model.fingerprint else {}


def _card(model: Model, measured: dict) -> dict:
    ordered = {name: measured[name] for name in FILES if name in measured}
    return {"format": FORMAT} | provenance(model=model.name, fingerprint=model.fingerprint, measures=ordered)


@command(
    "lessons",
    option("--only", f"only these of: {', '.join(PARTS)}; others stay", metavar="WHAT", choices=PARTS, many=True),
    OVERWRITE,
    *MODEL,
)
def evaluate_lessons(*, only, model, outputs) -> Answer:
    """Measure the figures of the lessons and store them with the model: context, before the word is read, the control task."""
    from ..views.card import LESSONS, read_lessons
    from . import lessons

    model = open_model(model)
    outputs.check_file(model.folder / LESSONS, merged=True)
    read_earlier(model.folder / LESSONS, lambda path: read_lessons(path.parent, model.fingerprint), outputs)
    lines = []
    result = lessons.measure(model, only or None, report=progress("tokens or probes"))
    for part, measure in (("context", "one_nn"), ("before", "one_nn"), ("before", "ari")):
        for name, values in result.get(part, {}).get(measure, {}).items():
            lines.append(f"{part}, {measure}, {name}: {sum(values) / len(values):.3f}")
    for layer, ranks in result.get("control", {}).get("layers", {}).items():
        for rank, value in ranks.items():
            lines.append(f"layer {layer}, rank {rank}: tags {value['tags']:.1%}, random tags {value['control']:.1%}")
    return result, [*lines, f"-> {model.folder / LESSONS}"]


@command(
    "layers",
    option("--models", "registry names or folders, of one language", metavar="M", required=True, many=True),
    option("--data", "holds senseval, conll2000, ag_news, or some of them", metavar="FOLDER", required=True),
    option("--only", f"only these of: {', '.join(ACROSS)}", metavar="WHAT", choices=ACROSS, many=True),
    option("--limit", "tagged sentences per part (default 1000)", metavar="N", type=whole(1), default=1000),
    option("--titles", "titles to train on, and as many to test on (default 2000)", metavar="N", type=whole(10), default=2000),
    option("--output", "a JSON file for the result, written after each measure", metavar="FILE"),
    *(PIECES, DOWNLOAD),
)
def evaluate_layers(*, models, data, only, limit, titles, output, pieces, download) -> Answer:
    """Compare models on the same data, by layer and best mix."""
    from .layer_scores import compare_models, data_of

    folder = Path(data)
    typed_names, models = models, [open_model(ModelOptions(model=name, pieces=pieces, download=download)) for name in models]
    if len({model.language.code for model in models}) > 1:
        raise BadInput("These models read different languages: name some of one language.")
    names = [name_of(model.folder) if not model.is_elmo else model.name for model in models]
    values = {"models": dict(zip(names, (model.fingerprint for model in models), strict=True)), "static": models[0].language.vectors}
    result = provenance(measure="layers", **values, titles=titles, tag_sentences=limit, measures={})
    lines = []
    for measure in only or ACROSS:
        note(f"{measure} ...")
        started = time.perf_counter()
        try:
            data, n = data_of(measure, folder, models[0].language, limit, titles)
        except FileNotFoundError as error:
            note(f"{measure}: left out, there is no {error.filename}.")
            continue
        measured = compare_models(measure, models, data, progress("tokens"))
        rows = {names[typed_names.index(name)] if name in typed_names else name: row for name, row in measured.items()}
        result["measures"][measure] = {"rows": rows, "n": n, "seconds": round(time.perf_counter() - started, 1)}
        if output:
            write_json(Path(output), result)
        cells = ((f"  {name}", *(f"{space} {value:.1%}".strip() for space, value in row.items())) for name, row in rows.items())
        table = [f"{measure} ({n:,} test items)", *in_columns(cells)]
        note("\n".join(table))
        lines += table
    if not result["measures"]:
        raise BadInput(f"Nothing was measured: {folder} holds none of the data sets. Choose another folder.")
    return result, lines


@command("check-sentences", argument("file", ".jsonl or .json: rows with tokens, position, lemma and sense", metavar="F"))
def check_sentences(*, file) -> Answer:
    """Check a file of sense-labeled sentences: enough of each sense, varied, no copies."""
    rows = read_rows(file)
    broken_rules = list(faults(rows))
    counts = {
        "sentences": len(rows),
        "words": len({row.lemma for row in rows}),
        "senses": len({(row.lemma, row.sense) for row in rows}),
        "meetings": len(shared_lines(rows)) // 2,
    }
    line = "{sentences:,} labeled words in sentences, {meetings:,} times two in one; {words:,} words, {senses:,} senses".format(**counts)
    return {**counts, "faults": broken_rules}, [*broken_rules, f"{line}: {len(broken_rules):,} faults"]
