"""Turn one sentence into another word by word, and read the word's sense at every step.

Two sentences with the same word are aligned in columns (old token, new token), the target word in a column of its own. An edit switches one
column from old to new, so that any order of edits ends in the second sentence and the word is never lost. A sense is read by the nearest
centroid: the mean of the unit vectors of its labeled occurrences.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import numpy as np

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import check_choice
from ..elmo.mix import mixed
from .influence import Centroids

LEFT_TO_RIGHT, NEAREST_FIRST, GREEDY = "left to right", "nearest first", "greedy"
ORDERS = (LEFT_TO_RIGHT, NEAREST_FIRST, GREEDY)
MAX_EDITS, MAX_GREEDY = 40, 16  # edits of a path; greedy tries all remaining edits at every step


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two sentences in columns: (token of the first or None, token of the second or None); `target` is the word's column."""

    columns: tuple[tuple[str | None, str | None], ...]
    target: int

    @property
    def changes(self) -> tuple[int, ...]:
        """Return the columns in which the two differ, left to right: the possible edits."""
        return tuple(k for k, (old, new) in enumerate(self.columns) if old != new)

    def sentence(self, switched: Set[int]) -> tuple[tuple[str, ...], int]:
        """Return the tokens and the word's position when these columns are as in the second sentence."""
        sentence = [pair[k in switched] for k, pair in enumerate(self.columns)]
        tokens = tuple(token for token in sentence if token is not None)
        return tokens, sum(token is not None for token in sentence[: self.target])


@dataclass(frozen=True, slots=True)
class EditStep:
    """A sentence on the way, and the edit that led to it; the first has none (old and new are None)."""

    tokens: tuple[str, ...]
    position: int  # position of the target word
    at: int | None = None  # position of the new token; None if one was removed, and for the first
    old: str | None = None
    new: str | None = None
    column: int | None = None  # column of the alignment; None for the first
    switched: frozenset[int] = field(default=frozenset(), compare=False)  # columns as in the second sentence


def align(first: Sequence[str], i: int, second: Sequence[str], j: int) -> Alignment:
    """Align two token lists in columns around their target words at i and j.

    Equal runs, ignoring case, share columns (Ratcliff and Obershelp, as in difflib); between them tokens are paired in turn.
    """
    for tokens, position in ((first, i), (second, j)):
        if not 0 <= position < len(tokens):
            raise BadInput(t("Position {position} is outside a sentence of {n} tokens. Choose another.", position=position, n=len(tokens)))
    left, right = _columns(first[:i], second[:j]), _columns(first[i + 1 :], second[j + 1 :])
    return Alignment((*left, (first[i], second[j]), *right), len(left))


def order_edits(alignment: Alignment, order: str) -> list[int]:
    """Return the edits (columns) in an order that needs no model: LEFT_TO_RIGHT or NEAREST_FIRST, ties from the left."""
    check_choice(t("order of edits"), order, (LEFT_TO_RIGHT, NEAREST_FIRST))
    if order == NEAREST_FIRST:
        return sorted(alignment.changes, key=lambda k: (abs(k - alignment.target), k))
    return list(alignment.changes)


def greedy(alignment: Alignment, margins_of: Callable[[list[tuple[tuple[str, ...], int]]], np.ndarray]) -> list[int]:
    """Order the edits so that each step raises the margin most until it is above 0; the rest follow from left to right.

    `margins_of` computes the margins (n,) of n (tokens, position), called once a step. The first edits found are few, not proven fewest.
    """
    if len(alignment.changes) > MAX_GREEDY:
        values = {"most": MAX_GREEDY, "n": len(alignment.changes)}
        raise BadInput(t("The greedy order takes {most} edits at most; here are {n}. Choose another order.", **values))
    remaining = list(alignment.changes)
    switched = []
    while remaining:
        margins = margins_of([alignment.sentence({*switched, k}) for k in remaining])
        best = int(np.argmax(margins))
        switched.append(remaining.pop(best))
        if margins[best] > 0:
            break
    return switched + remaining


def steps(alignment: Alignment, edits: Sequence[int]) -> list[EditStep]:
    """Return the first sentence, then one step for each edit."""
    if len(edits) > MAX_EDITS:
        values = {"n": len(edits), "most": MAX_EDITS}
        raise BadInput(t("These sentences are {n} edits apart; at most {most} can be shown. Make them more alike.", **values))
    path = [EditStep(*alignment.sentence(frozenset()))]
    done = frozenset()
    for column in edits:
        done |= {column}
        old, new = alignment.columns[column]
        before = (pair[k in done] for k, pair in enumerate(alignment.columns[:column]))
        position = None if new is None else sum(token is not None for token in before)
        path.append(EditStep(*alignment.sentence(done), position, old, new, column, done))
    return path


def write_step(alignment: Alignment, step: EditStep, first: Sequence[str], second: Sequence[str]) -> list[tuple[int, str, bool]]:
    """Write a step as parts (column, text with the blank before it, whether it is present), in order.

    `first` and `second` are the tokens of both sentences as `core.text.tokens.as_in_text` returns them. A token that the last edit removed
    is written in its place as not present.
    """
    places = [0, 0]
    parts = []
    for k, pair in enumerate(alignment.columns):
        side = int(k in step.switched)
        is_removed = pair[side] is None and k == step.column
        if is_removed:
            side = 1 - side
        if pair[side] is not None:
            piece = (first, second)[side][places[side]]
            word = piece.lstrip()
            is_spaced = word != piece or (places[side] == 0 and word[:1].isalnum())  # what began a sentence may now follow a word
            parts.append((k, f" {word}" if parts and is_spaced else word, not is_removed))
        places = [place + (token is not None) for place, token in zip(places, pair, strict=True)]
    return parts


def centroids(layers: np.ndarray, labels: Sequence[str], weights: np.ndarray) -> Centroids:
    """Return a unit centroid for each sense of labeled occurrences (n, L, D) under a mix (L,)."""
    units = mixed(layers, weights, axis=1, unit=True)
    labels = np.asarray(labels, str)
    senses = tuple(map(str, np.unique(labels)))
    return Centroids(senses, unit(np.stack([units[labels == sense].mean(axis=0) for sense in senses])))


def ends(cosines: np.ndarray) -> tuple[int, int]:
    """Return the sense of the first step and that of the last from cosines (S, C); if they are equal, the next best of the last."""
    first = int(cosines[0].argmax())
    return first, next((int(k) for k in np.argsort(-cosines[-1], kind="stable") if k != first), first)


def flips(margins: np.ndarray) -> list[int]:
    """Return the steps at which the margin (S,) changes its sign; 0 counts as negative."""
    over = np.asarray(margins) > 0
    return [k for k in range(1, len(over)) if over[k] != over[k - 1]]


def _columns(first: Sequence[str], second: Sequence[str]) -> list[tuple[str | None, str | None]]:
    a, b = ([token.casefold() for token in tokens] for tokens in (first, second))
    columns: list[tuple[str | None, str | None]] = []
    for _, i, i_end, j, j_end in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        for k in range(max(i_end - i, j_end - j)):
            columns.append((first[i + k] if i + k < i_end else None, second[j + k] if j + k < j_end else None))
    return columns
