"""Steps 1 to 3 of How it works: characters, filters, and the vector of a spelling."""

from collections import Counter

import numpy as np
import streamlit as st

from core.analysis.walk import BEGIN_SIGN, END_SIGN, PADDING_SIGN, Walk
from core.common.config import ModelShape
from core.common.i18n import t
from core.common.markup import html
from core.figures.walk import heat_figure, limit_of, mark_cells, share_figure
from core.text.tokens import write_word
from pages._how.texts import Rows, shorten
from pages._widgets.charts import draw

PADDING_SHOWN = 2
MARKS = BEGIN_SIGN + END_SIGN + PADDING_SIGN
UNITS = 48  # highway units shown
PARTS = 8  # bars of what the vector is made of


def characters(walk: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    spelling = walk.spelling
    n = min(shape.max_characters, spelling.used + PADDING_SHOWN)
    signs = [*spelling.signs, *PADDING_SIGN * (n - spelling.used)]
    values = spelling.vectors[:n].T  # (16, n)
    rows, columns = [str(k + 1) for k in range(len(values))], zip(signs, spelling.ids, strict=False)
    columns = [html("<b>{}</b><br>{}", sign, number) for sign, number in columns]
    figure = heat_figure(values, rows, key="how.characters", limit=limit_of(values), row=18, columns=columns)
    draw(figure, key="how.1", alt=t("Heat map of the characters {signs}, {size} numbers each.", signs=" ".join(signs), size=len(values)))
    counts = {"inside": spelling.used - 2, "used": spelling.used, "n": shape.max_characters}
    word = shorten(walk.tokens[walk.position])
    lines = [t("“{word}” fills {used} of {n} places: {inside} bytes and 2 marks. The rest is padding.", word=word, **counts)]
    if spelling.left_out:
        lines.append(t("ELMo reads {most} bytes. Not read: {n}.", n=spelling.left_out, most=shape.max_characters - 2))
    elif any(len(c.encode("utf-8", "ignore")) > 1 for c in spelling.characters):
        lines.append(t("Non-ASCII characters take several bytes (shown in hexadecimal)."))
    elif (commonest := Counter(spelling.signs).most_common(1)[0])[1] > 1:
        sign, times = commonest
        lines.append(t("“{sign}” occurs {times} times with one vector.", sign=sign, times=times))
    rows = zip(signs, (*spelling.characters, *[""] * PADDING_SHOWN), spelling.ids[:n], values.T, strict=False)
    return lines, [
        {t("place"): k, t("sign"): sign, t("character"): c, t("number"): int(number)}
        | {str(d + 1): round(float(v), 4) for d, v in enumerate(x)}
        for k, (sign, c, number, x) in enumerate(rows)
    ]


def filters(walk: Walk) -> tuple[list[str], Rows]:
    spelling = walk.spelling
    rows, names, hovers, winners, table = [], [], [], [], []
    columns = [*spelling.signs, PADDING_SIGN][: len(spelling.ids)]
    for bank in walk.banks:
        awake = [k for k, f in enumerate(bank.strongest) if bank.pooled[f] > 0]
        for k in awake or [0]:
            f = int(bank.strongest[k])
            answers = bank.answers[k][: len(columns)]
            heat = np.full(len(columns), np.nan)
            heat[: len(answers)] = np.maximum(answers, 0)
            place = min(int(bank.places[f]), len(columns) - 1)
            winners += [(len(rows), place)] if awake else []
            rows.append(heat)
            names.append(t("width {width}: {answer:.2f}", width=bank.width, answer=float(bank.pooled[f])))
            reading = t("filter {number}, width {width}:", number=f, width=bank.width)
            cards = [
                html("{} <b>{}</b><br>{}", reading, spelling.window(i, bank.width), t("before ReLU: {answer:.2f}", answer=float(answer)))
                for i, answer in enumerate(answers)
            ]
            hovers.append(cards + [""] * (len(columns) - len(answers)))
            row = {t("width"): bank.width, t("filter"): f, t("window"): spelling.window(int(bank.places[f]), bank.width)}
            table.append(row | {t("maximum"): round(float(answers[place]), 4), t("after ReLU"): round(float(bank.pooled[f]), 4)})
    limit = max(limit_of(walk.pooled, share=100.0), 0.1)
    figure = mark_cells(heat_figure(np.array(rows), names, columns=columns, key="how.filters", limit=limit, hovers=hovers), winners)
    draw(figure, key="how.2", alt=t("Heat map of the strongest filters of each width, by position."))
    pooled = walk.pooled
    awake = int((walk.pooled > 0).sum())
    lines = [t("{awake:,} of {n:,} filters respond ({share:.2%}).", awake=awake, n=len(pooled), share=awake / len(pooled))]
    if awake:
        equal = np.flatnonzero(pooled.round(2) == pooled.max().round(2)).tolist()  # as shown; of these the one that reads most letters
        word = write_word(walk.tokens[walk.position])
        read = {f: walk.filter_window(f)[1].strip(MARKS) for f in equal}
        best = max(equal, key=lambda f: (read[f] in word, len(read[f])))
        width, window = walk.filter_window(best)
        lines.append(
            t("The strongest found <b>{window}</b> (width {width}, {answer:.2f}).", width=width, window=window, answer=float(pooled[best]))
        )
    if silent := [str(bank.width) for bank in walk.banks if not bank.pooled.any()]:
        lines.append(t("No filter of width {widths} responds.", widths=", ".join(silent)))
    return lines, table


def projection(walk: Walk) -> tuple[list[str], Rows]:
    units = np.sort(np.argsort(-np.abs(walk.highways[-1].y if walk.highways else walk.pooled), kind="stable")[:UNITS])
    for k, step in enumerate(walk.highways):
        st.markdown(t("**Highway layer {number}**, {n} largest units", number=k + 1, n=len(units)))
        parts = np.stack([step.x, step.transformed, step.gate, step.y])[:, units]
        names = [t("y, input"), t("r, new content"), t("g, gate"), t("z, output")]
        alt = t("Heat map of highway layer {number}: input, new content, gate and output of {n} units.", number=k + 1, n=len(units))
        draw(heat_figure(parts, names, key=f"how.highway.{k}", limit=limit_of(parts)), key=f"how.3.{k}", alt=alt)
    largest = np.argsort(-np.abs(walk.shares), kind="stable")[:PARTS]
    largest = largest[np.abs(walk.shares[largest]) >= 0.001] if (np.abs(walk.shares) >= 0.001).any() else largest[:1]
    windows = [(int(f), *walk.filter_window(int(f))) for f in largest]
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown(t("**Shares** of the vector’s squared length"))
        hovers = [t("filter {number:,}, width {width}", number=f, width=width) for f, width, _ in windows]
        named = ", ".join(f"{w} {share:.1%}" for (_, _, w), share in zip(windows, walk.shares[largest], strict=True))
        alt = t("Bars of window shares: {named}.", named=named)
        draw(share_figure([html("<b>{}</b>", w) for _, _, w in windows], walk.shares[largest], hovers), key="how.3", alt=alt)
    with right:
        st.markdown(t("**The vector x**, {n} numbers", n=len(walk.vector)))
        vector = np.full(-(-len(walk.vector) // 16) * 16, np.nan)
        vector[: len(walk.vector)] = walk.vector
        names = [str(16 * k + 1) for k in range(len(vector) // 16)]
        alt = t("Heat map of the spelling vector’s {n} numbers, 16 per row.", n=len(walk.vector))
        draw(heat_figure(vector.reshape(-1, 16), names, key="how.vector", limit=limit_of(walk.vector)), key="how.4", alt=alt)
    lines = [
        t(
            "<b>{window}</b> makes {share:z.0%} of this vector, all filters {all:z.0%}, the bias {bias:z.0%}.",
            window=windows[0][2],
            share=float(walk.shares[largest[0]]),
            all=1 - walk.bias_share,
            bias=walk.bias_share,
        )
    ]
    if walk.highways:
        mean = float(walk.highways[-1].gate.mean())
        lines.append(t("Bars are highway outputs, named after their filters (gate {mean:.0%} open on average).", mean=mean))
    else:
        lines.append(t("No other word has been read yet."))
    return lines, [
        {t("filter"): str(f), t("width"): width, t("window"): window, t("share"): round(float(walk.shares[f]), 5)}
        for f, width, window in windows
    ] + [{t("filter"): "b", t("share"): round(walk.bias_share, 5)}]
