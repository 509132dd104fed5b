"""The words whose senses are labeled beyond a language's own sentences: which there are, and the sentences of one of them.

The name of a corpus says whose labeled sentences stand beside a language's own: "sentences+python" those of that word,
"sentences+more-words" those of all. One word's are read out of the file without reading the others': 40 lines, not 14,000.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import nullcontext
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
from .normalization import fold_case
from .readings import dictionary_forms, is_separate_word
from .sentences import Sentence, Target
from .tokens import bare

MARK = "+"
_FORM = re.compile(r'"word": ("(?:[^"\\]|\\.)*"), "lemma": ("(?:[^"\\]|\\.)*")')


def sentences_of(corpus: str) -> Language | None:
    """The language whose own labeled sentences a corpus is, alone or with those of further words, or None."""
    name = corpus.partition(MARK)[0]
    own = next((item for item in map(languages.get_language, languages.codes()) if item.sentences == name), None)
    return own if own and (name == corpus or own.more_sentences) else None


def parts(corpus: str) -> tuple[str, tuple[str, ...]]:
    """ "sentences+jaguar+python" -> ("sentences", ("jaguar", "python")); any other corpus by itself, with ()."""
    if sentences_of(corpus) is None:
        return corpus, ()
    name, *added = corpus.split(MARK)
    return name, tuple(added)


def with_words(corpus: str, words: Iterable[str]) -> str:
    """The corpus with the labeled sentences of those words, in any of their forms, where it is a language's own; else as it is."""
    language = sentences_of(corpus)
    if language is None or not language.more_sentences:
        return corpus
    name, added = parts(corpus)
    if language.more_sentences in added:
        return corpus
    lemmas = {lemma for word in words for lemma in lemmas_of(language, word)}
    return MARK.join([name, *sorted({*added, *lemmas})])


def corpus_for(corpus: str, words: Iterable[str], known: Callable[[str], Collection[str]]) -> str:
    """As `with_words`, but the file of the many words is looked into only for a word that is not among the `known` of the language's own
    labeled sentences, which are asked for by their name."""
    if not sentences_of(corpus):
        return corpus
    own = known(parts(corpus)[0])
    others = [word for word in map(bare, words) if word and fold_case(word) not in own]
    return with_words(corpus, others) if others else corpus


def with_all(corpus: str) -> str:
    """The corpus with the labeled sentences of every further word, where it is a language's own; else as it is."""
    language = sentences_of(corpus)
    return MARK.join((parts(corpus)[0], language.more_sentences)) if language and language.more_sentences else corpus


def indexed(corpus: str) -> str:
    """The corpus whose every token is read where all words of one are asked for: a language's own without the labeled sentences of
    single further words, which stand beside its table, or with those of all of them."""
    return corpus if with_all(corpus) == corpus else parts(corpus)[0]


def lemmas_of(language: Language, word: str) -> tuple[str, ...]:
    """The further labeled words that a form belongs to: "pythons" -> ("python",), "shot" -> ("shoot", "shot"); () where it is none's.

    A form that stands in none of their sentences is told by its ending, as "써야겠다" is of "쓰다". A word of its own is a form of no
    other (core.text.readings).
    """
    if (path := _path(language.more_sentences)) is None:
        return ()
    known = _forms(path, path.stat().st_mtime_ns)
    form = fold_case(word)
    if is_separate_word(form):
        return (form,) if form in known.get(form, ()) else ()
    if form in known:
        return known[form]
    return next(((dictionary_form,) for dictionary_form in dictionary_forms(form) if dictionary_form in known.get(dictionary_form, ())), ())


def words_of(language: Language) -> tuple[str, ...]:
    """Every labeled word of a language, its own and the further ones, in alphabetical order."""
    paths = [path for _, path in _files(language)]
    return tuple(sorted({word for path in paths for words in _forms(path, path.stat().st_mtime_ns).values() for word in words}))


def sentences_with(language: Language, lemma: str) -> list[Sentence]:
    """The labeled sentences of one of a language's words, its own or a further one, as they are stored."""
    wanted = f'"lemma": {json.dumps(lemma, ensure_ascii=False)}'
    results = []
    for name, path in _files(language):
        with path.open(encoding="utf-8") as file:
            results += [_sentence(line, number, name) for number, line in enumerate(file, 1) if wanted in line]
    return results


