"""One sentence turned into another word by word, the sense a model reads at every step, and a quiz of such readings.

Two sentences with the same word are set side by side in columns (old token, new token), the word in question in one of its
own. An edit switches one column from old to new, so that any order of edits ends in the second sentence and the word is
never lost. A sense is read by the nearest centroid: the mean of the unit vectors of its labelled occurrences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np

from core.common.config import ASSETS
from core.common.directions import unit
from core.common.errors import BadInput
from core.common.i18n import t
from core.elmo.mix import mixed
from core.files.artifacts import read_json
from core.index.table import OccurrenceTable
from core.senses.influence import Centroids
from core.text.tokens import find_word, tokenize

LEFT_TO_RIGHT, NEAREST_FIRST, GREEDY = "left to right", "nearest first", "greedy"
ORDERS = (LEFT_TO_RIGHT, NEAREST_FIRST, GREEDY)
MAX_EDITS, MAX_GREEDY = 40, 16  # of a path; greedy tries every edit that is left at every step
LEAST_LEAD = 0.02  # in cosine, over the next sense: with less a question has no answer
PAIRS = ASSETS / "minimal-pairs.json"
QUIZ = ("right", "right", "right", "wrong", "wrong", "edited", "edited", "edited")  # what the questions of a quiz are


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two sentences in columns: (token of the first or None, token of the second or None); `target` is the word's column."""

    columns: tuple[tuple[str | None, str | None], ...]
    target: int

    @property
    def changes(self) -> tuple[int, ...]:
        """Columns in which the two differ, left to right: the edits there are."""
        return tuple(k for k, (old, new) in enumerate(self.columns) if old != new)

    def sentence(self, switched: frozenset[int] | set[int]) -> tuple[tuple[str, ...], int]:
        """Tokens, and the word's position, when these columns are as in the second sentence."""
        shown = [pair[k in switched] for k, pair in enumerate(self.columns)]
        tokens = tuple(token for token in shown if token is not None)
        return tokens, sum(token is not None for token in shown[: self.target])


@dataclass(frozen=True, slots=True)
class Step:
    """A sentence on the way, and the edit that led to it; the first has none (old and new are None)."""

    tokens: tuple[str, ...]
    position: int  # of the word in question
    at: int | None = None  # where the new token stands; None where one was taken out, and for the first
    old: str | None = None
    new: str | None = None
    column: int | None = None  # of the alignment; None for the first
    switched: frozenset[int] = field(default=frozenset(), compare=False)  # columns as in the second sentence


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence with one word to be changed, and a person's reading of the word in question before and after."""

    lemma: str
    tokens: tuple[str, ...]
    position: int
    at: int  # of the word that is changed
    new: str  # what it is changed to
    sense: str
    now: str


@dataclass(frozen=True, slots=True)
class Question:
    """A sentence of the quiz, what its label says, and what the model reads."""

    lemma: str
    tokens: tuple[str, ...]
    position: int
    senses: tuple[str, ...]
    cosines: tuple[float, ...]  # with each sense's centroid, this sentence itself left out
    gold: str  # of an edited sentence: after the edit
    edit: tuple[int, str, str] | None = None  # where, the word before, the word now
    before: str | None = None  # what the model read before the edit

    @property
    def model(self) -> str:
        return self.senses[int(np.argmax(self.cosines))]

    @property
    def margin(self) -> float:
        """By how much the model's sense is nearer than the next, in cosine."""
        ordered = sorted(self.cosines)
        return ordered[-1] - ordered[-2]


def align(first: Sequence[str], i: int, second: Sequence[str], j: int) -> Alignment:
    """Columns of two token lists whose words in question stand at i and j: what is left of them and right of them apart.

    Equal runs, letter case aside, share columns (Ratcliff and Obershelp, as in difflib); between them tokens are paired in turn.
    """
    for tokens, position in ((first, i), (second, j)):
        if not 0 <= position < len(tokens):
            raise BadInput(t("Position {position} is outside a sentence of {n} tokens.", position=position, n=len(tokens)))
    left, right = _columns(first[:i], second[:j]), _columns(first[i + 1 :], second[j + 1 :])
    return Alignment((*left, (first[i], second[j]), *right), len(left))


def ordered(alignment: Alignment, order: str) -> list[int]:
    """The edits (columns) in an order that needs no model: LEFT_TO_RIGHT or NEAREST_FIRST, of two equally near the left one."""
    if order == LEFT_TO_RIGHT:
        return list(alignment.changes)
    if order == NEAREST_FIRST:
        return sorted(alignment.changes, key=lambda k: (abs(k - alignment.target), k))
    raise BadInput(t("There is no order of edits “{order}”.", order=order[:60]))


