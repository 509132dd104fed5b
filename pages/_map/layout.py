"""The layouts of the Map page: the places of dots and stars in each space, and the meaning of the axes."""

import streamlit as st

from core.analysis import axes
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import shorten
from core.views.layouts import PCA, POLES, REST, SOLID, UMAP, Layout, ends_of
from core.workspace import Workspace
from pages._frame.choices import coded_choice
from pages._frame.markup import plain
from pages._frame.parameters import bound
from pages._widgets import reading

ENDS = ("right", "left", "up", "down")


def titles(layout: Layout) -> tuple[str, str] | None:
    """Return the titles of the axes, or None if they have no meaning."""
    if layout.plan != POLES:
        return None
    right, left, up, down = (*layout.ends, REST, REST)[:4]
    x = t("← {low} · {high} →", low=left, high=right)
    return x, t("← {low} · {high} →", low=down, high=up) if up != REST else t("remaining variance")


def limit_of_umap() -> str:
    return t("UMAP keeps near dots near; distances between far dots mean little.")


def limit_of_plane(share: float, where: str) -> str:
    return t("This plane shows {share:.0%} of the variance in {where}; overlapping dots can be far apart.", share=share, where=where)


def choose() -> str:
    """Draw the choice of a layout."""
    offered = {UMAP: t("UMAP"), PCA: t("PCA"), POLES: t("Your own axes"), SOLID: t("3D")}
    plan = coded_choice(
        "layout",
        t("Layout"),
        offered,
        UMAP,
        help=t("UMAP keeps near dots near; PCA shows the most variance; your own axes run between senses or words."),
    )
    return plan


def ends(over: Workspace, lemma: str) -> tuple[str, ...]:
    """Return the two or four ends of the axes that the user chose or typed. Show an error for one that cannot be used, and use the senses."""
    table = over.targets
    options = ends_of(table, lemma)
    firsts = dict(zip(ENDS, (options[0], options[1], REST, REST), strict=True))
    if st.session_state.get("map.axes_of", lemma) != lemma:  # another word: its own two most frequent senses
        st.session_state.update(firsts)
    st.session_state["map.axes_of"] = lemma
    message = t("A sense, or words separated by commas; the end is their mean.")
    labels = (t("Right end"), t("Left end"), t("Upper end"), t("Lower end"))
    chosen = []
    row = st.columns(4)
    for column, key, label in zip(row, ENDS, labels, strict=True):
        choices = [REST, *options] if key in ("up", "down") else options
        chosen.append(
            column.selectbox(
                label,
                choices,
                index=choices.index(firsts[key]),
                **bound(key),
                accept_new_options=True,
                help=message,
                disabled=key == "down" and chosen[2] == REST,
                format_func=lambda name: t("remaining variance") if name == REST else name,
            )
            or firsts[key]
        )
    right, left, up, down = chosen
    if up != REST and down == REST:
        st.caption(t("Choose a lower end too."))
        up = REST
    used = [right, left] if up == REST else [right, left, up, down]
    outside, every_token = [word for text in used for word in axes.outside(table, text)], None
    try:
        if outside and (every_token := reading.every_token(over)) is None:
            reading.show_meanwhile(over, "")
            raise BadInput(t("“{word}” has no labels, so all sentences are read first, once.", word=shorten(outside[0])))
        for text in used:
            axes.pole(table, text, every_token)
    except BadInput as error:
        st.error(plain(error), icon=":material/error:")
        return options[0], options[1]
    return tuple(used)
