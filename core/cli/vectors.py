"""`embed` and `predict`: arguments in, (JSON result, text for people) out."""

import time
from pathlib import Path

import numpy as np

from core.cli.shared import cluster_of, note, open_model, progress, spread_model
from core.common.config import FLOAT32
from core.common.errors import BadInput
from core.elmo.models import Model, allennlp_files, open_language_model
from core.files import ours
from core.files.artifacts import check_fits, parse_json, replacing
from core.text import languages
from core.text.sentences import read_sentences
from core.text.tokens import bare, split_sentences

BATCH = r"[0-9a-f]{64}\.npy"  # what a cluster has encoded, as core.cluster.worker_model names it


def embed(args) -> tuple[dict, str]:
    if not args.output.endswith(".npz"):
        raise BadInput(f"--output must end in .npz, got '{args.output}'.")
    if not 1 <= args.batch_size <= 100_000:
        raise BadInput(f"--batch-size must be between 1 and 100,000, got {args.batch_size}.")
    if args.cluster is not None and (args.stateful or args.engine == "allennlp"):
        raise BadInput("--cluster spreads sentences that know nothing of each other: leave out --stateful and --engine allennlp.")
    if args.precision != FLOAT32 and (args.cluster is not None or args.engine == "allennlp"):
        raise BadInput(f"--precision {args.precision} is of this process and of our engine: leave out --cluster and --engine allennlp.")
    parts = Path(f"{args.output}.parts")
    if args.cluster is not None:
        ours.check_replaceable(parts, BATCH)
    model = open_model(args, precision=args.precision)
    sentences = _read_embed_input(Path(args.input), args.stateful)
    started = time.perf_counter()
    arrays = _embed_allennlp(args, model, sentences) if args.engine == "allennlp" else _embed_ours(args, model, sentences)
    seconds = time.perf_counter() - started
    with replacing(Path(args.output)) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)
    if args.cluster is not None:
        ours.remove_own(parts, BATCH)
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


def _embed_ours(args, model: Model, sentences: list) -> dict[str, np.ndarray]:
    if args.stateful:
        streams = model.encoder.encode_streams(sentences)
        return {f"{s}/{k}": array for s, stream in enumerate(streams) for k, array in enumerate(stream)}
    model.encoder.batch_tokens = args.batch_size * 128
    with cluster_of(args) as client:
        encoder = spread_model(model, client, store=str(Path(f"{args.output}.parts").absolute())).encoder
        return {str(k): array for k, array in enumerate(encoder.encode(sentences, report=progress("tokens")))}


def _embed_allennlp(args, model: Model, sentences: list) -> dict[str, np.ndarray]:
    from core.engines.allennlp_engine import AllenNLPEngine

    options, weights = allennlp_files(model)
    with AllenNLPEngine() as engine:
        answer = engine.embed(sentences, options, weights, stateful=args.stateful, batch_size=args.batch_size, timeout_s=3600.0)
    note(f"AllenNLP: {answer.seconds:.2f} s to compute, {answer.load_seconds:.2f} s to read the weights")
    if args.stateful:
        return {f"{s}/{k}": array for s, stream in enumerate(answer.layers) for k, array in enumerate(stream)}
    return {str(k): array for k, array in enumerate(answer.layers)}


def predict(args) -> tuple[dict, str]:
    model = open_language_model(open_model(args))
    sentences = split_sentences(args.text) or [""]
    tokens = languages.tokenize(sentences[0] if args.direction == "backward" else sentences[-1])
    backward = args.direction == "backward"
    predictions = model.predict(tokens, backward=backward, k=args.k)
    unknown = model.unknown_probability(tokens, backward=backward)
    rows = [{"word": bare(p.word), "probability": round(p.probability, 6)} for p in predictions]
    result = {"text": args.text, "direction": args.direction, "predictions": rows, "unknown": round(unknown, 6)}
    lines = [f"{r['probability']:7.2%}  {r['word']}" for r in rows]
    return result, "\n".join([*lines, f"{unknown:7.2%}  any word outside the vocabulary"])


def allennlp_setup(args) -> tuple[dict, str]:
    from core.engines import allennlp_engine as allennlp

    folder = allennlp.setup(note)
    with allennlp.AllenNLPEngine() as engine:
        versions = engine.ping()
    return {"environment": str(folder), **versions}, f"AllenNLP {versions['allennlp']} is ready in {folder}"
