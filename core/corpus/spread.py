"""Spread a few labels: a person labels some of a word's sentences, and the others get the likeliest sense with a probability.

A sense is the mean direction of its labeled sentences in the sense space. The other sentences of the word move it toward them as far as they
belong to it (Nigam and others 2000, of directions as Banerjee and others 2005). The next sentence offered is the one of the highest
entropy (uncertainty sampling, Lewis and Gale 1994).
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.markup import shorten
from ..text.normalization import compose

if TYPE_CHECKING:
    from ..index.rows import Occurrence

FEWEST_SENSES, MOST_SENSES = 2, 8
MOST_CHARACTERS = 80  # length of a typed sense name
MOST_STEPS = 200  # steps that can be undone
WITHIN = 8.0  # sharpness of an unlabeled sentence's part in the senses' means
ROUNDS = 5
SHARPNESS, MORE = 3.6, 0.8  # of probabilities: with one label per sense, and for each e times as many; fitted on the labeled sentences
USUAL = 0.8  # mean probability of a label's sense by the other labels; probabilities are e times as sharp if it is 1 higher
MOST_HELD = 40  # labels that are held out, one at a time


Given = tuple[tuple[Hashable, str], ...]  # a sentence and its sense, in the order they were given


@dataclass(frozen=True, slots=True)
class Labels:
    """The senses that a person gave to sentences.

    A sentence is identified by any key: its number among the current ones, or its tokens and the position of the word.
    Every change returns a new object that has the steps before it.
    """

    given: Given = ()
    steps: tuple[tuple[Given, Given], ...] = field(default=(), compare=False, repr=False)  # labels before and after each
    elsewhere: Given = ()  # labels of other sentences, which are renamed with these

    @property
    def senses(self) -> tuple[str, ...]:
        """Return the names of the senses, in the order of their first use."""
        return tuple(dict.fromkeys(sense for _, sense in self.given))

    def sentences(self, sense: str) -> tuple:
        """Return the sentences with a sense. Raises BadInput for an unknown sense."""
        if sense not in self.senses:
            raise BadInput(t("No sense “{name}”. Senses: {names}.", name=shorten(sense), names=", ".join(self.senses) or "–"))
        return tuple(k for k, name in self.given if name == sense)

    def label(self, sentences: Iterable[Hashable], sense: str) -> "Labels":
        """Label sentences with a sense; "" removes their labels. Raises BadInput for an invalid name, or for too many senses."""
        labels, changed = dict(self.given), dict.fromkeys(sentences)
        if sense:
            labels |= dict.fromkeys(changed, self._name(sense))
        else:
            labels = {k: label for k, label in labels.items() if k not in changed}
        return self._changed(labels.items())

    def rename(self, sense: str, name: str) -> "Labels":
        """Rename a sense. Raises BadInput if another sense has the name (that is a merge)."""
        self.sentences(sense)
        new = self._name(name)
        if new != sense and new in self.senses:
            raise BadInput(t("“{name}” is a sense already. Merge the two instead.", name=shorten(new)))
        return self._renamed({sense: new})

    def merge(self, into: Mapping[str, str]) -> "Labels":
        """Merge each sense into another, along chains to their end. Raises BadInput for a circle."""
        for sense in (*into, *into.values()):
            self.sentences(sense)
        return self._renamed({sense: end_of(sense, into) for sense in into})

    def join(self, others: Iterable[tuple[Hashable, str]]) -> "Labels":
        """Add other labels, as one step. They replace the labels of the same sentences."""
        return self._changed((dict(self.given) | dict(others)).items())

    def undo(self) -> "Labels":
        """Undo the last step. A label that another tab or process changed since stays as it is."""
        if not self.steps:
            return self
        before, after = self.steps[-1]
        if self.given != after:
            was, became, present = dict(before), dict(after), dict(self.given)
            for k in was | became:
                if was.get(k) != became.get(k) and became.get(k) == present.get(k):
                    present[k] = was.get(k)
            before = tuple((k, sense) for k, sense in present.items() if sense is not None)
        return replace(self, given=before, steps=self.steps[:-1])

    def _name(self, typed: str) -> str:
        """Return the existing sense of this name, which may be longer than a typed one if a file named it, or a new name."""
        if name := typed if typed in self.senses else clean(typed):
            return name
        raise BadInput(t("A sense needs a name. Type one."))

    def _renamed(self, names: Mapping[str, str]) -> "Labels":
        labels_here, elsewhere = (tuple((k, names.get(sense, sense)) for k, sense in labels) for labels in (self.given, self.elsewhere))
        return replace(self._changed(labels_here), elsewhere=elsewhere)

    def _changed(self, labels: Iterable[tuple[Hashable, str]]) -> "Labels":
        labels, present = tuple(labels), self.senses
        senses = sorted(dict.fromkeys(sense for _, sense in labels), key=lambda sense: sense not in present)  # the new ones last
        limit = max(MOST_SENSES, len(present))
        if len(senses) > limit:
            values = {"name": shorten(senses[limit]), "n": limit + 1, "most": MOST_SENSES}
            raise BadInput(t("“{name}” would be sense {n}; at most {most}. Merge two first.", **values))
        if labels == self.given:
            return self
        return replace(self, given=labels, steps=(*self.steps, (self.given, labels))[-MOST_STEPS:])


@dataclass(frozen=True, slots=True, eq=False)
class SpreadLabels:
    """The likeliest sense of every sentence."""

    senses: tuple[str, ...]
    sense_of: np.ndarray  # (n,) its number among the senses; the label of a labeled sentence
    shares: np.ndarray  # (n, C) probabilities
    labeled: np.ndarray  # (n,) bool
    doubtful: np.ndarray  # the unlabeled ones, the most doubtful first

    def table(self, sentences: "Sequence[Occurrence]") -> Frame:
        """Return a row for each of the sentences."""
        columns = {
            t("sense"): [self.senses[sense] for sense in self.sense_of.tolist()],
            t("probability"): self.shares.max(axis=1).round(3),
            t("by you"): self.labeled,
            t("word"): [o.tokens[o.position] for o in sentences],
            t("sentence"): [o.sentence for o in sentences],
        }
        return frame(columns)


def clean(name: str) -> str:
    """Return a typed sense name on one line, cut to MOST_CHARACTERS."""
    return compose(on_one_line(name)[:MOST_CHARACTERS].strip())


def on_one_line(name: str) -> str:
    """Return a sense name of any length on one line."""
    return compose(" ".join("".join(c if c.isprintable() else " " for c in compose(name)).split()))


def spread(rows: np.ndarray, labels: Labels, sentences: Sequence[Hashable] = ()) -> SpreadLabels:
    """Return the likeliest sense of each unit row (n, D); equal `sentences` (n,) count once. Raises BadInput for fewer than two senses."""
    senses = labels.senses
    if len(senses) < FEWEST_SENSES:
        raise BadInput(t("Label sentences of at least {n} senses; {known} so far.", n=FEWEST_SENSES, known=len(senses)))
    places = np.array([k for k, _ in labels.given])
    codes = np.array([senses.index(sense) for _, sense in labels.given])
    numbers: dict[Hashable, int] = {}
    number_of = np.array([numbers.setdefault(sentence, len(numbers)) for sentence in sentences or range(len(rows))])
    first = np.unique(number_of, return_index=True)[1]
    distinct, label = np.unique(number_of[places], return_index=True)
    shares = shares_of(rows[first], distinct, codes[label], len(senses))[number_of]
    labeled = np.zeros(len(rows), bool)
    labeled[places] = True
    likeliest = shares.argmax(axis=1)
    likeliest[places] = codes
    entropy = -(shares * np.log(np.maximum(shares, 1e-12))).sum(axis=1)
    order = np.argsort(-entropy, kind="stable")
    return SpreadLabels(senses, likeliest, shares, labeled, order[~labeled[order]])


def shares_of(rows: np.ndarray, places: np.ndarray, codes: np.ndarray, n_senses: int) -> np.ndarray:
    """Return the probability (n, C) of each sense for unit rows (n, D), with the labels `codes` (L,) at `places` (L,); 1 for labeled rows.

    Held-out labels set the sharpness: it grows with their mean probability by the other labels.
    """
    rows = np.asarray(rows, np.float32)
    sharpness = SHARPNESS + MORE * np.log(len(places) / n_senses)
    sharpness *= np.exp(_held_out_probability(rows, places, codes, n_senses, sharpness) - USUAL)
    shares = softmax(sharpness * _cosines(rows, places, codes, n_senses), axis=1)
    shares[places] = np.eye(n_senses, dtype=np.float32)[codes]
    return shares


def _cosines(rows: np.ndarray, places: np.ndarray, codes: np.ndarray, n_senses: int) -> np.ndarray:
    """Return the cosine (n, C) of each row and each sense, which is moved toward the rows that belong to it."""
    labeled = np.zeros((len(rows), n_senses), np.float32)
    labeled[places, codes] = 1
    cosines = rows @ unit(labeled.T @ rows).T
    for _ in range(ROUNDS):
        belong = softmax(WITHIN * cosines, axis=1)
        belong[places] = labeled[places]
        cosines = rows @ unit(belong.T @ rows).T
    return cosines


def _held_out_probability(rows: np.ndarray, places: np.ndarray, codes: np.ndarray, n_senses: int, sharpness: float) -> float:
    """Return the mean probability of a label's sense by the other labels; USUAL if no sense has two."""
    shared = np.flatnonzero(np.bincount(codes, minlength=n_senses)[codes] > 1)
    probabilities = []
    for k in shared[:: -(-len(shared) // MOST_HELD) or 1].tolist():
        cosines = _cosines(rows, np.delete(places, k), np.delete(codes, k), n_senses)[places[k]]
        probabilities.append(softmax(sharpness * cosines)[codes[k]])
    return float(np.mean(probabilities)) if probabilities else USUAL


def end_of(sense: str, into: Mapping[str, str]) -> str:
    """Return the sense that a sense is merged into, along chains. Raises BadInput for a circle."""
    chain = [sense]
    while chain[-1] in into:
        if (target := into[chain[-1]]) in chain:
            circle = " → ".join(f"“{name}”" for name in (*chain[chain.index(target) :], target))
            raise BadInput(t("{circle} is a circle. Merge one way.", circle=circle))
        chain.append(target)
    return chain[-1]
