"""The definition of a task: files, examples, network, measure and training recipe.

Each task's module reads its files and defines its network; core.tasks.inputs and core.tasks.heads have what they share.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from torch import Generator

from ..common.errors import BadInput, MissingArtifact
from ..common.i18n import t
from ..common.markup import command, shorten
from ..text.file_lines import ANY_SIZE, iterate_lines

PARTS = ("train", "dev", "test")
Tokens = tuple[str, ...]
Passage = tuple[Tokens, ...]  # the sentences of a text
MADE_BY_HAND = ("srl/", "coref/ontogum")  # joined from several publishers' files: nothing to fetch
VARIANTS = ("baseline", "elmo")  # GloVe and characters; the same and ELMo


@dataclass(frozen=True, slots=True)
class Example:
    """One item to predict: its passages, each a tuple of sentences. `target` and `facts` depend on the task."""

    passages: tuple[Passage, ...]
    target: Any = None
    facts: Any = None  # anything else that a prediction or a scorer needs


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a network that its recipe does not determine; stored in a head's meta.json."""

    labels: tuple[str, ...]
    static_dim: int
    n_layers: int = 0  # 0: without ELMo
    elmo_dim: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRecipe:
    """Everything that determines a run, besides task, variant, data and the fingerprints of frozen inputs."""

    decay: ClassVar[float] = 0.5  # factor of the learning rate on a plateau
    plateau: ClassVar[int] = 2  # epochs without a better score, then the learning rate decays

    hidden: int = 64  # LSTM cells in each direction
    depth: int = 1  # bidirectional LSTMs on top of each other
    character_dim: int = 32  # filters over a word's bytes
    dropout: float = 0.3
    elmo_dropout: float = 0.5  # for the numbers of the layer mix
    output_elmo: bool = False  # a second mix next to the LSTM's states, where the paper found it to help
    epochs: int = 8  # at most
    batch_size: int = 32
    learning_rate: float = 2e-3
    patience: int = 3  # epochs without a better score on the dev set
    clip_norm: float = 5.0
    mix_l2: float = 0.001  # on the mix's scores (Peters et al. 2018, section 3.3)
    train_limit: int = 0  # examples drawn from the training set by the same seed for all runs; 0: all
    dev_limit: int = 0  # examples of the dev set, which only chooses the epoch; 0: all
    test_limit: int = 0
    random_labels: bool = False  # the control: targets of the training set replaced by chance
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task: its data, network, scores and training recipe."""

    name: str
    title: str
    files: Mapping  # train, dev, test -> path in the data folder
    readers: Mapping  # train, dev, test -> its file's reader, Path -> list[Example]
    network: Callable[[Shape, TaskRecipe, Generator | None], Any]
    score: Callable[[Sequence[Example], Sequence], dict[str, float]]
    scrambled: Callable[[Sequence[Example], np.random.Generator], list[Example]]  # for the random-label control
    measure: str  # name of the score, 0 to 1, by which epochs are judged and tasks compared
    recipe: TaskRecipe = field(default_factory=TaskRecipe)
    labels: Callable[[Sequence[Example]], tuple[str, ...]] = lambda examples: ()  # from the training examples
    folds: int = 0  # of documents, which `facts` number: a run's seed chooses the tested one; 0: the files are the split
    tests: Mapping = field(default_factory=dict)  # more test sets by name -> their path
    further: Mapping = field(default_factory=dict)  # more training sets by name -> their path


@dataclass(frozen=True, slots=True)
class Data:
    """A task's examples as a run uses them. `n_available` counts the examples in the files."""

    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    test: tuple[Example, ...]
    n_available: Mapping

    @property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        """Return the distinct sentences of all passages, sorted, for ELMo to read once."""
        passages = [passage for example in (*self.train, *self.dev, *self.test) for passage in example.passages]
        return tuple(sorted({sentence for passage in passages for sentence in passage}))


