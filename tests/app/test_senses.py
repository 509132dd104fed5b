"""Test the Senses pages: groups, and labels that spread."""

import functools
import json

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.corpus import label_files as saved_labels
from core.corpus.label_files import Token, format_rows, tokens_of
from core.corpus.spread import Labels
from core.elmo.models import open_model
from core.index.rows import Occurrence
from core.text import own_corpus
from core.views import induction
from core.views.induction import InductionRequest
from core.workspace import Workspace, open_workspace
from pages._cached import label_store
from pages._senses import spread
from tests.app.visit import captions, forget, html_of, opened, opened_whole, read_through, tables


def test_labels_that_could_not_be_removed_from_the_disk_do_not_come_back(monkeypatch):
    def script() -> None:
        import streamlit as st

        from pages._cached import label_store

        for token, sense in st.session_state.pop("given", ()):
            label_store.change(("sentences", "bank"), lambda now, token=token, sense=sense: now.label([token], sense))
        st.session_state.found = dict(label_store.current(("sentences", "bank")).given)

    def refuse(*_: object) -> None:
        raise saved_labels.CannotSave("no space")

    def give(*given: tuple[Token, str]) -> dict[Token, str]:
        page.session_state["given"] = given
        return page.run().session_state.found

    first, second, third = ((("The", "bank", name), 1) for name in "abc")
    page = AppTest.from_function(script)
    assert give((second, "money"), (third, "river")) == {second: "money", third: "river"}
    with monkeypatch.context() as patch:
        patch.setattr(saved_labels, "_write", refuse)
        give((second, ""))
        assert give((first, "river")) == {third: "river", first: "river"}
    assert give((third, "shore")) == kept() == {third: "shore", first: "river"}


def test_groups_without_substitutes_are_named_by_nearby_words(monkeypatch):
    monkeypatch.setattr(Workspace, "sense_space", None)
    forget("core.views.induction.compute")
    forget("occurrences of a word")
    page = opened("pages/found.py", found_word="seal", found_k="2")
    assert page.selectbox(key="found_layer").value == open_model("elmo-mini").layers.top
    assert all(" · " in name for name in tables(page)[0]["label"]) and "substitutes" not in tables(page)[-1]


KEY = ("sentences", "bank")


@functools.cache
def occurrences() -> list[Occurrence]:
    return induction.compute(open_workspace(), InductionRequest(word="bank")).occurrences.items


@pytest.fixture
def gold() -> list[str]:
    return [o.sense for o in occurrences()]


@pytest.fixture(autouse=True)
def empty_label_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(saved_labels, "cache_folder", lambda: tmp_path)


def sentences() -> list[Token]:
    return tokens_of(occurrences())


def labeled(gold: list[str], n: int = 2) -> Labels:
    labels = Labels()
    for sense in sorted(set(gold)):
        labels = labels.label([token for token, item in zip(sentences(), gold, strict=True) if item == sense][:n], sense)
    return labels


def questions(page) -> list:
    return [box for box in page.button_group if str(box.key).startswith("spread.ask.")]


def numbers(page) -> list[str]:
    return [box.key.split(".")[2] for box in questions(page)]


def rows_of(page):
    """Return the table whose rows can be selected, not the one with all figures."""
    return next(each for each in tables(page) if each.columns[0] == "sentence")


def save(labels: Labels, key=KEY) -> None:
    """As another tab would."""
    saved_labels.change_stored(saved_labels.stored_file(*key), key[1], Labels(), lambda now: now.join(labels.given))


def kept() -> dict[Token, str]:
    return dict(saved_labels.read_stored(saved_labels.stored_file(*KEY), KEY[1]))


def page_with(labels: Labels):
    save(labels)
    return opened_whole("pages/spread.py", found_word="bank")


def given_file(page, name: str, text: str):
    next(box for box in page.file_uploader if box.key.startswith("spread.file.")).upload(name, text.encode())
    return page.run()


