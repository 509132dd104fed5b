"""Tiny files of every task, and a tiny model and vectors."""

import lzma
from pathlib import Path

import pytest

from core.elmo.models import Model
from core.static.vectors import StaticVectors
from tests.tiny import tiny_encoder, tiny_vectors, write_task_files


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    folder = write_task_files(tmp_path_factory.mktemp("tasks"))
    packed = folder / "qa" / "xquad_en.json.xz"  # as a fetched file, which is not packed
    packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
    packed.unlink()
    return folder


@pytest.fixture(scope="session")
def given(tmp_path_factory) -> tuple[Model, StaticVectors]:
    return Model("tiny", tmp_path_factory.mktemp("model"), tiny_encoder(), "f" * 16), tiny_vectors()
