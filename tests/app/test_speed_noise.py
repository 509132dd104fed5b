"""Speed and typing errors: one picture first, no word of goals, and what is said of figures fits them."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.classify.model import variant_titles
from core.common.significance import margin
from core.experiments.typing_errors import read_accuracy
from core.files.artifacts import read_json
from pages._classify.typing_accuracy import about_accuracy
from pages._model.speed import FILE, SHOWN, about_speed, compared
from tests.app.test_pages import html_of, opened
from tests.core.common.test_i18n import entries


def test_the_speed_page_opens_on_one_picture_and_judges_no_goal():
    page = opened("pages/speed.py")
    assert not page.exception and len(page.get("plotly_chart")) == 1
    shown = " ".join([html_of(page), *map(str, (table.value.columns.tolist() for table in page.dataframe))])
    assert "What to notice" in shown and not re.search(r"\b(goal|met|missed)\b", shown)


def test_every_figure_in_front_was_measured_and_its_ratio_is_a_speed():
    rows = read_json(FILE, expect=dict)["rows"]
    found = compared(rows)
    assert len(found) == len(SHOWN) and "8.31 times as fast" in about_speed(found)[0]
    cold = next(one for one in found if "cold" in one.what)
    row = next(row for row in rows if row["name"] == "first useful paint, cold server")
    assert cold.times == pytest.approx(1 / row["ratio"]["value"]) and "cold server" in about_speed(found)[1]
    assert "nothing is claimed" in about_speed(compared([]))[0]


def test_every_row_is_said_in_korean_where_it_names_no_program():
    rows = read_json(FILE, expect=dict)["rows"]
    said = [row["said"]["text"] for row in rows] + [row["peer"]["said"]["text"] for row in rows if row["peer"]]
    programs = {"AllenNLP 2.10.1", "float32", "umap.UMAP.transform", "umap.UMAP.fit"}
    assert set(said) - programs <= {english for (english, *_), _ in entries("ko")}
    assert all(row["said"]["text"].format(**row["said"]["values"]) == row["name"] for row in rows)
    found = opened("pages/speed.py", lang="ko")
    assert "문장에서 층까지, small 모양" in html_of(found)


def test_only_tasks_with_measured_accuracies_are_offered_under_noise():
    page = opened("pages/spelling.py", spell_view="Classifiers and typing errors")
    assert not page.exception and not page.error
    offered = next(group for group in page.get("button_group") if group.key == "noise_task").options
    assert len(list(offered)) == len(read_accuracy()) >= 4
    assert not any("has not been measured" in one.value for one in page.info)


@given(
    st.dictionaries(
        st.sampled_from(["tfidf", "glove", "elmo", "glove+elmo"]),
        st.tuples(st.sampled_from([0.5, 0.8, 1.0]), st.sampled_from([0.3, 0.301, 0.5, 0.8, 1.0])),
        min_size=1,
    ),
    st.sampled_from([1, 100, 100_000]),
)
@settings(deadline=None, max_examples=150)
def test_what_is_said_of_accuracies_under_noise_is_so(given_: dict, n: int):
    lines, titles = {name: np.array(ends) for name, ends in given_.items()}, variant_titles()
    said = about_accuracy(n, 0.4, lines)
    loss = {name: a - b for name, (a, b) in given_.items()}
    if len(lines) == 1:
        assert len(said) == 1 and "least" not in said[0]
        return
    least = next(name for name in lines if f", {titles[name]} loses" in said[0])
    assert loss[least] == min(loss.values()) and ("loses nothing" in said[0]) == (loss[least] <= 0) and " 0.0 percentage" not in said[0]
    best = max(b for _, b in given_.values())
    rivals = [name for name, (_, b) in given_.items() if best - b <= margin(best, b, n)]
    assert ("cannot be told" in said[1]) == (len(rivals) > 1)
    assert all(titles[name] in said[1] for name in rivals)
