"""Read a date as archives, spreadsheets and web pages write it: a span from its first possible day to its last.

No library is used: `dateutil` and `edtf` guess where a date is not one (12/05/50 becomes 2050, 1850–1855 becomes 1855), and neither reads
"1850-60", "[1850]" or "19세기". A text that this module does not understand in full has no date. Approximate dates ("c. 1850", "1850?") are
taken at their year. A century is taken as its hundreds, 1800 to 1899, as in EDTF; "early", "mid" and "late" are its thirds.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import cache, lru_cache
from itertools import islice, product
from math import ceil
from typing import NamedTuple

Day = tuple[int, int, int]  # year (below 0: BC; there is no year 0), month, day
MAX_LENGTH = 80  # characters
MAX_SEPARATORS = 8  # places where a range may be divided
LAST_YEAR = 2100  # a later one is of another calendar (2543 in Thailand), or 9999 for "unknown"
LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "nl")  # of names of months; Korean months are numbers
DISTANT = 1_000_000  # the year that "before" begins in and "after" ends in
_WORDS = [  # of centuries
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth"),
    *("fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth", "twenty-first"),
]


class DateSpan(NamedTuple):
    """A span of days, both ends included."""

    first: Day
    last: Day

    @property
    def years(self) -> tuple[int, int]:
        """Return the first and the last year."""
        return self.first[0], self.last[0]

    def is_within(self, span: "DateSpan") -> bool:
        """Return whether all of its days are in another span."""
        return span.first <= self.first and self.last <= span.last

    def overlaps(self, span: "DateSpan") -> bool:
        """Return whether the two have a day in common."""
        return self.first <= span.last and span.first <= self.last


def parse_date(text: str) -> DateSpan | None:
    """Return the span of a date; None for one that cannot be read, has a two-digit year without an era, or is "unknown".

    >>> parse_date("c. 1850").years, parse_date("1850-60").years, parse_date("44 BC").years
    ((1850, 1850), (1850, 1860), (-44, -44))
    >>> parse_date("12/05/50"), parse_date("n.d.")
    (None, None)
    """
    return parse_dates([text])[0]


def parse_dates(texts: Sequence[str]) -> list[DateSpan | None]:
    """Return the span of each date of a column. One with two readings ("1/2/2020", "2020-1") is read like the clear ones if these agree.

    >>> [span.first for span in parse_dates(["1/2/2020", "1/25/2020"])]
    [(2020, 1, 2), (2020, 1, 25)]
    """
    cleaned = [_normalized(text) if len(text) <= MAX_LENGTH else "" for text in texts]
    spans = [_span(text) if text else None for text in cleaned]
    for pattern, orders in ((_DAY_MONTH, ((4, 1, 3), (4, 3, 1))), (_YEAR_MONTH, ((1, 3),))):
        matches = [pattern.fullmatch(text) for text in cleaned]
        readings = [{order: days for order in orders if match and (days := _days(*match.group(*order)))} for match in matches]
        agreeing = [[order for order in reading if reading[order] == span] for reading, span in zip(readings, spans, strict=True)]
        clear = {found[0] for found in agreeing if len(found) == 1}
        has_ranges = any(match and span and not reading for match, span, reading in zip(matches, spans, readings, strict=True))
        if len(clear) == 1 and not has_ranges:
            (order,) = clear
            spans = [reading.get(order, span) for reading, span in zip(readings, spans, strict=True)]
    return spans


def format_year(year: int) -> str:
    """Return a year as `parse_date` reads it.

    >>> format_year(1850), format_year(50), format_year(-44)
    ('1850', '0050', '44 BC')
    """
    if year < 0:
        return f"{-year} BC"
    return f"{year:04d}" if year < 100 else str(year)


def format_years(first: int, last: int) -> str:
    """Return a range of years in words: "1850", "1850–1859", "…–1849"."""
    if first == last:
        return format_year(first)
    return "–".join("…" if abs(year) == DISTANT else format_year(year) for year in (first, last))


# Normalizing

_MARKS = str.maketrans(
    {
        **dict.fromkeys("‒–—―〜", "–"),
        **dict.fromkeys("‐‑−﹣", "-"),
        **dict.fromkeys("[](){}\"'“”«»‘’`´¿", " "),
        "∼": "~",
        **dict(zip("年月日世紀代前後半初中末頃元", "년월일세기대전후반초중말경원", strict=True)),
    }
)
_ZONE = r"(\s*(z|utc|gmt|[a-z]?[sd]t|ces?t|uhr|[+-]\d{2}(:?\d{2})?)(?![^\W_]))*"
_REPLACED = [
    (re.compile(pattern), new)
    for pattern, new in (
        (r"^<(.*)>$", r"\1"),
        (r"(?:(?<=\d)|(?<=\d\.))\s*~\s*(?=\S)", "–"),  # 1950~1960; but 1850~ of EDTF
        (r"(?<=[년월일대기초반엽말])\s*~\s*", "–"),  # 1950년~
        (r"^(\d\d)(\?\?|\.\.)$", r"\1--"),
        (r"^m[mdclxvi]{3,}\.?\s+(?=\d{4}$)", ""),  # MDCCCL [1850]
        (r"\b(?:années|años|décadas?(?: de)?) (\d{3}0)\b|\b(\d{3}0)er(?: jahren?)?\b", r"\1\2s"),
        (r"^\?\s*[-–]\s*(?=\d)", "–"),
        (r"^.*\bi\.?\s?e\.?,?\s+(?=.*\d)", ""),  # 1849 [i.e. 1850]
        (rf"(?:(?<=\d)t|\b|(?:오전|오후)\s*)\d{{1,2}}:\d{{2}}(:\d{{2}}([.,]\d+)?)?\s*([ap]\.?m\b\.?)?{_ZONE}(?!\d)", " "),
        (r"((오전|오후)\s*)?\b\d{1,2}시(\s*\d{1,2}분)?(\s*\d{1,2}초)?$", ""),
        (r"(?<=\d)t(?=\s|$)", ""),
        (r"(?<=^\d{8})(t\d{4,6}z?|\d{6})$", ""),
        (r"(?<![^\W\d_])(mon|tues?|wed(nes)?|thu(rs?)?|fri|sat(ur)?|sun)(day)?\b[.,]*", " "),
        (r"[월화수목금토일]요일", " "),
        (r"(?<![a-z])b\.?\s?c\.?(\s?e\b\.?)?(?![a-z])", " bc "),
        (r"(?<![a-z])(a\.?\s?d\.?|c\.?\s?e\.?)(?![a-z])", " ad "),
        (r"기원전|\bv\.?\s?chr\b\.?|\bav(ant)?\.?\s?j\.?[\s-]*c\b\.?|\ba\.\s?c\.", " bc "),
        (r"기원후|서기|\bn\.?\s?chr\b\.?|\bapr?(ès)?\.?\s?j\.?[\s-]*c\b\.?|\bd\.\s?c\.", " ad "),
        (r"^(n\.?\s?d\.?|s\.?\s?[da]\.?|undated|미상)[,;:]*\s+(?=\S)", ""),
        (r"[?~%]+(?=\D|$)", ""),
        (r"\b(circa|cca|ca|abt|cal|um|etwa|vers|environ|hacia|approx(imately)?|about|around|roughly|est(imated)?)\b\.?", " "),
        (r"\b(prob(ably)?|possibly|perhaps|maybe|likely)\b\.?", " "),
        (r"(?<!st )(?<!nd )(?<!rd )(?<!th )(?<![^\W_])c\.?\s*(?=\d|early|mid|late|bc|ad)", " "),  # c. 1850, but not 19th c.
        (r"\b(copyright|cop|fl|floruit|dated|written|published|printed|year|anno|the|of|in|on(?!$)|im|le|en|des|du|del)\b\.?", " "),
        (r"[©℗]|약(?=\s*\d)", " "),
        (r"(?<=\d년)도(?![^\W_])|(?<=[년월기대])\s*(경|무렵|쯤|께|추정)|(?<=\d)\s*경$|(?<=\d일)\s*(자|발행|발간)$", ""),
        (r"(?<=[년월일])\s*(에서|부터)\s+(?=\D*\d)", "–"),
        (r"(?<=–)(.*)까지$", r"\1"),
        (r"(?<=\d월)\s*(호|초|말|초순|중순|하순)$", ""),
        (r"\s+", " "),
        (r"^(0001-01-01|1900-01-00)$", ""),  # an empty cell in .NET and in Excel
    )
]
_ERA_STARTS = {"단기": -2333, "明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}  # the years before their first
_ERAS = re.compile(rf"({'|'.join(_ERA_STARTS)})\s*(\d{{1,4}}|원)(?=년)")
_ERA = re.compile(r"\b(?:bc|ad)\b")


@lru_cache(maxsize=20_000)
def _normalized(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    if re.fullmatch(r"1\d{12}|[3-9]\d{11}|-\d{11,13}", text):  # milliseconds since 1970, as pandas writes JSON
        return str(date(1970, 1, 1) + timedelta(milliseconds=int(text)))
    if cut := re.fullmatch(r"(?:(\()|\[)(\d{4}(?:\.\d+)?), (\d{4}(?:\.\d+)?)(?(1)\]|\))", text):  # pandas.cut
        low, high = map(float, cut.group(2, 3))
        return f"{int(low) + 1}–{int(high)}" if cut[1] else f"{ceil(low)}–{ceil(high) - 1}"
    is_doubtful = re.search(r"(?<!\d)(?<!\d[.,/-])(1\d\d|20\d)(\s*\?|\.(?!\s*[\d.]))", text)  # the year 185, or the 1850s
    text = re.sub(r"\(([월화수목금토일月火水木金土日]|[가-힣]+ ?\d+년?)\)", " ", text)  # a weekday, the year of a king
    text = text.replace("'s", "s").replace("’s", "s").translate(_MARKS)
    text = _ERAS.sub(lambda era: str(_ERA_STARTS[era[1]] + int(era[2].replace("원", "1"))), text)
    for pattern, new in _REPLACED:
        text = pattern.sub(new, text).strip()
    if is_doubtful and not _ERA.search(text):
        return ""
    return re.sub(r"(?<!\.)\.$", "", text.strip(" ,;:"))


# Spans: open ones, ranges, and the omitted parts of ranges

_AGO = r"(?!(?:\d{1,4}\W+)?(?:\d{1,3}|\d\d00)년\s*[전후])"  # 150년 전 is 150 years ago, 1850년 전 before 1850, and 1000년 전 either
_OPEN = [
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"(?:before|prior to|earlier than|pre|antes(?: de)?|ante|bef|vor|avant)\.?[\s-]*(.+)", "before"),
        (r"(?:after|later than|post|aft|nach|après|después de)\.?[\s-]*(.+)", "after"),
        (r"(?:until|till|by|up to|to|not after|no later than|not later than|through|bis|hasta|\.\./?|/|–)\s*(.+)", "until"),
        (r"(?:since|from|seit|ab|depuis|desde|not before|no earlier than|not earlier than)\s+(.+)", "since"),
        (r"(.+?),? (?:or|and) (?:before|earlier)", "until"),
        (r"(.+?),? (?:(?:or|and) (?:after|later)|onwards?|(?:and )?on)", "since"),
        (r"(.+?)\s*(?:이전|까지)", "until"),
        (r"(.+?)\s*(?:이후|이래|부터)", "since"),
        (r"(.+?)\s*(?:\.\.|–|-|to)\s*(?:present|today|now|현재|오늘)", "since"),
        (rf"{_AGO}(.+?년|.+?월|.+?일)\s*전", "before"),
        (rf"{_AGO}(.+?년|.+?월|.+?일)\s*후", "after"),
        (r"(.*\d{3,4}|.+년)\s*(?:/?\.\.|/|–|-)", "since"),
    )
]
_SEPARATORS = re.compile(r"\s+(?:to|and|or|through|until|till|&|bis|und|à|et|y)\s+|(?<=\d)\s*[x×]\s*(?=\d)|\s*(?:\.\.|–|-|/|,|;|&)\s*")
_LOOSE = ("and", "or", "&", ",", ";")  # two dates, in any order
_SECOND_BOUND = re.compile(  # the place between "after 1850" and "until 1860"
    r"(?:,? (?:and|but)|,)? (?=(?:before|prior|earlier|pre|ante|bef|after|later|post|aft|until|till|by|up|to|not|no|through|since|from)\b)"
    r"|(?<=이후|이전|부터|까지),? "
)


@lru_cache(maxsize=20_000)
def _span(text: str, depth: int = 2) -> DateSpan | None:
    """Read a date, or, `depth` times within each other, a range of two."""
    if span := _simple(text):
        return span
    between = re.fullmatch(r"(?:between|bet|from|zwischen|entre|de) (.+)|(.+)사이", text)
    if between and (span := next(_ranges((between[1] or between[2]).strip(), depth), None)):
        return span
    if span := _common_days(text, depth):
        return span
    for pattern, kind in _OPEN:
        if (match := pattern.fullmatch(text)) and (inner := _span(match[1], depth)):
            if kind in ("before", "until") and inner.last[0] != DISTANT:
                span = DateSpan((-DISTANT, 1, 1), day_before(inner.first) if kind == "before" else inner.last)
            elif kind in ("after", "since") and inner.first[0] != -DISTANT:
                span = DateSpan(_day_after(inner.last) if kind == "after" else inner.first, (DISTANT, 12, 31))
            if span and span.first <= span.last:
                return span
    return next(_ranges(text, depth), None)


def _common_days(text: str, depth: int) -> DateSpan | None:
    """Return the days of "after 1850 and before 1860", in either order; None for a text that is not two such bounds."""
    for place in islice(_SECOND_BOUND.finditer(text), MAX_SEPARATORS if depth else 0):
        bounds = [_span(bound, depth - 1) for bound in (text[: place.start()], text[place.end() :])]
        if None not in bounds:
            upper, lower = sorted(bounds)
            if (upper.first[0], lower.last[0]) == (-DISTANT, DISTANT) and lower.first <= upper.last:
                return DateSpan(lower.first, upper.last)
    return None


def _ranges(text: str, depth: int) -> Iterator[DateSpan]:
    """Yield the readings of a text as one date up to another."""
    separators = islice(_SEPARATORS.finditer(text), MAX_SEPARATORS if depth else 0)
    for separator in sorted(separators, key=lambda separator: separator[0].strip() in ",;"):  # a comma may be within a date
        left, right = text[: separator.start()].strip(), text[separator.end() :].strip()
        is_loose = separator[0].strip() in _LOOSE
        if not left or not right:
            continue
        shares_era = left.startswith(("bc ", "ad ")) and not _ERA.search(right)  # BC 100-44; but BC 37-668 ends AD
        ends = [_span(left[:3] + right, depth - 1)] if shares_era else []
        ends += [_span(right, depth - 1), None if re.fullmatch("[,;]", separator[0]) else _completed(left, right)]  # 1801,12 is an issue
        starts = [] if is_loose else left.split(" ")
        ends += [_span(f"{' '.join(starts[:k])} {right}", depth - 1) for k in range(1, len(starts))]  # May 12-15, 1850
        for end in filter(None, ends):
            rest = right.split(" ")
            lefts = [left, *(f"{left} {' '.join(rest[k:])}" for k in range(len(rest)))]
            lefts = [left + unit for unit in re.findall(r"(?<=\d)(?:세기|년대|년|c\b)", right)] + lefts
            for start in filter(None, (_span(begin, depth - 1) for begin in lefts)):
                if (
                    (start.first[0] == -DISTANT and end.last[0] == DISTANT)  # "before 1850 or after 1860"
                    or (shares_era and start.first == end.first)  # 1st century BC to 1st century
                    or (left.endswith(" bc") and not _ERA.search(right) and -start.last[0] > end.first[0])  # 300 BC-100: BC or AD
                ):
                    continue
                if start.first <= end.first and start.last <= end.last:
                    yield DateSpan(start.first, end.last)
                elif is_loose and not shares_era and start.last[0] != DISTANT and end.first[0] != -DISTANT:
                    yield DateSpan(min(start.first, end.first), max(start.last, end.last))


def _completed(left: str, right: str) -> DateSpan | None:
    """Return the end of "1850-60", "1850s–60s" or "1999/00", whose first digits are those of the start. Years BC count down: they have none."""
    year = re.search(r"(?<!\d)(\d{3,4})(?=\D*$)", left)
    digits = re.match(r"(\d{1,2})(?!\d|[-/.]\d|st|nd|rd|th|월|일|세기)", right)
    if not year or not digits or "bc" in f"{left} {right}".split():
        return None
    full = int(year[1][: -len(digits[1])] + digits[1])
    full += 100 if digits[1] == "00" and year[1].endswith("99") else 0
    return _span(f"{full}{right[digits.end() :]}") if full >= int(year[1]) else None


def day_before(day: Day) -> Day:
    """Return the day before a day."""
    year, month, number = day
    if number > 1:
        return year, month, number - 1
    return (year, month - 1, _last_day(year, month - 1)) if month > 1 else (year - 1 or -1, 12, 31)


def _day_after(day: Day) -> Day:
    year, month, number = day
    if number < _last_day(year, month):
        return year, month, number + 1
    return (year, month + 1, 1) if month < 12 else (year + 1 or 1, 1, 1)


def _last_day(year: int, month: int) -> int:
    """Return the number of days of a month. 1900 has a February 29, as in the Julian calendar."""
    return (31, 29 if year % 4 == 0 else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


# One date without a range

_Y = r"(\d{3,4}(?:/\d{1,2})?)"
_TH = r"(?:st|nd|rd|th|d|er|º|\.)?"
_EARLY = r"early|beginning|start|anfang|début|principios|초기|초반|초엽|초"
_MIDDLE = r"mid(?:dle)?|mitte|milieu|mediados|중기|중반|중엽|중"
_LATE = r"late|end|ende|fin|finales|말기|말엽|말"
_HALVES = r"(?:first|1st|second|2nd|last) half|(?:[12](?:\.|re|e)|erste|zweite|première|seconde) (?:hälfte|moitié)|전반기?|후반기?|전기|후기|[상하]반기"
_PART = rf"({_EARLY}|{_MIDDLE}|{_LATE}|{_HALVES}|(?:first|second|third|fourth|last|1st|2nd|3rd|4th) quarter)"
_CENTURY = r"(?:century|centuries|cent|c|jhd?t?s?|jahrhunderts?|si[eè]cles?)\.?"


def _simple(text: str) -> DateSpan | None:
    before_christ = False
    if match := re.fullmatch(r"(bc|ad) (.+)|(.+) (bc|ad)", text):
        before_christ, text = "bc" in (match[1], match[4]), match[2] or match[3]
        if before_christ and (years := re.fullmatch(r"(\d{1,4})/(\d{1,3})년?", text)):  # 404/3: no month; the second year is one less
            first, second = int(years[1]), int(years[1]) - 1
            return DateSpan((-first, 1, 1), (-second, 12, 31)) if second > 0 and str(second).endswith(years[2]) else None
        if before_christ and re.fullmatch(r"[1-9]\d\d-1\d", text):  # 100-12 are years, like 100-44
            return None
        text = re.sub(r"(?<![\d/.-])(\d{1,2})(년?)$", lambda year: f"{int(year[1]):04d}{year[2]}", text)  # a short year is one here
    elif match := re.fullmatch(r"-(?!(?:1|9+)(?:\.|$))(\d{1,4})(?:\.0+)?", text):  # -1, -9, -99, -999 and -9999 mean "unknown"
        before_christ, text = True, f"{int(match[1]):04d}"
    for read in (_year_of, _numbers_of, _months_of, _seasons_of, _decade_of):
        span = read(text)
        if span and before_christ:
            (year, *first), (last_year, *last) = span
            is_one_year = year == last_year
            span = DateSpan((-year, *first), (-year, *last)) if is_one_year else DateSpan((-last_year, 1, 1), (-year, 12, 31))
        if span and _is_plausible(span):
            return span
    span = _century_of(text, before_christ)
    return span if span and _is_plausible(span) else None


def _is_plausible(span: DateSpan) -> bool:
    return 0 not in span.years and span.years[1] <= LAST_YEAR


def _year_of(text: str) -> DateSpan | None:
    if match := re.fullmatch(rf"(?:{_PART}[\s-]*)?(\d{{3,4}})(?:[.,]0+|년)?(?:\s*{_PART})?", text):
        return _years(int(match[2]))
    year = _roman(text) if len(text) > 3 and text.startswith("m") else None
    return _years(year) if year else None


_DAY_MONTH = re.compile(r"(\d{1,2})\s*([-/. ])\s*(\d{1,2})\s*\2\s*(\d{3,4})\.?")  # in either order
_YEAR_MONTH = re.compile(r"(\d{4})([-/])(\d{1,2})")


def _numbers_of(text: str) -> DateSpan | None:
    for pattern in (r"(\d{4})(\d{2})(\d{2})", r"(\d{3,4})\. (\d{1,2})\.?", r"(\d{3,4})년 ?(\d{1,2})월(?: ?(\d{1,2})일)?"):
        if match := re.fullmatch(pattern, text):
            return _days(*match.groups())
    if match := re.fullmatch(r"(\d{3,4})\s*([-/. ])\s*(\d{1,2})\s*\2\s*(\d{1,2})\.?", text):
        return _days(match[1], match[3], match[4])
    if match := _DAY_MONTH.fullmatch(text):
        readings = [span for month, day in (match.group(3, 1), match.group(1, 3)) if (span := _days(match[4], month, day))]
        return DateSpan(min(span.first for span in readings), max(span.last for span in readings)) if readings else None
    if match := re.fullmatch(r"(\d{1,2})\s*[-/.]\s*(\d{4})", text):
        return _days(match[2], match[1])
    if match := re.fullmatch(r"(\d{3,4})([-/.])(\d{1,2})\.?", text):
        year, mark, number = match.groups()
        span = _days(year, number)
        if len(number) == 1 and mark == ".":
            return _years(int(year)) if span else None
        if len(number) == 1 and int(number) == int(year[-1]) + 1:  # 1850-1: January, or up to 1851
            return DateSpan((int(year), 1, 1), (int(year) + 1, 12, 31))
        return None if mark == "/" and int(number) == int(year[-2:]) + 1 else span  # 1811/12 is two years
    return None


def _months_of(text: str) -> DateSpan | None:
    names = _month_names()
    month = rf"({'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})"
    for pattern, order in (
        (rf"(\d{{1,2}}){_TH}[\s-]*(?:de )?{month}\.?,?[\s-]*(?:de )?{_Y}", (3, 2, 1)),
        (rf"{month}\.?[\s-]*(\d{{1,2}}){_TH}(?:,?[\s-]+|,){_Y}", (3, 1, 2)),
        (rf"{_Y},?[\s-]*{month}\.?[\s-]*(\d{{1,2}}){_TH}", (1, 2, 3)),
        (rf"(?:{_PART}[\s-]*)?{month}\.?,?[\s/-]*(?:de )?{_Y}", (3, 2)),
        (rf"{_Y},?[\s/-]*{month}\.?", (1, 2)),
    ):
        if match := re.fullmatch(pattern, text):
            year, name, *day = match.group(*order)
            return _in_years(year, str(names[name]), *day)
    return None


def _seasons_of(text: str) -> DateSpan | None:
    """Return the year: the season's months depend on the hemisphere, and a winter is in two years."""
    season = r"(?:spring|summer|autumn|fall|winter|봄|여름|가을|겨울)"
    if match := re.fullmatch(rf"{season},? (\d{{3,4}})|(\d{{3,4}})년?,? {season}", text):
        return _years(int(match[1] or match[2]))
    if match := re.fullmatch(r"winter,? (\d{3,4})[-–/](\d{1,2}|\d{4})", text):
        return _span(f"{match[1]}–{match[2]}")
    if match := re.fullmatch(r"(\d{4})년?[\s-]?(?:q([1-4])|([1-4])분기)|q([1-4])[\s/-]?(\d{4})", text):
        year, quarter = int(match[1] or match[5]), int(match[2] or match[3] or match[4])
        return DateSpan((year, 3 * quarter - 2, 1), (year, 3 * quarter, _last_day(year, 3 * quarter)))
    return None


