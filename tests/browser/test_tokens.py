"""All tokens in a real Chromium, without a server: dots stand where they were sent, glide, light up, and come nearer by keyboard and wheel."""

from base64 import b64encode
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from core.common.config import ROOT
from pages._widgets.components import SHARED

pytestmark = pytest.mark.browser
FOLDER = ROOT / "pages/_map"
NAMES = ["0", "1", "2", "mix"]
MOUNT = """async ([source, html, css, data]) => {
  document.body.innerHTML = `<style>${css}</style>${html}`;
  const own = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  own.default({ data, parentElement: document.body, setStateValue: () => {} });
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  return document.documentElement.dataset.tokens;
}"""
SEEN = "() => document.querySelector('.tokens').instrument.seen()"
HERE = "(k) => document.querySelector('.tokens').instrument.seen().here(k)"


def packed(numbers: np.ndarray, kind: str) -> str:
    return b64encode(np.ascontiguousarray(numbers, kind).tobytes()).decode()


def sent(sentences: int) -> dict:
    """Sentences of ten tokens; in layer 0 every spelling has one place, above it each token its own."""
    rng = np.random.default_rng(3)
    words = rng.integers(200, size=(sentences, 10))
    lines = [[f" w{word}" if k else f"w{word}" for k, word in enumerate(line)] for line in words]
    middles, n = rng.integers(4_000, 61_000, (200, 2)), words.size
    spread = np.array([0, 800, 1_800, 900])[:, None, None] * rng.normal(size=(len(NAMES), n, 2))
    lemma = (words.ravel() == 7).astype(int)
    text = dict.fromkeys(
        (
            "title",
            "alt",
            "layer",
            "play",
            "pause",
            "by",
            "word",
            "sense",
            "part",
            "light",
            "of_word",
            "of_sense",
            "apart",
            "nearer",
            "farther",
            "whole",
        ),
        "x",
    )
    return {
        "key": "k",
        "names": NAMES,
        "short": NAMES,
        "titles": [f"layer {name}" for name in NAMES],
        "where": NAMES,
        "tints": ["#2171b5"] * 4,
        "under": [""] * 4,
        "at": 2,
        "places": packed(np.clip(middles[words.ravel()] + spread, 0, 65_535), "<u2"),
        "sense": packed(lemma, "u1"),
        "lemma": packed(lemma, "<u2"),
        "lemmas": ["w7"],
        "senses": [["a river", "a shop"]],
        "colors": ["#0072b2", "#d55e00", "#009e73"],
        "word": "w7",
        "sentences": "\n".join("\t".join(line) for line in lines),
        "text": text | {"parts": ["first", "then", "last"], "between": "{a} {b}", "lit": "{word}: {n}", "no_webgl": "no WebGL 2 here"},
    }


def mounted(page: Page, sentences: int) -> dict:
    data = sent(sentences)
    page.goto("about:blank")
    source = SHARED + "".join((FOLDER / name).read_text("utf-8") for name in ("live.js", "tokens.js"))
    css = "".join((FOLDER / name).read_text("utf-8") for name in ("live.css", "tokens.css"))
    css += ":host, .live { --st-text-color: #222; --st-background-color: #fff; --st-font: sans-serif; }"
    assert page.evaluate(MOUNT, [source, (FOLDER / "tokens.html").read_text("utf-8"), css, data]) == "alive"
    return data


