"""Substitutes of words in their places: ranking, reliability, sorting of concordances, and replacement in the text.

Substitutes are weak for function words, names, and the first or last token of a sentence, where one direction has no context.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..common.config import NEIGHBORS
from ..common.directions import unit
from ..text import languages
from ..text.readings import WordInContext
from ..text.sentences import as_in_text
from ..text.target_word import candidates
from ..text.tokens import bare
from .language_model import Prediction
from .substitutes import BACKWARD, BOTH, FORWARD, Substitutes

TEN, MASS = 10, 0.25  # expected words, and the probability that they have together where they are good
READ_AT_ONCE = 128  # sentences between two reports
GRAMMAR, NAME, FIRST, LAST, ALONE = "grammar", "name", "first", "last", "alone"


@dataclass(frozen=True, slots=True)
class InPlace:
    """A word in its place with its substitutes."""

    word: WordInContext
    direction: str
    substitutes: tuple[Prediction, ...]  # best first
    weak: str  # why they may be: GRAMMAR, NAME, FIRST, LAST, ALONE, or ""
    is_good: bool  # whether they are good enough to be shown unasked


def in_place(
    substitutes: Substitutes,
    words: Sequence[WordInContext],
    k: int = NEIGHBORS,
    *,
    direction: str = BOTH,
    common: bool = False,
    read: Sequence[np.ndarray] = (),
) -> tuple[InPlace, ...]:
    """Return the k likeliest substitutes of each word. `read` holds the sentences' layers (L, T, D), if already computed."""
    if not words:
        return ()
    places = substitutes.model.encoder.around([list(word.tokens) for word in words], [word.position for word in words], read)
    number = max(k, TEN) if k > 0 else k  # a number below 1 is refused as it was given
    likeliest = substitutes.likeliest(places, [word.word for word in words], number, direction=direction, common=common)
    weak = [weakness(word, direction) for word in words]
    return tuple(
        InPlace(word, direction, best[:k], why, are_good(best, why)) for word, best, why in zip(words, likeliest, weak, strict=True)
    )


def are_good(best: Sequence[Prediction], weak: str) -> bool:
    """Return whether expected words, best first, are good enough to be shown.

    The TEN likeliest must have a probability of at least MASS together, and `weakness` must be empty.
    """
    return not weak and sum(word.probability for word in best[:TEN]) >= MASS


def by_substitutes(
    substitutes: Substitutes, words: Sequence[WordInContext], report: Callable[[int, int, float], None] | None = None
) -> np.ndarray:
    """Return an order (n,) in which words with similar substitutes are neighbors: the leaves of average linkage.

    Calls `report(sentences done, total, sentences per second)`.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(words) < 3:
        return np.arange(len(words))
    started, vectors = time.monotonic(), []
    for first in range(0, len(words), READ_AT_ONCE):
        if report:
            report(first, len(words), first / max(time.monotonic() - started, 1e-9))
        part = words[first : first + READ_AT_ONCE]
        places = substitutes.model.encoder.around([list(word.tokens) for word in part], [word.position for word in part])
        vectors.append(substitutes.vectors(places, [word.word for word in part]))
    return leaves_list(linkage(unit(np.concatenate(vectors)), "average"))


def weakness(word: WordInContext, direction: str = BOTH) -> str:
    """Return the reason why a word's substitutes may be unreliable, or ""."""
    spelled = [k for k, token in enumerate(word.tokens) if any(map(str.isalnum, bare(token)))]
    if spelled == [word.position]:
        return ALONE
    if word.position not in {candidate.position for candidate in candidates(word.tokens, languages.in_use())}:
        return GRAMMAR
    if word.is_name:
        return NAME
    if word.position == spelled[0] and direction != BACKWARD:
        return FIRST
    return LAST if word.position == spelled[-1] and direction != FORWARD else ""


def put_in(text: str, tokens: Sequence[str], position: int, word: str) -> tuple[str, int]:
    """Return the text with another word in a token's place, capitalized like the token, and the word's position in it.

    >>> put_in("Banks lend  money.", ["Banks", "lend", "money", "."], 0, "companies")
    ('Companies lend  money.', 0)
    """
    pieces = as_in_text(tokens, text)
    original = "".join(pieces)
    start = len("".join(pieces[:position])) + len(pieces[position]) - len(pieces[position].lstrip())
    end = len("".join(pieces[: position + 1]))
    begins = not any(map(str.isalnum, original[:start]))
    capital = begins and original[start].isupper() and word[:1].islower()
    rest = text[len(original) :] if text.startswith(original) else ""
    changed = original[:start] + (word[:1].upper() + word[1:] if capital else word) + original[end:] + rest
    return changed, _token_at(changed, start)


def _token_at(text: str, place: int) -> int:
    """Return the number of the token that contains a character of a text."""
    end = 0
    pieces = as_in_text(languages.tokenize(text), text)
    for k, piece in enumerate(pieces):
        end += len(piece)
        if place < end:
            return k
    return max(0, len(pieces) - 1)
