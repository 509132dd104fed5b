"""Split text into sentences: after end marks, unless the sentence continues, and at line breaks, unless a program wrapped the lines.

This is a custom splitter (the README explains why). Only a few dozen characters around a mark are examined, so that time is linear in the
text.

Wrapped lines are recognized by their shape. Such a line ends because the next word did not fit: there is a width that nearly every line keeps
to, and would exceed with one more word. Verse, lists and sentences on separate lines have no such width. Besides, verse begins its lines with
capitals, and sentences end theirs with a mark.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import TypeVar
from unicodedata import east_asian_width

from ..common import reports
from ..common.errors import ElmoscopeError, JobEnded
from .normalization import SOFT, CutWord, cut_words, read

DETECT, JOIN, KEEP = "detect", "join", "keep"
LONGEST = 5_000  # characters of a sentence; a longer one without an end mark is cut at a blank
SAMPLE_LINES, SAMPLE_CHARACTERS = 2_000, 500_000  # that are examined
WIDTHS = (40, 200)  # characters to which lines are wrapped
NEARLY = 0.85  # of the width; a shorter line ends on purpose
SLACK = 1  # characters by which lines that are wrapped by hand miss the width
EXPLAINED = 0.6  # of the breaks near the width that it must explain; 0.53 in sonnets without capitals, 0.69 in lines of 64 to 74
MOST_BLANKS = 100  # between two pieces of a long line
FEWEST = 3  # breaks from which a width can be recognized
SINGLE_LINES, SINGLE = 50, 0.95  # lines, and their share, for a text with one sentence per line
_P = TypeVar("_P")  # the place of a line

_QUOTED = re.compile(r"\s*(?:>\s?)+")  # in e-mails
_BULLET = re.compile(r"\s*[-*+|•·‣◦]\s")  # or a row of a table
_NUMBERED = re.compile(r"\s*\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]\s")
_ENDED = re.compile(r"[.!?;:\u2026\u3002\uff01\uff1f\u061f\u0964][\"'\u201d\u2019\u00bb)\]]*$")
_NO_SPACES = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # Chinese and Japanese set none between words
_WORD = re.compile(rf"[{_NO_SPACES}]|[^\s{_NO_SPACES}]+")
_LETTER = re.compile(r"[\W_]*(\w)")
# Between two lines without a blank: well-|known, a dash that is joined to its word, Chinese and Japanese.
_AGAINST = re.compile(
    rf"[^\W\d_]-\n(?!(?:and|or|to)\b)[^\W\d_]|[^\s-](?:--|\u2014)\n\S|\S\n(?:--|\u2014)[^\s-]|[{_NO_SPACES}]\n[{_NO_SPACES}]"
)
_LINE_END = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # as str.splitlines has them

# End marks and the text around them

_AROUND = 40  # characters examined on either side of a mark, longer than any abbreviation
_MARKS = ".!?\u2026\u3002\uff01\uff1f\u061f\u0964"  # a run of them is tried once, from its first
_CLOSERS = r"\"'\u201d\u2019\u00bb)\]"
_FACE = r"(?:[:;=]-?[()DP]+|\^_?\^)"  # :-) ends the sentence before it
_NOTES = r"(?:\[(?:\w{1,3}|note \d{1,3}|citation needed)\]|[*\u2020\u2021])"  # note marks, as in Wikipedia
_OPENERS = "\"'\u201c\u2018\u00ab"
_NOTE_NUMBER = (
    rf"(?:(?<=[^\W\d_]{{3}}[.!?])|(?<=[.!?][{_CLOSERS}]))\d{{1,3}}(?=\s+[{_OPENERS}]?[A-Z])"  # as text from PDF files has them: so.12 We
)
_END = re.compile(
    rf"(?<![{_MARKS}])([{_MARKS}]++)([{_CLOSERS}]*+)(?:{_NOTE_NUMBER}|{_NOTES}*+)(\s?{_FACE})?(?=\s|$)"
    rf"|[\u3002\uff01\uff1f]+[{_CLOSERS}\u300d\u300f]*"  # Chinese and Japanese, without blanks
)
# The first sign of the next word, and the word without what opens.
_NEXT = re.compile(rf"\s*+[{_OPENERS}]{{0,2}}(?=(.?))[{_OPENERS}(\[]{{0,3}}([^\s{_OPENERS}(\[]{{0,40}})")
_CODE = re.compile(r"[a-z]{1,2}[A-Z]|[a-z]+\d")  # iPhones, mRNA and p53 may begin a sentence
_WORD_BEFORE = re.compile(rf"[^\s{_OPENERS}(\[]*\Z")  # the word before a mark
_LABEL = re.compile(r"\s*\(?(?:\d{1,3}|[A-Za-z])\Z")  # of an item of a list: 1. Open it.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Abbreviations with a full stop, in small letters, by the words that may follow when the sentence continues.
_NEVER_LAST = _words("""
    mr mrs ms dr prof gen col rev sen rep capt lt sgt gov hon pres cmdr maj adm messrs mt ft fr sr supt
    vs cf viz approx ca esp incl attn e.g i.e eg ie p.s
