"""Test that a clone by Git for Windows, whose default converts the line ends of texts, has the bytes that were committed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.common.config import ROOT

LARGE = ("elmo-mini", "elmo-ko-mini", "glove-ko-mini", "heads", "targets")  # their weights have the attributes of the other weights


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_clone_with_autocrlf_has_the_committed_bytes(tmp_path):
    def git(*command: str | Path) -> None:
        alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z"}
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        speed = ("-c", "core.compression=0", "-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "core.bigFileThreshold=1m")
        done = subprocess.run(["git", *who, *speed, *command], env=os.environ | alone, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]

    origin, clone = tmp_path / "origin.git", tmp_path / "clone"
    git("init", "-q", "--bare", origin)  # of the current files, which need not be committed, nor be in a repository
    there = (f"--git-dir={origin}", f"--work-tree={ROOT}", "-C", ROOT, "-c", "core.bare=false")
    git(*there, "add", ".gitattributes", "core", "assets", *(f":!assets/{folder}/**.safetensors" for folder in LARGE))
    git(*there, "commit", "-q", "-m", "as it is")
    git("-c", "core.autocrlf=true", "clone", "-q", origin, clone)
    files = [path.relative_to(clone) for folder in ("core", "assets") for path in (clone / folder).rglob("*") if path.is_file()]
    assert {".py", ".md", ".json", ".jsonl", ".txt", ".csv", ".po", ".mo", ".npz", ".safetensors"} <= {path.suffix for path in files}
    assert [path for path in files if (clone / path).read_bytes() != (ROOT / path).read_bytes()] == []
