"""What to notice in the groups found, and the sentences that stand for each."""

import numpy as np
import streamlit as st

from core.common.i18n import t
from core.common.markup import html
from core.common.significance import written
from core.figures.style import sense_colour
from core.senses import clusters
from core.senses.clusters import Agreement
from core.text import languages
from core.text.definitions import definition
from core.views.induction import Groups, Occurrences
from pages._frame.markup import show_html
from pages._widgets import lists

CLEAR_Z = 2.0  # standard deviations above which a word marks a group
LEAST_Z = 1.0  # below which a word is not named: of words in one sentence each the alphabet would choose
WITH = 4  # words near by in a group's second line
LINES = 4  # typical sentences listed of each group, and half as many odd ones


def noticed(occurrences: Occurrences, number: int, agreement: Agreement | None, telling: list[list[tuple[str, float]]]) -> list[str]:
    """How many groups are suggested, and what the labels, or the words near by, say of those on screen: two sentences."""
    word = occurrences.word
    s = occurrences.suggestion
    n = len(occurrences.items)
    values = {"word": word, "n": n, "groups": s.number, "asked": number, "p": written(s.p)}
    if s.number == 1 and n < clusters.FEW:
        first = t("No split of “{word}” is clearer than one cloud's would be ({p}), but {n} sentences seldom suffice to tell", **values)
    elif s.number == 1:
        first = t("No split of “{word}” is clearer than one cloud's would be ({p}), so <b>one group</b> is suggested", **values)
    elif n > clusters.MANY:
        first = t(
            "The vectors of “{word}” suggest <b>{groups} groups</b> ({p}), though in {n:,} sentences even one meaning may fall into groups of grammar or topic",
            **values,
        )
    else:
        first = t(
            "The vectors of “{word}” suggest <b>{groups} groups</b>: they fall apart more clearly than one cloud's would ({p})", **values
        )
    if number not in (1, s.number):
        first += t("; you asked for {asked}", **values)
    second = _second(occurrences, number, agreement, telling)
    return [first + ".", second] if second else [first + "."]


def _second(occurrences: Occurrences, number: int, agreement: Agreement | None, telling: list[list[tuple[str, float]]]) -> str:
    if number > 1 and agreement is not None:
        values = {"n": agreement.n, "rand": f"{round(agreement.rand, 2) + 0.0:.2f}", "high": f"{agreement.rand_null[1]:.2f}"}
        if agreement.rand <= agreement.rand_null[1]:
            return t(
                "Against the {n} labels of the corpus that is no better than luck: adjusted Rand index {rand}, by luck up to {high}.",
                **values,
            )
        if agreement.rand < 0.5:
            return t(
                "Against the {n} labels of the corpus they have something of the meanings and much else: adjusted Rand index {rand}, by luck up to {high}.",
                **values,
            )
        return t(
            "Against the {n} labels of the corpus they are the meanings to a large part: adjusted Rand index {rand}, by luck up to {high}.",
            **values,
        )
    if number > 1 and max((z for words in telling for _, z in words), default=0.0) < CLEAR_Z:
        return t("No word near by marks a group beyond luck (all under two standard deviations): take the suggested names as handles only.")
    if occurrences.everything > len(occurrences.items):
        return t("Of {n:,} sentences {k:,} are taken, spread evenly.", n=occurrences.everything, k=len(occurrences.items))
    return ""


def measures(agreement: Agreement) -> str:
    """The other measures of agreement, for the small print."""
    return t(
        "Adjusted mutual information {mutual:.2f} (chance: 0), V-measure {v:.2f} (shuffled labels: {v_null:.2f}), purity {purity:.0%} ({purity_null:.0%}).",
        mutual=round(agreement.mutual, 2) + 0.0,
        v=agreement.v,
        v_null=agreement.v_null[0],
        purity=agreement.purity,
        purity_null=agreement.purity_null[0],
    )


def sentences(groups: Groups, names: list[str], occurrences: Occurrences) -> None:
    """Each group's typical sentences, nearest its centre, and its odd ones, nearest another or, of a single group, farthest from its centre; how many of
    all that are is said."""
    title = t("Odd ones, nearest to another group") if len(names) > 1 else t("Odd ones, farthest from the centre")
    values = {"typical": LINES, "odd": LINES // 2, "shown": shown_of(np.bincount(groups.of, minlength=len(names))), "n": len(groups.of)}
    if values["shown"] < values["n"]:
        st.caption(
            t(
                "{shown} of {n} sentences are listed, of each group at most {typical} typical ones and {odd} odd ones; all stand in the table below.",
                **values,
            )
        )
    if len(names) > 1:
        st.caption(t("The bar beside a sentence: its shares in the groups, by its nearness to the sentences of each."))
    for start in range(0, len(names), 2):
        for column, number in zip(st.columns(2, gap="large"), range(start, min(start + 2, len(names))), strict=False):
            here = np.flatnonzero(groups.of == number).tolist()
            typical = sorted(here, key=lambda k: -groups.near[k])[:LINES]
            odd = sorted((k for k in here if k not in typical), key=lambda k: groups.margin[k])[: LINES // 2]
            note = t("{n} of {all} sentences; cosine with the group's centre", n=len(here), all=len(groups.of))
            # The words near by, where they are not the name, and where there is another group that lacks them.
            near = [word for word, z in groups.words[number][:WITH] if z >= LEAST_Z]
            if len(names) > 1 and groups.substitutes[number] and near:
                words = ", ".join(near)
                note = html("{}<br>{}", t("with: {words}", words=words), note)
            with column:
                lists.heading(names[number], sense_colour(number), note)
                show_html("{}", [_line(occurrences, groups, names, k) for k in typical])
                if odd:
                    show_html('<p class="small"><b>{}</b></p>{}', title, [_line(occurrences, groups, names, k) for k in odd])


def shown_of(counts: np.ndarray) -> int:
    """Of groups of so many sentences, how many are listed."""
    return int(np.minimum(counts, LINES + LINES // 2).sum())


def _line(occurrences: Occurrences, groups: Groups, names: list[str], k: int) -> str:
    o = occurrences.items[k]
    chip = lists.chip_of(o.sense, "#6b7280", definition(languages.in_use(), occurrences.word, o.sense)) if o.sense else ""
    remark = html("{}{:.2f}", _bar(groups.shares[k], names), groups.near[k])
    return lists.keyword_line(o.tokens, o.position, remark, chip, text=o.text)


def _bar(shares: np.ndarray, names: list[str]) -> str:
    """A sentence's shares in the groups; none in a single one."""
    if len(names) < 2:
        return ""
    message = " · ".join(f"{names[k]} {shares[k]:.0%}" for k in np.argsort(-shares))
    parts = [html('<i style="width:{:.0f}%;background:{}"></i>', 100 * share, sense_colour(k)) for k, share in enumerate(shares)]
    return html('<span class="shares" role="img" title="{told}" aria-label="{told}">{}</span>', parts, told=message)
