"""A few labels that spread: a person names the sense of some of a word's sentences, the rest get the likeliest, with a probability.

A sense is the mean direction of its labeled sentences in the sense space, and the rest of a word's sentences pull it toward themselves as far
as they belong to it (Nigam and others 2000, of directions as Banerjee and others 2005). The next sentence offered is the one of the highest
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
from ..common.markup import shorten
from ..text.normalization import compose

if TYPE_CHECKING:  # imported when a table is made: the first paint must not wait for it
    import pandas as pd

    from ..index.neighbors import Occurrence

FEWEST_SENSES, MOST_SENSES = 2, 8
MOST_CHARACTERS = 80  # of a sense's name
MOST_STEPS = 200  # that can be undone
WITHIN = 8.0  # sharpness of what an unlabeled sentence gives to the senses' means
ROUNDS = 5
SHARPNESS, MORE = 3.6, 0.8  # of probabilities: with one label a sense, and for each e times as many (python -m tests.bench.change spread)
USUAL = 0.8  # probability that a label's sense has by the other labels: e times as sharp for each 1 more
MOST_HELD = 40  # labels that are held out, each in its turn


Given = tuple[tuple[Hashable, str], ...]  # a sentence and its sense, in the order they were given


@dataclass(frozen=True, slots=True)
class Labels:
    """The senses that a person gave to sentences.

    A sentence is named by anything that can be a key: its number among those at hand, or its tokens and the place of the word in them.
    Every change is a new object that knows the steps before it.
    """

    given: Given = ()
    steps: tuple[tuple[Given, Given], ...] = field(default=(), compare=False, repr=False)  # labels before and after each
    elsewhere: Given = ()  # labels of sentences that are not among those at hand; they change their names with the others

    @property
    def senses(self) -> tuple[str, ...]:
        """Their names, in the order they first came up."""
        return tuple(dict.fromkeys(sense for _, sense in self.given))

    def sentences(self, sense: str) -> tuple:
        """The sentences labeled so; BadInput where there is no such sense."""
        if sense not in self.senses:
            raise BadInput(t("No sense “{name}”. Senses: {names}.", name=shorten(sense), names=", ".join(self.senses) or "–"))
        return tuple(k for k, of in self.given if of == sense)

    def label(self, sentences: Iterable[Hashable], sense: str) -> "Labels":
        """Those sentences with that sense, whatever they had; "" takes their label away. BadInput for a name that is none, or a ninth sense."""
        wanted = dict.fromkeys(sentences)
        name = clean(sense)
        if sense and not name:
            raise BadInput(t("A sense needs a name. Type one."))
        kept = {k: of for k, of in self.given if name or k not in wanted}
        kept |= dict.fromkeys(wanted, name) if name else {}
        return self._changed(kept.items(), name)

    def rename(self, sense: str, name: str) -> "Labels":
        """The sense under another name; BadInput where another has it (that is a merge)."""
        new = clean(name)
        self.sentences(sense)
        if not new:
            raise BadInput(t("A sense needs a name. Type one."))
        if new != sense and new in self.senses:
            raise BadInput(t("“{name}” is a sense already. Merge the two instead.", name=shorten(new)))
        return self._renamed({sense: new})

    def merge(self, into: Mapping[str, str]) -> "Labels":
        """Each sense put into another; chains go to their end. BadInput for senses that would go into each other in a circle."""
        for sense in (*into, *into.values()):
            self.sentences(sense)
        return self._renamed({sense: _end_of(sense, into) for sense in into})

    def split(self, sense: str, sentences: Iterable[Hashable], name: str) -> "Labels":
        """Some of a sense's sentences as a sense of their own."""
        own, apart = set(self.sentences(sense)), set(sentences)
        if not apart or not apart < own:
            raise BadInput(t("To split “{name}” ({n} labels) choose some of its sentences, not all.", name=shorten(sense), n=len(own)))
        if clean(name) in self.senses:
            raise BadInput(t("“{name}” is a sense already. Give the new one another name.", name=shorten(clean(name))))
        return self.label(apart, name)

    def join(self, others: Iterable[tuple[Hashable, str]]) -> "Labels":
        """Other labels with these, as one step; a sentence that both label has the others' sense."""
        others = dict(others)
        return self._changed((dict(self.given) | others).items(), next(reversed(others.values()), ""))

    def meanwhile(self, given: Given) -> "Labels":
        """The labels that somebody else has left since, with the steps that led here."""
        return replace(self, given=given)

    def undo(self) -> "Labels":
        """Take the last step back. A label that somebody else has changed since stays as it is."""
        if not self.steps:
            return self
        before, after = self.steps[-1]
        if self.given != after:
            was, became, now = dict(before), dict(after), dict(self.given)
            for k in dict.fromkeys((*was, *became)):
                if was.get(k) != became.get(k) == now.get(k):
                    now = now | {k: was[k]} if k in was else {other: of for other, of in now.items() if other != k}
            before = tuple(now.items())
        return replace(self, given=before, steps=self.steps[:-1])

    def _renamed(self, names: Mapping[str, str]) -> "Labels":
        given, elsewhere = (tuple((k, names.get(of, of)) for k, of in each) for each in (self.given, self.elsewhere))
        return replace(self._changed(given), elsewhere=elsewhere)

    def _changed(self, labels: Iterable[tuple[Hashable, str]], name: str = "") -> "Labels":
        labels = tuple(labels)
        if len({of for _, of in labels}) > max(MOST_SENSES, len(self.senses)):
            raise BadInput(
                t("“{name}” would be sense {n}; at most {most}. Merge two first.", name=shorten(name), n=MOST_SENSES + 1, most=MOST_SENSES)
            )
        return self if labels == self.given else replace(self, given=labels, steps=(*self.steps, (self.given, labels))[-MOST_STEPS:])


