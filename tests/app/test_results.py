"""Results: who leads, by how much, and whether so many texts can tell: each sentence fits the numbers it was given."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.classify.model import variant_titles
from core.significance import margin
from pages._shared.results import _kind, about_task

NAMES = ("tfidf", "mean-glove", "glove", "embedding", "elmo", "glove+elmo")


@given(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.0, 0.5, 0.83, 0.8301, 0.84, 1.0]), min_size=1),
    st.sampled_from([1, 20, 1_500, 1_000_000]),
)
@settings(deadline=None, max_examples=200)
def test_what_is_said_of_a_task_is_so(accuracy: dict[str, float], n: int):
    said, titles = (
        " ".join(about_task({v: {"accuracy": a, "train": 10, "n": n} for v, a in accuracy.items()}, "All")),
        variant_titles(),
    )
    best = max(accuracy.values())
    leaders = [v for v, a in accuracy.items() if a == best]
    assert ("equally so" in said) == (len(leaders) > 1) and all(titles[v] in said for v in leaders)
    assert f"{best:.1%}" in said and " 0.0 points" not in said
    if found := re.search(r"another kind, (.+?), is ([\d.]+) points behind: (more than|with so many texts)", said):
        runner = max((v for v in accuracy if _kind(v) != _kind(leaders[0])), key=accuracy.get)
        gap = best - accuracy[runner]
        assert accuracy[next(v for v, title in titles.items() if title == found[1])] == accuracy[runner]
        assert float(found[2]) == pytest.approx(100 * gap, abs=0.051)
        assert (found[3] == "more than") == (gap > margin(best, accuracy[runner], n))
    if "no network here is worth" in said:
        assert _kind(leaders[0]) == "plain baseline" and "more than the" in said
