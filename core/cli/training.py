"""Commands `pretrain`, `glove` and `tasks`: train a model, vectors, and the heads of the ELMo paper's tasks."""

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np

from ..common.config import cache_folder
from ..common.errors import BadInput, MissingArtifact
from ..common.i18n import t
from ..files import atomic, published
from ..files.artifacts import read_json, short, text_fingerprint
from ..files.registry import model_files, resolve
from ..text import languages
from .options import CLUSTER, DEVICE, MODEL_AND_VECTORS, Answer, command, finite, flag, group, option, whole
from .shared import cluster_of, epoch_notes, fetch_files, mix_text, note, open_both, open_static, progress

COUNTED = r"\d{6,}-[0-9a-f]{16}\.(chunk|counts)\.npz"  # counts written by a cluster, as core.cluster.worker_model names them
WORK = r"checkpoint\.pt|prepared(/.*)?|counts(/.*)?"  # what `glove` stores in its work folder
TEXT = (
    option(
        "--corpus", "text, one sentence of at most 60 tokens per line; .xz and .gz read directly", metavar="F", required=True, many=True
    ),
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
    option("--hidden", "LSTM cell size (default 1024)", type=int),
    option("--projection", "output size of the char-CNN and of each direction (default 128)", type=int),
    option("--vocabulary", "words in the softmax", type=int, default=50000),
    option("--batch-tokens", "tokens per step", type=int, default=2048),
    option("--negatives", "words sampled for the softmax at each step", type=int, default=3072),
    option("--seed", "seed of every random choice", type=whole(0), default=0),
    option("--threads", "processor threads (default: as torch chooses)", type=whole(0, 1024), default=0),
    text="corpus language hold_out valid",
    start="start_vectors start_model",
    network="hidden projection table_share device threads",
    steps="tokens vocabulary batch_tokens negatives seed",
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
    sizes = {name: size for name in ("hidden", "projection") if (size := getattr(network, name)) is not None}
    training = recipe.Recipe(
        files=tuple(Path(f) for f in text.corpus),
        valid=Path(text.valid) if text.valid else None,
        hold_out=0.0 if text.valid else text.hold_out,
        language=language.code,
        processes=1 if network.threads == 1 else 2,
        shape=replace(MINI, filters=language.filters or MINI.filters, **sizes),
        config=PretrainConfig(**asdict(steps), warmup_steps=200, learning_rate=1.2e-3),
        table_share=network.table_share,
        device=choose(network.device).type,
    )
    atomic.check_replaceable(output, ".*" if resume else recipe.OWN)
    model = Path(output) / "model"
    if resume or not model.exists():  # else the message names the training that is there
        outputs.check_folder(model, recipe.MODEL)
    training, warm_up = _started(training, start, sizes)
    folder = recipe.run(training, Path(output), start=warm_up, resume=resume, report=lambda event: note(recipe.progress_line(event)))
    return {"model": str(folder), **read_json(folder / "meta.json")}, f"The model is in {folder}"


def _started(training, start, sizes: dict[str, int]):
    """Return the recipe of a training that starts from a model or from vectors, and the function that initializes its trainer."""
    from ..learning.features import vectors_fingerprint
    from ..training import warm_start

    if start.start_model and start.start_vectors:
        raise BadInput("--start-model brings its own words: leave out --start-vectors.")
    if start.start_model:
        return _go_on(start.start_model, training, sizes)
    if not start.start_vectors:
        return training, None
    vectors = open_static(start.start_vectors)
    needed, projection = vectors.dim + 3, training.shape.projection
    if needed > projection:
        raise BadInput(f"--start-vectors of {vectors.dim} numbers need --projection {needed} or more, got {projection}.")
    words = list(vectors.words[:200_000])
    warm_up = partial(warm_start.copy_vectors, words=words, vectors=np.stack([vectors.vector(w) for w in words]))
    return replace(training, start=f"vectors {vectors_fingerprint(vectors)}"), warm_up


def _go_on(name: str, training, sizes: dict[str, int]):
    """Return the recipe with the shape of a trained model, and the function that initializes a trainer from it."""
    from ..elmo.models import model_fingerprint
    from ..elmo.weights import load_bilm, load_softmax, read_options
    from ..training.warm_start import copy_model

    folder = resolve(name, "model")
    softmax = load_softmax(folder)
    if softmax is None:
        raise BadInput(f"--start-model {name} has no softmax to start from. Name a model that predicts words, such as elmo-mini.")
    shape = read_options(model_files(folder)[0])
    if wrong := [f"--{key}, which is {getattr(shape, key)} there" for key, size in sizes.items() if size != getattr(shape, key)]:
        raise BadInput(f"--start-model {name} has a shape: leave out {wrong[0]}.")
    start = partial(copy_model, model=load_bilm(folder), softmax=softmax[0], vocabulary=softmax[1])
    words = text_fingerprint(softmax[1].words)
    return replace(training, shape=shape, start=f"model {model_fingerprint(folder)} {short(words)}"), start


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
    from ..training.data import prepare
    from ..training.glove import FILES, GloveConfig, count_pairs, is_glove, train_glove

    config = GloveConfig(dim=dim, epochs=epochs)
    languages.get_language(text.language)  # before the work folder is made
    output = Path(output)  # "gl/" is gl
    outputs.check_folder(output, FILES, marked=is_glove)
    work = Path(work) if work else output.with_name(f"{output.name}-work")
    atomic.check_replaceable(work, WORK)
    counts = work / "counts"
    if cluster is not None:
        atomic.check_replaceable(counts, COUNTED)
    how = {"language": text.language, "hold_out": text.hold_out, "processes": processes}
    prepared = prepare([Path(f) for f in text.corpus], work / "prepared", note, **how)
    with cluster_of(cluster) as client:
        if client is not None:
            from ..cluster.worker_model import counter

            count_pairs = counter(client, str(counts.absolute()))
        folder = train_glove(prepared, output, config, note, work=work, count=count_pairs)
    if cluster is not None:
        atomic.remove_own_files(counts, COUNTED)
    return {"vectors": str(folder), **read_json(folder / "meta.json")}, f"The vectors are in {folder}"


# core.tasks.heads, which imports torch
PAPER_TASKS = ("questions", "entailment", "roles", "coreference", "names", "wikigold", "chunks", "speech", "clusters")
DATA = option("--data", "holds ner/, entailment/, srl/, coref/, qa/, conll2000/", metavar="FOLDER", required=True)
HEAD = (
    option("--task", ", ".join(PAPER_TASKS), metavar="T", choices=PAPER_TASKS, required=True),
    option("--variant", "GloVe and characters, or ELMo next to them", choices=("baseline", "elmo"), default="elmo"),
    DATA,
)
ONLY = option("--only", "default: all", metavar="T", choices=PAPER_TASKS, many=True, default=PAPER_TASKS)


@command(
    "train",
    *HEAD,
    option("--further", "also train on these: reddit, amazon (questions)", metavar="SET", many=True),
    option("--seed", "seed of every random choice (default 0)", metavar="S", type=whole(0), default=0),
    option("--epochs", "at most (default: the task's own)", metavar="N", type=whole(1, 1000)),
    flag("--random-labels", "control run: training labels drawn at random"),
    option("--limit-train", "examples of the train set (0: all; default: the task's own)", metavar="N", type=whole(0)),
    option("--limit-test", "examples of the test set (0: all; default: the task's own)", metavar="N", type=whole(0)),
    option("--output", "save the head as DIR/TASK/VARIANT (default: the cache)", metavar="DIR"),
    *MODEL_AND_VECTORS,
    recipe="seed epochs random_labels limit_train limit_test",
)
def train(*, task, variant, data, further, recipe, output, vectors, model, outputs) -> Answer:
    """Train a task's head and score it on the test set; resumes where it stopped."""
    from ..learning.fit import forget
    from ..tasks import results as measured
    from ..tasks.heads import FILES, freeze, save_head, task_named
    from ..tasks.task import read_data

    task = task_named(task)
    chosen = {"epochs": recipe.epochs, "train_limit": recipe.limit_train, "test_limit": recipe.limit_test}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    recipe = replace(task.recipe, seed=recipe.seed, random_labels=recipe.random_labels, **chosen)
    root = Path(output) if output else cache_folder() / "task-heads"
    if not recipe.random_labels:
        outputs.check_folder(root / task.name / variant, FILES)
    data = read_data(task, data, recipe, further=further)
    model, vectors = open_both(model, vectors, model=variant == "elmo")
    frozen = freeze(variant, data, model, vectors, report=progress("layers, tokens"))
    head = measured.train_one(task, variant, recipe, data, frozen, watch=task_notes())
    if not recipe.random_labels:
        note(f"saved in {save_head(head, root / task.name / variant)}")
    forget(head.meta["key"])
    result = measured.entry(head)
    return result, _line(result)


@command(
    "evaluate",
    *HEAD,
    option("--test", "another test set instead of the task's own: xquad (questions)", metavar="SET"),
    option("--heads", "folder of heads, as DIR/TASK/VARIANT (default: the cache, then assets)", metavar="DIR"),
    *MODEL_AND_VECTORS,
)
def evaluate(*, task, variant, data, test, heads, vectors, model) -> Answer:
    """Score a trained head on the test set."""
    from ..learning.features import vectors_fingerprint
    from ..tasks import results as measured
    from ..tasks.heads import freeze, load_head, task_named
    from ..tasks.task import read_data, read_test

    task = task_named(task)
    roots = [Path(heads)] if heads else [cache_folder() / "task-heads", measured.FOLDER]
    places = [place for root in roots if ((place := root / task.name / variant) / "meta.json").is_file()]
    if not places:
        values = {"task": task.name, "variant": variant}
        raise MissingArtifact(t("No trained head for {task}, {variant}. Train it: python -m core tasks train --help", **values))
    model, vectors = open_both(model, vectors, model=variant == "elmo")
    fits = {"model": model.fingerprint if model else None, "vectors": vectors_fingerprint(vectors)}
    head = load_head(places[0], **fits)
    data = read_test(task, data, test) if test else read_data(task, data, head.recipe)
    frozen = freeze(variant, data, model, vectors, report=progress("layers, tokens"))
    scores = task.score(data.test, head.predictions(data.test, vectors, frozen.layers))
    values = {"task": task.name, "variant": variant, "head": str(places[0]), "test": scores, "n": len(data.test)}
    return values, f"{task.name}, {variant}: {_scores(scores)} ({len(data.test):,} examples, {places[0]})"


@command("fetch", option("--data", "where to keep them (default: data/tasks in the cache)", metavar="FOLDER"), ONLY)
def fetch(*, data, only) -> Answer:
    """Download the tasks' data sets from their publishers; sizes and checksums are checked, existing files stay."""
    from ..tasks.entailment import unpack
    from ..tasks.heads import task_named
    from ..tasks.task import MADE_BY_HAND

    folders = set()
    for name in only:
        paths = task_named(name).files.values()
        if any(path.startswith(MADE_BY_HAND) for path in paths):
            note(f"{name}: nothing to fetch: its files are joined from several publishers', see core/tasks/README.md")
        else:
            folders |= {path.partition("/")[0] for path in paths}
    names = [name for name in published.TASK_FILES if name.partition("/")[0] in folders]
    folder = Path(data) if data else published.fetched_folder() / "tasks"
    return fetch_files(names, published.TASK_FILES, folder, lambda path: unpack(path) if path.suffix == ".zip" else ())


def task_notes():
    """Return a function that notes the epochs of a head's training."""
    return epoch_notes(lambda measures: f"dev {measures['score']:.2%}")


def _line(result: dict) -> str:
    measured = f"{result['task']}, {result['variant']}: {_scores(result['test'])}, {result['seconds']:.0f} s"
    return "; ".join([measured, *(f"{where}: {mix_text(mix)}" for where, mix in result["mixes"].items())])


def _scores(scores: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2%}" for name, value in scores.items() if isinstance(value, float))


tasks = group("tasks", "The tasks of the ELMo paper, with and without ELMo.", commands=(fetch, train, evaluate))
