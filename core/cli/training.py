"""`pretrain` and `glove`: a model or vectors, trained here."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from core.cli.shared import cluster_of, note
from core.common.device import choose
from core.common.errors import BadInput
from core.files import ours
from core.files.artifacts import read_json, short, text_fingerprint
from core.files.registry import resolve
from core.static.vectors import open_vectors
from core.text import languages

COUNTED = r"\d{6,}-[0-9a-f]{16}\.(chunk|counts)\.npz"  # what a cluster has counted, as core.cluster.glove_counts names it


def pretrain(args) -> tuple[dict, str]:
    import torch

    from core.classify.tasks import vectors_fingerprint
    from core.common.config import MINI
    from core.training import recipe, warm_start
    from core.training.data import read_lines
    from core.training.trainer import PretrainConfig

    choose(args.device)
    language = languages.named(args.language)
    if args.valid and not any(language.tokenize(line) for line in read_lines(args.valid)):  # said now, not hours later
        raise BadInput(f"{args.valid} holds no words to measure the perplexity on.")
    if args.threads:
        torch.set_num_threads(args.threads)
    if not 0 < args.table_share < 1:
        raise BadInput(f"--table-share must lie between 0 and 1, got {args.table_share}.")
    sizes = {
        "tokens": args.tokens,
        "vocabulary": args.vocabulary,
        "batch_tokens": args.batch_tokens,
        "negatives": min(args.negatives, args.vocabulary),
        "topic": args.topic,
        "topic_target": args.topic_target,
        "topic_reach": args.topic_reach,
    }
    made = recipe.Recipe(
        files=tuple(Path(f) for f in args.corpus),
        valid=Path(args.valid) if args.valid else None,
        hold_out=0.0 if args.valid else args.hold_out,
        language=language.code,
        processes=1 if args.threads == 1 else 2,
        shape=replace(MINI, hidden=args.hidden, projection=args.projection, filters=language.filters or MINI.filters),
        config=PretrainConfig(**sizes, seed=args.seed, warmup_steps=200, learning_rate=1.2e-3),
        table_share=args.table_share,
        device=choose(args.device).type,
    )
    ours.check_place(args.output)
    if args.start_model and args.start_vectors:
        raise BadInput("--start-model brings its own words: leave out --start-vectors.")
    start = None
    if args.start_model:
        made, start = _go_on(args.start_model, made)
    elif args.start_vectors:
        vectors = open_vectors(args.start_vectors)
        if vectors.dim > args.projection - 3:
            raise BadInput(f"--start-vectors of {vectors.dim} numbers need --projection {vectors.dim + 3} or more, got {args.projection}.")
        words = list(vectors.words[:200_000])
        start = partial(warm_start.start_from, words=words, vectors=np.stack([vectors.vector(w) for w in words]))
        made = replace(made, start=f"vectors {vectors_fingerprint(vectors)}")
    folder = recipe.run(
        made, Path(args.output), start=start, resume=args.resume, report=lambda event: note(next(recipe.progress_lines(iter([event]))))
    )
    return {"model": str(folder), **read_json(folder / "meta.json")}, f"The model is in {folder}"


def _go_on(name: str, made):
    """The recipe with the shape of a trained model, and what starts a trainer from it."""
    from core.elmo.models import model_fingerprint
    from core.elmo.weights import find_files, load_bilm, load_softmax, read_options
    from core.training.warm_start import go_on_from

    folder = resolve(name, "model")
    softmax = load_softmax(folder)
    if softmax is None:
        raise BadInput(f"--start-model {name} has no softmax to go on from. Name a model that predicts words, such as elmo-mini.")
    start = partial(go_on_from, model=load_bilm(folder), softmax=softmax[0], vocabulary=softmax[1])
    words = text_fingerprint(softmax[1].words)
    return replace(made, shape=read_options(find_files(folder)[0]), start=f"model {model_fingerprint(folder)} {short(words)}"), start


def glove(args) -> tuple[dict, str]:
    from core.static.glove import GloveConfig, check_vectors, count_pairs, train_glove
    from core.training.data import prepare

    output = Path(args.output)  # "gl/" is gl
    check_vectors(output)
    work = Path(args.work) if args.work else output.with_name(f"{output.name}-work")
    counts = work / "counts"
    if args.cluster is not None:
        ours.check_replaceable(counts, COUNTED)
    how = {"language": args.language, "hold_out": args.hold_out, "processes": args.processes}
    prepared = prepare([Path(f) for f in args.corpus], work / "prepared", note, **how)
    config = GloveConfig(dim=args.dim, epochs=args.epochs)
    with cluster_of(args) as client:
        count = count_pairs if client is None else _counter(client, counts)
        folder = train_glove(prepared, output, config, note, work=work, count=count)
    if args.cluster is not None:
        ours.remove_own(counts, COUNTED)
    return {"vectors": str(folder), **read_json(folder / "meta.json")}, f"The vectors are in {folder}"


def _counter(client, folder: Path):
    from core.cluster.glove_counts import counter

    return counter(client, str(folder.absolute()))
