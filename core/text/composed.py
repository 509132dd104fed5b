"""One spelling for letters that Unicode spells in several ways (NFC): the door of every text, query, word list and file of vectors.

macOS writes "\u00e9" as e and an accent, and a syllable of Hangul as its letters; they look alike and are the same text, but not the same
characters. What is read is composed; what is shown stays as written, and `places` says where.
"""

import unicodedata
from collections.abc import Sequence


def composed(text: str) -> str:
    """The text in Unicode's composed form.

    >>> composed("cafe\u0301") == "caf\u00e9"
    True
    """
    return text if text.isascii() or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def folded(word: str) -> str:
    """A word as it is compared: composed, letter case aside."""
    return composed(word).casefold()


def places(text: str) -> tuple[str, Sequence[int]]:
    """`composed(text)`, and for each of its characters, and its end, the place in the text as written."""
    whole = composed(text)
    if whole == text:
        return text, range(len(text) + 1)
    edges: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and _combines(text[end]):
            continue
        n = len(composed(text[start:end]))
        edges += range(start, end) if n == end - start else [start, *[end] * (n - 1)]
        start = end
    return whole, [*edges, len(text)]


def _combines(sign: str) -> bool:
    """Whether a character may become one with what stands before it: a mark, or a vowel or a last consonant of Hangul."""
    return unicodedata.category(sign)[0] == "M" or "\u1161" <= sign <= "\u1175" or "\u11a8" <= sign <= "\u11c2"
