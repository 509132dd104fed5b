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
KOREAN = "같은 단어는 두 번 나와도 같은 뜻일까요?"
BANK, STAR = "We sat on the grassy bank and watched the boats go by.", "The brightest star in the sky is Sirius."
JAM, MOLE, STRAWBERRY = "They were stuck in a jam near the tunnel.", "The mole dug a tunnel.", "Grandma makes strawberry jam."


def filled(page: Page, key: str, text: str) -> None:
    fill_in(page.locator(f".st-key-{key} input"), text)


def lowest_layer(page: Page) -> None:
    page.get_by_role("slider").press("Home")
    expect(page).to_have_url(re.compile("layer=0"))  # the slider glides there first


def follow(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebar").get_by_role("link", name=name).click()


def shows(page: Page, title: str, a: str, words: tuple[str, str]) -> None:
    """Check the title, the first sentence and both targets, and wait until no run draws the page."""
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.locator(".st-key-a input")).to_have_value(a)
    for key, word in zip(("ai", "bi"), words, strict=True):
        expect(page.locator(f'.st-key-{key} [aria-checked="true"]')).to_have_text(word)
    at_rest(page)


def test_back_and_forward_restore_views(page: Page, server: str):
    steps: list[tuple[Callable[[], object], str, str, tuple[str, str]]] = [
        (lambda: page.goto(server), HOME, BANK, ("bank", "bank")),
        (lambda: page.locator(".st-key-example button", has_text="star").click(), HOME, STAR, ("star", "star")),
        (lambda: filled(page, "a", JAM), HOME, JAM, ("jam", "star")),
        (lambda: filled(page, "b", MOLE), HOME, JAM, ("tunnel", "tunnel")),
        (lambda: page.locator(".st-key-ai button", has_text="jam").click(), HOME, JAM, ("jam", "mole")),
        (lambda: lowest_layer(page), HOME, JAM, ("jam", "mole")),
        (lambda: follow(page, "Neighbors"), NEIGHBORS, JAM, ("jam", "mole")),
        (lambda: filled(page, "b", STRAWBERRY), NEIGHBORS, JAM, ("jam", "jam")),
        (lambda: follow(page, "Home"), HOME, JAM, ("jam", "jam")),
        (lambda: choose(page, "Language, 언어", "한국어"), KOREAN, JAM, ("jam", "jam")),
    ]
    views, entries = [view for _, *view in steps], []
    for take, *view in steps:
        take()
        shows(page, *view)
        entries.append(page.evaluate("history.length"))
    assert entries == [entries[0] + k for k in range(len(steps))]
    turns = [*((page.go_back, view) for view in reversed(views[:-1])), *((page.go_forward, view) for view in views[1:3])]
    turns.append((lambda: page.evaluate(f"history.go({len(views) - 3})"), views[-1]))
    for turn, view in turns:
        turn()
        shows(page, *view)
    assert page.evaluate(CUT) == []


def test_step_during_a_run_adds_an_entry_to_the_history(page: Page, server: str):
    page.goto(server)
    shows(page, HOME, BANK, ("bank", "bank"))
    entries = page.evaluate("history.length")
    button = page.locator(".st-key-example button", has_text="star").bounding_box()
    filled(page, "a", JAM)
    # Click immediately: a locator would wait until the run ends.
    page.mouse.click(button["x"] + button["width"] / 2, button["y"] + button["height"] / 2)
    shows(page, HOME, STAR, ("star", "star"))
    assert page.evaluate("history.length") == entries + 2
    page.go_back()
    expect(page.locator(".st-key-a input")).to_have_value(JAM)


def test_second_step_back_counts_during_the_first(page: Page, server: str):
    page.goto(f"{server}/neighbors?a={JAM}&b={MOLE}")
    shows(page, NEIGHBORS, JAM, ("tunnel", "tunnel"))
    filled(page, "b", STRAWBERRY)
    shows(page, NEIGHBORS, JAM, ("jam", "jam"))
    follow(page, "Home")
    shows(page, HOME, JAM, ("jam", "jam"))
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
    expect(page.get_by_test_id("stSidebar").get_by_role("link", name="이웃")).to_be_visible()
    at_rest(page)
    for link, title in (("홈", KOREAN), ("이웃", "어떤 단어가 이웃일까요?")):
        follow(page, link)
        shows(page, title, a, ("bat", "swung"))
        for given in ("a=He", "lang=ko", "bi=swung"):
            expect(page).to_have_url(re.compile(given))


