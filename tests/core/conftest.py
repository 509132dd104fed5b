"""Fixtures of many tests of core: the bundled model and its table, a workspace, and a tiny data set."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.common import reports
from core.common.errors import STOPPED, JobEnded
from core.elmo.encoder import Encoder
from core.elmo.models import BUNDLED_MODEL, Model, open_model
from core.index.sense_space import SenseSpace
from core.index.table import OccurrenceTable
from core.index.tables import open_table
from core.text.corpora import BUNDLED_CORPUS
from core.workspace import Names, Workspace, open_workspace
from tests.tiny import Dataset, Frozen, dataset, frozen, tiny_encoder


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model(BUNDLED_MODEL)


@pytest.fixture(scope="module")
def table(model) -> OccurrenceTable:
    """The labeled words of the bundled sentences."""
    return open_table(BUNDLED_CORPUS, model, targets_only=True).basic


@pytest.fixture(scope="module")
def space(model) -> SenseSpace:
    return open_workspace(model).sense_space


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return open_workspace()


@pytest.fixture
def one_opener(workspace: Workspace, monkeypatch) -> None:
    """Let commands open models and texts in the module's workspace instead of opening them each."""

    def opened(model: str | Model = BUNDLED_MODEL, vectors: str = "", corpus: str = "", **_) -> Workspace:
        return Workspace(Names(model=getattr(model, "name", model), vectors=vectors, corpus=corpus), workspace.opener)

    monkeypatch.setattr("core.workspace.open_workspace", opened)


@pytest.fixture(scope="session")
def data() -> Dataset:
    return dataset()


@pytest.fixture(scope="session")
def parts() -> Frozen:
    return frozen()


@pytest.fixture
def counted() -> tuple[Encoder, list[list[list[str]]]]:
    """A tiny encoder, and the sentences of each of its calls."""
    encoder, calls = tiny_encoder(), []
    encode = encoder.encode
    encoder.encode = lambda sentences: calls.append(sentences) or encode(sentences)
    return encoder, calls


@pytest.fixture
def steps_until_stopped():
    """Return a function that reads a path in a job which is stopped at its nth step, and returns how many steps it took."""

    def read(n: int, reader: Callable[[Path], object], path: Path) -> int:
        steps = []

        def stop(step: int) -> None:
            steps.append(step)
            if len(steps) == n:
                raise JobEnded(STOPPED, "Stopped.")

        with reports.watch_steps(stop), pytest.raises(JobEnded):
            reader(path)
        return len(steps)

    return read
