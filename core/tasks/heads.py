"""The tasks by name, and their heads: trained networks, their folders (core.learning.folders, weights as float16) and their training.

A folder contains no word of the data: words are read by GloVe's list and by their bytes. Training uses Adam, a rate that halves on a plateau,
and early stopping on the dev set. An interrupted training resumes with equal results.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from ..common.device import seeded
from ..common.i18n import say, t
from ..common.markup import check_choice
from ..elmo.models import Model
from ..files.artifacts import provenance, text_fingerprint
from ..learning import folders
from ..learning.features import Frozen, Layers, Report, freeze_each
from ..learning.fit import Fit, batches_by_length, learned_mixes, of_like_lengths
from ..static.vectors import StaticVectors
from . import coreference, entailment, questions, roles, spans
from .inputs import PassageBatch, flat, make_texts
from .task import PARTS, Data, Example, Shape, Task, TaskRecipe, longest

FILES = r"weights\.safetensors|meta\.json"  # as core.files.atomic names them
FORM = folders.Form("elmoscope-task-head", 1, "python -m core tasks train --help", (folders.WEIGHTS,))
AT_ONCE = 32  # examples in a batch of answers


@dataclass
class TaskHead:
    """A trained network. `meta` records how it was made: data, recipe, curve, scores."""

    task: Task
    variant: str
    shape: Shape
    recipe: TaskRecipe
    network: nn.Module
    meta: dict

    def predictions(self, examples: Sequence[Example], vectors: StaticVectors, layers: Layers | None) -> list:
        """Return the prediction of each example, in order. Examples of similar length share a batch."""
        self.network.eval()
        answers: list = [None] * len(examples)
        lengths = [sum(len(sentence) for passage in example.passages for sentence in passage) for example in examples]
        for numbers in of_like_lengths(lengths, AT_ONCE):
            batch = [examples[k] for k in numbers]
            texts = make_batch(batch, vectors, layers if self.shape.n_layers else None)
            for k, answer in zip(numbers, self.said(texts, batch), strict=True):
                answers[k] = answer
        return answers

    def said(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list:
        """Return the prediction of each example of one batch. A head without ELMo does not use the layers."""
        with torch.inference_mode():
            return self.network.predictions(texts, examples)


def make_batch(examples: Sequence[Example], vectors: StaticVectors, layers: Layers | None) -> list:
    """Return one padded batch for each passage of the examples."""
    return [make_texts(side, vectors, layers) for side in zip(*(example.passages for example in examples), strict=True)]


def save_head(head: TaskHead, folder: str | Path) -> Path:
    """Write the folder atomically, replacing an existing one."""
    arrays = {name: tensor.half().contiguous().numpy(force=True) for name, tensor in head.network.state_dict().items()}
    fields = {"task": head.task.name, "variant": head.variant, "shape": asdict(head.shape), "recipe": asdict(head.recipe)}
    return folders.save(folder, FORM, arrays, fields, head.meta)


def load_head(folder: str | Path, *, model: str | None = None, vectors: str | None = None) -> TaskHead:
    """Load the head of a folder that is complete and fits; `model` and `vectors` are the current fingerprints."""
    folder = Path(folder)
    with folders.opened(folder, FORM) as (meta, arrays):
        task = task_named(meta["task"])
        shape = Shape(**meta["shape"] | {"labels": tuple(map(str, meta["shape"]["labels"]))})
        folders.check_made_with(folder, meta, model if shape.n_layers else None, vectors)
        recipe = TaskRecipe(**meta["recipe"])
        network = task.network(shape, recipe, None)
        network.load_state_dict({name: torch.from_numpy(array).float() for name, array in arrays.items()})
        return TaskHead(task, meta["variant"], shape, recipe, network.eval(), meta)


def freeze(variant: str, data: Data, model: Model | None, vectors: StaticVectors, *, report: Report | None = None) -> Frozen:
    """Return the vectors, and with ELMo the layers of all sentences, from disk or computed now."""
    return freeze_each({variant: (True, variant == "elmo")}, data.sentences, model, vectors, report=report)[variant]


def make_fit(task: Task, variant: str, data: Data, recipe: TaskRecipe, frozen: Frozen) -> Fit:
    """Return a run, which depends only on the seed, even if it is interrupted and resumed."""
    return Fit(TaskJob(task, variant, data, recipe, frozen), recipe, higher_is_better=True)


class TaskJob:
    """The training job of a task's network, scored by the task's measure on the dev set."""

    def __init__(self, task: Task, variant: str, data: Data, recipe: TaskRecipe, frozen: Frozen) -> None:
        self.task, self.variant, self.data, self.recipe, self.frozen = task, variant, data, recipe, frozen
        self.generator = seeded(recipe.seed)
        self.shape = Shape(task.labels(data.train), frozen.vectors.dim, frozen.n_layers, frozen.elmo_dim)
        self.network = task.network(self.shape, recipe, self.generator)
        parts = [task.name, variant, data_fingerprint(data), asdict(recipe), frozen.facts]
        self.key = text_fingerprint([json.dumps(parts, sort_keys=True)])[:16]

    def batches(self, epoch: int) -> list[list[int]]:
        """Return an epoch's batches of examples of similar length. Examples with the same longest passage stay together."""
        random = np.random.default_rng([self.recipe.seed, epoch])
        passages = list(map(longest, self.data.train))
        noise = {passage: 3 * random.random() for passage in dict.fromkeys(passages)}
        lengths = np.array([sum(map(len, passage)) + noise[passage] for passage in passages])
        return batches_by_length(lengths, self.recipe.batch_size, random)

    def loss(self, numbers: Sequence[int]) -> Tensor:
        """Return the loss of one batch, a scalar."""
        examples = [self.data.train[k] for k in numbers]
        return self.network.loss(make_batch(examples, self.frozen.vectors, self.frozen.layers), examples)

    def measure(self) -> dict[str, float]:
        """Return the task's measure on the dev set."""
        return {"score": self._scores(self.data.dev)[self.task.measure]}

    def finish(self, history: list[dict], epochs: int, seconds: float) -> TaskHead:
        """Return the head, rounded as it is stored and scored on the test set."""
        head = self.head()
        with torch.no_grad():
            for tensor in self.network.state_dict().values():
                tensor.copy_(tensor.half())
        head.meta = provenance(
            data=data_fingerprint(self.data),
            sizes={part: len(getattr(self.data, part)) for part in PARTS},
            whole=dict(self.data.n_available),
            **self.frozen.facts,
            mixes=learned_mixes(self.network),
            curve=history,
            epochs=epochs,
            seconds=round(seconds, 1),
            parameters=sum(p.numel() for p in self.network.parameters()),
            dev=self._scores(self.data.dev),
            test=self._scores(self.data.test),
        )
        return head

    def _scores(self, examples: Sequence[Example]) -> dict[str, float]:
        return self.task.score(examples, self.head().predictions(examples, self.frozen.vectors, self.frozen.layers))

    def head(self) -> TaskHead:
        """Return the head of the current network."""
        return TaskHead(self.task, self.variant, self.shape, self.recipe, self.network, {})


