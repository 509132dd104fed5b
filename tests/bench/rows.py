"""Format measured rows, and write the tables of this folder's README.md from assets/results/speed.json: `python -m tests.bench.rows`."""

from pathlib import Path

from core.common.config import ASSETS
from core.files.artifacts import read_json

FILE, README = ASSETS / "results" / "speed.json", Path(__file__).with_name("README.md")
BEGIN, END = "<!-- python -m tests.bench.rows writes what follows -->\n", "<!-- up to here -->\n"
TITLES = {"engine": "Sentences to layers", "precision": "Weights in fewer bits", "neighbors": "Neighbors", "pages": "Pages in a browser"}
HEADS = ("ours", "beside", "times as fast (rounds, lowest to highest)", "on")


def tables(measured: dict) -> str:
    text = f"Measured on {measured['machine']['machine']}, {measured['date'][:10]}.\n\n"
    for suite, title in TITLES.items():
        lines = [f"| {' | '.join(cells(row))} |\n" for row in measured["rows"] if row["suite"] == suite]
        text += f"| {' | '.join((title, *HEADS))} |\n{'| --- ' * 5}|\n{''.join(lines)}\n" if lines else ""
    return text.rstrip("\n") + "\n"


def times(ratio: dict) -> tuple[float, float, float]:
    """Return how many times as fast as the peer: median, lowest and highest. Below 1 the peer is faster."""
    value, low, high = (ratio[key] for key in ("value", "low", "high"))
    return (1 / value, 1 / high, 1 / low) if ratio["what"].startswith("our time") else (value, low, high)  # a row names what it divides


def judged(low: float, high: float) -> str:
    """Return a mark if not every round was faster than the peer."""
    return "" if low > 1 else ", slower" if high < 1 else ", within noise"


def written(readme: str, measured: dict) -> str:
    before, _, rest = readme.partition(BEGIN)
    return before + BEGIN + tables(measured) + END + rest.partition(END)[2]


def cells(row: dict) -> tuple[str, ...]:
    """Return the text of a row under "what" and each heading. A row whose answers differ states by how much."""
    ratio, peer, cell = row["ratio"], row["peer"], ""
    if ratio:
        value, low, high = times(ratio)
        cell = f"{value:.3g} {ratio['unit']} ({low:.3g} to {high:.3g})" + (judged(low, high) if ratio["unit"] == "x" else "")
    conditions = row.get("not_run") or (row.get("conditions") or {}).get("sizes", "")
    unequal = [f"{c['what']}: {c['difference']}, at most {c['limit']:.2g} allowed" for c in row["checks"] if not c["passed"]]
    conditions = "; ".join(["ANSWERS DIFFER", *unequal]) if unequal else conditions
    return row["name"], _number(row["ours"]), f"{peer['what']} {_number(peer)}" if peer else "", cell, conditions


def _number(figure: dict | None) -> str:
    if not figure:
        return ""
    value = figure["value"]
    return f"{value:,.0f} {figure['unit']}" if abs(value) >= 100 else f"{value:.3g} {figure['unit']}"


if __name__ == "__main__":
    README.write_text(written(README.read_text("utf-8"), read_json(FILE, expect=dict)), encoding="utf-8")
