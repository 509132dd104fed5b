"""Classify: what cannot be read is not answered, three classifiers stand in front, and each sentence fits the bars it speaks of."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.classify.head import Answer
from core.classify.model import VARIANTS, variant_titles
from core.classify.readable_words import read_and_unread
from pages._classify.notices import CLOSE, PAIRS, describe_answers
from pages._classify.show import FRONT
from pages._frame import examples
from tests.app.visit import html_of, opened, written

LABELS = ("World", "Sports", "<b>Business</b>")


def sentence_below(page) -> str:
    return " ".join([html_of(page), *(item.value for item in (*page.info, *page.caption))])


@pytest.mark.parametrize("text", ["삼성전자 주가 급등", "🎉 ⚽ !!", "…?!"])
def test_what_nobody_can_read_gets_no_answer(text: str):
    page = opened("pages/classify.py", **{"text_news-title": text})
    assert not page.exception and not page.error
    assert ["know no letter of this text" in item.value for item in page.info] == [True]
    assert "What to notice" not in html_of(page) and not page.get("plotly_chart")


def test_what_is_read_of_a_mixed_text_is_answered_and_the_rest_named():
    page = opened("pages/classify.py", **{"text_news-title": "Harvest festival opens in 부산 with fireworks"})
    assert "What to notice" in html_of(page)
    assert any("Not read" in item.value and "부산" in item.value for item in page.caption)
    assert not any("Only the first" in item.value for item in page.caption)


def test_a_long_text_says_how_much_of_it_is_read():
    page = opened("pages/classify.py", **{"text_news-title": "The mayor opened a new bridge. " * 100})
    assert any("Only the first 128 of 700 tokens" in item.value for item in page.caption)


def test_three_classifiers_stand_in_front_and_all_on_demand():
    page = opened("pages/classify.py")
    assert not page.exception
    why = page.selectbox(key="why")
    assert list(why.options) == [variant_titles()[name] for name in FRONT]
    everyone = opened("pages/classify.py", all="true")
    why = everyone.selectbox(key="why")
    assert len(list(why.options)) == len(VARIANTS)
    assert any("for all predictions" in item.value for item in everyone.caption)
    assert not any("for all predictions" in item.value for item in page.caption) and "calibration" not in sentence_below(page)


def test_every_example_has_words_to_read():
    letters = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
    assert all(read_and_unread(tuple(text.split()), letters)[0] for texts in examples.classify().values() for text in texts)


def test_words_of_other_letters_are_told_from_marks():
    assert read_and_unread(("Ab", "부산", "🎉", "!", "x부", "부산"), frozenset("abx")) == (("Ab", "x부"), ("부산",))
    assert read_and_unread(("부산", "!"), frozenset()) == (("부산",), ())  # nothing tells: read


@st.composite
def answers(draw) -> dict[str, Answer]:
    names = draw(st.lists(st.sampled_from([*FRONT, "embedding", "embedding+elmo"]), min_size=1, max_size=5, unique=True))
    labels = LABELS[: draw(st.integers(1, 3))]
    result = {}
    for name in names:
        weights = draw(st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.0, 5.0]), min_size=len(labels), max_size=len(labels)))
        total = sum(weights) or 1.0
        row = {label: (w / total if sum(weights) else 1 / len(labels)) for label, w in zip(labels, weights, strict=True)}
        result[name] = Answer(max(row, key=row.get), row, 0.0)
    return result


@given(answers())
@settings(deadline=None, max_examples=150)
def test_what_is_said_of_answers_is_so(result: dict[str, Answer]):
    said, titles = " ".join(written(describe_answers(result, []))), variant_titles()
    labels = [answer.label for answer in result.values()]
    assert "<b>Business</b>" not in said.replace("&lt;b&gt;Business&lt;/b&gt;", "")  # a label is text
    if match := re.search(r"All (\d+) say", said):
        assert int(match[1]) == len(result) > 1 and len(set(labels)) == 1
    elif match := re.search(r"(\d+) of (\d+) say <b>(.+?)</b>", said):
        n = int(match[1])
        assert int(match[2]) == len(result) and n > max([0, *(labels.count(item) for item in set(labels) if labels.count(item) != n)])
        assert sum(labels.count(item) == n for item in set(labels)) == 1  # nobody else has as many
    elif len(result) > 1:
        assert "They disagree" in said
    for name, answer in result.items():
        ranked = sorted(answer.probabilities.values(), reverse=True)
        close = len(ranked) > 1 and ranked[0] - ranked[1] < CLOSE
        sentence = next((line for line in describe_answers(result, []) if line.startswith("Too close")), "")
        assert (titles[name] in sentence.partition(":")[0].removeprefix("Too close to call for ").split(", ")) == close or "," in titles[
            name
        ]
    leads = [answer.lead for answer in result.values() if answer.lead < CLOSE]
    assert ("its top two" in said, "their top two" in said) == (len(leads) == 1, len(leads) > 1)
    for before, after in re.findall(r"goes from (\d+)% to (\d+)%", said):
        assert before != after


@given(answers(), st.sampled_from(["", *LABELS]))
@settings(deadline=None, max_examples=100)
def test_elmo_helps_where_only_its_answer_is_right(result: dict[str, Answer], label: str):
    first = written(describe_answers(result, [], label))[0]
    pair = next(([result[name].label for name in names] for names in PAIRS if result.keys() >= {*names}), None)
    assert ("ELMo" in first.split(":")[0]) >= (pair is not None)
    if pair and label:
        right = [said == label for said in pair]
        assert ("ELMo helps" in first, "does not help" in first) == (right == [False, True], right == [True, True])
        assert ("ELMo hurts" in first, "Wrong with and without" in first) == (right == [True, False], right == [False, False])
    elif pair:
        assert ("changes nothing" in first) == (pair[0] == pair[1])


def test_classifiers_trained_on_our_own_headlines_answer_and_are_offered_by_name():
    page = opened("pages/classify.py", task="headlines")
    assert not page.exception and not page.error
    assert "What to notice" in html_of(page) and page.get("plotly_chart")
    assert "Our own headlines" in page.selectbox(key="task").options
    assert page.text_area(key="text_headlines").value == next(iter(examples.classify()["headlines"]))
