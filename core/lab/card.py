"""Take all measures of a model whose data are there, and store them next to it (`card`)."""

import time
from pathlib import Path

from ..analysis import random_pairs
from ..cli.evaluate import evaluate_perplexity
from ..cli.options import MODEL, Answer, command, option, whole
from ..cli.shared import in_columns, note, open_model, progress, read_earlier
from ..common import i18n, markup
from ..common.errors import BadInput, MissingArtifact
from ..elmo.models import BUNDLED_MODEL, Model
from ..files import sums
from ..files.artifacts import provenance, read_json, write_json
from ..files.atomic import locked
from ..senses import evaluate
from ..senses.senseval import read_sense_rows, split_rows, without_repeated
from . import layer_scores, sense_scores
from .datasets import SENSEVAL, read_semcor, read_tags

FORMAT = 1  # of measures.json
FILES = {  # of each measure, under --data
    "perplexity": ("corpus/valid.txt.xz",),
    "senses": SENSEVAL,
    "all_words": ("semcor/semcor3.tsv.xz",),
    "tags": ("conll2000/train.txt.xz", "conll2000/test.txt.xz"),
    "sentences": (),
    "random": (),
}
OTHERS = ("perplexity", "sentences", "random")  # measures of a model of another language, on that language's data


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
        names = FILES[name] if is_english or name != "perplexity" else model.language.corpus  # whose held-out lines are scored
        note(f"{name} ...")
        started = time.perf_counter()
        try:
            scores = _measure(name, [folder / file for file in names], model, limit_text)
        except MissingArtifact as error:  # of data, or of the softmax that the perplexity needs
            note(f"{name}: left out. {error}")
            continue
        options = [("data", "FOLDER"), ("only", name), ("limit-text", limit_text if name == "perplexity" else None)]
        options.append(("model", None if model.name == BUNDLED_MODEL else model.name))
        again = markup.command("python", "-m", "core.lab", "card", options=options)
        run = {"command": again, "seconds": round(time.perf_counter() - started, 1), "date": provenance()["date"]}
        with locked(output):  # another process may have added measures
            measured = _earlier(output, model) | {name: scores | run}
            card = _card(model, measured)
            write_json(output, card)
        sums.renew(output)
    if not measured:
        raise BadInput(f"Nothing was measured: {folder} holds none of the data sets. Choose another folder.")
    lines = in_columns(((name, f"{scores['seconds']:.1f} s", scores["command"]) for name, scores in measured.items()), right=(1,))
    return {**card, "output": str(output)}, [*lines, f"-> {output}"]


def _measure(name: str, files: list[Path], model: Model, limit_text: int | None) -> dict:
    report = progress("tokens")
    match name:
        case "perplexity":
            hold_out = model.language.hold_out if model.language.code != i18n.ENGLISH else None
            return evaluate_perplexity(text=list(map(str, files)), hold_out=hold_out, limit=limit_text, model=model)[0]
        case "senses":
            train, test = split_rows([row for file in files for row in read_sense_rows(file)], 0.8, 0)
            return evaluate.senses(model, without_repeated(train, test), test, report=report)
        case "all_words":
            return sense_scores.all_words(model, read_semcor(*files), report=report)
        case "tags":
            return layer_scores.tags(model, *map(read_tags, files), report=report)
        case "sentences":
            return sense_scores.own_sentences(model, model.language.sentences, report=report)
    return random_pairs.evaluate(model)


def _earlier(output: Path, model: Model) -> dict:
    """Return the measures of an earlier card for the same weights; BadInput if the file is not a card."""
    if not output.exists():
        return {}
    card = read_json(output, expect=dict)
    if card.get("format") != FORMAT or not isinstance(card.get("measures"), dict):
        raise BadInput(f"{output} is not a card of measures and would be replaced. Name a new file.")
    return card["measures"] if card.get("fingerprint") == model.fingerprint else {}


def _card(model: Model, measured: dict) -> dict:
    ordered = {name: measured[name] for name in FILES if name in measured}
    return {"format": FORMAT} | provenance(model=model.name, fingerprint=model.fingerprint, measures=ordered)
