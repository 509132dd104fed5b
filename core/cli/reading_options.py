"""The options of the commands that read a text: `embed`, `predict`, `neighbours`, `static-neighbours`, `verdict`, `substitutes`,
`allennlp setup`."""

from core.cli.options import add_cluster, add_command, add_model, whole
from core.common.config import FLOAT32, NEIGHBOURS, PRECISIONS


def add_commands(commands) -> None:
    _embed(commands)
    _neighbours(commands)
    _verdict(commands)
    _substitutes(commands)


def _embed(commands) -> None:
    parser = add_command(commands, "embed", "vectors.embed", "Vectors of every token in every layer, as .npz.")
    add_model(parser)
    parser.add_argument(
        "--input",
        required=True,
        metavar="F",
        help=".json: list of token lists, or of equally long streams of them; .txt: a sentence a line",
    )
    parser.add_argument("--output", required=True, metavar="O.npz", help="float32 (L, T, D) under the key of each sentence's number")
    parser.add_argument(
        "--stateful", action="store_true", help="carry the LSTMs' states from batch to batch (as the published golden files)"
    )
    parser.add_argument(
        "--batch-size", type=int, default=32, metavar="N", help="sentences a batch (AllenNLP), or N x 128 tokens (Elmoscope)"
    )
    parser.add_argument("--engine", choices=["elmoscope", "allennlp"], default="elmoscope", help="who computes")
    parser.add_argument(
        "--precision", choices=PRECISIONS, default=FLOAT32, help="of the LSTMs' weights: fewer bits are faster, and not quite exact"
    )
    add_cluster(parser)
    predict = add_command(commands, "predict", "vectors.predict", "The words a biLM expects next, or before.")
    predict.add_argument("--text", required=True, metavar="T", help="its last sentence is continued, or its first one preceded")
    predict.add_argument(
        "--direction", choices=["forward", "backward"], default="forward", help="the next word (default), or the one before"
    )
    predict.add_argument("--k", type=whole(1), default=10, help="how many, best first (default 10)")
    add_model(predict)
    allennlp = commands.add_parser("allennlp", help="The second engine, AllenNLP 2.10.1.").add_subparsers(required=True, metavar="setup")
    add_command(allennlp, "setup", "vectors.allennlp_setup", "Make AllenNLP's own Python 3.10 environment.")


def _neighbours(commands) -> None:
    parser = add_command(commands, "neighbours", "neighbours.find_neighbours", "Nearest occurrences of a word in a sentence.")
    parser.add_argument("--word", required=True, metavar="W", help="a token of the sentence, letter case aside")
    parser.add_argument("--sentence", required=True, metavar="S", help="text; tokens are split as ELMo's were")
    parser.add_argument("--position", type=int, metavar="I", help="which token, from 0, where the word stands there more than once")
    _read_as(parser)
    add_model(parser)
    parser.add_argument(
        "--corpus", metavar="C", help="a registry name, an index folder, or a JSONL of sentences (default: its language's own)"
    )
    parser.add_argument(
        "--layer", help="a layer's number from 0, mix, or senses: the sense space (default: the top layer, the mix where weights are given)"
    )
    parser.add_argument("--weights", metavar="a,b,c", help="weights of the mix, one a layer (default: equal)")
    parser.add_argument("--other-words", action="store_true", help="leave out occurrences of the same word")
    parser.add_argument("--k", type=whole(1), default=NEIGHBOURS, help=f"how many, best first (default {NEIGHBOURS})")
    parser.add_argument("--approximate", action="store_true", help="by the approximate index that `index approximate` made")
    add_cluster(parser)
    static = add_command(
        commands, "static-neighbours", "neighbours.static_neighbours", "Nearest words by static vectors (GloVe, word2vec)."
    )
    static.add_argument("--word", required=True, metavar="W", help="a word of the vectors' vocabulary")
    static.add_argument("--vectors", default="glove-mini", metavar="V", help="a registry name or a vector file")
    static.add_argument("--download", action="store_true", help="fetch vectors that are not on this machine yet")
    static.add_argument("--k", type=whole(1), default=NEIGHBOURS, help=f"how many, best first (default {NEIGHBOURS})")


def _verdict(commands) -> None:
    parser = add_command(commands, "verdict", "neighbours.give_verdict", "Whether a word means the same in two sentences, as Home says it.")
    parser.add_argument("--word", required=True, metavar="W", help="the word; either sentence may have another form of it")
    parser.add_argument("--sentence", required=True, nargs="+", action="extend", metavar="S", help="two sentences: give it twice")
    parser.add_argument("--language", metavar="L", help="en or ko: its own model (default: the model's)")
    _read_as(parser)
    add_model(parser)


def _substitutes(commands) -> None:
    parser = add_command(commands, "substitutes", "neighbours.find_substitutes", "The words that a biLM expects in a word's place.")
    parser.add_argument("--word", required=True, metavar="W", help="a token of the sentence, letter case aside")
    parser.add_argument("--sentence", required=True, metavar="S", help="text; tokens are split as ELMo's were")
    parser.add_argument("--position", type=int, metavar="I", help="which token, from 0, where the word occurs more than once")
    parser.add_argument("--k", type=whole(1), default=NEIGHBOURS, help=f"how many, best first (default {NEIGHBOURS})")
    parser.add_argument(
        "--direction",
        choices=["both", "forward", "backward"],
        default="both",
        help="the words after the left side, before the right, or both",
    )
    parser.add_argument("--common", action="store_true", help="let the commonest words of the vocabulary answer too")
    add_model(parser)


def _read_as(parser) -> None:
    parser.add_argument(
        "--read-as", metavar="W", help="the word that an ambiguous spelling is a form of: wind for wound, or wound for itself"
    )
