"""What the `evaluate` commands do: read the data, run core.evaluation.layer_scores, answer with JSON and a table.

`evaluate card` runs them all and keeps the figures beside the model, each with the command that makes it again.
"""

import time
from argparse import Namespace
from collections.abc import Callable
from itertools import chain, islice
from pathlib import Path

from core.analysis import anisotropy
from core.cli.shared import cluster_of, in_columns, note, open_model, progress, spread_model
from core.common import i18n
from core.common.errors import BadInput, MissingArtifact
from core.common.markup import command
from core.common.significance import read_back
from core.elmo.models import BUNDLED_MODEL, Model, open_language_model
from core.evaluation import all_words, layer_scores, own_sentences
from core.evaluation.datasets import read_pairs, read_semcor, read_sense_rows, read_tags, split_rows, without_repeated
from core.evaluation.layer_scores import MEASURES
from core.files import sums
from core.files.artifacts import provenance, read_json, write_json
from core.index.sense_space import SENSES, SenseSpace, open_space
from core.static import vectors
from core.static.vectors import open_vectors
from core.text.corpora import open_corpus
from core.text.sentences import LabelledRow, read_labelled

FORMAT = 1  # of measures.json
Answer = tuple[dict, str]


def evaluate_senses(args, model: Model | None = None) -> Answer:
    rows, test = _sense_rows(args)
    train = without_repeated(rows, test)
    if dropped := len(rows) - len(train):
        note(f"{dropped:,} training rows whose sentence is in the test set were dropped.")
    model = model or open_model(args)
    with cluster_of(args) as client:
        scores = layer_scores.senses(spread_model(model, client), train, test, space=_space(args, model), report=progress("tokens")) | {
            "dropped": dropped
        }
    cells = [("layer", "nearest (macro, pooled)", "centroid (macro, pooled)")]
    for name in [*_names(scores), *(name for name in (SENSES, "static") if name in scores)]:
        facts = [scores[name][measure] for measure in MEASURES]
        cells.append((name, *(f"{one['macro']:.1%}, {one['pooled']:.1%}   {_weights(one)}".strip() for one in facts)))
    lines = in_columns(cells)
    often = scores["most_frequent"]
    lines.append(f"most frequent sense: {often['macro']:.1%}, {often['pooled']:.1%}")
    for measure in MEASURES:
        lines += _differences({name: facts[measure] for name, facts in _compared(scores).items()}, f", {measure}")
    counts = f"{scores['n']:,} test rows of {scores['documents']:,} documents or sentences, {scores['n_train']:,} training rows"
    counts += f" ({dropped:,} more were dropped: their sentence is tested)" if dropped else ""
    return scores, "\n".join([*lines, counts])


def _space(args, model: Model) -> SenseSpace | None:
    """The sense space, where it is wanted and the model has a softmax to find substitutes with."""
    wanted = getattr(args, "space", None) == SENSES and open_language_model(model)  # says what is missing
    return open_space(model, layer_scores.static_vectors(model)) if wanted else None


def _sense_rows(args) -> tuple[list[LabelledRow], list[LabelledRow]]:
    """Two files as they are, or one set split in two."""
    options = [f"--{name}" for name in ("train", "test", "data") if getattr(args, name)]
    if options == ["--train", "--test"]:
        return read_labelled(Path(args.train)), read_labelled(Path(args.test))
    if options != ["--data"]:
        raise BadInput(f"evaluate senses needs --train with --test, or --data alone; got {' and '.join(options) or 'neither'}.")
    return split_rows([row for path in args.data for row in read_sense_rows(path)], args.share, args.seed)


def evaluate_all_words(args, model: Model | None = None) -> Answer:
    sentences = read_semcor(args.data)
    scores = all_words.all_words(model or open_model(args), sentences, share=args.share, seed=args.seed, report=progress("tokens"))
    cells = [("layer", "all words", "ambiguous words", "the same, frequency of senses counted too")]
    for name in [*_names(scores), *({"static"} & scores.keys()), "most_frequent"]:
        facts = scores[name]
        too = scores[name].get("with_frequency")
        both = f"{too['accuracy']:.1%}, {too['ambiguous']:.1%} (prior {too['prior']:g})" if too else ""
        cells.append((name, f"{facts['accuracy']:.1%}", f"{facts['ambiguous']:.1%}", both, _weights(facts)))
    lines = in_columns(cells)
    lines += _differences(_compared(scores), "")
    frequent = {name: facts["less_frequent"] for name, facts in scores.items() if isinstance(facts, dict) and "less_frequent" in facts}
    lines += _differences(frequent, "", "the most frequent sense")
    unseen = f"{scores['unseen']:,} of words that training lacks (wrong by every method)"
    lines.append(f"{scores['n']:,} test words, {scores['ambiguous_n']:,} ambiguous, {unseen}; {scores['n_train']:,} training words")
    return scores, "\n".join(lines)