def greedy(alignment: Alignment, margins_of: Callable[[list[tuple[tuple[str, ...], int]]], np.ndarray]) -> list[int]:
    """The edits so that each step takes the one that raises the margin most; from where it is above 0, left to right.

    `margins_of` gives (n,) margins of n (tokens, position), one call a step. The first edits found are few, not proven fewest.
    """
    if len(alignment.changes) > MAX_GREEDY:
        raise BadInput(
            t("The greedy order tries every edit at every step, so it is for {most} edits at most; here are {n}. Choose another order.", most=MAX_GREEDY, n=len(alignment.changes))
        )  # fmt: skip
    left, done = list(alignment.changes), []
    while left:
        margins = margins_of([alignment.sentence({*done, k}) for k in left])
        best = int(np.argmax(margins))
        done.append(left.pop(best))
        if margins[best] > 0:
            break
    return done + left


def steps(alignment: Alignment, edits: Sequence[int]) -> list[Step]:
    """The first sentence, then one more step for each edit, the last of which is the second sentence if all are given."""
    if len(edits) > MAX_EDITS:
        raise BadInput(
            t("These sentences are {n} edits apart; at most {most} can be shown. Shorten them, or make them more alike.", n=len(edits), most=MAX_EDITS)
        )  # fmt: skip
    path, done = [Step(*alignment.sentence(frozenset()))], set()
    for column in edits:
        done.add(column)
        old, new = alignment.columns[column]
        before = (pair[k in done] for k, pair in enumerate(alignment.columns[:column]))
        at = None if new is None else sum(token is not None for token in before)
        path.append(Step(*alignment.sentence(done), at, old, new, column, frozenset(done)))
    return path


def written(alignment: Alignment, step: Step, first: Sequence[str], second: Sequence[str]) -> list[tuple[int, str, bool]]:
    """A step as it is read: (column, text with the blank before it, whether it stands there), in order.

    `first` and `second` are the two sentences' tokens as `core.text.tokens.as_written` gives them. What the last edit took out is told in
    its place, as no longer standing there.
    """
    places, at = [], [0, 0]
    for pair in alignment.columns:
        places.append([at[side] if pair[side] is not None else None for side in (0, 1)])
        at = [at[side] + (pair[side] is not None) for side in (0, 1)]
    shown = []
    for k, of in enumerate(places):
        side = int(k in step.switched)
        gone = of[side] is None and k == step.column
        place = of[1 - side] if gone else of[side]
        if place is None:
            continue
        piece = (first, second)[side ^ gone][place]
        apart = " " if place == 0 and shown and piece[:1].isalnum() else ""  # what began a sentence may now follow a word
        shown.append((k, apart + piece if shown else piece.lstrip(), not gone))
    return shown


def centroids(layers: np.ndarray, labels: Sequence[str], weights: np.ndarray, left_out: np.ndarray | None = None) -> Centroids:
    """(n, L, D) labelled occurrences, their senses, (L,) weights -> a unit centroid a sense; `left_out` (n,) bool are not used.

    A sense all of whose occurrences are left out has no centroid; BadInput where fewer than two have one.
    """
    units, labels = unit_mixes(layers, weights), np.asarray(labels, str)
    kept = np.ones(len(labels), bool) if left_out is None else ~np.asarray(left_out, bool)
    senses = tuple(str(sense) for sense in np.unique(labels[kept]))
    if len(senses) < 2:
        raise BadInput(t("Two labelled meanings are needed to tell apart; there are {n}.", n=len(senses)))
    members = [kept & (labels == sense) for sense in senses]
    vectors = unit(np.stack([units[own].mean(axis=0) for own in members]))
    return Centroids(senses, tuple(int(own.sum()) for own in members), vectors)


def between(layers: np.ndarray, weights: np.ndarray, names: tuple[str, str]) -> Centroids:
    """(2, L, D) of the first sentence's word and the second's -> the two as what every step is read by, where no sense is labelled."""
    return Centroids(names, (1, 1), unit_mixes(layers, weights))


def readings(layers: np.ndarray, found: Centroids, weights: np.ndarray) -> np.ndarray:
    """(S, L, D) tokens, (L,) weights -> (S, C) cosines with the senses' centroids."""
    return unit_mixes(layers, weights) @ found.vectors.T


