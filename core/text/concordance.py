"""Search in a corpus and show each find in its context (keyword in context), without any model.

Every token is the number of its word in alphabetical order, so that a search compares whole columns of numbers and a sort
by context needs no text. A pattern is tried once on each distinct word, within bounds that no pattern can break.
"""

import re
import time
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice

import numpy as np

from core.common.errors import BadInput
from core.common.i18n import t
from core.text.composed import composed
from core.text.composed import folded as fold
from core.text.languages import tokenize
from core.text.sentences import Sentence

MAX_QUERY = 200  # characters
MAX_WORDS = 12  # of a phrase
LONGEST = 40  # letters of a word that a pattern is tried on
MAX_WAYS = 100_000  # in which a pattern may be laid on a word: what bounds the time of one trial
MAX_SECONDS = 2.0  # for all distinct words
IN_TEXT, BY_LEFT, BY_RIGHT = "text", "left", "right"
BY_SUBSTITUTES = "substitutes"  # which need a model: core.elmo.in_place.by_substitutes
EQUALLY = 3  # words that may share the first place beside a find
SORT_DEPTH = 4  # words on the side that is sorted by
_REPEAT = re.compile(r"[*+?]|\{(\d*)(,?)(\d*)\}")


@dataclass(frozen=True, slots=True)
class Hits:
    """Where a search found something: numbers of the first tokens, in the order asked for, and how many words each spans."""

    first: np.ndarray  # (n,) int64
    length: np.ndarray  # (n,) int64

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True)
class Line:
    """A find as a person reads it: what stands before it in its sentence, itself, what follows, and its document."""

    left: tuple[str, ...]
    words: tuple[str, ...]
    right: tuple[str, ...]
    sentence: int  # its number in the corpus, from 0
    document: str
    text: str | None = None  # the sentence as written (core.text.sentences)


