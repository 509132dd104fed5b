"""How it works: a token's way from its characters to its vector; spelling; memory."""

import streamlit as st

from core.common.i18n import t
from core.common.limits import limits
from core.common.markup import Markup
from pages._frame import examples
from pages._frame.choices import choice, text_box
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse, english
from pages._widgets.inputs import first_sentence


def steps(in_use: InUse) -> None:
    """One token's way, step by step, in the model's own numbers."""
    question(t("How does a sentence become a vector?"))
    lede(
        t(
            "Seven steps, from the characters of a word to the vector a task is given. Type a sentence, tap a word in it, and follow "
            "that word: every number shown is one that the model in use computed for it."
        )
    )
    chosen = first_sentence()
    if chosen.position is not None:
        show("pages._how.show", in_use, chosen)


def take_example() -> None:
    if st.session_state.spell_example:
        st.session_state.spell = examples.spelling()[st.session_state.spell_example]


def spelling(in_use: InUse) -> None:
    """How the char-CNN reads any spelling, and what typing errors do to classifiers (Peters et al. 2018, section 3.1)."""
    question(t("How does it read a word it has never seen?"))
    lede(
        t(
            "Letter by letter: ELMo's layer 0 makes a vector from any spelling, so a typo or an invented word has neighbours where GloVe has nothing. "
            "Whether they are good ones, you can see here."
        )
    )
    views = {"words": t("Words of your own"), "noise": t("Classifiers and typing errors")}
    view = choice("spell_view", t("Look at"), views, "words", label_visibility="collapsed")
    if view == "noise":
        show("pages._classify.typing_errors", english(in_use))
    else:
        labels = {
            "family": t("A word and its like"),
            "typos": t("Typing errors"),
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
            t("Words, with blanks or commas between them"),
            next(iter(known.values())),
            limits().max_text,
            place=columns[0],
            placeholder=t("Type a few words, invented ones too"),
        )
        amounts = {"10000": t("the 10,000 most frequent"), "all": t("all of its words")}
        among = choice(
            "spell_among",
            t("Look for neighbours among"),
            amounts,
            "10000",
            place=columns[1],
            help=t(
                "The model reads every word of its vocabulary once; on two cores 10,000 words take some seconds. They are kept on disk."
            ),
        )
        show("pages._how.spellings", in_use, text or "", None if among == "all" else 10_000)


def memory(in_use: InUse) -> None:
    """What AllenNLP's ELMo remembers between sentences by default, and ours beside it."""
    question(t("Does it remember what it read before?"))
    lede(
        t(
            "AllenNLP's ELMo does: its LSTMs go on from where the last batch left them, so one sentence gets other vectors every time "
            "(issues {first}, {second} and many more). Ours starts each sentence at zero. Here is how much that changes.",
            first=Markup('<a href="https://github.com/allenai/allennlp/issues/1169" rel="noreferrer">1169</a>'),
            second=Markup('<a href="https://github.com/allenai/allennlp/issues/2643" rel="noreferrer">2643</a>'),
        )
    )
    chosen = first_sentence()
    if chosen.position is not None:
        show("pages._how.memory", in_use, chosen)


in_use = frame("pages/how.py")
{"how": steps, "spelling": spelling, "state": memory}[part()](in_use)
