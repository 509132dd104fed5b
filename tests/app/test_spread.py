"""Labels that spread on the Senses page, and change of meaning on the Compare page: what a visitor does, and what is kept."""

import re
import time

import numpy as np
import pytest

from core.corpus import label_store as saved_labels
from core.corpus.label_files import Token, format_given, tokens_of
from core.corpus.spread import Labels
from core.views import induction
from core.views.induction import InductionRequest
from core.workspace import open_workspace
from pages._cached import label_store
from tests.app.test_further_words import said
from tests.app.visit import opened, opened_whole, tables
from tests.core.corpus import two_texts

KEY = ("sentences", "bank")


@pytest.fixture(scope="module")
def gold() -> list[str]:
    return [o.sense for o in induction.compute(open_workspace(), InductionRequest(word="bank")).occurrences.items]


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    """No labels of another test."""
    monkeypatch.setattr(saved_labels, "cache_folder", lambda: tmp_path)


def sentences() -> list[Token]:
    return tokens_of(induction.compute(open_workspace(), InductionRequest(word="bank")).occurrences.items)


def labeled(gold: list[str], n: int = 2) -> Labels:
    labels = Labels()
    for sense in sorted(set(gold)):
        labels = labels.label([k for k, of in enumerate(gold) if of == sense][:n], sense)
    return by_sentence(labels)


def by_sentence(labels: Labels) -> Labels:
    return Labels(tuple((sentences()[k], sense) for k, sense in labels.given))


def save(labels: Labels, key=KEY) -> None:
    """As another tab would."""
    saved_labels.change(saved_labels.file_of(*key), key[1], Labels(), lambda now: now.join(labels.given))


def kept() -> dict[Token, str]:
    """What is saved."""
    return dict(saved_labels.read(saved_labels.file_of(*KEY), KEY[1]))


def page_with(labels: Labels):
    save(labels)
    return opened_whole("pages/spread.py", found_word="bank")


def given_file(page, name: str, text: str):
    next(box for box in page.file_uploader if box.key.startswith("spread.file.")).upload(name, text.encode())
    return page.run()


def test_what_is_wrong_with_a_file_of_labels_stands_by_its_own_name_while_it_is_there():
    page = given_file(page_with(Labels()), "my friend’s.jsonl", '{"tokens": "x"}')
    for _ in range(2):
        (error,) = page.error
        assert "my friend" in error.value and "line 1" in error.value and not page.exception
        page.run()


def test_labels_added_to_those_of_a_file_stay_when_another_word_was_looked_at(gold):
    occurrences = induction.compute(open_workspace(), InductionRequest(word="bank")).occurrences
    page = given_file(page_with(Labels()), "bank.jsonl", format_given("bank", labeled(gold).given))
    assert kept() == dict(labeled(gold).given)
    more = labeled(gold).label([tokens_of(occurrences.items)[20]], gold[20])
    save(more)
    for word in ("spring", "bank"):
        page.selectbox(key="found_word").set_value(word).run()
    assert kept() == dict(more.given)


def test_before_two_senses_are_labeled_it_says_how():
    page = opened_whole("pages/spread.py", found_word="bank")
    assert any("Steps" in each.value for each in page.markdown)
    assert page.button(key="spread.label").disabled
    assert page.button(key="spread.undo").disabled


def test_a_few_labels_reach_the_rest_and_the_doubtful_are_offered(gold):
    page = page_with(labeled(gold))
    assert not page.exception
    table = tables(page)[-1]
    of = {o.sentence: o.sense for o in induction.compute(open_workspace(), InductionRequest(word="bank")).occurrences.items}
    assert np.mean([row["sense"] == of[row["sentence"]] for _, row in table.iterrows()]) >= 0.9
    assert table["by you"].sum() == 4
    offered = [each for each in page.button_group if str(each.key).startswith("spread.ask.")]
    assert len(offered) == 3


def test_names_of_senses_stand_on_buttons_as_they_are_and_a_question_mark_is_one(gold):
    names = dict(zip(sorted(set(gold)), ("**x** $y$", "?"), strict=True))
    labels = labeled(gold)
    for old, new in names.items():
        labels = labels.rename(old, new)
    page = page_with(labels)
    offered = next(each for each in page.button_group if str(each.key).startswith("spread.ask."))
    written = [option.content.rpartition(" ")[0] or option.content for option in offered.proto.options]
    assert sorted(written) == sorted([r"\*\*x\*\* \$y\$", "?", "?"]) and written[-1] == offered.proto.options[-1].content
    number = int(offered.key.split(".")[2])
    offered.set_value("?").run()
    assert kept()[sentences()[number]] == "?"


