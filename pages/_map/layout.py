"""The Map page's layouts: where dots and stars lie in each space, and what the axes mean."""

import streamlit as st

from core.analysis import axes
from core.common.errors import BadInput
from core.common.i18n import t
from core.views.layouts import PCA, POLES, REST, SOLID, UMAP, Layout, ends_of
from pages._cached import opened, progress
from pages._frame.choices import BOUND, choice
from pages._frame.in_use import InUse
from pages._frame.markup import plain

ENDS = ("right", "left", "up", "down")


def titles(of: Layout) -> tuple[str, str] | None:
    """What stands along the axes; None where they mean nothing."""
    if of.plan != POLES:
        return None
    right, left, up, down = (*of.ends, REST, REST)[:4]
    x = t("← {low} · {high} →", low=left, high=right)
    return x, t("← {low} · {high} →", low=down, high=up) if up != REST else t("largest spread left over")


def choose() -> str:
    """Which layout."""
    offered = {
        UMAP: t("Neighbours kept (UMAP)"),
        PCA: t("Largest spread (PCA)"),
        POLES: t("Axes of your own"),
        SOLID: t("Three dimensions"),
    }
    plan = choice(
        "layout",
        t("Layout"),
        offered,
        UMAP,
        help=t(
            "UMAP keeps near dots near. PCA shows the plane in which the dots differ most. Axes of your own run from one meaning, or one list "
            "of words, to another. Three dimensions are to turn and look at."
        ),
    )
    return plan


def ends(in_use: InUse, lemma: str) -> tuple[str, ...]:
    """The two or four ends as chosen or typed; where one cannot be used it is said there, and the word's own senses serve."""
    table = opened.targets(in_use.corpus, in_use.model)
    options = ends_of(table, lemma)
    firsts = dict(zip(ENDS, (options[0], options[1], REST, REST), strict=True))
    if st.session_state.get("map.axes_of", lemma) != lemma:  # another word: its own two commonest senses
        st.session_state.update(firsts)
    st.session_state["map.axes_of"] = lemma
    message = t("Choose a sense of any word, or type words with commas between them: the end lies at the mean of their sentences.")
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
                key=key,
                **BOUND,
                accept_new_options=True,
                help=message,
                disabled=key == "down" and chosen[2] == REST,
                format_func=lambda name: t("largest spread left over") if name == REST else name,
            )
            or firsts[key]
        )
    right, left, up, down = chosen
    if up != REST and down == REST:
        st.caption(t("Choose a lower end too; until then the second axis is the largest spread that the first leaves over."))
        up = REST
    used = [right, left] if up == REST else [right, left, up, down]
    try:
        whole = _words_outside(in_use, [word for text in used for word in axes.outside(table, text)])
        for text in used:
            axes.pole(table, text, whole)
    except BadInput as error:
        st.error(plain(error), icon=":material/error:")
        return options[0], options[1]
    return tuple(used)


def _words_outside(in_use: InUse, words: list[str]):
    """The table of all tokens where words stand outside the labelled ones; a sentence and its progress while it is made."""
    if not words:
        return None
    job = opened.table_job(in_use.corpus, in_use.model)
    job.wait(progress.AT_MOST_S)
    if job.running:
        progress.show_progress(job)
        raise BadInput(
            t("“{word}” is not among the labelled words: every word is read first, once. Then this axis is drawn.", word=words[0][:40])
        )
    if job.error:
        raise BadInput(job.error)
    return job.result
