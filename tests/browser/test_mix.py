"""The Mix page's instrument in a real Chromium: its numbers are core's, nothing is sent while one drags, links and keys work."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from scipy.special import softmax

from core.common.config import ROOT
from core.elmo.mix import gram, mix_cosines
from core.elmo.models import BUNDLED_MODEL, open_model
from core.index import neighbors
from core.index.rows import make_query
from core.index.tables import open_table
from core.senses.separation import one_nn
from core.text.corpora import BUNDLED_CORPUS
from core.text.tokens import tokenize
from pages._widgets.components import SHARED
from tests.browser.visit import at_rest, count_sent, grab, opened, packed
from tests.core.index.test_neighbors import similarities

SEEN = "(root) => root.instrument.seen()"
SET = "([root, w]) => root.instrument.seen().w.join() === w.join()"
LAID = "([root, places]) => root.instrument.seen().places.some((one, k) => Math.abs(one - places[k]) > 3)"
ALL = """async ([source, packed, sizes, weights]) => {
  const own = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const [cross, grams, query, pairs] = packed.map((one) => own.decoded(one)), [n, m, senses] = sizes;
  return weights.map((w) => {
    const s = own.softmax(w), found = own.cosines({ n, cross, grams, own: query }, s);
    const like = own.similarities(pairs, m, s);
    return { s, cosines: [...found], order: [...own.ranked(found)], like: [...like], share: own.oneNN(like, m, senses) };
  });
}"""


def test_random_mixes_have_the_values_of_core(page: Page):
    rng = np.random.default_rng(7)
    rows, query = rng.normal(size=(400, 3, 24)) * [[[1], [3], [8]]], rng.normal(size=(1, 3, 24))
    few, senses = rows[:40], rng.integers(3, size=40)
    few[5] = few[4]  # a tie
    rows[9] = 0.0  # without a length: no angle
    cross = np.einsum("id,njd->nij", query[0], rows).astype(np.float32)
    numbers = cross, gram(rows), gram(query)[0], neighbors.products_of_pairs(few)
    weights = rng.uniform(-6, 6, (100, 3))
    page.goto("about:blank")
    source = SHARED + (ROOT / "pages/_map/mix.js").read_text("utf-8")
    request = [source, [packed(item) for item in numbers], [len(rows), len(few), senses.tolist()], weights.tolist()]
    cross, grams, own, pairs = (item.astype(np.float64) for item in numbers)
    for w, result in zip(weights, page.evaluate(ALL, request), strict=True):
        s = softmax(w)
        expected, like = mix_cosines(cross, own, grams, s), similarities(pairs, len(few), s)
        np.testing.assert_allclose(result["s"], s, atol=1e-12)
        np.testing.assert_allclose(result["cosines"], expected, atol=1e-6)
        assert result["order"] == np.argsort(-np.round(expected * 1e12), kind="stable").tolist()
        np.testing.assert_allclose(np.reshape(result["like"], like.shape), like, atol=1e-6)
        assert result["share"] == pytest.approx(one_nn(like, senses), abs=1e-9)


def lines(page: Page, number: int) -> list[str]:
    result = page.locator(".mix section").nth(number).locator("li:not(.gone)")
    shown = result.evaluate_all("all => all.map(li => [li.getBoundingClientRect().top, li.querySelector('.cosine').textContent])")
    return [cosine for _, cosine in sorted(shown)]


def drag(page: Page, sent: list[int], share: float) -> tuple[dict, dict]:
    """Drag the first slider to a share of its width, which sends nothing. Return the widget's state before and while the slider is held."""
    root = page.locator(".mix")
    expect(root.locator("li").first).to_be_visible(timeout=180_000)  # once every word of the sentences has been read
    at_rest(page)
    before, move = root.evaluate(SEEN), grab(root.get_by_role("slider").first, 0.5)
    sent.clear()
    for k in range(40):
        move(0.5 + (share - 0.5) * k / 39)
    held = root.evaluate(SEEN)
    assert sent == [] and held["w"][0] > 3 and held["places"] != before["places"] and held["cosine"] > before["cosine"]
    return before, held


