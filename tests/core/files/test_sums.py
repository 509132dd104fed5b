"""Test that a changed byte in any bundled file is noticed where that file is opened, and that the error names it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.common import config
from core.common.config import ROOT
from core.common.errors import CorruptArtifact, MissingArtifact
from core.files import sums

# Run in a copy of core and assets: opens each bundled file as the program does, whole and with one byte changed.
OPEN_EACH = """
import json, os, sys
from core.elmo.models import open_model
from core.classify import experiments
from core.files import sums
from core.files.registry import resolve
from core.index.tables import bundled_targets
from core.text import languages
from core.text.corpora import open_corpus
from core.files.artifacts import read_json
from core.classify.head import load_head
from core.tasks.heads import load_head as load_task_head
from core.common.config import ASSETS
from core.common.errors import ElmoscopeError
from core.static.vectors import load_vectors
from core.text.sentences import read_sentences

sums.make()
spoken = {one.targets: (one.sentences, open_model(one.model)) for one in map(languages.get_language, languages.codes())}

def opened(path):
    part = path.relative_to(ASSETS).parts
    if part[0] in spoken: return bundled_targets(*spoken[part[0]])
    if part[0] == "heads": return load_head(path.parent)
    if part[0] == "tasks" and len(part) > 2: return load_task_head(path.parent)
    if part[-1] == "meta.json" or path.suffix in (".safetensors", ".txt"):
        return resolve(part[0], "vectors" if part[0].startswith("glove") else "model")
    if part[0].startswith("sentences"): return open_corpus(part[0])
    if path.name == "classification.jsonl": return experiments.read_results(path)
    return read_json(path)

silent, wrong, kinds = [], [], set()

for path in sums.bundled_files(ASSETS):
    kind = (path.relative_to(ASSETS).parts[0], path.suffix)
    before, data = path.stat(), path.read_bytes()
    middle = len(data) // 2
    changed = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :] if data else b"x"
    # open the first file of each kind as the program does
    for damaged, use in [(changed, sums.check)] + [(changed, opened), (data[:middle] or b"y", opened)] * (kind not in kinds):
        path.write_bytes(damaged)
        try:
            use(path)
            silent.append(path.name)
        except ElmoscopeError as error:
            if path.name not in str(error): wrong.append(f"{path}: {error}")
    kinds.add(kind)
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # otherwise sums may mistake the restored file for the changed one
print(json.dumps({"files": len(sums.bundled_files(ASSETS)), "silent": silent, "wrong": wrong}))
"""


def test_a_byte_changed_or_an_end_cut_off_in_any_bundled_file_is_noticed_and_the_file_named(tmp_path):
    for name in ("core", "assets"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.png"))
    done = subprocess.run([sys.executable, "-c", OPEN_EACH], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads(done.stdout)
    assert result["files"] > 100 and result["silent"] == [] and result["wrong"] == []


def test_the_list_names_every_bundled_file_as_it_is_now():
    result = sums._get_sums(config.ASSETS)
    now = {path.relative_to(config.ASSETS).as_posix(): sums.file_sha256(path) for path in sums.bundled_files(config.ASSETS)}
    assert result == now, "assets have changed: python -m core.lab bundle --sums"


@pytest.fixture
def assets(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "assets"
    (folder / "model").mkdir(parents=True)
    (folder / "model" / "a.bin").write_bytes(b"one")
    (folder / "b.json").write_text("{}")
    monkeypatch.setattr(config, "ASSETS", folder)
    monkeypatch.setattr(sums, "_SEEN", {})
    sums.make()
    return folder


def test_changed_and_missing_files_and_a_damaged_list_are_named(assets):
    (assets / "mine.txt").write_text("put there by its user")
    for path in (assets, assets / "model", assets / "mine.txt", assets.parent / "elsewhere"):
        sums.check(path)
    (assets / "b.json").write_bytes(b"one")
    with pytest.raises(CorruptArtifact, match=r"b\.json.*bundle --sums"):
        sums.check(assets / "b.json")
    (assets / "model" / "a.bin").unlink()
    with pytest.raises(MissingArtifact, match=r"a\.bin"):
        sums.check(assets / "model")
    (assets / sums.NAME).write_bytes(b"\xff\xfe no list")
    with pytest.raises(CorruptArtifact, match=sums.NAME):
        sums.check(assets / "b.json")


def test_a_file_is_read_once_by_all_processes_until_it_changes(assets, monkeypatch):
    read = []
    monkeypatch.setattr(sums, "file_sum", lambda path, kind, real=sums.file_sum: read.append(path.name) or real(path, kind))
    sums.check(assets)
    result = sums.sum_of(assets / "b.json")
    monkeypatch.setattr(sums, "_SEEN", {})  # as in another process
    sums.check(assets)
    assert sorted(read) == ["a.bin", "b.json"]
    (assets / "b.json").write_text("[]")
    with pytest.raises(CorruptArtifact):
        sums.check(assets / "b.json")
    assert sums.sum_of(assets / "b.json") != result
