"""What the `evaluate` commands do: read the data, run core.evaluation.layer_scores, answer with JSON and a table. `evaluate card` runs them
all and keeps the figures beside the model, each with the command that makes it again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from pathlib import Path

from ..common.errors import BadInput
from ..common.model_layers import MIX, SENSES
from ..common.significance import read_back
from ..evaluation.conll import read_tags
from ..evaluation.datasets import read_pairs, read_semcor, read_sense_rows, split_rows, without_repeated
from ..text.corpora import open_corpus
from ..text.sentences import LabeledRow, read_labeled
from .options import CLUSTER, MODEL, Answer, argument, command, finite, option, whole
from .shared import cluster_of, in_columns, note, open_model, open_static, progress, sense_space, spread_model

SPACE = option("--space", "also measure the sense space: layer 1, topic and substitutes together", choices=("senses",))
PAIR_KEYS = '{"word", "tokens_a", "position_a", "tokens_b", "position_b", "same"}'
SEED = option("--seed", "of the split (default 0)", type=whole(0), default=0)


@command(
    "senses",
    "Word-sense accuracy per layer: nearest neighbor and nearest centroid.",
    option("--train", 'rows {"word", "tokens", "position", "label"}; with --test, whose sentences are dropped here', metavar="A.jsonl"),
    option("--test", "rows as in --train", metavar="B.jsonl"),
    option("--data", "instead: rows, or Senseval-2 (.pos.xz), split by document", metavar="F", many=True),
    option("--share", "share of --data to train on (default 0.8)", metavar="S", type=finite, default=0.8),
    *(SEED, SPACE, CLUSTER, *MODEL),
)
def evaluate_senses(*, train, test, data, share, seed, space, cluster, model) -> Answer:
    from ..evaluation import layer_scores

    rows, test = _sense_rows(train, test, data, share, seed)
    train = without_repeated(rows, test)
    if dropped := len(rows) - len(train):
        note(f"{dropped:,} training rows whose sentence is in the test set were dropped.")
    model = open_model(model, cluster=cluster)
    with cluster_of(cluster) as client:
        scores = layer_scores.senses(spread_model(model, client), train, test, space=sense_space(space, model), report=progress("tokens"))
    scores["dropped"] = dropped

    def cells(row: dict) -> list[str]:
        return [
            f"{measure['macro']:.1%}, {measure['pooled']:.1%}   {_weights(measure)}".strip()
            for measure in map(row.get, layer_scores.MEASURES)
        ]

    lines = _table(scores, ("layer", "nearest (macro, pooled)", "centroid (macro, pooled)"), cells)
    often = scores["most_frequent"]
    lines.append(f"most frequent sense: {often['macro']:.1%}, {often['pooled']:.1%}")
    for measure in layer_scores.MEASURES:
        lines += _differences(scores, measure=measure)
    counts = f"{scores['n']:,} test rows of {scores['documents']:,} documents or sentences, {scores['n_train']:,} training rows"
    counts += f" ({dropped:,} more were dropped: their sentence is tested)" if dropped else ""
    return scores, [*lines, counts]


def _sense_rows(train, test, data, share: float, seed: int) -> tuple[list[LabeledRow], list[LabeledRow]]:
    """Two files as they are, or one set split in two."""
    options = [f"--{name}" for name, value in (("train", train), ("test", test), ("data", data)) if value]
    if options == ["--train", "--test"]:
        return read_labeled(Path(train)), read_labeled(Path(test))
    if options != ["--data"]:
        raise BadInput(f"evaluate senses needs --train with --test, or --data alone; got {' and '.join(options) or 'neither'}.")
    return split_rows([row for path in data for row in read_sense_rows(path)], share, seed)


@command(
    "all-words",
    "Senses of all words of held-out documents: nearest sense centroid.",
    option("--data", "SemCor: columns token, POS, lemma, sense key (.tsv.xz)", metavar="F", required=True),
    option("--share", "share of --data to train on (default 0.9)", metavar="S", type=finite, default=0.9),
    *(SEED, SPACE, *MODEL),
)
def evaluate_all_words(*, data, share, seed, space, model) -> Answer:
    from ..evaluation import all_words

    sentences = read_semcor(data)
    model = open_model(model)
    scores = all_words.all_words(model, sentences, share=share, seed=seed, space=sense_space(space, model), report=progress("tokens"))

    def cells(row: dict) -> tuple[str, ...]:
        too = row.get("with_frequency")
        both = f"{too['accuracy']:.1%}, {too['ambiguous']:.1%} (prior {too['prior']:g})" if too else ""
        return f"{row['accuracy']:.1%}", f"{row['ambiguous']:.1%}", both, _weights(row)

    head = ("layer", "all words", "ambiguous words", "the same, frequency of senses counted too")
    lines = _table(scores, head, cells, "most_frequent")
    lines += _differences(scores) + _differences(scores, "less_frequent", beside="the most frequent sense")
    unseen = f"{scores['unseen']:,} of words that training lacks (wrong by every method)"
    lines.append(f"{scores['n']:,} test words, {scores['ambiguous_n']:,} ambiguous, {unseen}; {scores['n_train']:,} training words")
    return scores, lines


@command(
    "pairs",
    "One word in two sentences, same sense or not: threshold on the cosine.",
    option("--dev", f"rows {PAIR_KEYS}: they choose threshold and weights", metavar="A.jsonl", required=True),
    option("--test", "rows as in --dev", metavar="B.jsonl", required=True),
    *(SPACE, *MODEL),
)
def evaluate_pairs(*, dev, test, space, model) -> Answer:
    from ..evaluation import layer_scores

    dev, test = read_pairs(dev), read_pairs(test)
    tested = {(row.tokens_a, row.tokens_b) for row in test}
    _note_repeated(sum((row.tokens_a, row.tokens_b) in tested for row in dev), len(dev), "dev pairs")
    model = open_model(model)
    scores = layer_scores.pairs(model, dev, test, space=sense_space(space, model), report=progress("tokens"))

    def cells(layer_result: dict) -> tuple[str, ...]:
        auc = "-" if layer_result["auc"] is None else f"{layer_result['auc']:.3f}"
        return f"{layer_result['accuracy']:.1%}", auc, f"{layer_result['threshold']:.3f}", _weights(layer_result)

    lines = _table(scores, ("layer", "accuracy", "AUC", "threshold"), cells)
    lines.append(f"commoner answer: {scores['majority']:.1%}; {scores['n']:,} test pairs, {scores['n_dev']:,} dev pairs")
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
    from ..evaluation import layer_scores

    train = read_tags(train)[:limit]
    test = read_tags(test)
    tested = {row.tokens for row in test}
    _note_repeated(sum(row.tokens in tested for row in train), len(train), "training sentences")
    scores = layer_scores.tags(open_model(model), train, test, report=progress("tokens"))
    lines = _table(scores, None, lambda row_scores: (f"{row_scores['accuracy']:.2%}", _weights(row_scores)), "most_frequent")
    lines += _differences(scores)
    lines.append(f"{scores['n']:,} test tokens, {scores['n_train']:,} training tokens, {scores['tags']} tags")
    return scores, lines


@command(
    "sentences",
    "Our own sentences: 1-NN, silhouette and cosine gap per layer.",
    option("--corpus", "a registry name, or a JSONL with senses (default: those of its language)", metavar="C"),
    *(SPACE, *MODEL),
)
def evaluate_sentences(*, corpus, space, model) -> Answer:
    from ..evaluation import own_sentences

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
    lines = _table({name: row for name, row in scores.items() if row is not best}, head, cells, "form")
    lines += _differences(scores)
    centered = {name: row["centered"] for name, row in scores.items() if isinstance(row, dict) and "centered" in row}
    lines.append(f"each word's mean taken off first: {', '.join(f'{name} {share:.1%}' for name, share in centered.items())}")
    lines += _differences(scores, "centered_less_static", measure="mean taken off")
    lines.append(f"best mix: {best['one_nn']:.1%}, {_weights(best)}, chosen on half of the words, measured on the other, both ways")
    lines.append(f"{scores['n']:,} occurrences of {scores['words']} words; most frequent sense {scores['majority']:.1%}")
    return scores, lines


@command(
    "perplexity",
    "Perplexity of both directions, full softmax.",
    option("--text", "one sentence per line; .xz and .gz read directly", metavar="F", required=True, many=True),
    option("--hold-out", "only the lines that a training with this --hold-out left out", metavar="S", type=finite),
    option("--limit", "only the first N sentences", metavar="N", type=whole(1)),
    *MODEL,
)
def evaluate_perplexity(*, text, hold_out, limit, model) -> Answer:
    from ..elmo.models import open_language_model
    from ..training.data import held_out, read_lines

    model = open_model(model)
    lines = held_out(text, hold_out) if hold_out else chain(*map(read_lines, text))
    lines = (line for line in lines if line.strip())
    sentences = [model.language.tokenize(line) for line in islice(lines, limit)]
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


@command(
    "neighbors",
    "The examples of its language: each word's nearest sentences.",
    option("--k", "how many for each sentence (default 3)", type=whole(1, 20), default=3),
    *MODEL,
)
def evaluate_neighbors(*, k, model) -> Answer:
    from ..evaluation import layer_scores

    model = open_model(model)
    examples = model.language.examples  # pairs in front are chosen to work; a measure has its own, where the language names some
    nearest = layer_scores.neighbors_in_contexts(model, examples.get("contexts") or examples.get("pairs", {}), k=k)
    lines = ["| word | in the sentence | its nearest sentences | their senses |", "| --- | --- | --- | --- |"]
    for row in nearest["rows"]:
        near = " / ".join(f"{n['sentence']} ({n['cosine']:.2f})" for n in row["nearest"])
        lines.append(f"| {row['word']} | {row['sentence']} | {near} | {', '.join(n['sense'] for n in row['nearest'])} |")
    return nearest, lines


@command("speed", "Tokens per second on the bundled sentences of its language.", *MODEL)
def evaluate_speed(*, model) -> Answer:
    from ..evaluation import layer_scores

    model = open_model(model)
    speed = layer_scores.speed(model, [list(s.tokens) for s in open_corpus(model.language.sentences, model.language)])
    text = "{tokens:,} tokens: {per_second_cold:,.0f} a second when every word is new, {per_second:,.0f} when it is known"
    return speed, text.format(**speed)


@command("random", "Cosine of two random words, layer by layer.", SPACE, *MODEL)
def evaluate_random(*, space, model) -> Answer:
    from ..analysis import anisotropy

    model = open_model(model)
    cosines = anisotropy.evaluate(model, space=sense_space(space, model))
    cells = _table(cosines, None, lambda row: (f"{row['mean']:.3f}", f"{row['low']:.3f} and {row['high']:.3f}"))
    lines = ["cosine of two random words: mean, nine in ten between", *cells]
    return cosines, [*lines, f"{cosines['n']:,} tokens, each of another sentence"]


@command(
    "vectors",
    "Static vectors: similarity of pairs, analogies (gensim's copies).",
    argument("vectors", "registry names or vector files", many=True, metavar="V"),
)
def evaluate_vectors(*, vectors) -> Answer:
    from ..static.vectors import evaluate_vectors as measured

    scores = {name: measured(open_static(name)) for name in vectors}
    lines = ["vectors: WordSim-353, SimLex-999 (Spearman's rho); analogies right"]
    for name, of_it in scores.items():
        values = [of_it[key]["spearman"] for key in ("wordsim353", "simlex999")] + [of_it["analogies"]["all"]["accuracy"]]
        lines.append(f"{name}: " + ", ".join("none known" if value is None else f"{value:.4f}" for value in values))
    return scores, lines


def _note_repeated(repeated: int, n: int, what: str) -> None:
    """Of sets that are used as they were published: said, not dropped."""
    if repeated:
        note(f"{repeated:,} of {n:,} {what} stand in the test set, too: their part of the figures is learned by heart.")


def _table(scores: dict, head: Sequence[str] | None, cells: Callable[[dict], Iterable[str]], *more: str) -> list[str]:
    """Under the head a line for each space of an answer: layers, mixes, the sense space, the static context, and more."""
    names = [*filter(str.isdecimal, scores), *(name for name in (MIX, "best_mix", SENSES, "static", *more) if name in scores)]
    return in_columns([*filter(None, [head]), *((name, *cells(scores[name])) for name in names)])


def _differences(scores: dict, key: str = "less_static", *, measure: str = "", beside: str = "the static context") -> list[str]:
    """Paired differences in points, a line each: every space minus the static context, and layer 1 minus layer 2; or of another key."""
    differences = {f"{name} minus {beside}": row[key] for name, row in scores.items() if isinstance(row, dict) and key in row}
    if key == "less_static" and scores.get("order"):
        differences["layer 1 minus layer 2"] = scores["order"]
    lines = []
    for name, record in differences.items():
        difference = read_back(record.get(measure, record))
        decided = "" if difference.verdict else ", not decided"
        what = f"{name}, {measure}" if measure else name
        lines.append(f"{what}: {difference.mean * 100:+.1f} points ({difference.span()}), p {difference.p:.3f}{decided}")
    return lines


def _weights(row: dict) -> str:
    return f"weights {', '.join(f'{w:.2f}' for w in row['weights'])}" if "weights" in row else ""