def _decade_of(text: str) -> DateSpan | None:
    if match := re.fullmatch(rf"(?:{_PART}[\s-]*)?(\d{{2,3}}0)(?:s|년대)(?:\s*{_PART})?", text):
        year = int(match[2])
        is_decade = year % 100 or year + 99 > date.today().year  # the 1900s are a century; the century of 2000 is not over
        return _years(year, 10 if is_decade else 100, match[1] or match[3])
    if match := re.fullmatch(r"(\d{3})[xu-]", text):  # 185x, 185-
        return _years(int(match[1]) * 10, 10)
    if match := re.fullmatch(r"(\d{2})(?:xx|uu|--)", text):
        return _years(int(match[1]) * 100, 100)
    if match := re.fullmatch(r"(\d{4})-(?:xx|uu|(?:xx|uu|00)-(?:xx|uu|00))", text):
        return _years(int(match[1]))
    if match := re.fullmatch(r"(\d{4})-(\d{2})-(?:xx|uu|00)", text):
        return _days(match[1], match[2])
    return None


def _century_of(text: str, before_christ: bool) -> DateSpan | None:
    words = "|".join(_WORDS)
    for pattern in (
        rf"(?:{_PART}[\s-]*)?(?:(\d{{1,2}})(?:{_TH}|e|ème)|({words})|([ivx]+)(?:th|e|ème)?)[\s-]*{_CENTURY}(?:,?\s*{_PART})?",
        rf"(?:{_PART}[\s-]*)?(?:(\d{{1,2}})|()())\s*세기(?:\s*{_PART})?",
        rf"(?:{_PART} (?:de )?)?(?:siglo|secolo|século|s\.|saec\.?) ?(?:(\d{{1,2}})|()([ivx]+))(?:\s*{_PART})?",
    ):
        if match := re.fullmatch(pattern, text):
            before, number, word, roman, after = match.groups()
            if number:
                century = int(number)
            else:
                century = _WORDS.index(word) + 1 if word else _roman(roman)
            if century is None or not 1 <= century <= LAST_YEAR // 100 + 1:
                return None
            return _years(-100 * century if before_christ else 100 * (century - 1), 100, before or after)
    return None


