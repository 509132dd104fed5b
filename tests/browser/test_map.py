"""Test the maps in Chromium: layers, dots, selections, gestures, and the map of all tokens."""

import re
from io import BytesIO
from urllib.parse import urlencode

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from core.analysis.word_maps import map_rows, open_maps
from core.common.config import ROOT
from core.elmo.models import BUNDLED_MODEL, open_model
from core.index.tables import open_table
from core.text.corpora import BUNDLED_CORPUS
from pages._widgets.components import SHARED
from tests.browser.visit import NOTICE, at_rest, count_sent, grab, opened, packed
from tests.links import address

FADED = """() => [...document.querySelectorAll('.js-plotly-plot')].filter(c => c.layout.meta?.map).map(c => c.data.some(d => d.selectedpoints))"""
SEEN = "(root) => root.instrument.seen()"
AT = "([root, at]) => root.instrument.seen().at === at && !root.instrument.seen().playing"
DRAWN = "() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))"  # the place is set at once, the dots then
BANK = "a=Grandpa+fished+from+the+bank+until+dusk.&b=My+bank+closed+the+account."


def drawn(page: Page) -> Locator:
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


def test_map_layers_have_the_coordinates_of_core(page: Page, server: str):
    sent = count_sent(page)
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
    move = grab(slider, 0.97)
    for k in range(40):
        move(0.97 - 0.014 * k)
    held = root.evaluate(SEEN)
    assert sent == [] and 1.1 < held["at"] < 1.4 and "view=2" in page.url
    share = held["at"] - 1
    on_one_scale(held["now"], maps.coordinates[1] * (1 - share) + maps.coordinates[2] * share)
    expect(root.locator(".title")).to_have_text("between layer 1 and layer 2")
    page.mouse.up()
    expect(page).to_have_url(re.compile("view=1"))
    assert sent and root.evaluate(SEEN)["at"] == 1

    for key, view, text in (("Home", 0, "no true neighbors: "), ("ArrowRight", 1, "Layer 1")):
        slider.press(key)
        expect(page).to_have_url(re.compile(f"view={view}"))
        expect(root.locator("[aria-live]")).to_contain_text(text)
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
    assert lit in rows
    line.press("Enter")
    expect(page).to_have_url(re.compile(rf"dot={lit}\b"))
    at_rest(page)
    page.go_back()
    page.wait_for_timeout(1000)  # the run that Back starts must not write the dot again
    at_rest(page)
    expect(page).not_to_have_url(re.compile(rf"dot={lit}\b"))
    page.goto(f"{server}/map?{BANK}&view=1&dot={lit}")
    page.wait_for_function(AT, arg=[drawn(page).element_handle(), 1])
    assert root.evaluate(SEEN)["origin"] == str(lit)


def test_map_fills_the_window_and_plays_from_the_first_layer_to_the_mix(page: Page, server: str):
    page.emulate_media(reduced_motion="no-preference")
    opened(page, server, f"map?{BANK}&view=mix")
    root = drawn(page)
    plane, side = root.locator(".plane").bounding_box(), root.locator(".side").bounding_box()
    assert plane["height"] >= page.viewport_size["height"] - 410 and side["x"] > plane["x"] + plane["width"]
    assert root.evaluate(SEEN)["drawn"] >= 10 and root.locator("ol li").count() == 10
    # Every drawing writes the slider's text: seen as it is written, none is missed, however few frames a busy machine draws.
    root.evaluate(
        """(root) => { root.seen = []; const slider = root.querySelector(".head input");
          new MutationObserver(() => root.seen.push(root.instrument.seen().at)).observe(slider, {attributeFilter: ["aria-valuetext"]}); }"""
    )
    root.get_by_role("button", name="Play").click()
    page.wait_for_function(f"([root, at]) => root.seen.includes(0) && ({AT})([root, at])", arg=[root.element_handle(), 3])
    seen = root.evaluate("(root) => root.seen")
    assert {0, 1, 2, 3} <= set(seen) and sum(item % 1 > 0 for item in seen) > 0.5 * len(seen) > 6  # mostly on the way between layers


