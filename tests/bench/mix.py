"""What moves under the hand, measured: Mix's slider, Map's scrubber and Play, beside a slider of plain Streamlit; and ranking anew.

    python -m tests.bench.mix [--threads 1] [--output mix.json]

In a headless Chromium, on the same cores as the servers. Of each drag: how long frames last, in how many of them the picture was
another one, what was sent to the server meanwhile. The plain page draws as many dots by Plotly, anew after each move of its slider.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from core.common.config import ROOT
from core.files.artifacts import write_json
from pages._widgets.components import SHARED
from tests.bench.measure import Setting
from tests.bench.pages import served
from tests.run import find_chromium

MOVES, STEP_MS, WAIT_MS = 60, 16, 120_000
CANDIDATES, DOTS, TIMES, ANSWERS = 2_000, 64, 200, 10
PLAIN = f"""
import numpy as np
import plotly.graph_objects as go
import streamlit as st

share = st.slider("share", 0.0, 1.0, 0.5)
first, second = np.random.default_rng(0).normal(size=(2, {DOTS}, 2))
x, y = (first * (1 - share) + second * share).T
st.plotly_chart(go.Figure(go.Scatter(x=x, y=y, mode="markers")), key="map")
"""
# Frames' lengths, and in how many of them `drawn` gave something else than in the one before.
WATCH = """(drawn) => {
  const look = new Function("return " + drawn), seen = (window.seen = { frames: [], drawn: 0, going: true });
  let last = 0, before = look();
  const frame = (time) => {
    if (!seen.going) return;
    if (last) seen.frames.push(time - last);
    const now = look();
    if (now !== before) seen.drawn++;
    [last, before] = [time, now];
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
# Where an instrument's dots stand.
PLACES = "(window.%s ??= [...document.querySelectorAll('*')].map((one) => one.shadowRoot?.querySelector('.live')).find(Boolean)).instrument.seen().%s.join()"
SEEN = "() => { seen.going = false; return seen; }"
RANK = """async ([source, n, dots, times]) => {
  const own = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const drawn = (size) => Float32Array.from({ length: size }, () => Math.random() + 0.1);
  const part = { n, cross: drawn(9 * n), grams: drawn(6 * n), own: drawn(6) }, pairs = drawn((9 * dots * (dots + 1)) / 2);
  const senses = Array.from({ length: dots }, (_, k) => k % 2), ranking = [], accuracy = [];
  const timed = (list, act) => { const begun = performance.now(); act(); list.push(performance.now() - begun); };
  for (let k = 0; k < times; k++) {
    const s = own.softmax([Math.random(), Math.random(), Math.random()]);
    timed(ranking, () => own.ranked(own.cosines(part, s)));
    timed(accuracy, () => own.oneNN(own.similarities(pairs, dots, s), dots, senses));
  }
  return { ranking, accuracy };
}"""


def of(times: list[float]) -> dict[str, float]:
    """Median and 95th percentile of milliseconds."""
    ordered = sorted(times)
    return {"median_ms": round(ordered[len(ordered) // 2], 1), "p95_ms": round(ordered[int(0.95 * len(ordered))], 1), "n": len(ordered)}


def watched(page, picture: str, sent: list, act) -> dict:
    """Frames while `act` runs; `picture` is JavaScript whose value is another one when the picture is."""
    sent.clear()
    page.evaluate(WATCH, picture)
    act()
    seen = page.evaluate(SEEN)
    return of(seen["frames"]) | {"frames_with_another_picture": seen["drawn"], "sent": len(sent)}


def drag(page, track: dict) -> None:
    """Press in the middle of a track and move to its right end; the button stays down."""
    y = track["y"] + track["height"] / 2
    page.mouse.move(track["x"] + track["width"] / 2, y)
    page.mouse.down()
    for k in range(MOVES):
        page.mouse.move(track["x"] + track["width"] * (0.5 + 0.45 * k / MOVES), y)
        page.wait_for_timeout(STEP_MS)


def answered(page, picture: str, track: dict, number: int) -> float:
    """Milliseconds from letting go of a slider to another picture."""
    y = track["y"] + track["height"] / 2
    page.mouse.move(track["x"] + track["width"] * (0.3, 0.6)[number % 2], y)
    page.wait_for_timeout(1_000)
    before = page.evaluate(picture)
    page.mouse.down()
    began = time.perf_counter()
    page.mouse.up()
    page.wait_for_function(f"(before) => ({picture}) !== before", arg=before)
    return 1_000 * (time.perf_counter() - began)


def visited(browser, address: str, ready: str):
    """A page at rest, and the list to which every message to its server is added."""
    page, sent = browser.new_page(viewport={"width": 1440, "height": 900}), []
    page.set_default_timeout(WAIT_MS)
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append(1)))
    page.goto(address)
    page.wait_for_selector(ready)
    page.wait_for_selector("[data-test-script-state=notRunning]")
    page.wait_for_timeout(2_000)  # what fades in
    return page, sent


def measured(browser, setting: Setting) -> dict[str, dict]:
    """Each movement's figures, by name."""
    result = {}
    plain = setting.folder / "plain.py"
    plain.write_text(PLAIN)
    with served(setting, "run", str(plain)) as address:
        page, sent = visited(browser, address, ".js-plotly-plot .point")
        track = page.locator(".stSlider [role=group]").bounding_box()
        chart = "document.querySelector('.js-plotly-plot .point')?.getAttribute('transform')"
        result["plain Streamlit: a slider dragged"] = watched(page, chart, sent, lambda: drag(page, track))
        page.mouse.up()
        result["plain Streamlit: let go to another picture"] = of([answered(page, chart, track, k) for k in range(ANSWERS)])
        page.close()
    with served(setting, "run", str(ROOT / "app.py")) as address:
        page, sent = visited(browser, f"{address}/mix", ".mix li")
        track = page.locator(".mix").get_by_role("slider").first.bounding_box()
        result["Mix: a slider dragged"] = watched(page, PLACES % ("mix", "places"), sent, lambda: drag(page, track))
        page.mouse.up()
        page.close()
        page, sent = visited(browser, f"{address}/map", ".map .stops .now")
        picture = PLACES % ("map", "now")
        track = page.locator(".map").get_by_role("slider").bounding_box()
        result["Map: the scrubber dragged"] = watched(page, picture, sent, lambda: drag(page, track))
        page.mouse.up()
        page.locator(".map").get_by_role("slider").press("Home")
        page.wait_for_timeout(2_500)

        def play() -> None:
            page.locator(".map .play").click()
            page.wait_for_timeout(2_500)

        result["Map: Play, two and a half seconds of it"] = watched(page, picture, sent, play)
        page.close()
    page = browser.new_page()
    source = SHARED + (ROOT / "pages/_map/mix.js").read_text("utf-8")
    times = page.evaluate(RANK, [source, CANDIDATES, DOTS, TIMES])
    result[f"{CANDIDATES:,} candidates ranked anew"] = of(times["ranking"])
    result[f"accuracy of {DOTS} sentences counted anew"] = of(times["accuracy"])
    return result


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=Path, help="a JSON file for the figures")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        result = measured(browser, Setting(folder=Path(folder), threads=args.threads))
        browser.close()
    for name, row in result.items():
        more = f"; another picture in {row['frames_with_another_picture']}, {row['sent']} sent" if "sent" in row else ""
        print(f"{name:<45} median {row['median_ms']:6.1f} ms, 95th {row['p95_ms']:6.1f} ms of {row['n']}{more}")
    if args.output:
        write_json(args.output, result)
    else:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
