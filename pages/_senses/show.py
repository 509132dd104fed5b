"""The Groups part: a word's sentences in groups without labels, on the map, with names to edit and export."""

import numpy as np
import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import html, plain
from core.common.model_layers import SENSES
from core.common.significance import format_p
from core.figures.spaces import draw_found_map, number_figure, shape_names
from core.figures.style import MAP_CONFIG, mark, sense_color
from core.senses import clusters
from core.senses.clusters import Agreement
from core.views import induction
from core.views.induction import Groups, Induction, InductionRequest, Occurrences
from core.workspace import Workspace
from pages._cached.cache import view_when_read
from pages._frame.frame import notice, picture_first
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._frame.parameters import bound
from pages._senses import labels, word
from pages._widgets import lists
from pages._widgets.charts import draw

OFTEN = 0.2  # share of a word's sentences
CLEAR_Z = 2.0  # standard deviations above which a word marks a group
TYPICAL, ODD = 3, 2  # sentences listed of each group
LEAST_Z = 1.0  # below which a word is not named: of words in one sentence each the alphabet would choose
WITH = 4  # words near by in a group's second line
LISTED = 3  # senses of each group, the likeliest first


def show(in_use: InUse) -> None:
    inputs, picture = picture_first()
    chosen = word.choose(in_use, inputs)
    if chosen is None:
        return
    with st.spinner(t("Looking for groups…"), show_time=True):
        request = InductionRequest(word=chosen.word, space=chosen.layer, number=chosen.number)
        result = view_when_read(induction.compute, chosen.over, request)
    occurrences, groups = result.occurrences, result.groups
    number = len(groups.names)  # fewer than the user chose where fewer sentences differ
    of_view = f"{chosen.over.corpus}|{chosen.over.names.model}|{chosen.word}|{chosen.layer}|{number}"
    names = labels.current(of_view, labels.suggested_names(groups))
    with picture:
        _pictures(occurrences, groups, names, number, chosen.layer, of_view)
    notice(write_notices(occurrences, groups, number))
    if occurrences.weak >= OFTEN:
        st.caption(t("Substitutes say little in {share:.0%} of sentences: name, function word or sentence edge.", share=occurrences.weak))
    _show_sentences(groups, names, occurrences)
    _show_glosses(chosen.over, result, names)
    labels.editor(of_view, groups)
    labels.downloads(chosen.word, occurrences, groups, names)


def _pictures(occurrences: Occurrences, groups: Groups, names: list[str], number: int, layer: str, view: str) -> None:
    gold = [o.sense for o in occurrences.items]
    left, right = st.columns([3, 2], gap="large")
    with left:
        hovers = [mark(o.tokens, o.position) + (html("<br><i>{}</i>", o.sense) if o.sense else "") for o in occurrences.items]
        figure = draw_found_map(occurrences.coordinates, groups.numbers, names, gold, hovers, key=f"found.{view}")
        alt = t("Map of {n} sentences by group: {names}.", n=len(occurrences.items), names=", ".join(names))
        draw(figure, key="found.map", alt=alt, config=MAP_CONFIG)
        named = shape_names(gold)
        if shapes := ", ".join(f"{sign} {label}" for sign, label in named):
            show_html('<p class="small">{}</p>', t("Color: group. Shape: corpus label, not used: {shapes}.", shapes=shapes))
    with right:
        suggestion = occurrences.suggestion
        st.markdown(t("**How many groups?**"))
        values = {"number": number, "first": clusters.NUMBERS[0], "last": clusters.NUMBERS[-1]}
        alt = t("Silhouette for {first} to {last} groups, beside random clouds; {number} shown.", **values)
        draw(
            number_figure(clusters.NUMBERS, suggestion.silhouettes, suggestion.limit, number, suggestion.small), key="found.number", alt=alt
        )
    with st.expander(t("Details"), key="found.details"):
        lines = [
            t("Positions as on Map.") if occurrences.frozen else t("Positions: 2 main components."),
            t("Groups come from all dimensions."),
            t("Silhouette: nearness to the own group over the next, −1 to 1; 95% of random clouds stay below the dotted line."),
            t("The number is that of the highest filled dot above the line, if any; hollow: a group would have fewer than five sentences."),
        ]
        if layer == SENSES:
            lines.append(t("Measured before the sense space’s own map."))
        if (agreement := groups.agreement) is not None and number > 1:
            lines.append(t("Adjusted mutual information {mutual:.2f} (chance: 0).", mutual=round(agreement.mutual, 2) + 0.0))
            values = {"v": agreement.v, "v_null": agreement.v_null[0], "purity": agreement.purity, "purity_null": agreement.purity_null[0]}
            lines.append(t("V-measure {v:.2f} (shuffled labels: {v_null:.2f}), purity {purity:.0%} ({purity_null:.0%}).", **values))
        st.caption(" ".join(lines))
        lists.meanings([label for _, label in named], occurrences.word, [html("{} <b>{}</b>:", sign, label) for sign, label in named])


