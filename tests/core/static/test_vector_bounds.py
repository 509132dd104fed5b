"""Test that reading small packed files of vectors is bounded by the vectors in them and can be stopped."""

import gzip
import lzma

import numpy as np
import pytest

from core.common import reports
from core.common.errors import STOPPED, BadInput, JobEnded
from core.static import formats
from core.static.vectors import load_vectors

from .test_vectors import PACKERS

LINE = b"bank 0.1 0.2 0.3 0.4\n"
MB = 1 << 20


WASTE = {
    "equal lines": LINE * 600_000,
    "blank lines": LINE + b"\n" * (12 * MB) + LINE,
    "blank beginning": b"\n" * (12 * MB) + LINE,
    "blanks": (LINE[:-1] + b" " * 500_000 + b"\n") * 24,
    "old line breaks": LINE.replace(b"\n", b"\r") + b"\r" * (12 * MB),
    "equal words of a binary file": b"9000000 1\n" + b"w \0\0\0\0" * 2_000_000,
    "utf-16": (LINE.decode() + "\n" * (12 * MB)).encode("utf-16"),
}


@pytest.mark.parametrize("waste", WASTE)
def test_file_of_blanks_or_repetitions_is_refused_after_a_few_megabytes(tmp_path, waste):
    path = tmp_path / "a.txt.xz"
    path.write_bytes(lzma.compress(WASTE[waste], preset=0))
    sizes: list[int] = []
    with reports.watch_steps(sizes.append), pytest.raises(BadInput) as refused:
        load_vectors(path)
    assert str(refused.value).startswith("a.txt.xz") and "\n" not in str(refused.value)
    assert sum(sizes) < 10 * MB  # of 12 or more


@pytest.mark.parametrize("name", PACKERS)
def test_reading_is_bounded_for_every_packed_format(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(PACKERS[name](LINE + b"\n" * MB))
    with pytest.raises(BadInput, match=rf"^{name}: of 0\.5 MB read, 0\.0 MB are vectors; the rest is blank or repeated"):
        load_vectors(path)


def test_vectors_beyond_the_memory_limit_are_refused(tmp_path, monkeypatch):
    path, long = tmp_path / "a.txt.gz", tmp_path / "long.txt.gz"
    path.write_bytes(gzip.compress(b"".join(b"word%d" % k + b" 0" * 100 + b"\n" for k in range(3_000))))
    assert len(load_vectors(path).words) == 3_000
    long.write_bytes(gzip.compress(b"".join(b"x" * 500_000 + b"%d 0.1 0.2\n" % k for k in range(6))))  # long words count too
    monkeypatch.setenv("ELMOSCOPE_MAX_VECTORS_MB", "1")
    for file in (path, long):
        with pytest.raises(BadInput, match=rf"^{file.name} exceeds 1 MB of vectors: limit the words"):
            load_vectors(file)


@pytest.mark.parametrize("digits", [1, 6, 18])
def test_ordinary_vectors_of_any_precision_are_accepted(tmp_path, digits):
    """Use several megabytes, so that a file with long numbers, blanks and repetitions would exceed too tight a bound."""
    rows = np.random.default_rng(0).normal(size=(2_400, 100))
    lines = [f"word{k % 1_500} {'  '.join(f'{x:+.{digits}f}' for x in row)}" for k, row in enumerate(rows)] * 2
    path = tmp_path / "a.txt"
    path.write_text("\n".join(lines))
    assert digits < 18 or path.stat().st_size > formats.FREE_BYTES
    assert len(load_vectors(path).words) == 1_500


def test_endless_line_is_read_in_pieces(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"bank 0.1 0.2\rdog 0.1 0.2\r" + b"x" * (20 * MB)))
    sizes = []
    with reports.watch_steps(sizes.append), pytest.raises(BadInput):
        load_vectors(path)
    assert max(sizes) <= MB


def test_reading_ends_when_its_job_is_stopped(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"".join(b"word%d 0.1 0.2\n" % k for k in range(1_000)))
    calls = []

    def stop(n: int) -> None:
        calls.append(n)
        if len(calls) == 10:
            raise JobEnded(STOPPED, "Stopped.")

    with reports.watch_steps(stop), pytest.raises(JobEnded):
        load_vectors(path)
    assert len(calls) == 10
