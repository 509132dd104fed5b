"""Home in a real Chromium: its first screen, the picture that moves under the hand with core's numbers, and answers as one types."""

import re
from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core.common.config import ROOT
from core.common.model_layers import Layers
from core.elmo.mix import along, mix_cosines, pair_products, stops
from core.elmo.models import BUNDLED_MODEL, open_model
from core.views.pair import Angles
from pages._home.beside import Beside
from pages._widgets.instruments import SHARED
from tests.browser.test_main_path import at_rest, opened

pytestmark = pytest.mark.browser

PARTS = ("h1", ".verdict", ".st-key-a input", ".st-key-bi", ".arrows", ".home input")
SEEN = "(root) => root.instrument.seen()"
STILL = "(root) => !root.instrument.seen().moving"
ALL = """async ([source, cases]) => {
  const own = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  return cases.map(([place, data]) => own.cosineAt(place, data));
}"""

FRAMES_HELD = """() => {
  const due = [], real = window.requestAnimationFrame;
  window.requestAnimationFrame = (one) => due.push(one);
  window.released = () => ((window.requestAnimationFrame = real), due.forEach((one) => real(one)));
}"""
BESIDE = """async ([source, cases]) => {
  const own = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  return cases.map((one) => own.besideAt(...one));
}"""


def test_every_place_between_the_layers_has_core_s_cosine(page: Page):
    rng, cases, expected = np.random.default_rng(3), [], []
    for n_layers in (3, 3, 3, 13):
        a, b = rng.normal(size=(2, n_layers, 32)) * rng.uniform(0.5, 9, (1, n_layers, 1)) + rng.normal(size=(1, n_layers, 32))
        weights, (cross, *own) = stops(n_layers), pair_products(a, b)
        data = {"stops": weights.tolist(), "cross": cross.ravel().tolist(), "own": [item.tolist() for item in own]}
        for place in (0, n_layers, *rng.uniform(0, n_layers, 25)):
            cases.append([float(place), data])
            expected.append(mix_cosines(cross[None], own[0], own[1][None], along(place, weights))[0])
    page.goto("about:blank")
    source = SHARED + (ROOT / "pages/_home/home.js").read_text("utf-8")
    np.testing.assert_allclose(page.evaluate(ALL, [source, cases]), expected, atol=1e-6)
    deep = Beside("deep", Angles(Layers(7), stops(7), np.eye(7), (np.ones(28), np.ones(28)), {}))
    result = page.evaluate(BESIDE, [source, [[k, 4, 8] for k in range(4)]])
    np.testing.assert_allclose(result, [deep.place(space, Layers(3)) for space in Layers(3).spaces], atol=1e-9)
    assert np.ptp(expected) > 0.3


