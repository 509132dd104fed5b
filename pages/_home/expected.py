"""The words that ELMo expects in place of each target word: chips under Home's sentences that insert them."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.limits import limits
from core.elmo import in_place
from core.elmo.in_place import InPlace
from core.elmo.substitutes import BOTH
from core.figures.style import OWN
from core.live.texts import expected_texts
from core.senses.verdict import is_word
from core.text import languages
from core.text.tokens import bare
from core.views import substitutes
from core.views.substitutes import SubstitutesRequest
from pages._cached.views import view, workspace
from pages._frame import language, question
from pages._frame.in_use import InUse
from pages._frame.markup import plain
from pages._widgets import lists
from pages._widgets.components import SHARED
from pages._widgets.inputs import Chosen

KEY = "home.expected"  # of the component
_read = {end: (Path(__file__).parent / f"expected.{end}").read_text("utf-8") for end in ("js", "css")}
_chips = st.components.v2.component("elmoscope_expected", html='<div class="expected"></div>', css=_read["css"], js=SHARED + _read["js"])


def show(in_use: InUse, first: Chosen, second: Chosen, place: DeltaGenerator) -> list[InPlace]:
    """Draw the chips in their place, where the model can name words; return what they hold."""
    with place:
        try:
            each = compute(in_use, first, second)
            if each is None:
                return []
        except ElmoscopeError as error:  # a transformer, or published weights without a softmax
            st.caption(plain(str(error)))
            return []
        _chips(key=KEY, data=_data(each), on_put_change=_take_put)
    return each


def compute(in_use: InUse, first: Chosen, second: Chosen) -> list[InPlace] | None:
    """Return the words expected in both places; None for what is no word of the language."""
    words = first.in_context, second.in_context
    if language.foreign(bare(first.word), second.word) or not all(is_word(word, languages.in_use()) for word in words):
        return None
    return view(substitutes.compute, workspace(in_use), SubstitutesRequest(words=words, direction=BOTH))


def note_table(each: Sequence[InPlace]) -> None:
    """Offer the words with their probabilities as a table, where there are any."""
    if not each:
        return
    lists.twin(substitutes.tabulate(each), name="substitutes", label=t("Substitutes"), key="home.expected.table")


def put(side: str, word: str) -> None:
    """Replace the selected word of a sentence in a callback. The other sentence keeps its selection."""
    now = question.settle()  # with what was typed since the chips were drawn
    number = question.SIDES.index(side)
    if now.positions[number] is None:
        return
    for key, tokens, position in zip(question.SIDES, now.tokens, now.positions, strict=True):
        if position is not None and key != side:
            st.session_state[f"{key}i"], st.session_state[f"{key}.tapped"] = position, tokens[position]
    text, position = in_place.put_in(now.texts[number], now.tokens[number], now.positions[number], word)
    question.put(**{side: text[: limits().max_text]}, word=word)
    st.session_state[f"{side}i"] = position


def _take_put() -> None:
    side, _, word = str((st.session_state.get(KEY) or {}).get("put") or "").partition(":")
    if side in question.SIDES and 0 < len(word) <= question.LONGEST:
        put(side, word)


def _data(each: Sequence[InPlace]) -> dict:
    largest = max((answer.probability for of in each for answer in of.substitutes), default=1.0)
    return expected_texts() | {
        "sides": [
            {
                "side": side,
                "which": which,
                "color": color,
                "words": [
                    {
                        "word": answer.word,
                        "size": round((answer.probability / largest) ** 0.5, 3),
                        "label": t("{word}, {p:.1%}: insert", word=answer.word, p=answer.probability),
                    }
                    for answer in (of.substitutes if of.is_good else ())
                ],
            }
            for side, which, color, of in zip(question.SIDES, (t("1st"), t("2nd")), OWN, each, strict=True)
        ]
    }
