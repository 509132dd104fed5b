"""The words that a transformer expects in place of a masked word. A click inserts one."""

import pandas as pd
import streamlit as st

from core.analysis import expectation
from core.analysis.expectation import Expected
from core.common import model_layers
from core.common.i18n import t
from core.common.markup import shorten
from core.elmo.language_model import Prediction
from core.engines.masked import Masked
from core.figures.expectation import BOTH
from core.text import languages, word_in_question
from core.views import next_words
from core.views.next_words import NextWordsRequest
from pages._cached.views import view, workspace
from pages._frame import question
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._predict import passage
from pages._widgets import lists
from pages._widgets.word_lists import STYLE, word_buttons


def show(in_use: InUse, sentences: tuple[tuple[str, ...], ...]) -> None:
    """Show the words of the text, the list for the masked one, what to notice, and the data table."""
    known = model_layers.in_use()
    st.caption(t("{model} predicts a hidden word from both sides, not the next word.", model=known.called))
    tokens = [token for sentence in sentences for token in sentence][: next_words.MOST_RANKED]
    position = _position(tokens)
    word = tokens[position]
    result = view(next_words.masked, workspace(in_use), NextWordsRequest(sentences=sentences, position=position), most=128)
    st.html(STYLE)
    lists.heading(t("In place of “{word}”, from both sides", word=shorten(word, 24)), BOTH, t("word masked, sentence read"))
    expected = Expected(
        tuple(Prediction(item.text if item.whole else f"…{item.text}", item.probability) for item in result.likeliest),
        0.0,
        result.probability,
        result.rank,
        0.0,
    )
    word_buttons("masked", expected, BOTH, max(item.probability for item in result.likeliest), _replace, position)
    notice(_write_notices(word, result))
    rows = [
        {t("rank"): k, t("word"): item.text, t("probability"): round(item.probability, 6), t("whole word"): item.whole}
        for k, item in enumerate(result.likeliest, 1)
    ]
    lists.twin(pd.DataFrame(rows), name="masked-word", key="predict.masked")


def _position(tokens: list[str]) -> int:
    """Return the position of the masked word: the user's choice or the URL's, else the last content word."""
    state = st.session_state
    usual = max((candidate.position for candidate in word_in_question.candidates(tokens, languages.in_use())), default=len(tokens) - 1)
    if state.get(passage.AT) not in range(len(tokens)):
        given = st.query_params.get(passage.AT)
        state[passage.AT] = next((k for k, label in enumerate(question.token_labels(tokens)) if label == given), usual)
    position = passage.ask_word(tokens)
    return usual if position is None else position


def _replace(word: str, position: int) -> None:
    passage.put(expectation.replaced(st.session_state[passage.TEXT], position, word.removeprefix("…")), at=position)


def _write_notices(word: str, masked: Masked) -> list[str]:
    best = masked.likeliest[0]
    values = {"word": shorten(word, 24), "best": best.text, "share": best.probability}
    if masked.rank is None:
        return [t("“{word}” is {n} pieces, more than one mask; “{best}” is likeliest ({share:.1%}).", n=masked.pieces, **values)]
    if masked.rank == 1:
        return [t("It predicts “{word}” ({share:.1%}).", word=values["word"], share=values["share"])]
    return [t("“{word}” ranks {rank:,} ({p:.2%}); “{best}” is likeliest ({share:.1%}).", rank=masked.rank, p=masked.probability, **values)]
