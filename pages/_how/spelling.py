"""Steps 1 and 2 of How it works: characters and filters."""

from collections import Counter

import numpy as np

from core.analysis.walk import BEGIN_SIGN, END_SIGN, PADDING_SIGN, Walk
from core.common.config import ModelShape
from core.common.i18n import t
from core.common.markup import html
from core.figures.walk import heat_figure, limit_of, mark_cells
from core.text.tokens import write_word
from pages._how.parts import Rows, shorten
from pages._widgets.charts import draw

PADDING_SHOWN = 2
MARKS = BEGIN_SIGN + END_SIGN + PADDING_SIGN


def characters(way: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    spelling = way.spelling
    n = min(shape.max_characters, spelling.used + PADDING_SHOWN)
    signs = [*spelling.signs, *PADDING_SIGN * (n - spelling.used)]
    values = spelling.vectors[:n].T  # (16, n)
    draw(
        heat_figure(
            values,
            [str(k + 1) for k in range(len(values))],
            key="how.characters",
            limit=limit_of(values),
            row=18,
            columns=[html("<b>{}</b><br>{}", sign, number) for sign, number in zip(signs, spelling.ids, strict=False)],
        ),
        key="how.1",
        alt=t("Heat map of the characters {signs}, {size} numbers each.", signs=" ".join(signs), size=len(values)),
    )
    word = way.tokens[way.position]
    inside = spelling.used - 2
    lines = [
        t(
            "“{word}” fills {used} of {n} places: {inside} bytes and 2 marks. The rest is padding.",
            word=shorten(word),
            inside=inside,
            used=spelling.used,
            n=shape.max_characters,
        )
    ]
    if spelling.left_out:
        lines.append(t("ELMo reads {most} bytes. Not read: {n}.", n=spelling.left_out, most=shape.max_characters - 2))
    elif any(len(c.encode("utf-8", "ignore")) > 1 for c in spelling.characters):
        lines.append(t("Non-ASCII characters take several bytes (shown in hexadecimal)."))
    elif (most := Counter(spelling.signs).most_common(1)[0])[1] > 1:
        sign, times = most
        lines.append(t("“{sign}” occurs {times} times with one vector.", sign=sign, times=times))
    rows = zip(signs, (*spelling.characters, *[""] * PADDING_SHOWN), spelling.ids[:n], values.T, strict=False)
    return lines, [
        {t("place"): k, t("sign"): sign, t("character"): c, t("number"): int(number)}
        | {str(d + 1): round(float(v), 4) for d, v in enumerate(x)}
        for k, (sign, c, number, x) in enumerate(rows)
    ]


def filters(way: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    spelling = way.spelling
    rows = []
    names = []
    hovers = []
    winners = []
    table = []
    columns = [*spelling.signs, PADDING_SIGN][: len(spelling.ids)]
    for bank in way.banks:
        awake = [k for k, f in enumerate(bank.strongest) if bank.pooled[f] > 0]
        for k in awake or [0]:
            f = int(bank.strongest[k])
            answers = bank.answers[k][: len(columns)]
            row = np.full(len(columns), np.nan)
            row[: len(answers)] = np.maximum(answers, 0)
            place = min(int(bank.places[f]), len(columns) - 1)
            winners += [(len(rows), place)] if awake else []
            rows.append(row)
            names.append(t("width {width}: {answer:.2f}", width=bank.width, answer=float(bank.pooled[f])))
            reading = t("filter {number}, width {width}:", number=f, width=bank.width)
            hovers.append(
                [
                    html(
                        "{} <b>{}</b><br>{}", reading, spelling.window(i, bank.width), t("before ReLU: {answer:.2f}", answer=float(answer))
                    )
                    for i, answer in enumerate(answers)
                ]
                + [""] * (len(columns) - len(answers))
            )
            table.append(
                {
                    t("width"): bank.width,
                    t("filter"): f,
                    t("window"): spelling.window(int(bank.places[f]), bank.width),
                    t("maximum"): round(float(answers[place]), 4),
                    t("after ReLU"): round(float(bank.pooled[f]), 4),
                }
            )
    limit = max(limit_of(way.pooled, share=100.0), 0.1)
    draw(
        mark_cells(heat_figure(np.array(rows), names, columns=columns, key="how.filters", limit=limit, hovers=hovers), winners),
        key="how.2",
        alt=t("Heat map of the strongest filters of each width, by position."),
    )
    pooled = way.pooled
    awake = int((way.pooled > 0).sum())
    lines = [t("{awake:,} of {n:,} filters respond ({share:.2%}).", awake=awake, n=len(pooled), share=awake / len(pooled))]
    if awake:
        equal = np.flatnonzero(pooled.round(2) == pooled.max().round(2)).tolist()  # as shown; of these the one that reads most letters
        word = write_word(way.tokens[way.position])
        read = {f: way.filter_window(f)[1].strip(MARKS) for f in equal}
        best = max(equal, key=lambda f: (read[f] in word, len(read[f])))
        width, window = way.filter_window(best)
        lines.append(
            t("The strongest found <b>{window}</b> (width {width}, {answer:.2f}).", width=width, window=window, answer=float(pooled[best]))
        )
    if silent := [str(bank.width) for bank in way.banks if not bank.pooled.any()]:
        lines.append(t("No filter of width {widths} responds.", widths=", ".join(silent)))
    return lines, table
