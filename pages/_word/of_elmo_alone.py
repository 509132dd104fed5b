"""What belongs to ELMo alone: where a transformer is in use, a page says in a sentence what it cannot show, and where to go on."""

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from pages._cached import opened
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.menu import page_link

HOW, MEMORY, SPELLING, EXPECTED = "how", "memory", "spelling", "expected"


def is_another(in_use: InUse, page: str, words: tuple[str, ...] = ()) -> bool:
    """Whether the model in use is a transformer, of which this page cannot tell; it has then said so. `words` are those typed."""
    known = model_layers.in_use()
    if known.is_elmo:
        return False
    encoder = opened.model(in_use.model).encoder  # what it cannot be opened for is said here
    said, go_on, label = {
        HOW: lambda: (
            t("{model} is a transformer: it has no char-CNN and no LSTMs to walk through.", model=known.called),
            "home",
            t("What each of its layers makes of a word"),
        ),
        MEMORY: lambda: (
            t(
                "{model} is a transformer: it keeps nothing from one sentence to the next, so that nothing read before changes a vector.",
                model=known.called,
            ),
            "decided",
            t("What in the sentence itself changes it"),
        ),
        SPELLING: lambda: (
            t(
                "{model} is a transformer: it reads no letters but pieces of words, of which it knows {n:,}.",
                model=known.called,
                n=len(encoder.tokeniser),
            ),
            "neighbours",
            t("Who are its neighbours?"),
        ),
        EXPECTED: lambda: (
            t(
                "{model} came without a part that expects words, so it gives vectors but predicts nothing. elmo-mini does.",
                model=known.called,
            ),
            "neighbours",
            t("Who are its neighbours?"),
        ),
    }[page]()
    lines = [said]
    if page == SPELLING and words:
        rows = {word: encoder.pieces_of(word) for word in words}
        st.table([{t("word"): word, t("pieces"): " · ".join(pieces)} for word, pieces in rows.items()])
        whole = sum(len(pieces) == 1 for pieces in rows.values())
        lines.append(t("Of these {n} words it knows {whole} whole.", n=len(rows), whole=whole))
    notice(lines)
    page_link(go_on, label, icon=":material/arrow_forward:")
    return True
