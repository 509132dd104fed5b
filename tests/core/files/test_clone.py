"""A clone by Git for Windows, whose default turns line ends of texts into CRLF, holds the very bytes that were committed."""

import os
import shutil
import subprocess
import sys

import pytest

from core.common.config import ROOT

NEEDED = (".gitattributes", "core", "assets")
OPEN = """
from core.files import sums
from core.common.config import ASSETS
from core.elmo.models import open_model
from core.index.tables import open_table
from core.static.vectors import open_vectors
from core.text.corpora import open_corpus

model = open_model("elmo-mini")
print(open_corpus("sentences")[0].tokens[0], open_vectors("glove-mini").words[0], open_table("sentences", model, targets_only=True).lemmas[0])
sums.check(ASSETS)
"""


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_clone_with_autocrlf_opens_model_vectors_and_sentences(tmp_path):
    def git(*command: str) -> None:
        alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z"}
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        speed = ("-c", "core.compression=0", "-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "core.bigFileThreshold=1m")
        done = subprocess.run(["git", *who, *speed, *command], env=os.environ | alone, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]

    origin, clone = tmp_path / "origin.git", tmp_path / "clone"
    git("init", "-q", "--bare", str(origin))  # of the files as they are now: they need not be committed, nor lie in a repository
    there = (f"--git-dir={origin}", f"--work-tree={ROOT}")
    git(*there, "-C", str(ROOT), "-c", "core.bare=false", "add", *NEEDED)
    git(*there, "-c", "core.bare=false", "commit", "-q", "-m", "as it is")
    git("-c", "core.autocrlf=true", "clone", "-q", str(origin), str(clone))
    opened = subprocess.run([sys.executable, "-c", OPEN], cwd=clone, capture_output=True, text=True)
    assert opened.returncode == 0, opened.stderr[-2000:]
    assert len(opened.stdout.split()) == 3
