"""What each command does: arguments in, (JSON result, text for people) out. Progress goes to stderr."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from core import languages, workbench
from core.artifacts import check_fits, parse_json, replacing
from core.config import FLOAT32
from core.corpus import read_sentences
from core.device import CPU, choose
from core.errors import BadInput
from core.recut import with_word
from core.text import bare, find_word, join_tokens, split_sentences


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def progress(what: str):
    """A reporter (done, in all, per second) that writes a line to stderr at most every other second."""
    last = [time.monotonic()]

    def report(done: int, total: int, speed: float | None = None) -> None:
        if time.monotonic() - last[0] > 2 or done >= total:
            last[0] = time.monotonic()
            left = f", {(total - done) / speed:.0f} s left" if speed else ""
            note(f"{what}: {done:,} of {total:,}" + (f", {speed:,.0f} a second" if speed else "") + left)

    return report


def open_model(args, precision: str = FLOAT32) -> workbench.Model:
    """The model that was asked for; text is from now on read as its language."""
    device = getattr(args, "device", CPU)
    if choose(device).type != CPU and (getattr(args, "cluster", None) or getattr(args, "engine", "") == "allennlp"):
        raise BadInput(f"--device {device} is of this process and of our engine: leave out --cluster and --engine allennlp.")
    given = {"precision": precision, "device": device, "allow_download": args.download, "report": _download_progress}
    model = workbench.open_model(args.model, **given)
    languages.use(model.language.code)
    return model


def _download_progress(event) -> None:
    note(f"{event.done / 1e6:,.1f} of {(event.total or 0) / 1e6:,.1f} MB")


@contextmanager
def cluster_of(args) -> Iterator[Any]:
    """A client of the cluster that --cluster names, or None where it names none."""
    if getattr(args, "cluster", None) is None:
        yield None
        return
    from core.cluster.work import connected

    with connected(args.cluster) as client:
        dashboard = f"; dashboard: {client.dashboard_link}" if find_spec("bokeh") else ""  # what draws it is not required
        note(f"cluster of {sum(client.nthreads().values())} threads{dashboard}")
        yield client


def spread_model(model: workbench.Model, client, *, store: str | None = None) -> workbench.Model:
    """The model with its encoder's batches spread over a cluster; itself where there is none."""
    if client is None:
        return model
    from dataclasses import replace

    from core.cluster.model import SpreadEncoder

    return replace(model, encoder=SpreadEncoder(model.encoder, client, model.fingerprint, store=store))


def embed(args) -> tuple[dict, str]:
    if not args.output.endswith(".npz"):
        raise BadInput(f"--output must end in .npz, got '{args.output}'.")
    if not 1 <= args.batch_size <= 100_000:
        raise BadInput(f"--batch-size must be between 1 and 100,000, got {args.batch_size}.")
    if args.cluster is not None and (args.stateful or args.engine == "allennlp"):
        raise BadInput("--cluster spreads sentences that know nothing of each other: leave out --stateful and --engine allennlp.")
    if args.precision != FLOAT32 and (args.cluster is not None or args.engine == "allennlp"):
        raise BadInput(
            f"--precision {args.precision} is of this process and of our engine: leave out --cluster and --engine allennlp."
        )
    model = open_model(args, precision=args.precision)
    sentences = _read_embed_input(Path(args.input), args.stateful)
    started = time.perf_counter()
    arrays = _embed_allennlp(args, model, sentences) if args.engine == "allennlp" else _embed_ours(args, model, sentences)
    seconds = time.perf_counter() - started
    with replacing(Path(args.output)) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)
    shutil.rmtree(f"{args.output}.parts", ignore_errors=True)  # what a cluster had encoded
    tokens = sum(array.shape[1] for array in arrays.values())
    result = {"model": model.name, "sentences": len(arrays), "tokens": tokens, "seconds": round(seconds, 4)}
    return result, f"{len(arrays):,} sentences, {tokens:,} tokens in {seconds:.2f} s -> {args.output}"


