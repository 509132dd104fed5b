r"""Read text in one spelling: letters and their accents, ligatures, hyphens, invisible characters, words cut at the end of a line.

macOS writes "\u00e9" as e and an accent, and a syllable of Hangul as its letters. Text from PDF files, e-books and web pages has soft
hyphens and zero-width spaces within its words. Such spellings look alike but are different characters. Text is read and compared in one
spelling, and shown as written.

A word that the end of a line has cut in two is read as one word: "impor-" and "tance" as "importance". Its hyphen may be a real one ("well-"
and "known"), so that the language, or the corpus, chooses. Where lines are joined, a hyphen and \u200b remain in place of such a line end.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

JOINER = "\u2060"  # no width, no break: at the edge of a token that was joined to its neighbor
# Characters without width: controls, soft hyphens, joiners, marks of direction, byte order marks, tags, fillers.
INVISIBLE = (
    "\x01-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_BLANKS = "\x00\u2800\u3164\uffa0\ufffc"  # that look like blanks, or mark a picture
_SELECTORS = "\ufe00-\ufe0f"  # that choose a letter's form; behind a symbol or a digit they make an emoji
_LIGATURES = (  # as fonts, not writers, use them: \ufb01, Arabic forms, Han radicals, wide and mathematical letters and digits
    "\ufb00-\ufdff\ufe70-\ufefc\u2f00-\u2fd5\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff"
)
_HYPHENS = "\u2010\u2011"
STRAIGHT = str.maketrans({**dict.fromkeys("\u2019\u2018\u02bc\uff07\u00b4", "'"), "\u201c": '"', "\u201d": '"'})  # quotation marks
_EMOJI = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_BETWEEN_WORDS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese and Khmer part words by spaces without width
_SIGN = f"{INVISIBLE}{_BLANKS}{_SELECTORS}{_LIGATURES}{_HYPHENS}"
SIGNS = re.compile(
    rf"(?P<emoji>(?<=[{_EMOJI}])\u200d(?=[{_EMOJI}]))|(?P<blank>[{_BLANKS}]|(?<=[{_BETWEEN_WORDS}])\u200b(?=[{_BETWEEN_WORDS}]))"
    rf"|(?P<hyphen>[{_HYPHENS}])|(?P<ligature>[{_LIGATURES}])|(?P<selector>[{_SELECTORS}])|[{INVISIBLE}]"
)
_HAS_SIGNS = re.compile(f"[{_SIGN}]")  # the same signs, found faster
_TO_COMPARE = re.compile(f"[{_SELECTORS}]")

SOFT = "\u00ad"
# Letters of the scripts that set hyphens at the ends of lines: not Hangul, Chinese, Japanese, Thai.
LETTER = r"[^\W\d_\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]"
_END = r"[ \t]*[\r\n\u2028]\s*"
_BREAK = rf"(?:{_END}|[ \t\u00a0]+)"
_CUTS = re.compile(
    rf"(?:(?<={LETTER})|(?<=[\u0300-\u036f]))(?:[\u00ad\u00ac\x02]{_BREAK}|[-\u2010]{SOFT}?(?:\u200b|{_BREAK})|\u2011(?:\u200b|{_END}))(?={LETTER})",
    re.IGNORECASE,
)
_MAY_BE_CUT = re.compile("[-\u2010\u2011\u00ad\u00ac\x02][\\s\u200b\u00ad]")  # the same, found faster
_LEFT = re.compile(rf"(?:{LETTER}|[{SOFT}\u200b-\u200d\u0300-\u036f]|[-\u2010](?={LETTER}))*\Z")
_RIGHT = re.compile(rf"(?:{LETTER}|[{SOFT}\u200b-\u200d\u0300-\u036f]|[-\u2010](?={LETTER}))*")
_LONGEST = 60  # letters of a word, on either side
_LINKS = frozenset(("and", "or", "to"))  # pre- and post-war
_RAISED = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"  # digits
# Marks at the edges of words: _emphasis_ as in Project Gutenberg's books, and the numbers of notes, but not km\u00b2.
_MARKS = re.compile(
    "(?<![^\\s(\\[\"'\u201c\u2018\u2014\u2013*-])_(?=[^\\W_])"
    "|(?<=[^\\W_]|[.,;:!?)\u2026\u201d\u2019])_(?![^\\s.,;:!?)\\]\"'\u201d\u2019\u2014\u2013*-])"
    f"|(?:(?<=[^\\W\\d_{_RAISED}]{{3}})|(?<=[.,;:!?\"'\u201d\u2019\u00bb\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]))[{_RAISED}][{_RAISED}\u207b]*(?!\\w)"
)
_HAS_MARKS = re.compile(f"[_{_RAISED}]")


def compose(text: str) -> str:
    """Return the text in Unicode's composed form.

    >>> compose("cafe\u0301") == "caf\u00e9"
    True
    """
    return text if text.isascii() or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def has_signs(text: str) -> bool:
    """Return whether a text has characters that `plain_sign` replaces."""
    return not (text.isascii() and text.isprintable()) and bool(_HAS_SIGNS.search(text))


def plain_sign(match: re.Match[str]) -> str:
    """Return the plain form of a match of SIGNS."""
    if match.lastgroup == "ligature":
        return unicodedata.normalize("NFKC", match[0])
    if match.lastgroup == "selector":
        before = match.string[max(0, match.start() - 1) : match.start()]
        after = match.string[match.end() : match.end() + 1]
        is_emoji = (before.isdigit() and after == "\u20e3") or bool(before.strip() and not before.isalnum())
        return match[0] if is_emoji and match[0] in "\ufe0e\ufe0f" else ""
    return {"emoji": match[0], "blank": " ", "hyphen": "-"}.get(match.lastgroup, "")


def plain_signs(text: str) -> str:
    """Return the composed text, without invisible characters, and with ligatures and hyphens in their plain form.

    >>> plain_signs("bank\u00ading of\ufb01ce\u200b"), plain_signs("well\u2011known")
    ('banking office', 'well-known')
    """
    return compose(SIGNS.sub(plain_sign, text)) if has_signs(text) else compose(text)


def plain_word(word: str) -> str:
    """Return a token with its signs plain. Joiners at its edges stay, and so does a token of only invisible characters."""
    if not has_signs(word):
        return compose(word)
    start, end = (JOINER if has else "" for has in (word.startswith(JOINER), word.endswith(JOINER)))
    inner = plain_signs(word).strip()
    return f"{start}{inner}{end}" if inner else compose(word)


def fold_case(word: str) -> str:
    """Return a word for comparison: in plain spelling, with straight quotation marks, without letter case and an emoji's choice of form."""
    plain = plain_word(word).translate(STRAIGHT)
    return (_TO_COMPARE.sub("", plain).strip() or plain).casefold().replace("i\u0307", "i")  # a Turkish capital's dot


