"""What belongs to ELMo alone: where a transformer is in use, a page says in a sentence what it cannot show, and where to go on."""

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from pages._cached.views import bench
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.menu import page_link

HOW, SPELLING, EXPECTED = "how", "spelling", "expected"


def is_another(in_use: InUse, page: str, words: tuple[str, ...] = ()) -> bool:
    """Whether the model in use is a transformer, of which this page cannot tell; it has then said so. `words` are those typed."""
    known = model_layers.in_use()
    if known.is_elmo:
        return False
    encoder = bench(in_use).model.encoder  # what it cannot be opened for is said here
    message, go_on, label = {
        HOW: lambda: (t("{model} is a transformer, without char-CNN or LSTMs.", model=known.called), "home", t("Compare its layers")),
        SPELLING: lambda: (
            t("{model} is a transformer: it reads {n:,} word pieces, not letters.", model=known.called, n=len(encoder.tokeniser)),
            "neighbors",
            t("Its neighbors"),
        ),
        EXPECTED: lambda: (
            t("{model} gives vectors but predicts no words. elmo-mini does.", model=known.called),
            "neighbors",
            t("Its neighbors"),
        ),
    }[page]()
    lines = [message]
    if page == SPELLING and words:
        rows = {word: encoder.pieces_of(word) for word in words}
        st.table([{t("word"): word, t("pieces"): " · ".join(pieces)} for word, pieces in rows.items()])
        whole = sum(len(pieces) == 1 for pieces in rows.values())
        lines.append(t("{whole} of {n} words are one piece.", n=len(rows), whole=whole))
    notice(lines)
    page_link(go_on, label, icon=":material/arrow_forward:")
    return True