def further_with(corpus: str, word: str) -> int:
    """How many labeled sentences of the further words have this word, not counting those that the corpus names already."""
    language = sentences_of(corpus)
    stored = json.dumps(fold_case(word), ensure_ascii=False)
    n = 0
    path = _path(language.more_sentences) if language and with_all(corpus) != corpus else None
    named = [f'"lemma": {json.dumps(item, ensure_ascii=False)}' for item in parts(corpus)[1]]
    with path.open(encoding="utf-8") if path else nullcontext(()) as lines:
        for line in lines:
            tokens, _, rest = line.partition('"position":')  # a token of that spelling has no colon
            n += stored in tokens.casefold() and not any(item in rest for item in named)
    return n


@dataclass(frozen=True, slots=True)
class Further:
    """What the further labeled words add to a corpus."""

    counts: dict[str, int]  # sentences with each of the words asked about that has any
    n_words: int  # of the language, its own and the further ones
    corpus: str  # with all of them


def further_sentences(corpus: str, words: Iterable[str]) -> Further:
    """How many more labeled sentences have each of these words, however they are written, and the corpus that they are in."""
    spellings = dict.fromkeys(bare(word).casefold() for word in words)
    counts = {word: n for word in spellings if word and (n := further_with(corpus, word))}
    return Further(counts, len(list_words_in(corpus)), with_all(corpus))


def _files(language: Language) -> list[tuple[str, Path]]:
    """Names and files of the language's labeled sentences: its own, and those of the further words."""
    return [(name, path) for name in (language.sentences, language.more_sentences) if (path := _path(name))]


def _sentence(line: str, number: int, name: str) -> Sentence:
    try:
        row = json.loads(line)
        target = Target(row["position"], row["tokens"][row["position"]], row["sense"], row["lemma"], row.get("pos"))
        return Sentence(tuple(row["tokens"]), (target,))
    except (ValueError, KeyError, IndexError, TypeError):
        message = t("Line {n} of {name} needs tokens, position, lemma and sense.", n=number, name=name)
        raise CorruptArtifact(message) from None


def _path(name: str) -> Path | None:
    """Of a file of sentences; None where it is not on this machine: the words of the others are there nevertheless."""
    if not name:
        return None
    try:
        return registry.resolve(name, "corpus")
    except ElmoscopeError:
        return None


@lru_cache(maxsize=4)
def _forms(path: Path, changed: int) -> dict[str, tuple[str, ...]]:
    """Every form, and every word itself, in small letters -> the words it belongs to, read from a file last `changed` then."""
    lemmas: dict[str, set[str]] = {}
    for form, lemma in set(_FORM.findall(path.read_text(encoding="utf-8"))):
        word = json.loads(lemma)
        for item in (json.loads(form), word):
            lemmas.setdefault(item.casefold(), set()).add(word)
    return {form: tuple(sorted(words)) for form, words in lemmas.items()}


@dataclass(frozen=True, slots=True)
class Labeled:
    """What is told of a labeled word before any of its sentences is read."""

    themes: tuple[str, ...]  # subjects a person may look for it under
    senses: int
    pos: tuple[str, ...]
    part_of_speech: str  # the one that it has, or "several"


def list_words(language: Language) -> dict[str, Labeled]:
    """Every labeled word of a language, its own and the further ones, in alphabetical order; {} where they are not listed."""
    path = config.ASSETS / f"words-{language.code}.json"
    return _read_words(path, path.stat().st_mtime_ns) if path.is_file() else {}


def list_words_in(corpus: str) -> dict[str, Labeled]:
    """The same of a language's own corpus, whether its sentences have been read or not; of any other {}."""
    language = sentences_of(corpus)
    return list_words(language) if language else {}


@lru_cache(maxsize=4)
def _read_words(path: Path, changed: int) -> dict[str, Labeled]:
    """Of a file last `changed` then."""
    words = read_json(path, expect=dict)
    several = {word: item["pos"][0] if len(item["pos"]) == 1 else "several" for word, item in words.items()}
    return {word: Labeled(tuple(item["themes"]), item["senses"], tuple(item["pos"]), several[word]) for word, item in sorted(words.items())}
