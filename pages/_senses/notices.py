"""Sentences about the groups, and the typical sentences of each."""

import numpy as np
import streamlit as st

from core.common.i18n import t
from core.common.markup import html
from core.common.significance import format_p
from core.figures.spaces import shape_names
from core.figures.style import sense_color
from core.senses import clusters
from core.senses.clusters import Agreement
from core.views.induction import Groups, Occurrences
from pages._frame.markup import show_html
from pages._widgets import lists

CLEAR_Z = 2.0  # standard deviations above which a word marks a group
TYPICAL, ODD = 3, 2  # sentences listed of each group
LEAST_Z = 1.0  # below which a word is not named: of words in one sentence each the alphabet would choose
WITH = 4  # words near by in a group's second line


def write_notices(occurrences: Occurrences, groups: Groups, number: int) -> list[str]:
    """Write one sentence on the groups on screen, then the figures behind it."""
    s, agreement = occurrences.suggestion, groups.agreement if number > 1 else None
    figures = [t("Against random clouds: {p}.", p=format_p(s.p))]
    if agreement is not None:
        values = {"n": agreement.n, "rand": f"{round(agreement.rand, 2) + 0.0:.2f}", "high": f"{agreement.rand_null[1]:.2f}"}
        figures.append(t("Adjusted Rand index with the {n} labels: {rand}, by chance up to {high}.", **values))
    if occurrences.everything > len(occurrences.items):
        figures.append(t("{k:,} of {n:,} sentences, evenly spread.", n=occurrences.everything, k=len(occurrences.items)))
    return [_describe_number(occurrences, groups, number, agreement), *figures]


def _describe_number(occurrences: Occurrences, groups: Groups, number: int, agreement: Agreement | None) -> str:
    """Write how many groups there are, and how far they agree with the labels or can be named."""
    s, n = occurrences.suggestion, len(occurrences.items)
    values = {"word": occurrences.word, "n": n, "groups": s.number, "asked": number}
    if number != s.number:
        if s.number == 1:
            return t("“{word}” in {asked} groups; the chart suggests one.", **values)
        return t("“{word}” in {asked} groups; the chart suggests {groups}.", **values)
    if s.number == 1 and s.small:
        return t("“{word}”: <b>one group</b>; in a clearer split, one has fewer than five sentences.", **values)
    if s.number == 1 and n < clusters.FEW:
        return t("<b>Inconclusive</b> for “{word}”: {n} sentences are few.", **values)
    if s.number == 1:
        return t("“{word}”: <b>one group</b>; no split is clearer than in random clouds.", **values)
    if agreement is not None:
        if agreement.rand <= agreement.rand_null[1]:
            return t("“{word}”: <b>{groups} groups</b>, which match the labels no better than chance.", **values)
        if agreement.rand > 1 - 1e-9:
            return t("“{word}”: <b>{groups} groups</b>, which match all labels.", **values)
        if agreement.rand < 0.5:
            return t("“{word}”: <b>{groups} groups</b>, which match the labels in part.", **values)
        return t("“{word}”: <b>{groups} groups</b>, which match most labels.", **values)
    if n > clusters.MANY:
        return t("“{word}”: <b>{groups} groups</b>, which may be grammar or topic.", **values)
    if max((z for words in groups.words for _, z in words), default=0.0) < CLEAR_Z:
        return t("“{word}”: <b>{groups} groups</b>, but no nearby word marks one.", **values)
    return t("“{word}”: <b>{groups} groups</b>, the highest filled dot.", **values)


def measures(agreement: Agreement) -> str:
    """State the other measures of agreement."""
    return t(
        "Adjusted mutual information {mutual:.2f} (chance: 0), V-measure {v:.2f} (shuffled labels: {v_null:.2f}), purity {purity:.0%} ({purity_null:.0%}).",
        mutual=round(agreement.mutual, 2) + 0.0,
        v=agreement.v,
        v_null=agreement.v_null[0],
        purity=agreement.purity,
        purity_null=agreement.purity_null[0],
    )


def sentences(groups: Groups, names: list[str], occurrences: Occurrences) -> None:
    """Show the sentences nearest to the center of each group, and in an expander the least typical ones."""
    typical, odd = [], []
    for number in range(len(names)):
        here = np.flatnonzero(groups.of == number).tolist()
        typical.append(sorted(here, key=lambda k: -groups.near[k])[:TYPICAL])
        odd.append(sorted((k for k in here if k not in typical[-1]), key=lambda k: groups.margin[k])[:ODD])
    _list_sentences(groups, names, occurrences, typical)
    if any(odd):
        with st.expander(t("Least typical"), key="found.odd"):
            _list_sentences(groups, names, occurrences, odd)


def _list_sentences(groups: Groups, names: list[str], occurrences: Occurrences, listed: list[list[int]]) -> None:
    """Show the sentences of each group under its name, two groups side by side. A group without any is left out."""
    signs = {label: sign for sign, label in shape_names([o.sense for o in occurrences.items])}
    numbers = [number for number in range(len(names)) if listed[number]]
    for start in range(0, len(numbers), 2):
        for column, number in zip(st.columns(2, gap="large"), numbers[start : start + 2], strict=False):
            values = {"n": int((groups.of == number).sum()), "all": len(groups.of)}
            note = t("{n} of {all} sentences · cosine to the center", **values)
            # The words near by, where they are not the name, and where there is another group that lacks them.
            near = [word for word, z in groups.words[number][:WITH] if z >= LEAST_Z]
            if len(names) > 1 and groups.substitutes[number] and near:
                note = html("{}<br>{}", t("with: {words}", words=", ".join(near)), note)
            with column:
                lists.heading(names[number], sense_color(number), note)
                show_html("{}", [_line(occurrences, groups, names, k, signs) for k in listed[number]])


def _line(occurrences: Occurrences, groups: Groups, names: list[str], k: int, signs: dict[str, str]) -> str:
    o = occurrences.items[k]
    sign = html('<span role="img" title="{name}" aria-label="{name}">{}</span> ', signs[o.sense], name=o.sense) if o.sense else ""
    remark = html("{}{}{:.2f}", sign, _bar(groups.shares[k], names), groups.near[k])
    return lists.keyword_line(o.tokens, o.position, remark, text=o.text)


def _bar(shares: np.ndarray, names: list[str]) -> str:
    """Return a sentence's shares in the groups as a bar, or nothing for a single group."""
    if len(names) < 2:
        return ""
    message = " · ".join(f"{names[k]} {shares[k]:.0%}" for k in np.argsort(-shares))
    parts = [html('<i style="width:{:.0f}%;background:{}"></i>', 100 * share, sense_color(k)) for k, share in enumerate(shares)]
    return html('<span class="shares" role="img" title="{told}" aria-label="{told}">{}</span>', parts, told=message)
