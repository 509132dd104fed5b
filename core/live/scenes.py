"""Short scenes: small pictures as parts of an SVG, each with what it says and where it leads on."""

import math
from dataclasses import dataclass

from core.figures.style import RIM

Part = tuple[str, dict[str, str | float], str]  # of an SVG: element, attributes, text


@dataclass(frozen=True, slots=True)
class StoryScene:
    """One scene: its title, the parts of its picture, its sentence as safe HTML, and the page that goes on with what it calls it."""

    title: str
    picture: list[Part]
    said: str
    page: str
    onward: str


def line(x1: float, y1: float, x2: float, y2: float, colour: str) -> Part:
    """From one place to another."""
    ends = {"x1": round(x1, 1), "y1": round(y1, 1), "x2": round(x2, 1), "y2": round(y2, 1)}
    return "line", ends | {"stroke": colour, "stroke-width": 3, "stroke-linecap": "round"}, ""


def star(x: float, y: float, colour: str) -> Part:
    """Round a place."""
    radii = [(9.0 if k % 2 == 0 else 4.0, k * math.pi / 5) for k in range(10)]
    points = " ".join(f"{x + r * math.sin(a):.1f},{y - r * math.cos(a):.1f}" for r, a in radii)
    return "polygon", {"points": points, "fill": colour, "stroke": RIM, "stroke-width": 1.2}, ""


def words(x: float, y: float, text: str, size: int, *, anchor: str = "start") -> Part:
    """A text at a place; `anchor` is the end of it that stands there."""
    return "text", {"x": round(x, 1), "y": round(y, 1), "font-size": size, "text-anchor": anchor}, text
