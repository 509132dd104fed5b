"""Search an encoded corpus for words, lemmas, phrases with wildcards and regular expressions, by comparing columns of numbers."""

import re
import time
import warnings
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice, product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import check_choice
from ..text.morphemes import has_hangul, stems
from ..text.normalization import STRAIGHT, fold_case, plain_signs
from ..text.readings import forms_among
from ..text.target_word import auxiliary_forms, lemmas, verbs_in, words_of
from ..text.tokens import JOINER, bare
from .encoded import EncodedCorpus

MAX_QUERY = 200  # characters, unless it is a word that occurs
MAX_WORDS = 12  # words of a phrase
WORD, LEMMA, PATTERN = "word", "lemma", "pattern"
KINDS = (WORD, LEMMA, PATTERN)
LONGEST_CUT, MOST_CUTS = 12, 64  # the longest Korean word, in letters, and the most ways to cut a query that are tried
LONGEST = 40  # letters of a word that similar spellings are proposed for


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The matches of a search: the numbers of their first tokens, in order, and their lengths in words."""

    first: np.ndarray  # (n,) int64
    length: np.ndarray  # (n,) int64

    def __len__(self) -> int:
        return len(self.first)

    def at(self, places: np.ndarray) -> "Hits":
        """Return some of the hits, by positions or a mask."""
        return Hits(self.first[places], self.length[places])


def find(corpus: EncodedCorpus, query: str, *, kind: str = WORD) -> Hits:
    """Return all hits in the order of the text, ignoring letter case.

    A query is words or lemmas, each in all its forms, where "bank*" matches all that begin so and a lone * any word; or regular expressions,
    one per word. Raises BadInput for an empty query, an invalid pattern, or a lone * that the texts do not have.
    """
    query = plain_signs(query).translate(STRAIGHT)
    if not query.strip():
        raise BadInput(t("Nothing to search for. Type a word."))
    if len(query) > MAX_QUERY and (kind == PATTERN or fold_case(query) not in corpus.number):
        raise BadInput(t("{n:,} characters; search for at most {most}.", n=len(query), most=MAX_QUERY))
    check_choice(t("kind of search"), kind, KINDS)
    if kind == PATTERN:
        readings = [[match_pattern(corpus, part) for part in _parts(query.split())]]
    elif _has_wildcard(query):
        readings = [_match_wildcards(corpus, query, kind)]
    else:  # the query in the language's tokens, and in a file's tokens
        phrases = dict.fromkeys((tuple(corpus.language.tokenize(query)), tuple(query.split()), (query.strip(),)))
        match = match_lemma if kind == LEMMA else match_word
        readings = [[match(corpus, part) for part in _parts(phrase)] for phrase in phrases]
    verb = fold_case(query.strip())
    bare_stems = _find_stems(corpus, verb) if kind == LEMMA and has_hangul(verb) else np.empty(0, np.int64)
    recut = _find_recut(corpus, fold_case(query)) if kind == WORD and has_hangul(query) else ()
    hits = _merged([(bare_stems, 1), *recut, *((_spans(corpus, masks), len(masks)) for masks in readings)])
    if not len(hits) and kind != PATTERN and not set(query) - {ANY, " "}:
        raise BadInput(t("A * alone matches every word. Use it with letters or words: bank* or the * of."))
    return hits


def _match_wildcards(corpus: EncodedCorpus, query: str, kind: str) -> list[np.ndarray]:
    """Return a mask for each word of a query with wildcards. It is tokenized like text if it then has hits, else only at its blanks."""
    tokenize = corpus.language.tokenize
    words = [word for part in query.split() for word in ([part] if ANY in part else tokenize(part))]
    cut = [token.replace(_ANY_LETTERS, ANY) for token in tokenize(query.replace(ANY, _ANY_LETTERS))]  # bank* · 's
    match = match_lemma if kind == LEMMA else match_word
    for phrase in [words] if has_hangul(query) or cut == words else [cut, words]:
        masks = [match_wildcard(corpus, word) if ANY in word else match(corpus, word) for word in _parts(phrase)]
        if len(_spans(corpus, masks)):
            break
    return masks


def similar(corpus: EncodedCorpus, query: str) -> list[str]:
    """Return words of the corpus that are spelled nearly like a query without hits, or for a Korean query words that contain it."""
    word = fold_case(query.strip())[:LONGEST]
    if has_hangul(word) and (longer := [spelling for spelling in corpus.word_list if word in spelling]):
        return sorted(longer, key=len)[:3]
    candidates = [spelling for spelling in corpus.word_list if spelling[:1] == word[:1] and abs(len(spelling) - len(word)) < 4]
    return get_close_matches(word, candidates[:5_000], n=3, cutoff=0.7)


def _has_wildcard(query: str) -> bool:
    """Return whether a query has a wildcard: a * next to a letter or a mark such as #, or a * alone among other words."""
    parts = query.split()
    is_within = any(ANY in part and any(sign.isalnum() or sign in _PREFIXES for sign in part) for part in parts)
    return is_within or (ANY in parts and any(set(part) != {ANY} for part in parts))


