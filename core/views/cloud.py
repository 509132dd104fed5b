"""What is near GloVe's one vector of a word, and near a model's vectors of it in two sentences, at a layer or in the sense space.

Of a word with labeled senses, which of them; of any other, which of the two sentences each thing near is nearer to.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.analysis.word_maps import map_rows, rows_to_measure
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.model_layers import SENSES
from core.elmo.mix import layer_weights
from core.index import neighbours
from core.index.neighbours import Neighbour, Occurrence, Query
from core.index.sense_index import SenseIndex
from core.index.table import OccurrenceTable
from core.senses import cloud
from core.senses.cloud import HeldOut, Placed
from core.static.vectors import StaticNeighbour
from core.text import word_in_question
from core.text.languages import Language
from core.text.readings import WordInContext
from core.text.tokens import JOINER, bare
from core.views.levels import sense_space
from core.workbench import Bench, reads_as_model

READS = ("model", "vectors", "corpus")
ENOUGH = 8  # sentences with the word, from which on they are the cloud; below, the words near each sentence's vector are
AROUND, LOOKED_AT = 14, 80  # words of each side, and of how many nearest they are chosen
STATIC = 50  # static neighbors


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticRequest:
    """A word in question in two sentences; None where a sentence has none."""

    first: WordInContext | None
    second: WordInContext | None

    @property
    def words(self) -> tuple[WordInContext, ...]:
        return tuple(word for word in (self.first, self.second) if word)


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudRequest(StaticRequest):
    """The same at a layer, under the equal mix ("mix") or in the sense space ("senses")."""

    space: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Static:
    """Static neighbors, best first; sides: the number of the sense, or sentence, that each goes with, -1 where none leads clearly."""

    word: str
    near: Sequence[Placed | StaticNeighbour]  # n
    sides: np.ndarray | None  # (n,); None where a sentence has no other word that could tell
    trust: HeldOut | None = None  # of senses


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SenseCloud:
    """A labeled word: of each sentence, the senses near it; None of one that has another word, or none."""

    lemma: str
    senses: list[str]
    occurrences: Sequence[Occurrence]  # N, all labeled sentences
    shares: tuple[dict[str, float] | None, ...]  # by sense
    near: tuple[list[Neighbour] | None, ...]  # labeled sentences, best first


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SideCloud:
    """A word without labeled senses: n sentences with it, or words."""

    occurrences: Sequence[Occurrence] = ()  # of the sentences
    words: Sequence[str] = ()
    counts: Sequence[int] = ()  # of how many sentences each word's vector is the mean
    cosines: np.ndarray  # (2, n) with the word in each sentence
    sentences: int  # with the word, the two left out

    @property
    def items(self) -> Sequence[Occurrence | str]:
        return self.occurrences or self.words

    @property
    def sides(self) -> np.ndarray:
        """(n,) 0 or 1, the sentence that each is nearer to; -1 neither clearly."""
        return cloud.sides(*self.cosines)


@reads_as_model
def compute(bench: Bench, request: CloudRequest) -> SenseCloud | SideCloud | None:
    """What is near the model's vectors; None while every token is still being read."""
    bench = bench.about(*request.words)
    lemma = labelled_word(bench, request)
    if lemma:
        return _senses(bench, request, lemma)
    _need_both(request)
    return None if (table := bench.every_token) is None else _sides(bench, request, table)


@reads_as_model
def static(bench: Bench, request: StaticRequest) -> Static:
    """What is near GloVe's vector. BadInput where it knows no such word."""
    bench = bench.about(*request.words)
    vectors, lemma = bench.vectors, labelled_word(bench, request)
    if lemma:
        profiles = cloud.profiles(bench.targets, lemma, vectors)
        placed = cloud.static_neighbours(profiles, vectors, lemma, STATIC)
        sides = np.array([profiles.senses.index(each.sense) if each.sense else -1 for each in placed])
        return Static(word=lemma, near=placed, sides=sides, trust=cloud.held_out(profiles, vectors))
    _need_both(request)
    own = [word.word.casefold() for word in request.words]
    near = vectors.neighbours(own[0], STATIC)
    spoken = [
        [each.tokens[c.position].casefold() for c in word_in_question.candidates(each.tokens, bench.language)] for each in request.words
    ]
    topics = [[word for word in words if word not in own] for words in spoken]
    return Static(word=bare(own[0]), near=near, sides=cloud.topic_sides([each.word for each in near], *topics, vectors))


