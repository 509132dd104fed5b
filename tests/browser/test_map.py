"""The Map page in a real Chromium: layers scrubbed and played under the hand, a dot clicked, a lasso, axes of one's own, and Streamlit's own maps."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core.analysis.word_maps import map_rows, open_maps
from core.elmo.models import BUNDLED_MODEL, open_model
from core.index.tables import open_table
from core.text.corpora import BUNDLED_CORPUS
from tests.browser.test_main_path import at_rest, opened

pytestmark = pytest.mark.browser

FADED = (
    "() => [...document.querySelectorAll('.js-plotly-plot')].filter(c => c.layout.meta?.map).map(c => c.data.some(d => d.selectedpoints))"
)
SEEN = "(root) => root.instrument.seen()"
AT = "([root, at]) => root.instrument.seen().at === at && !root.instrument.seen().playing"
DRAWN = "() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))"  # the place is set at once, the dots then
BANK = "a=Grandpa+fished+from+the+bank+until+dusk.&b=My+bank+closed+the+account."


def drawn(page: Page):
    """The instrument, once it stands and has been told what is set."""
    root = page.locator(".map")
    expect(root.locator(".title")).not_to_be_empty()
    at_rest(page)
    return root


def on_one_scale(shown: list[float], places: np.ndarray) -> None:
    """Pixels of the dots are the places (n, 2), moved and stretched alike along both axes, y upwards."""
    pixels = np.reshape(shown, (-1, 2))[: len(places)] * [1, -1]
    wide = np.ptp(pixels, axis=0) / np.ptp(places, axis=0)
    np.testing.assert_allclose(wide[0], wide[1], rtol=1e-4)
    np.testing.assert_allclose((pixels - pixels.mean(0)) / wide[0], places - places.mean(0), atol=1e-4)


def test_layers_glide_under_the_hand_on_core_s_places_and_letting_go_writes_the_address(page: Page, server: str):
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append(1)))
    page.emulate_media(reduced_motion="reduce")  # all stands where it goes
    opened(page, server, f"map?{BANK}&view=2")
    root, slider = drawn(page), page.locator(".map").get_by_role("slider")
    expect(page.locator(".st-key-map_layers")).to_be_hidden()
    table = open_table(BUNDLED_CORPUS, open_model(BUNDLED_MODEL), targets_only=True)
    maps, rows = open_maps(table, "bank"), map_rows(table, "bank")
    sent.clear()
    for k, name in enumerate(maps.names):
        slider.evaluate("(one, value) => { one.value = value; one.dispatchEvent(new Event('input', { bubbles: true })); }", k)
        page.wait_for_function(AT, arg=[root.element_handle(), k])
        page.evaluate(DRAWN)
        on_one_scale(root.evaluate(SEEN)["now"], maps.coordinates[k])
        expect(root.locator(".stops .now")).to_have_text(name)
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] - 12, y)
    page.mouse.down()
    for k in range(40):
        page.mouse.move(box["x"] + box["width"] * (0.97 - 0.014 * k), y)
    held = root.evaluate(SEEN)
    assert sent == [] and 1.1 < held["at"] < 1.4 and "view=2" in page.url
    share = held["at"] - 1
    on_one_scale(held["now"], maps.coordinates[1] * (1 - share) + maps.coordinates[2] * share)
    expect(root.locator(".title")).to_have_text("between layer 1 and layer 2")
    page.mouse.up()
    expect(page).to_have_url(re.compile("view=1"))
    assert sent and root.evaluate(SEEN)["at"] == 1

    slider.focus()
    slider.press("Home")
    expect(page).to_have_url(re.compile("view=0"))
    expect(root.locator("[aria-live]")).to_contain_text("no true neighbors: ")
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("view=1"))
    expect(root.locator("[aria-live]")).to_contain_text("Layer 1")
    at_rest(page)
    sent.clear()
    slider.press(" ")
    assert root.evaluate(SEEN)["playing"] and sent == []
    slider.press(" ")
    page.wait_for_function("(root) => !root.instrument.seen().playing", arg=root.element_handle())
    root.get_by_role("button", name="Play").click()
    page.wait_for_function(AT, arg=[root.element_handle(), len(maps.names) - 1])
    expect(page).to_have_url(re.compile("view=mix"))

    line = root.locator("ol .row").first
    line.focus()  # its dot lights
    lit = int(root.evaluate(SEEN)["hot"])
    assert lit in rows and root.evaluate(SEEN)["drawn"] > 10
    line.press("Enter")
    expect(page).to_have_url(re.compile(rf"dot={lit}\b"))
    at_rest(page)
    page.go_back()
    expect(page).not_to_have_url(re.compile(rf"dot={lit}\b"))
    page.goto(f"{server}/map?{BANK}&view=1&dot={lit}")
    page.wait_for_function(AT, arg=[drawn(page).element_handle(), 1])
    assert root.evaluate(SEEN)["origin"] == str(lit)


def test_it_opens_in_the_sense_space_as_tall_as_the_window_with_sense_names_and_a_key_for_its_lines(page: Page, server: str):
    opened(page, server, f"map?{BANK}")
    root = drawn(page)
    expect(root.locator(".stops .now")).to_have_text("sense")
    plane, side = root.locator(".plane").bounding_box(), root.locator(".side").bounding_box()
    assert plane["height"] >= page.viewport_size["height"] - 410 and side["x"] > plane["x"] + plane["width"]
    expect(root.locator(".labels span").first).to_have_css("opacity", "0.95")
    expect(root.locator(".kinds .path")).to_be_visible()
    assert root.evaluate(SEEN)["drawn"] >= 10 and root.locator("ol li").count() == 10
    expect(root.get_by_role("button", name="Lasso")).to_be_hidden()


def test_it_plays_from_the_first_layer_to_the_mix_by_gliding(page: Page, server: str):
    opened(page, server, f"map?{BANK}&view=mix")
    root = drawn(page)
    # Every drawing writes the slider's text: seen as it is written, none is missed, however few frames a busy machine draws.
    root.evaluate(
        """(root) => { root.seen = []; const slider = root.querySelector(".head input");
          new MutationObserver(() => root.seen.push(root.instrument.seen().at)).observe(slider, {attributeFilter: ["aria-valuetext"]}); }"""
    )
    root.get_by_role("button", name="Play").click()
    page.wait_for_function(f"([root, at]) => root.seen.includes(0) && ({AT})([root, at])", arg=[root.element_handle(), 3])
    seen = root.evaluate("(root) => root.seen")
    assert {0, 1, 2, 3} <= set(seen) and sum(item % 1 > 0 for item in seen) > 0.5 * len(seen) > 6  # mostly on the way between layers


def test_a_dot_clicked_is_the_query_and_a_lasso_selects_in_the_list_and_on_all_maps(page: Page, server: str):
    opened(page, server, "map?layout=pca&view=1&dot=none")
    root = drawn(page)
    plane = root.locator(".plane").bounding_box()
    seen = root.evaluate(SEEN)
    x, y = plane["x"] + seen["now"][0], plane["y"] + seen["now"][1]
    page.mouse.move(x, y)
    expect(root.locator(".card")).to_be_visible()
    row = root.evaluate(SEEN)["hot"]
    page.mouse.click(x, y)
    expect(root.locator(".counted")).to_contain_text("of 10 true neighbors near on the map")
    expect(root.locator(".kinds .kept")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"dot={row}\b"))
    page.mouse.move(plane["x"] + 2, plane["y"] + 2)
    page.mouse.down()
    for across, down in ((0.6, 0.01), (0.6, 0.99), (0.01, 0.99)):
        page.mouse.move(plane["x"] + plane["width"] * across, plane["y"] + plane["height"] * down, steps=4)
    page.mouse.up()
    picked = root.evaluate(SEEN)["picked"]
    wanted = [k for k, x in enumerate(seen["now"][: 2 * 32 : 2]) if x < 0.6 * plane["width"]]
    assert len(picked) == len(wanted) > 3
    expect(page.get_by_text(f"{len(picked)} selected", exact=True)).to_be_visible()
    root.locator(".more summary").click()
    root.get_by_role("button", name="all layers").click()
    page.wait_for_function(f"() => {{ const all = ({FADED})(); return all.length === 4 && all.every(Boolean); }}")
    page.get_by_role("button", name="Clear selection", exact=True).click()
    expect(page.get_by_text(re.compile(r"^\d+ selected$"))).to_have_count(0)
    page.wait_for_function(f"() => !({FADED})().some(Boolean)")
    page.get_by_role("radio", name="2", exact=True).click()
    sense = drawn(page).locator(".chips button").first
    sense.press("Enter")  # by keyboard: all of one meaning
    expect(page.get_by_text(re.compile(r"^\d+ selected$"))).to_be_visible()
    assert sense.get_attribute("aria-pressed") == "true"


def test_axes_of_ones_own_open_cold_and_an_unknown_word_is_named(page: Page, server: str):
    opened(page, server, "map?layout=poles&view=2")
    expect(page.locator(".map .x")).to_have_text("← bank: river edge · bank: financial institution →")
    expect(page.get_by_text("The first axis shows")).to_be_visible()
    opened(page, server, "map?layout=poles&view=2&map_word=play&right=%3F%3F")
    expect(page.get_by_text("An end of the axis is empty.")).to_be_visible()
    expect(page.locator(".map .x")).to_contain_text("play:")


def test_a_word_of_which_nothing_is_shown_is_one_click_away(page: Page, server: str):
    opened(page, server, "map?layout=3d")
    expect(page.get_by_text("3D shows")).to_be_visible()
    page.get_by_text("Which words are inconclusive?").click()
    expect(page.locator("[data-stale=false] .notice").filter(has_text="Inconclusive: ").first).to_be_visible()
    worst = page.get_by_label("Open an inconclusive word").get_by_role("radio").first
    word = worst.inner_text()
    worst.click()
    expect(page).to_have_url(re.compile(f"map_word={word}"))
    expect(page.locator("[data-stale=false] .notice").first).to_contain_text(f"“{word}”")