class Concordance:
    """A corpus made ready to be searched; nothing of it is changed by a search."""

    def __init__(self, sentences: list[Sentence], unnamed: str = "") -> None:
        """`unnamed` is the name of the document of sentences that have none."""
        self.sentences = sentences
        lengths = np.array([len(sentence.tokens) for sentence in sentences], np.int64)
        self.starts = np.concatenate([[0], np.cumsum(lengths)])  # (S + 1,)
        folded: dict[str, str] = {}
        numbers: dict[str, int] = {}
        codes = np.empty(self.starts[-1], np.int32)
        for k, token in enumerate(token for sentence in sentences for token in sentence.tokens):
            word = folded.get(token)
            if word is None:
                word = folded[token] = fold(token)
            codes[k] = numbers.setdefault(word, len(numbers))
        self.words = sorted(numbers)
        self.number = {word: k for k, word in enumerate(self.words)}
        order = np.array([self.number[word] for word in numbers], np.int32)  # from first come to alphabetical
        self.codes = order[codes] if len(codes) else codes  # (N,)
        self.sentence_of = np.repeat(np.arange(len(sentences)), lengths)  # (N,)
        names = [sentence.document or unnamed for sentence in sentences]
        self.documents = list(dict.fromkeys(names))
        place = {name: k for k, name in enumerate(self.documents)}
        self.document_of = np.array([place[name] for name in names], np.int32)[self.sentence_of]  # (N,)

    def find(self, query: str, *, pattern: bool = False, documents: list[str] | None = None) -> Hits:
        """All finds in the order of the text; letter case does not matter.

        A plain query is a word or a phrase; a pattern has a regular expression a word, separated by spaces. `documents`
        keeps those of these names. BadInput for nothing to search for, or a pattern that is wrong or could take too long.
        """
        query = composed(query)
        if not query.strip():
            raise BadInput(t("Nothing to search for. Type a word."))
        if len(query) > MAX_QUERY:
            raise BadInput(t("{n:,} characters; search for at most {most}.", n=len(query), most=MAX_QUERY))
        if pattern:
            ways = [[self._matching(part) for part in _parts(query.split())]]
        else:  # as our tokens are, and as those of a file that brings its own may be
            phrases = dict.fromkeys((tuple(tokenize(query)), tuple(query.split()), (query.strip(),)))
            ways = [[self._equal(part) for part in _parts(phrase)] for phrase in phrases]
        length_at: dict[int, int] = {}
        for masks in ways:
            length_at |= dict.fromkeys(self._spans(masks).tolist(), len(masks))
        first = np.array(sorted(length_at), np.int64)
        length = np.array([length_at[k] for k in first.tolist()], np.int64)
        if documents:
            kept = np.isin(self.document_of[first], [k for k, name in enumerate(self.documents) if name in documents])
            first, length = first[kept], length[kept]
        return Hits(first, length)

    def ordered(self, hits: Hits, by: str) -> Hits:
        """The finds sorted by the words before them (`BY_LEFT`, the nearest first) or after them (`BY_RIGHT`)."""
        if by == IN_TEXT or not len(hits):
            return hits
        keys = [self._beside(hits, -k if by == BY_LEFT else k) for k in range(SORT_DEPTH, 0, -1)]
        order = np.lexsort(keys)  # by the last key first; stable, so that ties stay in the order of the text
        return Hits(hits.first[order], hits.length[order])

    def lines(self, hits: Hits, most: int) -> list[Line]:
        """The first `most` finds in their sentences."""
        lines = []
        for first, length in zip(hits.first[:most].tolist(), hits.length[:most].tolist(), strict=True):
            number = int(self.sentence_of[first])
            tokens, text = self.sentences[number].tokens, self.sentences[number].text
            k = first - int(self.starts[number])
            document = self.documents[self.document_of[first]]
            lines.append(Line(tokens[:k], tokens[k : k + length], tokens[k + length :], number, document, text))
        return lines

    def by_document(self, hits: Hits) -> list[tuple[str, int, int]]:
        """(document, finds in it, tokens of it), in the order of the corpus."""
        n = len(self.documents)
        hits_in = np.bincount(self.document_of[hits.first], minlength=n)
        tokens_in = np.bincount(self.document_of, minlength=n)
        return list(zip(self.documents, hits_in.tolist(), tokens_in.tolist(), strict=True))

    def by_stretch(self, hits: Hits, stretches: int = 10) -> list[int]:
        """How many finds begin in each of so many equal stretches of the corpus."""
        return np.bincount(hits.first * stretches // max(1, len(self.codes)), minlength=stretches).tolist()

    def commonest_beside(self, hits: Hits, step: int) -> tuple[list[str], int] | None:
        """The words (no marks) that stand most often `step` words after the finds (before them, if negative), and how often each. None
        where no word does, or more than EQUALLY equally often."""
        codes = self._beside(hits, step)
        counts = np.bincount(codes[codes >= 0], minlength=1)
        order = (int(code) for code in np.argsort(-counts, kind="stable") if counts[code])
        words = [code for code in islice(order, 20 + EQUALLY) if any(map(str.isalpha, self.words[code]))]
        commonest = [code for code in words if counts[code] == counts[words[0]]]
        return ([self.words[code] for code in commonest], int(counts[commonest[0]])) if 0 < len(commonest) <= EQUALLY else None

    def like(self, query: str) -> list[str]:
        """Words of the corpus spelt nearly like the query, to be proposed where it is not found."""
        word = fold(query.strip())[:LONGEST]
        near = [other for other in self.words if other[:1] == word[:1] and abs(len(other) - len(word)) < 4]
        return get_close_matches(word, near[:5_000], n=3, cutoff=0.7)

    def _spans(self, masks: list[np.ndarray]) -> np.ndarray:
        """Where tokens follow each other, in one sentence, that pass these masks over words: (n,) first tokens."""
        places = len(self.codes) - len(masks) + 1
        if places < 1:
            return np.empty(0, np.int64)
        first = np.flatnonzero(masks[0][self.codes[:places]])
        for k, mask in enumerate(masks[1:], start=1):
            first = first[mask[self.codes[first + k]]]
        return first[self.sentence_of[first] == self.sentence_of[first + len(masks) - 1]]

    def _beside(self, hits: Hits, step: int) -> np.ndarray:
        """Word numbers `step` tokens after the finds' ends (or before their beginnings), -1 beyond the sentence: (n,)."""
        at = hits.first + step if step < 0 else hits.first + hits.length - 1 + step
        inside = (at >= 0) & (at < len(self.codes))
        at = np.where(inside, at, hits.first)
        return np.where(inside & (self.sentence_of[at] == self.sentence_of[hits.first]), self.codes[at], -1)

    def _equal(self, word: str) -> np.ndarray:
        mask = np.zeros(len(self.words), bool)
        if (code := self.number.get(fold(word))) is not None:
            mask[code] = True
        return mask

    def _matching(self, pattern: str) -> np.ndarray:
        """Which words a regular expression matches from end to end, (words,) bool."""
        matches = checked_pattern(pattern).fullmatch
        until = time.perf_counter() + MAX_SECONDS
        mask = np.zeros(len(self.words), bool)
        for k, word in enumerate(self.words):
            if len(word) <= LONGEST:
                mask[k] = matches(word) is not None
                if time.perf_counter() > until:
                    raise BadInput(t("{pattern} takes too long. Simplify it.", pattern=pattern))
        return mask


def checked_pattern(pattern: str) -> re.Pattern[str]:
    """A regular expression whose trial on one word is bounded; BadInput for one that is wrong or could run on for ever.

    Time explodes where repeats can share out the same letters in many ways: so no group is repeated, and the ways of all
    repeats and alternatives together are at most MAX_WAYS. Look-arounds and back-references are left out.
    """
    try:
        compiled = re.compile(pattern, re.IGNORECASE)
        ways = _ways(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInput(t("{pattern} is no regular expression: {error}.", pattern=pattern, error=str(error))) from None
    if ways is None or ways > MAX_WAYS:
        raise BadInput(t("{pattern} could take too long: at most three * or +, none after ), no (?...) or \\1.", pattern=pattern))
    return compiled


def _ways(pattern: str) -> int | None:
    """In how many ways a valid pattern can be laid on a word at most; None for what is not allowed."""
    ways = 1
    k = 0
    before = ""
    while k < len(pattern):
        sign = pattern[k]
        repeat = _REPEAT.match(pattern, k)
        if sign == "\\":
            if pattern[k + 1].isdigit() and pattern[k + 1] != "0":
                return None
            k = k + 2
            before = "x"
        elif sign == "[":
            k = _behind_set(pattern, k)
            before = "x"
        elif repeat:
            if before == ")" and sign != "?":
                return None
            if before != "repeat":  # behind another repeat, ? and + only say how it goes about it
                ways *= _spread(repeat)
            k = repeat.end()
            before = "repeat"
        else:
            if pattern.startswith("(?", k) and not pattern.startswith("(?:", k):
                return None
            ways *= 2 if sign == "|" else 1
            k = k + (3 if pattern.startswith("(?:", k) else 1)
            before = sign
    return ways


def _spread(repeat: re.Match[str]) -> int:
    """How many lengths a repeat can have on a word of LONGEST letters."""
    if not repeat[0].startswith("{"):
        return 2 if repeat[0] == "?" else LONGEST
    least = int(repeat[1] or 0)
    most = repeat[3] if repeat[2] else repeat[1]
    return max(1, min(LONGEST, int(most or LONGEST)) - least + 1)


def _behind_set(pattern: str, k: int) -> int:
    """The place behind a character set that begins at k."""
    k += 2 if pattern.startswith("[^", k) else 1
    k += pattern.startswith("]", k)
    while pattern[k] != "]":
        k += 2 if pattern[k] == "\\" else 1
    return k + 1


def _parts(words) -> list[str]:
    if not 0 < len(words) <= MAX_WORDS:
        raise BadInput(t("{n} words; search for 1 to {most}.", n=len(words), most=MAX_WORDS))
    return list(words)
