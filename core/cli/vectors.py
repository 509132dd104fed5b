"""Commands about texts and models: `embed`, `predict`, `index`, `convert` and `allennlp setup`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..common.config import FLOAT32, PRECISIONS
from ..common.errors import BadInput
from ..common.i18n import ENGLISH
from ..common.markup import shorten
from ..common.model_layers import SENSES
from ..files import atomic
from ..files.artifacts import check_fits, parse_json, replacing, write_json
from ..files.formats import suffix_of
from ..text import languages
from ..text.languages import note_unread
from ..text.sentence_ends import split_sentences
from ..text.sentences import checked_tokens, read_lines, read_sentences
from ..text.tokens import bare
from .neighbors import in_shards, shards_of
from .options import CLUSTER, MODEL, Answer, ModelOptions, argument, command, flag, group, option, whole
from .shared import check_is_elmo, cluster_of, note, open_model, progress, sense_space, spread_model

if TYPE_CHECKING:
    from ..elmo.models import Model

INDEX = "index.json"  # the last file written of an index in shards (core.cluster.shards, which would import Dask)
LINES = ("detect", "join", "keep")
TEXT_COLUMN = option("--text-column", "the column of a CSV that holds the text", metavar="NAME")
MAX_INPUT = 1 << 30  # bytes
BATCH = r"[0-9a-f]{64}\.npz"  # batches encoded by a cluster, as core.cluster.worker_model names them


@command(
    "embed",
    *MODEL,
    option("--input", "a sentence per line, row or item: .txt, .csv, .tsv, .jsonl, .json (text or tokens)", metavar="F", required=True),
    option("--output", "float32 (L, T, D) under the key of each sentence's number, from 0", metavar="O.npz", required=True),
    TEXT_COLUMN,
    flag("--stateful", "carry the LSTMs' states from batch to batch, as AllenNLP does; a .json list of equally long streams"),
    option("--batch-size", "sentences (AllenNLP), or N x 128 tokens (Elmoscope)", metavar="N", type=whole(1, 100_000), default=32),
    option("--engine", "which engine computes", choices=("elmoscope", "allennlp"), default="elmoscope"),
    option("--precision", "precision of the LSTMs' weights: fewer bits are faster but less exact", choices=PRECISIONS, default=FLOAT32),
    CLUSTER,
)
def embed(*, input, output, text_column, stateful, batch_size, engine, precision, cluster, model) -> Answer:
    """Write the vectors of every token in every layer, as .npz."""
    _check_column(input, text_column)
    if not output.endswith(".npz"):
        raise BadInput(f"--output must end in .npz, got '{shorten(output)}'.")
    if cluster is not None and (stateful or engine == "allennlp"):
        raise BadInput("--cluster needs independent sentences: leave out --stateful and --engine allennlp.")
    parts = Path(f"{output}.parts")
    if cluster is not None:
        atomic.check_replaceable(parts, BATCH)
    model = open_model(model, precision=precision, cluster=cluster, engine=engine)
    if stateful or cluster is not None:
        check_is_elmo(model, "--stateful" if stateful else "--cluster")
    sentences = _read_embed_input(Path(input), stateful, text_column)
    started = time.perf_counter()
    how = (model, sentences, stateful, batch_size)
    layers = _embed_allennlp(*how) if engine == "allennlp" else _embed_ours(*how, cluster, parts)
    streams = {f"{k}/": stream for k, stream in enumerate(layers)} if stateful else {"": layers}
    arrays = {f"{stream}{k}": array for stream, items in streams.items() for k, array in enumerate(items)}
    seconds = time.perf_counter() - started
    with replacing(Path(output)) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)
    if cluster is not None:
        atomic.remove_own_files(parts, BATCH)
    tokens = sum(array.shape[1] for array in arrays.values())
    result = {"model": model.name, "sentences": len(arrays), "tokens": tokens, "seconds": round(seconds, 4)}
    return result, f"{len(arrays):,} sentences, {tokens:,} tokens in {seconds:.2f} s -> {output}"


def _check_column(path: str, text_column: str | None) -> None:
    """Raise BadInput for the column of a file that has none."""
    if text_column and (kind := suffix_of(Path(path))) in (".txt", ".docx", ".pdf", ".epub"):
        raise BadInput(f"A {kind} file has no columns: leave out --text-column.")


def _read_embed_input(path: Path, stateful: bool, text_column: str | None) -> list:
    """Return the tokens of each sentence, or of each sentence of each stream."""
    if not stateful:
        lines = read_lines(path, text_column=text_column, max_bytes=MAX_INPUT)
        if blank := sum(not tokens for tokens in lines):
            note(f"{blank:,} of {len(lines):,} sentences are blank: their arrays have no tokens.")
        return [list(tokens) for tokens in lines]
    if path.suffix != ".json":
        raise BadInput("--stateful needs a .json list of equally long streams of token lists.")
    check_fits(path, MAX_INPUT)
    try:
        streams = parse_json(path.read_bytes())
    except ValueError as error:
        raise BadInput(f"{path} cannot be read: {error}. Choose another file.") from None
    if not isinstance(streams, list) or not all(isinstance(stream, list) for stream in streams):
        raise BadInput(f"{path} must hold a list of streams of token lists.")
    return [[_tokens(sentence, path) for sentence in stream] for stream in streams]


def _tokens(sentence, path: Path) -> list[str]:
    """Return a token list as it is, a text as its tokens."""
    if isinstance(sentence, str):
        return languages.tokenize(sentence)
    return list(checked_tokens(sentence, path.name)) if sentence != [] else []


def _embed_ours(model: Model, sentences: list, stateful: bool, batch_size: int, cluster: str | None, parts: Path) -> list:
    if stateful:
        return model.encoder.encode_streams(sentences)
    model.encoder.batch_tokens = batch_size * 128
    with cluster_of(cluster) as client:
        encoder = spread_model(model, client, store=str(parts.absolute())).encoder
        return encoder.encode(sentences, report=progress("tokens"))


def _embed_allennlp(model: Model, sentences: list, stateful: bool, batch_size: int) -> list:
    from ..elmo.models import allennlp_files
    from ..engines.allennlp_engine import AllenNLPEngine

    options, weights = allennlp_files(model)
    with AllenNLPEngine() as engine:
        answer = engine.embed(sentences, options, weights, stateful=stateful, batch_size=batch_size, timeout_s=3600.0)
    note(f"AllenNLP: {answer.seconds:.2f} s to compute, {answer.load_seconds:.2f} s to read the weights")
    return answer.layers


@command(
    "predict",
    option("--text", "a text: its last sentence is continued, or its first preceded", metavar="T", required=True),
    option("--direction", "the next word (default), or the one before", choices=("forward", "backward"), default="forward"),
    option("--k", "how many, best first (default 10)", type=whole(1, 1000), default=10),
    *MODEL,
)
def predict(*, text, direction, k, model) -> Answer:
    """List the words that a biLM expects next or before."""
    from ..elmo.models import open_language_model

    model = open_language_model(open_model(model))
    backward = direction == "backward"
    sentences = split_sentences(text) or [""]
    tokens = languages.tokenize(sentences[0] if backward else sentences[-1])
    note_unread(tokens, languages.in_use())
    expected = model.next_words(tokens, backward=backward, k=k)
    rows = [{"word": bare(p.word), "probability": round(p.probability, 6)} for p in expected.likeliest]
    result = {"text": text, "direction": direction, "predictions": rows, "unknown": round(expected.unknown, 6)}
    lines = [f"{r['probability']:7.2%}  {r['word']}" for r in rows]
    return result, [*lines, f"{expected.unknown:7.2%}  any word outside the vocabulary"]


@command("setup")
def allennlp_setup() -> Answer:
    """Make AllenNLP's own Python 3.10 environment."""
    from ..engines.allennlp_engine import AllenNLPEngine
    from ..engines.allennlp_setup import setup

    folder = setup(note)
    with AllenNLPEngine() as engine:
        versions = engine.ping()
    return {"environment": str(folder), **versions}, f"AllenNLP {versions['allennlp']} is ready in {folder}"


