"""The languages that the models read: how each becomes tokens, and which model, vectors, sentences and examples are its own.

A language is one JSON file, languages/<code>.json, among the assets or in the folder ELMOSCOPE_DATA: nothing else of `core` knows
one by name. Which is in use follows from the model: the one its meta.json names, English where it names none.
"""

import json
import os
import re
import unicodedata
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path

from ..common import i18n
from ..common.config import ROOT
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import InThread, t
from ..common.markup import shorten
from ..files.artifacts import read_json
from . import tokens
from .composed import folded, plain_word
from .legible import Choice, CutWord
from .morphemes import morphemes
from .word_ranks import ranks_of

LATIN = "LATIN"  # a script, as Unicode names it
FREQUENT = 20_000  # of the most frequent words: either part of a cut word may stand alone
SHORTEST = 4  # letters of a second part that may


def _at_blanks(sentence: str, _choose: Choice) -> list[str]:
    return [plain_word(token) for token in sentence.split()]


TOKENIZERS: dict[str, Callable[[str, Choice], list[str]]] = {
    "words": tokens.tokenize,  # words and marks apart; good for most languages that write spaces
    "spaces": _at_blanks,  # for text that is cut already
    "morphemes-ko": morphemes,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language; only code and name must be given."""

    code: str
    name: str  # as its readers call it
    tokenizer: str = "words"  # a key of TOKENIZERS
    model: str = ""  # names in core.files.registry, used where they are on this machine
    vectors: str = ""
    sentences: str = ""  # our own sense-labeled ones
    more_sentences: str = ""  # those of many more words, read by the word: see core.text.labeled_words
    targets: str = ""  # the folder of assets that holds the table and the maps of those sentences
    corpus: tuple[str, ...] = ()  # the files under ELMOSCOPE_DATA that its model was trained on ...
    hold_out: float = 0.0  # ... but for this share of their lines, which measures it
    filters: tuple[tuple[int, int], ...] = ()  # (width in bytes, number) of a model's char-CNN, narrowest first; () as English
    license: str = "Not stated"  # of what is trained on its corpus
    examples: dict = field(default_factory=dict)  # by page
    words: dict = field(default_factory=dict)  # which words carry grammar, which several meanings: see core.text.word_in_question

    def tokenize(self, sentence: str) -> list[str]:
        """Return the tokens of one sentence."""
        return TOKENIZERS[self.tokenizer](sentence, self.joins)

    def joins(self, word: CutWord) -> bool:
        """Whether a word that was cut in two is read without its hyphen: as its vectors' list has it, else unless both parts are words."""
        if word.is_soft or word.is_name:
            return word.is_soft
        ranks = ranks_of(self.vectors)
        left, right = folded(word.left), folded(word.right)
        joined, hyphened = ranks.get(left + right), ranks.get(f"{left}-{right}")
        if not word.is_line_end:  # "impor- tance", but not "long- and short-term"
            return joined is not None and joined < ranks.get(right, len(ranks))
        if joined is not None or hyphened is not None:
            return hyphened is None or (joined is not None and joined < hyphened)
        if "-" in left + right:  # self-impor-tance, state-of-the-art
            return left.rpartition("-")[2] + right.partition("-")[0] in ranks
        return len(right) < SHORTEST or any(ranks.get(part, FREQUENT) >= FREQUENT for part in (left, right))

    @property
    def scripts(self) -> frozenset[str]:
        """The scripts, LATIN, HANGUL ..., that the examples are written in; none without examples."""
        return scripts_of(json.dumps(self.examples.get("pairs", {}), ensure_ascii=False))

    def writes(self, word: str) -> bool:
        """Whether the word's letters are of scripts that the examples are written in; of a language without examples any are."""
        return not self.scripts or scripts_of(word) <= self.scripts


_code: InThread[str] = InThread("content language")  # as which text is read
use, follow = _code.use, _code.follow


def reading(language: Language) -> AbstractContextManager[None]:
    """Read text as that language within."""
    return _code.within(language.code)


def in_use() -> Language:
    """The language that text is read as."""
    code = _code.get() or i18n.ENGLISH
    return get_language(code) if code in codes() else get_language(i18n.ENGLISH)


def tokenize(sentence: str) -> list[str]:
    """Tokens of one sentence in the language in use."""
    return in_use().tokenize(sentence)


def codes() -> tuple[str, ...]:
    """English first, then every language whose description can be used; what is described is looked for once."""
    return _usable(os.environ.get("ELMOSCOPE_DATA"))


def that_write(word: str) -> list[Language]:
    """The languages whose examples are written in the word's script."""
    languages = (get_language(code) for code in codes())
    return [language for language in languages if language.examples.get("pairs") and language.writes(word)]


def get_language(code: str) -> Language:
    """The language of that code; BadInput names the codes there are, or what is wrong with its file."""
    path = _described(os.environ.get("ELMOSCOPE_DATA")).get(code)
    if path is None:
        values = {"code": shorten(code), "codes": ", ".join(codes())}
        raise BadInput(t("Unknown language '{code}'. Choose: {codes}.", **values))
    return _read(path)


def of_model(folder: str | Path) -> Language:
    """The language that a model (or vectors) was trained for, as the meta.json of its folder names it; English where none is described.
    What is wrong with a described one is an error here: read as English, the model would answer nonsense."""
    path = Path(folder) / "meta.json"
    code = read_json(path, expect=dict).get("language") if path.is_file() else None
    return get_language(code if code in _described(os.environ.get("ELMOSCOPE_DATA")) else i18n.ENGLISH)


@lru_cache(maxsize=16)
def _described(data: str | None) -> dict[str, Path]:
    """Code -> file; where the folder of local data describes a language that we do, ours."""
    folders = [base / "languages" for base in (Path(data) if data else None, ROOT / "assets") if base]
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.json"))}


@lru_cache(maxsize=16)
def _usable(data: str | None) -> tuple[str, ...]:
    names = set()
    for path in _described(data).values():
        with suppress(ElmoscopeError):  # who names it is told what is wrong
            names.add(_read(path).code)
    return (i18n.ENGLISH, *sorted(names - {i18n.ENGLISH}))


@lru_cache(maxsize=64)
def _read(path: Path) -> Language:
    entries = read_json(path, expect=dict)
    known = {f.name for f in fields(Language)} - {"code"}
    if strange := sorted(set(entries) - known):
        names = {"strange": ", ".join(strange), "known": ", ".join(sorted(known))}
        raise BadInput(t("{path} has unknown {strange}; use {known}.", path=path, **names))
    if not isinstance(entries.get("name"), str) or not entries["name"].strip():
        raise BadInput(t('{path} names no language. Add "name": "Esperanto".', path=path))
    if (folder := entries.get("targets")) and not re.fullmatch(r"\w[\w-]{0,60}", str(folder)):
        raise BadInput(t('{path}: "targets" must be a folder in assets, not {name!r}.', path=path, name=shorten(folder)))
    if entries.get("tokenizer", "words") not in TOKENIZERS:
        names = {"name": entries["tokenizer"], "names": ", ".join(TOKENIZERS)}
        raise BadInput(t("{path}: unknown tokenizer {name!r}. Choose: {names}.", path=path, **names))
    try:
        entries["filters"] = tuple((int(width), int(count)) for width, count in entries.get("filters", ()))
    except (TypeError, ValueError):
        wrong = t('{path}: "filters" must be pairs such as [[3, 64], [6, 128]].', path=path)
        raise BadInput(wrong) from None
    entries["corpus"] = tuple(map(str, entries.get("corpus", ())))
    return Language(code=path.stem, **entries)


@lru_cache(maxsize=65_536)
def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts of a text's letters, LATIN, HANGUL ...: the first word of each one's name in Unicode."""
    if text.isascii():
        return frozenset((LATIN,)) if any(map(str.isalpha, text)) else frozenset()
    return frozenset(unicodedata.name(sign, "?").split()[0] for sign in set(text) if sign.isalpha())