def test_dots_are_clicked_and_selected_by_a_lasso(page: Page, server: str):
    opened(page, server, "map?layout=pca&view=1&dot=none")
    root = drawn(page)
    page.wait_for_function(AT, arg=[root.element_handle(), 1])  # a dot that still glides would leave the pointer
    plane, seen = standing(root.locator(".plane")), root.evaluate(SEEN)
    x, y = plane["x"] + seen["now"][0], plane["y"] + seen["now"][1]
    page.mouse.move(x, y)
    expect(root.locator(".card")).to_be_visible()
    row = root.evaluate(SEEN)["hot"]
    page.mouse.click(x, y)
    expect(root.locator(".counted")).to_contain_text("of 10 true neighbors near on the map")
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
    expect(page.get_by_role("button", name="Download selection")).to_be_visible()
    root.locator(".more summary").click()
    root.get_by_role("button", name="all layers").click()
    page.wait_for_function(f"() => {{ const all = ({FADED})(); return all.length === 4 && all.every(Boolean); }}")
    page.get_by_role("button", name="Clear selection", exact=True).click()
    page.wait_for_function(f"() => !({FADED})().some(Boolean)")
    page.get_by_role("radio", name="2", exact=True).click()
    sense = drawn(page).locator(".chips button").first
    sense.press("Enter")  # by keyboard: all of one meaning
    expect(page.get_by_text(re.compile(r"^\d+ selected$"))).to_be_visible()
    assert sense.get_attribute("aria-pressed") == "true"


def test_inconclusive_words_can_be_opened(page: Page, server: str):
    opened(page, server, "map?layout=3d")
    page.get_by_text("Which words are inconclusive?").click()
    expect(page.locator(NOTICE).filter(has_text="Inconclusive: ").first).to_be_visible()
    worst = page.get_by_label("Open an inconclusive word").get_by_role("radio").first
    word = worst.inner_text()
    worst.click()
    expect(page).to_have_url(re.compile(f"map_word={word}"))
    expect(page.locator(NOTICE).first).to_contain_text(f"“{word}”")


def standing(plot: Locator) -> dict[str, float]:
    """Return the position of the plot once it has not moved for a second. Content above it may still grow."""
    boxes = [plot.bounding_box()]
    while boxes[-4:] != boxes[-1:] * 4:
        plot.page.wait_for_timeout(300)
        boxes.append(plot.bounding_box())
    return boxes[-1]


PAIR = {"a": "A mustang grazed beside the river.", "ai": "mustang", "b": "My uncle drove his old mustang to the garage.", "bi": "mustang"}


def test_neighbor_of_an_unlabeled_word_becomes_the_sentence(page: Page, server: str):
    opened(page, server, "neighbors?" + urlencode(PAIR))
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=240_000)  # until every word of the sentences has been read
    lines, second = page.locator("[data-stale=false] .kwic:has(.take)"), page.get_by_label("Second sentence", exact=True)
    expect(lines).to_have_count(16)
    line = lines.nth(8)
    line.locator("summary").click()
    sentence = line.locator(".whole").inner_text().strip()
    assert len(sentence.split()) > 3
    line.locator(".take").click()
    expect(second).to_have_value(sentence)
    expect(page.get_by_label("First sentence", exact=True)).to_have_value(PAIR["a"])
    page.get_by_role("button", name=re.compile("Back to “My uncle")).click()
    expect(second).to_have_value(PAIR["b"])


PLACE = "document.querySelector('[data-testid=stMain]').scrollTop"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}
PICTURES = {"": ".map.compact .plane", "map?dot=none": ".plane", "about": ".js-plotly-plot .nsewdrag"}  # the last one is Plotly's


def turn_wheel_with_ctrl(page: Page, turn: int) -> None:
    page.keyboard.down("Control")
    page.mouse.wheel(0, turn)
    page.keyboard.up("Control")


