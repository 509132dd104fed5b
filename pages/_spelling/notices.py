"""What to notice of spellings: sentences computed from what is on the screen; all words in them are escaped."""

from __future__ import annotations

from html import escape

import numpy as np

from core.analysis.spelling import Firing
from core.common.i18n import t
from core.static.vectors import Neighbour

BY_HEART = 0.3  # of the vector from one window over the whole word
UNREAD = 0.02  # of the vector from letters, at most


def about(found: list[Firing], near: list[list[Neighbour]], beside: list, cosines: np.ndarray, usual: float | None) -> list[str]:
    """GloVe's gaps, the nearest pair beside chance, which words are known whole, in pieces, or not at all."""
    return [*_unknown(found, near, beside), *_pair(found, cosines, usual), *_read(found)] if found else []


def _unknown(found: list[Firing], near: list[list[Neighbour]], beside: list) -> list[str]:
    missing = [k for k, neighbours in enumerate(beside) if neighbours is None]
    if not missing:
        return [t("GloVe knows every spelling here, so nothing is lost with it.")]
    words = ", ".join(f"“{_short(found[k].word)}”" for k in missing)
    lines = [t("GloVe has no vector for {missing} of {n} spellings: {words}.", missing=len(missing), n=len(found), words=words)]
    if near[missing[0]]:
        first, best = found[missing[0]], near[missing[0]][0]
        lines.append(
            t(
                "Layer 0 puts “{word}” nearest to “{best}” ({cosine:.2f}).",
                word=_short(first.word),
                best=_short(best.word),
                cosine=best.cosine,
            )
        )
    return lines


def _pair(found: list[Firing], cosines: np.ndarray, usual: float | None) -> list[str]:
    if len(found) < 2:
        return []
    others = np.where(np.eye(len(found), dtype=bool), -np.inf, cosines)
    a, b = sorted(np.unravel_index(int(others.argmax()), others.shape))
    named = {"a": _short(found[a].word), "b": _short(found[b].word), "cosine": float(cosines[a, b])}
    if usual is None:
        return [t("Nearest to each other of your words are “{a}” and “{b}”: cosine {cosine:.2f}.", **named)]
    if round(named["cosine"], 2) > round(usual, 2):
        return [
            t(
                "Nearest to each other of your words are “{a}” and “{b}”: cosine {cosine:.2f}, more than the nearest two of {n} words by lot from its "
                "vocabulary have 95 times in 100 (below {usual:.2f}).",
                usual=usual, n=len(found), **named,
            )
        ]  # fmt: skip
    return [
        t(
            "No two of your words are nearer than chance: “{a}” and “{b}” have {cosine:.2f}, and the nearest two of {n} words by lot from its vocabulary "
            "have {usual:.2f} or more 5 times in 100.",
            usual=usual, n=len(found), **named,
        )
    ]  # fmt: skip


def _read(found: list[Firing]) -> list[str]:
    if not all(firing.exact for firing in found):
        return []
    lines = []
    whole = [f for f in found if (top := _top(f)) and top.share >= BY_HEART and len(f.letters) == top.last - top.first + 1]
    if whole:
        words = ", ".join(f"“{_short(f.word)}” ({_top(f).share:.0%})" for f in whole)
        lines.append(
            t("Known by heart, with a window over the whole word as the largest part of the vector: {words}.", words=words)
        )
    dumb = [f for f in found if 1 - f.unlettered <= UNREAD and not any(abs(w.share) > UNREAD for w in f.windows if w.lettered)]
    if dumb:
        words = ", ".join(f"“{_short(f.word)}”" for f in dumb)
        lines.append(
            t(
                "No window with a letter of {words} counts: the model cannot read that, and gives all such words nearly one vector.",
                words=words,
            )
        )
    told = {id(f) for f in (*whole, *dumb)}  # equal spellings may stand there twice, and arrays have no one truth value
    pieces = [f for f in found if id(f) not in told and _top(f)]
    if pieces:
        least = min(pieces, key=lambda f: 1 - f.unlettered)
        lines.append(
            t(
                "“{word}” is read in pieces, most of all “{window}” ({share:+.0%}); all its letters together give {letters:.0%} of the vector, the rest "
                "is the same for every word.",
                word=_short(least.word), window=escape(_top(least).text), share=_top(least).share, letters=1 - least.unlettered,
            )
        )  # fmt: skip
    return lines


def reading_guide(firing: Firing) -> str:
    """How the picture of windows is to be read, and what is not in it (Markdown without user text)."""
    guide = t(
        "Every filter looks for one run of letters and answers where it finds it best; ‹ and › mark a word's beginning and end. Above: what each letter "
        "gives, by width of window; below: the strongest windows."
    )
    if firing.exact:
        parts = t(
            "Shares are exact: with {rest:+.0%} that no letter gives (the bias, and windows with marks alone) they sum to 100 %. Orange speaks against.",
            rest=firing.unlettered,
        )
    else:
        parts = t(
            "This model mixes the filters' answers in a highway layer, so no share is exact: shown is how strongly the filters answered."
        )
    cut = t("A token has room for 48 bytes; characters behind them are not read: {n:,}.", n=firing.cut) if firing.cut else ""
    return " ".join(part for part in (guide, parts, cut) if part)


def _top(firing: Firing):
    return next((window for window in firing.windows if window.lettered), None)


def _short(word: str) -> str:
    return escape(word if len(word) <= 24 else word[:23] + "…")
