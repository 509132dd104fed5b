"""Tiny files of every task, and a tiny model and vectors."""

from pathlib import Path

import pytest

from core.elmo.models import Model
from core.static.vectors import StaticVectors
from tests.tiny import tiny_encoder, tiny_vectors, write_task_files


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    return write_task_files(tmp_path_factory.mktemp("tasks"))


@pytest.fixture(scope="session")
def given(tmp_path_factory) -> tuple[Model, StaticVectors]:
    return Model("tiny", tmp_path_factory.mktemp("model"), tiny_encoder(), "f" * 16), tiny_vectors()
