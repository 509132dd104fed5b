"""The command line: parse, run one function of core.commands, making, evaluating, classifying or benching, print.

With --json one JSON object goes to stdout and nothing else; progress and notes go to stderr; a user's error is one line
on stderr and exit status 2.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

from core import __version__, cli_bench, cli_heads, cli_lessons, cli_sentences, languages
from core.cli_model import add_device, add_model
from core.config import FLOAT32, PRECISIONS
from core.errors import ElmoscopeError


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    args = _parser().parse_args(arguments)
    try:
        result, text = _function(args.run)(args)
    except ElmoscopeError as error:
        return _refused(str(error))
    except OSError as error:
        if not error.filename:  # not about a file that the user named
            raise
        return _refused(f"{error.filename}: {error.strerror}.")
    except KeyboardInterrupt:
        print("stopped.", file=sys.stderr)
        return 130
    finally:
        languages.use(None)  # a command reads text as its model's language, and only it
    _say(_json(result) if args.json else text)
    return 0


def _function(name: str):
    """What a command does; imported after parsing, so that --help need not wait for torch."""
    from core import benching, bundling, classifying, commands, evaluating, lessoning, making, sentence_checks

    places = (commands, making, evaluating, classifying, benching, bundling, sentence_checks, lessoning)
    return next(getattr(module, name) for module in places if hasattr(module, name))


def _refused(message: str) -> int:
    """A user's error: one line on stderr, whatever was quoted in it, and the exit status."""
    print("error:", " ".join(message.splitlines()), file=sys.stderr)
    return 2


def _json(result: dict) -> str:
    """As one reads it; escaped where the terminal has no such letters, or an argument was no UTF-8."""
    text = json.dumps(result, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(result)
    return text


def _say(text: str) -> None:
    try:
        print(text)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding
        _say(text.encode(encoding, "backslashreplace").decode(encoding))


class _Parser(argparse.ArgumentParser):
    def print_help(self, file=None) -> None:
        _say(self.format_help())

    def error(self, message: str) -> None:
        """One line and status 2, as for every user's error."""
        raise SystemExit(_refused(f"{message}. See: {self.prog} --help"))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m core", description="Elmoscope: what a word means in context.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    _embedding(commands)
    _searching(commands)
    _measuring(commands)
    _training(commands)
    _keeping(commands)
    cli_heads.add_commands(commands, _add, add_model, _whole)
    cli_bench.add_commands(commands, _add, _whole)
    cli_sentences.add_commands(commands, _add)
    return parser


def _whole(least: int, most: int = 2**31 - 1):
    """The type of an argument that is a whole number within bounds."""

    def whole_number(text: str) -> int:
        if not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least:,} to {most:,}, got {text}")
        return int(text)

    return whole_number


def _add(commands, name: str, run: str, help_text: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help_text, description=help_text)
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout and nothing else")
    parser.set_defaults(run=run)
    return parser


def _cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="do it on the workers of this Dask scheduler (tcp://host:8786), to the same result"
    )


def _embedding(commands) -> None:
    parser = _add(commands, "embed", "embed", "Vectors of every token in every layer, as .npz.")
    add_model(parser)
    parser.add_argument(
        "--input",
        required=True,
        metavar="F",
        help=".json: list of token lists, or of equally long streams of them; .txt: a sentence a line",
    )
    parser.add_argument(
        "--output", required=True, metavar="O.npz", help="float32 (L, T, D) under the key of each sentence's number"
    )
    parser.add_argument(
        "--stateful", action="store_true", help="carry the LSTMs' states from batch to batch (as the published golden files)"
    )
    parser.add_argument(
        "--batch-size", type=int, default=32, metavar="N", help="sentences a batch (AllenNLP), or N x 128 tokens (Elmoscope)"
    )
    parser.add_argument("--engine", choices=["elmoscope", "allennlp"], default="elmoscope", help="who computes")
    parser.add_argument(
        "--precision",
        choices=PRECISIONS,
        default=FLOAT32,
        help="of the LSTMs' weights: fewer bits are faster, and not quite exact",
    )
    _cluster(parser)
    allennlp = commands.add_parser("allennlp", help="The second engine, AllenNLP 2.10.1.").add_subparsers(
        required=True, metavar="setup"
    )
    _add(allennlp, "setup", "allennlp_setup", "Make AllenNLP's own Python 3.10 environment.")


