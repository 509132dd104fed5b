"""Find the ends of sentences in a line: at end marks, unless the text around them shows that the sentence continues.

This is a custom splitter (the README explains why). Only a few dozen characters around a mark are examined, so that time is
linear in the text.
"""

import re
from collections.abc import Iterator

_AROUND = 40  # characters looked at on either side of a mark, longer than any abbreviation
_MARKS = ".!?\u2026\u3002\uff01\uff1f\u061f\u0964"  # a run of them is tried once, from its first
_CLOSERS = r"\"'\u201d\u2019\u00bb)\]"
_FACE = r"(?:[:;=]-?[()DP]+|\^_?\^)"  # :-) ends the sentence before it
_END = re.compile(rf"(?<![{_MARKS}])([{_MARKS}]++)([{_CLOSERS}]*+)(\s?{_FACE})?(?=\s|$)|[\u3002\uff01\uff1f]")
_OPENERS = "\"'\u201c\u2018\u00ab"
_NEXT = re.compile(
    rf"\s*+[{_OPENERS}]{{0,2}}(?=(.?))[{_OPENERS}(\[]{{0,3}}([^\s{_OPENERS}(\[]{{0,40}})"
)  # its first sign, the word without what opens
_CODE = re.compile(r"[a-z]{1,2}[A-Z]|[a-z]+\d")  # iPhones, mRNA and p53 may begin a sentence
_WORD = re.compile(rf"[^\s{_OPENERS}(\[]*\Z")  # the word before a mark
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
    info govt assoc conc temp resp edit translat inst ibid spec reps abbr orig misc admin cont pseud comb subj conf corr ect
""")  # of at least four letters, followed by small letters
_SHORT_WORDS = _words("me him us too up out off it you that this one so now all day way lot not yes do is was here there then")
_TIMES = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:[ecmp][sd]|gm|ut|bs|ce|je)t\b", re.IGNORECASE)  # 5 p.m. Monday, EST
_NUMBER = re.compile(  # with a month: Mon. Jan. 5
    r"[#\u00a7]?(?:[A-Z]?\d|[IVXLC]+\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b)"
)
_STARTERS = _words("""
    i i'm i've i'd i'll he he's she she's it it's we we're you they they're the a an this that that's these those there there's here my
    his her its our your their in on at by for from to with after before during since while when where why what who how which if although
    though because as but and or so yet then thus however therefore moreover also not no yes some many most each every all both such now
    one once only please let do does did don't is are was were can could would should has have had until under nobody nothing
""")  # with a capital after an abbreviation, these begin a sentence, unlike names
_SAID = re.compile(r"\s*+(?:(?:[A-Z]\w*\.?|the|my|his|her)\s+){1,3}(?:said|asked|cried|replied|answered|shouted|whispered|exclaimed)\b")
_QUOTED_ON = re.compile(
    r"\s*+(?:\ud558\uace0|\ud558\uba70|\ub77c\uace0|\uc774\ub77c\uace0|\ub77c\uba70)(?!\w)"
)  # "Really?" as Korean quotes it
_VOWEL = re.compile("[^b-df-hj-np-tv-xz]")  # or a letter of another script
_ROMAN = re.compile("[ivxlc]+")
_NAMES = frozenset(("Yahoo", "Jeopardy"))  # that are written with their mark


def sentence_ends(line: str) -> Iterator[int]:
    """Yield the end of each sentence of a line, except for a last one without an end mark."""
    start = 0
    for match in _END.finditer(line):
        if match[1] is None or not _goes_on(line, start, match):
            yield (start := match.end())


def _goes_on(line: str, start: int, match: re.Match[str]) -> bool:
    """Return whether a sentence that began at `start` continues after some marks and closing quotes or brackets."""
    marks, closers, face = match.groups()
    end = match.end()
    next_word = _NEXT.match(line, end)
    after = next_word[2]
    if after[:1] and after[0] in _MARKS:  # . . .
        return True
    before = _WORD.search(line, max(start, match.start() - _AROUND), match.start())[0]
    is_small = next_word[1].islower() and not _CODE.match(after)
    if marks.strip(".!?\u2026"):  # of a script whose marks mean nothing else
        return False
    if "?" in marks or "!" in marks:
        if closers:
            is_quote = not closers.startswith((")", "]"))
            return is_small or bool(is_quote and (_SAID.match(line, end, end + 80) or _QUOTED_ON.match(line, end)))
        if marks == "!" and before in _NAMES:
            return not _must_begin(after)
        return False
    if is_small and marks == "." and closers.startswith((")", "]")):  # (so.) then, but (at 5 p.m.) then
        return _is_known(before)
    if is_small:
        return not (marks == "." and (face or (not closers and _is_plain(before))))
    return marks == "." and _is_abbreviation(before, after, line, start, match.start())


def _is_plain(before: str) -> bool:
    """Return whether a full stop after this word ends a sentence even before a small letter: the word is no abbreviation."""
    if not (before.isalpha() and before.islower()) or before in _NEVER_LAST | _BEFORE_NAMES | _BEFORE_NUMBERS | _SHORTENED:
        return False
    return before in _SHORT_WORDS or (len(before) > 3 and bool(_VOWEL.search(before)) and not _ROMAN.fullmatch(before))


def _is_known(before: str) -> bool:
    word = before.casefold()
    return word in _NEVER_LAST | _BEFORE_NAMES | _BEFORE_NUMBERS - _WORDS_TOO or "." in word or not word.isalpha()


def _is_abbreviation(before: str, after: str, line: str, start: int, stop: int) -> bool:
    """Return whether the full stop at `at` belongs to an abbreviation, or to a list's label, and the sentence continues."""
    if not after:
        return False
    if stop - start < 8 and _LABEL.match(line, start, stop):
        return True
    word = before.casefold().rpartition("-")[2]
    starts = _must_begin(after)
    is_number = bool(_NUMBER.match(after))
    if word in _WORDS_TOO and not before[:1].isupper() and not is_number:
        return False
    if word in _NEVER_LAST:
        return True
    if word in _BEFORE_NUMBERS and is_number:
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