def _read_embed_input(path: Path, stateful: bool) -> list:
    if path.suffix == ".txt":
        if stateful:
            raise BadInput("--stateful needs a .json list of equally long streams of token lists.")
        return [list(s.tokens) for s in read_sentences(path, split=False)]
    if path.suffix != ".json":
        raise BadInput(f"--input must be a .json or .txt file, got '{path.name}'.")
    check_fits(path, 1 << 30)
    try:
        data = parse_json(path.read_bytes())
    except ValueError as error:
        raise BadInput(f"{path} cannot be read: {error}.") from None
    streams = data if stateful else [data]
    if not isinstance(data, list) or not all(isinstance(stream, list) for stream in streams):
        raise BadInput(f"{path} must hold a list of {'streams of ' if stateful else ''}token lists.")
    return [[_tokens(s, path) for s in stream] for stream in streams] if stateful else [_tokens(s, path) for s in data]


def _tokens(sentence, path: Path) -> list[str]:
    """A token list, or text whose tokens are separated by single spaces (as the published golden files)."""
    if isinstance(sentence, str):
        return sentence.split(" ") if sentence else []
    if not isinstance(sentence, list) or not all(isinstance(token, str) for token in sentence):
        raise BadInput(f"{path} must hold lists of tokens (strings), found: {str(sentence)[:60]}")
    return sentence


def _embed_ours(args, model: workbench.Model, sentences: list) -> dict[str, np.ndarray]:
    if args.stateful:
        streams = model.encoder.encode_streams(sentences)
        return {f"{s}/{k}": array for s, stream in enumerate(streams) for k, array in enumerate(stream)}
    model.encoder.batch_tokens = args.batch_size * 128
    with cluster_of(args) as client:
        encoder = spread_model(model, client, store=str(Path(f"{args.output}.parts").absolute())).encoder
        return {str(k): array for k, array in enumerate(encoder.encode(sentences, report=progress("tokens")))}


def _embed_allennlp(args, model: workbench.Model, sentences: list) -> dict[str, np.ndarray]:
    from core.elmo.allennlp import AllenNLPEngine

    options, weights = workbench.allennlp_files(model)
    with AllenNLPEngine() as engine:
        found = engine.embed(sentences, options, weights, stateful=args.stateful, batch_size=args.batch_size, timeout_s=3600.0)
    note(f"AllenNLP: {found.seconds:.2f} s to compute, {found.load_seconds:.2f} s to read the weights")
    if args.stateful:
        return {f"{s}/{k}": array for s, stream in enumerate(found.layers) for k, array in enumerate(stream)}
    return {str(k): array for k, array in enumerate(found.layers)}


def find_neighbours(args) -> tuple[dict, str]:
    from core import neighbours

    model = open_model(args)
    tokens = languages.tokenize(args.sentence)
    if model.language.tokeniser != "words":  # 배도 is cut where 배 is asked for, even if the analyser took it for one noun
        tokens = with_word(tokens, args.word)
    position = _position(tokens, args.word, args.position)
    weights = workbench.layer_weights(args.layer, model.encoder.n_layers, args.weights)
    query = neighbours.make_query(model.encoder, tokens, position)
    which = neighbours.OTHER if args.other_words else neighbours.ANY
    corpus = args.corpus or model.language.sentences
    if args.cluster is not None or args.approximate or _in_shards(corpus):
        found = _nearest_in_shards(args, corpus, model, query, weights, which)
    else:
        table = workbench.open_table(corpus, model, report=progress("indexing, tokens"))
        found = neighbours.nearest(table, neighbours.products(table.rows, query), weights, k=args.k, which=which)
    rows = [
        {
            "word": bare(n.occurrence.tokens[n.occurrence.position]),
            "sentence": join_tokens(list(n.occurrence.tokens)),
            "position": n.occurrence.position,
            "sense": n.occurrence.sense,
            "cosine": round(n.cosine, 6),
        }
        for n in found
    ]
    asked = {
        "word": args.word,
        "sentence": args.sentence,
        "tokens": tokens,
        "position": position,
        "layer": args.layer,
        "weights": weights.tolist(),
    }
    lines = [f"{row['cosine']:.3f}  {row['word']:<14} {row['sense'] or '':<22} {row['sentence']}" for row in rows]
    return {"query": asked, "neighbours": rows}, "\n".join(lines) or "No neighbours."


def _in_shards(where: str) -> bool:
    """Whether it names an index in shards (told without Dask, which takes a second to import)."""
    return "://" in where or (Path(where) / "index.json").is_file()