def test_mix_widget_has_the_values_of_core(page: Page, server: str):
    sent = count_sent(page)
    opened(page, server, "mix?a=Grandpa+fished+from+the+bank+until+dusk.&b=My+bank+closed+the+account.")
    root = page.locator(".mix")
    expect(page.locator(".st-key-w0")).to_be_hidden()
    before, held = drag(page, sent, 0.85)
    assert held["w"][1:] == [0, 0] and "w0=" not in page.url
    assert held["share"] != before["share"]
    model = open_model(BUNDLED_MODEL)
    table, s = open_table(BUNDLED_CORPUS, model, targets_only=True), softmax(held["w"])
    for number, (text, position) in enumerate((("Grandpa fished from the bank until dusk.", 4), ("My bank closed the account.", 1))):
        query, shown = make_query(model.encoder, tokenize(text), position), held["lists"][number]
        result = neighbors.products(table.rows, query)
        expected = neighbors.cosines(table.rows, result, s)[shown["rows"]]  # which are the nearest first
        np.testing.assert_allclose(sorted(shown["cosines"], reverse=True), expected, atol=1e-6)
        assert lines(page, number) == [f"{item:.2f}" for item in sorted(shown["cosines"], reverse=True)[:7]]
    page.mouse.up()
    expect(page).to_have_url(re.compile(f"w0={held['w'][0]}"))
    assert sent and root.evaluate(SEEN)["w"] == held["w"]
    page.wait_for_function(LAID, arg=[root.element_handle(), held["places"]])  # again, by the server
    scale, order, arrows = root.get_by_role("slider").nth(3), root.evaluate(SEEN)["lists"], root.locator(".arrows")
    message = arrows.get_attribute("aria-label")
    root.locator(".more summary").click()
    for _ in range(5):
        scale.press("ArrowRight")
    expect(page).to_have_url(re.compile("gamma=1.5"))
    assert root.evaluate(SEEN)["lists"] == order and arrows.get_attribute("aria-label") != message
    root.get_by_role("button", name="all −6").click()
    expect(root.locator(".alike")).to_contain_text("the same weights as all 0")
    expect(page).to_have_url(re.compile("w2=-6"))
    at_rest(page)
    page.go_back()
    page.wait_for_function(SET, arg=[root.element_handle(), held["w"]])
    expect(page).to_have_url(re.compile(f"w0={held['w'][0]}"))
    page.reload()
    expect(root.locator("li").first).to_be_visible()
    page.wait_for_function(SET, arg=[root.element_handle(), held["w"]])
    assert root.evaluate(SEEN)["gamma"] == 1.5 and root.evaluate(SEEN)["lists"] == order


def test_mix_widget_works_with_an_unlabeled_word(page: Page, server: str):
    sent = count_sent(page)
    opened(page, server, "mix?a=Two+herons+waded+through+the+marsh.&ai=herons&b=The+herons+on+the+vase+were+blue.&bi=herons")
    root = page.locator(".mix")
    expect(root).to_contain_text("so no accuracy", timeout=180_000)
    before, held = drag(page, sent, 0.97)
    first, second = (np.array(each["cosines"]) for each in held["lists"])
    close = np.abs(first - second) < 0.02
    assert held["sides"] == np.where(close, 2, np.where(first > second, 0, 1)).tolist() != before["sides"]
    for number in (0, 1):
        result = [float(item) for item in lines(page, number)]
        assert len(result) == 7 and result == sorted(result, reverse=True) and result[0] > 0.5
    assert "herons" not in root.locator("li:not(.gone) b").all_inner_texts()
    page.mouse.up()
    expect(page).to_have_url(re.compile("w0=5|w0=6"))
    page.wait_for_function(LAID, arg=[root.element_handle(), held["places"]])  # again, by the server
    page.evaluate("dispatchEvent(new CustomEvent('elmoscope-mix', { detail: { ...window['elmoscope-mix'], layout: [0, 0], stars: [] } }))")
    page.wait_for_timeout(500)
    assert np.isfinite(np.array(root.evaluate(SEEN)["places"], float)).all()  # a layout of other sentences is not drawn