def test_the_angle_opens_under_the_hand_and_letting_go_writes_the_layer(page: Page, server: str):
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append(1)))
    opened(page, server, "?a=A+virus+made+her+ill.&b=The+virus+wiped+my+hard+disk.&layer=0")
    root, slider = page.locator(".home"), page.locator(".home input")
    expect(root.locator(".told").last).to_have_text("0° apart, cosine 1.00")
    expect(page.locator(".st-key-layer")).to_be_hidden()
    assert page.locator(".js-plotly-plot").count() == 0  # nothing waits for the charts' code
    at_rest(page)
    for _ in range(20):
        before = len(sent)
        page.wait_for_timeout(1_000)
        if len(sent) == before:
            break
    box, message = slider.bounding_box(), []
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 11, y)
    page.mouse.down()
    sent.clear()
    for k in range(1, 25):
        page.mouse.move(box["x"] + 11 + (box["width"] - 22) * k / 36, y)
        message.append(root.locator(".told").last.text_content())
    held = root.evaluate(SEEN)
    assert sent == [] and "layer=0" in page.url and len(set(message)) > 8
    model = open_model(BUNDLED_MODEL)
    tokens = ["A", "virus", "made", "her", "ill", "."], ["The", "virus", "wiped", "my", "hard", "disk", "."]
    a, b = (layers[:, 1] for layers in model.encoder.encode(list(tokens)))
    cross, *own = pair_products(np.asarray(a, np.float32), np.asarray(b, np.float32))
    s = along(held["at"], stops(len(a)))
    assert 1.5 < held["at"] < 2.5 and held["cosine"] == pytest.approx(
        mix_cosines(cross[None], own[0], own[1][None], s)[0], abs=2e-3
    )  # the page's query is kept in float16
    page.mouse.up()
    expect(page).to_have_url(re.compile("layer=2"))
    assert sent and root.evaluate(SEEN)["layer"] == "2"

    slider.focus()
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"layer mix: \d+° apart, cosine 0\.\d\d"))
    expect(page).to_have_url(re.compile("layer=mix"))
    expect(root.locator(".arrows")).to_have_attribute("aria-label", re.compile("“virus” .* as arrows in the layer mix"))
    slider.press("Home")
    expect(page).to_have_url(re.compile("layer=0"))
    expect(page.locator(".notice")).to_contain_text("cosine 1.00")
    at_rest(page)
    page.go_back()
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^layer mix"))

    at_rest(page)
    page.evaluate(FRAMES_HELD)  # the way to layer 0 lasts until what was typed meanwhile is answered
    slider.press("Home")
    page.locator(".st-key-b input").fill("Our server caught a virus.")
    page.locator(".st-key-b input").press("Enter")
    expect(page.locator(".st-key-bi")).to_contain_text("caught")
    at_rest(page)
    page.evaluate("released()")
    expect(page).to_have_url(re.compile("layer=0"))

    verdict, entries = page.locator(".verdict").text_content(), page.evaluate("history.length")
    page.locator(".st-key-b input").fill("")
    page.locator(".st-key-b input").press_sequentially("A virus spread through the school.", delay=40)
    expect(page.locator(".st-key-bi")).to_contain_text("school")  # no Enter was pressed
    expect(page.locator(".verdict")).not_to_have_text(verdict)
    expect(page).to_have_url(re.compile("school"))
    assert page.evaluate("history.length") == entries  # Back was one; typing is one, whatever its keys
    page.locator(".stApp").evaluate("() => scrollTo(0, 0)")


def test_the_first_screen_holds_sentences_verdict_and_picture(page: Page, server: str):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server)
    expect(page.locator(".verdict")).to_contain_text("Two meanings")
    expect(page.locator(".arrows .tip").first).to_be_visible()
    at_rest(page)
    boxes = [page.locator(part).first.bounding_box() for part in PARTS]
    for above, below in pairwise(boxes):
        assert above["y"] + above["height"] <= below["y"] + 4
    assert boxes[0]["y"] >= 0 and boxes[-1]["y"] + boxes[-1]["height"] <= 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 720})
    page.reload()
    expect(page.locator(".arrows .tip").first).to_be_visible()
    at_rest(page)
    for part in PARTS:
        box = page.locator(part).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 720


def chips(page: Page, side: int) -> list[str]:
    return page.locator(".expected .chips").nth(side).locator("button:visible").all_inner_texts()


