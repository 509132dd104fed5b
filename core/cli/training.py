"""Commands `pretrain` and `glove`: train a model or vectors."""

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np

from ..common.errors import BadInput
from ..files import atomic
from ..files.artifacts import read_json, short, text_fingerprint
from ..files.registry import resolve
from ..text import languages
from .options import CLUSTER, DEVICE, Answer, command, finite, flag, option, whole
from .shared import cluster_of, note, open_static

COUNTED = r"\d{6,}-[0-9a-f]{16}\.(chunk|counts)\.npz"  # what a cluster has counted, as core.cluster.worker_model names it
TOPICS = ("words", "around", "bag")
TEXT = (
    option("--corpus", "text, one sentence per line; .xz and .gz read directly", metavar="F", required=True, many=True),
    option("--language", "what the text is read as: a code of core.text.languages", metavar="L", default="en"),
    option("--hold-out", "share of the lines to hold out for measuring, chosen by a hash of each", metavar="S", type=finite, default=0.0),
)


@command(
    "pretrain",
    *TEXT,
    option("--output", "checkpoints, log, and in the end DIR/model", metavar="DIR", required=True),
    flag("--resume", "continue from DIR's checkpoints"),
    option("--valid", "held-out text for the validation perplexity", metavar="F"),
    DEVICE,
    option("--start-vectors", "static vectors to start from (a registry name or a file)", metavar="V"),
    option("--start-model", "a trained biLM to continue from, in its shape", metavar="M"),
    option("--tokens", "tokens to train on in all", type=int, default=8_000_000),
    option("--table-share", "share of the tokens seen before the char-CNN joins", type=finite, default=0.8),
    option("--hidden", "LSTM cell size", type=int, default=1024),
    option("--projection", "output size of the char-CNN and of each direction", type=int, default=128),
    option("--vocabulary", "words in the softmax", type=int, default=50000),
    option("--batch-tokens", "tokens per step", type=int, default=2048),
    option("--negatives", "words sampled for the softmax at each step", type=int, default=3072),
    option("--topic", "weight of a loss that makes states keep the topic", type=finite, default=0.0),
    option("--topic-target", "what it predicts: words ahead, around, or a bag of those ahead", choices=TOPICS, default="words"),
    option("--topic-reach", "how many tokens away it looks", type=int, default=10),
    option("--seed", "of every random choice", type=whole(0), default=0),
    option("--threads", "processor threads (default: as torch chooses)", type=whole(0, 1024), default=0),
    text="corpus language hold_out valid",
    start="start_vectors start_model",
    network="hidden projection table_share device threads",
    steps="tokens vocabulary batch_tokens negatives topic topic_target topic_reach seed",
)
def pretrain(*, output, resume, text, start, network, steps, outputs) -> Answer:
    """Train a biLM on text; resumes from its checkpoints."""
    import torch

    from ..common.config import MINI
    from ..common.device import choose
    from ..training import recipe
    from ..training.data import read_lines
    from ..training.trainer import PretrainConfig

    choose(network.device)
    language = languages.get_language(text.language)
    if text.valid and not any(language.tokenize(line) for line in read_lines(text.valid)):  # now, not hours later
        raise BadInput(f"{text.valid} holds no words to measure the perplexity on.")
    if network.threads:
        torch.set_num_threads(network.threads)
    if not 0 < network.table_share < 1:
        raise BadInput(f"--table-share must lie between 0 and 1, got {network.table_share}.")
    steps = replace(steps, negatives=min(steps.negatives, steps.vocabulary))
    filters = language.filters or MINI.filters
    training = recipe.Recipe(
        files=tuple(Path(f) for f in text.corpus),
        valid=Path(text.valid) if text.valid else None,
        hold_out=0.0 if text.valid else text.hold_out,
        language=language.code,
        processes=1 if network.threads == 1 else 2,
        shape=replace(MINI, hidden=network.hidden, projection=network.projection, filters=filters),
        config=PretrainConfig(**asdict(steps), warmup_steps=200, learning_rate=1.2e-3),
        table_share=network.table_share,
        device=choose(network.device).type,
    )
    atomic.check_replaceable(output, ".*" if resume else recipe.OWN)
    model = Path(output) / "model"
    if resume or not model.exists():  # else the message names the training that is there
        outputs.check_folder(model, recipe.MODEL)
    training, warm_up = _started(training, start)
    how = {"resume": resume, "report": lambda event: note(next(recipe.progress_lines(iter([event]))))}
    folder = recipe.run(training, Path(output), start=warm_up, **how)
    return {"model": str(folder), **read_json(folder / "meta.json")}, f"The model is in {folder}"


