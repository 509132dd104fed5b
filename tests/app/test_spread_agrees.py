"""Labels that spread and change of meaning: page, notebook and command give one answer, ten requests each."""

import json
import re
import runpy

import pytest

from core import workspace as workspaces
from core.cli.main import main
from core.corpus import label_files, label_store
from core.corpus.spread import Labels
from core.views import induction, sides
from core.views.induction import InductionRequest
from pages._widgets import downloads
from tests.app.visit import code_cells, html_of, opened_whole, tables
from tests.core.corpus import two_texts

SPREAD_WORDS = ("bank", "court", "spring")
CHANGED = ("bank", "garden")


@pytest.fixture(scope="module")
def workspace() -> workspaces.Workspace:
    return workspaces.open_workspace()


@pytest.fixture
def run(workspace, monkeypatch, tmp_path):
    """The notebook that a page hands out, run from top to bottom; the model is opened once for all."""

    def opened(model, vectors="", corpus="", **_) -> workspaces.Workspace:
        name = model if isinstance(model, str) else model.name
        return workspaces.Workspace(workspaces.Names(model=name, vectors=vectors, corpus=corpus), workspace.opener)

    monkeypatch.setattr(workspaces, "open_workspace", opened)
    monkeypatch.setattr(label_store, "cache_folder", lambda: tmp_path)

    def run(page) -> dict:
        source = code_cells(downloads._notebook(page.session_state["_taken"]))
        (file := tmp_path / "cells.py").write_text("\n\n".join(source), encoding="utf-8")
        return runpy.run_path(str(file))

    return run


def test_page_notebook_and_command_spread_alike(workspace, run, capsys, tmp_path):
    page = opened_whole("pages/spread.py", found_word=SPREAD_WORDS[0])
    for word in SPREAD_WORDS:
        occurrences = induction.compute(workspace, InductionRequest(word=word)).occurrences
        gold = [o.sense for o in occurrences.items]
        labels = Labels()
        for sense in sorted(set(gold)):
            labels = labels.label([k for k, of in enumerate(gold) if of == sense][:2], sense)
        labels_of = dict(labels.given)
        page.session_state["found_word"] = word
        given = [(sentence, labels_of[k]) for k, sentence in enumerate(label_files.tokens_of(occurrences.items)) if k in labels_of]
        label_store.change(label_store.file_of("sentences", word), word, Labels(), lambda now, given=given: now.join(given))
        page.run()
        assert not page.exception
        table = tables(page)[-1].set_index("sentence")
        notebook = run(page)["table"].set_index("sentence")
        (file := tmp_path / "labels.jsonl").write_text(
            label_files.format_labels(word, [(o.tokens, o.position) for o in occurrences.items], labels, None), "utf-8"
        )
        assert main(["senses", "spread", "--word", word, "--labels", str(file), "--json"]) == 0
        command = {row["sentence"]: row for row in json.loads(capsys.readouterr().out)["sentences"]}
        assert len(table) == len(notebook) == len(command) == len(gold)
        for sentence, row in table.iterrows():
            assert row["sense"] == notebook.loc[sentence, "sense"] == command[sentence]["sense"], (word, sentence)
            if not row["by you"]:
                assert row["probability"] == pytest.approx(notebook.loc[sentence, "probability"], abs=1e-3)
                assert row["probability"] == pytest.approx(command[sentence]["probability"], abs=1e-3)


def test_page_notebook_and_command_see_the_same_change(run, capsys, tmp_path):
    first, second = two_texts.written(tmp_path)
    dated = two_texts.dated(tmp_path)
    for by in ("corpora", "dates"):
        options = {"change_first": first, "change_second": second} if by == "corpora" else {"change_first": dated, "change_by": "dates"}
        page = opened_whole("pages/change.py", **options)
        for word in CHANGED:
            page.text_input(key="change_word").set_value(word).run()
            assert not page.exception
            corpora = page.session_state["change.sides"]
            shown = tables(page)[0]
            notebook = run(page)
            spans = [option for k, name in ((0, "--first"), (3, "--second")) for option in (name, corpora[k])]
            spans += ["--first-dates", f"..{corpora[2]}", "--second-dates", f"{corpora[4]}.."] if by == "dates" else []
            assert main(["senses", "change", "--word", word, *spans, "--json"]) == 0
            command = json.loads(capsys.readouterr().out)
            for name, here, p in zip(command["measures"], shown["here"], shown["p"], strict=True):
                assert float(here.replace("−", "-")) == pytest.approx(command["measures"][name]["value"], abs=6e-4), (by, word, name)
                assert notebook["measures"][name].value == pytest.approx(command["measures"][name]["value"], abs=1e-4), (by, word, name)
                assert float(re.sub("[^0-9.]", "", p)) == pytest.approx(command["measures"][name]["p"], abs=5e-3), (by, word, name)
            counts = f"{command['first']} and {command['second']} sentences"
            assert counts in html_of(page), (by, word)
            assert [list(band.counts) for band in notebook["result"].bands] == [
                [band[name] for name in command["groups"]] for band in command["bands"]
            ]


def test_the_notebook_of_the_opening_example_makes_its_second_side(run):
    page = opened_whole("pages/change.py")
    result = run(page)
    assert result["result"].word == "court"
    assert [corpus for corpus, *_ in result["sides"]] == ["sentences", sides.keep_news()]
    assert f"{result['result'].change.gap.value:.3f}" == tables(page)[0]["here"].iloc[list(result["measures"]).index("gap")]
