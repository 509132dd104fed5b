"""Words that go with a word, whole and by its senses; and the words that one corpus has more often than another."""

from dataclasses import dataclass

import numpy as np

from core.common.errors import BadInput
from core.common.i18n import t
from core.corpus import collocates, search
from core.corpus import keyness as own_keyness
from core.corpus.association import FDR
from core.corpus.collocates import Collocate, SenseWord
from core.corpus.keyness import Keyword
from core.text.labelled_words import sentences_of
from core.text.word_in_question import words_of
from core.views import concordance
from core.views.concordance import LABELS, ConcordanceRequest
from core.workbench import Bench

READS = ("model", "corpus")
BY_DICE, BY_LIKELIHOOD = "log_dice", "log_likelihood"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollocatesRequest:
    """A query, how far from it, how often at least; `senses` asks for a list of each of its senses too."""

    query: str
    kind: str = search.WORD
    window: int = collocates.WINDOW
    minimum: int = 3
    most: int = 50
    order: str = BY_DICE
    documents: tuple[str, ...] = ()
    senses: str = ""  # core.views.concordance.LABELS, nothing for a word without two; or GROUPS
    grammar: bool = True  # words that carry grammar too


@dataclass(frozen=True, slots=True)
class SenseColumn:
    """A sense, and the words that tell it from the others."""

    sense: str
    n: int  # hits of it
    words: tuple[SenseWord, ...]


@dataclass(frozen=True, slots=True)
class Collocates:
    """The answer: the strongest collocates first."""

    query: str
    n: int  # hits
    tokens: int
    everything: int  # collocates there are; more than `items` where only some are wanted
    items: tuple[Collocate, ...]
    senses: tuple[SenseColumn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeynessRequest:
    """A second corpus to compare with; "" is the further labelled sentences of the model's language."""

    against: str = ""
    minimum: int = 5
    most: int = 50  # words of each corpus
    correction: str = FDR

    @property
    def reads(self) -> tuple[tuple[str, str], ...]:
        return (("corpus", self.against),) if self.against else ()


@dataclass(frozen=True, slots=True)
class Keyness:
    """The answer: what the first corpus has more often, and what the second has, the highest log-likelihood first."""

    names: tuple[str, str]
    tokens: tuple[int, int]
    compared: int  # words that were tested
    first: tuple[Keyword, ...]
    second: tuple[Keyword, ...]


def compute(bench: Bench, request: CollocatesRequest) -> Collocates:
    """BadInput says what is wrong with a query, a window, or a word without senses."""
    if request.order not in (BY_DICE, BY_LIKELIHOOD):
        raise BadInput(t("Unknown order {order!r}. Choose: {orders}.", order=request.order[:40], orders=f"{BY_DICE}, {BY_LIKELIHOOD}"))
    corpus = bench.encoded
    hits = concordance.hits_of(bench, ConcordanceRequest(query=request.query, kind=request.kind, documents=request.documents))
    how = {"window": request.window, "minimum": request.minimum, "without": () if request.grammar else grammar_of(bench)}
    items = collocates.collocates(corpus, hits, **how)
    if request.order == BY_LIKELIHOOD:
        items.sort(key=lambda item: -item.log_likelihood)
    senses = ()
    if request.senses:
        of, names = concordance.senses_of(bench, request.query, hits, request.senses)
        lists = {} if request.senses == LABELS and len(names) < 2 else collocates.by_sense(corpus, hits, of, **how)
        senses = tuple(SenseColumn(names[k], int((of == k).sum()), tuple(words)) for k, words in lists.items())
    return Collocates(request.query, len(hits), len(corpus), len(items), tuple(items[: request.most]), senses)


def keyness(bench: Bench, request: KeynessRequest) -> Keyness:
    """BadInput where there is nothing to compare with, or the same."""
    against = request.against or reference_of(bench)
    if against == bench.corpus:
        raise BadInput(t("A corpus cannot be compared with itself. Choose another."))
    first, second = bench.encoded, bench.over(against).encoded
    words = own_keyness.keywords(first, second, minimum=request.minimum, correction=request.correction)
    own = tuple(word for word in words if word.log_ratio > 0)[: request.most]
    other = tuple(word for word in words if word.log_ratio < 0)[: request.most]
    return Keyness((bench.corpus, against), (len(first), len(second)), len(words), own, other)


def grammar_of(bench: Bench) -> set[str]:
    """The corpus' words that carry grammar: its language's function words, and what is never written by itself (endings, particles)."""
    corpus = bench.encoded
    return {*words_of(bench.language).function, *(corpus.word_list[k] for k in np.flatnonzero(corpus.attached))}


def reference_of(bench: Bench) -> str:
    """What a corpus is compared with where nobody names another: the further labelled sentences, or a language's own."""
    language = sentences_of(bench.corpus) or bench.language
    choices = [name for name in (language.more_sentences, language.sentences) if name and name != bench.corpus]
    if not choices:
        raise BadInput(t("No other corpus in this language. Name one to compare with."))
    return choices[0]
