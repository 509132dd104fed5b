"""A trained head of a task and its folder (core.learning.folders), with weights as float16.

It contains no word of the data: words are read by GloVe's list and by their bytes.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from ..learning import folders
from ..learning.features import Layers
from ..learning.fit import of_like_lengths
from ..static.vectors import StaticVectors
from .catalog import task_named
from .inputs import PassageBatch, make_texts
from .task import Example, Shape, Task, TaskRecipe

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
        for numbers in of_like_lengths([sum(len(s) for p in example.passages for s in p) for example in examples], AT_ONCE):
            batch = [examples[k] for k in numbers]
            texts = make_batch(batch, vectors, layers if self.shape.n_layers else None)
            for k, answer in zip(numbers, self.said(texts, batch), strict=True):
                answers[k] = answer
        return answers

    def said(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list:
        """Return the prediction of each example of one batch. A head without ELMo does not use the layers."""
        with torch.inference_mode():
            return self.network.predictions(texts, examples)

    def round(self) -> None:
        """Change all weights to what they will be when loaded again, so that scores are those of the stored head."""
        with torch.no_grad():
            for tensor in self.network.state_dict().values():
                tensor.copy_(tensor.half())


def make_batch(examples: Sequence[Example], vectors: StaticVectors, layers: Layers | None) -> list:
    """Return one padded batch for each passage of the examples."""
    return [make_texts(side, vectors, layers) for side in zip(*(example.passages for example in examples), strict=True)]


def save_head(head: TaskHead, folder: str | Path) -> Path:
    """Write the folder as a whole and replace an existing one."""
    arrays = {name: tensor.half().contiguous().numpy(force=True) for name, tensor in head.network.state_dict().items()}
    fields = {"task": head.task.name, "variant": head.variant, "shape": asdict(head.shape), "recipe": asdict(head.recipe)}
    return folders.save(folder, FORM, arrays, fields, head.meta)


def load_head(folder: str | Path, *, model: str | None = None, vectors: str | None = None) -> TaskHead:
    """Load the head of a folder that is complete and fits; `model` and `vectors` are the current fingerprints."""
    return folders.load(folder, FORM, _built, lambda meta: (True, bool(meta["shape"]["n_layers"])), model=model, vectors=vectors)


def _built(_: Path, meta: dict, arrays: dict[str, np.ndarray]) -> TaskHead:
    task = task_named(meta["task"])
    shape = Shape(**meta["shape"] | {"labels": tuple(map(str, meta["shape"]["labels"]))})
    recipe = TaskRecipe(**meta["recipe"])
    network = task.network(shape, recipe, None)
    network.load_state_dict({name: torch.from_numpy(array).float() for name, array in arrays.items()})
    return TaskHead(task, meta["variant"], shape, recipe, network.eval(), meta)
