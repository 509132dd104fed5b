"""Guess the machine: eight labeled sentences chosen by a quiz's number, and the sense that a model reads in each.

The questions follow from the number and the sentences alone, by sha256: the same for everybody, on every machine, whatever model is in use.
Two of the eight sentences are ones that the bundled model misreads. The model's answer is the vote of the nearest labeled sentences of the
same word, without the sentence of the question. Nearness is the cosine in the sense space (core.index.sense_space), in which more sentences
are read as they are labeled than in the word's best layer (core/senses/README.md). For a model without one it is the cosine in that layer
after subtracting the word's mean.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from types import MappingProxyType

import numpy as np

from ..common.config import ASSETS
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..common.model_layers import SENSES
from ..elmo.mix import layer_weights, mixed
from ..elmo.models import Model
from ..files.artifacts import read_json
from ..index.neighbors import Neighbor
from ..index.rows import Query, make_query
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..index.tables import open_word
from ..text.corpora import labeled_of, words_of
from ..text.languages import Language
from ..text.sentences import Sentence
from ..text.tokens import join_tokens
from . import calibration, evidence

FIRST_DAY = date(2026, 1, 1)  # the day of quiz 0
OTHERS, LAST = 10_000, 99_999  # numbers from OTHERS to LAST are of no day for the next 27 years
QUESTIONS, MOST_SENSES = 8, 3
MISREAD = 2  # questions of a quiz on sentences that the language's own model misreads
FEWEST = 2  # sentences of a sense: one for the question, and one that may vote for it
HIT, MISS = "■", "□"  # in every font, of every color


@dataclass(frozen=True, slots=True)
class QuizQuestion:
    """A question: one word in one sentence, and two or three senses to choose from."""

    word: str
    tokens: tuple[str, ...]
    position: int
    senses: tuple[str, ...]  # in the order in which they are offered
    label: str  # the one that the sentence was written for

    @property
    def text(self) -> str:
        """Return the sentence as text."""
        return join_tokens(list(self.tokens))


@dataclass(frozen=True, slots=True)
class QuizReading:
    """A model's answer to a question."""

    sense: str  # the one with most votes
    votes: tuple[int, ...]  # of the nearest labeled sentences, in the order of the question's senses
    layer: str  # where they are nearest: SENSES, or the layer that separates the word's other sentences best
    nearest: tuple[Neighbor, ...]  # those that voted, the nearest first; cosines with the word's mean taken off
    right: int  # number of the word's other sentences that the same vote reads as they are labeled
    others: int  # number of the word's other sentences

    @property
    def share(self) -> float:
        """Return the share of votes for its sense, 0 to 1."""
        return max(self.votes) / sum(self.votes)


@dataclass
class Game:
    """One quiz under one model, as far as it was played."""

    number: int
    answers: list[str] = field(default_factory=list)  # the chosen senses, in the order of the questions
    at: int = 0  # the question shown; that after the last is the score

    def choose(self, number: int, sense: str) -> None:
        """Answer the question; a second answer to it is ignored."""
        if len(self.answers) == number:
            self.answers.append(sense)

    def hits(self, readings: Sequence[QuizReading]) -> list[bool]:
        """Return which answers agree with the model."""
        return [answer == reading.sense for answer, reading in zip(self.answers, readings, strict=True)]

    def show(self, number: int) -> None:
        """Go to a question."""
        self.at = number

    def begin_again(self) -> None:
        """Start from the first question, without the answers."""
        self.answers, self.at = [], 0


def number_of(day: date) -> int:
    """Return the number of a day's quiz."""
    return min(max((day - FIRST_DAY).days, 0), OTHERS - 1)


def today() -> int:
    """Return the number of today's quiz. Days begin at midnight UTC, so that it is the same at one moment everywhere."""
    return number_of(datetime.now(UTC).date())


def number_from(text: str) -> int:
    """Parse a quiz's number from an address. BadInput if there is no such quiz."""
    if text.isascii() and text.isdecimal() and len(text) <= len(str(LAST)):
        return int(text)
    raise BadInput(t("There is no quiz “{number}”: quizzes have whole numbers from 0 to {last:,}.", number=shorten(text), last=LAST))


def quiz(number: int, language: Language) -> tuple[QuizQuestion, ...]:
    """Return the questions of a number, in order; fewer, or none, if a language has too few labeled words.

    MISREAD of them are on sentences that the language's own model misreads, the others on sentences that it reads as they are labeled.
    """
    hard = misread(language.code)
    words = _shuffle(number, "word", words_of(language))
    first = list(islice(_questions(number, language, [word for word in words if word in hard], is_misread=True), MISREAD))
    taken = {item.word for item in first}
    others = _questions(number, language, [word for word in words if word not in taken])
    questions = [*first, *islice(others, QUESTIONS - len(first))]
    order = _shuffle(number, "place", map(str, range(len(questions))))
    return tuple(questions[int(k)] for k in order)


@lru_cache(maxsize=4)
def misread(code: str) -> dict[str, dict[str, str]]:
    """Return the labeled sentences that a language's own model misreads: word -> sentence -> the sense that it reads (core.lab.sense_space_map)."""
    path = ASSETS / f"quiz-{code}.json"
    return read_json(path) if path.is_file() else {}


def _questions(number: int, language: Language, words: Iterable[str], *, is_misread: bool = False) -> Iterator[QuizQuestion]:
    """Yield a question for each word, looking up only the sentences of words that are needed."""
    hard = misread(language.code)
    every = (question(number, word, labeled_of(language, word), hard.get(word, {}), is_misread=is_misread) for word in words)
    return filter(None, every)


