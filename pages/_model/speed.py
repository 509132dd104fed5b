"""The Speed page: our figures beside their peers' in one picture, and every row of `python -m tests.bench` suite by suite."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.common.config import ASSETS
from core.common.errors import CorruptArtifact
from core.common.i18n import again, say, t
from core.figures.measures import ratio_bars
from core.files.artifacts import read_json
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._widgets import lists
from pages._widgets.charts import draw

FILE = ASSETS / "results" / "speed.json"
COMMAND = "python -m tests.bench --output assets/results/speed.json"
SHOWN = (  # rows drawn in front, the one that says most first
    "sentences to layers, small",
    "sentences to layers, original",
    "one sentence at a time, small",
    "slider move, 1,000,000 occurrences",
    "a new token put into four frozen maps",
    "mix changed, the map follows",
    "an epoch on frozen layers, against AllenNLP for every batch",
    "a training step with the char-CNN",
    "first useful paint, warm server",
    "first useful paint, cold server",
)


def suite_titles() -> dict[str, str]:
    """The benchmarks' suites, in the order shown."""
    return {
        "engine": t("Sentences to layers"),
        "precision": t("Weights in fewer bits"),
        "neighbours": t("Neighbours"),
        "substitutes": t("Sense space"),
        "maps": t("Maps"),
        "classify": t("Classifiers"),
        "training": t("Pre-training"),
        "pages": t("Pages in a browser"),
    }


def show(in_use: InUse) -> None:
    if not FILE.is_file():
        told = t("Nothing has been measured yet. In a terminal, on an idle machine: `{command}`", command=COMMAND)
        st.info(told, icon=":material/terminal:")
        notice([t("Nothing has been measured yet, so nothing is claimed here.")])
        return
    found = read_json(FILE, expect=dict)
    try:
        rows = [_row(row) for row in found["rows"]]
        where = f"{found['machine']['machine']}, {found['date'][:10]}"
    except (KeyError, TypeError, AttributeError) as error:
        raise CorruptArtifact(
            t("{file} holds no benchmark ({error}). Measure again: {command}", file=FILE, error=error, command=COMMAND)
        ) from None
    ahead = compared(found["rows"])
    if ahead:
        named = ", ".join(f"{one.what}: {one.times:.3g} x {one.peer}" for one in ahead)
        draw(
            ratio_bars([(one.what, one.peer, one.times) for one in ahead]),
            key="speed.ratios",
            alt=t("How many times as fast as its peer: {named}.", named=named),
        )
    notice(about_speed(ahead))
    for suite, title in suite_titles().items():
        some = pd.DataFrame([row for row in rows if row["suite"] == suite])
        if len(some):
            with st.expander(title, icon=":material/speed:"):
                lists.grid(_in_words(some.drop(columns="suite")))
    lists.twin(_in_words(pd.DataFrame(rows)), name="speed", key="speed.twin", label=t("Every row as one table"))
    st.caption(t("Measured on {where}. The command: `{command}`", where=where, command=COMMAND))


@dataclass(frozen=True, slots=True)
class Ahead:
    """One of our figures beside a peer's."""

    what: str
    peer: str
    times: float  # as fast as the peer; below 1 where the peer is faster
    ours: str  # with their unit, as "8,406 tokens/s"
    theirs: str


def compared(rows: list[dict]) -> list[Ahead]:
    """Of SHOWN, those that were measured beside a peer, in that order."""
    known = {row["name"]: row for row in rows}
    found = []
    for name in SHOWN:
        row = known.get(name)
        if not row or not row.get("ratio") or not row.get("peer") or row.get("not_run"):
            continue
        value = row["ratio"]["value"]
        times = 1 / value if row["ratio"]["what"].startswith("our time") else value  # the bench names which of the two it divides
        found.append(Ahead(_said(row), _said(row["peer"]), times, _number(row["ours"]), _number(row["peer"])))
    return found


def _row(row: dict) -> dict:
    """A row as the table has it, with the code's names; `_in_words` is what people see."""
    ours, peer, ratio = (row.get(key) for key in ("ours", "peer", "ratio"))
    return {
        "suite": row["suite"],
        "what": _said(row),
        "ratio": f"{ratio['value']:.3g} {ratio['unit']}" if ratio else "",
        "ours": _number(ours),
        "the peer": f"{_number(peer)} ({_said(peer)})" if peer else "",
        "rounds, lowest to highest": t("{low:.3g} to {high:.3g}", low=ratio["low"], high=ratio["high"]) if ratio else "",
        "on": row.get("not_run") or (row.get("conditions") or {}).get("sizes", ""),
    }


def _said(row: dict) -> str:
    """A row's name, or a peer's, in the reader's language; the names of parties in it too."""
    values = {name: say(value) for name, value in row["said"]["values"].items()}
    return again(row["said"]["text"], values)


def _in_words(table: pd.DataFrame) -> pd.DataFrame:
    return table.replace({"suite": suite_titles()}).rename(columns=say)


def _number(figure: dict | None) -> str:
    if not figure:
        return ""
    value = figure["value"]
    return f"{value:,.0f} {figure['unit']}" if abs(value) >= 100 else f"{value:.3g} {figure['unit']}"


def about_speed(found: list[Ahead]) -> list[str]:
    """The first of the figures in full, and which of them a peer is faster at."""
    if not found:
        return [t("Nothing here was measured beside a peer, so nothing is claimed.")]
    first = found[0]
    told = {"what": first.what, "peer": first.peer, "ours": first.ours, "theirs": first.theirs, "times": first.times}
    lines = [t("<b>{what}</b>: {ours}, where {peer} does {theirs}: {times:.3g} times as fast.", **told)]
    if slower := [one for one in found if one.times < 1]:
        names = "; ".join(f"{one.what} ({one.times:.2g} x)" for one in slower)
        lines.append(t("Slower than the peer: {names}.", names=names))
    return lines
