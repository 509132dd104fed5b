"""A few hundred generated inputs for each reader (tests.bench.fuzz runs 100,000): only errors meant for people come out."""

import pytest

from tests.bench import fuzz

EACH = {
    "corpus .txt": 60,
    "corpus .csv": 60,
    "json": 80,
    "results": 80,
    "model .hdf5": 40,
    "model .safetensors": 60,
    "model vocabulary": 40,
    "docx": 60,
    "text boxes": 60,
    "own corpus": 120,
}


@pytest.mark.parametrize("name", fuzz.targets())
def test_only_errors_meant_for_people_come_out_of(name):
    result = fuzz.run(name, EACH.get(name, 150))
    assert result.inputs > 0 and result.failures == []
