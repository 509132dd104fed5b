"""Home in a real Chromium: its first screen, the picture that glides under the hand, and answers as one types."""

import re
from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core.views import pair
from core.workspace import open_workspace
from tests.browser.visit import at_rest, opened

PORT = ("The ship reached the port at dawn.", "We drank a glass of port after dinner.")
ADDRESS = "?a=The+ship+reached+the+port+at+dawn.&b=We+drank+a+glass+of+port+after+dinner."
PARTS = ("h1", ".lede", ".st-key-a input", ".st-key-bi", ".verdict", ".map.compact .plane")
FIND = """const find = (node) =>
  node.querySelector(".map.compact") ?? [...node.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);"""
SEEN = "(root) => { const { at, now, size, hot } = root.instrument.seen(); return { at, now, size, hot }; }"


def place(page: Page) -> dict:
    return page.locator(".map.compact").evaluate(SEEN)


def stand(page: Page, at: int) -> None:
    page.wait_for_function(f"(at) => {{ {FIND} return find(document)?.instrument.seen().at === at; }}", arg=at)


def test_picture_has_the_coordinates_of_core(page: Page, server: str):
    opened(page, server, ADDRESS)
    workspace = open_workspace()
    expected = pair.draw_scene(workspace, *workspace.words(*PORT, "port"))
    n, slider = len(expected.texts), page.locator(".map.compact .scrubber input")
    slopes = []
    for k, name in enumerate(expected.spaces):
        slider.focus()
        slider.press("Home")
        for _ in range(k):
            slider.press("ArrowRight")
        stand(page, k)
        if name.isdigit():
            expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^layer {name}\b", re.IGNORECASE))
        places = np.concatenate([expected.points[k], expected.stars[k]])
        drawn = np.array(place(page)["now"]).reshape(-1, 2)[: n + 2]
        if name == "0":
            assert np.ptp(drawn, axis=0).max() < 1e-6  # one point, like GloVe
            continue
        for axis, sign in ((0, 1), (1, -1)):
            slope, offset = np.polyfit(places[:, axis], drawn[:, axis], 1)
            np.testing.assert_allclose(drawn[:, axis], slope * places[:, axis] + offset, atol=0.5)
            slopes.append(sign * slope)
    assert np.ptp(slopes) < 0.01 * np.mean(slopes)


def test_home_opens_with_one_glide_to_the_sense_space(page: Page, server: str):
    page.emulate_media(reduced_motion="no-preference")
    page.add_init_script(GLIDE)
    opened(page, server, ADDRESS)
    stand(page, 4)
    places = page.evaluate("glide")
    assert places[0] < 0.5 and all(a <= b for a, b in pairwise(places)) and any(0.5 < at < 4 for at in places)
    assert "layer=" not in page.url
    expect(page.locator(".map.compact .counted")).to_have_text(re.compile(r"^\d+ of \d+ sentences lie with their own sense\.$"))
    at_rest(page)
    page.evaluate("glide.length = 0")
    page.locator(".st-key-b input").fill("They found a port for the cable.")
    expect(page.locator(".st-key-bi")).to_contain_text("cable")
    at_rest(page)
    assert set(page.evaluate("glide")) <= {4}  # other sentences move no slider


@pytest.mark.parametrize(("motion", "more", "at"), [("reduce", "", 4), ("no-preference", "&layer=1", 1)], ids=["reduced motion", "a layer"])
def test_home_opens_without_a_glide(page: Page, server: str, motion: str, more: str, at: int):
    page.emulate_media(reduced_motion=motion)
    page.add_init_script(GLIDE)
    opened(page, server, ADDRESS + more)
    stand(page, at)
    page.wait_for_function("glide.length")  # the position is set before the dots are drawn
    assert set(page.evaluate("glide")) == {at}


def test_clicked_dot_becomes_the_second_sentence(page: Page, server: str):
    opened(page, server, ADDRESS)
    stand(page, 4)
    at_rest(page)
    plane, seen = page.locator(".map.compact .plane"), place(page)
    x, y = seen["now"][:2]
    plane.hover(position={"x": x, "y": y})
    card = page.locator(".map.compact .card")
    expect(card).to_be_visible()
    sentence = card.evaluate("(one) => [...one.childNodes].filter(({ nodeName }) => nodeName !== 'I').map((e) => e.textContent).join('')")
    plane.click(position={"x": x, "y": y})
    expect(page.locator(".st-key-b input")).to_have_value(sentence)
    expect(page.locator(".st-key-a input")).to_have_value(PORT[0])
    at_rest(page)
    now = np.reshape(place(page)["now"], (-1, 2))[1 : len(seen["now"]) // 2]
    assert np.abs(now - [x, y]).sum(axis=1).min() < 2  # its star is there


BOXES = """(root) => {
  const plane = root.querySelector(".plane").getBoundingClientRect();
  const box = (node) => { const { left, right, top, bottom } = node.getBoundingClientRect(); return [left - plane.left, right - plane.left, top - plane.top, bottom - plane.top]; };
  return Object.fromEntries([".labels span", ".star text", ".rings circle"].map((name) => [name, [...root.querySelectorAll(name)].map(box)]));
}"""


def test_names_lie_at_their_sense_and_off_the_dots_and_rings_lie_within_the_picture(page: Page, server: str):
    texts = "He ran to the station.", "She runs a company."
    opened(page, server, f"?a={texts[0].replace(' ', '+')}&b={texts[1].replace(' ', '+')}")
    stand(page, 4)
    at_rest(page)
    senses = pair.draw_scene(open_workspace(), *open_workspace().words(*texts)).sense_of
    dots = np.reshape(place(page)["now"], (-1, 2))[: len(senses)]
    boxes = page.locator(".map.compact").evaluate(BOXES)
    for names in (".labels span", ".star text"):
        for number, (left, right, top, bottom) in enumerate(boxes[names]):
            gaps = np.abs(dots - [(left + right) / 2, (top + bottom) / 2]) - [(right - left) / 2, (bottom - top) / 2]
            distances = np.linalg.norm(np.maximum(gaps, 0), axis=1)
            assert distances.min() > 0 and (names == ".star text" or senses[distances.argmin()] == number)
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, server, "?a=A+hush+fell+over+the+crowd.&b=She+hushed+the+baby+to+sleep.")
    stand(page, 4)
    at_rest(page)
    width = place(page)["size"]["x"]
    assert all(left >= 0 and right <= width for left, right, _, _ in page.locator(".map.compact").evaluate(BOXES)[".rings circle"])


