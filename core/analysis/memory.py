"""What a biLM remembers of earlier text, and what that does to a sentence's vectors.

AllenNLP's ELMo keeps its LSTMs' states from batch to batch (`stateful=True` in its `_EncoderBase`), so a sentence's vectors
depend on what was encoded before it; `Encoder.encode` starts every sentence at zero. `Encoder.encode_streams` is the former,
to the published golden files. Drift is 1 - cosine with the vectors of a fresh start: 0 says that nothing changed.
"""

from dataclasses import dataclass

import numpy as np

from core.common.directions import unit
from core.common.errors import BadInput
from core.common.i18n import t
from core.elmo.encoder import Encoder
from core.index.neighbours import ANY, SAME, Query, products
from core.index.table import OccurrenceTable

Sentence = list[str]


@dataclass(frozen=True, slots=True)
class Drift:
    """1 - cosine of two encodings of one sentence: (L, T) for whole vectors and for each direction's half."""

    whole: np.ndarray
    forward: np.ndarray
    backward: np.ndarray


@dataclass(frozen=True, slots=True)
class Stream:
    """The encodings (L, T, D) of one sentence in a stream whose state is never reset; the first is a fresh start."""

    encodings: tuple[np.ndarray, ...]

    def from_fresh(self, layer: int) -> np.ndarray:
        """(n,) mean drift of all tokens from the first encoding, at each of the n encodings behind it."""
        return np.array([drift(self.encodings[0], later).whole[layer].mean() for later in self.encodings[1:]])

    def from_previous(self, layer: int) -> np.ndarray:
        """(n,) mean drift of all tokens from the encoding before."""
        pairs = zip(self.encodings[:-1], self.encodings[1:], strict=True)
        return np.array([drift(before, later).whole[layer].mean() for before, later in pairs])


@dataclass(frozen=True, slots=True)
class Memory:
    """One sentence again and again: with the same text between, with another each time, and without any memory."""

    same: Stream
    varied: Stream
    fresh: tuple[np.ndarray, np.ndarray]  # by `Encoder.encode`, before and after the other text
    in_batch: np.ndarray  # by `Encoder.encode`, in one batch with the other text

    @property
    def drifted(self) -> Drift:
        """After the other text was read once."""
        return drift(self.same.encodings[0], self.same.encodings[1])

    @property
    def stateless(self) -> Drift:
        """The same question, asked of the encoder that starts at zero."""
        return drift(*self.fresh)

    @property
    def stateless_difference(self) -> tuple[float, float]:
        """Largest difference of any number by `Encoder.encode`: alone and alone again; alone and in a batch."""
        before, after = self.fresh
        return float(np.abs(before - after).max()), float(np.abs(before - self.in_batch).max())


def drift(first: np.ndarray, second: np.ndarray) -> Drift:
    """(L, T, D) twice -> drift per layer and token."""
    if first.shape != second.shape:
        raise BadInput(t("Encodings must have one shape, not {a} and {b}.", a=first.shape, b=second.shape))
    half = first.shape[-1] // 2
    parts = (slice(None), slice(half), slice(half, None))
    return Drift(*(_one_less_cosine(first[..., part], second[..., part]) for part in parts))


def _one_less_cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(..., D) twice -> (...): exactly 0 where both are the same numbers, 1 where one has no length."""
    a, b = unit(a.astype(np.float64)), unit(b.astype(np.float64))
    # 1 - cos of two unit vectors is half their squared distance; unlike 1 - a.b it has no rounding near 0.
    return np.where(a.any(axis=-1) == b.any(axis=-1), 0.5 * ((a - b) ** 2).sum(axis=-1), 1.0)


def remember(encoder: Encoder, sentence: Sentence, other: list[Sentence], varied: list[Sentence], rounds: int) -> Memory:
    """Encode a sentence, then `rounds` times other text and the sentence again, with the states carried over.

    Between two encodings stands all of `other` (the same each time), and in a second stream as many sentences of `varied`,
    going on where it left off and from its start again behind its end. BadInput where one of them is empty.
    """
    other, varied = [s for s in other if s], [s for s in varied if s]
    if not sentence:
        raise BadInput(t("The sentence is empty. Type one that contains the word."))
    if not other or not varied:
        raise BadInput(t("The other text is empty. Type some or choose an example."))
    if rounds < 1:
        raise BadInput(t("At least one reading is needed, not {rounds}.", rounds=rounds))
    same, changing = [sentence], [sentence]
    for k in range(rounds):
        same += [*other, sentence]
        changing += [*(varied[(k * len(other) + n) % len(varied)] for n in range(len(other))), sentence]
    streams = encoder.encode_streams([same, changing])
    own = range(0, len(same), len(other) + 1)
    before = encoder.encode([sentence])[0]
    in_batch = encoder.encode([*other, sentence])[-1]
    return Memory(*(Stream(tuple(stream[k] for k in own)) for stream in streams), (before, encoder.encode([sentence])[0]), in_batch)


def changed_neighbours(
    table: OccurrenceTable, tokens: Sentence, position: int, first: np.ndarray, second: np.ndarray, *, k: int = 8
) -> tuple[list[int], int, bool]:
    """Layer by layer, how many of the k occurrences nearest to a token leave the list when its encoding is another. `first` and `second`
    are (L, T, D). Also how long the lists are, and whether they hold that word alone (else any word)."""
    results = []
    for layers in (first, second):
        query = layers[:, position].astype(np.float16).astype(np.float32)  # as the rows of the table are stored
        results.append(products(table.rows, Query(tuple(tokens), position, query)))
    which = SAME if table.same_word(tokens[position]).any() else ANY
    lists = [[table.nearest(result, weights, k=k, which=which) for weights in np.eye(len(first))] for result in results]
    rows = [[{n.occurrence.row for n in layer} for layer in item] for item in lists]
    return [len(a - b) for a, b in zip(*rows, strict=True)], len(rows[0][0]), which == SAME