allennlp = group("allennlp", "The second engine, AllenNLP 2.10.1.", commands=(allennlp_setup,))


@command(
    "build",
    option("--corpus", ".txt, .jsonl, .json, .csv or .tsv, as it is or .xz, .gz; .xlsx, .docx, .pdf, .epub", metavar="F", required=True),
    option("--output", "a new folder or an index; with --cluster one all workers see, or a URL (s3://...)", metavar="DIR", required=True),
    TEXT_COLUMN,
    option("--lines", "line breaks: join wrapped lines, keep each as an end, or detect which", choices=LINES, default="detect"),
    flag("--senses", "also store what the sense space needs: 256 bytes per token with the bundled model"),
    CLUSTER,
    *MODEL,
)
def index_build(*, corpus, output, text_column, lines, senses, cluster, model, outputs) -> Answer:
    """Encode a corpus into an index: every token in every layer."""
    from ..elmo.models import open_language_model
    from ..elmo.substitutes import Substitutes
    from ..index.build import build_index, is_index, own_files
    from ..index.table import index_info

    _check_column(corpus, text_column)
    if cluster is not None:
        if "://" not in output:
            outputs.check_file(Path(output) / INDEX, merged=True)
        return _index_on_cluster(corpus, output, text_column, lines, cluster, model, senses=senses)
    outputs.check_folder(output, own_files(), marked=is_index)
    model = open_model(model)
    sentences = read_sentences(Path(corpus), text_column=text_column, lines=lines)
    substitutes = Substitutes(open_language_model(model)) if senses else None
    build_index(sentences, model.encoder, Path(output), model=model.fingerprint, report=progress("tokens"), substitutes=substitutes)
    return _info(index_info(Path(output)))


