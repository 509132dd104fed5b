"""Home's door: the question, the picture, and where to go on."""

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from pages._frame import tour
from pages._frame.frame import frame, lede, question, show
from pages._frame.markup import show_html
from pages._frame.menu import page_link


def open_page() -> None:
    """Draw Home."""
    in_use = frame("app.py")
    tour.card()
    question(t("Does a word mean the same thing twice?"))
    show("pages._home.live", in_use)
    with st.container(key="home_onward"):
        lede(
            t(
                "<b>GloVe</b> gives a spelling one vector, wherever it stands. <b>ELMo</b>, a language model that reads each sentence in both "
                "directions, gives it a different one in every sentence."
            )
            if model_layers.in_use().is_elmo
            else t(
                "<b>GloVe</b> gives a spelling one vector, wherever it stands. <b>{model}</b>, a transformer, in which every word of a sentence looks "
                "at every other, gives it a different one in every sentence.",
                model=model_layers.in_use().called,
            )
        )
        st.markdown(t("#### Go on with the same two sentences"))
        for column, (page, label, icon) in zip(
            st.columns(3),
            (
                ("neighbours", t("Who are its neighbours?"), ":material/hub:"),
                ("map", t("Where do its senses live?"), ":material/scatter_plot:"),
                ("mix", t("Which layers matter?"), ":material/tune:"),
            ),
            strict=True,
        ):
            page_link(page, label, place=column, icon=icon, width="stretch")
        show_html(
            "{}",
            t(
                '<p class="small">Everything on these pages is computed now, on this machine, by the model and the vectors named under “In use” in the '
                "menu. The bundled models are small and were trained for hours, not weeks: they are often right, and the pages say so when they are not.</p>"
            ),
        )
        tour.link()
