"""Translate the interface by gettext: English sentences are the keys, `assets/texts/<language>.po` holds the others.

The .mo files next to them are read, which `python -m core.lab texts` compiles (see core.common.catalogs). Both sides of an
entry may have placeholders, "{word}" or "{share:.0%}", filled by `str.format`. A sentence missing from a catalog stays
English. Korean particles follow the sound of the word before them: "{word:은/는}" selects the right one, and writes "은(는)"
if the spelling does not determine it.
"""

from __future__ import annotations

import io
import os
import re
import string
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from numbers import Real
from pathlib import Path
from typing import Generic, TypeVar

from markupsafe import Markup, escape

from .errors import ElmoscopeError

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "texts"
ENGLISH = "en"
T = TypeVar("T")
_ENGLISH = NullTranslations()
# The digits whose Korean name ends in a consonant (영 일 삼 육 칠 팔); of these 일, 칠 and 팔 end in ㄹ.
_CLOSED_DIGITS, _L_DIGITS = frozenset("013678"), frozenset("178")


class InThread(Generic[T]):
    """A value per thread. In threads without one, a source supplies it, because parts of a page run again in new threads."""

    def __init__(self, name: str) -> None:
        self._value: ContextVar[T | None] = ContextVar(name, default=None)
        self._source: Callable[[], T | None] = lambda: None

    def use(self, value: T | None) -> None:
        """Set the value of this thread; None clears it."""
        self._value.set(value)

    def follow(self, source: Callable[[], T | None]) -> None:
        """Use `source` in threads without a value."""
        self._source = source

    @contextmanager
    def within(self, value: T) -> Iterator[None]:
        """Set the value within the context."""
        token = self._value.set(value)
        try:
            yield
        finally:
            self._value.reset(token)

    def get(self) -> T | None:
        """Return the value of this thread, or that of the source."""
        return self._value.get() or self._source()


_language: InThread[str] = InThread("language")  # in which `t` answers
use, follow, within = _language.use, _language.follow, _language.within


def language() -> str:
    """Return the selected language: "en", or the name of a catalog."""
    name = _language.get()
    return name if name in languages() else ENGLISH


def languages() -> tuple[str, ...]:
    """Return English and every language with a catalog in the assets or in the folder ELMOSCOPE_DATA."""
    return (ENGLISH, *_catalogs(os.environ.get("ELMOSCOPE_DATA")))


def catalog(language: str) -> NullTranslations:
    """Return the translations of a language, or the English texts if it is English or its file is damaged."""
    return _ENGLISH if language == ENGLISH else _read(_catalogs(os.environ.get("ELMOSCOPE_DATA"))[language])


def damaged(language: str) -> str:
    """Return the name of a language's file of texts if it cannot be read, so that pages are in English; else ""."""
    path = _catalogs(os.environ.get("ELMOSCOPE_DATA")).get(language)
    return path.name if path and _read(path) is _ENGLISH else ""


@lru_cache(maxsize=16)
def _catalogs(data: str | None) -> dict[str, Path]:
    """Return the file of each language: the bundled compiled one, or in the folder of local data the newer of .po and .mo."""
    local = sorted((Path(data) / "texts").glob("[!.]*.[mp]o"), key=lambda path: path.stat().st_mtime_ns) if data else []
    files = {path.stem: path for path in (*local, *FOLDER.glob("[!.]*.mo"))}  # the last of a language counts
    return dict(sorted(files.items()))


@lru_cache(maxsize=16)
def _read(path: Path) -> NullTranslations:
    try:
        if path.suffix == ".mo":
            return GNUTranslations(io.BytesIO(path.read_bytes()))
        from . import catalogs

        return GNUTranslations(io.BytesIO(catalogs.compiled(catalogs.read(path))))
    except (OSError, ValueError, TypeError, LookupError, RecursionError, struct.error, ElmoscopeError):
        return _ENGLISH


def t(text: str, /, **values: object) -> str:
    """Translate `text` into the selected language and fill its placeholders with `values`.

    The result is HTML (Markup) if the text has a tag or a value is HTML. `text` must be a literal, so that a test can check every catalog.
    Literal braces are doubled, as in `str.format`.
    """
    return _filled(text, say(text), values)