def evaluate_pairs(args, model: Model | None = None) -> Answer:
    dev, test = read_pairs(args.dev), read_pairs(args.test)
    tested = {(row.tokens_a, row.tokens_b) for row in test}
    _note_repeated(sum((row.tokens_a, row.tokens_b) in tested for row in dev), len(dev), "dev pairs")
    model = model or open_model(args)
    scores = layer_scores.pairs(model, dev, test, space=_space(args, model), report=progress("tokens"))
    cells = [("layer", "accuracy", "AUC", "threshold")]
    for name in [*_names(scores), *({SENSES} & scores.keys())]:
        facts = scores[name]
        auc = "-" if facts["auc"] is None else f"{facts['auc']:.3f}"
        cells.append((name, f"{facts['accuracy']:.1%}", auc, f"{facts['threshold']:.3f}", _weights(facts)))
    lines = in_columns(cells)
    lines.append(f"commoner answer: {scores['majority']:.1%}; {scores['n']:,} test pairs, {scores['n_dev']:,} dev pairs")
    return scores, "\n".join(lines)


def evaluate_tags(args, model: Model | None = None) -> Answer:
    train = read_tags(args.train)[: args.limit]
    test = read_tags(args.test)
    tested = {row.tokens for row in test}
    _note_repeated(sum(row.tokens in tested for row in train), len(train), "training sentences")
    scores = layer_scores.tags(model or open_model(args), train, test, report=progress("tokens"))
    names = [*_names(scores), "most_frequent"]
    lines = in_columns((name, f"{scores[name]['accuracy']:.2%}", _weights(scores[name])) for name in names)
    lines += _differences(_compared(scores), "")
    lines.append(f"{scores['n']:,} test tokens, {scores['n_train']:,} training tokens, {scores['tags']} tags")
    return scores, "\n".join(lines)


def evaluate_sentences(args, model: Model | None = None) -> Answer:
    model = model or open_model(args)
    scores = own_sentences.own_sentences(model, args.corpus or model.language.sentences, report=progress("indexing, tokens"))
    cells = [("layer", "1-NN (95 % interval)", "shuffled", "silhouette", "cosine: one sense, two, gap")]
    for name in [*_names(scores)[:-1], *(one for one in ("static", "form") if one in scores)]:
        facts = scores[name]
        nearest = f"{facts['one_nn']:.1%} ({facts['low']:.1%} to {facts['high']:.1%})"
        more = (
            (f"{facts['silhouette']:.3f}", ", ".join(f"{facts[what]:.3f}" for what in ("same", "other", "gap"))) if "gap" in facts else ()
        )
        cells.append((name, nearest, f"{facts['null']:.1%}", *more))
    lines = in_columns(cells)
    lines += _differences(_compared(scores), "")
    centred = {name: facts["centred"] for name, facts in scores.items() if isinstance(facts, dict) and "centred" in facts}
    lines.append(f"each word's mean taken off first: {', '.join(f'{name} {share:.1%}' for name, share in centred.items())}")
    lines += _differences({n: d for n, d in _compared(scores, "centred_less_static").items() if n != "order"}, ", mean taken off")
    best = scores["best_mix"]
    lines.append(f"best mix: {best['one_nn']:.1%}, {_weights(best)}, chosen on half of the words, measured on the other, both ways")
    return scores, "\n".join([*lines, f"{scores['n']:,} occurrences of {scores['words']} words; commonest sense {scores['majority']:.1%}"])


def evaluate_perplexity(args, model: Model | None = None) -> Answer:
    from core.training.data import held_out, read_lines

    model = model or open_model(args)
    lines = held_out(args.text, args.hold_out) if args.hold_out else chain(*map(read_lines, args.text))
    lines = (line for line in lines if line.strip())
    sentences = [model.language.tokenize(line) for line in islice(lines, args.limit)]
    perplexity = open_language_model(model).perplexity(sentences, report=progress("sentences"))
    result = {name: round(getattr(perplexity, name), 4) for name in ("forward", "backward", "mean")}
    result |= {"tokens": perplexity.tokens, "unknown_share": round(perplexity.unknown_share, 6), "unknown_types": perplexity.unknown_types}
    result |= {name: round(getattr(perplexity, name), 4) for name in ("charged_forward", "charged_backward")}
    both = f"forward {perplexity.forward:.1f}, backward {perplexity.backward:.1f}, mean {perplexity.mean:.1f}"
    charged = f"forward {perplexity.charged_forward:.1f}, backward {perplexity.charged_backward:.1f}"
    lines = [f"perplexity: {both} ({perplexity.tokens:,} predictions, {perplexity.unknown_share:.1%} of tokens unknown)"]
    lines.append(f"unknown words charged, each an equal share of <UNK> among {perplexity.unknown_types:,}: {charged}")
    return result, "\n".join(lines)