def middle(page: Page, picture: str) -> tuple[float, float]:
    expect(page.locator(picture).first).to_be_visible(timeout=60_000)
    if "plotly" in picture:
        page.wait_for_function("window.elmoscopeGestures && document.querySelector('.js-plotly-plot')?._fullLayout?.xaxis")
    at_rest(page)  # what is drawn later moves the picture
    page.locator(picture).first.evaluate("(one) => one.scrollIntoView({block: 'center'})")
    at_rest(page)
    box = page.locator(picture).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_swipe_over_a_picture_scrolls_the_page_on_a_phone(browser, server: str):
    with browser.new_context(**PHONE) as phone:
        page = phone.new_page()
        finger = phone.new_cdp_session(page)
        for path, picture in PICTURES.items():
            page.goto(f"{server}/{address(path)}")
            x, y = middle(page, picture)
            before = page.evaluate(PLACE)
            for name, points in [("touchStart", [y]), *(("touchMove", [y - 10 * k]) for k in range(1, 16)), ("touchEnd", [])]:
                finger.send("Input.dispatchTouchEvent", {"type": name, "touchPoints": [{"x": x, "y": at} for at in points]})
            page.wait_for_function(f"{PLACE} >= {before + 100}")


def test_the_wheel_scrolls_over_a_map_and_zooms_it_with_ctrl(page: Page, server: str):
    page.goto(f"{server}/map?dot=none")
    x, y = middle(page, ".plane")
    page.mouse.move(x, y)
    stars = page.locator(".map .stars")
    before, shown = page.evaluate(PLACE), stars.inner_html()
    page.mouse.wheel(0, 120)
    page.wait_for_function(f"{PLACE} > {before + 50}")
    assert stars.inner_html() == shown != ""
    x, y = middle(page, ".plane")
    page.mouse.move(x, y)
    before = page.evaluate(PLACE)
    turn_wheel_with_ctrl(page, -120)
    expect(stars).not_to_have_js_property("innerHTML", shown)
    assert page.evaluate(PLACE) == before


FOLDER = ROOT / "pages/_map"
NAMES = ["0", "1", "2", "mix"]
TEXTS = ["title", "alt", "layer", "play", "pause", "by", "word", "sense", "part", "light"]
TEXTS += ["of_word", "of_sense", "apart", "nearer", "farther", "whole", "between"]
FIXED = {"key": "k", "titles": [f"layer {name}" for name in NAMES], "tints": ["#2171b5"] * 4, "under": [""] * 4, "at": 2}
FIXED |= {"lemmas": ["w7"], "senses": [["a river", "a shop"]], "colors": ["#0072b2", "#d55e00", "#009e73"], "word": "w7"}
FIXED |= dict.fromkeys(("names", "short", "where"), NAMES)
FIXED |= {"text": dict.fromkeys(TEXTS, "x") | {"parts": ["first", "then", "last"], "lit": "{word}: {n}", "no_webgl": "no WebGL 2 here"}}
MOUNT = """async ([source, html, css, data]) => {
  document.body.innerHTML = `<style>${css}</style>${html}`;
  const own = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  own.default({ data, parentElement: document.body, setStateValue: () => {} });
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  return document.documentElement.dataset.tokens;
}"""
SEEN_TOKENS = "() => document.querySelector('.tokens').instrument.seen()"
HERE = "(k) => document.querySelector('.tokens').instrument.seen().here(k)"


def make_data(sentences: int) -> dict:
    """Sentences of ten tokens; in layer 0 every spelling has one place, above it each token its own."""
    rng = np.random.default_rng(3)
    words = rng.integers(200, size=(sentences, 10))
    lines = [[f" w{word}" if k else f"w{word}" for k, word in enumerate(line)] for line in words]
    middles, n = rng.integers(4_000, 61_000, (200, 2)), words.size
    spread = np.array([0, 800, 1_800, 900])[:, None, None] * rng.normal(size=(len(NAMES), n, 2))
    lemma = (words.ravel() == 7).astype(int)
    return FIXED | {
        "places": packed(np.clip(middles[words.ravel()] + spread, 0, 65_535), "<u2"),
        "sense": packed(lemma, "u1"),
        "lemma": packed(lemma, "<u2"),
        "sentences": "\n".join("\t".join(line) for line in lines),
    }


def mounted(page: Page, sentences: int) -> dict:
    data = make_data(sentences)
    page.goto("about:blank")
    source = SHARED + "".join((FOLDER / name).read_text("utf-8") for name in ("live.js", "tokens.js"))
    css = "".join((FOLDER / name).read_text("utf-8") for name in ("live.css", "tokens.css"))
    css += ":host, .live { --st-text-color: #222; --st-background-color: #fff; --st-font: sans-serif; }"
    assert page.evaluate(MOUNT, [source, (FOLDER / "tokens.html").read_text("utf-8"), css, data]) == "alive"
    return data


