"""Tasks: each answers its examples on both sides, wrong input gets one sentence, and what is noticed fits what is drawn."""

import json
import runpy
from pathlib import Path

import pytest

from core.common.markup import Markup
from core.figures.classifiers import chain_colors
from core.tasks.results import Summary, read_results, summaries
from pages._classify import notices
from pages._classify.notices import describe_choice, describe_measure, describe_spans
from pages._export.notebook_file import notebook
from pages._frame import examples
from tests.app.visit import code_cells, html_of, opened, tables

TASKS = [name for name in examples.tasks() if name in summaries(read_results())]


@pytest.mark.parametrize("task", TASKS)
def test_every_task_answers_its_first_example_with_and_without_elmo(task: str):
    page = opened("pages/tasks.py", task_of_paper=task)
    assert not page.exception and not page.error
    shown = html_of(page)
    assert "What to notice" in shown and "unseen examples" in shown
    if task == "entailment":
        assert len(page.get("plotly_chart")) == 1
    else:
        assert shown.count('class="spans"') == 2 and "GloVe and spellings" in shown and "with ELMo" in shown


@pytest.mark.parametrize(
    ("task", "typed", "says"),
    [
        ("names", {"tasks_names": " "}, "no text"),
        ("names", {"tasks_names": "🎉 ⚽"}, "This model knows only English"),
        ("names", {"tasks_names": "word " * 900}, "too long"),
        ("roles", {"tasks_roles": "고양이가 잔다"}, "This model knows only English"),
        ("entailment", {"tasks_second": " "}, "Type both sentences"),
        ("coreference", {"tasks_text": "quickly !"}, "needs a pronoun"),
        ("questions", {"tasks_paragraph": " "}, "a paragraph"),
        ("questions", {"tasks_question": " "}, "Type a question"),
    ],
)
def test_wrong_input_gets_one_sentence(task: str, typed: dict, says: str):
    if task not in TASKS:
        pytest.skip(f"no bundled head for {task}")
    page = opened("pages/tasks.py", task_of_paper=task, **typed)
    assert not page.exception and [says in error.value for error in page.error] == [True]
    assert "never saw" not in html_of(page)


def test_what_is_typed_is_shown_as_text():
    page = opened("pages/tasks.py", task_of_paper="names", tasks_names="<img src=x onerror=alert(1)> Anna & Bob")
    assert not page.exception and "<img" not in html_of(page).replace("&lt;img", "")


def test_spans_are_drawn_on_their_words_and_what_one_alone_says_is_marked():
    html = notices.draw_spans(
        ("Ada", "saw", "<b>"), [(0, 0, "person"), (2, 2, "x & y")], colors={"person": "#0072B2"}, dashed=[(2, 2, "x & y")]
    )
    assert html.count('class="span"') == 1 and html.count('class="span alone"') == 1 and "≠ x &amp; y" in html and "&lt;b&gt;" in html
    assert "<mark class=alone>≠ b&amp;</mark>" in notices.mark_text("ab&c", 1, 3, is_dashed=True)


def test_coreference_draws_whole_chains_each_in_a_color_with_it_among_them():
    page = opened("pages/tasks.py", task_of_paper="coreference")
    drawings = [block.proto.body for block in page.get("html") if 'class="spans"' in block.proto.body]
    without, elmo = (drawing.split("</style>")[-1] for drawing in drawings)
    first, second = "--c:#0072B2", "--c:#D55E00"
    assert elmo.count(first) == 4 and elmo.count(second) == 3 and "--c:#7F7F7F" not in elmo  # Anna She she her; a letter it it
    assert without.count(second) > 3  # the same thing has the same color on both sides
    table = tables(page)[-1]
    assert {"Anna = She = she = her", "a letter = it = it"} <= set(table["words"])


def test_chains_without_he_or_she_or_a_name_are_answered_and_one_pronoun_is_not_offered():
    page = opened("pages/tasks.py", task_of_paper="coreference", tasks_text="the dog left because it was tired")
    assert not page.exception and not page.error and not [e for e in page.expander if e.label == "Which pronoun"]


def test_a_span_within_another_is_drawn_within_it():
    html = notices.draw_spans(("her", "old", "car"), [(0, 2, "1"), (0, 0, "2")], colors={"1": "#0072B2", "2": "#D55E00"})
    assert html.index("#0072B2") < html.index("#D55E00") and html.count('class="span"') == 2 and "old car" in html
    assert list(chain_colors(12)) == [str(k) for k in range(1, 9)]




@pytest.mark.parametrize("task", TASKS)
def test_its_notebook_asks_the_same_heads(task: str, tmp_path: Path):
    """Cell after cell, as Jupyter would; texts that are typed get in as values."""
    made = notebook("tasks", {"task_of_paper": task})
    first = json.dumps(list(examples.tasks()[task][0].values()), ensure_ascii=False)
    code = "\n".join(code_cells(made))
    assert repr(json.loads(first)[0])[1:-1] in code
    path = tmp_path / "notebook.py"
    path.write_text(code, encoding="utf-8")
    assert set(runpy.run_path(str(path))["said"]) == {"baseline", "elmo"}