def evaluate_neighbours(args, model: Model | None = None) -> Answer:
    model = model or open_model(args)
    examples = model.language.examples  # pairs in front are chosen to work; a measure has its own, where the language names some
    nearest = layer_scores.neighbours_in_contexts(model, examples.get("contexts") or examples.get("pairs", {}), k=args.k)
    lines = ["| word | in the sentence | its nearest sentences | their senses |", "| --- | --- | --- | --- |"]
    for row in nearest["rows"]:
        near = " / ".join(f"{n['sentence']} ({n['cosine']:.2f})" for n in row["nearest"])
        lines.append(f"| {row['word']} | {row['sentence']} | {near} | {', '.join(n['sense'] for n in row['nearest'])} |")
    return nearest, "\n".join(lines)


def evaluate_speed(args, model: Model | None = None) -> Answer:
    model = model or open_model(args)
    speed = layer_scores.speed(model, [list(s.tokens) for s in open_corpus(model.language.sentences, model.language)])
    text = "{tokens:,} tokens: {per_second_cold:,.0f} a second when every word is new, {per_second:,.0f} when it is known"
    return speed, text.format(**speed)


def evaluate_random(args, model: Model | None = None) -> Answer:
    cosines = anisotropy.evaluate(model or open_model(args))
    cells = []
    for name in [*(name for name in cosines if name.isdecimal()), "mix"]:
        cells.append((name, "{mean:.3f}".format(**cosines[name]), "{low:.3f} and {high:.3f}".format(**cosines[name])))
    lines = ["cosine of two random words: mean, nine in ten between", *in_columns(cells)]
    return cosines, "\n".join([*lines, f"{cosines['n']:,} tokens, each of another sentence"])


def evaluate_vectors(args) -> Answer:
    scores = {name: vectors.evaluate_vectors(open_vectors(name)) for name in args.vectors}
    lines = ["vectors: WordSim-353, SimLex-999 (Spearman's rho); analogies right"]
    for name, of_it in scores.items():
        values = [of_it[key]["spearman"] for key in ("wordsim353", "simlex999")] + [of_it["analogies"]["all"]["accuracy"]]
        lines.append(f"{name}: " + ", ".join("none known" if value is None else f"{value:.4f}" for value in values))
    return scores, "\n".join(lines)


CARD = {  # name in measures.json: what to run, its command, its options; paths under --data
    "perplexity": (evaluate_perplexity, "perplexity", {"text": [Path("corpus/valid.txt.xz")]}),
    "senses": (evaluate_senses, "senses", {"data": [Path(f"senseval/{w}.pos.xz") for w in ("hard", "interest", "line", "serve")]}),
    "all_words": (evaluate_all_words, "all-words", {"data": Path("semcor/semcor3.tsv.xz")}),
    "tags": (evaluate_tags, "tags", {"train": Path("conll2000/train.txt.xz"), "test": Path("conll2000/test.txt.xz")}),
    "sentences": (evaluate_sentences, "sentences", {}),
    "pairs": (evaluate_pairs, "pairs", {"dev": Path("pairs/dev.jsonl"), "test": Path("pairs/test.jsonl")}),
    "neighbours": (evaluate_neighbours, "neighbours", {}),
    "random": (evaluate_random, "random", {}),
    "speed": (evaluate_speed, "speed", {}),
}
ENGLISH = ("perplexity", "senses", "all_words", "tags", "sentences", "pairs", "random")  # what can be measured of an English model
OTHERS = ("perplexity", "sentences", "neighbours", "random", "speed")  # of another language's, with what it brings itself
DEFAULTS = {
    "perplexity": {"hold-out": None},
    "senses": {"train": None, "test": None, "share": 0.8, "seed": 0},
    "all-words": {"share": 0.9, "seed": 0},
    "tags": {"limit": None},
    "sentences": {"corpus": None},
    "neighbours": {"k": 3},
}