def test_map_of_all_tokens_moves_zooms_and_names_tokens(page: Page):
    def seen(at: int | None = None) -> dict:
        page.wait_for_function(f"(at) => at === null || ({SEEN_TOKENS})().at === at", arg=at)
        return page.evaluate(SEEN_TOKENS)

    pieces = [piece.strip() for piece in re.split("[\t\n]", mounted(page, 2_000)["sentences"])]
    sevens = [k for k, piece in enumerate(pieces) if piece == "w7"]
    lit, plane, search = seen(at=2)["lit"], page.locator(".plane"), page.get_by_role("searchbox")
    assert seen()["n"] == 20_000 and list(lit.values() if isinstance(lit, dict) else lit) == sevens
    colors = np.asarray(Image.open(BytesIO(plane.screenshot())).convert("RGB")).reshape(-1, 3)
    assert len(np.unique(colors, axis=0)) > 100  # what is drawn is seen, every spelling in a color of its own
    expect(page.locator(".counted")).to_contain_text(f"w7: {len(sevens)}")

    slider = page.get_by_role("slider")
    before = [page.evaluate(HERE, k) for k in sevens[:5]]
    slider.press("Home")
    seen(at=0)
    together = [page.evaluate(HERE, k) for k in sevens[:5]]
    assert np.ptp(np.array(together), axis=0).max() < 0.01 < 2 < np.ptp(np.array(before), axis=0).max()  # one spelling, one place
    box = plane.bounding_box()
    page.mouse.move(box["x"] + together[0][0], box["y"] + together[0][1])
    expect(page.locator(".card")).to_contain_text("w7")
    slider.press("End")
    seen(at=3)
    x, y = page.evaluate(HERE, 4)
    page.mouse.click(box["x"] + x, box["y"] + y)
    assert search.input_value() in pieces
    expect(page.locator(".counted")).to_contain_text(f"{search.input_value()}: ")
    search.fill("w7")
    page.locator(".by button[value=sense]").click()
    expect(page.locator(".chips")).to_contain_text("a shop")

    plane.press("ArrowLeft")
    assert seen()["lens"]["k"] == 1  # all of it is seen: nothing to move, and the key is the page's
    plane.press("+")
    near = seen()["lens"]
    plane.press("ArrowRight")
    moved = seen()["lens"]
    assert near["k"] > 1.5 and moved["x"] < near["x"] and moved["k"] == near["k"]
    page.mouse.move(box["x"] + 200, box["y"] + 100)
    turn_wheel_with_ctrl(page, -200)
    page.wait_for_function(f"(k) => ({SEEN_TOKENS})().lens.k > k", arg=moved["k"])
    zoomed = seen()["lens"]
    page.mouse.down()
    page.mouse.move(box["x"] + 260, box["y"] + 130, steps=4)
    page.mouse.up()
    assert seen()["lens"]["x"] != zoomed["x"]
    plane.press("0")
    assert seen()["lens"] == {"k": 1, "x": 0, "y": 0}


WATCHED = """async () => {
  const root = document.querySelector(".tokens"), seen = () => root.instrument.seen(), frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
  const found = { places: [seen().here(7), seen().here(39_999)], drawn: [] };
  root.querySelector(".near").click();
  do { await frame(); found.drawn.push(seen().drawn); } while (seen().moving);
  root.querySelector(".whole").click();
  do { await frame(); } while (seen().moving);
  return { ...found, again: [seen().here(7), seen().here(39_999)], rest: seen().drawn };
}"""


def test_all_tokens_are_drawn_at_rest_and_some_in_motion(page: Page):
    mounted(page, 4_000)
    page.wait_for_function("() => document.querySelector('.tokens').instrument.seen().drawn === 40_000")
    whole, result = page.locator(".plane").screenshot(), page.evaluate(WATCHED)
    assert 4_096 <= min(result["drawn"]) < 40_000 == result["drawn"][-1] == result["rest"]  # a fast machine draws all before the end
    assert result["places"] == result["again"] and page.locator(".plane").screenshot() == whole  # the order at random moves no dot


def test_a_browser_without_webgl_says_so(page: Page):
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    mounted(page, 10)
    expect(page.locator(".tokens")).to_have_text("no WebGL 2 here")
