"""Test the Classify pages: classifiers, results and the tasks of the paper."""

from pathlib import Path

import numpy as np
import pytest

from core.classify import tasks as classifier_tasks
from core.classify.experiments import CONTROLS, Size, part_titles
from core.classify.head import Answer
from core.classify.model import variant_titles
from core.common.significance import Paired, holm, mcnemar
from core.tasks.results import Summary
from core.workspace import Workspace, open_workspace
from pages._classify import tasks as tasks_page
from pages._classify.measured import describe_calibration, describe_context
from pages._classify.paper import describe_gains, describe_paper
from pages._classify.results import describe_task
from pages._classify.show import FRONT, PAIRS, describe_answers
from pages._classify.train import _lead
from pages._export.notebook_values import notebook
from pages._frame import examples
from tests.app.visit import code_cells, html_of, opened, run_notebook, tables, written

LABELS = ("World", "Sports", "<b>Business</b>")


def answers_of(**labels: str) -> dict[str, Answer]:
    return {name: Answer(label, {each: 0.6 if each == label else 0.2 for each in LABELS}, 0.0) for name, label in labels.items()}


HELPED = [
    ("Sports", "<b>Business</b>", "<b>Business</b>", "ELMo helps “{}”: only with it is the answer right, <b>&lt;b&gt;Business"),
    ("World", "World", "World", "ELMo does not help “{}”"),
    ("World", "Sports", "World", "ELMo hurts “{}”: with it the answer is Sports"),
    *(("Sports", "Sports", "World", "“{}” is wrong with and without ELMo"), ("World", "World", "", "ELMo changes nothing for “{}”")),
    ("World", "Sports", "", "ELMo changes the answer of “{}” from World to"),
]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("without", "joined", "label", "said"), HELPED)
def test_elmo_helps_only_if_its_answer_alone_is_right(pair, without: str, joined: str, label: str, said: str):
    result = answers_of(tfidf="World", **dict(zip(pair, (without, joined), strict=True)))
    assert written(describe_answers(result, [], label))[0].startswith(said.format(variant_titles()[pair[0]]))


def test_without_a_classifier_to_compare_elmo_is_not_named_and_classifiers_that_know_no_word_are():
    for names in (FRONT[:1], FRONT[:2], ("embedding", "glove+elmo")):
        assert "ELMo " not in written(describe_answers(answers_of(**dict.fromkeys(names, "World")), [], "World"))[0]
    said = " ".join(describe_answers(answers_of(**dict.fromkeys(FRONT[:2], "World")), list(FRONT[:2]), ""))
    assert "only a default: {}, {}.".format(*(variant_titles()[name] for name in FRONT[:2])) in said


def test_the_file_of_a_task_is_listed_as_it_is_named():
    page = opened("pages/classify.py")
    page.session_state["trained_here"] = {"my_rows.csv, trained here": None}
    assert page.run().selectbox(key="task").options[-1] == "my_rows.csv, trained here"


def summary_of(right: dict[str, np.ndarray]) -> dict[str, dict]:
    return {name: {"accuracy": rows.mean(), "train": 10, "n": rows.shape[1], "right": rows} for name, rows in right.items()}


def test_lead_is_tested_by_mcnemar_with_holm_correction():
    first = np.arange(1_000)[None] < 900  # right on 8 texts more than `second`, and wrong on none that it has right
    second = first & (np.arange(1_000) >= 8)
    p = mcnemar(first, second).p
    said = " ".join(describe_task(summary_of({"tfidf": first, "glove": second}), "All"))
    assert " 8 of 1,000 texts: beyond chance" in said and f"p = {p:.3f}" in said
    crowd = {"tfidf": first, "glove": second} | dict.fromkeys(("elmo", "embedding", "glove+elmo", "glove-unfrozen", "mean-elmo"), second)
    said = " ".join(describe_task(summary_of(crowd), "All"))
    assert holm([p] * 6)[0] > 0.04 and f"{holm([p] * 6)[0]:.3f}" in said
    forgotten = {name: row | {"right": None} for name, row in summary_of({"tfidf": first, "glove": second}).items()}
    assert "up to" in " ".join(describe_task(forgotten, "All"))


def test_a_lead_that_the_counts_of_texts_contradict_may_be_chance():
    first, second = np.ones((3, 60), bool), np.ones((3, 60), bool)
    second[:, :6] = False  # `second` is wrong on 6 texts with every seed, `first` on 17 with one
    first[0, 6:23] = False
    said = _lead(variant_titles(), {"tfidf": first, "glove": second}, "tfidf", "glove", first.mean() - second.mean())
    assert "may be chance: 6 texts better, 17 worse" in said
    said = " ".join(describe_task(summary_of({"tfidf": first, "glove": second}), "All"))
    assert "beyond chance" not in said


def test_calibration_error_is_compared_with_chance():
    bins = [{"confidence": 0.75, "n": 400}, {"confidence": 0.95, "n": 600}]
    assert "may be chance" in describe_calibration({"bins": bins, "n": 1_000, "ece": 0.012})
    assert "beyond chance" in describe_calibration({"bins": bins, "n": 1_000, "ece": 0.06})


def lead(mean: float, shown: int) -> Paired:
    half, p = (0.01, 0.001) if shown else (0.05, 0.3)
    return Paired(mean=mean, low=mean - half, high=mean + half, p=p, groups=10)


