"""Results: who leads, by how much, and whether so many texts can tell: each sentence fits the numbers it was given."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.classify.model import variant_titles
from core.common.significance import Paired, holm, margin, mcnemar
from core.evaluation.context_gains import CONTROLS, Lead, Size, part_titles
from core.evaluation.experiments import kind_of
from core.tasks.results import Summary
from pages._classify.measured import context_table, describe_calibration, describe_context
from pages._classify.paper import describe_curves, describe_gains, describe_largest, describe_paper
from pages._classify.results import describe_task
from tests.app.visit import opened, tables

NAMES = ("tfidf", "mean-glove", "glove", "embedding", "elmo", "glove+elmo")


@given(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.0, 0.5, 0.83, 0.8301, 0.84, 1.0]), min_size=1),
    st.sampled_from([1, 20, 1_500, 1_000_000]),
)
@settings(deadline=None, max_examples=200)
def test_what_is_said_of_a_task_is_so(accuracy: dict[str, float], n: int):
    said, titles = (
        " ".join(describe_task({v: {"accuracy": a, "train": 10, "n": n} for v, a in accuracy.items()}, "All")),
        variant_titles(),
    )
    best = max(accuracy.values())
    leaders = [v for v, a in accuracy.items() if a == best]
    assert ("Tied" in said) == (len(leaders) > 1) and all(titles[v] in said for v in leaders)
    assert f"{best:.1%}" in said and " 0.0 points" not in said
    if result := re.search(r"next kind, (.+?), is ([\d.]+) points behind, ([\d,]+) of [\d,]+ texts: (beyond the|up to)", said):
        runner = max((v for v in accuracy if kind_of(v) != kind_of(leaders[0])), key=accuracy.get)
        gap = best - accuracy[runner]
        assert accuracy[next(v for v, title in titles.items() if title == result[1])] == accuracy[runner]
        assert float(result[2]) == pytest.approx(100 * gap, abs=0.051)
        assert int(result[3].replace(",", "")) == max(1, round(gap * n))
        assert (result[4] == "beyond the") == (gap > margin(best, accuracy[runner], n))
    if "no network here pays off" in said:
        assert kind_of(leaders[0]) == "plain baseline" and "beyond the" in said


def summary_of(right: dict[str, np.ndarray]) -> dict[str, dict]:
    return {name: {"accuracy": rows.mean(), "train": 10, "n": rows.shape[1], "right": rows} for name, rows in right.items()}


def test_where_it_is_known_which_texts_were_right_mcnemar_decides_after_holm():
    """One classifier is ahead on 8 texts of 1,000 and behind on none: n alone cannot tell, the texts can."""
    first = np.arange(1_000)[None] < 900
    second = first & (np.arange(1_000) >= 8)
    p = mcnemar(first, second).p
    said = " ".join(describe_task(summary_of({"tfidf": first, "glove": second}), "All"))
    assert " 8 of 1,000 texts: beyond chance" in said and f"p = {p:.3f}" in said
    crowd = {"tfidf": first, "glove": second} | dict.fromkeys(("elmo", "embedding", "glove+elmo", "glove-unfrozen", "mean-elmo"), second)
    said = " ".join(describe_task(summary_of(crowd), "All"))
    assert holm([p] * 6)[0] > 0.04 and f"{holm([p] * 6)[0]:.3f}" in said
    forgotten = {name: row | {"right": None} for name, row in summary_of({"tfidf": first, "glove": second}).items()}
    assert "up to" in " ".join(describe_task(forgotten, "All"))


def test_a_calibration_error_is_told_beside_what_a_calibrated_classifier_would_show():
    bins = [{"confidence": 0.75, "n": 400}, {"confidence": 0.95, "n": 600}]
    assert "may be chance" in describe_calibration({"bins": bins, "n": 1_000, "ece": 0.012})
    assert "beyond chance" in describe_calibration({"bins": bins, "n": 1_000, "ece": 0.06})


def test_what_elmo_adds_is_told_at_every_size():
    result = {"roles": [(500, 0.0, 0.0), (1_500, 0.21, 0.407), (5_000, 0.448, 0.43)]}
    said = describe_curves(result, {"roles": "Roles"})
    assert said.endswith("one seed: Roles: +0.0 at 500, +19.7 at 1,500, −1.8 at 5,000.")
    assert describe_largest(result, {"roles": "Roles"}) == "ELMo gains most, 20 points, in Roles with 1,500 examples."


# --- does ELMo pay, and is it context? ------------------------------------------------------------------------------


def lead(mean: float, shown: int, p: float = 0.3) -> Lead:
    """A lead of `mean`, shown where `shown` is not 0."""
    low, high = (mean - 0.01, mean + 0.01) if shown else (mean - 0.05, mean + 0.05)
    p = 0.001 if shown else p
    return Lead(Paired(mean=mean, low=low, high=high, p=p, groups=10), p)


def size_of(labeled: int, over: float, shown: bool, of_elmo: dict[str, tuple[float, int]]) -> Size:
    accuracy = dict.fromkeys(part_titles(), np.array([0.8, 0.81]))
    over_glove = {name: lead(over, shown) for name in part_titles() if name != "glove"}
    beside = {name: lead(*of_elmo.get(name, (0.0, 0))) for name in CONTROLS}
    return Size(0.01, labeled, labeled // 10, 2_000, 10, accuracy, over_glove, beside)


@pytest.mark.parametrize(
    ("gains", "expected", "absent"),
    [
        ([(0.01, False), (0.0, False)], "inconclusive at every size", "beyond chance with 1"),
        ([(0.05, True), (0.01, False)], "beyond chance with 134 (+5.0), inconclusive with others", "behind"),
        ([(0.05, True), (0.02, True)], "beyond chance at every size (+2.0 to +5.0)", "overlap"),
        ([(0.05, True), (0.02, True)], "as in Peters", "overlap"),  # 4 to 6 against 1 to 3
        ([(0.05, True), (0.045, True)], "the intervals overlap", "as in Peters"),
        ([(-0.05, True), (-0.09, True)], "behind beyond chance with 134, 403", "as in Peters"),
        ([(-0.05, True), (0.05, True)], "behind beyond chance with 134, ahead with 403", "as in Peters"),
    ],
)
def test_elmo_pays_only_at_sizes_where_the_gain_is_significant(gains, expected, absent):
    sizes = [size_of(labeled, mean, shown, {}) for labeled, (mean, shown) in zip((134, 403), gains, strict=True)]
    said = " ".join(describe_context(sizes))
    assert expected in said and absent not in said.split("minus each control")[0]


def test_that_order_helps_is_said_to_be_unshown_where_shuffled_words_do_as_well():
    words = {"glove+layer0": (0.03, 1), "glove+static": (0.03, 1), "glove+random": (0.1, 1)}
    assert "whether their order does is inconclusive" in describe_context([size_of(134, 0.05, True, words)])[-1]
    order = words | {"glove+shuffled": (0.02, 1)}
    assert "their order" not in " ".join(describe_context([size_of(134, 0.05, True, order)]))
    assert "their order" not in " ".join(describe_context([size_of(134, 0.05, True, {"glove+layer0": (0.03, 1)})]))


def test_the_table_has_a_row_for_every_size_and_set_of_parts():
    table = context_table([size_of(134, 0.05, True, {}), size_of(403, 0.02, True, {})])
    assert len(table) == 12 and set(table["labeled rows"]) == {134, 403}
    elmo = table[table["classifier"] == "GloVe + ELMo"].iloc[0]
    assert elmo["over GloVe alone"] == 0.05 and elmo["over GloVe alone, p (Holm)"] == 0.001


def summary(baseline: float, elmo: float, spread: float | None) -> Summary:
    sizes = {"train": 10, "dev": 5, "test": 1000}
    others = {v: {"f1": x, "gold": 5} for v, x in (("baseline", baseline), ("elmo", elmo))}
    return Summary(
        "f1", baseline, elmo, spread, spread, 1 if spread is None else 3, sizes, sizes, {"input": [0.2, 0.5, 0.3]}, None, others, 9.0
    )


def test_of_the_papers_table_each_sentence_fits_the_numbers():
    titles = {"names": "Names", "roles": "Roles", "questions": "Questions"}
    measured = {"names": summary(0.5, 0.6, None), "roles": summary(0.5, 0.51, 0.02), "questions": summary(0.5, 0.4, 0.01)}
    assert describe_gains(measured, titles) == [
        "With ELMo, Names gains 10 points.",
        "With ELMo, Roles gains 1.0 points, no more than runs differ.",
        "With ELMo, Questions loses 10 points.",
    ]
    said = " ".join(describe_paper(measured, titles))
    assert "ELMo helps: Names, Roles. Largest error reduction: <b>Names</b>, 20%." in said
    assert "No gain: Questions." in said and "spread unknown: Names." in said
    assert "Inconclusive, within the spread of seeds: Roles, Questions." in said
    assert describe_paper({"names": measured["names"]}, titles)[-1].startswith("One seed only")


def test_the_papers_table_stands_beside_ours_with_its_layers():
    page = opened("pages/results.py")
    table = tables(page)[0]
    assert not page.exception and {"error reduction, paper", "error reduction, ours", "with ELMo"} <= set(table.columns)
    names = table[table["task"] == "Names"].iloc[0]
    assert (names["paper’s task"], names["error reduction, paper"]) == ("CoNLL 2003, F1: 90.15 → 92.22", "21%")
    assert "Sentiment" in set(table["task"])
    more = opened("pages/results.py", results_part="more")
    assert not more.exception and any("Which layers does each task use?" in block.value for block in more.markdown)
