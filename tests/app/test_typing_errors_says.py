"""Typing errors: what is offered was measured, and what is said of figures fits them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.classify.model import variant_titles
from core.common.significance import margin
from core.experiments.typing_errors import read_accuracy
from pages._classify.typing_accuracy import describe_accuracy
from tests.app.test_pages import opened


def test_only_tasks_with_measured_accuracies_are_offered_under_noise():
    page = opened("pages/spelling.py", spell_view="Classifiers and typing errors")
    assert not page.exception and not page.error
    offered = next(group for group in page.get("button_group") if group.key == "noise_task").options
    assert len(list(offered)) == len(read_accuracy()) >= 4
    assert not any("Not measured" in item.value for item in page.info)


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
    said = describe_accuracy(n, 0.4, lines)
    loss = {name: a - b for name, (a, b) in given_.items()}
    if len(lines) == 1:
        assert len(said) == 1 and "least" not in said[0]
        return
    least = next(name for name in lines if f", {titles[name]} loses" in said[0])
    assert loss[least] == min(loss.values()) and ("loses nothing" in said[0]) == (loss[least] <= 0) and " 0.0 percentage" not in said[0]
    best = max(b for _, b in given_.values())
    rivals = [name for name, (_, b) in given_.items() if best - b <= margin(best, b, n)]
    assert ("inconclusive" in said[1]) == (len(rivals) > 1)
    assert all(titles[name] in said[1] for name in rivals)