def tn(singular: str, plural: str, count: int, /, **values: object) -> str:
    """Translate the plural form for `count` (gettext's ngettext). It fills "{n}" if `values` do not."""
    english = singular if count == 1 else plural
    return _filled(english, catalog(language()).ngettext(singular, plural, int(count)), {"n": count} | values)


def say(name: str) -> str:
    """Translate an English name that is defined elsewhere, such as a column's, if its catalog has it."""
    return catalog(language()).gettext(name) if name else name  # gettext's answer to "" is the catalog's header


def _filled(english: str, translated: str, values: Mapping[str, object]) -> str:
    if "{" not in translated and "}" not in translated:  # as in most texts, of which a page has hundreds
        return Markup(translated) if "<" in english and _TAG.search(english) else translated  # noqa: S704
    formatter = _HTML if _TAG.search(english) or any(isinstance(value, Markup) for value in values.values()) else _FORMATTER
    try:
        return formatter.vformat(translated, (), values)
    except (LookupError, ValueError, AttributeError, TypeError):
        if translated == english:
            raise
        return formatter.vformat(english, (), values)  # a damaged translation: a page in English is better than none


def format_number(value: float, form: str = "") -> str:
    """Format a number for figures: with − as minus, and without it for numbers that round to zero.

    >>> format_number(-0.056, "+.2f"), format_number(-0.004, ".2f")
    ('−0.06', '0.00')
    """
    text = format(value, form)
    if not text.startswith("-"):
        return text
    return f"−{text[1:]}" if any(digit in text for digit in "123456789") else text[1:]


def format_rate(rate: float) -> str:
    """Format a rate as a whole number from 10 up, with two digits below, so that a rare word's rate is not 0.

    >>> format_rate(1234.5), format_rate(0.512), format_rate(0)
    ('1,234', '0.51', '0')
    """
    return f"{rate:,.0f}" if rate >= 10 or not rate else f"{rate:.2g}"


class _Formatter(string.Formatter):
    """str.format with a format "a/b" that appends the particle the value needs, and "”a/b" after a closing quotation mark."""

    def format_field(self, value, format_spec: str) -> str:
        closed, slash, open_ = format_spec.partition("/")
        if slash:
            mark = closed[: closed.startswith("”")]
            return f"{value}{mark}{particle(str(value), closed.removeprefix(mark), open_)}"
        return format_number(value, format_spec) if format_spec and isinstance(value, Real) else super().format_field(value, format_spec)


class _Html(_Formatter):
    """A formatter that returns HTML, like core.common.markup.html."""

    def vformat(self, format_string: str, args, kwargs) -> Markup:
        return Markup(super().vformat(format_string, args, kwargs))  # noqa: S704

    def format_field(self, value, format_spec: str) -> str:
        text = super().format_field(value, format_spec)
        return text if isinstance(value, Markup) else escape(text)


_TAG = re.compile(r"</?[a-z]")
_FORMATTER, _HTML = _Formatter(), _Html()


def particle(word: str, closed: str, open_: str) -> str:
    """Return the one of two Korean particles (은/는, 이/가, 을/를, 과/와, 으로/로) that follows `word`, or both ("은(는)") if unknown.

    `closed` follows a final consonant, `open_` a vowel; 으로 and 로 treat a final ㄹ as a vowel. Signs after the last letter, such as a closing
    quotation mark, are skipped.
    """
    last = next((c for c in reversed(word) if c.isalnum()), "")
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
        has_consonant, is_l = final != 0, final == 8
    elif last.isascii() and last.isdigit():
        has_consonant, is_l = last in _CLOSED_DIGITS, last in _L_DIGITS
    elif last and last in "aiouAIOU":  # "ELMo"
        has_consonant, is_l = False, False
    else:
        return f"{closed}({open_})" if not closed.endswith(open_) else f"({closed.removesuffix(open_)}){open_}"
    return closed if has_consonant and not (is_l and closed == "으로") else open_
