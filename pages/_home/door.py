"""Home's door: the question, the picture, and where to go on."""

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show
from pages._frame.menu import page_link


def open_page() -> None:
    """Draw Home."""
    in_use = frame("app.py")
    question(t("Does a word mean the same thing twice?"))
    show("pages._home.live", in_use)
    with st.container(key="home_onward"):
        lede(
            t(
                "<b>GloVe</b> has one vector per spelling. <b>{model}</b> reads the whole sentence and gives a new one each time.",
                model=model_layers.in_use().called,
            )
        )
        st.markdown(t("#### What next?"))
        for column, (page, label, icon) in zip(
            st.columns(3),
            (
                ("neighbors", t("Its neighbors"), ":material/hub:"),
                ("map", t("Map of its senses"), ":material/scatter_plot:"),
                ("mix", t("Mix the layers"), ":material/tune:"),
            ),
            strict=True,
        ):
            page_link(page, label, place=column, icon=icon, width="stretch")
        st.caption(t("Computed live on this machine. The bundled models are small and sometimes wrong."))
