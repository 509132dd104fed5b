"""What each command does: arguments in, (JSON result, text for people) out. Progress goes to stderr."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from core import workbench
from core.artifacts import check_fits, parse_json, replacing
from core.corpus import read_sentences
from core.errors import BadInput
from core.text import find_word, join_tokens, split_sentences, tokenize


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


def open_model(args) -> workbench.Model:
    return workbench.open_model(args.model, allow_download=args.download, report=_download_progress)


def _download_progress(event) -> None:
    note(f"{event.done / 1e6:,.1f} of {(event.total or 0) / 1e6:,.1f} MB")


def embed(args) -> tuple[dict, str]:
    if not args.output.endswith(".npz"):
        raise BadInput(f"--output must end in .npz, got '{args.output}'.")
    if not 1 <= args.batch_size <= 100_000:
        raise BadInput(f"--batch-size must be between 1 and 100,000, got {args.batch_size}.")
    sentences = _read_embed_input(Path(args.input), args.stateful)
    model = open_model(args)
    started = time.perf_counter()
    arrays = _embed_allennlp(args, model, sentences) if args.engine == "allennlp" else _embed_ours(args, model, sentences)
    seconds = time.perf_counter() - started
    with replacing(Path(args.output)) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)
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
    return {str(k): array for k, array in enumerate(model.encoder.encode(sentences, report=progress("tokens")))}


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

    tokens = tokenize(args.sentence)
    position = _position(tokens, args.word, args.position)
    model = open_model(args)
    weights = workbench.layer_weights(args.layer, model.encoder.n_layers, args.weights)
    table = workbench.open_table(args.corpus, model, report=progress("indexing, tokens"))
    query = neighbours.make_query(model.encoder, tokens, position)
    which = neighbours.OTHER if args.other_words else neighbours.ANY
    found = neighbours.nearest(table, neighbours.products(table.rows, query), weights, k=args.k, which=which)
    rows = [
        {
            "word": n.occurrence.tokens[n.occurrence.position],
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
    rows = [{"word": n.word, "cosine": round(n.cosine, 6)} for n in found]
    return {"word": args.word, "neighbours": rows}, "\n".join(f"{r['cosine']:.3f}  {r['word']}" for r in rows)


def predict(args) -> tuple[dict, str]:
    model = workbench.open_language_model(open_model(args))
    sentences = split_sentences(args.text) or [""]
    tokens = tokenize(sentences[0] if args.direction == "backward" else sentences[-1])
    found = model.predict(tokens, backward=args.direction == "backward", k=args.k)
    rows = [{"word": p.word, "probability": round(p.probability, 6)} for p in found]
    result = {"text": args.text, "direction": args.direction, "predictions": rows}
    return result, "\n".join(f"{r['probability']:7.2%}  {r['word']}" for r in rows)


def index_build(args) -> tuple[dict, str]:
    from core.occurrences import build_index, index_info

    sentences = read_sentences(Path(args.corpus), text_column=args.text_column)
    check_replaceable(Path(args.output))
    model = open_model(args)
    build_index(sentences, model.encoder, Path(args.output), model=model.fingerprint, report=progress("tokens"))
    return _info(index_info(Path(args.output)))


def check_replaceable(folder: Path) -> None:
    """An index takes its folder's place as a whole: only another index may be lost by that."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "occurrences.arrow").is_file():
        raise BadInput(f"{folder} holds other files, which an index would replace. Name a new folder.")


def index_info(args) -> tuple[dict, str]:
    from core.occurrences import index_info as info

    return _info(info(Path(args.folder)))


def _info(facts: dict) -> tuple[dict, str]:
    text = f"{facts['occurrences']:,} occurrences of {facts['types']:,} types, {facts['bytes'] / 1e6:.1f} MB, made in {facts['seconds']:.1f} s ({facts['tokens_per_second']:,.0f} tokens/s)"
    return facts, text