@dataclass(frozen=True, slots=True)
class CutWord:
    """A word in two parts, at a hyphen that may be that of the end of a line."""

    start: int  # of the hyphen in the text
    end: int  # of the characters between the parts
    left: str
    right: str
    is_soft: bool  # a soft hyphen: never a part of the word
    is_line_end: bool  # not only a blank

    @property
    def is_name(self) -> bool:
        """Return whether the hyphen is a real one, before a capital: "Anglo-" and "Saxon"."""
        return self.right[:1].isupper() and not self.left.isupper()


Choice = Callable[[CutWord], bool]  # whether the word is read without its hyphen


def keep_hyphen(word: CutWord) -> bool:
    """Read a cut word with its hyphen, unless it is a soft one."""
    return word.is_soft


@dataclass(frozen=True, slots=True)
class Legible:
    """A text in plain spelling, with the positions of its characters in the text as written."""

    text: str
    begins: Sequence[int]  # the first position of each character in the text as written
    ends: Sequence[int]  # and the one after it

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where the characters from `start` to `end` are in the text as written."""
        return self.begins[start], self.ends[end - 1]


def legible(text: str, choose: Choice = keep_hyphen) -> str:
    r"""Return the text in plain spelling.

    >>> legible("bank\u00ading hours"), legible("coun-\ncil", lambda word: True)
    ('banking hours', 'council')
    """
    return read(text, choose).text if any(_edits(text, choose)) else plain_signs(text)


def read(text: str, choose: Choice = keep_hyphen) -> Legible:
    """Return the text as `legible` does, with the positions of its characters."""
    edits = list(_edits(text, choose))
    if not edits and not has_signs(text):
        composed = compose(text)
        begins, ends = range(len(text)), range(1, len(text) + 1)
        return Legible(text, begins, ends) if composed == text else _composed(text, composed, begins, ends)
    taken = {position for start, end, _ in edits for position in range(start, end)}
    signs = ((*match.span(), plain_sign(match)) for match in SIGNS.finditer(text) if match.start() not in taken)  # one character each
    edits = sorted([*edits, *signs])
    plain, begins, ends, position = [], [], [], 0
    for start, end, new in [*edits, (len(text), len(text), "")]:
        plain += [text[position:start], new]
        begins += range(position, start)
        ends += range(position + 1, start + 1)
        if new:
            begins += [start, *[end] * (len(new) - 1)]
            ends += [end] * len(new)
        position = end
    edited = "".join(plain)
    composed = compose(edited)
    return Legible(edited, begins, ends) if composed == edited else _composed(edited, composed, begins, ends)


def cut_words(text: str) -> Iterator[CutWord]:
    """Yield the words that the end of a line, or a former one, has cut in two."""
    for match in _CUTS.finditer(text) if _MAY_BE_CUT.search(text) else ():
        sign, between = text[match.start()], match[0][1:]
        is_soft = sign not in "-\u2010\u2011" and bool(between.strip(" \t\u00a0"))  # before a blank it may be an ordinary sign
        left = plain_signs(_LEFT.search(text, max(0, match.start() - _LONGEST), match.start())[0])
        right = plain_signs(_RIGHT.match(text, match.end(), match.end() + _LONGEST)[0])
        if not left or not right or (right.casefold() in _LINKS and not is_soft and "\u200b" not in between):
            continue
        is_line_end = is_soft or bool(between.strip(" \t\u00a0\u00ad"))
        yield CutWord(match.start(), match.end(), left, right, is_soft, is_line_end)


def _edits(text: str, choose: Choice) -> Iterator[tuple[int, int, str]]:
    for mark in _MARKS.finditer(text) if _HAS_MARKS.search(text) else ():
        yield *mark.span(), ""
    for word in cut_words(text):
        if choose(word):
            yield word.start, word.end, ""
        elif word.is_line_end:
            yield word.start, word.end, "-"


def _composed(text: str, composed: str, begins: Sequence[int], ends: Sequence[int]) -> Legible:
    """Return the composed text with the positions of its separate letters and accents."""
    firsts: list[int] = []
    lasts: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and _combines(text[end]):
            continue
        n = len(compose(text[start:end]))
        if n == end - start:
            firsts += begins[start:end]
            lasts += ends[start:end]
        else:
            firsts += [begins[start], *[ends[end - 1]] * (n - 1)]
            lasts += [ends[end - 1]] * n
        start = end
    return Legible(composed, firsts, lasts)


def _combines(sign: str) -> bool:
    """Return whether a character may combine with the one before it: a mark, or a vowel or a last consonant of Hangul."""
    return unicodedata.category(sign)[0] == "M" or "\u1161" <= sign <= "\u1175" or "\u11a8" <= sign <= "\u11c2"