def write_notices(occurrences: Occurrences, groups: Groups, number: int) -> list[str]:
    """Write one sentence on the groups on screen, then the figures behind it."""
    agreement = groups.agreement if number > 1 else None
    figures = [t("Against random clouds: {p}.", p=format_p(occurrences.suggestion.p))]
    if agreement is not None:
        values = {"n": agreement.n, "rand": f"{round(agreement.rand, 2) + 0.0:.2f}", "high": f"{agreement.rand_null[1]:.2f}"}
        figures.append(t("Adjusted Rand index with the {n} labels: {rand}, by chance up to {high}.", **values))
    if occurrences.everything > len(occurrences.items):
        figures.append(t("{k:,} of {n:,} sentences, evenly spread.", n=occurrences.everything, k=len(occurrences.items)))
    return [_describe_number(occurrences, groups, number, agreement), *figures]


def _describe_number(occurrences: Occurrences, groups: Groups, number: int, agreement: Agreement | None) -> str:
    """Write how many groups there are, and how far they agree with the labels or can be named."""
    suggestion = occurrences.suggestion
    n = len(occurrences.items)
    values = {"word": occurrences.word, "n": n, "groups": suggestion.number, "asked": number}
    if number != suggestion.number:
        return t("“{word}” in {asked} groups; the chart suggests {groups}.", **values)
    if suggestion.number == 1 and suggestion.small:
        return t("“{word}”: <b>one group</b>; in a clearer split, one has fewer than five sentences.", **values)
    if suggestion.number == 1 and n < clusters.FEW:
        return t("<b>Inconclusive</b> for “{word}”: {n} sentences are few.", **values)
    if suggestion.number == 1:
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


def _show_sentences(groups: Groups, names: list[str], occurrences: Occurrences) -> None:
    """Show the sentences nearest to the center of each group, and in an expander the least typical ones."""
    typical, odd = [], []
    for number in range(len(names)):
        members = np.flatnonzero(groups.numbers == number).tolist()
        typical.append(sorted(members, key=lambda k: -groups.closeness[k])[:TYPICAL])
        odd.append(sorted((k for k in members if k not in typical[-1]), key=lambda k: groups.margin[k])[:ODD])
    _list_sentences(groups, names, occurrences, typical)
    if any(odd):
        with st.expander(t("Least typical"), key="found.odd"):
            _list_sentences(groups, names, occurrences, odd)


def _list_sentences(groups: Groups, names: list[str], occurrences: Occurrences, listed: list[list[int]]) -> None:
    """Show the sentences of each group under its name, two groups side by side. A group without any is left out."""
    signs = {label: sign for sign, label in shape_names([o.sense for o in occurrences.items])}

    def write_line(k: int) -> str:
        o = occurrences.items[k]
        sign = html('<span role="img" title="{name}" aria-label="{name}">{}</span> ', signs[o.sense], name=o.sense) if o.sense else ""
        remark = html("{}{}{:.2f}", sign, _bar(groups.shares[k], names), groups.closeness[k])
        return lists.keyword_line(o.tokens, o.position, remark, text=o.text)

    numbers = [number for number in range(len(names)) if listed[number]]
    for start in range(0, len(numbers), 2):
        for column, number in zip(st.columns(2, gap="large"), numbers[start : start + 2], strict=False):
            note = t("{n} of {all} sentences · cosine to the center", n=int((groups.numbers == number).sum()), all=len(groups.numbers))
            # Nearby words, unless they are the group's name, or no other group lacks them
            nearby = [word for word, z in groups.words[number][:WITH] if z >= LEAST_Z]
            if len(names) > 1 and groups.substitutes[number] and nearby:
                note = html("{}<br>{}", t("with: {words}", words=", ".join(nearby)), note)
            with column:
                lists.heading(names[number], sense_color(number), note)
                show_html("{}", list(map(write_line, listed[number])))


def _bar(shares: np.ndarray, names: list[str]) -> str:
    """Return a sentence's shares in the groups as a bar, or nothing for a single group."""
    if len(names) < 2:
        return ""
    message = " · ".join(f"{names[k]} {shares[k]:.0%}" for k in np.argsort(-shares))
    parts = [html('<i style="width:{:.0f}%;background:{}"></i>', 100 * share, sense_color(k)) for k, share in enumerate(shares)]
    return html('<span class="shares" role="img" title="{told}" aria-label="{told}">{}</span>', parts, told=message)


def _show_glosses(over: Workspace, induced: Induction, names: list[str]) -> None:
    """Show on request a line for each group, or what is missing and how to get it."""
    if not st.toggle(t("WordNet glosses"), **bound("found_glosses"), help=t("Needs the package wn and a WordNet on this machine.")):
        return
    try:
        result = induction.glosses(over, induced)
    except ElmoscopeError as error:
        st.info(plain(str(error)), icon=":material/menu_book:")
        return
    kinds = {"n": t("noun"), "v": t("verb"), "a": t("adjective"), "s": t("adjective"), "r": t("adverb")}  # WordNet's codes
    for k, name in enumerate(names):
        lists.heading(name, sense_color(k))
        line = '<div class="meanings"><div><b>{}</b> <i>{}</i></div><div class="small">{}</div></div>'
        first, *others = ((sense.gloss, kinds.get(sense.pos, sense.pos)) for sense in result.likeliest(k, LISTED))
        show_html(line, *first, [html("<div>{} <i>{}</i></div>", *sense) for sense in others])
    st.caption(t("A guess by the words of glosses and sentences ({lexicon}): the likeliest in bold.", lexicon=result.lexicon))
