"""Does ELMo know the sense better before it reads the word?

A vector of layer 1 has read the word itself, which is the same in every sentence. The forward state before the word and the backward state
behind it have read the rest of the sentence alone; they say which words could stand there (core.elmo.substitutes). Beside them:

- the static context: the sum of the other words' static vectors, no network;
- the words around in another order, the word in its place;
- random LSTMs of the same shape, above the trained layer 0.

Of each word's sentences the mean is taken off; then 1-NN, leaving one out, and the adjusted Rand index (Hubert and Arabie 1985; 0 by
chance) of k-means at the true number of senses. `python -m core evaluate lessons --only before` keeps them beside the model.
"""

from collections.abc import Callable

import numpy as np

from core.common.directions import unit
from core.common.errors import ElmoscopeError
from core.elmo.models import Model, open_language_model
from core.elmo.substitutes import Substitutes
from core.evaluation.apart import words_of
from core.evaluation.context import CHANCE, SHUFFLED, STATIC, UNTRAINED, chance, sentences_of, shuffled, untrained
from core.evaluation.layer_scores import static_vectors
from core.index.table import OccurrenceTable
from core.index.tables import open_table
from core.senses.clusters import clusters
from core.senses.reports import static_contexts_of
from core.senses.separation import one_nn

READ, PLACE, SUBSTITUTES = "1", "place", "substitutes"


def measured(model: Model, *, seed: int = 0, report: Callable | None = None) -> dict:
    """{"words": (W,), "one_nn": {space: (W,)}, "ari": {space: (W,)}}: READ, PLACE, SUBSTITUTES, "shuffled place", "untrained place", ...,
    "static", "chance"; without substitutes where the model has no softmax."""
    table = open_table(model.language.sentences, model, targets_only=True)
    words = words_of(table)
    rows = np.concatenate(list(words.values()))
    spaces = {READ: table.rows.take(rows)[:, int(READ)], **_places(model, table, rows, seed)}
    if (vectors := static_vectors(model)) is not None:
        spaces[STATIC] = static_contexts_of(table, rows, vectors)
    found: dict = {"words": list(words), "n": len(rows), "one_nn": {}, "ari": {}}
    for number, (name, vectors) in enumerate(spaces.items()):
        each = [told_apart(own, table.sense[of]) for own, of in _by_word(vectors, words)]
        found["one_nn"][name], found["ari"][name] = ([round(float(x), 4) for x in values] for values in zip(*each, strict=True))
        if report:
            report(number + 1, len(spaces))
    found["one_nn"][CHANCE] = [round(chance(table.sense[own]), 4) for own in words.values()]
    return found


def told_apart(vectors: np.ndarray, senses: np.ndarray) -> tuple[float, float]:
    """(n, D) of one word's sentences -> 1-NN, leaving one out, and the adjusted Rand index of its clusters; their mean taken off."""
    from sklearn.metrics import adjusted_rand_score

    rows = unit(np.asarray(vectors, np.float32))
    own = unit(rows - rows.mean(axis=0))
    return one_nn(own @ own.T, senses), adjusted_rand_score(senses, clusters(own, len(np.unique(senses))))


def _places(model: Model, table: OccurrenceTable, rows: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """The states around each row's word, and its substitutes: as they are, of the words in another order, of random LSTMs."""
    sentences, positions = sentences_of(table, rows)
    words = [tokens[k] for tokens, k in zip(sentences, positions, strict=True)]
    other = shuffled(sentences, positions, np.random.default_rng(seed))
    try:
        substitutes = Substitutes(open_language_model(model))
    except ElmoscopeError:
        substitutes = None
    spaces = {}
    for name, encoder, read in (
        ("", model.encoder, sentences),
        (SHUFFLED, model.encoder, other),
        (UNTRAINED, untrained(model, seed), sentences),
    ):
        places = spaces[f"{name} {PLACE}".strip()] = encoder.around([list(tokens) for tokens in read], positions)
        if substitutes:
            spaces[f"{name} {SUBSTITUTES}".strip()] = substitutes.vectors(places, words)
    return spaces


def _by_word(vectors: np.ndarray, words: dict[str, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Vectors of all words' rows, one word after the other -> each word's, and its rows."""
    ends = np.cumsum([len(rows) for rows in words.values()])[:-1]
    return list(zip(np.split(vectors, ends), words.values(), strict=True))