def test_the_words_expected_in_a_place_follow_typing_and_a_press_puts_one_in(page: Page, server: str):
    page.set_viewport_size({"width": 1366, "height": 768})
    opened(page, server, "?a=We+sat+on+the+bank+and+watched+the+boats.&b=The+bank+refused+to+lend+him+any+money.")
    expect(page.locator(".expected .chips button").first).to_be_visible()
    at_rest(page)
    river, money = chips(page, 0), chips(page, 1)
    assert "shore" in river and "company" in money
    for part in (".expected", ".arrows", ".elmo .told", ".bars", ".home input"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 768, part
    lines = [box["height"] for box in (page.locator(".expected .chips").nth(k).bounding_box() for k in range(2))]
    assert max(lines) < 44  # one line each, as many as fit

    page.locator(".st-key-a input").fill("")
    page.locator(".st-key-a input").press_sequentially("He put his wages in the bank and went home.", delay=20)
    expect(page.locator(".st-key-ai")).to_contain_text("wages")  # no Enter was pressed
    expect(page.locator(".st-key-ai [aria-checked=true]")).to_have_text("bank")  # the last letter is read, not one before it
    expect(page.locator(".expected .chips").first).not_to_contain_text("shore")
    at_rest(page)
    assert chips(page, 1) == money and chips(page, 0) != river

    page.get_by_role("button", name="forward").click()
    expect(page).to_have_url(re.compile("expected=forward"))
    expect(page.locator(".expected [aria-pressed=true]")).to_have_text("forward")
    expect(page.locator(".expected .chips").nth(1)).not_to_have_text("".join(money))
    page.get_by_role("button", name="both").click()
    expect(page.locator(".expected .chips").nth(1)).to_contain_text("company")
    at_rest(page)

    expect(page.locator(".verdict")).not_to_contain_text("Two different words")
    verdict = page.locator(".verdict").text_content()
    chip = page.locator(".expected .chips").nth(1).get_by_role("button", name=re.compile("^company,"))
    chip.focus()
    chip.press("Enter")
    expect(page.locator(".st-key-b input")).to_have_value("The company refused to lend him any money.")
    expect(page.locator(".verdict")).not_to_have_text(verdict)
    expect(page.locator(".st-key-bi [aria-checked=true]")).to_have_text("company")
    expect(page.locator(".st-key-ai [aria-checked=true]")).to_have_text("bank")
    assert page.evaluate("document.activeElement?.shadowRoot?.activeElement?.closest('.chips') !== null")  # the keyboard's place stays
    at_rest(page)
    page.locator(".st-key-home_half a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What decided this sense?")
    expect(page.locator(".st-key-a input")).to_have_value("He put his wages in the bank and went home.")


def test_on_a_phone_the_words_expected_follow_the_picture_and_nothing_scrolls_sideways(page: Page, server: str):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, server, "?a=Bank+shares+fell+again+today.&b=We+sat+on+the+bank")
    expect(page.locator(".expected .chips button").first).to_be_visible()
    at_rest(page)
    picture, words = page.locator(".home").bounding_box(), page.locator(".expected").bounding_box()
    assert words["y"] >= picture["y"] + picture["height"] - 1
    assert page.locator(".notice").first.bounding_box()["y"] > words["y"] + words["height"]
    expect(page.locator(".expected .note")).to_have_text(["Nothing before “Bank”: less reliable.", "Nothing after “bank”: less reliable."])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for button in page.locator(".expected button:visible").all():
        assert min(button.bounding_box()[side] for side in ("width", "height")) >= 44


WATCH = """() => {
  window.seen = [];
  const look = () => {
    const verdicts = [...document.querySelectorAll(".verdict")], isStale = (node) => Boolean(node.closest('[data-stale="true"]'));
    const notes = [...document.querySelectorAll(".st-key-home_answer .notice")];
    seen.push({
      verdicts: verdicts.length,
      old: verdicts.some((node) => !isStale(node)) && notes.some((node) => isStale(node) && getComputedStyle(node).visibility !== "hidden"),
      dimmed: verdicts.some((node) => getComputedStyle(node).opacity < 0.6),
    });
    requestAnimationFrame(look);
  };
  look();
}"""


def test_one_verdict_at_a_time_and_no_note_of_the_pair_before_beside_it(page: Page, server: str):
    opened(page, server, "?a=We+sat+on+the+bank.&b=The+bank+lent+him+money.")
    expect(page.locator(".verdict")).to_contain_text("Two meanings")
    page.evaluate(WATCH)
    box = page.locator(".st-key-b input, .st-key-b textarea").first
    for text, verdict in (("They walked along the bank of the river.", "One meaning"), ("The bank raised its rates.", "Two meanings")):
        box.fill(text)
        expect(page.locator(".verdict")).to_contain_text(verdict)
        at_rest(page)
    frames = page.evaluate("seen")
    assert {frame["verdicts"] for frame in frames} == {1}
    assert not [frame for frame in frames if frame["old"]]
    assert any(frame["dimmed"] for frame in frames)
    page.wait_for_function("() => getComputedStyle(document.querySelector('.verdict')).opacity > 0.95")


def test_the_layer_slider_moves_by_hand_alone(page: Page, server: str):
    page.emulate_media(reduced_motion="reduce")
    opened(page, server, "?a=He+wore+a+Polish+hat.&b=Use+the+polish+on+it.")
    slider = page.locator(".home input[type=range]")
    expect(slider).to_have_value("1")
    for a, b in (("The python swallowed a rat.", "He wrote it in Python."), ("A thimble was lost.", "She has a thimble.")):
        page.locator(".st-key-a input, .st-key-a textarea").first.fill(a)
        page.locator(".st-key-b input, .st-key-b textarea").first.fill(b)
        at_rest(page)
        expect(slider).to_have_value("1")
    slider.press("End")
    expect(slider).to_have_value("3")
    page.locator(".st-key-a input, .st-key-a textarea").first.fill("He wore a Polish hat.")
    page.locator(".st-key-b input, .st-key-b textarea").first.fill("Use the polish on it.")
    at_rest(page)
    expect(slider).to_have_value("3")