def evaluate_card(args) -> Answer:
    """Every measure whose data are there, written after each, so that an interrupted run keeps what it has."""
    folder = Path(args.data)
    if not folder.is_dir():
        raise BadInput(f"There is no folder {folder}. Name the one that holds senseval, semcor, conll2000 and the like.")
    model = open_model(args)
    output = Path(args.output) if args.output else model.folder / "measures.json"
    measured = _earlier(output, model)
    card = _card(model, measured)
    for name in ENGLISH if model.language.code == i18n.ENGLISH else OTHERS:
        run, what, options = CARD[name]
        if args.only and name not in args.only:
            continue
        if name == "perplexity" and model.language.code != i18n.ENGLISH:  # what its training held out
            options = {"text": [Path(file) for file in model.language.corpus], "hold-out": model.language.hold_out}
        options = DEFAULTS.get(what, {}) | dict(options) | ({"limit": args.limit_text} if what == "perplexity" else {})
        if missing := [path for path in _paths(options) if not (folder / path).is_file()]:
            note(f"{name}: left out, there is no {', '.join(str(folder / path) for path in missing)}.")
            continue
        note(f"{name} ...")
        try:
            measured[name] = _measure(run, what, options, folder, model)
        except MissingArtifact as error:  # a model that came without a softmax has no perplexity
            note(f"{name}: left out. {error}")
            continue
        card = _card(model, measured)
        write_json(output, card)
        sums.renew(output)
    if not measured:
        raise BadInput(f"Nothing was measured: {folder} holds none of the data sets.")
    lines = in_columns(((name, f"{facts['seconds']:.1f} s", facts["command"]) for name, facts in measured.items()), right=(1,))
    return {**card, "output": str(output)}, "\n".join([*lines, f"-> {output}"])


def _earlier(output: Path, model: Model) -> dict:
    """What an earlier card says of these very weights; BadInput where the file is no card."""
    if not output.exists():
        return {}
    card = read_json(output, expect=dict)
    if card.get("format") != FORMAT or not isinstance(card.get("measures"), dict):
        raise BadInput(f"{output} holds something else than measures of a model, which a card would replace. Name a new file.")
    return card["measures"] if card.get("fingerprint") == model.fingerprint else {}


def _card(model: Model, measured: dict) -> dict:
    ordered = {name: measured[name] for name in CARD if name in measured}
    return {"format": FORMAT} | provenance(model=model.name, fingerprint=model.fingerprint, measures=ordered)


def _measure(run: Callable, what: str, options: dict, folder: Path, model: Model) -> dict:
    """One command's answer, with the command, its seconds and the date."""
    started = time.perf_counter()
    arguments = {name.replace("-", "_"): value for name, value in _under(folder, options).items()}
    scores, text = run(Namespace(**arguments), model)
    note(text)
    seconds = round(time.perf_counter() - started, 1)
    return {**scores, "command": _command(what, options, model.name), "seconds": seconds, "date": provenance()["date"]}


def _command(what: str, options: dict, model: str) -> str:
    """The command line that gives a measure again, from within the folder of data."""
    words = ["python", "-m", "core", "evaluate", what]
    for option, value in {**options, "model": None if model == BUNDLED_MODEL else model}.items():
        if value is not None:
            parts = value if isinstance(value, list) else [value]
            words += [f"--{option}", *(part.as_posix() if isinstance(part, Path) else str(part) for part in parts)]
    return command(*words)


def _paths(options: dict) -> list[Path]:
    values = [part for value in options.values() for part in (value if isinstance(value, list) else [value])]
    return [value for value in values if isinstance(value, Path)]


def _under(folder: Path, options: dict) -> dict:
    def place(value):
        return folder / value if isinstance(value, Path) else value

    return {name: [place(v) for v in value] if isinstance(value, list) else place(value) for name, value in options.items()}


def _note_repeated(repeated: int, n: int, what: str) -> None:
    """Of sets that are used as they were published: said, not dropped."""
    if repeated:
        note(f"{repeated:,} of {n:,} {what} stand in the test set, too: their part of the figures is learned by heart.")


def _names(scores: dict) -> list[str]:
    """The layers and mixes of an answer, in order."""
    return [*(name for name in scores if name.isdecimal()), "mix", "best_mix"]


def _compared(scores: dict, what: str = "less_static") -> dict[str, dict]:
    """What is a difference in an answer: each space less the static context, and layer 1 less layer 2 as "order"."""
    differences = {name: facts[what] for name, facts in scores.items() if isinstance(facts, dict) and what in facts}
    return differences | ({"order": scores["order"]} if scores.get("order") else {})


def _differences(found: dict[str, dict], what: str, beside: str = "the static context") -> list[str]:
    """Paired differences in points, a line each."""
    lines = []
    for name, facts in found.items():
        told = "layer 1 less layer 2" if name == "order" else f"{name} less {beside}"
        difference = read_back(facts)
        decided = "" if difference.verdict else ", not decided"
        lines.append(f"{told}{what}: {difference.mean * 100:+.1f} points ({difference.span()}), p {difference.p:.3f}{decided}")
    return lines


def _weights(facts: dict) -> str:
    return f"weights {', '.join(f'{w:.2f}' for w in facts['weights'])}" if "weights" in facts else ""
