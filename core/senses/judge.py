"""Whether one word means the same in two sentences, of any two words: which labeled sentences know it, how both are read, the verdict.
`Judge(model, vectors, table=...)` answers for a model; the Home page, notebooks and `python -m core verdict` ask it alike."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..common.config import cache_folder
from ..common.errors import ElmoscopeError, MissingArtifact
from ..common.memo import Bounded
from ..elmo.models import Model
from ..files.artifacts import write_json
from ..index.neighbors import query_of
from ..index.sense_space import SenseSpace, open_space
from ..index.table import OccurrenceTable
from ..index.tables import open_table, open_word, opens_at_once
from ..static.vectors import StaticVectors, open_vectors
from ..text.labeled_words import list_words
from ..text.languages import Language
from ..text.readings import WordInContext, dictionary_forms
from ..text.target_word import same_word
from ..text.tokens import bare
from . import evidence, pairs, verdict
from .verdict import Calibration, Separability, Verdict

MOST_TRUSTS = 4_096  # words whose trust is cached, each in one table
MOST_TABLES = 16  # tables of single words that stay open


@dataclass(frozen=True, slots=True)
class Judgment:
    """What is said of a word in two sentences."""

    one_word: bool  # whether both are forms of one word: of two words nothing is said
    verdict: Verdict | None
    lemma: str  # the labeled word whose sentences vote; "" where none has labels
    layer: str  # that tells the word's meanings apart best: the one to open a picture at


class Judge:
    """Verdicts by one model; what they need of it is opened once. `table` opens the labeled sentences of a corpus by name, `encode` the
    layers (L, T, D) of sentences, for callers that keep both."""

    def __init__(
        self,
        model: Model,
        vectors: StaticVectors | None = None,
        *,
        table: Callable[[str], OccurrenceTable],
        encode: Callable[[Sequence[tuple[str, ...]]], Sequence[np.ndarray]] | None = None,
    ) -> None:
        self.model, self.vectors = model, vectors
        self._table = table
        self._encode = encode or (lambda sentences: model.encoder.encode([list(tokens) for tokens in sentences]))
        self._bundled: Calibration | None = None
        self._trusts: Bounded[tuple[str, str], Separability] = Bounded(MOST_TRUSTS)
        self._words: Bounded[str, OccurrenceTable] = Bounded(MOST_TABLES)

    def judge(self, first: WordInContext, second: WordInContext, corpus: str = "") -> Judgment:
        """Both words, by the labeled sentences of a corpus (a language's own if none), else by what needs no labels."""
        if not self.is_one_word(first, second, corpus):
            return Judgment(False, None, "", self.layer((first, second), corpus))
        table, lemma = self.labeled(first, corpus)
        if table is not None and second.lemma_in(table) == lemma:
            by_case = evidence.is_also_a_name(table, lemma)
            words = [read(word, (first, second), by_case=by_case) for word in (first, second)]
            layers = self._encode([word.tokens for word in words])
            queries = [query_of(each, word.tokens, word.position) for each, word in zip(layers, words, strict=True)]
            ground = self._ground_for(table, lemma)
            judgment = verdict.of_labeled(table, lemma, *queries, ground, self.vectors, self.sense_space, layers)
            judgment = replace(judgment, name=not by_case and (first.is_name or second.is_name))
            return Judgment(True, judgment, lemma, ground.words[lemma].layer)
        words = [read(word, (first, second)) for word in (first, second)]
        judgment = replace(self._without_labels(words), name=first.is_name or second.is_name)
        return Judgment(True, judgment, "", self.ground().layer)

    def layer(self, words: Sequence[WordInContext], corpus: str = "") -> str:
        """The layer, or "mix", that tells the meanings of the first of these words apart best that has labels; else the best of all words."""
        for word in words:
            table, lemma = self.labeled(word, corpus)
            if table is not None:
                return self._ground_for(table, lemma).words[lemma].layer
        return self.ground().layer

    def is_one_word(self, first: WordInContext, second: WordInContext, corpus: str = "") -> bool:
        """Whether both are the same word, letter case and inflection aside, and words at all."""
        if not all(is_word(word, self.model.language) for word in (first, second)):
            return False
        if first.spelling == second.spelling:
            return True
        reads = self.model.language
        if any(word.read_as for word in (first, second)):
            if (first.read_as or first.spelling) == (second.read_as or second.spelling):
                return True
        elif same_word(first.tokens, first.position, second.tokens, second.position, reads):
            return True
        table, lemma = self.labeled(first, corpus)
        return table is not None and second.lemma_in(table) == lemma

    def labeled(self, word: WordInContext, corpus: str = "") -> tuple[OccurrenceTable | None, str]:
        """The table in which the word has two labeled senses or more, and its lemma there: of the corpus in use, then of the language's own."""
        for table in self._tables(word, corpus) if word.spelling else ():
            lemma = word.lemma_in(table)
            if lemma is not None and verdict.has_senses(table, lemma):
                return table, lemma
        return None, ""

    def rate_words(self, table: OccurrenceTable) -> dict[str, tuple[Separability, bool]]:
        """Each labeled word of a table with two senses or more: how well they are told apart, and whether letter case tells them apart too."""
        words = [lemma for lemma in table.lemmas if verdict.has_senses(table, lemma)]
        return {lemma: (self._ground_for(table, lemma).words[lemma], evidence.is_also_a_name(table, lemma)) for lemma in words}

    @cached_property
    def sense_space(self) -> SenseSpace | None:
        """The model's sense space; None where it has none."""
        return open_space(self.model, self.vectors)

    @property
    def is_calibrated(self) -> bool:
        """Whether the first verdict needs nothing measured."""
        own = None if self._bundled else self._own()
        return own is None or verdict.read(own.folder) is not None

    def ground(self) -> Calibration:
        """What verdicts of the model rest on: as it was bundled, or measured before; else measured now, which takes seconds, and kept on disk."""
        if self._bundled is None:
            self._bundled = self._measure()
        return self._bundled

    def _measure(self) -> Calibration:
        own = self._own()
        if own is None:
            return verdict.USUAL
        if known := verdict.read(own.folder):
            return known
        own = own.basic
        rows = pairs.rows_to_judge(own)
        measured = (
            pairs.measure(own, evidence.of_rows(self.model.encoder, self.vectors, own, rows, self.sense_space)) if len(rows) else None
        )
        if measured is None:
            return verdict.USUAL
        if own.folder.is_relative_to(cache_folder()):  # beside the table itself, for the next time
            with suppress(ElmoscopeError, OSError):
                write_json(own.folder / verdict.FILE, verdict.as_json(measured))
        return measured

    def _tables(self, word: WordInContext, corpus: str) -> Iterator[OccurrenceTable]:
        for name in dict.fromkeys([corpus, self.model.language.sentences]):
            with suppress(ElmoscopeError):
                if name:
                    yield self._table(name)
        listed = list_words(self.model.language)
        spelling = word.read_as or word.spelling
        if lemma := next((form for form in (spelling, *dictionary_forms(spelling)) if form in listed), ""):
            with suppress(ElmoscopeError):  # a model whose table has not all words of its language
                yield self._words.value(lemma, lambda: open_word(lemma, self.model))

    def _own(self) -> OccurrenceTable | None:
        """The labeled sentences of the model's own language; None where it has none here."""
        try:
            return self._table(self.model.language.sentences)
        except ElmoscopeError:
            return None

    def _ground_for(self, table: OccurrenceTable, lemma: str) -> Calibration:
        """The ground with this word's trust in this table; of the words of the reference corpus by what was learned from them."""
        ground = self.ground()
        own = self._own()
        is_own = own is not None and table.folder == own.folder
        if is_own and lemma in own.basic.lemmas and lemma in ground.words:
            return ground
        if is_own and lemma in ground.words:
            return replace(ground, votes=ground.reference_votes or ground.votes)
        key = f"{table.folder} {table.meta['corpus']}", lemma
        trust = self._trusts.value(key, lambda: verdict.trust_of(table, lemma))
        return replace(ground, words={lemma: trust})

    def _without_labels(self, words: Sequence[WordInContext]) -> Verdict:
        spellings = [(word.word,) for word in words]
        *sentences, alone, other = self._encode([*(word.tokens for word in words), *spellings])
        queries = [query_of(each, word.tokens, word.position) for each, word in zip(sentences, words, strict=True)]
        occurrences = [(word.tokens, word.position) for word in words]
        seen = evidence.gather(
            self.model.encoder,
            self.vectors,
            occurrences,
            np.stack([query.layers for query in queries]),
            np.stack([alone[:, 0], other[:, 0]]),
            sentences,
            self.sense_space,
        )
        return verdict.of_unlabeled(*queries, seen, self.ground())


def open_judge(model: Model) -> Judge:
    """A judge for notebooks and commands, with the static vectors of the model's language where it has any here."""

    def table(corpus: str) -> OccurrenceTable:
        if not opens_at_once(corpus):  # without labels there is nothing that could vote
            raise MissingArtifact(corpus)
        return open_table(corpus, model, targets_only=True)

    vectors = None
    with suppress(ElmoscopeError):
        vectors = open_vectors(model.language.vectors) if model.language.vectors else None
    return Judge(model, vectors, table=table)


def is_word(word: WordInContext, language: Language) -> bool:
    """Whether a token has letters of a language."""
    return any(map(str.isalpha, word.word)) and language.writes(word.word)


def read(word: WordInContext, both: Sequence[WordInContext], *, by_case: bool = False) -> WordInContext:
    """The word as the model reads it: as it is written, but for a capital that says nothing of its meaning.

    Where both are spelled alike but for case, a capital says nothing at the start of a sentence or in a word of capitals; `by_case` where
    one meaning is a name (Turkey, turkey), it is read there too, except in a word of capitals.
    """
    first, second = both
    if first.word == second.word or first.spelling != second.spelling:
        return word
    capitals = [len(bare(each.word)) > 1 and bare(each.word).isupper() for each in both]
    opening = [not any(map(str.isalnum, "".join(each.tokens[: each.position]))) for each in both]
    if not any(capitals) and (by_case or not any(opening)):
        return word
    tokens = list(word.tokens)
    tokens[word.position] = word.word.replace(bare(word.word), word.spelling)
    return replace(word, tokens=tuple(tokens))