def _days(year: str, month: str, day: str | None = None) -> DateSpan | None:
    """Return a day or a month; None if the calendar has no such day."""
    y, m = int(year), int(month)
    if not 1 <= m <= 12 or (day is not None and not 1 <= int(day) <= _last_day(y, m)):
        return None
    return DateSpan((y, m, int(day or 1)), (y, m, int(day or _last_day(y, m))))


def _in_years(year: str, month: str, day: str | None = None) -> DateSpan | None:
    """Return a day or a month, as `_days`, in a year that may be double: February 1731/2."""
    first, _, second = year.partition("/")
    span = _days(first, month, day)
    if not second:
        return span
    later = _days(first[: -len(second)] + second, month, day)
    return DateSpan((span or later).first, later.last) if later and later.first[0] == int(first) + 1 else None


def _years(year: int, length: int = 1, part: str | None = None) -> DateSpan:
    """Return a year or more years from one on, or their third, half or quarter. The years 0 to 99 begin with 1."""
    count, k = 1, 0
    if part and "quarter" in part:
        count, k = 4, {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2}.get(part.split()[0], 3)
    elif part and re.fullmatch(_HALVES, part):
        count, k = 2, int(part[0] in "s2lz후하")  # second, 2nd, last, zweite, 후반, 하반기
    elif part:
        count, k = 3, next(k for k, names in enumerate((_EARLY, _MIDDLE, _LATE)) if re.fullmatch(names, part))
    first, last = (year - (-length * (k + j) // count) for j in (0, 1))
    return DateSpan((first or 1, 1, 1), (last - 1, 12, 31))


def _roman(text: str) -> int | None:
    """Return the number of roman numerals; None for invalid ones."""
    if not re.fullmatch(r"m{0,3}(cm|cd|d?c{0,4})(xc|xl|l?x{0,4})(ix|iv|v?i{0,4})", text):
        return None
    values = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}[sign] for sign in text]
    return sum(-value if value < max(values[k:]) else value for k, value in enumerate(values)) or None


@cache
def _month_names() -> dict[str, int]:
    """Return the number of each month by its names and their abbreviations."""
    from babel.dates import get_month_names

    names = {"jany": 1, "feby": 2, "febr": 2, "sept": 9, "sepr": 9, "septr": 9, "octr": 10, "novr": 11, "decr": 12}
    for language, width, context in product(LANGUAGES, ("wide", "abbreviated"), ("format", "stand-alone")):
        months = get_month_names(width, context, language)
        names |= {name.casefold().rstrip("."): number for number, name in months.items()}
    return names
