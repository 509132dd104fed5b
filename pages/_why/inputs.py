"""The inputs for the words that decide: examples, what is done to each word, the layer and the direction."""

from dataclasses import dataclass

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.limits import BOX
from core.senses import influence
from pages._frame import examples, question
from pages._frame.choices import choice, mix_weights, text_box, what_layers_read
from pages._frame.examples import Decided
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen
from pages._word import pair_layer

NEUTRAL = "thing"  # the default of a swap


@dataclass(frozen=True, slots=True)
class Options:
    """The values of the inputs."""

    how: str  # drop, mask, swap
    swap: str  # the word put in, where `how` is swap
    layer: str  # or mix
    weights: str  # of the mix, "a,b,c"
    half: str  # past, future, both


def example_on_screen(chosen: Chosen) -> Decided | None:
    """Return the example that the sentence and its word belong to, if any."""
    return next((e for e in examples.decided() if (e.text, e.word) == (chosen.text.strip(), chosen.word.casefold())), None)


def controls(in_use: InUse) -> Options:
    """Draw the examples, what is done to each word, and which layer and which half are looked at."""
    _examples()
    how_names = {"drop": t("drop it"), "mask": t("mask it"), "swap": t("swap it")}
    half_names = {"past": t("past"), "future": t("future"), "both": t("both")}
    how = choice(
        "dhow", t("Each word in turn"), how_names, "drop", help=t("Drop removes the word, mask puts `<UNK>`, swap puts your word.")
    )
    message = f"{what_layers_read()} {t('The layer mix weights all layers.')}"
    layer = pair_layer.choose("dlayer", in_use, help=message)
    # Of a transformer no half of a vector has read a part of the sentence alone.
    half = (
        influence.BOTH
        if not model_layers.in_use().is_elmo
        else choice(
            "dhalf",
            t("Half of the vector"),
            half_names,
            "both",
            help=t(
                "Past: the forward LSTMs read up to this word. Future: the backward LSTMs read from the end back to it. Both halves read the word itself."
            ),
        )
    )
    swap = weights = ""
    if how == "swap":
        swap = text_box("dswap", t("Swap for"), NEUTRAL, BOX["word"], help=t("One word, put in place of each word in turn."))
    if layer == "mix":
        weights = mix_weights()
    return Options(how, swap, layer, weights, half)


def _examples() -> None:
    """Offer sentences in which one half decides, the halves disagree, or the model errs."""
    known = examples.decided()
    labels = [_label(example) for example in known]
    picked = st.session_state.get("decided.example")
    if picked in range(len(known)) and known[picked].text != st.session_state.get("a"):
        st.session_state["decided.example"] = None  # the sentence has been edited since
    st.pills(t("Examples"), range(len(known)), key="decided.example", on_change=_take_example, format_func=labels.__getitem__)


def _label(example: Decided) -> str:
    if example.shows == "past":
        return t("{word}: the past decides", word=example.word)
    if example.shows == "future":
        return t("{word}: the future decides", word=example.word)
    if example.shows == "apart":
        return t("{word}: the halves disagree", word=example.word)
    if example.shows == "wrong":
        return t("{word}: the model is wrong", word=example.word)
    return f":material/format_quote: {example.word}"


def _take_example() -> None:
    number = st.session_state["decided.example"]
    if number is not None:
        example = examples.decided()[number]
        question.put(a=example.text, word=example.word)
