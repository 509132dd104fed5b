"""What a word that somebody types by itself is a form of, and which words of a text are forms of a Korean verb."""

from collections.abc import Sequence
from functools import lru_cache

from ..common import i18n
from . import languages
from .morphemes import analyzed, has_hangul, morphemes
from .word_in_question import MAKES_VERBS, NOUNS, OTHER, VERBS, lemmas, words_of


@lru_cache(maxsize=65_536)
def dictionary_forms(word: str) -> tuple[str, ...]:
    """What a word typed by itself may be a form of, as a dictionary lists it: by its Korean morphemes, or its English ending.

    A doubtful one is left out: English words in -ing are nouns as often ("evening").

    >>> dictionary_forms("먹었다"), dictionary_forms("눈이"), dictionary_forms("공부했어요"), dictionary_forms("jaguars")
    (('먹다',), ('눈',), ('공부하다', '공부'), ('jaguar',))
    """
    if not has_hangul(word):
        known = words_of(languages.get_language(i18n.ENGLISH))
        return () if word.endswith(("ing", "er", "est")) else tuple(lemma for lemma in lemmas(word, known) if lemma not in known.function)
    parts = [part for item in analyzed(morphemes(word)) if item for part in item.parts]
    (stem, tag), (after, of) = (*parts, ("", ""), ("", ""))[:2]
    if tag in VERBS:
        return (f"{stem}다",)
    result = (f"{stem}{after}다" * (of in MAKES_VERBS), stem) if tag in (*NOUNS, *OTHER) else ()
    return tuple(item for item in result if item and item != word)


def forms_among(words: Sequence[str], verb: str) -> list[int]:
    """Which of many Korean pieces are forms of a verb, such as 갔, 가는 and 간 of 가다: their numbers. A form begins as the verb does."""
    if (onset := _onset(verb)) < 0:
        return []
    return [k for k, word in enumerate(words) if word and _onset(word) == onset and verb in dictionary_forms(word)]


def is_form(tokens: Sequence[str], k: int, verb: str) -> bool:
    """Whether a sentence's token is a form of a Korean verb, as the whole sentence has it: 먹 by itself may be the ink."""
    read = analyzed(tokens)[k]
    return read is not None and read.parts[0][1] in VERBS and f"{read.parts[0][0]}다" == verb


def _onset(word: str) -> int:
    """The first consonant of a Korean word, as a number; below 0 of one in other letters."""
    place = ord(word[0]) - 0xAC00
    return place // 588 if 0 <= place < 11_172 else -1
