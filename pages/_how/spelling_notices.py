"""Sentences about spellings, computed from what the page shows."""

from collections.abc import Iterable

import numpy as np

from core.analysis.spelling import Firing
from core.common.i18n import t
from core.common.markup import shorten
from core.static.vectors import StaticNeighbor
from core.text.languages import tokenize
from core.text.tokens import bare, write_word

BY_HEART = 0.3  # of the vector from one window over the whole word
PARTED = 3  # words named that a sentence's reader parts


def write_notices(
    firings: list[Firing],
    near: list[list[StaticNeighbor]],
    beside: list,
    cosines: np.ndarray,
    usual: float | None,
    lower: tuple[str, ...] = (),
) -> list[str]:
    """State which words GloVe lacks, which words are never one token, the nearest pair with chance, and unread words.

    `usual` is the cosine by chance of the nearest two of as many words. `lower` holds words that GloVe reads in lower case.
    """
    if not firings:
        return []
    rows = [k for k, firing in enumerate(firings) if not firing.is_unread]
    pair = _pair([firings[k] for k in rows], cosines[np.ix_(rows, rows)], usual)
    return [*_unknown(firings, near, beside, lower), *_parted(firings), *pair, *_unread(firings)]


def _unknown(firings: list[Firing], near: list, beside: list, lower: tuple[str, ...]) -> list[str]:
    missing = [k for k, neighbors in enumerate(beside) if neighbors is None]
    if not missing and not lower:
        return [t("GloVe knows every word.")]
    if not missing:
        return [t("GloVe knows every word, but reads {words} in lowercase.", words=_quoted(lower))]
    lines = [t("Not in GloVe: {words}.", words=_quoted(firings[k].word for k in missing))]
    if (k := next((k for k in missing if near[k] and not firings[k].is_unread), None)) is not None:
        named = {"word": shorten(firings[k].word, 24), "best": shorten(write_word(near[k][0].word), 24), "cosine": near[k][0].cosine}
        lines.append(t("Layer 0's nearest to “{word}”: “{best}” ({cosine:.2f}).", **named))
    return lines


def _parted(firings: list[Firing]) -> list[str]:
    """State which words no sentence has as one token."""
    parted = [(f.word, tokens) for f in firings if len(tokens := tokenize(f.word)) > 1][:PARTED]
    words = ", ".join(f"“{shorten(word, 24)}” ({shorten(' + '.join(map(bare, tokens)), 24)})" for word, tokens in parted)
    return [t("In a sentence, both models split {words}.", words=words)] if parted else []


def _pair(firings: list[Firing], cosines: np.ndarray, usual: float | None) -> list[str]:
    if len(firings) < 2:
        return []
    others = np.where(np.eye(len(firings), dtype=bool), -np.inf, cosines)
    a, b = sorted(np.unravel_index(int(others.argmax()), others.shape))
    named = {"a": shorten(firings[a].word, 24), "b": shorten(firings[b].word, 24), "cosine": float(cosines[a, b])}
    nearest = t("Your closest words: “{a}” and “{b}” ({cosine:.2f}).", **named)
    if usual is None:
        return [nearest]
    if round(named["cosine"], 2) > round(usual, 2):
        values = {"n": len(firings), "usual": usual}
        return [nearest, t("Chance: 95% of sets of {n} random words stay below {usual:.2f}.", **values)]
    return [
        t(
            "Even your closest words, “{a}” and “{b}” ({cosine:.2f}), are no closer than chance: 5% of sets of {n} random words have a pair at {usual:.2f} or above.",
            usual=usual,
            n=len(firings),
            **named,
        )
    ]


def _unread(firings: list[Firing]) -> list[str]:
    if not (words := _quoted(firing.word for firing in firings if firing.is_unread)):
        return []
    return [t("The model cannot read the letters of {words}.", words=words)]


def of_windows(firings: list[Firing]) -> list[str]:
    """State which words one window covers completely, and which word is read in the smallest pieces."""
    if not all(firing.exact for firing in firings):
        return []
    lines = []
    whole = [f for f in firings if (top := f.heaviest) and top.share >= BY_HEART and len(f.letters) == top.last - top.first + 1]
    if whole:
        words = ", ".join(f"“{shorten(f.word, 24)}” ({f.heaviest.share:.0%})" for f in whole)
        lines.append(t("Recognized whole: {words}.", words=words))
    whole_ids = {id(f) for f in whole}  # equal spellings may stand there twice, and arrays have no one truth value
    pieces = [f for f in firings if not (id(f) in whole_ids or f.is_unread) and any(w.lettered and w.share > 0 for w in f.windows)]
    if pieces:
        tops = [(firing, max((w for w in firing.windows if w.lettered), key=lambda w: w.share)) for firing in pieces]
        least, most = min(tops, key=lambda top: top[1].share)
        lines.append(
            t(
                "“{word}” is read in pieces, mainly “{window}” ({share:+.0%}).",
                word=shorten(least.word, 24),
                window=most.text,
                share=most.share,
            )
        )
    return lines


def reading_guide(firing: Firing) -> str:
    """Return Markdown on how to read the picture of the windows, and what it does not show. It has no text of the user."""
    guide = t("Above: contribution of each letter by window width. Below: the strongest windows. ‹ and › mark the word’s ends.")
    if firing.exact:
        parts = t("Shares plus {rest:+z.0%} from bias and marks make 100%. Orange is negative.", rest=firing.unlettered)
    else:
        parts = t("Filter strengths: the highway layer mixes them, so exact shares do not exist.")
    cut = t("Characters past 48 bytes, not read: {n:,}.", n=firing.cut) if firing.cut else ""
    return " ".join(part for part in (guide, parts, cut) if part)


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"“{shorten(word, 24)}”" for word in words)
