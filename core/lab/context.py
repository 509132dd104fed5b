"""Measure how much context matters: the layers on labeled senses, compared with inputs that contain less.

- layer 0 alone: spelling without context;
- shuffled words: the other words in random order, the target in its place;
- an untrained biLM: LSTMs of the same shape with random weights, on top of the trained layer 0;
- the static context: the sum of the other words' static vectors, without a network (core.static.context).

The measure is leave-one-out 1-NN accuracy for each word. It takes minutes, so `python -m core.lab lessons` stores it next to the model.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..common.device import seeded
from ..common.errors import BadInput
from ..common.i18n import t
from ..elmo.encoder import Encoder, encoded
from ..elmo.model import BiLM
from ..elmo.models import Model
from ..evaluation.apart import words_of
from ..evaluation.lessons import CHANCE, SHUFFLED, STATIC, UNTRAINED
from ..index.table import OccurrenceTable
from ..index.tables import open_table
from ..senses.evaluate import static_vectors
from ..senses.reports import static_contexts_of
from ..senses.separation import one_nn
from ..static import context


def measure_context(model: Model, *, seed: int = 0, report: Callable | None = None) -> dict:
    """Return {"words": (W,), "one_nn": {space: (W,)}}; spaces are layers, "shuffled 1", "untrained 1", ..., "static", "chance"."""
    table = open_table(model.language.sentences, model, targets_only=True)
    words = words_of(table)
    layers = range(model.encoder.n_layers)
    rows = np.concatenate(list(words.values()))
    result = {str(k): by_word(table, words, table.rows.take(rows)[:, k]) for k in layers}
    sentences, places = sentences_of(table, rows)
    other = shuffled(sentences, places, np.random.default_rng(seed))
    for name, encoder, read in ((SHUFFLED, model.encoder, other), (UNTRAINED, untrained(model, seed), sentences)):
        vectors = np.stack([each[:, k] for each, k in zip(encoded(encoder, read, report), places, strict=True)])  # (N, L, D)
        result |= {f"{name} {k}": by_word(table, words, vectors[:, k]) for k in layers if k}
    if (vectors := static_vectors(model)) is not None:
        result[STATIC] = by_word(table, words, static_contexts_of(table, rows, vectors))
    result[CHANCE] = [chance(table.sense[own]) for own in words.values()]
    return {"words": list(words), "n": len(rows), "one_nn": {name: [round(x, 4) for x in each] for name, each in result.items()}}


def by_word(table: OccurrenceTable, words: Mapping[str, np.ndarray], vectors: np.ndarray) -> list[float]:
    """Return leave-one-out 1-NN of each word, from vectors (N, D) of all words' rows in order."""
    return [one_nn(context.cosines(own), table.sense[rows]) for own, rows in split_words(vectors, words)]


def split_words(vectors: np.ndarray, words: Mapping[str, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Split vectors (N, D) of all words' rows, in order, into each word's vectors and rows."""
    ends = np.cumsum([len(rows) for rows in words.values()])[:-1]
    return list(zip(np.split(vectors, ends), words.values(), strict=True))


def chance(senses: np.ndarray) -> float:
    """Return how often a random other sentence has the same sense."""
    counts = np.unique(senses, return_counts=True)[1]
    n = len(senses)
    return float((counts * (counts - 1)).sum() / (n * (n - 1)))


def sentences_of(table: OccurrenceTable, rows: np.ndarray) -> tuple[list[tuple[str, ...]], list[int]]:
    results = [table.occurrence(int(row)) for row in rows]
    return [result.tokens for result in results], [result.position for result in results]


def shuffled(sentences: Sequence[Sequence[str]], places: Sequence[int], rng) -> list[tuple[str, ...]]:
    """Shuffle the other tokens of each sentence. The token at its place stays."""
    results = []
    for tokens, place in zip(sentences, places, strict=True):
        others = [token for k, token in enumerate(tokens) if k != place]
        mixed = [others[k] for k in rng.permutation(len(others))]
        results.append((*mixed[:place], tokens[place], *mixed[place:]))
    return results


def untrained(model: Model, seed: int) -> Encoder:
    """Return the model's layer 0 below randomly initialized LSTMs of its shape."""
    if not model.is_elmo:
        raise BadInput(t("{model} is a transformer; this lesson needs a biLM.", model=model.layers.called))
    trained = model.encoder.model
    other = BiLM(trained.shape, seeded(seed))
    other.characters = trained.characters
    return Encoder(other, name="untrained")