""")
_BEFORE_NAMES = _words("st jr etc inc ltd corp co bros ave blvd rd al dept univ assn esq suppl a.m p.m")
_BEFORE_NUMBERS = _words("""
    no nos p pp fig figs eq eqs eqn sect sec ref refs vol vols ch chap art tab app ed par max min ft in oz lb lbs tel ext est
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
""")
# Of these, the ones that are also words in small letters ("the answer is no") are abbreviations only with a capital, or before a number.
_WORDS_TOO = _words("ms gen col rev sen rep mt ft fr hon pres co st al ed art app par in max min est mar dec sat sun fig tab ext maj")
_SHORTENED = _words("""
    info govt assoc conc temp resp edit translat inst ibid spec reps abbr orig misc admin cont pseud comb subj conf corr
""")  # of at least four letters, followed by small letters
_SHORT_WORDS = _words("me him us too up out off it you that this one so now all day way lot not yes do is was here there then")
_TIMES = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:[ecmp][sd]|gm|ut|bs|ce|je)t\b", re.IGNORECASE)  # 5 p.m. Monday, EST
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"  # Mon. Jan. 5
_NUMBER = re.compile(rf"[#\u00a7]?(?:[A-Z]?\d|[IVXLC]+\b|{_MONTH}\b)")
_STARTERS = _words("""
    i i'm i've i'd i'll he he's she she's it it's we we're you they they're the a an this that that's these those there there's here my
    his her its our your their in on at by for from to with after before during since while when where why what who how which if although
    though because as but and or so yet then thus however therefore moreover also not no yes some many most each every all both such now
    one once only please let do does did don't is are was were can could would should has have had until under nobody nothing
""")  # with a capital after an abbreviation, these begin a sentence, unlike names
_DATE = re.compile(r"(?<!\d)\d{1,4}((?:\.\s?\d{1,2}){0,2})\Z")  # 2024. 3. 15. as in Korean
_DATE_GOES_ON = re.compile(r"\d{1,2}\.")
_GERMAN_MONTH = re.compile("(?:Januar|Februar|M\u00e4rz|April|Mai|Ju[nl]i|August|September|Oktober|November|Dezember|Jahrhundert)")
_SAID = re.compile(r"\s*+(?:(?:[A-Z]\w*\.?|the|my|his|her)\s+){1,3}(?:said|asked|cried|replied|answered|shouted|whispered|exclaimed)\b")
_QUOTED_ON = re.compile(r"\s*+(?:하고|하며|라고|이라고|라며)(?!\w)")  # "Really?" as Korean quotes it
_VOWEL = re.compile("[^b-df-hj-np-tv-xz]")  # or a letter of another script
_ROMAN = re.compile("[ivxlc]+")
_NAMES = frozenset(("Yahoo", "Jeopardy"))  # that are written with their mark


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences, at line breaks and after end marks, but not after common abbreviations.

    >>> split_sentences("Dr. Lee left. Why?  He was late.")
    ['Dr. Lee left.', 'Why?', 'He was late.']
    """
    within = {k for word in cut_words(text) for k in range(word.start, word.end)}  # where a line end cuts a word in two, no line ends
    breaks = [match.span() for match in _LINE_END.finditer(text) if match.start() not in within]
    starts, ends = [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(text)]
    return [sentence for a, b in zip(starts, ends, strict=True) for sentence in _split_line(text[a:b].strip())]


def _split_line(line: str) -> list[str]:
    plain = read(line)  # the first sentence of "Why?\u200b Because" ends after its mark
    begins = [*plain.begins, len(line)]
    ends = (begins[end] for end in _sentence_ends(plain.text))
    edges = [0, *ends, len(line)]
    return [sentence for a, b in pairwise(edges) if (sentence := line[a:b].strip())]


