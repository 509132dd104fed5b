"""Test the HTML file that needs no server, opened from disk in Chromium and Firefox without a network."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect
from websockets.sync.client import connect

from core.workspace import open_workspace
from tests.core.live.truth import Truth, compare, truths

pytestmark = pytest.mark.slow
FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")


@pytest.fixture(scope="module")
def core_truths(shared_cache: Path, built_index: Path) -> list[Truth]:
    """Pairs of sentences with core's answers, computed once for both browsers, over the index of all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ELMOSCOPE_CACHE", str(shared_cache))
        return list(truths(open_workspace(), int(os.environ.get("ELMOSCOPE_PAIRS", "60"))))


@pytest.fixture(scope="module")
def offline(browser, tmp_path_factory) -> Iterator[BrowserContext]:
    """Return a context without a network. An empty page stays open, and with it the process that has compiled the scripts."""
    context, empty = browser.new_context(offline=True), tmp_path_factory.mktemp("empty") / "empty.html"
    empty.touch()
    context.new_page().goto(empty.as_uri())
    yield context
    context.close()


@pytest.fixture
def opened(offline, live_page: Path):
    """Open the page, `opened("#lang=ko", width=390)`, and wait for its answer. A request or an error fails the test."""
    pages, wrong = [], []

    def go(behind: str = "", *, script: str = "", width: int = 1280, answered: bool = True, **media) -> Page:
        page = offline.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(**media)
        page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith(("file:", "blob:", "data:")) else wrong.append(request.url))
        if script:
            page.add_init_script(script)
        page.goto(live_page.as_uri() + behind)
        if answered:
            page.locator("html[data-answered]").wait_for(state="attached")
        return page

    yield go
    for page in pages:
        page.close()
    assert not wrong


ANSWER = """async (asked) => {
  const answers = [];
  for (const [texts, tapped] of asked) answers.push(await elmoscope.answer(texts, tapped));
  return JSON.stringify(answers, (_, value) => (ArrayBuffer.isView(value) ? [...value] : value));
}"""


def check_answers(evaluate: Callable[[str], str], pairs: list[Truth], *, same_verdict: float) -> None:
    answers = json.loads(evaluate(f"({ANSWER})({json.dumps([[pair.texts, pair.tapped] for pair in pairs])})"))
    same = [k for k, item in enumerate(pairs) if answers[k]["asked"]["tokens"] == [list(word.tokens) for word in item.words]]
    assert len(same) >= 0.98 * len(pairs)
    comparisons = [compare(pairs[k], answers[k]) for k in same]
    values = {name: np.array([each[name] for each in comparisons]) for name in comparisons[0]}
    print({name: (round(float(value.mean()), 4), round(float(value.max()), 4)) for name, value in values.items()})
    assert values["cosine"].max() <= 0.02 and values["near"].mean() >= 9
    assert values["same_verdict"].mean() >= same_verdict and values["substitutes"].mean() >= 4


def type_banks(page: Page) -> None:
    page.locator("#a").fill("We sat on the grassy bank.")
    page.locator("#b").fill("The bank lent him money.")
    expect(page.locator(".verdict b")).to_contain_text("Two meanings: ")


def test_chromium_gives_the_answers_of_core(core_truths, opened):
    check_answers(opened().evaluate, core_truths, same_verdict=0.95)


def test_tapped_word_and_typed_sentence_are_answered_and_in_the_address(opened):
    page = opened()
    verdict, first = page.locator(".verdict b"), page.locator(".tokens").first
    expect(verdict).to_have_text(re.compile("^Two meanings: "))
    for word, answer in (("boats", "Two different words"), ("bank", re.compile("^Two meanings: "))):
        first.get_by_role("button", name=word, exact=True).click()
        expect(verdict).to_have_text(answer)
    page.locator("#b").fill("They walked along the muddy bank of the river.")
    expect(verdict).to_have_text(re.compile("^One meaning: "))
    expect(page).to_have_url(re.compile(r"muddy\+bank.*ai=5"))
    page.get_by_role("button", name="play", exact=True).click()
    page.locator(".expected-host .chips button").first.click()
    expect(page.locator("#a")).not_to_have_value("The children play football in the park after school.")