def _searching(commands) -> None:
    parser = _add(commands, "neighbours", "find_neighbours", "Nearest occurrences of a word in a sentence.")
    parser.add_argument("--word", required=True, metavar="W", help="a token of the sentence, letter case aside")
    parser.add_argument("--sentence", required=True, metavar="S", help="text; tokens are split as ELMo's were")
    parser.add_argument(
        "--position", type=int, metavar="I", help="which token, from 0, where the word stands there more than once"
    )
    add_model(parser)
    parser.add_argument(
        "--corpus", metavar="C", help="a registry name, an index folder, or a JSONL of sentences (default: its language's own)"
    )
    parser.add_argument("--layer", default="mix", help="0, 1, 2 or mix (default)")
    parser.add_argument("--weights", metavar="a,b,c", help="weights of the mix, one a layer (default: equal)")
    parser.add_argument("--other-words", action="store_true", help="leave out occurrences of the same word")
    parser.add_argument("--k", type=_whole(1), default=10, help="how many, best first (default 10)")
    parser.add_argument("--approximate", action="store_true", help="by the approximate index that `index approximate` made")
    _cluster(parser)
    static = _add(commands, "static-neighbours", "static_neighbours", "Nearest words by static vectors (GloVe, word2vec).")
    static.add_argument("--word", required=True, metavar="W", help="a word of the vectors' vocabulary")
    static.add_argument("--vectors", default="glove-mini", metavar="V", help="a registry name or a vector file")
    static.add_argument("--download", action="store_true", help="fetch vectors that are not on this machine yet")
    static.add_argument("--k", type=_whole(1), default=10, help="how many, best first (default 10)")


def _measuring(commands) -> None:
    parser = commands.add_parser("evaluate", help="Measure a model: senses, pairs, tags, perplexity, or all of it.")
    evaluate = parser.add_subparsers(required=True, metavar="WHAT")
    _measuring_senses(evaluate)
    cli_lessons.add_command(evaluate, _add, add_model)
    tags = _add(evaluate, "tags", "evaluate_tags", "Tags read off each layer by a linear probe.")
    tags.add_argument("--train", required=True, metavar="A", help="CoNLL columns: token, tag; a blank line between sentences")
    tags.add_argument("--test", required=True, metavar="B", help="columns as of --train")
    tags.add_argument("--limit", type=_whole(1), metavar="N", help="only the first N training sentences")
    add_model(tags)
    perplexity = _add(evaluate, "perplexity", "evaluate_perplexity", "Perplexity of both directions, full softmax.")
    perplexity.add_argument("--text", required=True, nargs="+", metavar="F", help="a sentence a line; .xz and .gz read directly")
    perplexity.add_argument(
        "--hold-out", type=float, metavar="S", help="only the lines that a training with this --hold-out left out"
    )
    perplexity.add_argument("--limit", type=int, metavar="N", help="only the first N sentences")
    add_model(perplexity)
    card = _add(evaluate, "card", "evaluate_card", "All measures whose data are there, kept beside the model.")
    card.add_argument("--data", required=True, metavar="FOLDER", help="holds corpus, senseval, semcor, conll2000, pairs, or some")
    card.add_argument("--output", metavar="FILE", help="default: measures.json in the model's folder")
    card.add_argument("--limit-text", type=_whole(1), metavar="N", help="only the first N sentences for the perplexity")
    measures = ("perplexity", "senses", "all_words", "tags", "sentences", "pairs", "neighbours", "random", "speed")
    card.add_argument(
        "--only", nargs="+", choices=measures, metavar="WHAT", help=f"only these of: {', '.join(measures)}; others stay"
    )
    add_model(card)
    predict = _add(commands, "predict", "predict", "The words a biLM expects next, or before.")
    predict.add_argument("--text", required=True, metavar="T", help="its last sentence is continued, or its first one preceded")
    predict.add_argument(
        "--direction", choices=["forward", "backward"], default="forward", help="the next word (default), or the one before"
    )
    predict.add_argument("--k", type=_whole(1), default=10, help="how many, best first (default 10)")
    add_model(predict)


