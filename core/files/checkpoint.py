"""A training run's state on disk: plain tensors in one file, written beside and renamed, so that a cut leaves the old one whole.

`Resumable` is what the trainers of heads share: epochs with early stopping that go on, to the bit, where they were cut.
"""

import contextlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.common.config import cache_folder
from core.common.errors import CorruptArtifact, MissingArtifact
from core.common.i18n import t
from core.files.atomic import replacing

MISFITS = (RuntimeError, KeyError, IndexError, TypeError, AttributeError, ValueError)


def write(path: Path, state: dict) -> None:
    """Keep `state`: tensors (of any device, read again as the processor's), numbers, texts, and lists and dicts of them."""
    import torch

    with replacing(path) as temporary:
        torch.save(_here(state), temporary)


def _here(state):
    """The same with its tensors in the processor's memory."""
    if isinstance(state, dict):
        return {name: _here(value) for name, value in state.items()}
    if isinstance(state, list | tuple):
        return type(state)(_here(value) for value in state)
    return state.cpu() if hasattr(state, "cpu") else state


@contextmanager
def read(path: Path) -> Iterator[dict]:
    """What `write` kept, read as plain tensors in the processor's memory, never unpickled into objects; it is taken over inside the `with`.

    MissingArtifact if there is none (any more); CorruptArtifact if the file is damaged, or does not fit what takes it over: a
    ValueError raised there says why.
    """
    import torch

    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise MissingArtifact(t("There is no file {path}. Check its name, or make it again.", path=path)) from None
    except Exception as error:  # what is no checkpoint can make it raise almost anything
        kind = type(error).__name__
        raise CorruptArtifact(
            t("{path} is not a readable checkpoint ({kind}). Move it away to begin anew.", path=path, kind=kind)
        ) from None
    try:
        yield state
    except MISFITS as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise CorruptArtifact(t("The checkpoint {path} does not fit this run: {reason}.", path=path, reason=reason)) from None


class Resumable:
    """A run in whole epochs: its parts' state, its counters, its best network so far. A trainer sets them in its `__init__`.

    `_epoch()` yields its progress a step, `key` names all that decides the run.
    """

    PARTS = ("network", "optimizer", "scheduler")
    network: Any
    optimizer: Any
    scheduler: Any
    epochs: int  # at most
    patience: int  # epochs without a better one, then training ends
    key: str

    def _begin(self, epochs: int, patience: int) -> None:
        self.epochs, self.patience = epochs, patience
        self.epoch, self.since_best, self.seconds = 0, 0, 0.0
        self.best: dict = {}  # the network's tensors after its best epoch
        self.history: list[dict] = []  # every epoch's progress

    @property
    def done(self) -> bool:
        return self.epoch >= self.epochs or self.since_best >= self.patience

    def run(self, stop: Callable[[], bool] = lambda: False) -> Iterator:
        """Train on; `stop` is asked after every step and ends the run with the best kept. Save after whole epochs."""
        while not self.done:
            for progress in self._epoch():
                yield progress
                if stop():
                    return

    def _end_epoch(self, measure: float, is_best: bool) -> None:
        self.scheduler.step(measure)
        self.since_best = 0 if is_best else self.since_best + 1
        if is_best:
            self.best = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        self.epoch += 1

    def save(self, path: Path) -> None:
        """Checkpoint after whole epochs."""
        state = {name: getattr(self, name).state_dict() for name in self.PARTS}
        counters = [self.epoch, self.since_best, self.seconds]
        write(path, state | {"best": self.best, "counters": counters, "history": json.dumps(self.history), "run": self.key})

    def load(self, path: Path) -> None:
        """Go on from `save`'s file; CorruptArtifact if it is damaged or of another run."""
        with read(path) as state:
            if state["run"] != self.key:
                raise ValueError(t("it is of other data, another configuration, or another model"))
            for name in self.PARTS:
                getattr(self, name).load_state_dict(state[name])
            self.best, self.history = state["best"], json.loads(state["history"])
            self.epoch, self.since_best, self.seconds = state["counters"]


def resumed(trainer, ends_epoch: Callable[[Any], bool], stop: Callable[[], bool] = lambda: False) -> Iterator:
    """A trainer's progress to the end, going on from where the same run was cut before: it is kept in the cache after every epoch.

    `ends_epoch` tells the progress of a whole epoch from a step's.
    """
    path = cache_folder() / "training" / f"{trainer.key}.pt"
    if path.is_file():
        with contextlib.suppress(MissingArtifact):  # the same run, started twice, may end meanwhile
            trainer.load(path)
    for progress in trainer.run(stop):
        if ends_epoch(progress):
            path.parent.mkdir(parents=True, exist_ok=True)
            trainer.save(path)
        yield progress
    if trainer.done:
        path.unlink(missing_ok=True)
