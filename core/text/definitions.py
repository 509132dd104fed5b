"""Look up definitions of senses: those of a language's labeled senses, in assets, and those of a WordNet.

WordNets are read through the optional package `wn`, if their data are on this machine.
"""

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..common import config, i18n
from ..common.errors import MissingArtifact
from ..common.i18n import t
from ..files.artifacts import read_json
from .languages import Language


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
