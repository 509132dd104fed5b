"""The Speed page: rows of `python -m core bench`, suite by suite, with the goals they met and missed."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from core.artifacts import read_json
from core.config import ASSETS
from core.errors import CorruptArtifact
from core.texts import t
from pages._shared import lists
from pages._shared.frame import notice
from pages._shared.in_use import InUse
from pages._shared.speed_words import in_words

FILE = ASSETS / "results" / "speed.json"
COMMAND = "python -m core bench --output assets/results/speed.json"
MET = {True: "met", False: "missed", None: ""}


def suite_titles() -> dict[str, str]:
    """The benchmarks' suites, in the order shown."""
    return {
        "engine": t("Sentences to layers"),
        "precision": t("Weights in fewer bits"),
        "neighbours": t("Neighbours"),
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
    notice(_noticed(rows))
    for suite, title in suite_titles().items():
        some = pd.DataFrame([row for row in rows if row["suite"] == suite])
        if len(some):
            st.markdown(f"#### {title}")
            lists.grid(_in_words(some.drop(columns="suite")))
    lists.twin(_in_words(pd.DataFrame(rows)), name="speed", key="speed.twin", label=t("Every row as one table"))
    st.caption(t("Measured on {where}. The command: `{command}`", where=where, command=COMMAND))


def _row(row: dict) -> dict:
    """A row as the table has it, with the code's names; `_in_words` is what people see."""
    ours, peer, ratio, goal = (row.get(key) for key in ("ours", "peer", "ratio", "goal"))
    return {
        "suite": row["suite"],
        "what": in_words(row["name"]),
        "goal is": "not run" if row.get("not_run") else MET[row.get("met")],
        "ratio": f"{ratio['value']:.3g} {ratio['unit']}" if ratio else "",
        "ours": _number(ours),
        "the peer": f"{_number(peer)} ({in_words(peer['what'])})" if peer else "",
        "goal": in_words(goal["text"]) if goal else "",
        "rounds, lowest to highest": t("{low:.3g} to {high:.3g}", low=ratio["low"], high=ratio["high"]) if ratio else "",
        "on": row.get("not_run") or (row.get("conditions") or {}).get("sizes", ""),
    }


def _in_words(table: pd.DataFrame) -> pd.DataFrame:
    headers = {
        "suite": t("suite"),
        "what": t("what"),
        "goal is": t("goal is"),
        "ratio": t("ratio"),
        "ours": t("ours"),
        "the peer": t("the peer"),
        "goal": t("goal"),
        "rounds, lowest to highest": t("rounds, lowest to highest"),
        "on": t("on"),
    }
    met = {"met": t("met"), "missed": t("missed"), "not run": t("not run")}
    return table.replace({"goal is": met, "suite": suite_titles()}).rename(columns=headers)


def _number(figure: dict | None) -> str:
    if not figure:
        return ""
    value = figure["value"]
    return f"{value:,.0f} {figure['unit']}" if abs(value) >= 100 else f"{value:.3g} {figure['unit']}"


def _noticed(rows: list[dict]) -> list[str]:
    met, missed, left = ([row for row in rows if row["goal is"] == word] for word in ("met", "missed", "not run"))
    judged = len(met) + len(missed)
    lines = [t("{met} of {judged} goals are met.", met=len(met), judged=judged) if judged else t("No goal was judged.")]
    if missed:
        names = "; ".join(f"{escape(row['what'])} ({escape(row['ratio'] or row['ours'])})" for row in missed)
        lines.append(t("Missed: {names}.", names=names))
    if left:
        lines.append(t("{n} more could not be measured on that machine; their rows say why.", n=len(left)))
    return lines
