"""What the `evaluate` commands and `check-sentences` can be told."""

import argparse

from core.cli.options import add_cluster, add_command, add_model, whole

PARTS = ("context", "before", "control")  # of the lessons
ACROSS = ("sentences", "senses", "pairs", "tags", "titles")  # what several models are measured by


def add_commands(commands) -> None:
    parser = commands.add_parser("evaluate", help="Measure a model: senses, pairs, tags, perplexity, or all of it.")
    evaluate = parser.add_subparsers(required=True, metavar="WHAT")
    _measuring_senses(evaluate)
    _lessons(evaluate)
    tags = add_command(evaluate, "tags", "evaluate.evaluate_tags", "Tags read off each layer by a linear probe.")
    tags.add_argument("--train", required=True, metavar="A", help="CoNLL columns: token, tag; a blank line between sentences")
    tags.add_argument("--test", required=True, metavar="B", help="columns as of --train")
    tags.add_argument("--limit", type=whole(1), metavar="N", help="only the first N training sentences")
    add_model(tags)
    perplexity = add_command(evaluate, "perplexity", "evaluate.evaluate_perplexity", "Perplexity of both directions, full softmax.")
    perplexity.add_argument("--text", required=True, nargs="+", metavar="F", help="a sentence a line; .xz and .gz read directly")
    perplexity.add_argument("--hold-out", type=float, metavar="S", help="only the lines that a training with this --hold-out left out")
    perplexity.add_argument("--limit", type=int, metavar="N", help="only the first N sentences")
    add_model(perplexity)
    card = add_command(evaluate, "card", "evaluate.evaluate_card", "All measures whose data are there, kept beside the model.")
    card.add_argument("--data", required=True, metavar="FOLDER", help="holds corpus, senseval, semcor, conll2000, pairs, or some")
    card.add_argument("--output", metavar="FILE", help="default: measures.json in the model's folder")
    card.add_argument("--limit-text", type=whole(1), metavar="N", help="only the first N sentences for the perplexity")
    measures = ("perplexity", "senses", "all_words", "tags", "sentences", "pairs", "neighbours", "random", "speed")
    card.add_argument("--only", nargs="+", choices=measures, metavar="WHAT", help=f"only these of: {', '.join(measures)}; others stay")
    add_model(card)
    checked_help = "Check a file of sense-labelled sentences: enough of each sense, varied, none a copy."
    checked = add_command(commands, "check-sentences", "lessons.check_sentences", checked_help)
    checked.add_argument("file", metavar="F", help=".jsonl or .json: rows with tokens, position, lemma and sense")


def _space(parser) -> None:
    parser.add_argument("--space", choices=["senses"], help="measure the sense space too: layer 1, topic and substitutes, joined")


def _measuring_senses(evaluate) -> None:
    senses = add_command(
        evaluate, "senses", "evaluate.evaluate_senses", "Word-sense accuracy per layer: nearest neighbour and nearest centroid."
    )
    senses.add_argument(
        "--train", metavar="A.jsonl", help='rows {"word", "tokens", "position", "label"}; with --test, whose sentences are dropped here'
    )
    senses.add_argument("--test", metavar="B.jsonl", help="rows as of --train")
    senses.add_argument("--data", nargs="+", metavar="F", help="instead: rows, or Senseval-2 (.pos.xz), split by sentence")
    _split(senses, 0.8)
    _space(senses)
    add_cluster(senses)
    add_model(senses)
    words = add_command(
        evaluate, "all-words", "evaluate.evaluate_all_words", "Senses of all words of held-out documents: nearest sense centroid."
    )
    words.add_argument("--data", required=True, metavar="F", help="SemCor: columns token, POS, lemma, sense key (.tsv.xz)")
    _split(words, 0.9)
    add_model(words)
    pairs = add_command(
        evaluate, "pairs", "evaluate.evaluate_pairs", "One word in two sentences, same sense or not: threshold on the cosine."
    )
    rows = 'rows {"word", "tokens_a", "position_a", "tokens_b", "position_b", "same"}'
    pairs.add_argument("--dev", required=True, metavar="A.jsonl", help=f"{rows}: they choose threshold and weights")
    pairs.add_argument("--test", required=True, metavar="B.jsonl", help="rows as of --dev")
    _space(pairs)
    add_model(pairs)
    own = add_command(evaluate, "sentences", "evaluate.evaluate_sentences", "Our own sentences: 1-NN, silhouette and cosine gap per layer.")
    own.add_argument("--corpus", metavar="C", help="a registry name, or a JSONL with senses (default: those of its language)")
    add_model(own)
    near = add_command(
        evaluate, "neighbours", "evaluate.evaluate_neighbours", "The examples of its language: each word's nearest sentences."
    )
    near.add_argument("--k", type=whole(1, 20), default=3, help="how many for each sentence (default 3)")
    add_model(near)
    vectors = add_command(
        evaluate, "vectors", "evaluate.evaluate_vectors", "Static vectors: similarity of pairs, analogies (gensim's copies)."
    )
    vectors.add_argument("vectors", nargs="+", metavar="V", help="registry names or vector files")
    add_model(add_command(evaluate, "random", "evaluate.evaluate_random", "Cosine of two random words, layer by layer."))
    add_model(add_command(evaluate, "speed", "evaluate.evaluate_speed", "Tokens a second, of its language's own sentences."))


def _split(parser: argparse.ArgumentParser, share: float) -> None:
    parser.add_argument("--share", type=float, default=share, metavar="S", help=f"share of --data to train on (default {share:g})")
    parser.add_argument("--seed", type=whole(0), default=0, help="of the split (default 0)")


def _lessons(evaluate) -> None:
    help_text = (
        "What the lessons take minutes to compute, kept beside the model: is it context, before it reads the word, the control task."
    )
    lessons = add_command(evaluate, "lessons", "lessons.evaluate_lessons", help_text)
    lessons.add_argument("--only", nargs="+", choices=PARTS, metavar="WHAT", help=f"only these of: {', '.join(PARTS)}; others stay")
    add_model(lessons)
    several = add_command(
        evaluate, "layers", "lessons.evaluate_layers", "Several models beside each other on the same data, by layer and best mix."
    )
    several.add_argument("--models", required=True, nargs="+", metavar="M", help="registry names or folders, of one language")
    several.add_argument("--data", required=True, metavar="FOLDER", help="holds senseval, conll2000, ag_news, or some of them")
    several.add_argument("--only", nargs="+", choices=ACROSS, metavar="WHAT", help=f"only these of: {', '.join(ACROSS)}")
    several.add_argument("--limit", type=whole(1), default=1000, metavar="N", help="sentences with tags, of each part (default 1000)")
    several.add_argument(
        "--titles", type=whole(10), default=2000, metavar="N", help="titles to learn from, and as many to ask (default 2000)"
    )
    several.add_argument("--output", metavar="FILE", help="a JSON file for the result, written after each measure")
    several.add_argument("--pieces", choices=("mean", "first", "last"), default="mean", help="how pieces become a word (default mean)")
    several.add_argument("--download", action="store_true", help="fetch models that are not on this machine")
