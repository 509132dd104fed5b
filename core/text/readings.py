"""Find the words that a spelling may be a form of: "wound" is an injury, and a form of "wind".

A spelling that a language lists as a separate word ("own", core.text.target_word) is read as that word. A spelling of the list "either" is
read as a separate word after a determiner. Any other is read as the word that it is a form of, unless the user chooses
(`WordInContext.read_as`).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from ..common import i18n
from ..common.limits import limits
from . import languages
from .morphemes import analyzed, has_hangul, morphemes
from .normalization import fold_case
from .target_word import NOUNS, OTHER, VERBS, lemmas, verbs_in, words_of
from .tokens import bare, find_word, join_tokens

NAME = "NNP"  # a tag of the Korean analyzer


class LabeledTable(Protocol):
    """A table of labeled words, such as an occurrence table (core.index.table)."""

    lemmas: list[str]

    def lemma_of(self, word: str) -> str | None:
        """Return the labeled word that a spelling is a form of, or None."""


@dataclass(frozen=True, slots=True)
class WordInContext:
    """A token in its sentence, and the word that it is read as where the user or the sentence decides that."""

    tokens: tuple[str, ...]
    position: int
    read_as: str = ""  # "": as `is_separate_word` and the labeled sentences decide

    @property
    def word(self) -> str:
        """Return the token as it is written."""
        return self.tokens[self.position]

    @property
    def spelling(self) -> str:
        """Return the token without joiners, in small letters."""
        return fold_case(bare(self.word))

    @property
    def is_name(self) -> bool:
        """Return whether it is written as a name: with a capital within a sentence that has small letters, or by its Korean tag."""
        morpheme = analyzed(self.tokens)[self.position]
        if morpheme is not None:
            return morpheme.parts[0][1] == NAME
        before = bare(self.tokens[self.position - 1]) if self.position else ""
        has_capital = bare(self.word)[:1].isupper() and bare(self.word) != "I"
        return has_capital and before[-1:].isalnum() and any(map(str.islower, self.tokens))

    def lemma_in(self, table: LabeledTable) -> str | None:
        """Return the labeled word of a table that the token is read as, or None."""
        if self.read_as:
            return self.read_as if self.read_as in table.lemmas else None
        return table.lemma_of(self.spelling)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence with its target word; `position` is None if there is no sentence."""

    text: str
    tokens: tuple[str, ...]
    position: int | None
    read_as: str = ""  # the word that the token is, if its spelling leaves that open

    @property
    def in_context(self) -> WordInContext:
        """Return the target word in its sentence."""
        return WordInContext(self.tokens, self.position, self.read_as)

    @property
    def word(self) -> str:
        """Return the target word as it is written; "" without a sentence."""
        return self.tokens[self.position] if self.position is not None else ""

    def lemma_in(self, table: LabeledTable) -> str | None:
        """Return the labeled word of a table that the token is read as, or None."""
        return None if self.position is None else self.in_context.lemma_in(table)

    @property
    def readable(self) -> str:
        """Return the tokens joined to text."""
        return join_tokens(list(self.tokens))


def is_separate_word(word: str) -> bool:
    """Return whether a word alone is read as itself although it is spelled like a form of another: "wound", "evening"."""
    return fold_case(word) in words_of(languages.get_language(i18n.ENGLISH)).separate


def readings(word: str, labeled_words: Collection[str]) -> tuple[str, ...]:
    """Return the words that a spelling may be read as, itself among them, the likeliest first; () if there is no doubt.

    Readings that are not among `labeled_words` are left out. A regular form of one word is in no doubt.

    >>> readings("wound", {"wind"}), readings("fell", {"fall"}), readings("banks", {"bank"})
    (('wound', 'wind'), ('fall', 'fell'), ())
    """
    spelling = fold_case(bare(word))
    lists = words_of(languages.get_language(i18n.ENGLISH))
    if not (spelling in lists.forms or spelling in lists.separate or spelling in lists.either):
        return ()
    others = tuple(form for form in dictionary_forms(spelling) if form in labeled_words)
    if not others:
        return ()
    return (spelling, *others) if spelling in lists.separate or spelling in labeled_words else (*others, spelling)


