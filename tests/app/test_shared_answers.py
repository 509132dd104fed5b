"""What is computed for one visitor and shown to another: the keys of answers hold all that they depend on, and nothing unfinished is kept."""

from dataclasses import dataclass

import pytest

from core.cli import wire
from core.views import neighbors
from core.workspace import Names, Workspace, open_workspace
from pages._cached import opened
from pages._cached.opened import KEPT, keep, view
from tests.core.views.test_threads import models, requests_of, same, texts, write_corpora

__all__ = ["models", "texts", "write_corpora"]  # fixtures


@pytest.fixture(autouse=True)
def nothing_kept():
    opened.KEPT.__init__()
    yield
    opened.KEPT.__init__()


def test_answers_kept_for_everyone_are_those_of_the_model_and_the_texts_asked_about(texts, models):
    opener = open_workspace(next(iter(models))).opener
    workspaces = {model: Workspace(Names(model=model, corpus=texts[code].corpus), opener) for model, code in models.items()}
    several = [name for name, _ in requests_of(texts["en"], "elmo-mini")]
    for k in range(0, len(several), 2):  # every second request, of each model in turn
        for model, code in models.items():
            name, request = requests_of(texts[code], model)[k]
            compute, workspace = wire.view_named(name), workspaces[model]
            answer = view(compute, workspace, wire.request_of(workspace, compute, request))
            assert same(wire.json_of(answer), wire.answer(workspace, name, request)), (model, name)


@dataclass(frozen=True)
class Request:
    word: str


def test_an_answer_that_is_not_ready_is_asked_for_again():
    answers = iter([None, None, "ready"])

    def compute(workspace, request):
        return next(answers)

    compute.__module__ = neighbors.__name__
    workspace = open_workspace()
    assert [view(compute, workspace, Request("bank")) for _ in range(4)] == [None, None, "ready", "ready"]
    unready = iter([None, 1])
    assert [keep("a table", (), None, lambda: next(unready), most=2) for _ in range(3)] == [None, 1, 1]
    assert len(KEPT) == 2
