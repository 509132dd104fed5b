"""What a spelling may be read as where two words share it: "wound" is an injury, and a form of "wind".

A spelling that a language lists as a word of its own ("own", core.text.word_in_question) keeps itself, one of "either" after a determiner
too; any other is first read as what it is a form of. A reader may say otherwise (`WordInContext.read_as`).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..common import i18n
from ..common.limits import limits
from . import languages
from .composed import folded
from .dictionary_forms import dictionary_forms
from .morphemes import analyzed
from .tokens import bare, find_word, join_tokens
from .word_in_question import words_of

NAMES = ("NNP",)  # tags of the Korean analyzer


class LabeledTable(Protocol):
    """What knows labeled words: an occurrence table (core.index.table)."""

    lemmas: list[str]

    def lemma_of(self, word: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class WordInContext:
    """A token in its sentence, and the word that it is read as where a reader or the sentence says so."""

    tokens: tuple[str, ...]
    position: int
    read_as: str = ""  # "": as `is_own` and the labeled sentences have it

    @property
    def word(self) -> str:
        """As it is written."""
        return self.tokens[self.position]

    @property
    def spelling(self) -> str:
        """Without what clings to it, in small letters."""
        return folded(bare(self.word))

    @property
    def is_name(self) -> bool:
        """Whether it is written as a name: a capital within a sentence that has small letters too, or as the Korean analyzer says."""
        morpheme = analyzed(self.tokens)[self.position]
        if morpheme is not None:
            return morpheme.parts[:1] != () and morpheme.parts[0][1] in NAMES
        before = bare(self.tokens[self.position - 1]) if self.position else ""
        has_capital = bare(self.word)[:1].isupper() and bare(self.word) != "I"
        return has_capital and before[-1:].isalnum() and any(map(str.islower, self.tokens))

    def lemma_in(self, table: LabeledTable) -> str | None:
        """The labeled word of a table that the token is read as, or None."""
        if self.read_as:
            return self.read_as if self.read_as in table.lemmas else None
        return table.lemma_of(self.spelling)


@dataclass(frozen=True, slots=True)
class Chosen:
    """One sentence with its token in question; `position` is None where there is no sentence."""

    text: str
    tokens: tuple[str, ...]
    position: int | None
    read_as: str = ""  # the word that the token is, where its spelling leaves that open
    in_context: WordInContext = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "in_context", WordInContext(self.tokens, self.position, self.read_as))

    @property
    def word(self) -> str:
        return self.tokens[self.position] if self.position is not None else ""

    @property
    def place(self) -> tuple[tuple[str, ...], int | None]:
        return self.tokens, self.position

    def lemma_in(self, table: LabeledTable) -> str | None:
        """The labeled word of a table that the token is read as, or None."""
        return None if self.position is None else self.in_context.lemma_in(table)

    @property
    def readable(self) -> str:
        return join_tokens(list(self.tokens))


def is_own(word: str) -> bool:
    """Whether a word by itself is read as a word of its own, though it is spelled like a form of another: "wound", "evening"."""
    return folded(word) in words_of(languages.get_language(i18n.ENGLISH)).own


def readings(word: str, known: Collection[str]) -> tuple[str, ...]:
    """The words that a spelling may be read as, itself among them, the likeliest first; () where there is no doubt.

    `known` are the words with labeled senses: a reading that is none of these changes nothing. A regular form of one word is in no
    doubt.

    >>> readings("wound", {"wind"}), readings("fell", {"fall"}), readings("banks", {"bank"})
    (('wound', 'wind'), ('fall', 'fell'), ())
    """
    spelling = folded(bare(word))
    lists = words_of(languages.get_language(i18n.ENGLISH))
    if not (spelling in lists.forms or spelling in lists.own or spelling in lists.either):
        return ()
    others = tuple(form for form in dictionary_forms(spelling) if form in known)
    if not others:
        return ()
    return (spelling, *others) if spelling in lists.own or spelling in known else (*others, spelling)


def read_in(tokens: Sequence[str], position: int) -> str:
    """The word that a sentence's token is read as, where what stands before it settles that: "saw" in "a saw"; else ""."""
    spelling = folded(bare(tokens[position]))
    lists = words_of(languages.get_language(i18n.ENGLISH))
    before = folded(bare(tokens[position - 1])) if position else ""
    return spelling if spelling in lists.either and lists.is_own(spelling, before) else ""


def as_typed(tokens: tuple[str, ...], position: int) -> tuple[str, int]:
    """A sentence as one would type it, at most as much of it as is read, and the number of its word in question when it is read again."""
    most = min(limits().max_words, len(tokens))
    start = max(0, min(position - most // 2, len(tokens) - most))
    tokens = tokens[start : start + most]
    position = position - start
    text = join_tokens(list(tokens))
    while len(text) > limits().max_text and len(tokens) > 1:
        tokens, position = (tokens[1:], position - 1) if position > len(tokens) // 2 else (tokens[:-1], position)
        text = join_tokens(list(tokens))
    word = tokens[position]
    before = len(find_word(list(tokens[:position]), word))
    places = find_word(languages.tokenize(text), word)
    return text, places[min(before, len(places) - 1)] if places else min(position, max(0, len(languages.tokenize(text)) - 1))


@dataclass(frozen=True, slots=True)
class TwoContexts:
    """A word in two sentences."""

    word: str
    texts: tuple[str, str]
    sentences: tuple[WordInContext, WordInContext]
    single: WordInContext  # where one sentence alone is asked about
    sense: str = ""  # of the word there, where it is known

    @property
    def written(self) -> tuple[str, str]:
        """The word in each, as it is written."""
        return self.sentences[0].word, self.sentences[1].word
