"""Groups of senses: made in the sense space, named by substitutes, with each sentence's shares; and what a model without them shows."""

from core.elmo.models import open_model
from core.views import induction
from pages._cached import opened as opened_pages
from tests.app.visit import html_of, opened, tables


def test_it_opens_on_the_sense_space_and_names_groups_by_their_substitutes():
    page = opened("pages/found.py", found_word="bank", found_k="2")
    control = page.selectbox(key="found_layer")
    assert not page.exception and control.value == "senses" and control.options == ["sense space", "1", "2", "mix"]
    editor, table = tables(page)[0], tables(page)[-1]
    names = list(editor["label"])
    assert all(len(name.split(", ")) == 2 for name in names) and 'class="shares"' in html_of(page)
    shares = table[["share, group 1", "share, group 2"]]
    assert abs(shares.sum(axis=1) - 1).max() < 0.002 and set(table["label"]) == set(names) and all(table["substitutes"])
    assert not opened("pages/found.py", found_word="bank", found_layer="2").exception


def test_without_substitutes_groups_are_made_in_layers_and_named_by_the_words_near_by(monkeypatch):
    monkeypatch.setattr(induction, "space_of", lambda workspace: None)
    opened_pages.KEPT.forget("core.views.induction.compute")
    opened_pages.KEPT.forget("occurrences of a word")
    page = opened("pages/found.py", found_word="seal", found_k="2")
    assert not page.exception and page.selectbox(key="found_layer").value == open_model("elmo-mini").layers.top
    editor, table = tables(page)[0], tables(page)[-1]
    assert all(" · " in name for name in editor["label"]) and "substitutes" not in table


def test_a_group_of_fewer_than_five_sentences_has_no_name_of_a_sense_and_is_not_exported():
    page = opened("pages/found.py", found_word="bank", found_k="8")
    editor = tables(page)[0]
    few = editor["sentences"] < 5
    assert few.any() and not few.all() and not page.exception
    assert all(("too few" in name) == is_few for name, is_few in zip(editor["label"], few, strict=True))