def test_typed_sentences_and_a_clicked_word_survive_a_reload_of_a_page_without_boxes(page: Page, server: str):
    page.goto(server)
    shows(page, HOME, BANK, ("bank", "bank"))
    for key, text, word in (("a", JAM, "jam"), ("b", MOLE, "mole")):
        filled(page, key, text)
        expect(page.locator(f".st-key-{key}i button", has_text=word)).to_be_visible()
        at_rest(page)
    page.locator(".st-key-ai button", has_text="jam").click()
    shows(page, HOME, JAM, ("jam", "mole"))
    for link in ("Senses", "Models"):
        follow(page, link)
        for part in ("a=They", "ai=jam", r"b=The\+mole"):
            expect(page).to_have_url(re.compile(part))
        page.reload()
        at_rest(page)
        follow(page, "Home")
        shows(page, HOME, JAM, ("jam", "mole"))


def test_second_sentence_stays_in_the_address_after_the_step_with_its_box(page: Page, server: str):
    page.goto(f"{server}/how?a={JAM}&b={MOLE}&step=8")
    expect(page.locator(".st-key-b input")).to_have_value(MOLE)
    page.get_by_role("button", name="Next: ").click()
    expect(page).to_have_url(re.compile(r"b=The\+mole.*step=9"))
    expect(page.locator(".st-key-b input")).to_have_count(0)
    at_rest(page)
    expect(page).to_have_url(re.compile(r"b=The\+mole.*step=9"))


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
    box = page.locator(".st-key-b input")
    expect(box).to_have_value("We drank old port.")
    at_rest(page)
    before = page.url
    page.evaluate("window.written = []")
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
    expect(box).to_have_value(BANK)
    box.click()
    page.keyboard.press("ControlOrMeta+A")
    page.evaluate("document.execCommand('insertText', false, 'The crane flew home. '.repeat(150))")  # as a paste does
    box.press("Enter")
    expect(page.get_by_text("Only the first 2,000 characters are read.")).to_be_visible()
    expect(page.locator('.st-key-ai [aria-checked="true"]')).to_have_text("crane")
    assert len(box.input_value()) == 2000


def test_gliding_slider_does_not_reopen_the_page_that_was_left(page: Page, server: str):
    page.emulate_media(reduced_motion="no-preference")
    page.goto(f"{server}/?a=They+were+stuck+in+a+jam.&b=A+mole+dug+it.")
    link = page.locator("[data-testid=stSidebar] [data-testid=stPageLink] a[href*=neighbors]")
    link.wait_for(state="attached")
    page.get_by_role("slider").press("Home")
    link.dispatch_event("click")  # at once: a click would wait for the end of the run
    for wait_ms in (0, 700):
        page.wait_for_timeout(wait_ms)
        expect(page.get_by_role("heading", level=1)).to_have_text(NEIGHBORS)


AT_MOST = 12  # late scripts; there would be 68 if each element requested its own when it first appears


def test_a_page_requests_few_scripts_late_and_switches_between_its_views(server: str, page: Page):
    page.goto(f"{server}/{address('spread')}")
    page.locator(".notice, .verdict").first.wait_for(timeout=WAIT_MS)
    page.wait_for_function(AT_REST)
    assert page.evaluate(LATE) <= AT_MOST
    page.locator(".st-key-senses_view").get_by_role("radio", name="Groups").click()
    page.get_by_role("heading", name="How many meanings does it have here?").wait_for()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)  # that of the view left behind is gone
    assert "senses_view" not in page.url


def test_a_browser_without_a_debugger_reports_when_heading_and_picture_are_drawn(server: str):
    for visit in visits(server, 2):
        assert 0 < visit["heading"] <= visit["picture"] and visit["late"] <= AT_MOST
