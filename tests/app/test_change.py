"""Test the counts on the Texts and Change pages: selected documents, unreadable dates, sorted lines."""

import csv

import pytest

from pages._frame.jobs import QUEUE
from tests.app.visit import captions, html_of, opened, opened_whole, until
from tests.core.views.test_sides import MONEY, RIVER, sentences


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("Strong bank here now today.\n" * 10, "utf-8")
    (tmp_path / "b.txt").write_text("Strong bank here now today.\n" * 40 + "Nothing of it.\n" * 50, "utf-8")
    return tmp_path


def searching(folder, **address: str):
    page = opened("pages/texts.py", corpus_way="folder", corpus_folder=str(folder))
    for name, value in {"texts_view": "search", "find": "bank", **address}.items():
        page.query_params[name] = value
    return page.run()


def test_counts_are_those_of_the_selected_documents(folder):
    page = searching(folder)
    page.multiselect(key="docs").set_value(["a.txt"]).run()
    assert not page.error
    assert "“bank” occurs 10 times (166,667 per million tokens)." in html_of(page)


def test_sorting_many_lines_by_substitutes_is_a_job(monkeypatch, folder):
    asked, add = [], QUEUE.add
    monkeypatch.setattr(QUEUE, "add", lambda *who: asked.append(who) or add(*who))
    monkeypatch.setattr("pages._texts.concordance.READ_AT_ONCE", 8)
    page = searching(folder, find_order="substitutes")
    until(lambda: "occurs 50 times" in html_of(page.run()))
    assert len(asked) >= 1 and not page.error


def test_change_by_dates_counts_unreadable_dates(tmp_path):
    dates = [*["c. 1850"] * 12, *["n.d."] * 6, *["May 1900"] * 12]
    with (path := tmp_path / "dated.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("date", "text"), *zip(dates, sentences(RIVER, 18) + sentences(MONEY, 12), strict=True)])
    page = opened_whole("pages/change.py", change_first=str(path), change_by="dates", change_word="bank")
    assert "<b>differently</b> on the two sides" in html_of(page) and "12 and 12 sentences" in html_of(page)
    assert any("Without a readable date" in each.value and "6 of 30 sentences" in each.value for each in page.caption)
    assert page.number_input(key="change.least").value == 10
    page.button(key="change.like").click().run()
    until(lambda: "words of similar frequency" in html_of(page.run()))
    page.button(key="change.rank").click().run()
    until(lambda: "Select one." in captions(page.run()))
    assert "p corrected for their number" in captions(page)
    page = opened_whole("pages/change.py", change_first=str(path), change_by="dates", a="A zebra ran.", b="The zebra slept.")
    assert "12 and 12 sentences" in html_of(page)  # of “bank”, because no side has “zebra”


ONE_DATE, NO_DATE = r"All texts of dated\.csv have one date, 1850", r"No date in dated\.csv can be read, for example “n\.d\.”"


@pytest.mark.parametrize(("dates", "message"), [(("1850", "n.d."), ONE_DATE), (("n.d.", "s.a."), NO_DATE)])
def test_texts_without_two_dates_have_no_sides(tmp_path, dates, message):
    (path := tmp_path / "dated.csv").write_text("date,text\n" + "".join(f"{date},{RIVER[0]}\n" for date in dates))
    assert message in opened_whole("pages/change.py", change_first=str(path), change_by="dates", change_word="bank").info[0].value


def test_change_offers_the_example_for_a_missing_second_text_and_follows_the_chosen_word():
    page = opened_whole("pages/change.py", change_second="sentences")
    assert any("Choose a second corpus" in each.value for each in page.info)
    page.button(key="change.example").click().run()
    assert "“court” is used <b>differently</b>" in html_of(page)
    page = opened_whole("pages/change.py")
    assert set(page.query_params) <= {"texts_view"}
    next(each for each in page.button_group if each.key == "change.word_taken").set_value("spring").run()
    assert "“spring” is used <b>differently</b>" in html_of(page) and page.query_params["change_word"] == "spring"