def test_error_in_a_file_of_labels_is_shown_with_its_name():
    page = page_with(Labels())
    assert page.button(key="spread.label").disabled and page.button(key="spread.undo").disabled
    (error,) = given_file(page, "my friend’s.jsonl", '{"tokens": "x"}').error
    assert "my friend" in error.value and "line 1" in error.value


def test_labels_stay_when_the_word_changes(gold):
    page = given_file(page_with(Labels()), "bank.jsonl", format_rows("bank", labeled(gold).given))
    assert kept() == dict(labeled(gold).given)
    more = labeled(gold).label([sentences()[20]], gold[20])
    save(more)
    for word in ("spring", "bank"):
        page.selectbox(key="found_word").set_value(word).run()
    assert kept() == dict(more.given)


def test_labels_spread_and_doubtful_rows_stay_until_the_next_ones_are_requested(gold):
    page = page_with(labeled(gold))
    assert 'data-box="New name" data-most="80"' in html_of(page)  # a longer name is cut when it is pasted
    table = tables(page)[-1]
    of = {o.sentence: o.sense for o in occurrences()}
    assert np.mean([row["sense"] == of[row["sentence"]] for _, row in table.iterrows()]) >= 0.9
    assert table["by you"].sum() == 4
    assert len(questions(page)) == 3
    order, offered = list(rows_of(page)["sentence"]), numbers(page)
    for _ in range(2):
        first = questions(page)[0]
        first.set_value("river edge" if first.value != "river edge" else "financial institution").run()
        assert list(rows_of(page)["sentence"]) == order and numbers(page) == offered
    page.button(key="spread.next").click().run()
    assert offered[0] not in numbers(page) and len(numbers(page)) == 3
    assert list(rows_of(page)["sentence"]) != order


def selection(*rows: int) -> dict:
    return {"selection": {"rows": [*rows], "columns": [], "cells": []}}


def test_selected_rows_stay_until_they_are_labeled_or_the_order_changes(gold, monkeypatch):
    page, table = page_with(labeled(gold)), "spread.table.0.sentences.bank"
    page.session_state[table] = selection(2)  # as a click does
    page.run()
    questions(page)[0].set_value("river edge").run()
    page.selectbox(key="spread.sense").set_value("river edge").run()
    label = page.button(key="spread.label")
    assert label.label == "Label 1 sentence"
    with monkeypatch.context() as patch:
        patch.setattr(spread, "_show_sentences", lambda *_: st.stop())  # the run ends before the table
        label.click().run()
    page.run()
    assert page.session_state[table] == selection() and page.button(key="spread.label").label == "Label 0 sentences"
    (sent,) = filter(None, (table.proto.selection_state for table in page.dataframe))
    assert json.loads(sent) == selection()
    page.session_state[table] = selection(3)
    page.button(key="spread.next").click().run()
    assert page.button(key="spread.label").label == "Label 0 sentences"


def test_markup_in_names_of_senses_is_escaped(gold):
    names = dict(zip(sorted(set(gold)), ("**x** $y$", "?"), strict=True))
    labels = labeled(gold)
    for old, new in names.items():
        labels = labels.rename(old, new)
    offered = questions(page_with(labels))[0]
    written = [option.content.rpartition(" ")[0] or option.content for option in offered.proto.options]
    assert sorted(written) == sorted([r"\*\*x\*\* \$y\$", "?", "?"])


def test_label_is_stored_and_can_be_undone_or_removed(gold):
    page = page_with(labeled(gold))
    offered = questions(page)[0]
    number = int(offered.key.split(".")[2])
    offered.set_value("river edge").run()
    assert kept()[sentences()[number]] == "river edge"
    assert tables(opened_whole("pages/spread.py", found_word="bank"))[-1]["by you"].sum() == 5  # another visit continues
    page.button(key="spread.undo").click().run()
    assert sentences()[number] not in kept() and len(kept()) == 4
    questions(page)[0].set_value("river edge").run()
    assert len(kept()) == 5 and questions(page)[0].value == "river edge"
    questions(page)[0].set_value(None).run()  # removed where it was given
    assert len(kept()) == 4


