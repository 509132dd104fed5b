"""Classifiers: an epoch on frozen layers against ELMo computed for every batch, and the live answer of all heads.

The data set is our own sentences, labeled by the sense of their word; the model has ELMo "small"'s shape and random
weights, for no time depends on what was learned. The epoch is the trainer's own, validation included; only where its layers
come from differs, and the loss must come out the same but for float16.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import median

import numpy as np

from core.classify import tasks
from core.classify.data import Dataset, SplitConfig, make_dataset
from core.classify.inputs import Tokens
from core.classify.model import variant_named
from core.classify.tables import ScoreRow as LabeledText
from core.classify.tables import Table
from core.classify.train import TrainConfig, make_text_fit
from core.common.errors import ElmoscopeError
from core.elmo.models import BUNDLED_MODEL, open_model
from core.engines.allennlp_engine import AllenNLPEngine
from core.engines.allennlp_setup import is_ready
from core.learning.features import Frozen, open_features
from core.static.vectors import open_vectors
from core.tasks import answers
from core.tasks.task import Example
from core.text.tokens import join_tokens
from tests.bench import texts
from tests.bench.engine import LIMIT_S, SMALL, TINY, Files, missing
from tests.bench.measure import Bound, Check, Pair, Row, Setting, figure, milliseconds, paired, timed

TIMES, ANSWER_MS = 30, 150
VARIANT = "elmo"
ROUNDED = 1e-3  # nats: layers on disk are float16, and an epoch's updates add their roundings up
HEADLINES = (  # written for this; none repeats another's nouns, so that each brings spellings that are new
    "Oil climbs past 50 dollars as storm shuts Gulf rigs",
    "Champions held to goalless draw by ten-man visitors",
    "Probe sends first close pictures of Saturn's icy moon",
    "Rebels and ministers sign truce after week of shelling",
    "Chipmaker warns of weak quarter, shares tumble",
    "Sprinter misses final after false start in Athens",
    "Browser flaw lets attackers read passwords, researchers say",
    "Voters queue for hours in capital's first open election",
    "Airline seeks court protection from creditors again",
    "Pitcher throws no-hitter to level the series",
    "Phone firms race to sell music over wireless networks",
    "Aid convoy reaches villages cut off by floods",
    "Regulator fines bank over hidden merger talks",
    "Teenager stuns top seed on clay in straight sets",
    "Telescope spots planet twice the size of Earth",
    "Parliament backs treaty despite farmers' protests",
)


PEOPLE = [
    "Alma",
    "Bela",
    "Clara",
    "Dora",
    "Edith",
    "Flora",
    "Greta",
    "Hanna",
    "Irma",
    "Jutta",
    "Klara",
    "Lotte",
    "Marta",
    "Nora",
    "Olga",
    "Paula",
    "Rosa",
]
TASKS_MS = 300


def rows(setting: Setting) -> Iterator[Row]:
    """The epoch against our engine and against AllenNLP on the fly; then the live answers."""
    dataset = _senses(setting.pick(None, 2))
    files = Files.made(setting.folder / "classify", setting.pick(SMALL, TINY))
    (encoder,) = files.fresh()
    setting.report(f"classify: layers of {len(dataset.texts):,} sentences")
    kept = open_features(dataset.texts, encoder, "random", setting.folder / "features")
    epoch = Epoch(dataset, encoder.n_layers, encoder.dim)
    frozen = timed(lambda: epoch(kept))

    def ours_anew() -> tuple[float, list[float]]:
        (fresh,) = files.fresh()  # knows no word; those it meets in the epoch it keeps, as it does for anyone
        return timed(lambda: epoch(lambda wanted: fresh.encode([list(tokens) for tokens in wanted])))()

    yield _epochs(setting, epoch, "our engine", paired(frozen, ours_anew, setting.pick(5, 1)))
    yield _against_allennlp(setting, epoch, files, frozen)
    yield _live(setting)
    yield _answers(setting)


class Epoch:
    """One epoch of a fresh run: layers function -> [training loss, validation loss]."""

    def __init__(self, dataset: Dataset, n_layers: int, dim: int) -> None:
        self.dataset, self.sizes = dataset, {"n_layers": n_layers, "elmo_dim": dim}

    def __call__(self, layers: Callable[[Sequence[Tokens]], list[np.ndarray]]) -> list[float]:
        frozen = Frozen(layers=layers, facts={"model": "random"}, **self.sizes)
        trainer = make_text_fit(variant_named(VARIANT), self.dataset, TrainConfig(epochs=1), frozen)
        *_, last = trainer.run()
        return [last.loss, last.measures["valid_loss"]]


def _senses(n_words: int | None) -> Dataset:
    """Our labeled sentences of the first n words (all, if None), the sense as label."""
    result = [(s.tokens, s.targets[0]) for s in texts.labeled() if s.targets and s.targets[0].sense]
    words = sorted({target.lemma for _, target in result})[:n_words]
    table = [LabeledText(join_tokens(list(t)), f"{x.lemma}: {x.sense}") for t, x in result if x.lemma in words]
    return make_dataset("senses", Table("sentences", tuple(table), ("text",), "sense"), SplitConfig())


def _epochs(setting: Setting, epoch: Epoch, who: str, pair: Pair) -> Row:
    data, (train, valid) = epoch.dataset, zip(pair.ours_result, pair.peer_result, strict=True)
    losses = Check(what="losses of the epoch, nats", difference=max(abs(a - b) for a, b in (train, valid)), limit=ROUNDED)
    tokens = sum(len(example.tokens) for part in (data.train, data.valid) for example in part)
    return setting.row(
        "classify",
        f"an epoch on frozen layers, against {who} for every batch",
        ours=figure("ours, layers from disk", pair.ours, "s"),
        peer=figure(f"{who} on the fly", pair.peer, "s"),
        ratio=pair.times_faster(),
        bound=Bound(text=f"at least {TIMES} x", number=TIMES),
        checks=[losses],
        sizes=f"{len(data.train):,} sentences to train on, {len(data.valid):,} to validate, {tokens:,} tokens, "
        f"{len(data.labels)} senses, batches of {TrainConfig().batch_size}, variant {VARIANT}",
    )


def _against_allennlp(setting: Setting, epoch: Epoch, files: Files, frozen) -> Row:
    """Measure the same with layers from AllenNLP, without the time that its pipe takes."""
    if not is_ready():
        bound = Bound(text=f"at least {TIMES} x", number=TIMES)
        return setting.not_run("classify", "an epoch on frozen layers, against AllenNLP for every batch", missing(), bound)
    with AllenNLPEngine() as engine:
        piped = [0.0]

        def layers(wanted: Sequence[Tokens]) -> list[np.ndarray]:
            started = time.perf_counter()
            sentences, settings = [list(tokens) for tokens in wanted], {"threads": setting.threads, "timeout_s": LIMIT_S}
            result = engine.embed(sentences, files.options, files.weights, **settings)
            piped[0] += time.perf_counter() - started - result.seconds
            return result.layers

        def theirs() -> tuple[float, list[float]]:
            piped[0] = 0.0
            seconds, losses = timed(lambda: epoch(layers))()
            return seconds - piped[0], losses

        return _epochs(setting, epoch, "AllenNLP", paired(frozen, theirs, setting.pick(2, 1), warm_up=False))


def _live(setting: Setting) -> Row:
    """All variants on headlines that the encoder has not seen, heads and models open and warm."""
    bound = Bound(text=f"median under {ANSWER_MS} ms", number=ANSWER_MS, of="ours", at_least=False)
    what = "live answer of all variants on one headline"
    if not tasks.head_folders("news-title"):
        return setting.not_run("classify", what, "not run here: no head for news-title; run: python -m core.lab train-heads", bound)
    try:
        model, vectors = open_model(BUNDLED_MODEL), open_vectors("glove-mini")
        opened = tasks.open_heads(tasks.task_named("news-title"), model=model, vectors=vectors)
    except ElmoscopeError as error:
        return setting.not_run("classify", what, f"not run here: {error}", bound)
    seconds = []
    for number, text in enumerate((HEADLINES[0], *HEADLINES)):
        once = timed(lambda text=text: tasks.classify_text(opened, text, model=model, vectors=vectors))()[0]
        seconds += [once] if number > 1 else []  # the first is asked twice, and counted not at all
    return setting.row(
        "classify",
        what,
        ours=milliseconds("ours", seconds),
        bound=bound,
        sizes=f"{len(opened.heads)} variants, {len(seconds)} headlines once each: {', '.join(opened.heads)}",
        left_out=list(opened.problems),
    )


def _answers(setting: Setting) -> Row:
    """Every task of the ELMo paper asked of one sentence that the encoder has not seen, both heads of each, open and warm."""
    bound = Bound(text=f"median under {TASKS_MS} ms", number=TASKS_MS, of="ours", at_least=False)
    what = "live answers of all tasks on one sentence"
    model, vectors = open_model(BUNDLED_MODEL), open_vectors("glove-mini")
    if not (opened := answers.open_tasks(model, vectors)):
        return setting.not_run("classify", what, "not run here: no head; run: python -m core.lab tasks", bound)
    seconds, processor = [], []
    for number, (item, other) in enumerate(pairwise(PEOPLE)):
        examples = _asked(f"{item} told {other} in Lisbon that she had sold the house near the harbour", opened)
        started = time.process_time()
        took = timed(lambda every=examples: [answers.ask(opened[name], e, model, vectors) for name, e in every.items()])()[0]
        if number:  # the first is counted not at all
            seconds.append(took)
            processor.append(time.process_time() - started)
    heads = sum(len(opened[name].heads) for name in examples)
    message = f"{len(examples)} tasks, {heads} heads, {len(seconds)} sentences; processor {1000 * median(processor):.0f} ms"
    return setting.row("classify", what, ours=milliseconds("ours", seconds), bound=bound, sizes=message)


def _asked(sentence: str, opened: dict[str, answers.OpenTask]) -> dict[str, Example]:
    mentions = answers.mentioned(sentence)
    every = {name: answers.sentence_example(name, sentence) for name in ("names", "chunks", "speech")}
    every |= {
        "roles": answers.with_predicate(answers.sentence_example("roles", sentence), 1),
        "entailment": answers.pair_example(sentence, "Somebody sold a house."),
        "coreference": mentions.example(mentions.pronouns[0]),
        "questions": answers.question_example("Who sold the house?", sentence),
    }
    return {name: example for name, example in every.items() if name in opened}