def question(
    number: int, word: str, sentences: Sequence[Sentence], misread: Mapping[str, str] = MappingProxyType({}), *, is_misread: bool = False
) -> QuizQuestion | None:
    """Return a quiz's question about a word with these labeled sentences, or None if it has fewer than two senses to separate.

    The sentence of the question is one of those that a model misreads (sentence -> the sense that it reads) if `is_misread`, else one of
    the others.
    """
    by_sense: dict[str, dict[str, tuple[tuple[str, ...], int]]] = {}
    for sentence in sentences:
        for target in sentence.targets:
            if target.lemma == word and target.sense:
                by_sense.setdefault(target.sense, {})[join_tokens(list(sentence.tokens))] = (sentence.tokens, target.position)
    senses = [sense for sense, texts in by_sense.items() if len(texts) >= FEWEST]
    candidates = {sense: [text for text in by_sense[sense] if (misread.get(text) in senses) == is_misread] for sense in senses}
    labels = [sense for sense in _shuffle(number, f"sense of {word}", senses) if candidates[sense]]
    if len(senses) < 2 or not labels or (is_misread and len(senses) > MOST_SENSES):  # it was misread with all senses on offer
        return None
    label = labels[0]
    text = _shuffle(number, f"sentence of {word}", candidates[label])[0]
    tokens, position = by_sense[label][text]
    others = [sense for sense in _shuffle(number, f"sense of {word}", senses) if sense != label]
    others.sort(key=lambda sense: sense != misread.get(text))  # the sense that the model reads is offered
    offered = _shuffle(number, f"order of {word}", [label, *others[: MOST_SENSES - 1]])
    return QuizQuestion(word, tokens, position, tuple(offered), label)


def read(table: OccurrenceTable, quiz_question: QuizQuestion, query: Query, space: SenseSpace | None = None) -> QuizReading:
    """Return a model's reading of a question: `query` is its token, `table` holds the word's labeled sentences under the model.

    Only sentences of the senses on offer vote, because a person chooses among these too. The sentence of the question does not vote and,
    without a `space`, does not count in the choice of the layer: the one in which most of the other sentences' nearest have the same sense.
    """
    rows = table.without_copies(table.labeled_rows(quiz_question.word))
    offered = {sense: k for k, sense in enumerate(quiz_question.senses)}
    labels = np.array([offered.get(table.senses[code], -1) for code in table.sense[rows]])
    text = quiz_question.text.casefold()
    others = [k for k in np.flatnonzero(labels >= 0) if join_tokens(list(table.occurrence(int(rows[k])).tokens)).casefold() != text]
    rows, labels = rows[others], labels[others]
    if len(set(labels.tolist())) < 2:
        raise BadInput(t("“{word}” lacks two labeled senses in this corpus. Choose another word.", word=shorten(quiz_question.word)))
    if space:
        layer = SENSES
        views = space.of_rows(table, rows)
        seen = space.views([(query.tokens, query.position)], query.layers[None])
        places, place = (space.place(parts, views.mean(axis=0), quiz_question.word) for parts in (views, seen))
    else:
        layers = table.rows.take(rows)
        layer = calibration.separability_of(layers, labels).layer
        weights = layer_weights(layer, layers.shape[1])
        mixes, mix = (mixed(vectors, weights, axis=1, unit=True) for vectors in (layers, query.layers[None]))
        places, place = evidence.center(mixes), evidence.center(mix, mixes)
    similarities, cosines = places @ places.T, places @ place[0]
    n_senses = len(quiz_question.senses)
    sense, nearest = vote(cosines, labels, n_senses)
    np.fill_diagonal(similarities, -np.inf)
    right = sum(vote(row, labels, n_senses)[0] == label for row, label in zip(similarities, labels, strict=True))
    voted = tuple(Neighbor(table.occurrence(int(rows[k])), float(cosines[k])) for k in nearest)
    votes = np.bincount(labels[nearest], minlength=n_senses)
    return QuizReading(quiz_question.senses[sense], tuple(votes.tolist()), layer, voted, right, len(rows))


def reading(model: Model, quiz_question: QuizQuestion, space: SenseSpace | None) -> QuizReading:
    """Return a model's reading of a question from the word's labeled sentences only."""
    query = make_query(model.encoder, quiz_question.tokens, quiz_question.position)
    return read(open_word(quiz_question.word, model), quiz_question, query, space)


def line(number: int, hits: Sequence[bool], right: int, link: str = "") -> str:
    """Return a finished quiz as one line to share: its number, a square for each answer, both scores, the link to the same quiz."""
    scores = {"squares": "".join(HIT if hit else MISS for hit in hits), "hits": sum(hits), "right": right, "n": len(hits)}
    message = t("Guess the machine {number} · {squares} {hits}/{n} · ELMo {right}/{n}", number=number, **scores)
    return f"{message} · {link}" if link else message


def vote(cosines: np.ndarray, labels: np.ndarray, n_senses: int) -> tuple[int, np.ndarray]:
    """Return the sense with most of the K nearest votes and these rows, nearest first. A tie goes to the nearest sentence's sense."""
    nearest = np.argsort(-cosines, kind="stable")[: min(evidence.K, int(np.isfinite(cosines).sum()))]
    votes = np.bincount(labels[nearest], minlength=n_senses)
    return next(int(label) for label in labels[nearest] if votes[label] == votes.max()), nearest


def _shuffle(number: int, what: str, names: Iterable[str]) -> list[str]:
    """Shuffle names by a number: the same order for the same number, whatever order they come in and whatever else is there."""
    return sorted(names, key=lambda name: (sha256(f"{number}\n{what}\n{name}".encode()).digest(), name))