def _measuring_senses(evaluate) -> None:
    senses = _add(evaluate, "senses", "evaluate_senses", "Word-sense accuracy per layer: nearest neighbour and nearest centroid.")
    senses.add_argument("--train", metavar="A.jsonl", help='rows {"word", "tokens", "position", "label"}; with --test')
    senses.add_argument("--test", metavar="B.jsonl", help="rows as of --train")
    senses.add_argument("--data", nargs="+", metavar="F", help="instead: rows, or Senseval-2 (.pos.xz), split by sentence")
    _split(senses, 0.8)
    _cluster(senses)
    add_model(senses)
    words = _add(
        evaluate, "all-words", "evaluate_all_words", "Senses of all words of held-out documents: nearest sense centroid."
    )
    words.add_argument("--data", required=True, metavar="F", help="SemCor: columns token, POS, lemma, sense key (.tsv.xz)")
    _split(words, 0.9)
    add_model(words)
    pairs = _add(evaluate, "pairs", "evaluate_pairs", "One word in two sentences, same sense or not: threshold on the cosine.")
    rows = 'rows {"word", "tokens_a", "position_a", "tokens_b", "position_b", "same"}'
    pairs.add_argument("--dev", required=True, metavar="A.jsonl", help=f"{rows}: they choose threshold and weights")
    pairs.add_argument("--test", required=True, metavar="B.jsonl", help="rows as of --dev")
    add_model(pairs)
    own = _add(evaluate, "sentences", "evaluate_sentences", "Our own sentences: 1-NN, silhouette and cosine gap per layer.")
    own.add_argument("--corpus", metavar="C", help="a registry name, or a JSONL with senses (default: those of its language)")
    add_model(own)
    near = _add(evaluate, "neighbours", "evaluate_neighbours", "The examples of its language: each word's nearest sentences.")
    near.add_argument("--k", type=_whole(1, 20), default=3, help="how many for each sentence (default 3)")
    add_model(near)
    vectors = _add(evaluate, "vectors", "evaluate_vectors", "Static vectors: similarity of pairs, analogies (gensim's copies).")
    vectors.add_argument("vectors", nargs="+", metavar="V", help="registry names or vector files")
    add_model(_add(evaluate, "random", "evaluate_random", "Cosine of two words drawn by lot, layer by layer."))
    add_model(_add(evaluate, "speed", "evaluate_speed", "Tokens a second, of its language's own sentences."))


def _split(parser: argparse.ArgumentParser, share: float) -> None:
    parser.add_argument(
        "--share", type=float, default=share, metavar="S", help=f"share of --data to train on (default {share:g})"
    )
    parser.add_argument("--seed", type=_whole(0), default=0, help="of the split (default 0)")