def size_of(labeled: int, over: float, shown: bool, of_elmo: dict[str, tuple[float, int]]) -> Size:
    accuracy = dict.fromkeys(part_titles(), np.array([0.8, 0.81]))
    over_glove = {name: lead(over, shown) for name in part_titles() if name != "glove"}
    return Size(labeled, labeled // 10, 2_000, 10, accuracy, over_glove, {name: lead(*of_elmo.get(name, (0.0, 0))) for name in CONTROLS})


@pytest.mark.parametrize(
    ("gains", "expected", "absent"),
    [
        ([(0.01, False), (0.0, False)], "inconclusive at every size", "beyond chance with 1"),
        ([(0.05, True), (0.01, False)], "beyond chance with 134 (+5.0), inconclusive with others", "behind"),
        ([(0.05, True), (0.02, True)], "beyond chance at every size (+2.0 to +5.0)", "overlap"),
        ([(0.05, True), (0.02, True)], "as in Peters", "overlap"),  # 4 to 6 against 1 to 3
        ([(0.05, True), (0.045, True)], "the intervals overlap", "as in Peters"),
        ([(-0.05, True), (-0.09, True)], "behind beyond chance with 134, 403", "gains most"),
        ([(-0.05, True), (0.05, True)], "behind beyond chance with 134, ahead with 403", "gains most"),
    ],
)
def test_elmo_pays_only_at_sizes_where_the_gain_is_significant(gains, expected, absent):
    sizes = [size_of(labeled, mean, shown, {}) for labeled, (mean, shown) in zip((134, 403), gains, strict=True)]
    said = " ".join(describe_context(sizes))
    assert expected in said and absent not in said.split("minus each control")[0]


def test_word_order_is_inconclusive_if_shuffled_words_do_as_well():
    words = {"glove+layer0": (0.03, 1), "glove+static": (0.03, 1), "glove+random": (0.1, 1)}
    assert "whether their order does is inconclusive" in describe_context([size_of(134, 0.05, True, words)])[-1]
    order = words | {"glove+shuffled": (0.02, 1)}
    assert "their order" not in " ".join(describe_context([size_of(134, 0.05, True, order)]))
    assert "their order" not in " ".join(describe_context([size_of(134, 0.05, True, {"glove+layer0": (0.03, 1)})]))


def summary(baseline: float, elmo: float, spread: float | None) -> Summary:
    sizes = {"train": 10, "dev": 5, "test": 1000}
    others = {v: {"f1": x, "gold": 5} for v, x in (("baseline", baseline), ("elmo", elmo))}
    return Summary(
        "f1", baseline, elmo, spread, spread, 1 if spread is None else 3, sizes, sizes, {"input": [0.2, 0.5, 0.3]}, None, others, 9.0
    )


def test_notices_on_the_papers_table_are_true():
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


def test_results_are_next_to_those_of_the_paper():
    names = tables(opened("pages/results.py"))[0].set_index("task").loc["Names"]
    assert (names["paper’s task"], names["error reduction, paper"]) == ("CoNLL 2003, F1: 90.15 → 92.22", "21%")


def test_typed_markup_is_shown_as_text():
    assert "<img" not in html_of(opened("pages/tasks.py", task_of_paper="names", tasks_names="<img src=x onerror=alert(1)> Anna & Bob"))


def test_span_of_one_classifier_is_marked_and_a_nested_span_is_inside_the_outer_one():
    colors = {"person": "#0072B2", "x & y": "#D55E00"}
    html = tasks_page.draw_spans(("Ada", "saw", "<b>"), [(0, 0, "person"), (2, 2, "x & y")], colors=colors, dashed=[(2, 2, "x & y")])
    assert html.count('class="span"') == 1 and html.count('class="span alone"') == 1 and "≠ x &amp; y" in html and "&lt;b&gt;" in html
    assert "<mark class=alone>≠ b&amp;</mark>" in tasks_page.mark_text("ab&c", 1, 3, is_dashed=True)
    html = tasks_page.draw_spans(("her", "old", "car"), [(0, 2, "person"), (0, 0, "x & y")], colors=colors)
    assert html.index("#0072B2") < html.index("#D55E00") and html.count('class="span"') == 2 and "old car" in html


@pytest.mark.parametrize("task", examples.tasks())
def test_notebook_of_a_task_runs(task: str, tmp_path: Path):
    made = notebook("tasks", {"task_of_paper": task})
    assert repr(next(iter(examples.tasks()[task][0].values())))[1:-1] in "\n".join(code_cells(made))
    assert set(run_notebook(tmp_path, made)["said"]) == {"baseline", "elmo"}


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return open_workspace()


@pytest.mark.parametrize("task", ["news-title", "news", "headlines", "spam", "sentiment", "sentiment2"])
def test_elmo_is_wrong_only_on_the_marked_example_of_a_classifier(task: str, workspace: Workspace):
    spaces = {"model": workspace.model, "vectors": workspace.vectors}
    heads = classifier_tasks.open_heads(classifier_tasks.task_named(task), **spaces)
    items = examples.classify()[task]
    said = {text: classifier_tasks.predictions(heads, text, FRONT, **spaces) for text in items}
    wrong = [said[text]["glove+elmo"].label != item["label"] for text, item in items.items()]
    assert wrong == [examples.WRONG in item for item in items.values()] == [False] * (len(items) - 1) + [True]
    if task not in ("headlines", "spam"):  # the first text is one that only ELMo gets right
        text, item = next(iter(items.items()))
        assert said[text]["glove"].label != item["label"]
