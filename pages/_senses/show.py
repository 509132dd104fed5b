"""The Groups part: a word's sentences in groups without labels, on the map, with names to edit and export."""

import streamlit as st

from core.common.i18n import t
from core.common.markup import html
from core.common.model_layers import SENSES
from core.figures.spaces import draw_found_map, number_figure, shape_names
from core.figures.style import MAP_CONFIG, mark
from core.senses import clusters
from core.views import induction
from core.views.induction import Groups, InductionRequest, Occurrences
from pages._frame.frame import notice, picture_first
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._senses import dictionary, labels, word
from pages._senses.notices import measures, sentences, write_notices
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._word.reading import view_when_read

OFTEN = 0.2  # of a word's sentences


def show(in_use: InUse) -> None:
    """Show the inputs, the answer, the map, what to notice, the labels, the sentences and the data table."""
    inputs, picture = picture_first()
    chosen = word.choose(in_use, inputs)
    if chosen is None:
        return
    with st.spinner(t("Looking for groups…"), show_time=True):
        request = InductionRequest(word=chosen.word, space=chosen.layer, number=chosen.number)
        result = view_when_read(induction.compute, chosen.over, request)
    occurrences, groups = result.occurrences, result.groups
    number = chosen.number or occurrences.suggestion.number
    of_view = f"{chosen.over.corpus}|{chosen.over.names.model}|{chosen.word}|{chosen.layer}|{number}"
    names = labels.current(of_view, labels.suggested_names(groups))
    with picture:
        _pictures(occurrences, groups, names, number, chosen.layer, of_view)
    notice(write_notices(occurrences, groups, number))
    if occurrences.weak >= OFTEN:
        st.caption(
            t("Substitutes say little in {share:.0%} of these sentences: name, function word or sentence edge.", share=occurrences.weak)
        )
    sentences(groups, names, occurrences)
    dictionary.show(chosen.over, result, names)
    labels.editor(of_view, groups)
    labels.downloads(chosen.word, occurrences, groups, names)


def _pictures(occurrences: Occurrences, groups: Groups, names: list[str], number: int, layer: str, view: str) -> None:
    gold = [o.sense for o in occurrences.items]
    left, right = st.columns([3, 2], gap="large")
    with left:
        hovers = [mark(o.tokens, o.position) + (html("<br><i>{}</i>", o.sense) if o.sense else "") for o in occurrences.items]
        figure = draw_found_map(occurrences.coordinates, groups.of, names, gold, hovers, key=f"found.{view}")
        alt = t("Map of {n} sentences in {groups} groups: {names}.", n=len(occurrences.items), groups=number, names=", ".join(names))
        draw(figure, key="found.map", alt=alt, config=MAP_CONFIG)
        named = shape_names(gold)
        shapes = ", ".join(f"{sign} {label}" for sign, label in named)
        show_html(
            '<p class="small">{}</p>',
            t("Color: group. Shape: corpus label, not used: {shapes}.", shapes=shapes) if shapes else t("Color: group."),
        )
    with right:
        s = occurrences.suggestion
        st.markdown(t("**How many groups?**"))
        values = {"number": number, "first": clusters.NUMBERS[0], "last": clusters.NUMBERS[-1]}
        alt = t("Silhouette for {first} to {last} groups, beside random clouds; {number} shown.", **values)
        draw(number_figure(clusters.NUMBERS, s.silhouettes, s.limit, number, s.small), key="found.number", alt=alt)
    with st.expander(t("Details"), key="found.details"):
        kind = t("Positions as on Map.") if occurrences.frozen else t("Positions: 2 main components.")
        before = t("Measured before the sense space’s own map.") if layer == SENSES else ""
        agreement = measures(groups.agreement) if groups.agreement is not None and number > 1 else ""
        st.caption(
            " ".join(
                [
                    kind,
                    t("Groups come from all dimensions."),
                    t("Silhouette: nearness to the own group over the next, −1 to 1; 95% of random clouds stay below the dotted line."),
                    t(
                        "The number is that of the highest filled dot, if any dot is above the line; hollow: a group would have fewer than five sentences."
                    ),
                    before,
                    agreement,
                ]
            )
        )
        named = shape_names(gold)
        lists.meanings([label for _, label in named], occurrences.word, [html("{} <b>{}</b>:", sign, label) for sign, label in named])