@dataclass(frozen=True, slots=True)
class LineShape:
    """The shape of a text's lines."""

    width: float = float("inf")  # they are wrapped to; inf if they are not
    is_spaced: bool = False  # with a blank line between any two
    is_single: bool = False  # each is a sentence
    joins_words: bool = True  # that the end of a line has cut in two
    measure: Callable[[str], int] = len

    def joins(self, before: str, after: str) -> bool:
        """Return whether a line continues in the next one."""
        word = _cut_word(before, after) if self.joins_words else None  # which goes on whatever the widths
        is_cut = word is not None and (word.is_soft or len(word.left) > 1)
        if _starts_new_part(before, after, is_cut=is_cut and not word.is_name):
            return False
        return is_cut or self.measure(before) + _next(after, self.measure) > NEARLY * self.width


def sentences_in(lines_with_places: Iterable[tuple[_P, str]], lines: str = DETECT) -> Iterator[tuple[_P, str]]:
    """Yield the sentences of a text, each with the place where its paragraph begins, from its lines and their places.

    `lines`: JOIN reads consecutive lines as one paragraph, KEEP ends a sentence with its line, DETECT decides by the shape of the first lines.
    Lines that have the same place are pieces of one. At most the sample and one sentence are in memory.
    """
    errors: list[ElmoscopeError] = []
    rest = _until_error(_lines(lines_with_places), errors)
    sample = list(_first(rest))
    shape = shape_of([line for _, line, _ in sample], lines)
    place, text, before, blanks = None, "", "", 0
    for where, line, is_continuation in chain(sample, rest):
        reports.step()
        if not is_continuation and not _bare(line):  # a mark of quotation alone is not text
            blanks += 1
            continue
        if is_continuation:
            text += line
        elif text and blanks <= shape.is_spaced and shape.joins(before, line):
            text = join_lines(text, line)
        else:
            yield from ((place, sentence) for sentence in _split(text, shape))
            place, text = where, line
        before, blanks = line, 0
        if len(text) > LONGEST:
            *complete, last = _bounded(split_sentences(text) or [""])
            yield from ((place, sentence) for sentence in complete)
            text = last + text[len(text.rstrip()) :][:MOST_BLANKS]
    yield from ((place, sentence) for sentence in _split(text, shape))
    if errors:
        raise errors[0]


def shape_of(lines: Sequence[str], how: str = DETECT) -> LineShape:
    """Return the shape of lines. With KEEP none are joined; with JOIN all that no blank line separates."""
    full = [line for line in lines if line.strip()]
    is_single = len(full) >= SINGLE_LINES and sum(len(split_sentences(line)) == 1 for line in full) >= SINGLE * len(full)
    if how == KEEP:
        return LineShape(is_single=is_single, joins_words=False)
    filled = [bool(_bare(line)) for line in lines]
    spaced = 10 * sum(a and b for a, b in pairwise(filled)) < sum(filled)
    shapes = (_wrapped(_pairs(lines, spaced), measure, spaced) for measure in (len, _columns))
    best = max((shape for shape in shapes if shape), key=lambda pair: pair[0], default=None)
    if how == JOIN:
        return LineShape(0.0, is_spaced=bool(best) and spaced)
    return best[1] if best else LineShape(is_single=is_single)


def join_lines(text: str, line: str) -> str:
    """Join a text and the line that continues it, without the line's quotation marks (">") and indentation.

    A hyphen at the end of a line stays, with a mark for the end of the line (core.text.normalization); a soft one becomes Unicode's.
    """
    before, after = text.rstrip(), _bare(line)
    if word := _cut_word(before, after):
        return f"{before[:-1]}{SOFT}{after}" if word.is_soft else f"{before}\u200b{after}"
    return before + ("" if _AGAINST.search(f"{before[-3:]}\n{after[:4]}") else " ") + after


def _cut_word(before: str, after: str) -> CutWord | None:
    """Return the word that the end of a line has cut in two, if any."""
    start = before[-WIDTHS[0] :].rstrip()
    return next((word for word in cut_words(f"{start}\n{_bare(after)[: WIDTHS[0]]}") if word.end == len(start) + 1), None)


def _lines(lines_with_places: Iterable[tuple[_P, str]]) -> Iterator[tuple[_P, str, bool]]:
    """Yield (place, line, whether it continues the one before)."""
    last, is_open = None, False
    for place, text in lines_with_places:
        is_continuation = is_open and place == last
        for line in text.lstrip("\f").splitlines() or [""]:  # a page of a PDF file begins with a form feed
            yield place, line, is_continuation
            is_continuation = False
        last, is_open = place, not text.endswith(("\n", "\r"))


