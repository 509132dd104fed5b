"""What each labeled sense of a language's words means, in a line. From assets: senses-<language>.json for its own words, <name of their
sentences>-senses.json for the further ones."""

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
    """A sense's definition in the reader's language, else in the word's own, else in any there is; "" where nobody wrote one."""
    entry = _senses(language).get(word, {}).get(sense, {})
    texts = {code: text for code, text in entry.items() if code != "pos"}
    return next((texts[code] for code in (i18n.language(), language.code, *texts) if code in texts), "")


def definitions(language: Language, word: str) -> dict[str, str]:
    """Each sense of a word that has one, with its definition."""
    return {sense: text for sense in _senses(language).get(word, {}) if (text := definition(language, word, sense))}


def every(language: Language) -> list[tuple[str, str, str]]:
    """(word, sense, definition) of all that are defined, by word."""
    return [(word, *item) for word in sorted(_senses(language)) for item in definitions(language, word).items()]


def _senses(language: Language) -> dict[str, dict[str, dict[str, str]]]:
    """Word -> sense -> {"pos", and a definition by the code of the language it is written in}."""
    names = [f"senses-{language.code}.json", *([f"{language.more_sentences}-senses.json"] if language.more_sentences else [])]
    paths = [path for name in names if (path := config.ASSETS / name).is_file()]
    return _read(tuple((path, path.stat().st_mtime_ns) for path in paths))


@lru_cache(maxsize=4)
def _read(files: tuple[tuple[Path, int], ...]) -> dict[str, dict[str, dict[str, str]]]:
    """Of files last changed then."""
    return {word: senses for path, _ in files for word, senses in read_json(path, expect=dict).items()}


PACKAGE, LEXICON = "wn==1.1.1", "oewn:2024"  # what to install, and to download
_ONE = threading.Lock()  # wn keeps one connection for all


@dataclass(frozen=True, slots=True)
class DictionarySense:
    """One of a word's senses, in the dictionary's order."""

    number: str  # its name in the dictionary
    pos: str
    gloss: str
    words: tuple[str, ...]  # that share it, the word itself among them
    examples: tuple[str, ...]


def dictionary_senses(word: str, language: str) -> tuple[str, tuple[DictionarySense, ...]]:
    """(the lexicon's name, the word's senses there); MissingArtifact where the package, its data, or a lexicon of the language is not here."""
    try:
        import wn
    except ImportError as error:
        raise MissingArtifact(
            t("WordNet needs the package wn ({error}). Run: pip install {package}", error=error, package=PACKAGE)
        ) from None
    with _ONE:
        wn.config.allow_multithreading = True  # pages run in threads; before the first connection
        if not Path(wn.config.database_path).is_file():  # looking would make an empty one
            raise _no_data(language)
        here = sorted((lexicon.specifier() for lexicon in wn.lexicons(lang=language)), key=lambda name: not name.startswith("oewn"))
        if not here:
            raise _no_data(language)
        senses = wn.Wordnet(here[0], expand="").synsets(word)
        return here[0], tuple(
            DictionarySense(each.id, each.pos, each.definition() or "", tuple(each.lemmas()), tuple(each.examples())) for each in senses
        )


def _no_data(language: str) -> MissingArtifact:
    if language == "en":
        return MissingArtifact(t("No WordNet here. Run: python -m wn download {lexicon}", lexicon=LEXICON))
    return MissingArtifact(t("No WordNet of this language here. What there is: python -m wn projects"))