def _spans(corpus: EncodedCorpus, masks: list[np.ndarray]) -> np.ndarray:
    """Return the first tokens (n,) of sequences, within a sentence, of words in these masks. A word that is cut in two has both forms."""
    places = len(corpus) - len(masks) + 1
    if places < 1 or not all(mask.any() for mask in masks):
        return np.empty(0, np.int64)
    rarest = int(np.argmin([corpus.frequency[mask].sum() for mask in masks]))  # found first; then the others around it
    mask = masks[rarest]
    wanted = np.flatnonzero(mask)
    codes = corpus.word[rarest : rarest + places]
    first = np.flatnonzero(codes == int(wanted[0]) if len(wanted) == 1 else mask[codes])
    others = corpus.other_at[mask[corpus.other_word]] - rarest
    first = np.union1d(first, others[(others >= 0) & (others < places)]) if len(others) else first
    for k, mask in enumerate(masks):
        if k != rarest:
            is_other_form = np.isin(first + k, corpus.other_at[mask[corpus.other_word]])
            first = first[mask[corpus.word[first + k]] | is_other_form]
    return first[corpus.sentence[first] == corpus.sentence[first + len(masks) - 1]]


def _find_stems(corpus: EncodedCorpus, verb: str) -> np.ndarray:
    """Return the tokens (n,) that are the bare stem of a Korean verb in their sentences: 먹 alone may be the ink."""
    if not verb.endswith("다"):
        return np.empty(0, np.int64)
    places = np.flatnonzero(np.isin(corpus.spelling_array, stems(verb))[corpus.spelling])
    sentences = corpus.sentence[places]
    positions = places - corpus.starts[sentences]
    are_forms = [verb in verbs_in(corpus.tokens(n))[k] for n, k in zip(sentences.tolist(), positions.tolist(), strict=True)]
    return places[np.array(are_forms, bool)]


def _find_recut(corpus: EncodedCorpus, query: str) -> Iterator[tuple[np.ndarray, int]]:
    """Yield the first tokens and the lengths of Korean words that are cut differently in sentences than in the query: 배 · 의."""
    phrases = product(*(list(_cuts(corpus, word)) if len(word) <= LONGEST_CUT else [] for word in query.split()))
    for cuts in islice((cuts for cuts in phrases if sum(map(len, cuts)) <= MAX_WORDS), MOST_CUTS):
        places = _spans(corpus, [match_word(corpus, piece) for cut in cuts for piece in cut])
        are_joined = [n > 0 for cut in cuts for n in range(len(cut))]  # all pieces of a word but its first
        for k, is_joined in enumerate(are_joined):
            spellings = corpus.spelling_array[corpus.spelling[places + k]].tolist()
            places = places[np.array([spelling.startswith(JOINER) == is_joined for spelling in spellings], bool)]
        yield places, sum(map(len, cuts))


