"""Match a part of a query with the words of a corpus: one word, the forms of a lemma, letters with * for any, or a regular expression.

Regular expressions are RE2's (through Arrow), without look-around and back-references: their time is linear in the text. They are matched with
the distinct words, not with the tokens.
"""

import re
import time
from bisect import bisect_left
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..common.errors import BadInput
from ..common.i18n import ENGLISH, t
from ..text.morphemes import has_hangul
from ..text.normalization import fold_case
from ..text.readings import forms_among
from ..text.target_word import lemmas, words_of
from ..text.tokens import bare
from .encoded import EncodedCorpus

ANY = "*"  # within a word any letters, alone any word
MAX_SECONDS = 2.0  # for all distinct words
PART = 4_000  # words between two checks of the time
# Forms of auxiliary verbs, which the language's lists have only among its function words.
FORMS = {
    "be": ("am", "is", "are", "was", "were", "been", "being", "'m", "'re"),
    "have": ("has", "had", "having", "'ve"),
    "do": ("does", "did", "done", "doing"),
}
_UNICODE = {"w": r"\p{L}\p{M}\p{N}_", "d": r"\p{Nd}"}  # RE2's own mean ASCII


def match_word(corpus: EncodedCorpus, word: str) -> np.ndarray:
    """Return (words,) bool: which is that word, ignoring letter case."""
    mask = np.zeros(len(corpus.words), bool)
    if (number := corpus.number.get(fold_case(bare(word)))) is not None:
        mask[number] = True
    return mask


def match_wildcard(corpus: EncodedCorpus, word: str) -> np.ndarray:
    """Return (words,) bool: which match a word with * in it."""
    if word == ANY:
        return np.ones(len(corpus.words), bool)
    return _matching(corpus.words, ".*".join(map(re.escape, fold_case(bare(word)).split(ANY))), word)


def match_lemma(corpus: EncodedCorpus, lemma: str) -> np.ndarray:
    """Return (words,) bool: which are the lemma or may be its forms, by the language's irregular forms and regular endings."""
    wanted = fold_case(bare(lemma))
    mask = match_word(corpus, wanted)
    words = corpus.word_list
    if has_hangul(wanted):
        mask[forms_among(words, wanted)] = True
        return mask
    lists = words_of(corpus.language)
    beginning = wanted[: max(1, len(wanted) - 2)]
    first = bisect_left(words, beginning)
    for k in range(first, bisect_left(words, beginning + "\U0010ffff", first)):
        if wanted in lemmas(words[k], lists):
            mask[k] = True
    irregular = [form for form, bases in lists.forms.items() if wanted in bases]
    for form in (*irregular, *(FORMS.get(wanted, ()) if corpus.language.code == ENGLISH else ())):
        mask |= match_word(corpus, form)
    return mask


def match_pattern(corpus: EncodedCorpus, pattern: str) -> np.ndarray:
    """Return (words,) bool: which a regular expression matches completely. Raises BadInput for one that is invalid, not RE2's, or too slow."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInput(
            t("{pattern} is not a regular expression: {error}. Correct it, or search for words.", pattern=pattern, error=str(error))
        ) from None
    return _matching(corpus.words, _with_unicode(pattern), pattern)


def _matching(words: pa.Array, pattern: str, typed: str) -> np.ndarray:
    until = time.perf_counter() + MAX_SECONDS
    parts = []
    try:
        for start in range(0, max(1, len(words)), PART):
            matched = pc.match_substring_regex(words.slice(start, PART), f"^(?:{pattern})$", ignore_case=True)
            parts.append(matched.to_numpy(zero_copy_only=False))
            if time.perf_counter() > until:
                raise BadInput(t("{pattern} takes too long. Simplify it.", pattern=typed))
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        raise BadInput(_explain(typed, str(error))) from None
    return np.concatenate(parts)


def _explain(pattern: str, message: str) -> str:
    if "too large" in message or "repetition" in message:
        return t("{pattern} could take too long: repeat at most 1,000 times.", pattern=pattern)
    return t("{pattern} could take too long: use no look-around and no \\1.", pattern=pattern)


@lru_cache(maxsize=256)
def _with_unicode(pattern: str) -> str:
    """Return the pattern with letters and digits of every script in place of \\w and \\d.

    >>> _with_unicode(r"\\d+[\\w-]")
    '[\\\\p{Nd}]+[\\\\p{L}\\\\p{M}\\\\p{N}_-]'
    """
    result, k, inside = [], 0, -1  # `inside`: where a set of characters began
    while k < len(pattern):
        sign, after = pattern[k], pattern[k + 1 : k + 2]
        if sign == "\\" and after:
            letters = _UNICODE.get(after.lower())
            if letters and inside < 0:
                result.append(f"[{'' if after.islower() else '^'}{letters}]")
            else:
                result.append(letters if letters and after.islower() else sign + after)
            k += 2
            continue
        if sign == "[" and inside < 0:
            inside = k + pattern.startswith("[^", k)
        elif sign == "]" and inside >= 0 and k > inside + 1:
            inside = -1
        result.append(sign)
        k += 1
    return "".join(result)
