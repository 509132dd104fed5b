"""Commands that measure a model: each measure, `card` (all of them, stored next to the model), `lessons`, `layers`; and `check-sentences`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..cli import evaluate as user_measures
from ..cli.evaluate import SEED, SPACE, difference_lines, score_table, weights_text
from ..cli.options import DOWNLOAD, MODEL, OVERWRITE, PIECES, Answer, Command, ModelOptions, argument, command, finite, option, whole
from ..cli.shared import in_columns, note, open_model, progress, read_earlier, sense_space
from ..common import i18n, markup
from ..common.errors import BadInput, MissingArtifact
from ..common.model_layers import name_of
from ..files import sums
from ..files.artifacts import provenance, read_json, write_json
from ..files.atomic import locked
from .datasets import read_semcor, read_tags
from .sentence_checks import faults, read_rows, shared_lines

if TYPE_CHECKING:
    from ..elmo.models import Model


@command(
    "all-words",
    "Senses of all words of held-out documents: nearest sense centroid.",
    option("--data", "SemCor: columns token, POS, lemma, sense key (.tsv.xz)", metavar="F", required=True),
    option("--share", "share of --data to train on (default 0.9)", metavar="S", type=finite, default=0.9),
    *(SEED, SPACE, *MODEL),
)
def evaluate_all_words(*, data, share, seed, space, model) -> Answer:
    """Measure the nearest sense centroid on all words of held-out documents."""
    from . import all_words

    sentences = read_semcor(data)
    model = open_model(model)
    scores = all_words.all_words(model, sentences, share=share, seed=seed, space=sense_space(space, model), report=progress("tokens"))

    def cells(row: dict) -> tuple[str, ...]:
        too = row.get("with_frequency")
        both = f"{too['accuracy']:.1%}, {too['ambiguous']:.1%} (prior {too['prior']:g})" if too else ""
        return f"{row['accuracy']:.1%}", f"{row['ambiguous']:.1%}", both, weights_text(row)

    head = ("layer", "all words", "ambiguous words", "the same, frequency of senses counted too")
    lines = score_table(scores, head, cells, "most_frequent")
    lines += difference_lines(scores) + difference_lines(scores, "less_frequent", beside="the most frequent sense")
    unseen = f"{scores['unseen']:,} of words that training lacks (wrong by every method)"
    lines.append(f"{scores['n']:,} test words, {scores['ambiguous_n']:,} ambiguous, {unseen}; {scores['n_train']:,} training words")
    return scores, lines


@command(
    "tags",
    "Tags predicted from each layer by a linear probe.",
    option("--train", "CoNLL columns: token, tag; a blank line between sentences; or CoNLL-U", metavar="A", required=True),
    option("--test", "columns as in --train", metavar="B", required=True),
    option("--limit", "only the first N training sentences", metavar="N", type=whole(1)),
    *MODEL,
)
def evaluate_tags(*, train, test, limit, model) -> Answer:
    """Measure a linear probe for tags."""
    from . import layer_scores

    train = read_tags(train)[:limit]
    test = read_tags(test)
    tested = {row.tokens for row in test}
    if repeated := sum(row.tokens in tested for row in train):
        note(f"{repeated:,} of {len(train):,} training sentences are also in the test set. The figures include them.")
    scores = layer_scores.tags(open_model(model), train, test, report=progress("tokens"))
    lines = score_table(scores, None, lambda row_scores: (f"{row_scores['accuracy']:.2%}", weights_text(row_scores)), "most_frequent")
    lines += difference_lines(scores)
    lines.append(f"{scores['n']:,} test tokens, {scores['n_train']:,} training tokens, {scores['tags']} tags")
    return scores, lines


@command(
    "sentences",
    "Our own sentences: 1-NN, silhouette and cosine gap per layer.",
    option("--corpus", "a registry name, or a JSONL with senses (default: those of its language)", metavar="C"),
    *(SPACE, *MODEL),
)
def evaluate_sentences(*, corpus, space, model) -> Answer:
    """Measure a corpus of sense-labeled sentences."""
    from . import own_sentences

    model = open_model(model)
    corpus = corpus or model.language.sentences
    scores = own_sentences.own_sentences(model, corpus, space=sense_space(space, model), report=progress("indexing, tokens"))

    def cells(row: dict) -> tuple[str, ...]:
        measures = f"{row['one_nn']:.1%} ({row['low']:.1%} to {row['high']:.1%})", f"{row['null']:.1%}"
        if "gap" not in row:
            return measures
        return *measures, f"{row['silhouette']:.3f}", ", ".join(f"{row[what]:.3f}" for what in ("same", "other", "gap"))

    best = scores["best_mix"]
    head = ("layer", "1-NN (95% interval)", "shuffled", "silhouette", "cosine: one sense, two, gap")
    lines = score_table({name: row for name, row in scores.items() if row is not best}, head, cells, "form")
    lines += difference_lines(scores)
    centered = {name: row["centered"] for name, row in scores.items() if isinstance(row, dict) and "centered" in row}
    lines.append(f"each word's mean taken off first: {', '.join(f'{name} {share:.1%}' for name, share in centered.items())}")
    lines += difference_lines(scores, "centered_less_static", measure="mean taken off")
    lines.append(f"best mix: {best['one_nn']:.1%}, {weights_text(best)}, chosen on half of the words, measured on the other, both ways")
    lines.append(f"{scores['n']:,} occurrences of {scores['words']} words; most frequent sense {scores['majority']:.1%}")
    return scores, lines


@command("random", "Cosine of two random words, layer by layer.", SPACE, *MODEL)
def evaluate_random(*, space, model) -> Answer:
    """Measure the cosines of random pairs of words."""
    from ..analysis import anisotropy

    model = open_model(model)
    cosines = anisotropy.evaluate(model, space=sense_space(space, model))
    cells = score_table(cosines, None, lambda row: (f"{row['mean']:.3f}", f"{row['low']:.3f} and {row['high']:.3f}"))
    lines = ["cosine of two random words: mean, nine in ten between", *cells]
    return cosines, [*lines, f"{cosines['n']:,} tokens, each of another sentence"]


FORMAT = 1  # of measures.json
CARD = {  # name in measures.json: its command and options; paths under --data
    "perplexity": (user_measures.evaluate_perplexity, {"text": [Path("corpus/valid.txt.xz")]}),
    "senses": (user_measures.evaluate_senses, {"data": [Path(f"senseval/{w}.pos.xz") for w in ("hard", "interest", "line", "serve")]}),
    "all_words": (evaluate_all_words, {"data": Path("semcor/semcor3.tsv.xz")}),
    "tags": (evaluate_tags, {"train": Path("conll2000/train.txt.xz"), "test": Path("conll2000/test.txt.xz")}),
    "sentences": (evaluate_sentences, {}),
    "random": (evaluate_random, {}),
}
ENGLISH = ("perplexity", "senses", "all_words", "tags", "sentences", "random")  # of an English model
OTHERS = ("perplexity", "sentences", "random")  # of a model of another language, on its own data
PARTS = ("context", "before", "control")  # of the lessons
ACROSS = ("sentences", "senses", "pairs", "tags", "titles")  # measures of several models


@command(
    "card",
    "Take all measures whose data are there and keep them beside the model.",
    option("--data", "holds corpus, senseval, semcor, conll2000, pairs, or some", metavar="FOLDER", required=True),
    option("--output", "default: measures.json in the model's folder", metavar="FILE", is_checked=False),
    option("--limit-text", "only the first N sentences for the perplexity", metavar="N", type=whole(1)),
    option("--only", f"only these of: {', '.join(tuple(CARD))}; others stay", metavar="WHAT", choices=tuple(CARD), many=True),
    *MODEL,
)
def evaluate_card(*, data, output, limit_text, only, model, outputs) -> Answer:
    """Take every measure whose data are present. Write the card after each, so that an interrupted run keeps its results."""
    folder = Path(data)
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder}. Name the one that holds senseval, semcor, conll2000 and the like.")
    model = open_model(model)
    output = Path(output) if output else model.folder / "measures.json"
    outputs.check_file(output, merged=True)
    measured = read_earlier(output, lambda path: _earlier(path, model), outputs)
    card = _card(model, measured)
    for name in ENGLISH if model.language.code == i18n.ENGLISH else OTHERS:
        run, options = CARD[name]
        if only and name not in only:
            continue
        if name == "perplexity" and model.language.code != i18n.ENGLISH:  # what its training held out
            options = {"hold-out": model.language.hold_out, "text": [Path(file) for file in model.language.corpus]}
        numbers = {param.opts[0].removeprefix("--"): param.default for param in run.params if type(param.default) in (int, float)}
        options = numbers | options | ({"limit": limit_text} if name == "perplexity" else {})
        paths = (part for value in options.values() for part in _as_list(value) if isinstance(part, Path))
        if missing := [path for path in paths if not (folder / path).is_file()]:
            note(f"{name}: left out, there is no {', '.join(str(folder / path) for path in missing)}.")
            continue
        note(f"{name} ...")
        try:
            measure = _measure(run, options, folder, model)
        except MissingArtifact as error:  # a model that came without a softmax has no perplexity
            note(f"{name}: left out. {error}")
            continue
        with locked(output):  # another process may have added measures
            measured = _earlier(output, model) | {name: measure}
            card = _card(model, measured)
            write_json(output, card)
        sums.renew(output)
    if not measured:
        raise BadInput(f"Nothing was measured: {folder} holds none of the data sets. Choose another folder.")
    lines = in_columns(
        ((name, f"{measure_result['seconds']:.1f} s", measure_result["command"]) for name, measure_result in measured.items()), right=(1,)
    )
    return {**card, "output": str(output)}, [*lines, f"-> {output}"]


def _earlier(output: Path, model: Model) -> dict:
    """Return the measures of an earlier card for the same weights; BadInput if the file is not a card."""
    if not output.exists():
        return {}
    card = read_json(output, expect=dict)
    if card.get("format") != FORMAT or not isinstance(card.get("measures"), dict):
        raise BadInput(f"{output} holds something else than measures of a model, which a card would replace. Name a new file.")
    return card["measures"] if card.get("fingerprint") == model.fingerprint else {}


def _card(model: Model, measured: dict) -> dict:
    ordered = {name: measured[name] for name in CARD if name in measured}
    return {"format": FORMAT} | provenance(model=model.name, fingerprint=model.fingerprint, measures=ordered)


def _measure(run: Command, options: dict, folder: Path, model: Model) -> dict:
    """Run one command; return its answer with the command line, the seconds and the date."""

    def place(value):
        return folder / value if isinstance(value, Path) else list(map(place, value)) if isinstance(value, list) else value

    started = time.perf_counter()
    scores, text = run(**{name.replace("-", "_"): place(value) for name, value in options.items()}, model=model)
    note(text)
    seconds = round(time.perf_counter() - started, 1)
    return {**scores, "command": _command(run.path, options, model.name), "seconds": seconds, "date": provenance()["date"]}


def _command(path: str, options: dict, model: str) -> str:
    """Return the command line that repeats a measure from the data folder."""
    from ..elmo.models import BUNDLED_MODEL

    named = {**options, "model": None if model == BUNDLED_MODEL else model}
    written = [(name, [part.as_posix() if isinstance(part, Path) else part for part in _as_list(value)]) for name, value in named.items()]
    if " " in path:
        group, name = path.split()
        return markup.command("python", "-m", "core", group, name, options=written)
    return markup.command("python", "-m", "core.lab", path, options=written)


def _as_list(value) -> list:
    return value if isinstance(value, list) else [] if value is None else [value]


@command(
    "lessons",
    "Measure what the lessons show, in minutes, and keep it beside the model: context, before the word is read, the control task.",
    option("--only", f"only these of: {', '.join(PARTS)}; others stay", metavar="WHAT", choices=PARTS, many=True),
    OVERWRITE,
    *MODEL,
)
def evaluate_lessons(*, only, model, outputs) -> Answer:
    """Measure the parts of the lessons and store them next to the model."""
    from ..evaluation.lessons import FILE, read
    from . import lessons

    model = open_model(model)
    outputs.check_file(model.folder / FILE, merged=True)
    read_earlier(model.folder / FILE, lambda path: read(path.parent, model.fingerprint), outputs)
    lines = []
    result = lessons.measure(model, only or None, report=progress("tokens or probes"))
    for part, measure in (("context", "one_nn"), ("before", "one_nn"), ("before", "ari")):
        for name, values in result.get(part, {}).get(measure, {}).items():
            lines.append(f"{part}, {measure}, {name}: {sum(values) / len(values):.3f}")
    for layer, ranks in result.get("control", {}).get("layers", {}).items():
        for rank, value in ranks.items():
            lines.append(f"layer {layer}, rank {rank}: tags {value['tags']:.1%}, random tags {value['control']:.1%}")
    return result, [*lines, f"-> {model.folder / FILE}"]


@command(
    "layers",
    "Compare models on the same data, by layer and best mix.",
    option("--models", "registry names or folders, of one language", metavar="M", required=True, many=True),
    option("--data", "holds senseval, conll2000, ag_news, or some of them", metavar="FOLDER", required=True),
    option("--only", f"only these of: {', '.join(ACROSS)}", metavar="WHAT", choices=ACROSS, many=True),
    option("--limit", "tagged sentences per part (default 1000)", metavar="N", type=whole(1), default=1000),
    option("--titles", "titles to train on, and as many to test on (default 2000)", metavar="N", type=whole(10), default=2000),
    option("--output", "a JSON file for the result, written after each measure", metavar="FILE"),
    *(PIECES, DOWNLOAD),
)
def evaluate_layers(*, models, data, only, limit, titles, output, pieces, download) -> Answer:
    """Compare several models on the same data, layer by layer. Each measure is written as soon as it is done."""
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


@command(
    "check-sentences",
    "Check a file of sense-labeled sentences: enough of each sense, varied, no copies.",
    argument("file", ".jsonl or .json: rows with tokens, position, lemma and sense", metavar="F"),
)
def check_sentences(*, file) -> Answer:
    """List the rules that a file of sense-labeled sentences breaks, and count its content."""
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
