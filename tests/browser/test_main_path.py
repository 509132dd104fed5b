"""The main path in a real Chromium: cold deep links, a sentence typed, a word tapped, a slider moved, dots selected."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.links import address

pytestmark = pytest.mark.browser

TITLES = {
    "": "Does a word mean the same thing twice?",
    "neighbors": "What are its neighbors?",
    "map": "Do the senses separate?",
    "mix": "Which layers matter?",
    "classify": "Does context help a classifier?",
    "tasks": "What does ELMo add to a task?",
    "train": "What does each classifier learn?",
    "results": "When does ELMo help?",
    "about": "What does this model know?",
    "predict": "What word comes next, and what came before?",
    "why": "What decided this sense?",
    "texts": "What do your own texts say?",
    "search": "Where does a word occur?",
    "found": "How many meanings does it have here?",
    "compare": "Do two models agree?",
    "how": "How does a sentence become a vector?",
    "lessons": "How similar are two unrelated words?",
    "slides": "Does one word have one meaning?",
    "guess": "Which sense does ELMo choose?",
    "spread": "Label a few: what are the rest?",
    "collocates": "Which words go together?",
    "keyness": "What is this corpus about?",
    "change": "Does it mean the same in both?",
}


def opened(page: Page, server: str, path: str) -> Page:
    page.goto(f"{server}/{address(path)}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("What to notice.").first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    return page


def choose(page: Page, label: str, option: str) -> None:
    """Choose from a drop-down list."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def at_rest(page: Page) -> None:
    """Wait until nothing is drawn any more: for what is done by the place of a thing, as with the mouse."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=120_000)


def test_typing_a_sentence_moves_the_numbers_and_the_url(page: Page, server: str):
    opened(page, server, "")
    notice = page.locator("[data-stale=false] .notice")
    before = notice.inner_text()
    box = page.get_by_label("First sentence", exact=True)
    box.fill("The bank refused to lend the farmer any more money.")
    box.press("Enter")
    expect(notice).not_to_have_text(before)
    expect(page).to_have_url(re.compile("a=The\\+?(%20)?bank"))


def test_a_link_reopens_the_same_view(page: Page, server: str):
    opened(page, server, "?a=He+lit+a+match.&ai=match&b=We+won+the+match.&bi=match&layer=1")
    expect(page.get_by_label("First sentence", exact=True)).to_have_value("He lit a match.")
    expect(page.locator("[data-stale=false] .notice")).to_be_visible()
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", re.compile("^Layer 1\\b"))


def test_sentences_are_kept_from_page_to_page(page: Page, server: str):
    opened(page, server, "")
    box = page.get_by_label("Second sentence", exact=True)
    box.fill("The spring in the clock was broken.")
    box.press("Enter")
    expect(page).to_have_url(re.compile("b=The"))
    page.get_by_test_id("stSidebar").get_by_role("link", name="Neighbors").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLES["neighbors"])
    expect(page.get_by_label("Second sentence", exact=True)).to_have_value("The spring in the clock was broken.")


def test_layer_0_gives_both_sentences_one_list_and_layer_2_does_not(page: Page, server: str):
    opened(page, server, "neighbors?nlayer=0")
    expect(page.locator("[data-stale=false] .notice")).to_contain_text("the lists are identical")
    page.get_by_role("radio", name="2", exact=True).click()
    expect(page.locator("[data-stale=false] .notice")).to_contain_text("At layer 2 the lists share")


def test_a_slider_changes_the_mix_without_running_the_page_again(page: Page, server: str):
    opened(page, server, "mix")
    page.evaluate("document.querySelector('h1').dataset.kept = 'yes'")
    notice = page.locator("[data-stale=false] .notice")
    expect(notice).to_be_visible()
    slider = page.get_by_role("slider").nth(2)
    slider.focus()
    for _ in range(25):
        slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("w2="))
    assert page.evaluate("document.querySelector('h1').dataset.kept") == "yes"


def standing(plot: Locator) -> dict[str, float]:
    """Where it is once it has not moved for a second: what is above it may still grow, and a drag would miss it."""
    boxes = [plot.bounding_box()]
    while boxes[-4:] != boxes[-1:] * 4:
        plot.page.wait_for_timeout(300)
        boxes.append(plot.bounding_box())
    return boxes[-1]


def test_selected_dots_are_listed(page: Page, server: str):
    opened(page, server, "map?view=all+layers")
    at_rest(page)
    plot = page.locator(".js-plotly-plot .nsewdrag").first
    plot.scroll_into_view_if_needed()
    box = standing(plot)
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=8)
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] - 5, steps=8)
    page.mouse.up()
    expect(page.get_by_text(re.compile(r"\d+ selected"))).to_be_visible()
    expect(page.get_by_role("button", name="Download selection")).to_be_visible()


def test_markup_in_a_sentence_is_shown_and_never_run(page: Page, server: str):
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    opened(page, server, "neighbors?a=The+bank+%3Cimg+src%3Dx+onerror%3Dalert(1)%3E+%3Cb%3Eis%3C%2Fb%3E+shut.&ai=bank")
    expect(page.get_by_label("First sentence", exact=True)).to_have_value(re.compile("<img"))
    expect(page.locator("img[src='x']")).to_have_count(0)


def test_the_training_is_drawn_as_asked_and_the_link_says_so(page: Page, server: str):
    opened(page, server, "about")
    page.locator("summary", has_text="How it learned").click()
    expect(page.get_by_text("held-out perplexity")).to_be_visible()
    choose(page, "Curve", "Learning rate")
    expect(page.locator(".ytitle", has_text="learning rate")).to_be_visible()
    expect(page).to_have_url(re.compile("curve=learning_rate"))
    expect(page.locator(".ytitle", has_text="held-out perplexity")).to_have_count(0)


def test_the_model_page_has_a_panel_for_each_task_with_its_layers(page: Page, server: str):
    opened(page, server, "about")
    for title in ("Parts of speech", "Senses of four words", "Senses of all words", "Senses in our sentences"):
        expect(page.locator(".colhead", has_text=title)).to_be_visible()
    # only the charts: a table that has scrolled into view has such a cell too
    charts = page.locator(".js-plotly-plot").filter(has=page.get_by_text("layer 2", exact=True))
    expect(charts).to_have_count(4)
