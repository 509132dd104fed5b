"""List the labeled words of a language with their sentences, and define their senses.

A language has one file of labeled sentences. Its first part is the corpus named `Language.sentences`, to be searched and indexed token by
token; the other part is `Language.reference`. The table of labeled words (core.index.tables) holds both.
Definitions are those of the labeled senses, in assets, and those of a WordNet, through the optional package `wn`.
"""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..common import config, i18n
from ..common.errors import CorruptArtifact, ElmoscopeError, MissingArtifact
from ..common.i18n import t
from ..files import registry
from ..files.artifacts import read_json
from . import languages
from .languages import Language
from .sentences import Sentence, Target, read_sentences


def sentences_of(corpus: str) -> Language | None:
    """Return the language whose labeled sentences a corpus is, or None."""
    return next((item for item in _languages() if corpus and item.sentences == corpus), None)


def owner_of(corpus: str) -> Language | None:
    """Return the language in whose file of labeled sentences a corpus is stored, or None."""
    return next((item for item in _languages() if corpus and corpus in (item.sentences, item.reference)), None)


def sentences_with(language: Language, lemma: str) -> list[Sentence]:
    """Return the labeled sentences of one word of a language as they are stored. Parses no other word's lines."""
    try:
        path = registry.resolve(language.sentences, "corpus")
    except ElmoscopeError:
        return []
    wanted = f'"lemma": {json.dumps(lemma, ensure_ascii=False)}'
    with path.open(encoding="utf-8") as file:
        return [_parse(line, number, language.sentences) for number, line in enumerate(file, 1) if wanted in line]


def words_of(language: Language) -> tuple[str, ...]:
    """Return every labeled word of a language in alphabetical order: the listed ones, or else those of its file."""
    if listed := list_words(language):
        return tuple(listed)
    try:
        sentences = read_sentences(registry.resolve(language.sentences, "corpus"))
    except ElmoscopeError:
        return ()
    return tuple(sorted({target.lemma for sentence in sentences for target in sentence.targets if target.lemma}))


def _languages() -> Iterator[Language]:
    return map(languages.get_language, languages.codes())


def _parse(line: str, number: int, name: str) -> Sentence:
    try:
        row = json.loads(line)
        target = Target(row["position"], row["tokens"][row["position"]], row["sense"], row["lemma"], row.get("pos"))
        return Sentence(tuple(row["tokens"]), (target,))
    except (ValueError, KeyError, IndexError, TypeError):
        message = t("Line {n} of {name} needs tokens, position, lemma and sense.", n=number, name=name)
        raise CorruptArtifact(message) from None


@dataclass(frozen=True, slots=True)
class Labeled:
    """A labeled word before any of its sentences is read."""

    themes: tuple[str, ...]  # subjects a person may look for it under
    senses: int
    pos: tuple[str, ...]
    part_of_speech: str  # its only one, or "several"


def list_words(language: Language) -> dict[str, Labeled]:
    """Return every labeled word of a language in alphabetical order; {} where they are not listed."""
    path = config.ASSETS / f"words-{language.code}.json"
    return _read_words(path, path.stat().st_mtime_ns) if path.is_file() else {}


def list_words_in(corpus: str) -> dict[str, Labeled]:
    """Return the labeled words of a language's own corpus; {} for any other corpus."""
    language = sentences_of(corpus)
    return list_words(language) if language else {}


@lru_cache(maxsize=4)
def _read_words(path: Path, changed: int) -> dict[str, Labeled]:
    """Read a list of words; `changed` is the time of its last change."""
    words = read_json(path, expect=dict)
    several = {word: item["pos"][0] if len(item["pos"]) == 1 else "several" for word, item in words.items()}
    return {word: Labeled(tuple(item["themes"]), item["senses"], tuple(item["pos"]), several[word]) for word, item in sorted(words.items())}


def definition(language: Language, word: str, sense: str) -> str:
    """Return a sense's definition in the user's language, else in the word's language, else in any other; "" if it has none."""
    entry = _senses(language).get(word, {}).get(sense, {})
    texts = {code: text for code, text in entry.items() if code != "pos"}
    return next((texts[code] for code in (i18n.language(), language.code, *texts) if code in texts), "")


def definitions(language: Language, word: str) -> dict[str, str]:
    """Return the definition of each sense of a word that has one."""
    return {sense: text for sense in _senses(language).get(word, {}) if (text := definition(language, word, sense))}


def every(language: Language) -> list[tuple[str, str, str]]:
    """Return (word, sense, definition) of all defined senses, by word."""
    return [(word, *item) for word in sorted(_senses(language)) for item in definitions(language, word).items()]


def _senses(language: Language) -> dict[str, dict[str, dict[str, str]]]:
    """Return for each word and sense the part of speech, "pos", and the definitions by language code."""
    path = config.ASSETS / f"senses-{language.code}.json"
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else {}


@lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> dict[str, dict[str, dict[str, str]]]:
    """Read a file of definitions; `changed` is the time of its last change."""
    return read_json(path, expect=dict)


PACKAGE, LEXICON = "wn==1.1.1", "oewn:2024"  # what to install, and to download
_WN_LOCK = threading.Lock()  # wn has one connection for all threads


@dataclass(frozen=True, slots=True)
class DictionarySense:
    """One of a word's senses, in the dictionary's order."""

    number: str  # its identifier in the dictionary
    pos: str
    gloss: str
    words: tuple[str, ...]  # that share it, including this one
    examples: tuple[str, ...]


def dictionary_senses(word: str, language: str) -> tuple[str, tuple[DictionarySense, ...]]:
    """Return the lexicon's name and the word's senses. Raises MissingArtifact without the package, its data, or a lexicon of the language."""
    try:
        import wn
    except ImportError as error:
        raise MissingArtifact(
            t("WordNet needs the package wn ({error}). Run: pip install {package}", error=error, package=PACKAGE)
        ) from None
    with _WN_LOCK:
        wn.config.allow_multithreading = True  # pages run in threads; before the first connection
        if not Path(wn.config.database_path).is_file():  # looking would make an empty one
            raise _no_data(language)
        lexicons = sorted((lexicon.specifier() for lexicon in wn.lexicons(lang=language)), key=lambda name: not name.startswith("oewn"))
        if not lexicons:
            raise _no_data(language)
        senses = wn.Wordnet(lexicons[0], expand="").synsets(word)
        return lexicons[0], tuple(
            DictionarySense(sense.id, sense.pos, sense.definition() or "", tuple(sense.lemmas()), tuple(sense.examples()))
            for sense in senses
        )


def _no_data(language: str) -> MissingArtifact:
    if language == "en":
        return MissingArtifact(t("No WordNet here. Run: python -m wn download {lexicon}", lexicon=LEXICON))
    return MissingArtifact(t("No WordNet of this language here. What there is: python -m wn projects"))