def data_fingerprint(data: Data) -> str:
    """Return sha256, 64 hex digits, of every example's tokens, target and split."""
    cells = []
    for part in PARTS:
        for example in getattr(data, part):
            cells += [part, repr(example.target), *(token for passage in example.passages for token in flat(passage))]
    return text_fingerprint(cells)


_OF_PAPER = (questions.TASK, entailment.TASK, roles.TASK, coreference.TASK, spans.NAMES)
_OTHERS = (spans.WIKIGOLD, spans.CHUNKS, spans.SPEECH, coreference.CLUSTERS)
TASKS: dict[str, Task] = {task.name: task for task in (*_OF_PAPER, *_OTHERS)}


def task_named(name: str) -> Task:
    """Return a task by name. Raises BadInput for an unknown name."""
    check_choice(t("task"), name, TASKS)
    return TASKS[name]


def task_titles() -> dict[str, str]:
    """Return the titles of TASKS in the user's language."""
    return {name: say(task.title) for name, task in TASKS.items()}


def measure_titles() -> dict[str, str]:
    """Return the name of each task's measure, within a sentence, in the user's language."""
    return {
        "questions": t("F1 of the answers’ words"),
        "entailment": t("accuracy"),
        "roles": t("F1 of the arguments"),
        "coreference": t("F1 of the names"),
        "names": t("F1 of the names"),
        "wikigold": t("F1 of the names"),
        "chunks": t("F1 of the chunks"),
        "speech": t("accuracy"),
        "clusters": t("CoNLL F1, mentions given"),
    }
