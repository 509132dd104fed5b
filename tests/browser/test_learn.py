"""Test the quiz and the slides in Chromium."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import AT_REST
from tests.browser.visit import NOTICE, at_rest, fill_in, opened

STEPS = "document.documentElement.dataset.steps"  # the page listens to the keys


def test_quiz_works_by_keyboard(page: Page, server: str):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, server, "guess?quiz=7")
    answered = page.locator(".guess-squares i:is(.hit, .miss)")
    for k in range(8):
        choices = page.locator(f"[class*='st-key-guess-choose-7-{k}-'] button")
        expect(choices.first).to_be_enabled()
        expect(answered).to_have_count(k)
        if k % 2:  # by its number, once that choice is drawn, too
            expect(choices.nth(1)).to_be_enabled()
            page.wait_for_function(AT_REST)
            page.keyboard.press("2")
        else:  # as any button
            choices.first.focus()
            page.keyboard.press("Enter")
        expect(page.locator(f"[class*='st-key-guess-next-7-{k}'] button")).to_be_visible()
        expect(page.locator(NOTICE)).to_contain_text(re.compile("(1 point|0 points): .*(is right|is wrong|the label is)"))
        expect(choices).to_have_count(0)
        page.keyboard.press("ArrowRight")
    expect(page.get_by_text(re.compile(r"You matched ELMo in \d of 8"))).to_be_visible()
    line = page.locator(".share p")
    link = r"http://127\.0\.0\.1:\d+/learn\?learn_view=guess&quiz=7"
    expect(line).to_have_text(re.compile(rf"^Guess the machine 7 · [■□]{{8}} \d/8 · ELMo \d/8 · {link}$"))
    hits = int(re.search(r"(\d)/8 · ELMo", line.inner_text())[1])
    assert line.inner_text().count("■") == hits == page.locator(".guess-squares i.hit").count()
    page.get_by_role("button", name="Copy").press("Enter")
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == line.inner_text()
    page.get_by_role("button", name="Another quiz").press("Enter")
    expect(page.get_by_text("Question 1 of 8")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]quiz=\d{5}(&|$)"))
    expect(answered).to_have_count(0)
    page.go_back()
    expect(page.get_by_text("Quiz 7", exact=True)).to_be_visible()


def test_slides_change_by_arrow_keys_and_fit_a_projector(page: Page, server: str):
    page.set_viewport_size({"width": 1280, "height": 720})
    opened(page, server, "slides?slide=4")
    heading, said = page.get_by_role("heading", level=1), page.locator(NOTICE)
    page.wait_for_function(STEPS)
    for number, title in ((4, "Which layer separates the senses?"), (5, "Which words decided the sense?"), (6, "Does mixing layers help?")):
        expect(heading).to_have_text(title)
        expect(page).to_have_url(re.compile(f"slide={number}"))
        expect(page.get_by_text("Speaker’s notes")).to_be_in_viewport(ratio=1)
        page.keyboard.press("ArrowRight")  # whether the slide is complete or is still being drawn
    expect(heading).to_have_text("What does each direction read?")
    page.keyboard.press("ArrowRight")
    expect(heading).to_have_text("What about a new word?")
    page.set_viewport_size({"width": 1920, "height": 1080})  # type and picture grow with the screen
    expect(page.locator("html")).to_have_css("font-size", re.compile(r"^(24|23\.99\d*)px$"))  # a share of the screen
    page.wait_for_function("document.querySelector('.js-plotly-plot')?.getBoundingClientRect().height > 540")
    assert page.evaluate("(main => main.scrollHeight <= main.clientHeight)(document.querySelector('[data-testid=stMain]'))")
    fill_in(page.get_by_label("Invent a word"), "blorptastic <b>")
    expect(said).to_contain_text("GloVe does not know “blorptastic”")
    expect(page.get_by_test_id("stSidebar")).not_to_be_in_viewport()
    page.get_by_role("link", name="Open full page").click()
    expect(page.get_by_label("Words", exact=True)).to_have_value("blorptastic <b>")


def test_every_press_of_a_key_is_a_step(page: Page, server: str):
    held = []
    page.route("**/ButtonGroup*.js", lambda route: held.append(route))  # what draws the numbers comes late
    opened(page, server, "slides?slide=2")
    page.wait_for_function(STEPS)
    chosen, heading = page.get_by_label("Slide").get_by_role("radio", checked=True), page.get_by_role("heading", level=1)
    expect(chosen).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert held
    for route in held:
        route.continue_()
    expect(chosen).to_have_text("4")
    for key, n, number, title in (("ArrowRight", 4, "8", "What about a new word?"), ("ArrowLeft", 2, "6", "Does mixing layers help?")):
        for _ in range(n):
            page.keyboard.press(key)
            page.wait_for_timeout(120)  # a quick hand: each press falls into the run that the one before began
        expect(chosen).to_have_text(number)
        expect(heading).to_have_text(title)
    page.get_by_role("button", name="Next").dblclick()
    expect(heading).to_have_text("What about a new word?")
    at_rest(page)  # a slide that is still being drawn takes the focus from its boxes
    page.get_by_label("Invent a word").press("ArrowLeft")
    expect(chosen).to_have_text("8")


def test_slides_close_to_the_previous_page(page: Page, server: str):
    heading, side = page.get_by_role("heading", level=1), page.get_by_test_id("stSidebar")
    opened(page, server, "neighbors?k=12")
    for leave in (lambda: page.get_by_role("button", name="Close").click(), lambda: page.keyboard.press("Escape")):
        side.get_by_role("link", name="Learn").click()
        expect(heading).to_have_text("Does one word have one meaning?")
        at_rest(page)
        leave()
        expect(heading).to_have_text("What are its neighbors?")
        expect(page).to_have_url(re.compile("k=12"))
    opened(page, server, "slides?slide=2")
    page.wait_for_function(STEPS)
    page.keyboard.press("Escape")
    expect(heading).to_have_text("Does a word mean the same thing twice?")
