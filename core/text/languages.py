"""Describe the languages that the models read: their tokenizers, models, vectors, sentences and examples.

A language is one JSON file, languages/<code>.json, in the assets or in the folder ELMOSCOPE_DATA. The model decides which one is in use: its
meta.json names the language, or else it is English.
"""

import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from pathlib import Path

from ..common import i18n, reports
from ..common.config import ROOT
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import InThread, t
from ..common.markup import check_choice, shorten
from ..files import registry
from ..files.artifacts import read_json
from . import tokens
from .morphemes import morphemes
from .normalization import Choice, CutWord, fold_case, plain_word

LATIN = "LATIN"  # a script, as Unicode names it
_NO_SCRIPTS = ("MODIFIER", "MASCULINE", "FEMININE", "MICRO")  # of signs that occur in any script, as in n\u00ba and \u00b5m
FREQUENT = 20_000  # of the most frequent words: either part of a cut word may be a separate word
SHORTEST = 4  # letters of a second part that may
EXAMPLES = 3  # tokens that a message cites


TOKENIZERS: dict[str, Callable[[str, Choice], list[str]]] = {
    "words": tokens.tokenize,  # separates words and marks; good for most languages that write spaces
    "spaces": lambda sentence, _: [plain_word(token) for token in sentence.split()],  # for text that is cut already
    "morphemes-ko": morphemes,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language; only code and name are required."""

    code: str
    name: str  # in that language
    tokenizer: str = "words"  # a key of TOKENIZERS
    model: str = ""  # names in core.files.registry, used if they are on this machine
    vectors: str = ""
    sentences: str = ""  # our sense-labeled ones, a JSONL file
    basic: int = 0  # the corpus of that name is the first `basic` of its sentences; 0: all of them
    reference: str = ""  # the name of the others as a corpus, with which it is compared
    targets: str = ""  # the folder of assets that holds the table of all their labeled words, and maps
    corpus: tuple[str, ...] = ()  # the files under ELMOSCOPE_DATA that its model was trained on ...
    hold_out: float = 0.0  # ... but for this share of their lines, which measures it
    filters: tuple[tuple[int, int], ...] = ()  # (width in bytes, number) of a model's char-CNN, narrowest first; () as English
    license: str = "Not stated"  # of what is trained on its corpus
    examples: dict = field(default_factory=dict)  # by page
    words: dict = field(default_factory=dict)  # which words carry grammar, which several meanings: see core.text.target_word

    def tokenize(self, sentence: str) -> list[str]:
        """Return the tokens of one sentence."""
        return TOKENIZERS[self.tokenizer](sentence, self.joins)

    def joins(self, word: CutWord) -> bool:
        """Return whether a word that was cut in two is read without its hyphen.

        The spelling that is more frequent in the vectors decides; if they have neither, the hyphen stays only between two frequent words.
        """
        if word.is_soft or word.is_name:
            return word.is_soft
        ranks = ranks_of(self.vectors)
        left, right = fold_case(word.left), fold_case(word.right)
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
        """The scripts of the examples (LATIN, HANGUL ...); none without examples."""
        return scripts_of(json.dumps(self.examples.get("pairs", {}), ensure_ascii=False))

    def writes(self, word: str) -> bool:
        """Return whether the word is in the scripts of the examples. A language without examples takes any script."""
        return not self.scripts or scripts_of(word) <= self.scripts


_code: InThread[str] = InThread("content language")  # that text is read in
use, follow = _code.use, _code.follow


def reading(language: Language) -> AbstractContextManager[None]:
    """Return a context in which text is read as that language."""
    return _code.within(language.code)


def in_use() -> Language:
    """Return the language that text is read as."""
    code = _code.get() or i18n.ENGLISH
    return get_language(code) if code in codes() else get_language(i18n.ENGLISH)


def tokenize(sentence: str) -> list[str]:
    """Return the tokens of one sentence in the language in use."""
    return in_use().tokenize(sentence)


def codes() -> tuple[str, ...]:
    """Return the codes of all languages with a valid description, English first. They are searched for once."""
    return _usable(os.environ.get("ELMOSCOPE_DATA"))


def match_script(word: str) -> list[Language]:
    """Return the languages whose examples are written in the word's script."""
    languages = (get_language(code) for code in codes())
    return [language for language in languages if language.examples.get("pairs") and language.writes(word)]


def get_language(code: str) -> Language:
    """Return the language of a code. Raises BadInput, with the known codes, for an unknown one, or for an error in its file."""
    paths = _described(os.environ.get("ELMOSCOPE_DATA"))
    check_choice(t("language"), code, paths)
    return _read(paths[code])


def of_model(folder: str | Path) -> Language:
    """Return the language that a model (or vectors) was trained for, according to its meta.json; English if it names none that is described.

    An error in the language's description is raised: the model's answers to text read as English would be nonsense.
    """
    path = Path(folder) / "meta.json"
    code = str(read_json(path, expect=dict).get("language") if path.is_file() else "").lower()
    return get_language(next((name for name in _described(os.environ.get("ELMOSCOPE_DATA")) if name.lower() == code), i18n.ENGLISH))


@lru_cache(maxsize=16)
def _described(data: str | None) -> dict[str, Path]:
    """Return the file of each code. A bundled language takes precedence over one in the folder of local data."""
    folders = [*([Path(data, "languages")] if data else []), ROOT / "assets" / "languages"]
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.json"))}


@lru_cache(maxsize=16)
def _usable(data: str | None) -> tuple[str, ...]:
    names = set()
    for path in _described(data).values():
        with suppress(ElmoscopeError):  # `get_language` reports the error
            names.add(_read(path).code)
    return (i18n.ENGLISH, *sorted(names - {i18n.ENGLISH}))


@lru_cache(maxsize=64)
def _read(path: Path) -> Language:
    entries = read_json(path, expect=dict)
    accepted = {f.name for f in fields(Language)} - {"code"}
    if unknown := sorted(set(entries) - accepted):
        names = {"strange": ", ".join(unknown), "known": ", ".join(sorted(accepted))}
        raise BadInput(t("{path} has unknown {strange}; use {known}.", path=path, **names))
    if not isinstance(entries.get("name"), str) or not entries["name"].strip():
        raise BadInput(t('{path} names no language. Add "name": "Esperanto".', path=path))
    defaults = asdict(Language(code="", name=""))
    for key, value in entries.items():
        kind = {tuple: list, float: int | float}.get(type(defaults[key]), type(defaults[key]))
        if not isinstance(value, kind) or isinstance(value, bool):
            values = {"key": key, "value": shorten(json.dumps(value, ensure_ascii=False)), "form": json.dumps(defaults[key])}
            raise BadInput(t('{path}: "{key}" is {value}. Write it in the form {form}.', path=path, **values))
    if (folder := entries.get("targets")) and not re.fullmatch(r"\w[\w-]{0,60}", folder):
        raise BadInput(t('{path}: "targets" must be a folder in assets, not {name!r}.', path=path, name=shorten(folder)))
    if entries.get("tokenizer", "words") not in TOKENIZERS:
        names = {"name": entries["tokenizer"], "names": ", ".join(TOKENIZERS)}
        raise BadInput(t("{path}: unknown tokenizer {name!r}. Choose: {names}.", path=path, **names))
    try:
        entries["filters"] = tuple((int(width), int(count)) for width, count in entries.get("filters", ()))
    except (TypeError, ValueError):
        raise BadInput(t('{path}: "filters" must be pairs such as [[3, 64], [6, 128]].', path=path)) from None
    entries["corpus"] = tuple(map(str, entries.get("corpus", ())))
    return Language(code=path.stem, **entries)


@lru_cache(maxsize=65_536)
def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts of a text's letters, LATIN, HANGUL ...: the first word of each one's name in Unicode."""
    if text.isascii():
        return frozenset((LATIN,)) if any(map(str.isalpha, text)) else frozenset()
    counts = Counter(unicodedata.name(sign, "?").split()[0] for sign in set(text) if sign.isalpha())
    return frozenset(name for name, n in counts.items() if name not in _NO_SCRIPTS and (n > 1 or name != "GREEK"))  # \u03a9 is a unit


def ranks_of(vectors: str) -> dict[str, int]:
    """Return the frequency rank of each word from 0; {} while the vectors are not on this machine."""
    with suppress(ElmoscopeError, OSError):
        return _read_ranks(vectors) if vectors else {}
    return {}


@lru_cache(maxsize=4)
def _read_ranks(vectors: str) -> dict[str, int]:
    """Read the ranks; a failure is not cached, as the vectors may be downloaded later."""
    if registry.place_of(vectors, "vectors") is None:  # `resolve` would list all vectors for its message
        raise FileNotFoundError(vectors)
    listed = (registry.resolve(vectors, "vectors") / "words.txt").read_text(encoding="utf-8").split("\n")
    return {tokens.bare(word): k for k, word in reversed(list(enumerate(listed)))}


def unread(counts: Mapping[str, int], language: Language) -> Counter[str]:
    """Return the tokens in letters that the language's examples are not written in, with their counts.

    Latin letters in a language with another script are names and loans ("KBS"), unless most words are Latin.
    """
    scripts_read = language.scripts
    if not scripts_read:
        return Counter()
    foreign, latin, n_lettered = Counter(), Counter(), 0
    for token, n in counts.items():
        scripts = scripts_of(token)
        n_lettered += n * bool(scripts)
        if not scripts <= scripts_read:
            counter = latin if scripts <= {LATIN, *scripts_read} else foreign
            counter[tokens.bare(token)] += n
    return foreign + latin if 2 * latin.total() > n_lettered else foreign


def say_unread(counts: Mapping[str, int], language: Language) -> str:
    """Return a sentence on the tokens that the language's models cannot read; "" if they can read all."""
    unreadable = unread(counts, language)
    if not unreadable:
        return ""
    words = ", ".join(shorten(token, 20) for token, _ in unreadable.most_common(EXAMPLES)) + (", …" if len(unreadable) > EXAMPLES else "")
    values = {"n": unreadable.total(), "all": sum(counts.values()), "language": language.name, "words": words}
    return t("Tokens not in {language} letters: {n:,} of {all:,} ({words}). A model of {language} does not know them.", **values)


def note_unread(tokens: Iterable[str] | Mapping[str, int], language: Language, name: str = "") -> None:
    """Add a note on the tokens of a text that the language's models cannot read."""
    if text := say_unread(Counter(tokens), language):
        text = f"{name}: {text}" if name else text
        reports.add(text, text)
