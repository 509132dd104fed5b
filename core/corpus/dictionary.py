"""A dictionary beside a corpus: the senses that a WordNet has of a word, through the package `wn`, which is optional, where its data are here."""

import threading
from dataclasses import dataclass
from pathlib import Path

from ..common.errors import MissingArtifact
from ..common.i18n import t

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
