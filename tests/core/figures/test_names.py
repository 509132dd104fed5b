"""Names on a map cover no other name, at any width, in both renderers."""

import json
import shutil
import subprocess
from itertools import combinations, product

import numpy as np
import pytest

from core.common.config import ROOT
from core.figures.maps import MARGINS, MapLook, map_figure
from core.text.tokens import letter_count

SENSES = {
    "Korean": ["채소", "나뭇가지", "종류를 세는 말"],
    "long": ["financial institution", "river edge", "a row of similar things", "the slope of a turn in the road"],
    "many": [f"sense number {k}" for k in range(20)],
    "few": ["a", "b"],
}


def layout(kind: str, n: int, seed: int) -> tuple[np.ndarray, list[int]]:
    draw, numbers = np.random.default_rng(seed), np.arange(n)
    centers = {"heap": np.zeros((n, 2)), "row": np.stack([0.3 * numbers, 0 * numbers], axis=1), "clouds": draw.normal(size=(n, 2)) * 3}
    groups = np.repeat(numbers, 6)
    return centers[kind][groups] + draw.normal(size=(len(groups), 2)) * 0.2, groups.tolist()


def rectangles(annotations, scale: float) -> list[tuple[float, float, float, float]]:
    """Return the box (left, right, bottom, top) of each name in pixels, as Plotly draws it."""
    boxes = []
    for note in annotations:
        wide = 7.8 * letter_count(note.text.removeprefix("<b>").removesuffix("</b>")) + 8
        x = note.x * scale - {"left": 0, "center": 0.5, "right": 1}[note.xanchor or "center"] * wide
        boxes.append((x, x + wide, note.y * scale - 12, note.y * scale + 12))
    return boxes


def covers(a, b) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


@pytest.mark.parametrize("senses", SENSES)
@pytest.mark.parametrize("kind", ["heap", "row", "clouds"])
@pytest.mark.parametrize("bounded", [True, False])
def test_names_on_a_map_cover_no_other_at_any_width(senses, kind, bounded):
    names = SENSES[senses]
    for seed in range(3):
        xy, groups = layout(kind, len(names), seed)
        low, high = xy.min(axis=0) - 0.5, xy.max(axis=0) + 0.5
        limits = (low[0], high[0], low[1], high[1]) if bounded else None
        look = MapLook(layer="1", key="k", height=430, limits=limits)
        shown = map_figure(xy, [names[k] for k in groups], [""] * len(xy), list(range(len(xy))), names, look).layout.annotations
        wide, tall = ((high - low) if bounded else np.ptp(xy, axis=0) * 1.2).tolist()
        for width in (290, 340, 420, 560, 700, 1000, 1200):
            boxes = rectangles(shown, min(width / wide, (430 - MARGINS) / tall))
            assert not [pair for pair in combinations(boxes, 2) if covers(*pair)], (seed, width)
        assert len(shown) >= min(len(names), 2) and (not bounded or all(low[1] <= note.y <= high[1] for note in shown))


PLACE_NAMES = """
for (const { names, height } of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
  const put = [];
  for (const name of names) { const y = freePlace(name, put, height); if (y !== null) put.push({ ...name, y }); }
  console.log(JSON.stringify(put));
}"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on this machine")
def test_names_in_the_browser_cover_no_other():
    draw = np.random.default_rng(0)
    pictures = []
    for n, height in product((2, 3, 8, 30), (200, 430)):
        x, y, half = draw.uniform(0, 300, n), draw.normal(height / 2, 8, n), draw.uniform(15, 90, n)
        names = [{"x": x[k], "y": y[k], "half": half[k], "tall": 24 + 6 * (k % 2)} for k in range(n)]
        pictures.append({"height": height, "names": names})
    source = (ROOT / "pages/_map/live.js").read_text("utf-8")
    start = source.index("function freePlace(")
    script = source[start : source.index("\n}\n", start) + 3] + PLACE_NAMES
    done = subprocess.run(["node", "-e", script], input=json.dumps(pictures), capture_output=True, text=True, timeout=60, check=True)
    for picture, line in zip(pictures, done.stdout.splitlines(), strict=True):
        put = [(item["x"], item["y"], item["half"], item["tall"] / 2 - 1) for item in json.loads(line)]
        boxes = [(x - wide, x + wide, y - tall, y + tall) for x, y, wide, tall in put]
        assert not [pair for pair in combinations(boxes, 2) if covers(*pair)]
        assert len(put) >= min(len(picture["names"]), picture["height"] // 60)
        assert all(low >= 0 and high <= picture["height"] for _, _, low, high in boxes)
