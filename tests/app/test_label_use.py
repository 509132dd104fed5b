"""Labels on every page: what two tabs see, what a person said and what the model guessed, rows that stay, a corpus that is deleted."""

import pytest

from core.corpus import label_store
from core.corpus.spread import Labels
from core.senses import clusters
from core.text import own_corpus
from core.views import induction
from core.views.induction import InductionRequest
from core.workspace import open_workspace
from tests.app.test_further_words import said
from tests.app.test_spread import by_sentence, kept, labeled, own_cache, page_with, save  # noqa: F401
from tests.app.visit import opened, opened_whole, tables

KEY = ("sentences", "bank")


@pytest.fixture(scope="module")
def gold() -> list[str]:
    return [o.sense for o in induction.compute(open_workspace(), InductionRequest(word="bank")).occurrences.items]


def read_through(page):
    """Until a corpus is read."""
    for _ in range(60):
        assert not page.exception
        if not any("Stop" in str(button.label) for button in page.button):
            return page
        page.run()
    raise AssertionError("the corpus is not read")


def rows_of(page):
    """The table whose rows are ticked, not the one with all figures."""
    return next(each for each in tables(page) if each.columns[0] == "sentence")


def captions(page) -> str:
    return " ".join(each.value for each in page.caption)


def test_rows_stay_in_place_until_the_next_ones_are_asked_for(gold):
    page = page_with(labeled(gold))
    order = list(rows_of(page)["sentence"])
    offered = [each.key.split(".")[2] for each in page.button_group if str(each.key).startswith("spread.ask.")]
    for _ in range(2):
        asked = [each for each in page.button_group if str(each.key).startswith("spread.ask.")]
        asked[0].set_value("river edge" if asked[0].value != "river edge" else "financial institution").run()
        assert list(rows_of(page)["sentence"]) == order
        assert [each.key.split(".")[2] for each in page.button_group if str(each.key).startswith("spread.ask.")] == offered
    page.button(key="spread.next").click().run()
    now = [each.key.split(".")[2] for each in page.button_group if str(each.key).startswith("spread.ask.")]
    assert offered[0] not in now and len(now) == 3
    assert list(rows_of(page)["sentence"]) != order


def test_an_answer_is_taken_back_where_it_was_given(gold):
    page = page_with(labeled(gold))
    first = next(each for each in page.button_group if str(each.key).startswith("spread.ask."))
    first.set_value("river edge").run()
    assert len(kept()) == 5
    first = next(each for each in page.button_group if str(each.key).startswith("spread.ask."))
    assert first.value == "river edge"
    first.set_value(None).run()
    assert len(kept()) == 4


def test_two_tabs_see_and_keep_each_others_labels(gold):
    first, second = page_with(labeled(gold)), opened_whole("pages/spread.py", found_word="bank")
    asked = [each for each in second.button_group if str(each.key).startswith("spread.ask.")]
    asked[2].set_value("river edge").run()
    asked = [each for each in first.button_group if str(each.key).startswith("spread.ask.")]
    asked[0].set_value("river edge").run()
    assert len(kept()) == 6
    assert "6 labels spread" in said(first)
    second.run()
    assert "6 labels spread" in said(second)
    first.button(key="spread.undo").click().run()
    assert len(kept()) == 5


def test_a_file_that_cannot_be_read_is_told_and_can_be_downloaded(gold):
    save(labeled(gold))
    path = label_store.file_of(*KEY)
    with path.open("a") as stream:
        stream.write("{broken")
    page = opened_whole("pages/spread.py", found_word="bank")
    (warning,) = page.warning
    assert "could not all be read" in warning.value and "line 5" in warning.value and str(path.parent) not in warning.value
    assert len(kept()) == 4 and "4 labels spread" in said(page)
    (aside,) = label_store.set_aside(path)
    page.button(key=f"spread.remove.{aside.name}").click().run()
    assert not page.warning and not label_store.set_aside(path)


def test_labels_of_sentences_that_are_not_here_are_kept_and_counted(gold):
    save(labeled(gold))
    save(Labels((((("No", "bank", "here"), 1), "river edge"),)))
    page = opened_whole("pages/spread.py", found_word="bank")
    assert "1 label is of a sentence not in this corpus; kept." in captions(page)
    assert "4 labels spread" in said(page)


