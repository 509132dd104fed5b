"""Frozen layers count in the cap on disk, are refused before they are written, and give way, but never under a training's feet."""

import contextlib
import gc
import os
import resource
import shutil
import subprocess
import sys
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.cluster import approximate
from core.cluster.shards import open_shards
from core.common.errors import BadInput
from core.elmo.weights import save_hdf5, save_safetensors
from core.files.artifacts import write_checkpoint, write_json
from core.files.disk_space import LAST_USE, hold, layers_folder, make_room
from core.files.quotas import VISITS
from core.files.user_names import store
from core.index.build import build_index
from core.index.tables import check_room, index_plan
from core.learning import folders
from core.learning.features import open_features
from core.text.sentences import Sentence
from core.training.glove import save_glove
from tests.tiny import tiny_encoder

ROW = 2 * (8 + 2 * 16)  # bytes of a token: float16, P = 8, two layers of 2P
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(scope="module")
def encoder():
    return tiny_encoder()


def texts(n: int, mark: str = "w") -> list[tuple[str, ...]]:
    return [(f"{mark}{k}", "the", "x", "y") for k in range(n)]


def fill(folder: Path, n_bytes: int) -> None:
    folder.mkdir(parents=True)
    (folder / "some").write_bytes(bytes(n_bytes))


def test_layers_that_pass_the_cap_or_the_disk_are_refused_before_any_is_computed(encoder, private_cache, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    fill(private_cache / "indexes" / "one", 960_000)
    wanted = texts(200)  # 64,000 bytes
    with monkeypatch.context() as patched:
        patched.setattr(encoder, "encode", lambda *_: pytest.fail("computed"))
        with pytest.raises(BadInput, match=r"needs 0\.1 MB; all texts use 1\.0 of 1 MB\. Delete one"):
            open_features(wanted, encoder, "a" * 64, layers_folder())
        patched.setattr(shutil, "disk_usage", lambda place: Usage(10**9, 10**9 - 10_000, 10_000))
        with pytest.raises(BadInput, match=r"needs [\d,]+ bytes of disk; 10,000 bytes are free\. Free space"):
            open_features(wanted[:100], encoder, "a" * 64, layers_folder())
    assert not list(layers_folder().rglob("*.npy"))
    assert len(open_features(wanted[:100], encoder, "a" * 64, layers_folder())(wanted[:100])) == 100


def test_the_longest_unused_layers_give_way_and_those_in_use_stay(encoder, private_cache, monkeypatch):
    stores = [open_features(texts(60, mark), encoder, "a" * 64, layers_folder()) for mark in "abc"]
    folders, in_use = [store.folder for store in stores], stores[0]
    for folder, age_s in zip(folders, (400, 200, 1_000), strict=True):
        then = (folder / LAST_USE).stat().st_mtime - age_s
        os.utime(folder / LAST_USE, (then, then))
    open_features(texts(60, "c"), encoder, "a" * 64, layers_folder())  # opened again, so that they count as used now
    del stores
    gc.collect()
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    each = 60 * 4 * ROW + 3_000  # a folder of layers, its meta.json and the heads of its arrays
    fill(private_cache / "corpora", 1_000_000 - 3 * each)
    new = open_features(texts(60, "d"), encoder, "a" * 64, layers_folder())
    assert [folder.is_dir() for folder in folders] == [True, False, True]
    newest = open_features(texts(60, "e"), encoder, "a" * 64, layers_folder())
    assert [folder.is_dir() for folder in folders] == [True, False, False] and new.folder.is_dir() and newest.folder.is_dir()
    with pytest.raises(BadInput, match="all texts use"):
        open_features(texts(60, "f"), encoder, "a" * 64, layers_folder())
    assert in_use(texts(60, "a"))[0].shape == (3, 4, 16)


def test_layers_that_another_process_has_open_stay_until_it_ends():
    folder = layers_folder() / "theirs"
    code = "import sys; from pathlib import Path; from core.files.disk_space import hold; held = hold(Path(sys.argv[1])); print('held', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        (folder / "some").write_bytes(bytes(5_000))
        make_room(1_000, max_bytes=1_000)
        assert folder.is_dir()
        other.kill()
        other.wait()
    make_room(1_000, max_bytes=1_000)
    assert not folder.exists()


def test_an_index_counts_layers_in_use_and_the_others_give_way_to_it(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_DISK_MB", "1")
    plan = replace(index_plan([], 3, 16), working_bytes=600_000)
    held = hold(layers_folder() / "one")
    (layers_folder() / "one" / "some").write_bytes(bytes(600_000))
    with pytest.raises(BadInput, match=r"all texts use 0\.6 of 1 MB"):
        check_room(plan)
    held.release()
    check_room(plan)
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda place: Usage(10**9, 0, -100_000))  # all that could be removed is not enough
        with pytest.raises(BadInput, match=r"needs 0\.6 MB of disk; 0\.5 MB are free"):
            check_room(plan)
    assert (layers_folder() / "one").is_dir()
    VISITS.make_room(plan.working_bytes)
    assert not (layers_folder() / "one").exists()


NUMBERS = np.arange(100_000, dtype=np.float32)
WRITERS = {
    "checkpoint": lambda path, _: write_checkpoint(path, {"numbers": torch.from_numpy(NUMBERS)}),
    "json": lambda path, _: write_json(path, NUMBERS),
    "head": lambda path, _: folders.save(path, folders.Form("test", 1, "test", (folders.WEIGHTS,)), {"numbers": NUMBERS}, {}, {}),
    "model": lambda path, encoder: save_safetensors(encoder.model, path),
    "AllenNLP's model": lambda path, encoder: save_hdf5(encoder.model, path),
    "upload": lambda path, _: store("out.csv", bytes(8_000), path.parent),
    "vectors": lambda path, _: save_glove(path, list(map(str, range(1_000))), NUMBERS.reshape(1_000, 100), {}),
}


@contextlib.contextmanager
def full_disk(name: str):
    """Expect an error of that file or folder, while no file can have more than 4,000 bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, limits[1]))
    try:
        with pytest.raises(BadInput, match=rf"/{name} cannot be written: File too large\."):
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_disk_is_reported_by_an_approximate_index(tmp_path, encoder):
    build_index([Sentence(text) for text in texts(60)], encoder, tmp_path / "index", model="m")
    with full_disk(r"\.approximate"):
        approximate.build(open_shards(tmp_path / "index"))
    assert not (tmp_path / "index" / ".approximate").exists()


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_full_disk_is_reported_by_each_writer_and_leaves_no_part(tmp_path, encoder, write):
    with full_disk("out.*"):
        write(tmp_path / "out", encoder)
    assert not [path.name for path in tmp_path.rglob("*") if path.is_file() and path.name != "options.json"]
    write(tmp_path / "out", encoder)