def test_dots_glide_light_up_and_come_nearer_and_each_names_its_line(page: Page):
    page.emulate_media(reduced_motion="reduce")
    data = mounted(page, 2_000)
    lines = [line.split("\t") for line in data["sentences"].split("\n")]
    sevens = [k for k, piece in enumerate(piece for line in lines for piece in line) if piece.strip() == "w7"]
    seen, plane = page.evaluate(SEEN), page.locator(".plane")
    assert (
        seen["n"] == 20_000 and seen["at"] == 2 and list(seen["lit"].values() if isinstance(seen["lit"], dict) else seen["lit"]) == sevens
    )
    colors = np.asarray(Image.open(BytesIO(plane.screenshot())).convert("RGB")).reshape(-1, 3)
    assert len(np.unique(colors, axis=0)) > 100  # what is drawn is seen, every spelling in a color of its own
    expect(page.locator(".counted")).to_contain_text(f"w7: {len(sevens)}")

    slider = page.get_by_role("slider")
    before = [page.evaluate(HERE, k) for k in sevens[:5]]
    slider.press("Home")
    page.wait_for_function("() => document.querySelector('.tokens').instrument.seen().at === 0")
    together = [page.evaluate(HERE, k) for k in sevens[:5]]
    assert np.ptp(np.array(together), axis=0).max() < 0.01 < 2 < np.ptp(np.array(before), axis=0).max()  # one spelling, one place

    box = plane.bounding_box()
    page.mouse.move(box["x"] + together[0][0], box["y"] + together[0][1])
    expect(page.locator(".card")).to_contain_text("w7")
    slider.press("End")
    page.wait_for_function("() => document.querySelector('.tokens').instrument.seen().at === 3")
    x, y = page.evaluate(HERE, 4)
    page.mouse.click(box["x"] + x, box["y"] + y)
    nearest = page.get_by_role("searchbox").input_value()
    assert nearest.startswith("w") and nearest in {piece.strip() for line in lines for piece in line}
    expect(page.locator(".counted")).to_contain_text(f"{nearest}: ")
    page.get_by_role("searchbox").fill("w7")
    page.locator(".by button[value=sense]").click()
    expect(page.locator(".chips")).to_contain_text("a shop")
    assert page.evaluate(SEEN)["by"] == "sense"

    plane.focus()
    plane.press("ArrowLeft")
    assert page.evaluate(SEEN)["lens"]["k"] == 1  # all of it is seen: nothing to move, and the key is the page's
    plane.press("+")
    near = page.evaluate(SEEN)["lens"]
    plane.press("ArrowRight")
    moved = page.evaluate(SEEN)["lens"]
    assert near["k"] > 1.5 and moved["x"] < near["x"] and moved["k"] == near["k"]
    page.mouse.move(box["x"] + 200, box["y"] + 100)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function("(k) => document.querySelector('.tokens').instrument.seen().lens.k > k", arg=moved["k"])
    page.mouse.down()
    page.mouse.move(box["x"] + 260, box["y"] + 130, steps=4)
    page.mouse.up()
    dragged = page.evaluate(SEEN)["lens"]
    plane.press("0")
    assert dragged["k"] > moved["k"] and page.evaluate(SEEN)["lens"] == {"k": 1, "x": 0, "y": 0}


WATCHED = """async () => {
  const root = document.querySelector(".tokens"), seen = () => root.instrument.seen(), frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
  const found = { places: [seen().here(7), seen().here(39_999)], drawn: [] };
  root.querySelector(".near").click();
  do { await frame(); found.drawn.push(seen().drawn); } while (seen().moving);
  root.querySelector(".whole").click();
  do { await frame(); } while (seen().moving);
  return { ...found, again: [seen().here(7), seen().here(39_999)], rest: seen().drawn };
}"""


def test_while_many_dots_move_some_are_drawn_at_random_and_at_rest_all_of_them(page: Page):
    mounted(page, 4_000)
    page.wait_for_function("() => document.querySelector('.tokens').instrument.seen().drawn === 40_000")
    whole, result = page.locator(".plane").screenshot(), page.evaluate(WATCHED)
    assert 4_096 <= min(result["drawn"]) < 40_000 == result["drawn"][-1] == result["rest"]  # a fast machine draws all before the end
    assert result["places"] == result["again"] and page.locator(".plane").screenshot() == whole  # the order at random moves no dot


def test_a_browser_without_webgl_says_so(page: Page):
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    mounted(page, 10)
    expect(page.locator(".tokens")).to_have_text("no WebGL 2 here")
