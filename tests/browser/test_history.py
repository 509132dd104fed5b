"""Test visits in Chromium: the history, links between pages, and what a page requests."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.bench.pages import LATE, visits
from tests.browser.conftest import AT_REST, WAIT_MS
from tests.browser.visit import at_rest, choose, fill_in
from tests.links import address

# Elements whose Korean text may be cut inside a word.
CUT = """() => [...document.querySelectorAll('.stApp *')]
  .filter(e => !(e instanceof SVGElement) && [...e.childNodes].some(n => n.nodeType === 3 && /[가-힣]/.test(n.data)))
  .filter(e => getComputedStyle(e).wordBreak !== 'keep-all').map(e => e.outerHTML.slice(0, 150))"""
HOME, NEIGHBORS = "Does a word mean the same thing twice?", "What are its neighbors?"
JAM, MOLE = "They were stuck in a jam near the tunnel.", "The mole dug a tunnel."


def filled(page: Page, key: str, text: str) -> None:
    fill_in(page.locator(f".st-key-{key} input"), text)


def lowest_layer(page: Page) -> None:
    page.get_by_role("slider").press("Home")
    expect(page).to_have_url(re.compile("layer=0"))  # the slider glides there first


def shows(page: Page, title: str, a: str = "", words: tuple[str, str] = ("", "")) -> None:
    """Check the title, and on a page with sentences the first sentence and both targets."""
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    if a:
        expect(page.locator(".st-key-a input")).to_have_value(a)
        for key, word in zip(("ai", "bi"), words, strict=True):
            expect(page.locator(f'.st-key-{key} [aria-checked="true"]')).to_have_text(word)


def test_back_and_forward_restore_views(page: Page, server: str):
    korean = "같은 단어는 두 번 나와도 같은 뜻일까요?"
    bank, star = "We sat on the grassy bank and watched the boats go by.", "The brightest star in the sky is Sirius."
    page.goto(server)
    shows(page, HOME, bank, ("bank", "bank"))
    steps: list[tuple[Callable[[], None], str, str, tuple[str, str]]] = [
        (lambda: page.locator(".st-key-example button", has_text="star").click(), HOME, star, ("star", "star")),
        (lambda: filled(page, "a", JAM), HOME, JAM, ("jam", "star")),
        (lambda: filled(page, "b", MOLE), HOME, JAM, ("tunnel", "tunnel")),
        (lambda: page.locator(".st-key-ai button", has_text="jam").click(), HOME, JAM, ("jam", "mole")),
        (lambda: lowest_layer(page), HOME, JAM, ("jam", "mole")),
        (lambda: page.get_by_test_id("stSidebar").get_by_role("link", name="Neighbors").click(), NEIGHBORS, JAM, ("jam", "mole")),
        (lambda: filled(page, "b", "Grandma makes strawberry jam."), NEIGHBORS, JAM, ("jam", "jam")),
        (lambda: page.get_by_test_id("stSidebar").get_by_role("link", name="Home").click(), HOME, JAM, ("jam", "jam")),
        (lambda: choose(page, "Language, 언어", "한국어"), korean, JAM, ("jam", "jam")),
    ]
    at_rest(page)
    entries = page.evaluate("history.length")
    views: list[tuple[str, str, tuple[str, str]]] = [(HOME, bank, ("bank", "bank"))]
    for take, title, a, words in steps:
        take()
        views.append((title, a, words))
        shows(page, *views[-1])
        entries += 1
        at_rest(page)
        assert page.evaluate("history.length") == entries, views[-1]
    turns = [*((page.go_back, view) for view in reversed(views[:-1])), *((page.go_forward, view) for view in views[1:3])]
    turns.append((lambda: page.evaluate(f"history.go({len(views) - 3})"), views[-1]))
    for turn, view in turns:
        turn()
        shows(page, *view)
        at_rest(page)
    assert page.evaluate(CUT) == []


def test_step_during_a_run_adds_an_entry_to_the_history(page: Page, server: str):
    page.goto(server)
    shows(page, HOME, "We sat on the grassy bank and watched the boats go by.", ("bank", "bank"))
    at_rest(page)
    entries = page.evaluate("history.length")
    button = page.locator(".st-key-example button", has_text="star").bounding_box()
    filled(page, "a", JAM)
    # Click immediately: a locator would wait until the run ends.
    page.mouse.click(button["x"] + button["width"] / 2, button["y"] + button["height"] / 2)
    shows(page, HOME, "The brightest star in the sky is Sirius.", ("star", "star"))
    at_rest(page)
    assert page.evaluate("history.length") == entries + 2
    page.go_back()
    expect(page.locator(".st-key-a input")).to_have_value(JAM)


def test_second_step_back_counts_during_the_first(page: Page, server: str):
    page.goto(f"{server}/neighbors?a={JAM}&b={MOLE}")
    shows(page, NEIGHBORS, JAM, ("tunnel", "tunnel"))
    at_rest(page)
    filled(page, "b", "Grandma makes strawberry jam.")
    shows(page, NEIGHBORS, JAM, ("jam", "jam"))
    at_rest(page)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Home").click()
    shows(page, HOME, JAM, ("jam", "jam"))
    at_rest(page)
    page.evaluate("() => new Promise(done => { addEventListener('popstate', done, { once: true }); history.back(); })")
    page.evaluate("history.back()")
    shows(page, NEIGHBORS, JAM, ("tunnel", "tunnel"))
    page.wait_for_timeout(2_000)  # longer than a run that nobody saw is waited for
    shows(page, NEIGHBORS, JAM, ("tunnel", "tunnel"))
    page.go_forward()
    shows(page, NEIGHBORS, JAM, ("jam", "jam"))


def test_sentences_and_language_of_a_link_stay_on_other_pages(page: Page, server: str):
    a, b = "He saw a bat in the cave.", "He swung the bat."
    page.goto(f"{server}/senses?a={a}&b={b}&lang=ko&bi=swung")
    side = page.get_by_test_id("stSidebar")
    expect(side.get_by_role("link", name="이웃")).to_be_visible()
    at_rest(page)
    for link, title in (("홈", "같은 단어는 두 번 나와도 같은 뜻일까요?"), ("지도", None), ("이웃", "어떤 단어가 이웃일까요?")):
        side.get_by_role("link", name=link).click()
        expect(page.locator(".st-key-b input")).to_have_value(b)
        if title:
            shows(page, title, a, ("bat", "swung"))
        at_rest(page)
        for given in ("a=He", "lang=ko", "bi=swung"):
            expect(page).to_have_url(re.compile(given))


def test_an_address_with_names_of_buttons_or_an_unknown_language_breaks_no_page(page: Page, server: str):
    page.goto(f"{server}/classify?classify_view=train&train.go=1&lang=xx&train.x=1&a={'x' * 9_000}")
    side = page.get_by_test_id("stSidebar")
    for step in (side.get_by_role("link", name="Home").click, page.go_back, side.get_by_role("link", name="Senses").click):
        step()
        at_rest(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)


WRITTEN = """() => {
  window.written = [];
  for (const how of ["pushState", "replaceState"]) {
    const real = History.prototype[how];
    History.prototype[how] = function (state, title, url) {
      window.written.push(String(url));
      return real.call(this, state, title, url);
    };
  }
}"""


@pytest.mark.parametrize("path", ["?layer=0", "neighbors?lang=ko&nlayer=0"])
def test_older_run_does_not_overwrite_the_address(page: Page, server: str, path: str):
    page.add_init_script(f"({WRITTEN})()")
    page.goto(f"{server}/{path}&a=A+boat+left+the+port.&b=We+drank+old+port.")
    expect(page.locator(".st-key-b input")).to_have_value("We drank old port.")
    at_rest(page)
    before = page.url
    page.evaluate("window.written = []")
    box = page.locator(".st-key-b input")
    box.fill("")
    box.press_sequentially("The port was sweet.", delay=40)
    box.press("Enter")
    expect(page.locator(".st-key-bi")).to_contain_text("sweet")
    at_rest(page)
    assert [url for url in page.evaluate("window.written") if url.startswith("/")] == []  # the program, whose address may be an older one
    page.evaluate("url => history.pushState(null, '', url)", before.replace("layer=0", "layer=1"))  # as a run asked for before would
    assert "sweet" in page.url and "layer=1" in page.url
    page.evaluate("""() => {
      const typed = new URL(location.href), own = new URL(location.href);
      own.searchParams.delete("b");  // what the box says by itself was typed
      history.replaceState(null, "", own);
      history.pushState(null, "", typed);
    }""")
    assert "b=" not in page.url


def test_too_long_text_is_cut_with_a_note(page: Page, server: str):
    page.goto(server)
    box = page.locator(".st-key-a input")
    expect(box).to_have_value("We sat on the grassy bank and watched the boats go by.")
    box.click()
    page.keyboard.press("ControlOrMeta+A")
    page.evaluate("document.execCommand('insertText', false, 'The crane flew home. '.repeat(150))")  # as a paste does
    box.press("Enter")
    expect(page.get_by_text("Only the first 2,000 characters are read.")).to_be_visible()
    expect(page.locator('.st-key-ai [aria-checked="true"]')).to_have_text("crane")
    assert len(box.input_value()) == 2000


NEXT = "document.querySelector('[data-testid=stSidebar] [data-testid=stPageLink] a[href*=neighbors]').click()"


def test_gliding_slider_does_not_reopen_the_page_that_was_left(page: Page, server: str):
    page.emulate_media(reduced_motion="no-preference")
    page.goto(f"{server}/?a=They+were+stuck+in+a+jam.&b=A+mole+dug+it.")
    page.locator("[data-testid=stSidebar] a[href*=neighbors]").wait_for(state="attached")
    page.get_by_role("slider").press("Home")
    page.evaluate(NEXT)
    expect(page.get_by_role("heading", level=1)).to_have_text(NEIGHBORS)
    page.wait_for_timeout(700)
    expect(page.get_by_role("heading", level=1)).to_have_text(NEIGHBORS)


def test_a_page_switches_between_its_views(server: str, page):
    page.goto(f"{server}/senses?senses_view=spread")
    page.get_by_role("heading", name="Label a few: what are the rest?").wait_for()
    page.locator(".st-key-senses_view").get_by_role("radio", name="Groups").click()
    page.get_by_role("heading", name="How many meanings does it have here?").wait_for()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)  # that of the view left behind is gone
    assert "senses_view" not in page.url


AT_MOST = 12  # late scripts; there would be 68 if each element requested its own when it first appears


def test_few_scripts_are_requested_late(server: str, page):
    answer = page.goto(f"{server}/{address('spread')}")
    assert "<title>Elmoscope</title>" in answer.text()
    page.locator(".notice, .verdict").first.wait_for(timeout=WAIT_MS)
    page.wait_for_function(AT_REST)
    assert page.evaluate(LATE) <= AT_MOST


def test_a_browser_without_a_debugger_reports_when_heading_and_picture_are_drawn(server: str):
    for visit in visits(server, 2):
        assert 0 < visit["heading"] <= visit["picture"] and visit["late"] <= AT_MOST
