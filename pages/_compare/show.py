"""Compare: two models, layers, vector files or corpora, by how many neighbors their words share."""

import streamlit as st

from core.common.errors import BadInput
from core.common.i18n import t
from core.figures.spaces import cka_heat, overlap_histogram
from core.figures.style import layer_title
from core.files import registry
from core.views import compare
from core.views.compare import MARK, CompareRequest, SpaceName, is_same, list_spaces
from pages._cached import opened
from pages._cached.progress import show_progress, show_state
from pages._cached.views import view, workspace
from pages._compare import senses, spaces
from pages._compare.words import measures, table_of, word_in_both, write_notices
from pages._frame.choices import BOUND, choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse, corpus_box, layers_of
from pages._frame.markup import show_errors
from pages._frame.server_jobs import ServerJob
from pages._widgets import lists
from pages._widgets.charts import draw

SPACES, CORPORA = "spaces", "corpora"


def show(in_use: InUse) -> None:
    """Show the inputs, the figures, what to notice, the two lists of a word, and the data table."""
    chosen = _inputs(in_use)
    if chosen is None:
        return
    sides, running = spaces.readable(chosen)
    _show_reading(sides, running)
    result = None
    if None not in sides:
        with st.spinner(t("Comparing words…"), show_time=True):
            result = view(compare.compute, workspace(in_use), CompareRequest(first=sides[0], second=sides[1]), most=16)
    if result is None:
        if None not in sides:  # a table was dropped since the page asked for it: it is read again
            sides, running = spaces.readable(chosen)
            if not running:
                st.rerun()
            _show_reading(sides, running)
        notice([t("Comparison starts when all words are read.")])
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(t("**How many of {k} neighbors are shared?**", k=result.comparison.k))
        c = result.comparison
        values = {"n": len(c.words), "k": c.k, "mean": float(c.shared.mean())}
        alt = t("Histogram: of {k} neighbors, {n:,} words share {mean:.1f} on average.", **values)
        draw(overlap_histogram(c.shared, c.k, c.chance), key="compare.overlap", alt=alt)
    with right:
        st.markdown(t("**How alike are the spaces?** CKA, 0 to 1"))
        alt = t("Linear CKA of every two spaces; these two {cka:.2f}.", cka=result.cka_pair)
        draw(cka_heat(result.cka_names, result.cka), key="compare.cka", alt=alt)
    notice(write_notices(result))
    if small := measures(result):
        st.caption(" ".join(small))
    word_in_both(result)
    if all(item.layer for item in chosen):
        with show_errors():  # the lists stand whatever becomes of the measures
            senses.show(chosen)
        senses.show_measured()
    order = result.comparison.most_changed()
    lists.twin(table_of(result, order), name="compare", label=t("Show as table"), key="compare.twin")


def _show_reading(sides: tuple[SpaceName | None, ...], running: list[tuple[ServerJob, SpaceName]]) -> None:
    """Show the progress of the tables that are being encoded, with Stop, or how to resume one."""
    for job, side in running:
        if job.running:
            waits = side.labeled not in sides
            show_progress(job, meanwhile="" if waits else t("Until then: labeled words only."))
    for job, side in [(job, side) for job, side in running if not job.running][:1]:
        show_state(job, lambda side=side: opened.go_on(side.corpus, side.source))


def usual(in_use: InUse) -> tuple[str, str]:
    """Return what is compared by default: both selected models, else the static vectors and the model."""
    first, *second = (f"{model}{MARK}{layers_of(model).top}" for model in (in_use.model, in_use.beside) if model)
    return (first, *second) if second else (in_use.vectors, first)


def _inputs(in_use: InUse) -> tuple[SpaceName, SpaceName] | None:
    places = st.columns([3, 3, 3], vertical_alignment="bottom")
    names = {SPACES: t("models, vectors"), CORPORA: t("corpora")}
    what = choice("cmp", t("Compare two"), names, SPACES, place=places[0])
    if what != CORPORA:
        offered = list_spaces()
        mine = usual(in_use)
        options = [*(item for item in mine if item not in offered), *offered]
        texts = [
            place.selectbox(
                label,
                options,
                index=options.index(item),
                key=key,
                **BOUND,
                accept_new_options=True,
                help=t("Vectors, a model and layer, or a path such as “/models/mine · 1”. Model words are averages over your corpus."),
            )
            for place, label, item, key in zip(places[1:], (t("First"), t("Second")), mine, ("first", "second"), strict=True)
        ]
        if not all(texts):
            raise BadInput(t("Choose two, or type a path."))
        first, second = (compare.space_named(text, in_use.corpus) for text in texts)
        if is_same(first, second):
            notice([t("Both sides are one space. Choose two different ones.")])
            return None
        return first, second
    options = list(dict.fromkeys([*registry.available("corpus"), in_use.corpus]))
    layer = layers_of(in_use.model).top
    texts = [
        corpus_box(key, label, options, item, place=place, placeholder=t("Choose, or type a path"))
        for place, label, item, key in zip(
            places[1:], (t("First corpus"), t("Second corpus")), (in_use.corpus, None), ("first_corpus", "second_corpus"), strict=True
        )
    ]
    if not all(texts) or is_same(*(SpaceName(in_use.model, layer, text.strip()) for text in texts)):
        notice(
            [
                t(
                    "Choose a second corpus. Words with 3 or more occurrences in both are compared ({where} of {model}).",
                    model=in_use.model,
                    where=layer_title(layer),
                )
            ]
        )
        return None
    first, second = (SpaceName(in_use.model, layer, text.strip()) for text in texts)
    return first, second