def _nearest_in_shards(args, corpus: str, model: workbench.Model, query, weights, which: str) -> list:
    from core.cluster import approximate, search
    from core.cluster.index import open_shards

    where = corpus if _in_shards(corpus) else workbench.open_table(corpus, model, report=progress("indexing, tokens")).folder
    shards = open_shards(where)
    if shards.meta.get("model") != model.fingerprint:
        raise BadInput(f"The index {where} was made with another model than {model.name}. Name its model, or build it again.")
    if args.approximate:
        return approximate.nearest(shards, query, weights, k=args.k, which=which)
    with cluster_of(args) as client:
        return search.nearest(shards, query, weights, k=args.k, which=which, client=client)


def _position(tokens: list[str], word: str, given: int | None) -> int:
    places = find_word(tokens, word)
    if given is not None:
        if given not in places:
            at = f"'{tokens[given]}'" if 0 <= given < len(tokens) else "no token"
            raise BadInput(
                f"Token {given} of the sentence is {at}, not '{word}'. '{word}' stands at: {', '.join(map(str, places)) or 'nowhere'}."
            )
        return given
    if not places:
        raise BadInput(f"'{word}' is not a token of the sentence. Its tokens: {' '.join(tokens)[:300] or '(none)'}")
    if len(places) > 1:
        note(f"'{word}' stands at {', '.join(map(str, places))}; taking the first. Choose with --position.")
    return places[0]


def static_neighbours(args) -> tuple[dict, str]:
    vectors = workbench.open_vectors(args.vectors, allow_download=args.download, report=note)
    found = vectors.neighbours(args.word, args.k)
    rows = [{"word": bare(n.word), "cosine": round(n.cosine, 6)} for n in found]
    return {"word": args.word, "neighbours": rows}, "\n".join(f"{r['cosine']:.3f}  {r['word']}" for r in rows)


def predict(args) -> tuple[dict, str]:
    model = workbench.open_language_model(open_model(args))
    sentences = split_sentences(args.text) or [""]
    tokens = languages.tokenize(sentences[0] if args.direction == "backward" else sentences[-1])
    found = model.predict(tokens, backward=args.direction == "backward", k=args.k)
    rows = [{"word": bare(p.word), "probability": round(p.probability, 6)} for p in found]
    result = {"text": args.text, "direction": args.direction, "predictions": rows}
    return result, "\n".join(f"{r['probability']:7.2%}  {r['word']}" for r in rows)


def index_build(args) -> tuple[dict, str]:
    from core.occurrences import build_index, index_info

    if args.cluster is not None:
        return _index_on_cluster(args)
    check_replaceable(Path(args.output))
    model = open_model(args)
    sentences = read_sentences(Path(args.corpus), text_column=args.text_column)
    build_index(sentences, model.encoder, Path(args.output), model=model.fingerprint, report=progress("tokens"))
    return _info(index_info(Path(args.output)))


def _index_on_cluster(args) -> tuple[dict, str]:
    from core.cluster import index
    from core.cluster.model import named

    model = open_model(args)
    sentences = read_sentences(Path(args.corpus), text_column=args.text_column)

    def report(done) -> None:
        speed = f"{done.tokens_per_s:,.0f} tokens a second, {done.seconds_left:.0f} s left"
        note(f"shards: {done.shards_done:,} of {done.shards:,}, {speed}")

    with cluster_of(args) as client:
        fingerprint = model.fingerprint
        index.build(client, sentences, args.output, model=named(args.model), model_fingerprint=fingerprint, report=report)
    return _info(index.info(args.output))


def check_replaceable(folder: Path) -> None:
    """An index takes its folder's place as a whole: only another index may be lost by that."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "occurrences.arrow").is_file():
        raise BadInput(f"{folder} holds other files, which an index would replace. Name a new folder.")


def index_info(args) -> tuple[dict, str]:
    if _in_shards(args.folder):
        from core.cluster.index import info
    else:
        from core.occurrences import index_info as info

    return _info(info(args.folder))


def index_approximate(args) -> tuple[dict, str]:
    from core.cluster import approximate
    from core.cluster.index import open_shards

    facts = approximate.build(open_shards(args.folder), report=progress("rows"))
    size = f"{facts['occurrences']:,} occurrences in {facts['cells']:,} cells, {facts['bytes'] / 1e6:.1f} MB"
    return facts, f"{size}, made in {facts['seconds']:.1f} s"


def _info(facts: dict) -> tuple[dict, str]:
    text = f"{facts['occurrences']:,} occurrences of {facts['types']:,} types, {facts['bytes'] / 1e6:.1f} MB, made in {facts['seconds']:.1f} s ({facts['tokens_per_second']:,.0f} tokens/s)"
    return facts, text
