"""Every sense figure stands beside what the other words alone say, and every verdict may be that nothing is decided."""

import numpy as np
import pytest

from core.common.significance import Paired
from core.figures.measures import Panel
from core.senses.separation import SenseReport, less, sense_report
from core.views import layouts
from pages._cached.views import workspace
from pages._frame.in_use import InUse
from pages._map import measures, mix
from pages._models import about

OWN = InUse("elmo-mini", "glove-mini", "sentences", "Elmoscope")


def report(seed: int, noise: float, n: int = 40) -> SenseReport:
    """One word of two senses, told apart the better the less noise."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.eye(2, 12), n // 2, axis=0) + noise * rng.normal(size=(n, 12))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return sense_report(lambda k: rows[k] @ rows[k].T, ["jam"] * n, ["road"] * (n // 2) + ["fruit"] * (n // 2), seed=0)


def test_a_space_beside_the_static_context_is_ahead_behind_or_not_decided():
    clear, poor = report(0, 0.05), report(1, 2.0)
    assert less(clear, poor).verdict == 1 and less(poor, clear).verdict == -1 and less(clear, clear).verdict == 0
    for first, second, said in ((clear, poor, "ahead"), (poor, clear, "behind"), (clear, report(2, 0.05), "inconclusive")):
        (line,) = measures.compare_with_static(first, second, "the mix")
        assert line.endswith(f", {said}.") and f"{second.one_nn:.1%}" in line
    assert measures.compare_with_static(clear, None, "the mix") == [] and measures.static_share(None) == ""


def test_a_mix_beside_the_best_layer_may_be_too_close_to_call():
    clear, poor, near = report(0, 0.05), report(1, 2.0), report(4, 0.35)
    assert "beats every single layer" in mix.compare_layers("jam", clear, {"1": poor})[0]
    assert "layer 1 (100%) beats this mix" in mix.compare_layers("jam", poor, {"1": clear})[0]
    assert 0.9 < near.one_nn < 1 and "is inconclusive" in mix.compare_layers("jam", near, {"1": clear})[0]
    assert "is optimistic" in mix.compare_layers("jam", clear, {"1": poor})[1]


def test_of_too_few_sentences_no_interval_is_drawn_and_nothing_is_decided():
    right, wrong = ([[1, 0], [1, 0.1], [0, 1], [0.1, 1]], [[1, 0], [0, 1], [0.9, 0.1], [0.1, 0.9]])
    first, second = (
        sense_report(lambda k, rows=rows: np.array(rows)[k] @ np.array(rows)[k].T, ["jam"] * 4, ["road"] * 2 + ["fruit"] * 2, seed=0)
        for rows in (right, wrong)
    )
    assert (first.one_nn, second.one_nn) == (1, 0) and less(first, second).low is None
    (line,) = measures.compare_with_static(first, second, "the mix")
    assert "+100.0 (no interval)" in line and line.endswith(", inconclusive.")
    lines = mix.compare_layers("jam", first, {"1": second})
    assert "is inconclusive" in lines[0] and "points: no interval" in lines[-1]


def test_the_order_of_layers_is_as_in_the_paper_the_other_way_round_or_not_decided():
    def panel(title: str, low: float, high: float) -> Panel:
        order = Paired(mean=(low + high) / 2, low=low, high=high, p=0.3 if low < 0 < high else 0.01, groups=9)
        return Panel(title, "", {"1": 0.7, "2": 0.7}, 0.4, "chance", order=order)

    (line,) = about._order_lines(
        [panel("Parts of speech", 0.01, 0.02), panel("A", -0.03, -0.01), panel("B", 0.01, 0.03), panel("C", -0.01, 0.03)]
    )
    as_there, other, undecided = line.split("; ")
    assert "Parts of speech" in as_there and "A −2.0" in as_there and "B" in other and "C +1.0 (−1.0 to +3.0)" in undecided
    assert about._order_lines([Panel("A", "", {"1": 0.7}, 0.4, "chance")]) == []


@pytest.mark.parametrize("word", ["spring", "all words together"])
def test_the_bundled_sentences_have_a_static_line(word):
    from core.analysis.word_maps import ALL_WORDS

    static = layouts.static_report(workspace(OWN), ALL_WORDS if word == "all words together" else word)
    assert 0.4 < static.one_nn < 1 and f"{static.one_nn:.0%}" in measures.static_share(static)