def _training(commands) -> None:
    pretrain = _add(commands, "pretrain", "pretrain", "Train a biLM on text; resumes from its checkpoints.")
    pretrain.add_argument(
        "--corpus", required=True, nargs="+", metavar="F", help="text, one sentence a line; .xz and .gz read directly"
    )
    pretrain.add_argument("--output", required=True, metavar="DIR", help="checkpoints, log, and in the end DIR/model")
    pretrain.add_argument("--resume", action="store_true", help="go on from DIR's checkpoints")
    pretrain.add_argument("--valid", metavar="F", help="held-out text for the validation perplexity")
    _text_of(pretrain)
    add_device(pretrain)
    pretrain.add_argument("--start-vectors", metavar="V", help="static vectors to start from (a registry name or a file)")
    pretrain.add_argument("--start-model", metavar="M", help="a trained biLM to go on from, in its shape")
    pretrain.add_argument("--tokens", type=int, default=8_000_000, help="tokens to see in all")
    pretrain.add_argument("--table-share", type=float, default=0.8, help="share of the tokens seen before the char-CNN joins")
    pretrain.add_argument("--hidden", type=int, default=1024, help="LSTM cell size")
    pretrain.add_argument("--projection", type=int, default=128, help="output size of the char-CNN and of each direction")
    pretrain.add_argument("--vocabulary", type=int, default=50_000, help="words the softmax names")
    pretrain.add_argument("--batch-tokens", type=int, default=2048, help="tokens a step")
    pretrain.add_argument("--negatives", type=int, default=3072, help="words sampled for the softmax of a step")
    pretrain.add_argument("--topic", type=float, default=0.0, help="weight of a loss that makes states keep the topic")
    pretrain.add_argument("--topic-target", default="words", choices=("words", "bag"), help="what it predicts")
    pretrain.add_argument("--topic-reach", type=int, default=10, help="how many tokens ahead it looks")
    pretrain.add_argument("--seed", type=_whole(0), default=0, help="of every random choice")
    pretrain.add_argument("--threads", type=_whole(0, 1024), default=0, help="processor threads (default: as torch chooses)")
    glove = _add(commands, "glove", "glove", "Train GloVe vectors on text.")
    glove.add_argument(
        "--corpus", required=True, nargs="+", metavar="F", help="text, one sentence a line; .xz and .gz read directly"
    )
    glove.add_argument("--output", required=True, metavar="DIR", help="the folder of vectors")
    glove.add_argument("--work", metavar="DIR", help="where prepared text and checkpoints are kept (default: beside the output)")
    _text_of(glove)
    glove.add_argument("--processes", type=_whole(1, 64), default=2, help="processes that read the corpus (default 2)")
    _cluster(glove)
    glove.add_argument("--epochs", type=int, default=20, help="passes over the counts (default 20)")
    glove.add_argument("--dim", type=int, default=100, help="numbers in a vector (default 100)")


def _text_of(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--language", default="en", metavar="L", help="what the text is read as: a code of core.languages")
    parser.add_argument(
        "--hold-out", type=float, default=0.0, metavar="S", help="share of the lines, by a hash of each, to measure on instead"
    )


def _keeping(commands) -> None:
    index = commands.add_parser("index", help="Occurrence tables.").add_subparsers(
        required=True, metavar="build|info|approximate"
    )
    build = _add(index, "build", "index_build", "Encode a corpus into an index: every token in every layer.")
    build.add_argument("--corpus", required=True, metavar="F", help=".txt, .jsonl, .json, .csv or .tsv, as it is or .xz, .gz")
    build.add_argument(
        "--output",
        required=True,
        metavar="DIR",
        help="a new folder, or an index to be replaced; with --cluster one that all workers see, or a URL (s3://...)",
    )
    build.add_argument("--text-column", metavar="NAME", help="the column of a CSV that holds the text")
    _cluster(build)
    add_model(build)
    near = _add(index, "approximate", "index_approximate", "Make an approximate index, for tables of millions of occurrences.")
    near.add_argument("folder", metavar="DIR", help="as made by index build")
    _add(index, "info", "index_info", "What an index holds.").add_argument("folder", metavar="DIR", help="as made by index build")
    convert = _add(commands, "convert", "convert", "Write a model in AllenNLP's format (options.json, weights.hdf5).")
    convert.add_argument("--output", required=True, metavar="DIR", help="the new model's folder")
    add_model(convert)
    bundle = _add(
        commands,
        "bundle",
        "bundle",
        "Make again what ships and depends on the bundled model: table of labelled tokens, frozen maps; with --data measures and heads.",
    )
    bundle.add_argument(
        "--data", metavar="FOLDER", help="the data sets, laid out as ELMOSCOPE_DATA: measures and heads are made too"
    )
    bundle.add_argument("--language", default="en", metavar="L", help="whose model, a code of core.languages (default en)")
    bundle.add_argument("--output", metavar="DIR", help="default: assets/targets, or as the language's description says")
    bundle.add_argument("--sums", action="store_true", help="only name what is in assets now, with its sha256, in assets/SHA256")
