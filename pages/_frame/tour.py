"""The first visit to Home: three things to try, on a small card that covers nothing one needs. Ended once, it stays away.

The card stands at the foot of the menu; where the menu is folded, as on a phone, in the page itself beside the picture, which it never
covers. The browser alone keeps that it was ended, so a first visitor's page is run once, not twice.
"""

from pathlib import Path

import streamlit as st

from core.common.i18n import t

HTML = '<section hidden><p class="number"></p><p class="said" aria-live="polite"></p><div><button class="next"></button><button class="skip"></button></div></section>'
CSS = Path(__file__).with_suffix(".css").read_text("utf-8")
SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")


def card() -> None:
    """The card, if this browser has not seen it to its end or `?tour=1` asks for it."""
    steps = (
        (".st-key-a, .st-key-b", t("Type two sentences, or pick an example. Tap a word in each.")),
        (".st-key-home_picture", t("ELMo has one vector per sentence, GloVe one for both.")),
        (".st-key-home_picture", t("Drag the slider: above layer 0, context opens the angle.")),
    )
    numbered = [{"at": at, "said": text, "number": t("Try this: {k} of {n}", k=k, n=len(steps))} for k, (at, text) in enumerate(steps, 1)]
    component = st.components.v2.component("tour", html=HTML, css=CSS, js=SCRIPT)
    data = {"title": t("Three-step tour"), "next": t("Next"), "skip": t("Skip"), "done": t("Done"), "steps": numbered}
    component(data=data | {"asked": st.query_params.get("tour") == "1"}, key="tour", on_ended_change=_ended)


def link() -> None:
    """The tour once more, from the page's foot."""
    st.button(t("Show the tour"), key="tour.again", type="tertiary", on_click=_again)


def _again() -> None:
    st.query_params["tour"] = "1"


def _ended() -> None:
    st.query_params.pop("tour", None)
