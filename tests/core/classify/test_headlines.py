"""The headlines that every newcomer can train on: four even classes, no copies, a fifth between two classes, and worth training on."""

import csv
from collections import Counter

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from core.classify import tasks
from core.classify.data import SplitConfig
from core.common.config import ASSETS


@pytest.fixture(scope="module")
def items() -> list[dict]:
    with (ASSETS / "headlines.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_class_has_250_of_which_every_fifth_lies_between_two(items):
    assert Counter(item["label"] for item in items) == dict.fromkeys(tasks.NEWS, 250)
    for label in tasks.NEWS:
        between = Counter(item["between"] for item in items if item["label"] == label and item["between"])
        assert 45 <= sum(between.values()) <= 55 and set(between) == set(tasks.NEWS) - {label}


def test_headlines_and_leads_are_of_a_paper_s_lengths(items):
    assert all(4 <= len(item["title"].split()) <= 13 and 11 <= len(item["lead"].split()) <= 34 for item in items)


def test_no_word_of_a_class_is_in_more_than_6_percent_of_its_headlines(items):
    for label in tasks.NEWS:
        titles = [set(item["title"].lower().split()) - ENGLISH_STOP_WORDS for item in items if item["label"] == label]
        commonest = Counter(word for title in titles for word in title if word.isalpha()).most_common(1)
        assert commonest[0][1] <= 0.06 * len(titles), (label, commonest)


def test_the_task_is_there_without_any_file_of_the_reader_s(monkeypatch, tmp_path):
    monkeypatch.setenv("ELMOSCOPE_DATA", str(tmp_path))
    task = tasks.task_named("headlines")
    data = tasks.open_data(task, **tasks.task_files(task), split=SplitConfig())
    assert data.labels == tasks.NEWS and len(data.texts) == 1000
    assert tasks.task_titles()["headlines"] == "Our own headlines"
