"""Test with 30 generated inputs for each reader (tests.bench.fuzz draws 100,000) that it raises only errors meant for people."""

import pytest

from tests.bench import fuzz


@pytest.mark.parametrize("name", fuzz.targets())
def test_only_errors_meant_for_people_come_out_of(name):
    result = fuzz.run(name, 30)
    assert result.inputs > 0 and result.failures == []
