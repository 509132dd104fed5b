"""The interface in the reader's language, by gettext: English sentences are their own keys, `assets/texts/<language>.po` holds the others.

What is read here is the .mo beside it, which `python -m core.lab texts` compiles (see core.common.translations). Both sides of an
entry may hold named places, "{word}" or "{share:.0%}", and are filled by `str.format`. A sentence that a catalog lacks stays
English. Korean particles follow the sound of the word before them: "{word:은/는}" takes the one that fits, and writes "은(는)"
where a spelling does not tell.
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
    """What is in use in this thread; a source is asked in threads that were told nothing: parts of a page run again in new ones."""

    def __init__(self, name: str) -> None:
        self._value: ContextVar[T | None] = ContextVar(name, default=None)
        self._source: Callable[[], T | None] = lambda: None

    def use(self, value: T | None) -> None:
        """From now on; None forgets it."""
        self._value.set(value)

    def follow(self, source: Callable[[], T | None]) -> None:
        """Ask `source` where no `use` said it."""
        self._source = source

    @contextmanager
    def within(self, value: T) -> Iterator[None]:
        """For a while."""
        token = self._value.set(value)
        try:
            yield
        finally:
            self._value.reset(token)

    def get(self) -> T | None:
        return self._value.get() or self._source()


_language: InThread[str] = InThread("language")  # in which `t` answers
use, follow, within = _language.use, _language.follow, _language.within


def language() -> str:
    """The language in use: "en", or the name of a catalog."""
    name = _language.get()
    return name if name in _catalogs(os.environ.get("ELMOSCOPE_DATA")) else ENGLISH


def languages() -> tuple[str, ...]:
    """English and every language there is a catalog for, among the assets or in the folder ELMOSCOPE_DATA."""
    return (ENGLISH, *_catalogs(os.environ.get("ELMOSCOPE_DATA")))


def catalog(language: str) -> NullTranslations:
    """What answers `gettext` and `ngettext` in that language; with the English itself where it is English, or its file is damaged."""
    return _ENGLISH if language == ENGLISH else _read(_catalogs(os.environ.get("ELMOSCOPE_DATA"))[language])


def damaged(language: str) -> str:
    """The name of that language's file of texts where it cannot be read, so that pages are in English; else ""."""
    path = _catalogs(os.environ.get("ELMOSCOPE_DATA")).get(language)
    return path.name if path and _read(path) is _ENGLISH else ""


@lru_cache(maxsize=16)
def _catalogs(data: str | None) -> dict[str, Path]:
    """Language -> its file: ours, compiled; in the folder of local data the newer of a .po and a .mo."""
    own = sorted((Path(data) / "texts").glob("[!.]*.[mp]o"), key=lambda path: path.stat().st_mtime_ns) if data else []
    return {path.stem: path for path in sorted([*own, *FOLDER.glob("[!.]*.mo")], key=lambda path: path.stem)}


@lru_cache(maxsize=16)
def _read(path: Path) -> NullTranslations:
    try:
        if path.suffix == ".mo":
            return GNUTranslations(io.BytesIO(path.read_bytes()))
        from . import translations

        return GNUTranslations(io.BytesIO(translations.compiled(translations.read(path))))
    except (OSError, ValueError, TypeError, LookupError, RecursionError, struct.error, ElmoscopeError):
        return _ENGLISH


def t(text: str, /, **values: object) -> str:
    """`text` in the language in use, its places filled with `values`; HTML (Markup) where it holds a tag or a value is HTML. `text` must be
    a literal, so that a test can ask every catalog for it. Braces meant as such are doubled, as in `str.format`."""
    return _filled(text, say(text), values)


def tn(singular: str, plural: str, count: int, /, **values: object) -> str:
    """`t` of the form that `count` asks for in the language in use (gettext's ngettext); it fills the place "{n}" where `values` do not."""
    english = singular if count == 1 else plural
    return _filled(english, catalog(language()).ngettext(singular, plural, int(count)), {"n": count} | values)


def say(name: str) -> str:
    """A name that stands elsewhere in English, as a column's or a measure's: in the language in use where its catalog has it, as it is."""
    return catalog(language()).gettext(name) if name else name  # gettext's answer to "" is the catalog's header


def _filled(english: str, translated: str, values: Mapping[str, object]) -> str:
    if "{" not in translated and "}" not in translated:  # most texts: a page asks for hundreds
        return Markup(translated) if "<" in english and _TAG.search(english) else translated  # noqa: S704
    formatter = _HTML if _TAG.search(english) or any(isinstance(value, Markup) for value in values.values()) else _FORMATTER
    try:
        return formatter.vformat(translated, (), values)
    except (LookupError, ValueError, AttributeError, TypeError):
        if translated == english:
            raise
        return formatter.vformat(english, (), values)  # a damaged translation: a page in English is better than none


def format_number(value: float, form: str = "") -> str:
    """A number as figures write it: its minus is −, and what rounds to zero has none.

    >>> format_number(-0.056, "+.2f"), format_number(-0.004, ".2f")
    ('−0.06', '0.00')
    """
    text = format(value, form)
    if not text.startswith("-"):
        return text
    return f"−{text[1:]}" if any(digit in text for digit in "123456789") else text[1:]


class _Formatter(string.Formatter):
    """str.format, and a format of "a/b" that appends the particle which the value asks for; of "”a/b" behind a closing quotation mark."""

    def format_field(self, value, format_spec: str) -> str:
        closed, slash, open_ = format_spec.partition("/")
        if not slash:
            return (
                format_number(value, format_spec) if format_spec and isinstance(value, Real) else super().format_field(value, format_spec)
            )
        mark = closed[: closed.startswith("”")]
        return f"{value}{mark}{particle(str(value), closed.removeprefix(mark), open_)}"


class _Html(_Formatter):
    """It makes HTML, as core.common.markup.html does."""

    def vformat(self, format_string: str, args, kwargs) -> Markup:
        return Markup(super().vformat(format_string, args, kwargs))  # noqa: S704

    def format_field(self, value, format_spec: str) -> str:
        text = super().format_field(value, format_spec)
        return text if isinstance(value, Markup) else escape(text)


_TAG = re.compile(r"</?[a-z]")
_FORMATTER, _HTML = _Formatter(), _Html()


def particle(word: str, closed: str, open_: str) -> str:
    """Of two Korean particles (은/는, 이/가, 을/를, 과/와, 으로/로) the one that follows `word`; both, "은(는)", where that is unknown.

    `closed` follows a final consonant, `open_` a vowel; 으로 and 로 count a final ㄹ as a vowel. Signs after the last letter,
    as a closing quotation mark, are passed over.
    """
    last = next((c for c in reversed(word) if c.isalnum()), "")
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
        has_consonant, is_l = final != 0, final == 8
    elif last.isascii() and last.isdigit():
        has_consonant, is_l = last in _CLOSED_DIGITS, last in _L_DIGITS
    else:
        return f"{closed}({open_})" if not closed.endswith(open_) else f"({closed.removesuffix(open_)}){open_}"
    return closed if has_consonant and not (is_l and closed == "으로") else open_
