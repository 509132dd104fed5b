"""Commands that measure a model on public or bundled data: read the data, compute, return JSON and a table."""

from __future__ import annotations

from ..cli.evaluate import SEED, SPACE, difference_lines, score_table, weights_text
from ..cli.options import MODEL, Answer, command, finite, option, whole
from ..cli.shared import note, open_model, progress, sense_space
from ..text.corpora import open_corpus
from .datasets import read_pairs, read_semcor, read_tags

PAIR_KEYS = '{"word", "tokens_a", "position_a", "tokens_b", "position_b", "same"}'


@command(
    "all-words",
    "Senses of all words of held-out documents: nearest sense centroid.",
    option("--data", "SemCor: columns token, POS, lemma, sense key (.tsv.xz)", metavar="F", required=True),
    option("--share", "share of --data to train on (default 0.9)", metavar="S", type=finite, default=0.9),
    *(SEED, SPACE, *MODEL),
)
def evaluate_all_words(*, data, share, seed, space, model) -> Answer:
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
    "pairs",
    "One word in two sentences, same sense or not: threshold on the cosine.",
    option("--dev", f"rows {PAIR_KEYS}: they choose threshold and weights", metavar="A.jsonl", required=True),
    option("--test", "rows as in --dev", metavar="B.jsonl", required=True),
    *(SPACE, *MODEL),
)
def evaluate_pairs(*, dev, test, space, model) -> Answer:
    from . import layer_scores

    dev, test = read_pairs(dev), read_pairs(test)
    tested = {(row.tokens_a, row.tokens_b) for row in test}
    _note_repeated(sum((row.tokens_a, row.tokens_b) in tested for row in dev), len(dev), "dev pairs")
    model = open_model(model)
    scores = layer_scores.pairs(model, dev, test, space=sense_space(space, model), report=progress("tokens"))

    def cells(layer_result: dict) -> tuple[str, ...]:
        auc = "-" if layer_result["auc"] is None else f"{layer_result['auc']:.3f}"
        return f"{layer_result['accuracy']:.1%}", auc, f"{layer_result['threshold']:.3f}", weights_text(layer_result)

    lines = score_table(scores, ("layer", "accuracy", "AUC", "threshold"), cells)
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
    from . import layer_scores

    train = read_tags(train)[:limit]
    test = read_tags(test)
    tested = {row.tokens for row in test}
    _note_repeated(sum(row.tokens in tested for row in train), len(train), "training sentences")
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


@command(
    "neighbors",
    "The examples of its language: each word's nearest sentences.",
    option("--k", "how many for each sentence (default 3)", type=whole(1, 20), default=3),
    *MODEL,
)
def evaluate_neighbors(*, k, model) -> Answer:
    from . import layer_scores

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
    from . import layer_scores

    model = open_model(model)
    speed = layer_scores.speed(model, [list(s.tokens) for s in open_corpus(model.language.sentences, model.language)])
    text = "{tokens:,} tokens: {per_second_cold:,.0f} a second when every word is new, {per_second:,.0f} when it is known"
    return speed, text.format(**speed)


@command("random", "Cosine of two random words, layer by layer.", SPACE, *MODEL)
def evaluate_random(*, space, model) -> Answer:
    from ..analysis import anisotropy

    model = open_model(model)
    cosines = anisotropy.evaluate(model, space=sense_space(space, model))
    cells = score_table(cosines, None, lambda row: (f"{row['mean']:.3f}", f"{row['low']:.3f} and {row['high']:.3f}"))
    lines = ["cosine of two random words: mean, nine in ten between", *cells]
    return cosines, [*lines, f"{cosines['n']:,} tokens, each of another sentence"]


def _note_repeated(repeated: int, n: int, what: str) -> None:
    """Note how many rows of a published training set are also in the test set. They are used as published."""
    if repeated:
        note(f"{repeated:,} of {n:,} {what} stand in the test set, too: their part of the figures is learned by heart.")