def test_labels_that_all_pages_use_stay_and_the_models_guesses_are_not_measured(gold):
    page = page_with(labeled(gold, 3))
    n = len(gold)
    page.button(key="spread.use").click().run()
    read_through(page)
    assert "6 labels spread" in said(page) and "6 labels are used everywhere." in captions(page)
    corpus = page.session_state["corpus"]
    workspace = open_workspace(corpus=corpus)
    table = workspace.targets
    assert len(table.labeled_rows("bank")) == 6 and len(table.rows_to_draw("bank")) == n
    shown = opened("pages/map.py", corpus=corpus, map_word="bank")
    read_through(shown)
    assert "Of 6 “bank” sentences, each left out in turn" in said(shown)
    assert f"{n - 6} faint dots are guesses from 6 labels, not measured." in captions(shown)
    dots = next(each for each in tables(shown) if "guess" in each.columns)
    assert ((dots["sense"] == "") == (dots["guess"] != "")).all() and (dots["guess"] != "").sum() == n - 6


def test_a_deleted_corpus_takes_its_labels_and_maps_with_it_and_says_so(gold, private_cache):
    page = page_with(labeled(gold, 4))  # not as many as in another test: its map would be in memory
    page.button(key="spread.use").click().run()
    corpus = read_through(page).session_state["corpus"]
    read_through(opened("pages/map.py", corpus=corpus, map_word="bank"))
    other = own_corpus.keep_text("Another text stays.", "other").name
    stays = label_store.file_of(other, "text")
    label_store.change(stays, "text", Labels(), lambda now: now.label([(("Another", "text"), 1)], "x"))
    maps = list((private_cache / "maps").rglob("*.safetensors"))
    assert maps and label_store.file_of(corpus, "bank").is_file()
    shown = read_through(opened("pages/texts.py", corpus=corpus))
    assert any("the labels of its words, its maps" in each.value for each in shown.markdown)
    shown.button(key="corpus.forget").click().run()
    assert not shown.exception
    assert not label_store.file_of(corpus, "bank").exists() and stays.is_file()
    assert not [each for each in (private_cache / "maps").rglob("*.safetensors") if each in maps]
    assert len(kept()) == 8  # of the language's own sentences: not of this corpus


def test_groups_that_a_model_found_are_no_labels_on_other_pages(gold, tmp_path):
    """What Senses exports of its groups, added as a corpus: drawn, with nothing measured."""
    items = induction.compute(open_workspace(), InductionRequest(word="bank")).occurrences.items
    file = tmp_path / "groups.jsonl"
    file.write_text(clusters.labeled_jsonl(items, [f"group {k % 2}" for k in range(len(items))], "bank"), "utf-8")
    page = read_through(opened("pages/map.py", corpus=str(file), map_word="bank"))
    assert not page.exception and "have a nearest sentence" not in said(page)
    assert f"{len(items)} faint dots are guesses" in captions(page)
    home = opened("app.py", corpus=str(file), a="We sat on the bank.", b="The bank lent money.")
    assert not home.exception and "group 0" not in said(home)


def test_a_sentence_that_occurs_twice_has_one_label_in_both_places(tmp_path):
    """Of five sentences in pairs of equal ones: labels last from one visit to the next, and none is lost by a further one."""
    lines = ["The bank of the river was muddy.", "The bank lent us money.", "The bank lent us money.", "A bank by the water."] * 3
    corpus = own_corpus.keep_text("\n".join([*lines, "The bank was shut.", "Our bank closed."]), "mine", lines="keep").name
    items = read_and_items(corpus)
    key = (corpus, "bank")
    copies = [(o.tokens, o.position) for o in items]
    label_store.change(label_store.file_of(*key), "bank", Labels(), lambda now: now.label([copies[0]], "river").label([copies[1]], "money"))
    page = read_through(opened("pages/spread.py", corpus=corpus, found_word="bank"))
    assert rows_of(page)["by you"].sum() == 9  # three of the one sentence, six of the other
    asked = [each for each in page.button_group if str(each.key).startswith("spread.ask.")]
    asked[0].set_value("river").run()
    again = read_through(opened("pages/spread.py", corpus=corpus, found_word="bank"))
    assert rows_of(again)["by you"].sum() == rows_of(page)["by you"].sum() > 9 and not again.warning


def read_and_items(corpus: str):
    read_through(opened("pages/spread.py", corpus=corpus, found_word="bank"))
    return induction.compute(open_workspace(corpus=corpus), InductionRequest(word="bank")).occurrences.items
