"""The learning curve of the Results page: accuracy as labelled rows grow, and what ELMo adds at either end."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from core import figures
from core.classify.model import variant_titles
from core.experiments import SHARES
from core.texts import t
from pages._shared import lists
from pages._shared.charts import draw
from pages._shared.frame import notice

CURVE = ("embedding", "glove", "embedding+elmo", "glove+elmo", "tfidf")


def show_curve(found: dict) -> None:
    """The curve, what to notice, the table; nothing where it has fewer than two points."""
    by_share = {share: found["news" if share == 1.0 else f"news-{share:g}"] for share in SHARES}
    if sum(bool(rows) for rows in by_share.values()) < 2:
        return
    st.markdown(t("#### How many labelled texts does it take?"))
    titles = variant_titles()
    curves = {
        titles[name]: [(rows[name]["labelled"], rows[name]["accuracy"]) for rows in by_share.values() if name in rows]
        for name in CURVE
    }
    draw(
        figures.curves_figure(
            curves,
            y=t("accuracy on 7,600 unseen news"),
            percent=True,
            x=t("labelled rows, to train and to validate on"),
            log_x=True,
        ),
        key="results.curve",
        alt=t("Accuracy on unseen news by the number of labelled rows, a line for each of: {names}.", names=", ".join(curves)),
    )
    if lines := about_curve(by_share):
        notice(lines)
    table = pd.DataFrame(
        [
            {t("labelled rows"): rows[name]["labelled"], t("classifier"): titles[name], **scores_of(rows[name])}
            for rows in by_share.values()
            for name in rows
        ]
    )
    lists.twin(table, name="learning-curve", key="results.curve.twin")


def about_curve(by_share: dict[float, dict]) -> list[str]:
    """What ELMo adds with the fewest rows and with the most, of summaries of runs by share of the rows."""
    titles = variant_titles()
    lines, ends = [], []
    for plain, joined in (("embedding", "embedding+elmo"), ("glove", "glove+elmo")):
        both = {share: rows for share, rows in by_share.items() if {plain, joined} <= rows.keys()}
        if not both:
            continue
        gain = {share: 100 * (rows[joined]["accuracy"] - rows[plain]["accuracy"]) for share, rows in both.items()}
        few, many = min(gain), max(gain)
        if few < many:
            ends.append((round(gain[few], 1), round(gain[many], 1)))
        lines.append(
            t(
                "ELMo joined to <b>{classifier}</b>: {gain:+.1f} points with {rows:,} rows, {gain_of_many:+.1f} with {many:,}.",
                classifier=escape(titles[plain]),
                gain=gain[few],
                rows=both[few][plain]["labelled"],
                gain_of_many=gain[many],
                many=both[many][plain]["labelled"],
            )
        )
    falls = [gain_few > max(0.0, gain_many) for gain_few, gain_many in ends]
    if falls and all(falls):
        lines.append(t("Peters et al. (2018, figure 1) found that ELMo pays most where labels are few; so it is here."))
    elif any(falls):
        lines.append(
            t(
                "Peters et al. (2018, figure 1) found that ELMo pays most where labels are few; here it is so for some of them only."
            )
        )
    elif falls:
        lines.append(t("Peters et al. (2018, figure 1) found that ELMo pays most where labels are few; here it is not so."))
    return lines


def scores_of(row: dict) -> dict:
    """A variant's scores as cells of a table."""
    spread = None if row["spread"] is None else round(row["spread"], 4)
    return {
        t("accuracy"): round(row["accuracy"], 4),
        t("± over seeds"): spread,
        t("macro F1"): round(row["macro_f1"], 4),
        t("seeds"): row["seeds"],
    }