def _index_on_cluster(corpus, output: str, text_column, lines, cluster: str, options: ModelOptions, *, senses: bool) -> Answer:
    from ..cluster import shards
    from ..cluster.worker_model import name_for_worker

    shards.open_own(output)
    model = open_model(options, cluster=cluster)
    check_is_elmo(model, "--cluster")
    sense_space(SENSES if senses else None, model)  # raises before any work if something is missing
    sentences = read_sentences(Path(corpus), text_column=text_column, lines=lines)
    with cluster_of(cluster) as client:
        how = {"model": name_for_worker(options.model), "model_fingerprint": model.fingerprint, "senses": senses}
        shards.build(client, sentences, output, **how, report=progress("tokens"))
    return _info(shards.info(output))


@command("info", argument("folder", "as made by index build", metavar="DIR"))
def index_info(*, folder) -> Answer:
    """Print the facts of an index."""
    if in_shards(folder):
        from ..cluster.shards import info
    else:
        from ..index.table import index_info as info

    return _info(info(folder))


@command(
    "approximate",
    argument("folder", "as made by index build", metavar="DIR"),
    flag("--senses", "search the sense space of an index built with --senses; name the index's model with --model"),
    *MODEL,
)
def index_approximate(*, folder, senses, model) -> Answer:
    """Make an approximate index, for tables of millions of occurrences."""
    from ..cluster import approximate
    from ..cluster.shards import open_shards

    if senses:
        model = open_model(model)
        index_meta = approximate.build(shards_of(folder, model), sense_space(SENSES, model), report=progress("rows"))
    else:
        index_meta = approximate.build(open_shards(folder), report=progress("rows"))
    text = "{occurrences:,} occurrences in {cells:,} cells, {mb:.1f} MB, made in {seconds:.1f} s"
    return index_meta, text.format(**index_meta, mb=index_meta["bytes"] / 1e6)


def _info(index_meta: dict) -> Answer:
    text = "{occurrences:,} occurrences of {types:,} types, {mb:.1f} MB, made in {seconds:.1f} s ({tokens_per_second:,.0f} tokens/s)"
    return index_meta, text.format(**index_meta, mb=index_meta["bytes"] / 1e6)


index = group("index", "Occurrence tables.", commands=(index_build, index_approximate, index_info))


@command("convert", option("--output", "the new model's folder", metavar="DIR", required=True), *MODEL)
def convert(*, output, model, outputs) -> Answer:
    """Write a model in AllenNLP's format (options.json, weights.hdf5), and its language unless that is English."""
    from ..elmo.weights import HDF5, save_hdf5

    outputs.check_folder(output, HDF5)
    model = open_model(model)
    check_is_elmo(model, "AllenNLP's format")
    with replacing(Path(output), pattern=HDF5) as temporary:
        save_hdf5(model.encoder.model, temporary)
        if model.language.code != ENGLISH:
            write_json(temporary / "meta.json", {"language": model.language.code})
    return {"model": model.name, "output": output}, f"{model.name} in AllenNLP's format: {output}/options.json, weights.hdf5"