@reads_as_model
def labelled_word(bench: Bench, request: StaticRequest) -> str | None:
    """The word in question where a sentence has it with two labeled senses; `bench` is one about both words."""
    lemmas = (word.lemma_in(bench.targets) for word in request.words) if bench.is_labelled else ()
    return next((lemma for lemma in lemmas if lemma and len(bench.targets.senses_of(lemma)) > 1), None)


def _need_both(request: StaticRequest) -> None:
    if len(request.words) < 2:
        raise BadInput(t("A word without labeled senses needs two sentences."))


def _senses(bench: Bench, request: CloudRequest, lemma: str) -> SenseCloud:
    table = bench.targets
    senses, rows, measured = table.senses_of(lemma), map_rows(table, lemma), rows_to_measure(table, lemma)
    cosines_of = _cosines_of(bench, request, table)

    def context(word: WordInContext | None) -> tuple[dict[str, float] | None, list[Neighbour] | None]:
        if word is None or word.lemma_in(table) != lemma:
            return None, None
        others = measured[~table.same_sentence(measured, word.tokens, word.position)]
        (query,) = bench.queries([word])
        cosines = cosines_of(query, others)
        near = np.argsort(-cosines, kind="stable")[: cloud.NEAREST]
        listed = [Neighbour(table.occurrence(int(others[k])), float(cosines[k])) for k in near]
        return cloud.occurrence_shares(cosines, [table.senses[k] for k in table.sense[others]], senses), listed

    shares, near = zip(context(request.first), context(request.second), strict=True)
    return SenseCloud(lemma=lemma, senses=senses, occurrences=[table.occurrence(int(row)) for row in rows], shares=shares, near=near)


def _sides(bench: Bench, request: CloudRequest, table: OccurrenceTable) -> SideCloud:
    queries = bench.queries(request.words)
    here = np.any([table.same_word(word.word, read_as=word.read_as) for word in request.words], axis=0)
    rows = np.flatnonzero(here & ~np.any([table.own_row(query) for query in queries], axis=0))
    if len(rows) >= ENOUGH:
        everything = len(rows)
        if request.space == SENSES and (few := SenseIndex(table, sense_space(bench)).most(rows)) < everything:  # spread evenly
            rows = rows[np.linspace(0, everything - 1, few).astype(int)]
        cosines = np.array([_cosines_of(bench, request, table)(query, rows) for query in queries])
        return SideCloud(occurrences=[table.occurrence(int(row)) for row in rows], cosines=cosines, sentences=everything)
    if request.space == SENSES:
        raise BadInput(t("Spellings have no place in the sense space: look among occurrences, or at a layer."))
    weights = layer_weights(request.space, bench.layers.n, senses=True)
    cosines = np.array([neighbours.cosines(table.types, bench.products(table, query, types=True), weights) for query in queries])
    types = _types(table, cosines, {word.word.casefold() for word in request.words}, bench.language)
    counts = np.bincount(table.word, minlength=len(table.words))[types]
    words = [bare(table.words[k]) for k in types]
    return SideCloud(words=words, counts=counts.tolist(), cosines=cosines[:, types], sentences=len(rows))


def _cosines_of(bench: Bench, request: CloudRequest, table: OccurrenceTable) -> Callable[[Query, np.ndarray], np.ndarray]:
    """Cosines (n,) of a query with some rows."""
    if request.space == SENSES:
        index = SenseIndex(table, sense_space(bench))
        return lambda query, rows: index.cosines(rows, query)
    weights = layer_weights(request.space, bench.layers.n, senses=True)
    return lambda query, rows: neighbours.cosines(table.rows, bench.products(table, query), weights)[rows]


def _types(table: OccurrenceTable, cosines: np.ndarray, own: set[str], language: Language) -> list[int]:
    """Numbers of the words nearest to either vector that carry more than grammar, each once; `cosines` (2, types)."""
    function = word_in_question.words_of(language).function
    numbers = dict[int, None]()
    for each in cosines:
        near = np.argsort(-each, kind="stable")[:LOOKED_AT].tolist()
        numbers |= dict.fromkeys([k for k in near if table.words[k] not in own and _tells(table.words[k], function)][:AROUND])
    return list(numbers)


def _tells(word: str, function: frozenset[str]) -> bool:
    """Whether a spelling carries more than grammar: no mark, no particle or ending, on no list of such words."""
    return any(map(str.isalpha, word)) and not word.startswith(JOINER) and bare(word) not in function
