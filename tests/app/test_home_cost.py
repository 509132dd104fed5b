"""Test that Home computes each verdict once and does not wait for unneeded work."""

import tomllib
from pathlib import Path

import pytest

from core.common.errors import MissingArtifact
from core.senses import verdict
from core.workspace import Workspace
from tests.app.visit import opened_whole

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def index_is_there() -> None:
    """Replace the fixture that waits for the index, because Home reads no index of every token."""


@pytest.fixture
def judged(monkeypatch) -> list[tuple]:
    """Return the list of the sentences whose verdict is computed. It grows with each verdict."""
    pairs, compare = [], verdict.compare

    def compare_and_count(first, second):
        pairs.append((first.tokens, second.tokens))
        return compare(first, second)

    monkeypatch.setattr(verdict, "compare", compare_and_count)
    return pairs


def test_verdict_on_a_new_sentence_is_computed_once(judged):
    page = opened_whole()
    for sentence in ("We sat on the bank until noon.", "The zebra was fair to them.", "The bank closed at four."):
        judged.clear()
        page.text_input(key="a").set_value(sentence).run()
        assert not page.exception and len(judged) == len(set(judged)) == 1, sentence


def test_verdict_does_not_need_static_vectors(monkeypatch):
    def missing(_workspace):
        raise MissingArtifact("glove-mini")

    page = opened_whole()
    monkeypatch.setattr(Workspace, "vectors", property(missing))
    page.text_input(key="a").set_value("They fished from the bank at dawn.").run()
    verdicts = [element.proto.body for element in page.get("html") if 'class="verdict"' in element.proto.body]
    assert not page.exception and any("<b>" in text and "meaning" in text.lower() for text in verdicts), verdicts
    assert page.error  # of the picture, which needs GloVe


def test_runs_do_not_wait_for_garbage_collection():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["runner"]["postScriptGC"] is False
