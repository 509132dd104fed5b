"""What the soak test reports of its figures."""

import pytest

from tests.bench.soak import Log, report_of

GOOD = {"start_mb": 1000.0, "left_mb": 1100.0, "peak_mb": 2000.0, "cpu_s": 50.0}


def test_a_soak_that_meets_every_target_is_reported_as_met():
    text, met = report_of(Log(seconds=[0.5] * 95 + [9.0] * 5), **GOOD)
    assert met and "95.0% of 100 answers" in text and "MISSED" not in text


@pytest.mark.parametrize(
    ("log", "changed"),
    [
        (Log(seconds=[0.5] * 94 + [9.0] * 6), {}),
        (Log(), {}),  # nobody was answered
        (Log(seconds=[0.5]), {"peak_mb": 4001.0}),
        (Log(seconds=[0.5]), {"left_mb": 1300.0}),
        (Log(seconds=[0.5], lost=["visitor001: ConnectionClosedError: "]), {}),
    ],
)
def test_a_soak_that_misses_a_target_is_reported_as_missed(log, changed):
    text, met = report_of(log, **GOOD | changed)
    assert not met and text.count("MISSED") == 1