GLIDE = f"""
window.glide = [];
{FIND}
const watch = () => {{
  const seen = find(document)?.instrument?.seen();
  if (seen?.now.length) glide.push(seen.at);
  requestAnimationFrame(watch);
}};
requestAnimationFrame(watch);
"""


def chips(page: Page, side: int) -> list[str]:
    return page.locator(".expected .chips").nth(side).locator("button:visible").all_inner_texts()


WAGES = "He put his wages in the bank and went home."
BANKS = "?a=We+sat+on+the+bank+and+watched+the+boats.&b=" + WAGES.replace(" ", "+")


def test_expected_words_follow_typing_and_replace_the_target(page: Page, server: str):
    page.set_viewport_size({"width": 1366, "height": 768})
    opened(page, server, BANKS)
    expect(page.locator(".expected .chips button").first).to_be_visible()
    at_rest(page)
    river, money = chips(page, 0), chips(page, 1)
    assert "shore" in river and money and not set(river) & set(money)
    assert max(page.locator(".expected .chips").nth(k).bounding_box()["height"] for k in range(2)) < 44  # one line each, as many as fit
    page.locator(".st-key-a input").fill("")
    page.locator(".st-key-a input").press_sequentially("The bank refused to lend him any money.", delay=20)
    expect(page.locator(".st-key-ai")).to_contain_text("lend")  # no Enter was pressed
    expect(page.locator(".st-key-ai [aria-checked=true]")).to_have_text("bank")  # the last letter is read, not one before it
    expect(page.locator(".expected .chips").first).not_to_contain_text("shore")
    at_rest(page)
    assert chips(page, 1) == money and chips(page, 0) == []  # none that are good enough
    chip = page.locator(".expected .chips").nth(1).get_by_role("button").first
    word, verdict = chip.inner_text(), page.locator(".verdict").text_content()
    chip.press("Enter")
    expect(page.locator(".st-key-b input")).to_have_value(WAGES.replace("bank", word))
    expect(page.locator(".verdict")).not_to_have_text(verdict)
    for key, target in (("ai", "bank"), ("bi", word)):
        expect(page.locator(f".st-key-{key} [aria-checked=true]")).to_have_text(target)
    assert page.evaluate("document.activeElement?.shadowRoot?.activeElement?.closest('.chips') !== null")  # the keyboard's place stays


def test_first_screen_contains_the_picture_and_the_expected_words(page: Page, server: str):
    def bounds(last: str) -> list[tuple[float, float]]:
        at_rest(page)
        boxes = [page.locator(part).first.bounding_box() for part in (*PARTS, last)]
        return [(box["y"], box["y"] + box["height"]) for box in boxes]

    page.set_viewport_size({"width": 1366, "height": 768})
    opened(page, server, BANKS)
    expect(page.locator(".map.compact .plane")).to_be_visible()
    *parts, curves = bounds(".curves")
    assert all(above[1] <= below[0] + 4 for above, below in pairwise(parts))
    assert parts[0][0] >= 0 and parts[-1][1] <= 768 and parts[-1][1] - parts[-1][0] >= 340 and curves[1] <= 768
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".expected .chips button").first).to_be_visible()
    *parts, words = bounds(".expected")
    assert parts[-2][1] <= 844 and parts[-1][0] + 100 <= 844 and words[1] <= parts[-1][0]
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
    });
    requestAnimationFrame(look);
  };
  look();
}"""


def test_only_one_verdict_is_visible_during_a_run(page: Page, server: str):
    page.emulate_media(reduced_motion="no-preference")
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
    for is_stale, opacity in (("true", "< 0.6"), ("false", "> 0.95")):  # how long a run takes depends on what is cached
        page.evaluate(f"document.querySelector('.st-key-home_answer [data-stale]').dataset.stale = '{is_stale}'")
        page.wait_for_function(f"() => getComputedStyle(document.querySelector('.verdict')).opacity {opacity}")