def _until_error(lines: Iterator[tuple[_P, str, bool]], errors: list[ElmoscopeError]) -> Iterator[tuple[_P, str, bool]]:
    """Yield the lines up to one that cannot be read. A caller that needs only the first sentences never reaches it."""
    try:
        yield from lines
    except JobEnded:
        raise
    except ElmoscopeError as error:
        errors.append(error)


def _first(lines: Iterator[tuple[_P, str, bool]]) -> Iterator[tuple[_P, str, bool]]:
    n_characters = 0
    for line in islice(lines, SAMPLE_LINES):
        yield line
        n_characters += len(line[1])
        if n_characters > SAMPLE_CHARACTERS:
            return


def _split(text: str, shape: LineShape) -> Iterator[str]:
    return _bounded([text.strip()] if shape.is_single and text.strip() else split_sentences(text))


def _bounded(sentences: Iterable[str]) -> Iterator[str]:
    """Yield sentences of at most LONGEST characters. A longer one is cut, at blanks if it has any."""
    for sentence in sentences:
        while len(sentence) > LONGEST:
            end = sentence.rfind(" ", 1, LONGEST)
            end = end if end > 0 else LONGEST
            yield sentence[:end].rstrip()
            sentence = sentence[end:].lstrip()
        yield sentence


def _pairs(lines: Sequence[str], spaced: bool) -> list[tuple[str, str]]:
    """Return pairs of consecutive lines, with a blank line between them if `spaced`, unless the second begins something new."""
    pairs = []
    before, blanks = "", 0
    for line in lines:
        if not _bare(line):
            blanks += 1
            continue
        if before and blanks <= spaced and not _starts_new_part(before, line):
            pairs.append((before, line))
        before, blanks = line, 0
    return pairs


def _wrapped(pairs: list[tuple[str, str]], measure: Callable[[str], int], spaced: bool) -> tuple[float, LineShape] | None:
    """Return the share of the breaks that the best width explains, and the shape; None if lines are not wrapped."""
    sizes = [(size := measure(before), size + _next(after, measure)) for before, after in pairs]
    steps: Counter[int] = Counter()  # a line's break is explained by widths from its own to one with room for the next word
    for size, needed in sizes:
        if WIDTHS[0] <= size <= WIDTHS[1]:
            steps[size - SLACK] += 1
            steps[needed + SLACK] -= 1
    width = max_explained = explained = 0
    for size_limit in sorted(steps):
        explained += steps[size_limit]
        if explained > max_explained:
            width, max_explained = size_limit, explained
    long_pairs = [pair for pair, (_, needed) in zip(pairs, sizes, strict=True) if needed > NEARLY * width]
    if max_explained < FEWEST or max_explained < EXPLAINED * len(long_pairs) or len(long_pairs) < 0.4 * len(pairs):
        return None
    n_open = sum(not _ENDED.search(before.rstrip()) for before, _ in long_pairs)
    letters = (_LETTER.match(_bare(after)) for _, after in long_pairs)
    n_small = sum(bool(letter) and letter[1].isalpha() and not letter[1].isupper() for letter in letters)
    if 2 * min(n_open, n_small) < len(long_pairs):
        return None
    return max_explained / len(long_pairs), LineShape(width, spaced, measure=measure)


def _starts_new_part(before: str, after: str, *, is_cut: bool = False) -> bool:
    """Return whether the next line begins something new: another quotation, an item of a list, or, if no word is cut, an indented paragraph."""
    if _depth(before) != _depth(after):
        return True
    before, after = map(_unquoted, (before, after))
    if _BULLET.match(after) or (_NUMBERED.match(after) and _ENDED.search(before.rstrip())):
        return True
    is_item = _BULLET.match(before) or _NUMBERED.match(before)
    return _indent(after) > _indent(before) + 1 and not is_item and not is_cut


def _indent(line: str) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())


def _depth(line: str) -> int:
    """Return the depth of a quotation: 2 for "> > so"."""
    return marks[0].count(">") if (marks := _QUOTED.match(line)) else 0


def _unquoted(line: str) -> str:
    return line[marks.end() :] if (marks := _QUOTED.match(line)) else line


def _bare(line: str) -> str:
    return _unquoted(line).strip()


