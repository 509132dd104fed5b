"""The `evaluate` commands: measure a model on the user's data."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path

from ..common.errors import BadInput
from ..common.model_layers import MIX, SENSES
from ..common.significance import read_back
from ..senses.senseval import read_sense_rows, split_rows, without_repeated
from ..text.sentences import LabeledRow, read_labeled
from .options import CLUSTER, MODEL, Answer, argument, command, finite, group, option, whole
from .shared import check_is_elmo, cluster_of, counted, in_columns, note, open_model, open_static, progress, sense_space, spread_model

SPACE = option("--space", "also measure the sense space: layer 1, topic and substitutes together", choices=("senses",))


@command(
    "senses",
    option("--train", 'rows {"word", "tokens", "position", "label"}; with --test, whose sentences are dropped here', metavar="A.jsonl"),
    option("--test", "rows as in --train", metavar="B.jsonl"),
    option("--data", "instead: rows, or Senseval-2 (.pos.xz), split by document", metavar="F", many=True),
    option("--share", "share of --data to train on (default 0.8)", metavar="S", type=finite),
    option("--seed", "seed of the split of --data (default 0)", type=whole(0)),
    *(SPACE, CLUSTER, *MODEL),
)
def evaluate_senses(*, train, test, data, share, seed, space, cluster, model) -> Answer:
    """Measure word-sense accuracy per layer: nearest neighbor and nearest centroid."""
    from ..senses import evaluate as senses

    rows, test = _sense_rows(train, test, data, share, seed)
    train = without_repeated(rows, test)
    if dropped := len(rows) - len(train):
        note(f"{counted(dropped, 'training row')} whose sentence is in the test set {'was' if dropped == 1 else 'were'} dropped.")
    model = open_model(model, cluster=cluster)
    if cluster is not None:
        check_is_elmo(model, "--cluster")
    with cluster_of(cluster) as client:
        scores = senses.senses(spread_model(model, client), train, test, space=sense_space(space, model), report=progress("tokens"))
    scores["dropped"] = dropped

    def cell(measure: dict) -> str:
        weights = f"   weights {', '.join(f'{w:.2f}' for w in measure['weights'])}" if "weights" in measure else ""
        return f"{measure['macro']:.1%}, {measure['pooled']:.1%}{weights}"

    names = [*filter(str.isdecimal, scores), *(name for name in (MIX, "best_mix", SENSES, "static") if name in scores)]
    rows = ((name, *(cell(scores[name][measure]) for measure in senses.MEASURES)) for name in names)
    lines = in_columns([("layer", "nearest (macro, pooled)", "centroid (macro, pooled)"), *rows])
    often = scores["most_frequent"]
    lines.append(f"most frequent sense: {often['macro']:.1%}, {often['pooled']:.1%}")
    for measure in senses.MEASURES:
        lines += difference_lines(scores, measure)
    counts = f"{counted(scores['n'], 'test row')} of {scores['documents']:,} documents or sentences, {counted(scores['n_train'], 'training row')}"
    if dropped:
        counts += f" ({dropped:,} more were dropped: their sentence is tested)"
    lines.append(counts)
    if unseen := scores["unseen"]:
        lines.append(f"{counted(unseen, 'test row')} of words without a training row: counted as wrong")
    return scores, lines


def _sense_rows(train, test, data, share: float | None, seed: int | None) -> tuple[list[LabeledRow], list[LabeledRow]]:
    """Return two files as they are, or one set split in two."""
    options = [f"--{name}" for name, value in (("train", train), ("test", test), ("data", data)) if value]
    if options == ["--train", "--test"]:
        if share is not None or seed is not None:
            raise BadInput("--train and --test are not split: leave out --share and --seed.")
        return read_labeled(Path(train)), read_labeled(Path(test))
    if options != ["--data"]:
        raise BadInput(f"evaluate senses needs --train with --test, or --data alone; got {' and '.join(options) or 'neither'}.")
    return split_rows([row for path in data for row in read_sense_rows(path)], 0.8 if share is None else share, seed or 0)


@command(
    "perplexity",
    option("--text", "one sentence per line; .xz and .gz read directly", metavar="F", required=True, many=True),
    option("--hold-out", "only the lines that a training with this --hold-out left out", metavar="S", type=finite),
    option("--limit", "only the first N sentences", metavar="N", type=whole(1)),
    *MODEL,
)
def evaluate_perplexity(*, text, hold_out, limit, model) -> Answer:
    """Measure the perplexity of both directions, full softmax."""
    from ..elmo.models import open_language_model
    from ..training.data import held_out, read_lines

    if hold_out is not None and not 0 < hold_out < 1:
        raise BadInput(f"--hold-out must lie between 0 and 1, got {hold_out:g}.")
    model = open_model(model)
    lines = held_out(text, hold_out) if hold_out else chain(*map(read_lines, text))
    lines = (line for line in lines if line.strip())
    sentences = [model.language.tokenize(line) for line in islice(lines, limit)]
    if hold_out and not sentences:
        raise BadInput(f"A share of {hold_out:g} of the lines holds out no words to measure on. Hold out a larger share.")
    scores = open_language_model(model).perplexity(sentences, report=progress("sentences"))
    result = {name: round(getattr(scores, name), 4) for name in ("forward", "backward", "mean", "charged_forward", "charged_backward")}
    result |= {"tokens": scores.tokens, "unknown_share": round(scores.unknown_share, 6), "unknown_types": scores.unknown_types}
    both = f"forward {scores.forward:.1f}, backward {scores.backward:.1f}, mean {scores.mean:.1f}"
    charged = f"forward {scores.charged_forward:.1f}, backward {scores.charged_backward:.1f}"
    lines = [f"perplexity: {both} ({scores.tokens:,} predictions, {scores.unknown_share:.1%} of tokens unknown)"]
    if scores.unknown_types:
        shared = f"the probability of <UNK> is divided equally among the text's {scores.unknown_types:,} different unknown words"
        lines.append(f"unknown words included: {charged} ({shared})")
    return result, lines


@command("blimp", option("--data", "a folder with BLiMP's .jsonl files, also in folders of it", metavar="FOLDER", required=True), *MODEL)
def evaluate_blimp(*, data, model) -> Answer:
    """Measure how often the grammatical sentence of a minimal pair (BLiMP) is the more probable one."""
    from ..elmo import language_model as blimp
    from ..elmo.models import open_language_model

    pairs = blimp.read_pairs(Path(data))
    model = open_model(model)
    scores = blimp.evaluate_pairs(open_language_model(model), pairs, model.language.tokenize, report=progress("sentences"))
    published = {name: dict(zip(blimp.MODELS, blimp.PUBLISHED.get(name, ()), strict=False)) for name in scores}
    head = ("accuracy in %", "pairs", *blimp.MEASURES, *blimp.MODELS)
    rows = [
        (name, f"{row['n']:,}", *(f"{100 * row[measure]:.1f}" for measure in blimp.MEASURES), *map(str, published[name].values()))
        for name, row in scores.items()
    ]
    lines = in_columns([head, *rows], right=range(1, len(head)))
    return {"model": model.name, "accuracy": scores, "published": published}, lines


@command("vectors", argument("vectors", "registry names or vector files", many=True, metavar="V", required=True))
def evaluate_vectors(*, vectors) -> Answer:
    """Measure static vectors: similarity of pairs, analogies (gensim's copies)."""
    from ..static.vectors import evaluate_vectors as measured

    opened = {name: open_static(name) for name in vectors}  # all of them, before one is measured
    scores = {name: measured(table) for name, table in opened.items()}
    lines = ["vectors: WordSim-353, SimLex-999 (Spearman's rho); analogies right"]
    for name, score in scores.items():
        values = [score[key]["spearman"] for key in ("wordsim353", "simlex999")] + [score["analogies"]["all"]["accuracy"]]
        lines.append(f"{name}: " + ", ".join("none known" if value is None else f"{value:.4f}" for value in values))
    return scores, lines


def difference_lines(scores: dict, measure: str) -> list[str]:
    """Format paired differences in points, a line each: every space minus the static context, and layer 1 minus layer 2."""
    rows = {name: row["less_static"] for name, row in scores.items() if isinstance(row, dict) and "less_static" in row}
    differences = {f"{name} minus the static context": row for name, row in rows.items()}
    if scores.get("order"):
        differences["layer 1 minus layer 2"] = scores["order"]
    lines = []
    for name, record in differences.items():
        difference = read_back(record.get(measure, record))
        decided = "" if difference.verdict else ", not decided"
        lines.append(f"{name}, {measure}: {difference.mean * 100:+.1f} points ({difference.span()}), p {difference.p:.3f}{decided}")
    return lines


COMMANDS = (evaluate_senses, evaluate_perplexity, evaluate_blimp, evaluate_vectors)
evaluate = group("evaluate", "Measure a model or vectors: senses, perplexity, minimal pairs, similarity.", commands=COMMANDS)
