"""How it works: a token's way from its characters to its vector; spelling."""

import streamlit as st

from core.common.i18n import t
from core.common.limits import limits
from pages._frame import examples
from pages._frame.choices import choice, text_box
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse, english
from pages._widgets.inputs import first_sentence


def steps(in_use: InUse) -> None:
    """One token's way, step by step, in the model's own numbers."""
    question(t("How does a sentence become a vector?"))
    lede(t("Follow your word in 7 steps, in the model’s own numbers."))
    chosen = first_sentence()
    if chosen.position is not None:
        show("pages._how.show", in_use, chosen)


def take_example() -> None:
    if st.session_state.spell_example:
        st.session_state.spell = examples.spelling()[st.session_state.spell_example]


def spelling(in_use: InUse) -> None:
    """How the char-CNN reads any spelling, and what typing errors do to classifiers (Peters et al. 2018, section 3.1)."""
    question(t("How does it read an unknown word?"))
    lede(t("Layer 0 builds a vector from letters, so even a typo has neighbors."))
    views = {"words": t("Words of your own"), "noise": t("Classifiers and typing errors")}
    view = choice("spell_view", t("View"), views, "words", label_visibility="collapsed")
    if view == "noise":
        show("pages._classify.typing_errors", english(in_use))
    else:
        labels = {
            "family": t("Related words"),
            "typos": t("Typos"),
            "inflections": t("Inflections"),
            "invented": t("Invented words"),
            "names": t("Names"),
            "scripts": t("Korean, emoji, accents"),
        }
        known = examples.spelling()
        st.pills(
            t("Examples"),
            list(known),
            key="spell_example",
            on_change=take_example,
            label_visibility="collapsed",
            format_func=lambda name: f":material/format_quote: {labels[name]}",
        )
        columns = st.columns([5, 3], vertical_alignment="bottom")
        text = text_box(
            "spell",
            t("Words"),
            next(iter(known.values())),
            limits().max_text,
            place=columns[0],
            placeholder=t("Type real or invented words"),
        )
        amounts = {"10000": t("the 10,000 most frequent"), "all": t("all of its words")}
        among = choice(
            "spell_among",
            t("Neighbors from"),
            amounts,
            "10000",
            place=columns[1],
            help=t("Read once and kept on disk. 10,000 words take seconds."),
        )
        show("pages._how.spellings", in_use, text or "", None if among == "all" else 10_000)


in_use = frame("pages/how.py")
{"how": steps, "spelling": spelling}[part()](in_use)
