"""The surprisal of each word in both directions, and the words that they expected in its place."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from core.analysis import expectation
from core.analysis.expectation import Reading
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import Markup, html, shorten
from core.figures.expectation import BOTH, FULL_BITS, ribbon_rules
from core.figures.measures import BACKWARD, FORWARD
from core.text.tokens import write_word
from core.views import next_words
from core.views.next_words import NextWordsRequest
from pages._cached import opened
from pages._cached.views import view, workspace
from pages._frame import question
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._predict import passage
from pages._widgets import lists, word_lists
from pages._widgets.word_lists import fared, word_buttons

MOST = next_words.MOST_RANKED  # words to tap
STYLE = """
<style>
  .st-key-ribbon [role="radiogroup"] {column-gap: 0.2rem; row-gap: 0;}
  .st-key-ribbon button {padding: 0.1rem 0.45rem; min-width: 30px; position: relative;}
  @media (max-width: 640px), (pointer: coarse) {.st-key-ribbon button {min-height: 44px; min-width: 40px;}}
</style>
"""


def show(in_use: InUse, read: Reading) -> None:
    """Show the words between their bars, what to notice, and the three lists of the selected word."""
    position = _ribbon(in_use, read)
    over, request = workspace(in_use), NextWordsRequest(sentences=read.sentences)
    notice(_write_notices(read, view(next_words.ranks, over, request, read)) + _not_in_glove(in_use, read))
    word = read.tokens[position]
    result = view(next_words.in_place, over, replace(request, position=position), read, most=256)
    longest = max(p.probability for item in result for p in item.likeliest)
    titles = (
        (t("In place of “{word}”, from the left", word=shorten(word, 20)), FORWARD, "left"),
        (t("from the right"), BACKWARD, "right"),
        (t("from both sides"), BOTH, "both"),
    )
    for column, item, (title, color, name) in zip(st.columns(3, gap="medium"), result, titles, strict=True):
        with column:
            lists.heading(title, color, fared(word, item))
            word_buttons(name, item, color, longest, _replace, position)
    st.caption(
        t(
            "Tap a word to insert it. Both sides: the product of both probabilities over the word’s frequency, exact only if left and right are independent."
        )
    )


def _ribbon(in_use: InUse, read: Reading) -> int:
    tokens = read.tokens[:MOST]
    forward, backward = read.forward[:MOST], read.backward[:MOST]
    opening = next_words.opening(workspace(in_use), read)
    place = _get_place(tokens)
    if place is None:
        place = st.session_state[passage.AT] = opening
        st.session_state[passage.CHOSEN] = place, st.session_state[passage.NOW]
    st.session_state[passage.SHOWN] = place, tokens[place]
    st.html(STYLE + word_lists.STYLE + f"<style>{ribbon_rules('.st-key-ribbon', forward, backward)}</style>")
    show_html(
        '<p class="small">{}</p>',
        t(
            "Surprisal −log₂ p of each word: above {ahead} forward, below {behind} backward; a full bar is {full:.0f} bits. Hatched: outside the vocabulary, not scored. Tap a word.",
            ahead=_swatch(FORWARD),
            behind=_swatch(BACKWARD),
            full=FULL_BITS,
        ),
    )
    with st.container(key="ribbon"):
        position = passage.ask_word(tokens)
    if len(read.tokens) > MOST:
        st.caption(t("First {shown} of {count:,} words; the table has all.", shown=MOST, count=len(read.tokens)))
    return opening if position is None else position


def _get_place(tokens: Sequence[str]) -> int | None:
    """Return the selected position in this text, or None."""
    state = st.session_state
    if passage.AT not in state and passage.AT in st.query_params:
        return next((k for k, label in enumerate(question.token_labels(list(tokens))) if label == st.query_params[passage.AT]), None)
    place = state.get(passage.AT)
    if place not in range(len(tokens)):
        return None
    chosen, shown = state.get(passage.CHOSEN), state.get(passage.SHOWN)
    if chosen and chosen[0] == place and chosen[1] != state[passage.NOW]:
        return None
    return None if shown and shown[0] == place and shown[1] != tokens[place] else place


def _swatch(color: str) -> Markup:
    return html('<span style="display:inline-block;width:.8em;height:.8em;border-radius:2px;background:{}"></span>', color)


def _most(values: np.ndarray, words: np.ndarray) -> int:
    """Return the position of the largest value, of a word rather than of a punctuation mark."""
    return int(np.argmax(np.where(np.isfinite(values), values + 1e3 * words, -1.0)))


def token_names(tokens: Sequence[str]) -> list[str]:
    """Return short names of tokens. Repeated tokens are numbered."""
    return question.token_labels(list(tokens), lambda token: shorten(write_word(token), 24))


def _replace(word: str, position: int) -> None:
    text = st.session_state[passage.TEXT]
    passage.put(expectation.replaced(text, position, word), other=text, at=position)


def _not_in_glove(in_use: InUse, read: Reading) -> list[str]:
    """State which words outside the model's vocabulary, which it reads by their letters, have no static vector either."""
    outside = dict.fromkeys(read.tokens[k] for k in np.flatnonzero(~np.isfinite(read.forward)))
    try:
        vectors = opened.vectors(in_use.vectors)
    except ElmoscopeError:  # they are beside the point here: the pages that need them say what is wrong
        return []
    missing = [f"“{shorten(write_word(word), 24)}”" for word in outside if any(map(str.isalnum, word)) and word not in vectors]
    return [t("Not in GloVe: {words}.", words=", ".join(missing[:5]))] if missing else []


def _write_notices(read: Reading, places: np.ndarray) -> list[str]:
    tokens = read.tokens
    known = np.isfinite(read.forward)
    lines = []
    if not known.any():
        return [t("None of these words is in the vocabulary: their letters are read, but not scored.")]
    words = np.array([any(map(str.isalnum, token)) for token in tokens])
    called = token_names(tokens)
    a, b = _most(read.forward, words), _most(read.backward, words)
    names = {"a": called[a], "x": read.forward[a], "b": called[b], "y": read.backward[b]}
    if a == b:
        lines.append(t("“{a}” is most surprising both ways: {x:.1f} bits from the left, {y:.1f} from the right.", **names))
    else:
        lines.append(t("Most surprising: “{a}” from the left ({x:.1f} bits), “{b}” from the right ({y:.1f}).", **names))
    k = _most(np.abs(read.forward - read.backward), words)
    names = {"word": called[k], "x": read.forward[k], "y": read.backward[k]}
    if known.sum() > 1 and not a == b == k and abs(read.forward[k] - read.backward[k]) >= 0.1:
        lines.append(t("They disagree most about “{word}”: {x:.1f} bits from the left, {y:.1f} from the right.", **names))
    scored = int(np.isfinite(places[0]).sum())
    if scored > 1:
        left, right, both = ((places == 1).sum(axis=1)).tolist()
        names = {"n": scored, "left": left, "right": right, "both": both}
        lines.append(t("Top prediction right, of {n}: {left} from the left, {right} from the right, {both} from both.", **names))
    if not known.all():
        outside = ", ".join(f"“{shorten(write_word(w), 24)}”" for w in list(dict.fromkeys(tokens[i] for i in np.flatnonzero(~known)))[:5])
        lines.append(t("Outside the vocabulary, read by their letters but not scored: {words}.", words=outside))
    return lines
