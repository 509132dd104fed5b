"""Test exports in Chromium: figures, tables, HTML files, notebooks and links."""

import random
import re
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from core.common import short_links
from tests.browser.visit import FADED_IN, at_rest, opened, saved, violations, wait_until

HOME = "?a=He+lit+a+match.&ai=3&b=We+won+the+match+in+the+end.&bi=3&layer=1"


@pytest.fixture(scope="module")
def taken(visitor: BrowserContext, server: str) -> Iterator[Page]:
    """Home in the dark; one visit for several tests."""
    page = visitor.new_page()
    page.set_viewport_size({"width": 1440, "height": 1000})
    page.emulate_media(color_scheme="dark")
    opened(page, server, HOME)
    yield page
    page.close()


def unfold(page: Page, label: str) -> None:
    """Open a list in the icon row with the keyboard. The list that was open closes."""
    page.keyboard.press("Escape")
    page.locator(".st-key-take").get_by_role("button", name=label).press("Enter")


OUTSIDE = """() => {
  const edge = document.querySelector("svg").getBoundingClientRect(), out = [];
  for (const text of document.querySelectorAll("svg text")) {
    const box = text.getBoundingClientRect();
    if (box.width && (box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1 || box.bottom > edge.bottom + 1))
      out.push(text.textContent);
  }
  return out;
}"""


def test_png_and_svg_have_title_source_and_background(taken: Page):
    background = taken.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    unfold(taken, "Pictures")
    name, png = saved(taken, taken.get_by_role("button", name=re.compile("^PNG: “match” in")))
    assert re.fullmatch(r"elmoscope-home-\d\.png", name) and png[:8] == b"\x89PNG\r\n\x1a\n"
    drawn = taken.locator(".map.compact .front").bounding_box()
    width, height = struct.unpack(">2I", png[16:24])
    assert width >= round(2 * drawn["width"]) and height > round(2 * drawn["height"])  # with room for title, source and labels
    svg = saved(taken, taken.get_by_role("button", name=re.compile("^SVG: “match” in")))[1].decode()
    texts = ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert any("1st" in text for text in texts)
    assert {"Does a word mean the same thing twice?", "Elmoscope · model elmo-mini, vectors glove-mini"} <= set(texts)
    alone = taken.context.new_page()
    alone.set_content(svg)
    assert alone.evaluate(OUTSIDE) == [], "cut at the picture's edge"
    alone.close()
    assert background in svg.split("</rect>")[0].split("/>")[0]
    inks = set(re.findall(r"<text[^>]*?fill: rgb\((\d+), (\d+), (\d+)\)", svg))
    assert inks and all(min(map(int, ink)) > 140 for ink in inks)  # light letters on the dark background


def test_a_copied_link_is_the_address_and_a_short_link_opens_the_view(taken: Page):
    unfold(taken, "Link to this view")
    taken.get_by_role("button", name="Copy link").click()
    expect(taken.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    expect(taken.locator(".address.long")).to_have_text(taken.url)
    short, other = taken.locator(".address.short").text_content(), taken.context.new_page()
    assert len(short) < len(taken.url)
    opened(other, *short.rsplit("/", 1))
    assert parse_qs(urlsplit(other.url).query) == parse_qs(urlsplit(taken.url).query)
    expect(other.locator(".st-key-a input")).to_have_value("He lit a match.")
    other.close()


def test_the_html_file_stands_alone(taken: Page, browser, tmp_path: Path):
    name, file = saved(taken, taken.get_by_role("button", name="HTML file"))
    assert name == "elmoscope-home.html"
    (tmp_path / name).write_bytes(file)
    page, requests, errors = browser.new_page(), [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto((tmp_path / name).as_uri())
    expect(page.get_by_role("heading", level=1)).to_have_text("Does a word mean the same thing twice?")
    expect(page.locator("figure .main-svg text", has_text="1st").first).to_be_visible()
    expect(page.get_by_role("figure", name=re.compile("labeled sentences colored by sense"))).to_be_visible()
    for row in ("^Model elmo-mini, sha256 [0-9a-f]{64}", "Settings .*a = He lit a match"):
        expect(page.get_by_role("row", name=re.compile(row))).to_be_visible()
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == [] and errors == []
    assert violations(page) == []
    page.close()


def test_popovers_are_accessible(taken: Page):
    for label in ("Tables", "CSV files", "Link to this view", "Pictures"):
        unfold(taken, label)
        expect(taken.get_by_test_id("stPopoverBody")).to_be_visible()
        taken.wait_for_function(FADED_IN)
        wait_until(taken, lambda: violations(taken), lambda found: found == [])  # the button's tooltip opens and closes
    taken.set_viewport_size({"width": 390, "height": 844})
    assert not taken.evaluate("document.documentElement.scrollWidth > window.innerWidth + 2")


def test_the_longest_short_links_open_on_the_server(page: Page, server: str):
    draw = random.Random(0)
    texts = ["".join(draw.choices([chr(code) for code in range(0xAC00, 0xD7A4)], k=1_990)) for _ in "ab"]
    code = short_links.shortened([("a", texts[0]), ("b", texts[1]), ("lang", "ko")])
    assert len(code) > 6_000
    assert page.goto(f"{server}/?v={code}").status == 200
    assert page.request.get(f"{server}/?v={'A' * (short_links.LONGEST_ADDRESS - 40)}").status == 200
    for key, text in zip("ab", texts, strict=True):
        expect(page.locator(f".st-key-{key} input, .st-key-{key} textarea").first).to_have_value(text)


def test_quick_clicks_on_a_slow_connection_do_not_stop_the_page(page: Page, server: str):
    is_slow, late = [], []

    def delay(socket: WebSocketRoute) -> None:
        socket.connect_to_server().on_message(lambda message: late.append((socket, message)) if is_slow else socket.send(message))

    def finished_runs() -> int:
        return sum(ForwardMsg.FromString(message).WhichOneof("type") == "script_finished" for _, message in late)

    page.route_web_socket("**/_stcore/stream", delay)
    opened(page, server, HOME)
    at_rest(page)
    row = page.locator(".st-key-take")
    row.get_by_role("button", name="Link to this view").press("Enter")
    expect(page.locator(".address.short")).to_be_visible()
    row.get_by_role("button", name="CSV files").press("Enter")
    expect(page.get_by_role("button", name="CSV: Cosines")).to_be_visible()
    at_rest(page)
    is_slow.append(True)
    page.keyboard.press("Escape")
    wait_until(page, finished_runs, lambda n: n == 1)
    row.get_by_role("button", name="Link to this view").press("Enter")
    wait_until(page, finished_runs, lambda n: n == 2)
    is_slow.clear()
    for socket, message in late:
        socket.send(message)
    expect(page.locator(".address.short")).to_be_visible()