def test_a_tapped_first_word_stays_when_a_word_of_the_other_sentence_is_tapped(opened):
    page = opened("#a=And the bank lent money.&b=We sat on the bank.&ai=0&bi=4")
    for word in ("sat", "bank"):
        page.locator(".tokens").last.get_by_role("button", name=word, exact=True).click()
        expect(page.locator(".tokens [aria-pressed=true]")).to_have_text(["And", word])


def test_an_address_opens_its_sentences_word_layer_and_language(opened):
    page = opened("#a=The pitcher threw a ball.&b=Milk from the pitcher.&ai=1&bi=3&layer=2&lang=ko&theme=dark")
    expect(page.locator("h1")).to_have_text("같은 단어는 두 번 나와도 같은 뜻일까요?")
    expect(page.locator(".tokens [aria-pressed=true]")).to_have_text(["pitcher", "pitcher"])
    expect(page.locator(".picture-host input[type=range]")).to_have_value("2")
    page.get_by_role("button", name="English").click()
    expect(page.locator("h1")).to_have_text("Does a word mean the same thing twice?")
    page.locator("#a").fill("The שלום sat.")
    page.locator("#b").fill("A שלום came.")
    expect(page.locator(".verdict")).to_have_text("Another language“שלום” is not in English letters.")


def test_sliders_lists_and_map_follow_and_nothing_is_wider_than_the_screen(opened):
    page = opened(reduced_motion="reduce")
    page.locator(".mixing").scroll_into_view_if_needed()
    expect(page.locator(".mix-host .lists .row")).to_have_count(14)
    page.locator(".mixing .presets button").nth(1).click()
    expect(page.locator(".mix-host .knob output").nth(1)).to_have_text("6.0")
    page.locator(".mapping").scroll_into_view_if_needed()
    expect(page.locator(".map-host .star")).not_to_have_count(0)
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#a").fill("A silver jaguar slept.")
    page.locator("#b").fill("The jaguar ran.")
    expect(page.locator(".picturing .none")).to_contain_text("words with labeled sentences")
    page.locator(".mapping").scroll_into_view_if_needed()
    expect(page.locator(".mapping .none")).to_be_visible()


def test_a_browser_without_workers_says_so(opened):
    expect(opened(script="delete window.Worker", answered=False).get_by_role("alert")).to_contain_text("runs no web workers")


def test_names_of_object_properties_are_words(opened):
    page = opened()
    for word in ("constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"):
        page.locator("#a").fill(f"The {word} built the house.")
        page.locator("#b").fill(f"A {word} came to us.")
        expect(page.locator(".picturing .none")).to_be_visible()
        expect(page.locator(".tokens [aria-pressed=true]")).to_have_text([word, word])
    type_banks(page)


def test_address_with_names_of_object_properties_and_markup_opens(opened):
    texts = "&a=The __proto__ sat on the bank.&b=A __proto__ lent <b>money</b> <img src=x onerror=document.title='ran'>."
    page = opened(f"#lang=constructor&layer=__proto__&theme=constructor&ai=__proto__&bi=constructor{texts}")
    expect(page.locator("h1")).to_have_text("Does a word mean the same thing twice?")
    expect(page.locator(".picturing .none")).to_be_visible()
    assert page.title() == "Elmoscope" and not page.locator(".tokens img, .tokens b").count()
    type_banks(page)
    page.locator(".mapping").scroll_into_view_if_needed()
    expect(page.locator(".map-host .star")).not_to_have_count(0)


