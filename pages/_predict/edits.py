"""The effect of an edit: two versions of a text with the surprisal of each direction."""

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis import expectation
from core.analysis.expectation import Reading
from core.common.i18n import t
from core.common.limits import limits
from core.figures.expectation import MOST_PLACES, versions_figure
from core.views import next_words
from core.views.next_words import NextWordsRequest
from pages._cached.views import view, workspace
from pages._frame.choices import text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._predict import passage
from pages._predict.surprise import token_names
from pages._widgets import lists
from pages._widgets.charts import draw


def show(in_use: InUse, read: Reading) -> None:
    """Show the box of the other version, both curves, what to notice, and the table of all words."""
    columns = st.columns([5, 3], vertical_alignment="bottom", gap="medium")
    other = text_box(passage.OTHER, t("Compare with"), "", limits().max_text, place=columns[0], placeholder=t("Other version"))
    columns[1].button(
        t("Keep this text to compare"),
        key="predict.keep",
        icon=":material/keep:",
        on_click=_keep,
        width="stretch",
        help=t("Copies your text here; then edit the one above."),
    )
    sentences = expectation.sentences_of(other or "")
    if not sentences:
        st.info(t("Type another version, or keep this text and edit the one above."), icon=":material/edit:")
        _twin([(None, k) for k in range(len(read.tokens))], None, read)
        return
    old = view(next_words.read, workspace(in_use), NextWordsRequest(sentences=sentences))
    pairs = expectation.aligned(old.tokens, read.tokens)
    words = [(None if i is None else old.tokens[i], None if j is None else read.tokens[j]) for i, j in pairs]
    before, now = ([_align(item, [pair[side] for pair in pairs]) for item in (r.forward, r.backward)] for side, r in ((0, old), (1, read)))
    alt = t("Surprisal of each word in bits, forward and backward: yours and the other version.")
    draw(versions_figure(words, before, now), key="predict.versions", alt=alt)
    if len(pairs) > MOST_PLACES:
        st.caption(t("{shown} of {count:,} words shown, around the first change.", shown=MOST_PLACES, count=len(pairs)))
    notice(_write_notices(words, before, now))
    _twin(pairs, old, read)


def _keep() -> None:
    st.session_state[passage.OTHER] = st.session_state[passage.TEXT]


def _align(values: np.ndarray, places: list[int | None]) -> np.ndarray:
    return np.array([np.nan if k is None else values[k] for k in places])


def _write_notices(words: list[tuple[str | None, str | None]], before: list[np.ndarray], now: list[np.ndarray]) -> list[str]:
    changed = [k for k, (a, b) in enumerate(words) if a != b]
    if not changed:
        return [t("Both versions are the same. Edit a word above.")]
    lines = []
    p = [expectation.perplexity(values) for values in (before[0], now[0], before[1], now[1])]
    if np.isfinite(p).all():
        lines.append(
            t(
                "Perplexity, other → yours: {a:,.0f} → {b:,.0f} from the left, {c:,.0f} → {d:,.0f} from the right.",
                a=p[0],
                b=p[1],
                c=p[2],
                d=p[3],
            )
        )
        lines += _verdict(*p)
    for direction, (old, new) in enumerate(zip(before, now, strict=True)):
        lines.append(_effect(words, set(changed), old, new, backward=bool(direction)))
    return [line for line in lines if line]


def _verdict(a: float, b: float, c: float, d: float) -> list[str]:
    """State which version each direction finds likelier, by the perplexities of both versions."""
    a, b, c, d = map(round, (a, b, c, d))  # as they are shown
    yours, others = (b < a, d < c), (b > a, d > c)
    if all(yours):
        return [t("Both directions find yours likelier per word.")]
    if all(others):
        return [t("Both directions find the other likelier per word.")]
    if any(yours) and any(others):
        return [t("The directions disagree on which is likelier.")]
    return [t("At least one direction finds both equally likely per word.")]


def _effect(words: list, changed: set[int], old: np.ndarray, new: np.ndarray, *, backward: bool) -> str:
    """State which unchanged word's surprisal changed most in a direction."""
    moved = np.abs(new - old)
    moved[[k in changed for k in range(len(words))]] = np.nan
    if not np.isfinite(moved).any() or np.nanmax(moved) < 0.05:
        return t("From the right no kept word changed.") if backward else t("From the left no kept word changed.")
    k = int(np.nanargmax(moved))
    names = {"word": token_names([b or "" for _, b in words])[k], "x": old[k], "y": new[k]}
    if backward:
        return t("Backward, which sees an edit only earlier, changed most at “{word}”: {x:.1f} → {y:.1f} bits.", **names)
    return t("Forward, which sees an edit only later, changed most at “{word}”: {x:.1f} → {y:.1f} bits.", **names)


def _twin(pairs: list[tuple[int | None, int | None]], old: Reading | None, read: Reading) -> None:
    columns: dict[str, list] = {}
    for side, item, name in ((1, read, t("yours")), (0, old, t("the other"))):
        if item is not None:
            places = [pair[side] for pair in pairs]
            tokens = item.tokens
            columns[t("word, {version}", version=name)] = ["" if k is None else tokens[k] for k in places]
            columns[t("bits from the left, {version}", version=name)] = _align(item.forward, places).round(3).tolist()
            columns[t("bits from the right, {version}", version=name)] = _align(item.backward, places).round(3).tolist()
    lists.twin(pd.DataFrame(columns), name="surprisal", label=t("Show as table"), key="predict.surprisal")