def sample(examples: Sequence[Example], limit: int) -> tuple[Example, ...]:
    """Return about `limit` of the examples, always the same, in file order; all if there are no more.

    Examples with the same longest passage (questions on a paragraph, predicates of a sentence) are drawn together, so that ELMo reads less
    text for them.
    """
    if not limit or limit >= len(examples):
        return tuple(examples)
    shared: dict[Passage, list[int]] = {}
    for k, example in enumerate(examples):
        shared.setdefault(longest(example), []).append(k)
    groups = list(shared.values())
    numbers = []
    for k in np.random.default_rng(0).permutation(len(groups)).tolist():
        if len(numbers) >= limit:
            break
        numbers += groups[k]
    return tuple(examples[k] for k in sorted(numbers))


def longest(example: Example) -> Passage:
    """Return the longest passage."""
    return max(example.passages, key=lambda passage: sum(map(len, passage)))


def read_data(task: Task, folder: str | Path, recipe: TaskRecipe, *, further: Sequence[str] = ()) -> Data:
    """Read a task's examples from a folder laid out as `data/tasks`; MissingArtifact names a missing file.

    `further` names more training sets; each adds at most as many examples as `recipe` takes of the task's own set.
    """
    every = {part: task.readers[part](file_of(task.title, folder, name)) for part, name in task.files.items()}
    if folds := task.folds:  # of documents: the seed's fold is the test set, the next chooses the epoch
        part_of = {recipe.seed % folds: "test", (recipe.seed + 1) % folds: "dev"}
        every = {part: [e for e in examples if part_of.get(e.facts % folds, "train") == part] for part, examples in every.items()}
    limits = {"train": recipe.train_limit, "dev": recipe.dev_limit, "test": recipe.test_limit}
    read = {part: sample(examples, limits[part]) for part, examples in every.items()}
    n_available = {part: len(examples) for part, examples in every.items()}
    for name in further:
        path = _further_file(task, folder, task.further, name)
        more = task.readers["further"](path)
        read["train"] += sample(more, recipe.train_limit)
        n_available["train"] += len(more)
    if recipe.random_labels:
        read["train"] = tuple(task.scrambled(read["train"], np.random.default_rng([recipe.seed, 1])))
    return Data(**read, n_available=n_available)


def read_test(task: Task, folder: str | Path, name: str) -> Data:
    """Read one of the task's additional test sets, complete, with nothing to train on."""
    path = _further_file(task, folder, task.tests, name)
    examples = tuple(task.readers["further test"](path))
    return Data((), (), examples, {"train": 0, "dev": 0, "test": len(examples)})


def _further_file(task: Task, folder: str | Path, files: Mapping, name: str) -> Path:
    if name not in files:
        values = {"title": task.title, "name": shorten(name), "known": ", ".join(files) or t("none")}
        raise BadInput(t("{title} has no data set {name!r} beside its own. There are: {known}.", **values))
    return file_of(task.title, folder, files[name])


def file_of(title: str, folder: str | Path, name: str) -> Path:
    """Find a data file, packed or not, in the folder or next to it (CoNLL-2000 is shared with other pages); MissingArtifact names it."""
    for place in (Path(folder), Path(folder).parent):
        for path in (place / name, place / name.removesuffix(".xz")):
            if path.is_file():
                return path
    fetch = command("python", "-m", "core", "tasks", "fetch", options=[("data", folder)])
    needed = t("{title} needs {file}, which is not there.", title=title, file=Path(folder) / name)
    if name.startswith(MADE_BY_HAND):
        raise MissingArtifact(f"{needed} {t('Name the folder that holds it.')}")
    raise MissingArtifact(f"{needed} {t('Name the folder that holds it, or fetch it: {command}', command=fetch)}")


def deal_targets(examples: Sequence[Example], random: np.random.Generator) -> list[Example]:
    """Shuffle the targets."""
    order = random.permutation(len(examples)).tolist()
    return [replace(example, target=examples[k].target) for example, k in zip(examples, order, strict=True)]


def sentences_in(path: Path) -> Iterator[list[tuple[int, str]]]:
    """Yield the numbered lines of each sentence, separated by blank lines."""
    for is_blank, lines in groupby(lines_in(path), key=lambda line: not line[1].strip()):
        if not is_blank:
            yield list(lines)


def lines_in(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file, .xz or plain, numbered from 1."""
    for place, line in iterate_lines(path, max_bytes=ANY_SIZE):
        yield place.number, line.rstrip("\r\n")