def test_an_error_in_one_answer_ends_no_other(opened):
    """The worker is sent a question that it cannot read wherever a sentence has the word BROKEN."""
    page = opened(
        script="""const send = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (sent) { send.call(this, sent.texts?.some((text) => /BROKEN/.test(text)) ? { ...sent, texts: [null, null] } : sent); };"""
    )
    page.locator("#a").fill("BROKEN bank")
    expect(page.get_by_role("alert")).to_contain_text("cannot be answered")
    settled = page.evaluate(
        """async () => {
          const questions = [["BROKEN", "b"], ["We sat on the bank.", "The bank lent money."], ["", ""], ["The BROKEN bank.", "A bank."], ["A cell.", "The cell divided."]];
          const results = await Promise.allSettled(questions.map((texts) => elmoscope.answer(texts)));
          return results.map(({ status, value }) => [status, Boolean(value?.pair), Boolean(value?.around)]);
        }"""
    )
    rejected, empty, answered = ["rejected", False, False], ["fulfilled", False, False], ["fulfilled", True, True]
    assert settled == [rejected, answered, empty, rejected, answered]
    type_banks(page)
    expect(page.get_by_role("alert")).to_be_hidden()


def test_the_layer_slider_stays_where_the_hand_left_it(opened):
    page = opened(reduced_motion="reduce")
    layer = page.locator(".picture-host input[type=range]")
    expect(layer).to_have_value("4")
    layer.press("ArrowLeft")
    expect(layer).to_have_value("3")
    for name in ("play", "star", "table", "match", "rock"):
        if name == "match":
            layer.press("Home")
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator(".tokens [aria-pressed=true]").first).to_have_text(name)
        expect(layer).to_have_value("0" if name in ("match", "rock") else "3")


class Firefox:
    """A headless Firefox with one page, driven by WebDriver BiDi, because Playwright needs its own builds of Firefox."""

    def __init__(self, profile: Path) -> None:
        # No request of its own: no updates, no telemetry, no first page.
        offline = {"network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9, "app.update.enabled": False}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in offline.items()]
        (profile / "user.js").write_text("\n".join(lines), "utf-8")
        log, self.calls, self.errors = profile / "log", 0, []
        with log.open("w") as file:
            command = [FIREFOX, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
            self.process = subprocess.Popen(command, stdout=file, stderr=file)
        wait_for(lambda: re.search(r"ws://\S+", log.read_text("utf-8")), "the address of Firefox")
        self.socket = connect(re.search(r"ws://\S+", log.read_text("utf-8"))[0] + "/session", max_size=None)
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **parameters):
        self.calls += 1
        self.socket.send(json.dumps({"id": self.calls, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=180))
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(message["params"]["text"])
            if message.get("id") == self.calls:
                assert message["type"] == "success", message
                return message["result"]

    def evaluate(self, expression: str) -> str:
        result = self.call("script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=True)
        assert result["type"] == "success", result
        return result["result"].get("value")

    def wait_for(self, condition: str) -> None:
        wait_for(lambda: self.evaluate(condition), condition)


def wait_for(condition: Callable[[], object], name: str) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"not within 60 seconds: {name}")


@pytest.mark.skipif(not FIREFOX, reason="no Firefox on this machine")
def test_firefox_gives_the_answers_of_core_and_answers_what_is_typed(core_truths, live_page: Path, tmp_path: Path):
    firefox = Firefox(tmp_path)
    try:
        firefox.call("browsingContext.navigate", context=firefox.context, url=live_page.as_uri(), wait="complete")
        firefox.wait_for("document.querySelector('.verdict b')?.textContent.startsWith('Two meanings')")
        check_answers(firefox.evaluate, core_truths[:30], same_verdict=0.96)
        firefox.evaluate("""(() => {
          const box = document.querySelector('#b');
          box.value = 'They walked along the muddy bank of the river.';
          box.dispatchEvent(new Event('input', { bubbles: true }));
        })()""")
        firefox.wait_for("document.querySelector('.verdict b')?.textContent.startsWith('One meaning')")
        firefox.wait_for("location.hash.includes('muddy')")
        assert firefox.errors == []
    finally:
        firefox.socket.close()
        firefox.process.terminate()
        firefox.process.wait(30)
