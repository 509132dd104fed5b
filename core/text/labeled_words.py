"""The labeled words of a language: which there are, and the sentences of one of them.

A language has one file of labeled sentences. Its first part is the corpus named `Language.sentences`, to be searched and indexed token by
token; the other part is `Language.reference`. The table of labeled words (core.index.tables) holds both.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..common import config
from ..common.errors import CorruptArtifact, ElmoscopeError
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
