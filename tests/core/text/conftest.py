"""Write small input files."""

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path) -> Callable[[str, str | bytes | list], Path]:
    """`write("a.jsonl.gz", rows)` writes text, bytes or JSON lines, packed according to the name. Return the path."""

    def run(name: str, content: str | bytes | list) -> Path:
        if isinstance(content, list):
            content = "\n".join(map(json.dumps, content))
        pack = {".xz": lzma.compress, ".gz": gzip.compress}.get(Path(name).suffix, bytes)
        path = tmp_path / name
        path.write_bytes(pack(content.encode() if isinstance(content, str) else content))
        return path

    return run