def rename(page, old: str, new: str):
    page.selectbox(key="spread.old.0").set_value(old).run()
    page.text_input(key="spread.new.0").set_value(new).run()
    return page.button(key="spread.rename").click().run()


@pytest.mark.unread
def test_public_server_stores_no_labels(gold, monkeypatch, tmp_path):
    monkeypatch.setenv("ELMOSCOPE_PUBLIC", "on")
    page = opened_whole("pages/spread.py", found_word="bank")
    page.session_state[label_store.KEPT] = {KEY: labeled(gold)}
    rename(page.run(), "river edge", "shore")
    assert set(page.session_state[label_store.KEPT][KEY].senses) == {"financial institution", "shore"}
    assert not list(tmp_path.iterdir())


def test_refused_rename_loses_no_label(gold):
    assert "is a sense already" in rename(page_with(labeled(gold)), "river edge", "financial institution").error[0].value
    assert kept() == dict(labeled(gold).given)


def test_labels_that_exceed_a_limit_as_a_text_are_not_used_everywhere(gold, monkeypatch):
    page = page_with(labeled(gold))
    monkeypatch.setenv("ELMOSCOPE_MAX_TEXTS", "1")
    own_corpus.keep_text("Another text stays.", "other")
    page.button(key="spread.use").click().run()
    assert "The limit of stored texts is reached" in page.error[0].value and not page.exception
    assert page.session_state["corpus"] == KEY[0]


def test_damaged_row_is_set_aside_with_a_warning_and_labels_of_missing_sentences_are_counted(gold):
    save(labeled(gold))
    save(Labels((((("No", "bank", "here"), 1), "river edge"),)))
    path = saved_labels.stored_file(*KEY)
    with path.open("a") as stream:
        stream.write("{broken")
    page = opened_whole("pages/spread.py", found_word="bank")
    (warning,) = page.warning
    assert "could not all be read" in warning.value and "line 6" in warning.value and str(path.parent) not in warning.value
    assert "Labels of sentences not in this corpus, kept: 1." in captions(page)
    assert len(kept()) == 5 and "4 labels spread" in html_of(page)
    (aside,) = saved_labels.find_set_aside(path)
    page.button(key=f"spread.remove.{aside.name}").click().run()
    assert not page.warning and not saved_labels.find_set_aside(path)


def test_labels_used_everywhere_are_measured_without_guesses_and_deleted_with_their_corpus(gold, private_cache):
    page = page_with(labeled(gold, 3))
    n = len(gold)
    page.button(key="spread.use").click().run()
    corpus = read_through(page).session_state["corpus"]
    assert "6 labels spread" in html_of(page) and "6 labels are used everywhere." in captions(page)
    table = open_workspace(corpus=corpus).targets
    assert len(table.labeled_rows("bank")) == 6 and len(table.rows_to_draw("bank")) == n
    shown = read_through(opened("pages/map.py", corpus=corpus, map_word="bank"))
    assert "Of 6 “bank” sentences, each left out in turn" in html_of(shown)
    assert f"Faint dots, guessed from 6 labels, not measured: {n - 6}." in captions(shown)
    dots = next(each for each in tables(shown) if "guess" in each.columns)
    assert ((dots["sense"] == "") == (dots["guess"] != "")).all() and (dots["guess"] != "").sum() == n - 6
    other = own_corpus.keep_text("Another text stays.", "other").name
    save(Labels().label([(("Another", "text"), 1)], "x"), (other, "text"))
    stays = saved_labels.stored_file(other, "text")
    maps = list((private_cache / "maps").rglob("*.safetensors"))
    assert maps and saved_labels.stored_file(corpus, "bank").is_file()
    shown = read_through(opened("pages/texts.py", corpus=corpus))
    assert any("the labels of its words, its maps" in each.value for each in shown.markdown)
    shown.button(key="corpus.forget").click().run()
    assert not saved_labels.stored_file(corpus, "bank").exists() and stays.is_file()
    assert not [each for each in (private_cache / "maps").rglob("*.safetensors") if each in maps]
    assert len(kept()) == 6  # of the language's own sentences: not of this corpus
