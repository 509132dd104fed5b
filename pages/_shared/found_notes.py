"""What to notice in the groups found, and the sentences that stand for each."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from core import figures, induction
from core.induction import Agreement
from core.texts import t
from pages._shared import lists
from pages._shared.found_store import Occurrences

CLEAR_Z = 2.0  # standard deviations above which a word marks a group
LINES = 4  # typical sentences listed of each group, and half as many odd ones


def noticed(found: Occurrences, number: int, agreement: Agreement | None, telling: list[list[tuple[str, float]]]) -> list[str]:
    """How many groups are suggested, and what the labels say of those on screen."""
    word, s = escape(found.word), found.suggestion
    if s.number == 1:
        lines = [t("No split of “{word}” is clearer than one cloud's would be, so <b>one group</b> is suggested.", word=word)]
        lines.append(
            t("If it is to be split, {best} groups are the clearest: set the slider to see them.", best=s.best)
            if number == 1
            else ""
        )
    else:
        lines = [
            t(
                "The vectors of “{word}” suggest <b>{n} groups</b>: they fall apart more clearly than one cloud's would.",
                word=word,
                n=s.number,
            )
        ]
    if number > 1 and number != s.number:
        lines.append(t("You asked for {n}.", n=number))
    if len(found.items) < induction.FEW:
        lines.append(t("In {n} sentences hardly any split is ever clear enough, whatever they mean.", n=len(found.items)))
    elif len(found.items) > induction.MANY:
        lines.append(
            t(
                "In {n:,} sentences even one meaning falls into groups, of grammar or topic: a group is a use, not yet a meaning.",
                n=len(found.items),
            )
        )
    if number > 1 and max((z for words in telling for _, z in words), default=0.0) < CLEAR_Z:
        lines.append(
            t(
                "No word near by marks a group beyond luck (all under two standard deviations): take the suggested names as handles only."
            )
        )
    if found.everything > len(found.items):
        lines.append(t("Of {n:,} sentences {k:,} are taken, spread evenly.", n=found.everything, k=len(found.items)))
    if agreement is None or number == 1:
        return lines
    lines.append(
        t("Against the {n} labels of the corpus: adjusted Rand index {rand:.2f} (shuffled labels: {null:.2f}, 95 % of them below {high:.2f}), "
          "V-measure {v:.2f} ({v_null:.2f}), purity {purity:.0%} ({purity_null:.0%}).",
          n=agreement.n, rand=round(agreement.rand, 2) + 0.0, null=abs(round(agreement.rand_null[0], 2)), high=agreement.rand_null[1], v=agreement.v, v_null=agreement.v_null[0],
          purity=agreement.purity, purity_null=agreement.purity_null[0])
    )  # fmt: skip
    if agreement.rand <= agreement.rand_null[1]:
        lines.append(t("That is no better than luck: these groups are not the labelled meanings, whatever else they are."))
    elif agreement.rand < 0.5:
        lines.append(
            t("So they have something of the meanings, and a good deal else: read the sentences before you trust a name.")
        )
    else:
        lines.append(t("So they are the labelled meanings to a large part, although the grouping never saw a label."))
    return lines


def sentences(groups: np.ndarray, names: list[str], near: np.ndarray, margin: np.ndarray, found: Occurrences) -> None:
    """Each group's typical sentences, nearest its centre, and its odd ones, nearest another."""
    for start in range(0, len(names), 2):
        for column, number in zip(st.columns(2, gap="large"), range(start, min(start + 2, len(names))), strict=False):
            here = [k for k in range(len(groups)) if groups[k] == number]
            typical = sorted(here, key=lambda k: -near[k])[:LINES]
            odd = sorted((k for k in here if k not in typical), key=lambda k: margin[k])[: LINES // 2]
            with column:
                lists.heading(
                    names[number],
                    figures.sense_colour(number),
                    t("{n} of {all} sentences; cosine with the group's centre", n=len(here), all=len(groups)),
                )
                st.html("".join(_line(found, k, near[k]) for k in typical))
                if odd:
                    st.html(
                        f'<p class="small"><b>{t("Odd ones, nearest to another group")}</b></p>'
                        + "".join(_line(found, k, near[k]) for k in odd)
                    )


def _line(found: Occurrences, k: int, cosine: float) -> str:
    o = found.items[k]
    chip = lists.chip_of(o.sense, "#6b7280") if o.sense else ""
    return lists.keyword_line(o.tokens, o.position, f"{cosine:.2f}", chip)
