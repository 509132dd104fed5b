"""60 generated inputs for each reader (tests.bench.fuzz runs 100,000): only errors meant for people come out."""

import pytest

from tests.bench import fuzz


@pytest.mark.parametrize("name", fuzz.targets())
def test_only_errors_meant_for_people_come_out_of(name):
    result = fuzz.run(name, 60)
    assert result.inputs > 0 and result.failures == []
