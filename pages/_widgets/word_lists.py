"""Lists of words that a language model expects: each a button with a bar behind it for its probability."""

from collections.abc import Callable

import streamlit as st

from core.analysis.expectation import Expected
from core.common.i18n import t
from core.common.markup import shorten
from core.elmo.language_model import SPECIALS
from core.figures.expectation import list_rules
from core.text.tokens import SENTENCE_BEGIN, write_word
from pages._frame import question

STYLE = """
<style>
  [class*="st-key-words_"] {gap: 0.2rem;}
  [class*="st-key-words_"] button {min-height: 34px; padding: 0.1rem 0.7rem; border-color: rgba(128,128,140,0.22);}
  [class*="st-key-words_"] button > div, [class*="st-key-words_"] button span, [class*="st-key-words_"] button [data-testid="stMarkdownContainer"] {width: 100%;}
  [class*="st-key-words_"] button p {display: flex; justify-content: space-between; gap: 0.8rem; font-variant-numeric: tabular-nums;}
  [class*="st-key-words_"] button:disabled, [class*="st-key-words_"] button:disabled p {cursor: default; color: inherit; opacity: 0.85;}
  @media (max-width: 640px), (pointer: coarse) {
    [class*="st-key-words_"] button {min-height: 44px;}
    .st-key-both_ways > [data-testid="stHorizontalBlock"], .st-key-both_ways > div > [data-testid="stHorizontalBlock"] {flex-direction: column-reverse;}
    .st-key-both_ways [data-testid="stColumn"] {width: 100%; flex: 1 1 auto;}
  }
</style>
"""


def word_buttons(name: str, expected: Expected, color: str, longest: float, tapped: Callable, *args) -> None:
    """A button a word with a bar behind it, all of one scale; `tapped(word, *args)` is what a tap does."""
    st.html(f"<style>{list_rules(f'.st-key-{name}', [p.probability / longest for p in expected.likeliest], color)}</style>")
    with st.container(key=f"words_{name}"):
        for k, p in enumerate(expected.likeliest):
            boundary = p.word in SPECIALS
            shown = _boundary(p.word) if boundary else f"**{question.plain_label(write_word(p.word))}**"
            label = f"{shown} {p.probability:.1%}" if p.probability >= 0.0005 else f"{shown} < 0.1%"
            st.button(label, key=f"{name}_{k}", on_click=tapped, args=(p.word, *args), disabled=boundary, width="stretch")


def _boundary(word: str) -> str:
    return f"*{t('sentence start')}*" if word == SENTENCE_BEGIN else f"*{t('sentence end')}*"


def fared(word: str, expected: Expected) -> str:
    """The rank and probability of the word that is there, in words."""
    if expected.rank is None:
        return t("“{word}”: not in the vocabulary", word=shorten(word, 20))
    if expected.probability < 0.0001:
        return t("“{word}”: rank {rank:,}, under 0.01%", word=shorten(word, 20), rank=expected.rank)
    return t("“{word}”: rank {rank:,}, {p:.2%}", word=shorten(word, 20), rank=expected.rank, p=expected.probability)
