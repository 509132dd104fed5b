"""What speaks of a word in its sentence where nobody labeled its senses: four views of one token.

"token": its vector at a layer minus that of the word standing by itself.
"place": what both directions of the biLM know of its place before they read it, the forward state in front of it and the backward
one behind it. Where a word has one meaning, like words are expected in its place (as substitutes; Amrami and Goldberg 2018).
"topic": the sum of the other words' static vectors (core.static.vectors), which needs no network.
"senses": the token in the sense space (core.index.sense_space), by a map that has not seen its word; empty without a softmax.

All tokens share much of each, so that the mean over the labeled words is taken off; two occurrences are then compared by cosines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..common.directions import unit
from ..elmo.mix import layer_weights, mixed
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..static.vectors import StaticVectors, topics
from ..text.tokens import bare
from ..workspace import Word

VIEWS = ("token", "place", "topic", "senses")


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence of n occurrences, before a layer is chosen and a mean subtracted."""

    layers: np.ndarray  # (n, L, D) of the tokens
    alone: np.ndarray  # (n, L, D) of each word as a sentence of its own
    place: np.ndarray  # (n, d): what stands around each token
    topic: np.ndarray  # (n, V): zeros where no other word has a vector
    parts: np.ndarray | None = None  # (n, W) of the sense space, `space`; None without one
    space: SenseSpace | None = None
    lemmas: tuple[str, ...] = ()  # of labeled words: their map has not seen them

    def views(self, layer: str) -> dict[str, np.ndarray]:
        """By name (n, d); the token under that layer or mix."""
        weights = layer_weights(layer, self.layers.shape[1])
        token, alone = (mixed(each, weights, axis=1, unit=True) for each in (self.layers, self.alone))
        return {"token": token - alone, "place": self.place, "topic": unit(self.topic), "senses": self._senses()}

    def _senses(self) -> np.ndarray:
        """(n, D) in the sense space; zeros without one."""
        if self.space is None or self.parts is None:
            return np.zeros((len(self.layers), 1), np.float32)
        lemmas = np.array(self.lemmas or [""] * len(self.parts))
        placed = [(np.flatnonzero(lemmas == lemma), lemma) for lemma in np.unique(lemmas)]
        vectors = np.concatenate([self.space.place(self.parts[rows], word=str(lemma)) for rows, lemma in placed])
        return vectors[np.argsort(np.concatenate([rows for rows, _ in placed]))]


def of_words(words: Sequence[Word]) -> Evidence:
    """Return the evidence of typed words."""
    space = words[0].workspace.sense_space
    layers, alone, place, topic = (np.stack([getattr(word, name) for word in words]) for name in ("layers", "alone", "place", "topic"))
    return Evidence(layers, alone, place, topic, np.stack([word.parts for word in words]) if space else None, space)


def of_rows(encoder, vectors: StaticVectors | None, table: OccurrenceTable, rows: np.ndarray, space: SenseSpace | None = None) -> Evidence:
    """Of some rows of a table, whose sentences are read anew: seconds."""
    occurrences = [table.occurrence(int(row)) for row in rows]
    alone = standing_alone(encoder, [table.words[code] for code in np.unique(table.word[rows])])
    each = np.stack([alone[table.words[code]] for code in table.word[rows]])
    place = encoder.around([list(o.tokens) for o in occurrences], [o.position for o in occurrences])
    topic = topics(vectors, [(o.tokens, o.position) for o in occurrences])
    lemmas = tuple(table.lemmas[code] for code in table.lemma[rows])
    return Evidence(table.rows.take(rows), each, place, topic, space and space.of_rows(table, rows), space, lemmas if space else ())


def standing_alone(encoder, words: Sequence[str]) -> dict[str, np.ndarray]:
    """Each word as a sentence of its own: its vectors (L, D)."""
    return {word: layers[:, 0] for word, layers in zip(words, encoder.encode([[word] for word in words]), strict=True)}


def is_also_a_name(table: OccurrenceTable, lemma: str) -> bool:
    """Whether one of a word's labeled senses is written with a capital within sentences, as the company Apple is and no fruit:
    then letter case tells meanings apart."""
    written: dict[str | None, list[int]] = {}  # sense -> occurrences without a capital, and with one
    for row in table.labeled_rows(lemma):
        item = table.occurrence(int(row))
        if item.position and bare(item.tokens[item.position - 1]):
            written.setdefault(item.sense, [0, 0])[item.tokens[item.position][:1].isupper()] += 1
    return any(capital > small for small, capital in written.values())


def center(rows: np.ndarray, reference: np.ndarray | None = None) -> np.ndarray:
    """(n, d) -> their directions minus the mean direction of the `reference` rows (theirs if none), of unit length; a row of zeros stays
    zeros and counts in no mean."""
    others = rows if reference is None else reference
    used = np.linalg.norm(others, axis=1) > 1e-9
    if not used.any():
        return unit(rows)
    return unit(unit(rows) - unit(others)[used].mean(axis=0)) * (np.linalg.norm(rows, axis=1) > 1e-9)[:, None]


def centers(views: Mapping[str, np.ndarray], words: np.ndarray) -> dict[str, np.ndarray]:
    """The mean (d,) of each view over the words, of which each occurrence has a number (n,); every word counts alike."""
    return {name: np.mean([rows[words == word].mean(axis=0) for word in np.unique(words)], axis=0) for name, rows in views.items()}


def cosines(views: Mapping[str, np.ndarray], center: Mapping[str, np.ndarray], first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Numbers of occurrences (m,), (m,) -> (m, 4): the cosine of each pair in every view; 0 where a view of one of them is empty."""
    results = []
    for name in VIEWS:
        there = np.linalg.norm(views[name], axis=1) > 1e-9
        rows = unit(views[name] - np.asarray(center[name], np.float32)) * there[:, None]
        results.append(np.einsum("md,md->m", rows[first], rows[second]))
    return np.stack(results, axis=1)
