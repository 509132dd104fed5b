"""What the commands that make something can be told: `pretrain`, `glove`, `index`, `convert`, `bundle`, `texts`."""

import argparse

from core.cli.options import add_cluster, add_command, add_device, add_model, whole


def add_commands(commands) -> None:
    _train(commands)
    _index(commands)
    _bundle(commands)


def _train(commands) -> None:
    pretrain = add_command(commands, "pretrain", "training.pretrain", "Train a biLM on text; resumes from its checkpoints.")
    pretrain.add_argument("--corpus", required=True, nargs="+", metavar="F", help="text, one sentence a line; .xz and .gz read directly")
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
    pretrain.add_argument(
        "--topic-target",
        default="words",
        choices=("words", "around", "bag"),
        help="what it predicts: words ahead, words around (also behind), or the bag of those ahead",
    )
    pretrain.add_argument("--topic-reach", type=int, default=10, help="how many tokens away it looks")
    pretrain.add_argument("--seed", type=whole(0), default=0, help="of every random choice")
    pretrain.add_argument("--threads", type=whole(0, 1024), default=0, help="processor threads (default: as torch chooses)")
    glove = add_command(commands, "glove", "training.glove", "Train GloVe vectors on text.")
    glove.add_argument("--corpus", required=True, nargs="+", metavar="F", help="text, one sentence a line; .xz and .gz read directly")
    glove.add_argument("--output", required=True, metavar="DIR", help="the folder of vectors")
    glove.add_argument("--work", metavar="DIR", help="where prepared text and checkpoints are kept (default: beside the output)")
    _text_of(glove)
    glove.add_argument("--processes", type=whole(1, 64), default=2, help="processes that read the corpus (default 2)")
    add_cluster(glove)
    glove.add_argument("--epochs", type=int, default=20, help="passes over the counts (default 20)")
    glove.add_argument("--dim", type=int, default=100, help="numbers in a vector (default 100)")


def _text_of(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--language", default="en", metavar="L", help="what the text is read as: a code of core.text.languages")
    parser.add_argument(
        "--hold-out", type=float, default=0.0, metavar="S", help="share of the lines, by a hash of each, to measure on instead"
    )


def _index(commands) -> None:
    index = commands.add_parser("index", help="Occurrence tables.").add_subparsers(required=True, metavar="build|info|approximate")
    build = add_command(index, "build", "index.index_build", "Encode a corpus into an index: every token in every layer.")
    build.add_argument("--corpus", required=True, metavar="F", help=".txt, .jsonl, .json, .csv or .tsv, as it is or .xz, .gz")
    build.add_argument(
        "--output",
        required=True,
        metavar="DIR",
        help="a new folder, or an index to be replaced; with --cluster one that all workers see, or a URL (s3://...)",
    )
    build.add_argument("--text-column", metavar="NAME", help="the column of a CSV that holds the text")
    build.add_argument(
        "--lines",
        choices=("detect", "join", "keep"),
        default="detect",
        help="line breaks of a text: join wrapped lines to paragraphs, keep each as the end of a sentence, or detect by their shape which they are",
    )
    build.add_argument(
        "--senses", action="store_true", help="keep what the sense space needs too: 256 bytes a token with the bundled model"
    )
    add_cluster(build)
    add_model(build)
    near = add_command(index, "approximate", "index.index_approximate", "Make an approximate index, for tables of millions of occurrences.")
    near.add_argument("folder", metavar="DIR", help="as made by index build")
    add_command(index, "info", "index.index_info", "What an index holds.").add_argument(
        "folder", metavar="DIR", help="as made by index build"
    )


def _bundle(commands) -> None:
    convert = add_command(commands, "convert", "bundle.convert", "Write a model in AllenNLP's format (options.json, weights.hdf5).")
    convert.add_argument("--output", required=True, metavar="DIR", help="the new model's folder")
    add_model(convert)
    bundle = add_command(
        commands,
        "bundle",
        "bundle.bundle",
        "Make again what ships and depends on the bundled model: table of labelled tokens, frozen maps; with --data measures and heads.",
    )
    bundle.add_argument("--data", metavar="FOLDER", help="the data sets, laid out as ELMOSCOPE_DATA: measures and heads are made too")
    bundle.add_argument("--language", default="en", metavar="L", help="whose model, a code of core.text.languages (default en)")
    bundle.add_argument("--output", metavar="DIR", help="default: assets/targets, or as the language's description says")
    bundle.add_argument("--sums", action="store_true", help="only name what is in assets now, with its sha256, in assets/SHA256")
    texts = add_command(commands, "texts", "bundle.texts", "Bring the interface's translations up to date with the code, and compile them.")
    texts.add_argument(
        "files", nargs="*", metavar="XX.po", help="named by their language, made where they are not there (default: assets/texts/*.po)"
    )
