"""GloVe's neighbors next to ELMo's, and the accuracy of the other words' static vectors."""

from collections.abc import Iterable

import streamlit as st

from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import shorten
from core.common.significance import Paired
from core.figures.style import GLOVE
from core.static.vectors import StaticVectors
from core.views.neighbors import tabulate_words
from pages._frame.markup import plain
from pages._widgets import lists
from pages._widgets.inputs import Chosen


def unknown(vectors: StaticVectors, words: Iterable[str]) -> list[str]:
    """State which words the static vectors lack, or return "" if they have all."""
    words = [word for word in dict.fromkeys(words) if word not in vectors]
    if not words:
        return []
    called = model_layers.in_use().called
    return [t("Not in GloVe: {words}. {model} reads any word.", words=", ".join(f"“{shorten(word)}”" for word in words), model=called)]


def glove_column(vectors: StaticVectors, first: Chosen, second: Chosen, k: int, tables: list) -> None:
    """Show GloVe's neighbors: one list for a word in any sentence, or two lists for two different words."""
    words = list(dict.fromkeys(c.word.casefold() for c in (first, second) if c.word))
    for word in words:
        lists.heading(t("GloVe, “{word}” in any sentence", word=shorten(word, 24)), GLOVE)
        try:
            neighbors = vectors.neighbors(word, k if len(words) == 1 else max(3, k // 2))
        except BadInput as error:
            st.info(plain(error), icon=":material/search_off:")
            continue
        lists.word_lines([(n.word, n.cosine, "") for n in neighbors])
        tables.append(tabulate_words([(n.word, n.cosine) for n in neighbors], f"GloVe: {word}"))


def static_line(share: float, where: str, difference: Paired) -> str:
    """State the accuracy of the static context, the difference of a space to it, and whether it is significant."""
    verdict = (t("inconclusive"), t("ahead"), t("behind"))[difference.verdict]
    return t(
        "The other words’ static vectors alone reach {share:.1%}; {where} minus these, in points: {difference}, {verdict}.",
        share=share,
        where=where,
        difference=difference.in_points(),
        verdict=verdict,
    )