@dataclass(frozen=True, slots=True, eq=False)
class SpreadLabels:
    """Every sentence's likeliest sense."""

    senses: tuple[str, ...]
    of: np.ndarray  # (n,) its number among the senses; as labeled where it is
    shares: np.ndarray  # (n, C) probabilities
    labeled: np.ndarray  # (n,) bool
    doubtful: np.ndarray  # the unlabeled ones, the most doubtful first

    def table(self, sentences: "Sequence[Occurrence]") -> "pd.DataFrame":
        """Return a row for each of the sentences."""
        import pandas as pd

        columns = {
            t("sense"): [self.senses[sense] for sense in self.of.tolist()],
            t("probability"): self.shares.max(axis=1).round(3),
            t("by you"): self.labeled,
            t("word"): [o.tokens[o.position] for o in sentences],
            t("sentence"): [o.sentence for o in sentences],
        }
        return pd.DataFrame(columns)


def clean(name: str) -> str:
    """A sense's name as files of ours can hold it, and as they give it back."""
    return compose(" ".join("".join(c if c.isprintable() else " " for c in compose(name)).split())[:MOST_CHARACTERS].strip())


def spread(rows: np.ndarray, labels: Labels) -> SpreadLabels:
    """(n, D) unit rows of a word, some of them labeled -> every row's likeliest sense. BadInput below two senses."""
    senses = labels.senses
    if len(senses) < FEWEST_SENSES:
        raise BadInput(t("Label sentences of at least {n} senses; {known} so far.", n=FEWEST_SENSES, known=len(senses)))
    places, codes = np.array([k for k, _ in labels.given]), np.array([senses.index(of) for _, of in labels.given])
    shares = shares_of(rows, places, codes, len(senses))
    labeled = np.zeros(len(rows), bool)
    labeled[places] = True
    likeliest = shares.argmax(axis=1)
    likeliest[places] = codes
    entropy = -(shares * np.log(np.maximum(shares, 1e-12))).sum(axis=1)
    order = np.argsort(-entropy, kind="stable")
    return SpreadLabels(senses, likeliest, shares, labeled, order[~labeled[order]])


def shares_of(rows: np.ndarray, places: np.ndarray, codes: np.ndarray, n_senses: int) -> np.ndarray:
    """(n, D) unit rows, which are labeled (L,) and how (L,) -> the probability of each sense for each row, (n, C); 1 for what is labeled.

    They are as sharp as the word's labels, each held out in turn, are right by the others.
    """
    rows = np.asarray(rows, np.float32)
    sharpness = SHARPNESS + MORE * np.log(len(places) / n_senses)
    sharpness *= np.exp(_own_of_held(rows, places, codes, n_senses, sharpness) - USUAL)
    shares = softmax(sharpness * _cosines(rows, places, codes, n_senses), axis=1)
    shares[places] = np.eye(n_senses, dtype=np.float32)[codes]
    return shares


def _cosines(rows: np.ndarray, places: np.ndarray, codes: np.ndarray, n_senses: int) -> np.ndarray:
    """(n, C) of each row and each sense, drawn toward the rows that belong to it."""
    known = np.zeros((len(rows), n_senses), np.float32)
    known[places, codes] = 1
    cosines = rows @ unit(known.T @ rows).T
    for _ in range(ROUNDS):
        belong = softmax(WITHIN * cosines, axis=1)
        belong[places] = known[places]
        cosines = rows @ unit(belong.T @ rows).T
    return cosines


def _own_of_held(rows: np.ndarray, places: np.ndarray, codes: np.ndarray, n_senses: int, sharpness: float) -> float:
    """The mean probability of a label's own sense by the other labels; USUAL where no sense has two."""
    shared = np.flatnonzero(np.bincount(codes, minlength=n_senses)[codes] > 1)
    own = []
    for k in shared[:: -(-len(shared) // MOST_HELD) or 1].tolist():
        cosines = _cosines(rows, np.delete(places, k), np.delete(codes, k), n_senses)[places[k]]
        own.append(softmax(sharpness * cosines)[codes[k]])
    return float(np.mean(own)) if own else USUAL


def _end_of(sense: str, into: Mapping[str, str]) -> str:
    way = [sense]
    while way[-1] in into:
        if (further := into[way[-1]]) in way:
            circle = " → ".join(f"“{name}”" for name in (*way[way.index(further) :], further))
            raise BadInput(t("{circle} is a circle. Merge one way.", circle=circle))
        way.append(further)
    return way[-1]
