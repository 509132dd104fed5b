"""Edit until it flips: one sentence turned into another word by word, its sense read at every step."""

import streamlit as st

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/flip.py")
question(t("How few words turn it into another?"))
lede(
    t(
        "The word stays, the words around it change one at a time. Somewhere on the way from one sentence to the other the model reads "
        "another meaning. Guess where, then look."
    )
)
if st.query_params.get("flip_mode") == t("Quiz"):  # a link of the time when the quiz was on this page
    st.switch_page("pages/guess.py", query_params={key: st.query_params[key] for key in ("quiz", "lang") if key in st.query_params})
show("pages._flip.show", in_use)