def _next(line: str, measure: Callable[[str], int]) -> int:
    """Return the space that the first word of a line takes after another line."""
    word = _WORD.match(_bare(line))
    return 1 + measure(word[0]) if word else 1


def _columns(text: str) -> int:
    """Return the width of a text. Letters of double width, such as Hangul, count twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _sentence_ends(line: str) -> Iterator[int]:
    """Yield where each sentence of a line ends, except for a last one without an end mark."""
    start = 0
    for match in _END.finditer(line):
        if match[1] is None or not _continues(line, start, match):
            start = match.end()
            yield start


def _continues(line: str, start: int, match: re.Match[str]) -> bool:
    """Return whether a sentence that began at `start` continues after some marks and closing quotes or brackets."""
    marks, closers, face = match.groups()
    end = match.end()
    next_word = _NEXT.match(line, end)
    after = next_word[2]
    if after[:1] and after[0] in _MARKS:  # . . .
        return True
    before = _WORD_BEFORE.search(line, max(start, match.start() - _AROUND), match.start())[0]
    if marks == "." and before[-1:].isdecimal():
        date = _DATE.search(line, max(start, match.start() - _AROUND), match.start())
        if date and (_DATE_GOES_ON.match(after) or (date[1] and "\uac00" <= after[:1] <= "\ud7a3") or _GERMAN_MONTH.match(after)):
            return True
    if match[0][-1:].isdigit() and before.casefold() in _BEFORE_NUMBERS:  # Fig.2 He
        return True
    is_small = next_word[1].islower() and not _CODE.match(after)
    if marks.strip(".!?\u2026"):  # of a script whose marks mean nothing else
        return False
    if "?" in marks or "!" in marks:
        if closers:
            is_quote = not closers.startswith((")", "]"))
            return is_small or bool(is_quote and (_SAID.match(line, end, end + 80) or _QUOTED_ON.match(line, end)))
        return marks == "!" and before in _NAMES and not _must_begin(after)
    if is_small and marks == "." and closers.startswith((")", "]")):  # (so.) then, but (at 5 p.m.) then
        word = before.casefold()
        return word in _NEVER_LAST | _BEFORE_NAMES | _BEFORE_NUMBERS - _WORDS_TOO or "." in word or not word.isalpha()
    if is_small:
        return not (marks == "." and (face or (not closers and _is_plain(before))))
    return marks == "." and _is_abbreviation(before, after, line, start, match.start())


def _is_plain(before: str) -> bool:
    """Return whether a full stop after this word ends a sentence even before a small letter: the word is not an abbreviation."""
    if not (before.isalpha() and before.islower()) or before in _NEVER_LAST | _BEFORE_NAMES | _BEFORE_NUMBERS | _SHORTENED:
        return False
    return before in _SHORT_WORDS or (len(before) > 3 and bool(_VOWEL.search(before)) and not _ROMAN.fullmatch(before))


def _is_abbreviation(before: str, after: str, line: str, start: int, stop: int) -> bool:
    """Return whether the full stop at `stop` belongs to an abbreviation, or to a list's label, so that the sentence continues."""
    if not after:
        return False
    if stop - start < 8 and _LABEL.match(line, start, stop):
        return True
    word = before.casefold().rpartition("-")[2]
    starts = _must_begin(after)
    is_number = bool(_NUMBER.match(after))
    if word in _WORDS_TOO and not before[:1].isupper() and not is_number:
        return False
    if word in _NEVER_LAST or (word in _BEFORE_NUMBERS and is_number):
        return True
    if word in ("a.m", "p.m"):
        return bool(_TIMES.match(after))
    if word in _BEFORE_NAMES:
        return not starts
    if (len(word) == 1 and word.isalpha()) or re.fullmatch(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}", word):
        return not starts and not (before == "I" and _after_verb(line, start, stop))
    return False


def _must_begin(after: str) -> bool:
    """Return whether a word can only begin a sentence; "A." is an initial."""
    return after[:1].isupper() and not after.endswith(".") and after.rstrip(",;:!?").replace("\u2019", "'").casefold() in _STARTERS


def _after_verb(line: str, start: int, stop: int) -> bool:
    """Return whether the pronoun I ends a sentence: "So did I. She too." But: "Robert I. Sutton, by I. Newton"."""
    return bool(re.search(r"(?<![A-Z.])\b(?!(?:by|of|from|for|with)\b)[a-z']+,?\s+I$", line[max(start, stop - 24) : stop]))