def _cuts(corpus: EncodedCorpus, word: str) -> Iterator[tuple[str, ...]]:
    """Yield the ways to cut a word into words of the corpus."""
    if not word:
        yield ()
    for k in range(1, len(word) + 1):
        if word[:k] in corpus.number:
            yield from ((word[:k], *others) for others in _cuts(corpus, word[k:]))


def _merged(readings: list[tuple[np.ndarray, int]]) -> Hits:
    """Merge the hits of several readings of a query in the order of the text. Of two that begin together, the later reading's stays."""
    first = np.concatenate([places for places, _ in readings])
    length = np.concatenate([np.full(len(places), n) for places, n in readings])
    places, last = np.unique(first[::-1], return_index=True)
    return Hits(places.astype(np.int64), length[::-1][last].astype(np.int64))


def _parts(words: Sequence[str]) -> list[str]:
    if not 0 < len(words) <= MAX_WORDS:
        raise BadInput(t("That is {n} words. Search for 1 to {most}.", n=len(words), most=MAX_WORDS))
    return list(words)


ANY = "*"  # within a word any letters, alone any word
_ANY_LETTERS = "\ua66e"  # replaces * while a query is tokenized like text
_PREFIXES = "#$\u00a3\u20ac@"
MAX_SECONDS = 2.0  # for all distinct words
PART = 4_000  # words between two checks of the time
_UNICODE = {"w": r"\p{L}\p{M}\p{N}_", "d": r"\p{Nd}"}  # RE2's own mean ASCII
_IN_SET = _UNICODE | {"W": r"\p{C}\p{Z}\p{S}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}", "D": r"\P{Nd}"}  # a set cannot contain a negated set
_SET = r"\[\^?\]?(?:\\.|[^\]\\])*\]"  # a character set, whose first character may be a bracket


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
    words, lists = corpus.word_list, words_of(corpus.language)
    if has_hangul(wanted):
        mask[forms_among(words, wanted)] = True
        return mask
    beginning = wanted[: max(1, len(wanted) - 2)]
    words = words[bisect_left(words, beginning) : bisect_left(words, beginning + "\U0010ffff")]
    regular = (word for word in words if wanted in lemmas(word, lists))
    irregular = (form for form, bases in lists.forms.items() if wanted in bases)
    for form in (*regular, *irregular, *auxiliary_forms(wanted, corpus.language)):
        mask |= match_word(corpus, form)
    return mask


def match_pattern(corpus: EncodedCorpus, pattern: str) -> np.ndarray:
    """Return (words,) bool: which a regular expression matches completely. Raises BadInput for an invalid, unsupported or slow one."""
    try:
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # about syntax that a later Python may read differently
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
        if "too large" in str(error) or "repetition size" in str(error):
            raise BadInput(t("{pattern} could take too long: repeat at most 1,000 times.", pattern=typed)) from None
        raise BadInput(t("{pattern} is not supported. Use no look-around, \\1, a++, \\Z or (?x).", pattern=typed)) from None
    return np.concatenate(parts)


def _with_unicode(pattern: str) -> str:
    r"""Return the pattern with letters and digits of every script in place of \w and \d, and with ß as the words are stored.

    >>> _with_unicode(r"\d+[\w-]ß")
    '[\\p{Nd}]+[\\p{L}\\p{M}\\p{N}_-](?:ss)'
    """

    def rewrite(part: re.Match) -> str:
        if part[0].startswith("["):
            return re.sub(r"\\.", lambda escape: _IN_SET.get(escape[0][1], escape[0]), part[0], flags=re.DOTALL)
        if not part[0].startswith("\\"):
            return f"(?:{part[0].casefold()})" if len(part[0].casefold()) > 1 else part[0]
        letter = part[0][1]
        letters = _UNICODE.get(letter.lower())
        return f"[{'' if letter.islower() else '^'}{letters}]" if letters else part[0]

    return re.sub(rf"{_SET}|\\.|[^\x00-\x7f]", rewrite, pattern, flags=re.DOTALL)
