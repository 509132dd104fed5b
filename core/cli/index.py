"""The `index` commands: build, info, approximate."""

from pathlib import Path

from core.cli.neighbours import in_shards
from core.cli.options import CLUSTER, MODEL, Answer, argument, command, flag, group, option
from core.cli.shared import cluster_of, note, open_model, progress
from core.common.errors import BadInput
from core.text.sentences import read_sentences


@command(
    "build",
    "Encode a corpus into an index: every token in every layer.",
    option("--corpus", ".txt, .jsonl, .json, .csv or .tsv, as it is or .xz, .gz", metavar="F", required=True),
    option(
        "--output",
        "a new folder, or an index to be replaced; with --cluster one that all workers see, or a URL (s3://...)",
        metavar="DIR",
        required=True,
    ),
    option("--text-column", "the column of a CSV that holds the text", metavar="NAME"),
    option(
        "--lines",
        "line breaks of a text: join wrapped lines to paragraphs, keep each as the end of a sentence, or detect by their shape which they are",
        choices=("detect", "join", "keep"),
        default="detect",
    ),
    flag("--senses", "keep what the sense space needs too: 256 bytes a token with the bundled model"),
    CLUSTER,
    *MODEL,
)
def index_build(*, corpus, output, text_column, lines, senses, cluster, **model) -> Answer:
    from core.elmo.models import open_language_model
    from core.elmo.substitutes import Substitutes
    from core.index.build import build_index, check_replaceable
    from core.index.table import index_info

    if cluster is not None:
        return _index_on_cluster(corpus, output, (text_column, lines, senses), cluster, model)
    check_replaceable(Path(output))
    model = open_model(**model)
    sentences = read_sentences(Path(corpus), text_column=text_column, lines=lines)
    substitutes = Substitutes(open_language_model(model)) if senses else None
    build_index(sentences, model.encoder, Path(output), model=model.fingerprint, report=progress("tokens"), substitutes=substitutes)
    return _info(index_info(Path(output)))


def _index_on_cluster(corpus: str, output: str, reading: tuple[str | None, str, bool], cluster: str, model_options: dict) -> Answer:
    from core.cluster import shards
    from core.cluster.worker_model import named
    from core.elmo.models import open_language_model

    text_column, lines, senses = reading
    shards.open_own(output)
    model = open_model(**model_options, cluster=cluster)
    if senses:
        open_language_model(model)  # says what is missing, before any work
    sentences = read_sentences(Path(corpus), text_column=text_column, lines=lines)

    def report(done) -> None:
        speed = f"{done.tokens_per_s:,.0f} tokens a second, {done.seconds_left:.0f} s left"
        note(f"shards: {done.shards_done:,} of {done.shards:,}, {speed}")

    with cluster_of(cluster) as client:
        name, fingerprint = named(model_options["model"]), model.fingerprint
        shards.build(client, sentences, output, model=name, model_fingerprint=fingerprint, senses=senses, report=report)
    return _info(shards.info(output))


@command("info", "What an index holds.", argument("folder", "as made by index build", metavar="DIR"))
def index_info(*, folder) -> Answer:
    if in_shards(folder):
        from core.cluster.shards import info
    else:
        from core.index.table import index_info as info

    return _info(info(folder))


@command(
    "approximate",
    "Make an approximate index, for tables of millions of occurrences.",
    argument("folder", "as made by index build", metavar="DIR"),
    flag("--senses", "of the sense space, of an index built with --senses; with --model, the model of the index"),
    *MODEL,
)
def index_approximate(*, folder, senses, **model) -> Answer:
    from core.cluster import approximate
    from core.cluster.shards import open_shards

    shards = open_shards(folder)
    if senses:
        from core.cluster.senses import build
        from core.senses.judge import open_judge

        space = open_judge(open_model(**model)).space
        if space is None or shards.meta.get("model") != space.fingerprint:
            raise BadInput(
                f"The index {folder} was made with another model than {model['model']}, or it has no sense space. Name its model."
            )
        facts = build(shards, space, report=progress("rows"))
    else:
        facts = approximate.build(shards, report=progress("rows"))
    size = f"{facts['occurrences']:,} occurrences in {facts['cells']:,} cells, {facts['bytes'] / 1e6:.1f} MB"
    return facts, f"{size}, made in {facts['seconds']:.1f} s"


def _info(facts: dict) -> tuple[dict, str]:
    text = f"{facts['occurrences']:,} occurrences of {facts['types']:,} types, {facts['bytes'] / 1e6:.1f} MB, made in {facts['seconds']:.1f} s ({facts['tokens_per_second']:,.0f} tokens/s)"
    return facts, text


index = group("index", "Occurrence tables.", "build|info|approximate", (index_build, index_approximate, index_info))