def unit_mixes(layers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(S, L, D), (L,) -> (S, D): the mixes, of length 1, so that their products are cosines."""
    return unit(mixed(layers.transpose(1, 0, 2), weights))


def ends(cosines: np.ndarray) -> tuple[int, int]:
    """(S, C) -> the sense read in the first step, and the one read in the last; where they are one, the next best of the last."""
    first, last = int(cosines[0].argmax()), cosines[-1].copy()
    if int(last.argmax()) == first:
        last[first] = -np.inf
    return first, int(last.argmax())


def flips(margins: np.ndarray) -> list[int]:
    """(S,) -> the steps at which the margin changes its sign; 0 counts as not yet changed over."""
    over = np.asarray(margins) > 0
    return [k for k in range(1, len(over)) if over[k] != over[k - 1]]


def minimal_pairs(path: Path = PAIRS) -> tuple[Pair, ...]:
    """The sentences of the quiz that are edited: our own, of which one word is changed so that both stay grammatical."""
    found = []
    for row in read_json(path, expect=dict)["pairs"]:
        tokens, lemma = tuple(tokenize(row["sentence"])), row["word"]
        places = find_word(list(tokens), lemma), find_word(list(tokens), row["old"])
        found.append(Pair(lemma, tokens, places[0][0], places[1][0], row["new"], row["sense"], row["now"]))
    return tuple(found)


def clear_pairs(table: OccurrenceTable, encoder, weights: np.ndarray, pairs: Sequence[Pair]) -> list[Pair]:
    """Those of the pairs whose senses the table has and whose edited sentence the model reads with LEAST_LEAD or more."""
    known = {p.lemma: {table.senses[k] for k in table.sense[table.labelled_rows(p.lemma)]} for p in pairs}
    fitting = [p for p in pairs if {p.sense, p.now} <= known[p.lemma]]
    return [p for p in fitting if make_question(table, encoder, p, weights).margin >= LEAST_LEAD]


def draw_quiz(table: OccurrenceTable, seed: int, weights: np.ndarray, pairs: Sequence[Pair]) -> list[int | Pair]:
    """What each question is about, in the order asked: a labelled row or one of `pairs`, a word each, by the kinds of QUIZ.

    Three rows that the model reads rightly, two wrongly, all with LEAST_LEAD or more, three pairs; the same for the same seed. Fewer
    where the corpus has too few words, or has not the pairs' senses.
    """
    rng, found = np.random.default_rng(seed), []
    unused = [str(lemma) for lemma in rng.permutation(table.lemmas)]
    known = {
        lemma: {table.senses[k] for k in table.sense[table.labelled_rows(lemma)]}
        for lemma in {p.lemma for p in pairs} & {*unused}
    }
    fitting_pairs = [
        pairs[k] for k in rng.permutation(len(pairs)) if {pairs[k].sense, pairs[k].now} <= known.get(pairs[k].lemma, set())
    ]
    for kind in reversed(QUIZ):  # the pairs first: they have the fewest words to choose from
        if kind == "edited":
            if pair := next((p for p in fitting_pairs if p.lemma in unused), None):
                found.append(pair)
                unused.remove(pair.lemma)
            continue
        for lemma in unused:
            rows = table.labelled_rows(lemma)
            leads, margins = _leads(table, rows, weights)
            fitting = rows[(leads < 0 if kind == "wrong" else leads > 0) & (margins >= LEAST_LEAD)]
            if len(fitting):
                found.append(int(rng.choice(fitting)))
                unused.remove(lemma)
                break
    return [found[k] for k in rng.permutation(len(found))]


def make_question(table: OccurrenceTable, encoder, about: int | Pair, weights: np.ndarray) -> Question:
    """A labelled row, itself left out of what it is read by, or an edited sentence, as a question."""
    lemma = about.lemma if isinstance(about, Pair) else table.occurrence(about).lemma
    rows = table.labelled_rows(lemma)
    labels, layers = [table.senses[k] for k in table.sense[rows]], table.rows.take(rows)
    if isinstance(about, Pair):
        found, edited = centroids(layers, labels, weights), (*about.tokens[: about.at], about.new, *about.tokens[about.at + 1 :])
        vectors = np.stack([each[:, about.position] for each in encoder.encode([list(about.tokens), list(edited)])])  # (2, L, D)
        before, now = readings(vectors, found, weights)
        return Question(
            lemma, edited, about.position, found.senses, tuple(map(float, now)), about.now,
            (about.at, about.tokens[about.at], about.new), found.senses[int(before.argmax())],
        )  # fmt: skip
    occurrence, found = table.occurrence(about), centroids(layers, labels, weights, rows == about)
    cosines = readings(layers[rows == about], found, weights)[0]
    return Question(lemma, occurrence.tokens, occurrence.position, found.senses, tuple(map(float, cosines)), occurrence.sense)


def _columns(first: Sequence[str], second: Sequence[str]) -> list[tuple[str | None, str | None]]:
    a, b = ([token.casefold() for token in tokens] for tokens in (first, second))
    columns: list[tuple[str | None, str | None]] = []
    for _, i, i_end, j, j_end in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        for k in range(max(i_end - i, j_end - j)):
            columns.append((first[i + k] if i + k < i_end else None, second[j + k] if j + k < j_end else None))
    return columns


def _leads(table: OccurrenceTable, rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,), (n,): how much nearer each row is to its own sense's centroid, itself left out of that, than to the nearest other;
    and how much nearer the nearest of all centroids is than the next.

    NaN, which is neither above nor below 0, for a word of one sense, or with a sense of one sentence.
    """
    units = unit_mixes(table.rows.take(rows), weights)
    codes = np.unique(table.sense[rows], return_inverse=True)[1]
    members = np.eye(codes.max(initial=0) + 1)[codes]  # (n, C)
    if members.shape[1] < 2 or members.sum(axis=0).min() < 2:
        return np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    sums, each = np.repeat((members.T @ units)[None], len(rows), axis=0), np.arange(len(rows))  # (n, C, D)
    sums[each, codes] -= units
    cosines = np.einsum("ncd,nd->nc", unit(sums), units)
    ranked = np.sort(cosines, axis=1)
    own = cosines[each, codes].copy()
    cosines[each, codes] = -np.inf
    return own - cosines.max(axis=1), ranked[:, -1] - ranked[:, -2]