def _started(training, start):
    """Return the recipe of a training that starts from a model or from vectors, and the function that initializes its trainer."""
    from ..learning.features import vectors_fingerprint
    from ..training import warm_start

    if start.start_model and start.start_vectors:
        raise BadInput("--start-model brings its own words: leave out --start-vectors.")
    if start.start_model:
        return _go_on(start.start_model, training)
    if not start.start_vectors:
        return training, None
    vectors = open_static(start.start_vectors)
    needed, projection = vectors.dim + 3, training.shape.projection
    if needed > projection:
        raise BadInput(f"--start-vectors of {vectors.dim} numbers need --projection {needed} or more, got {projection}.")
    words = list(vectors.words[:200_000])
    warm_up = partial(warm_start.copy_vectors, words=words, vectors=np.stack([vectors.vector(w) for w in words]))
    return replace(training, start=f"vectors {vectors_fingerprint(vectors)}"), warm_up


def _go_on(name: str, training):
    """Return the recipe with the shape of a trained model, and the function that initializes a trainer from it."""
    from ..elmo.models import model_fingerprint
    from ..elmo.weights import find_files, load_bilm, load_softmax, read_options
    from ..training.warm_start import go_on_from

    folder = resolve(name, "model")
    softmax = load_softmax(folder)
    if softmax is None:
        raise BadInput(f"--start-model {name} has no softmax to start from. Name a model that predicts words, such as elmo-mini.")
    start = partial(go_on_from, model=load_bilm(folder), softmax=softmax[0], vocabulary=softmax[1])
    words = text_fingerprint(softmax[1].words)
    return replace(training, shape=read_options(find_files(folder)[0]), start=f"model {model_fingerprint(folder)} {short(words)}"), start


@command(
    "glove",
    *TEXT,
    option("--output", "the folder of vectors", metavar="DIR", required=True),
    option("--work", "where prepared text and checkpoints are stored (default: next to the output)", metavar="DIR"),
    option("--processes", "processes that read the corpus (default 2)", type=whole(1, 64), default=2),
    CLUSTER,
    option("--epochs", "passes over the counts (default 20)", type=int, default=20),
    option("--dim", "numbers in a vector (default 100)", type=int, default=100),
    text="corpus language hold_out",
)
def glove(*, text, output, work, processes, cluster, epochs, dim, outputs) -> Answer:
    """Train GloVe vectors on text."""
    from ..static.glove import FILES, GloveConfig, count_pairs, is_glove, train_glove
    from ..training.data import prepare

    output = Path(output)  # "gl/" is gl
    outputs.check_folder(output, FILES, marked=is_glove)
    work = Path(work) if work else output.with_name(f"{output.name}-work")
    counts = work / "counts"
    if cluster is not None:
        atomic.check_replaceable(counts, COUNTED)
    how = {"language": text.language, "hold_out": text.hold_out, "processes": processes}
    prepared = prepare([Path(f) for f in text.corpus], work / "prepared", note, **how)
    config = GloveConfig(dim=dim, epochs=epochs)
    with cluster_of(cluster) as client:
        if client is not None:
            from ..cluster.worker_model import counter

            count_pairs = counter(client, str(counts.absolute()))
        folder = train_glove(prepared, output, config, note, work=work, count=count_pairs)
    if cluster is not None:
        atomic.remove_own_files(counts, COUNTED)
    return {"vectors": str(folder), **read_json(folder / "meta.json")}, f"The vectors are in {folder}"
