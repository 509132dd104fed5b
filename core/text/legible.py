r"""Text as it is read, and where each of its characters is in the text as written.

Signs are read in their plain form (core.text.composed). A word that the end of a line has cut in two is read as one word: "impor-" and
"tance" as "importance". Its hyphen may be a real one ("well-" and "known"), so that whoever knows the language, or the corpus, chooses.
Where lines are joined, CUT remains in the place of such a line end.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import category

from .composed import SIGNS, composed, has_signs, plain_sign, plain_signs

CUT = "-\u200b"  # a hyphen at which a line ended
SOFT = "\u00ad"
# Letters of the scripts that set hyphens at the ends of lines: not Hangul, Chinese, Japanese, Thai.
LETTER = r"[^\W\d_\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]"
_END = r"[ \t]*[\r\n\u2028]\s*"
_CUTS = re.compile(
    rf"(?:(?<={LETTER})|(?<=[\u0300-\u036f]))(?:[\u00ad\u00ac\x02]{_END}|[-\u2010]{SOFT}?(?:\u200b|{_END}|[ \t\u00a0]+))(?={LETTER})",
    re.IGNORECASE,
)
_MAY_BE_CUT = re.compile("[-\u2010\u00ad\u00ac\x02][\\s\u200b\u00ad]")  # the same, sought faster
_LEFT = re.compile(rf"(?:{LETTER}|[{SOFT}\u200b-\u200d\u0300-\u036f]|[-\u2010](?={LETTER}))*\Z")
_RIGHT = re.compile(rf"(?:{LETTER}|[{SOFT}\u200b-\u200d\u0300-\u036f]|[-\u2010](?={LETTER}))*")
_LONGEST = 60  # letters of a word, on either side
_LINKS = frozenset(("and", "or", "to"))  # pre- and post-war


@dataclass(frozen=True, slots=True)
class CutWord:
    """A word in two parts, at a hyphen that may be that of a line's end."""

    start: int  # of the hyphen in the text
    end: int  # of what stands between the parts
    left: str
    right: str
    is_soft: bool  # a soft hyphen: never a part of the word
    is_line_end: bool  # not a mere blank

    @property
    def unhyphenated(self) -> str:
        return self.left + self.right

    @property
    def is_name(self) -> bool:
        """Whether a capital after the hyphen says that it is a real one: "Anglo-" and "Saxon"."""
        return self.right[:1].isupper() and not self.left.isupper()

    @property
    def hyphened(self) -> str:
        return f"{self.left}-{self.right}"


Choice = Callable[[CutWord], bool]  # whether the word is read without its hyphen


def keep_hyphen(word: CutWord) -> bool:
    """Choose the word with its hyphen, which nobody knows better."""
    return word.is_soft


@dataclass(frozen=True, slots=True)
class Legible:
    """A text as it is read."""

    text: str
    begins: Sequence[int]  # of each character, its first place in the text as written
    ends: Sequence[int]  # and the place behind it

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where the characters from `start` to `end` are in the text as written."""
        return self.begins[start], self.ends[end - 1]


def legible(text: str, choose: Choice = keep_hyphen) -> str:
    """Return the text as it is read.

    >>> legible("bank\\u00ading hours"), legible("coun-\\ncil", lambda word: True)
    ('banking hours', 'council')
    """
    edits = list(_cut_edits(text, choose))
    return _edited(text, edits) if edits else plain_signs(text)


def read(text: str, choose: Choice = keep_hyphen) -> Legible:
    """Return the text as `legible` does, with the place of each character."""
    edits = list(_cut_edits(text, choose))
    if not edits and not has_signs(text):
        whole, begins, ends = composed(text), range(len(text)), range(1, len(text) + 1)
        return Legible(text, begins, ends) if whole == text else _composed(text, whole, begins, ends)
    edits = sorted([*edits, *(edit for edit in _sign_edits(text) if not any(a < edit[1] and edit[0] < b for a, b, _ in edits))])
    plain, begins, ends, at = [], [], [], 0
    for start, end, new in [*edits, (len(text), len(text), "")]:
        plain += [text[at:start], new]
        begins += range(at, start)
        ends += range(at + 1, start + 1)
        if new:
            begins += [start, *[end] * (len(new) - 1)]
            ends += [end] * len(new)
        at = end
    edited = "".join(plain)
    whole = composed(edited)
    return Legible(edited, begins, ends) if whole == edited else _composed(edited, whole, begins, ends)


def cut_words(text: str) -> Iterator[CutWord]:
    """Yield the words that a line's end, or what was once one, has cut in two."""
    for match in _CUTS.finditer(text) if _MAY_BE_CUT.search(text) else ():
        sign, between = text[match.start()], match[0][1:]
        is_soft = sign not in "-\u2010"
        left = plain_signs(_LEFT.search(text, max(0, match.start() - _LONGEST), match.start())[0])
        right = plain_signs(_RIGHT.match(text, match.end(), match.end() + _LONGEST)[0])
        if not left or not right or (right.casefold() in _LINKS and not is_soft and "\u200b" not in between):
            continue
        is_line_end = is_soft or bool(between.strip(" \t\u00a0\u00ad"))
        yield CutWord(match.start(), match.end(), left, right, is_soft, is_line_end)


def _cut_edits(text: str, choose: Choice) -> Iterator[tuple[int, int, str]]:
    for word in cut_words(text):
        if choose(word):
            yield word.start, word.end, ""
        elif word.is_line_end:
            yield word.start, word.end, "-"


def _sign_edits(text: str) -> Iterator[tuple[int, int, str]]:
    return ((match.start(), match.end(), plain_sign(match)) for match in SIGNS.finditer(text))


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for start, end, new in edits:
        parts += [text[at:start], new]
        at = end
    return plain_signs("".join([*parts, text[at:]]))


def _composed(text: str, whole: str, begins: Sequence[int], ends: Sequence[int]) -> Legible:
    """Return the composed text with the places that its letters and their accents had apart."""
    firsts: list[int] = []
    lasts: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and _combines(text[end]):
            continue
        n = len(composed(text[start:end]))
        if n == end - start:
            firsts += begins[start:end]
            lasts += ends[start:end]
        else:
            firsts += [begins[start], *[ends[end - 1]] * (n - 1)]
            lasts += [ends[end - 1]] * n
        start = end
    return Legible(whole, firsts, lasts)


def _combines(sign: str) -> bool:
    """Whether a character may become one with what stands before it: a mark, or a vowel or a last consonant of Hangul."""
    return category(sign)[0] == "M" or "\u1161" <= sign <= "\u1175" or "\u11a8" <= sign <= "\u11c2"