def test_a_name_that_is_too_long_is_cut_where_it_is_pasted(gold):
    assert 'data-box="New name" data-most="80"' in said(page_with(labeled(gold)))


def test_what_no_text_holds_is_no_part_of_a_word():
    page = opened_whole("pages/spread.py", found_word="bank")
    box = page.selectbox(key="found_word")
    box.options.append("spr\x01ing")  # as a browser takes any
    box.set_value("spr\x01ing").run()
    assert page.query_params["found_word"] == "spring" and "“spring”" in said(page)


def test_an_answer_is_a_label_that_can_be_undone_and_is_kept_on_this_machine(gold, tmp_path):
    page = page_with(labeled(gold))
    offered = next(each for each in page.button_group if str(each.key).startswith("spread.ask."))
    number = int(offered.key.split(".")[2])
    offered.set_value("river edge").run()
    assert kept()[sentences()[number]] == "river edge"
    (file,) = (tmp_path / "labels").rglob("*.jsonl")
    assert len(file.read_text("utf-8").splitlines()) == 5
    again = opened_whole("pages/spread.py", found_word="bank")  # another visit goes on
    assert tables(again)[-1]["by you"].sum() == 5
    page.button(key="spread.undo").click().run()
    assert sentences()[number] not in kept() and len(kept()) == 4


@pytest.mark.unread
def test_on_a_public_server_nothing_is_kept(gold, monkeypatch, tmp_path):
    monkeypatch.setenv("ELMOSCOPE_PUBLIC", "on")
    page = opened_whole("pages/spread.py", found_word="bank")
    page.session_state[label_store.KEPT] = {KEY: labeled(gold)}
    page.run()
    page.selectbox(key="spread.old.0").set_value("river edge").run()
    page.text_input(key="spread.new.0").set_value("shore").run()
    page.button(key="spread.rename").click().run()
    assert set(page.session_state[label_store.KEPT][KEY].senses) == {"financial institution", "shore"}
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_done_is_said_and_nothing_is_lost(gold):
    page = page_with(labeled(gold))
    page.selectbox(key="spread.old.0").set_value("river edge").run()
    page.text_input(key="spread.new.0").set_value("financial institution").run()
    page.button(key="spread.rename").click().run()
    assert "is a sense already" in page.error[0].value
    assert kept() == dict(labeled(gold).given)


def test_a_word_between_two_texts_is_said_to_differ(tmp_path):
    first, second = two_texts.written(tmp_path)
    page = opened_whole("pages/change.py", change_word="bank", change_first=first, change_second=second)
    assert not page.exception
    for _ in range(30):  # both texts are read beside the page
        if tables(page):
            break
        time.sleep(1)
        page.run()
    assert "<b>differently</b> on the two sides" in said(page)
    measures = tables(page)[0]
    assert list(measures["distance"])[:1] == ["APD, pairs of sentences"]
    page.button(key="change.rank").click().run()
    assert not page.exception


def test_change_opens_with_its_example_drawn():
    """From the word's own sentences: neither corpus is read as a whole until the list is wanted."""
    page = opened_whole("pages/change.py")
    assert re.search(r"“court” is used <b>differently</b> on the two sides \(p = 0\.00\d; 44 and 12 sentences\)", said(page))
    assert any("compares two genres" in each.value for each in page.caption)
    assert set(page.query_params) <= {"texts_view"}
    second = page.selectbox(key="change_second")
    assert "headlines.csv" in second.options and second.value.startswith("headlines.csv · ")
    next(each for each in page.button_group if each.key == "change.word_taken").set_value("spring").run()
    assert "“spring” is used <b>differently</b>" in said(page)
    assert page.query_params["change_word"] == "spring"
    own = opened_whole("pages/change.py", change_word="plant")
    assert "“plant” is used <b>differently</b>" in said(own)
    rare = opened("pages/change.py", change_word="mouse")
    assert "“mouse” is in 32 and 0 sentences" in rare.error[0].value
    assert rare.button(key="change.rank")


def test_without_a_second_text_it_says_what_is_missing_and_offers_the_example():
    page = opened_whole("pages/change.py", change_second="sentences")
    assert any("Choose a second corpus" in each.value for each in page.info)
    page.button(key="change.example").click().run()
    assert "“court” is used <b>differently</b>" in said(page)
    dates = opened("pages/change.py", change_by="dates")
    assert any("has no dates" in each.value for each in dates.info)