def read_in(tokens: Sequence[str], position: int) -> str:
    """Return the word that a token is read as if the word before it decides that: "saw" in "a saw"; else ""."""
    spelling = fold_case(bare(tokens[position]))
    lists = words_of(languages.get_language(i18n.ENGLISH))
    before = fold_case(bare(tokens[position - 1])) if position else ""
    return spelling if spelling in lists.either and lists.is_own(spelling, before) else ""


def as_typed(tokens: tuple[str, ...], position: int) -> tuple[str, int]:
    """Return a sentence as text, cut to the allowed length around a token, and the position of that token in the text's tokens."""
    max_tokens = min(limits().max_words, len(tokens))
    start = max(0, min(position - max_tokens // 2, len(tokens) - max_tokens))
    tokens = tokens[start : start + max_tokens]
    position = position - start
    text = join_tokens(list(tokens))
    while len(text) > limits().max_text and len(tokens) > 1:
        if position > len(tokens) // 2:
            tokens, position = tokens[1:], position - 1
        else:
            tokens = tokens[:-1]
        text = join_tokens(list(tokens))
    tokens_of_text = languages.tokenize(text)
    places = find_word(tokens_of_text, tokens[position])
    if not places:
        return text, min(position, max(0, len(tokens_of_text) - 1))
    n_before = len(find_word(list(tokens[:position]), tokens[position]))
    return text, places[min(n_before, len(places) - 1)]


@dataclass(frozen=True, slots=True)
class TwoContexts:
    """A word in two sentences."""

    word: str
    texts: tuple[str, str]
    sentences: tuple[WordInContext, WordInContext]
    single: WordInContext  # for questions about one sentence
    sense: str = ""  # of the word there, if it is known

    @property
    def written(self) -> tuple[str, str]:
        """Return the word as each sentence writes it."""
        return self.sentences[0].word, self.sentences[1].word


@lru_cache(maxsize=65_536)
def dictionary_forms(word: str) -> tuple[str, ...]:
    """Return the words that a word typed alone may be a form of, by its Korean morphemes or its English ending.

    Doubtful ones are left out: English words in -ing are often nouns ("evening").

    >>> dictionary_forms("먹었다"), dictionary_forms("눈이"), dictionary_forms("공부했어요"), dictionary_forms("jaguars")
    (('먹다',), ('눈',), ('공부하다', '공부'), ('jaguar',))
    """
    if not has_hangul(word):
        lists = words_of(languages.get_language(i18n.ENGLISH))
        return () if word.endswith(("ing", "er", "est")) else tuple(lemma for lemma in lemmas(word, lists) if lemma not in lists.function)
    tokens = morphemes(word)
    analyses = zip(analyzed(tokens), verbs_in(tokens), strict=True)
    morpheme, verbs = next((pair for pair in analyses if pair[0]), (None, ()))
    if morpheme is None:
        return ()
    stem, tag = morpheme.parts[0]
    if tag in VERBS:
        return verbs
    return tuple(item for item in (*verbs, stem) if item != word) if tag in (*NOUNS, *OTHER) else ()


def forms_among(words: Sequence[str], verb: str) -> list[int]:
    """Return the positions of the forms of a Korean verb among words, such as 갔, 가는 and 간 of 가다. A form has the verb's first consonant."""
    if (onset := _onset(verb)) < 0:
        return []
    return [k for k, word in enumerate(words) if word and _onset(word) == onset and verb in dictionary_forms(word)]


def _onset(word: str) -> int:
    """Return the number of a Korean word's first consonant; below 0 for other letters."""
    place = ord(word[0]) - 0xAC00
    return place // 588 if 0 <= place < 11_172 else -1
