"""Test the substitutes on the Why page: the effect of each word, the notebook, and unreliable cases."""

from pathlib import Path

import numpy as np
import pytest

from core.elmo.weights import save_hdf5
from pages._export.notebook_values import notebook
from tests.app.visit import captions, export_of, html_of, opened_whole, run_notebook
from tests.core.elmo.test_language_model import language_model

PAGE = "pages/why.py"
RIVER = "We sat on the grassy bank and watched the boats."


def table(page):
    return export_of(page, "decided.expected.table")


def text_of(page) -> str:
    return html_of(page) + captions(page)


@pytest.mark.parametrize(("how", "said"), [("drop", "without it"), ("mask", "with it masked"), ("swap", "with “thing” in its place")])
def test_word_that_changes_the_substitutes_most_is_named(how: str, said: str):
    page = opened_whole(PAGE, a=RIVER, ai="bank", dhow=how)
    rows = table(page).set_index("word")
    word = rows.loc[["sat", "grassy", "watched", "boats"], "change"].idxmax()
    assert f"“{word}” changes substitutes most ({rows.loc[word, 'change']:.2f}); {said}: {rows.loc[word, 'come in']} come" in text_of(page)
    assert len(rows) == 10 and "bank" not in rows.index


def test_page_and_notebook_give_the_same_changes(tmp_path: Path):
    page = opened_whole(PAGE, a=RIVER, ai="bank")
    names = run_notebook(tmp_path, notebook("why", {"a": RIVER, "ai": 5}))
    assert [round(change.size, 4) for change in names["changes"].values()] == table(page)["change"].tolist()
    moves = np.round(names["result"].moved, 4).ravel().tolist()
    assert export_of(page, "decided.table")["moves it (1 − cosine)"].tolist() == pytest.approx(moves, abs=1e-4)


def test_a_model_without_a_softmax_says_so_in_one_line(tmp_path: Path):
    save_hdf5(language_model().encoder.model, tmp_path)
    page = opened_whole(PAGE, model=str(tmp_path), a=RIVER, ai="bank")
    assert table(page) is None and text_of(page).count("has no softmax and vocabulary") == 1
