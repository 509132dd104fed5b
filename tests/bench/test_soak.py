"""Test that the soak test reports which targets are met."""

import pytest

from tests.bench.soak import Log, write_report

GOOD = {"start_mb": 1000.0, "left_mb": 1100.0, "peak_mb": 2000.0, "cpu_s": 50.0}


def test_report_is_met_if_every_target_is_met():
    text, is_met = write_report(Log(seconds=[0.5] * 95 + [9.0] * 5), **GOOD)
    assert is_met and "95.0% of 100 answers" in text and "MISSED" not in text


@pytest.mark.parametrize(
    ("log", "changed"),
    [
        (Log(seconds=[0.5] * 94 + [9.0] * 6), {}),
        (Log(), {}),  # nobody was answered
        (Log(seconds=[0.5]), {"peak_mb": 4001.0}),
        (Log(seconds=[0.5]), {"left_mb": 1300.0}),
        (Log(seconds=[0.5], losses=["user001: ConnectionClosedError: "]), {}),
    ],
)
def test_report_is_missed_if_a_target_is_missed(log, changed):
    text, is_met = write_report(log, **GOOD | changed)
    assert not is_met and text.count("MISSED") == 1
