"""Compute what lessons take minutes to measure, and store it next to the model as lessons.json.

Before the word is read: a vector of layer 1 has read the word itself, which is the same in every sentence. The forward state before the
word and the backward state after it have read only the rest of the sentence, and predict words for that place (core.elmo.substitutes). They
are compared with the static context, with shuffled words, and with random LSTMs on top of the trained layer 0. Measures are leave-one-out
1-NN and the adjusted Rand index (Hubert and Arabie 1985) of k-means at the true number of senses, each word's mean subtracted.
"""

from collections.abc import Callable

import numpy as np

from ..common.directions import unit
from ..common.errors import BadInput, ElmoscopeError
from ..elmo.models import Model, open_language_model
from ..elmo.substitutes import Substitutes
from ..evaluation.apart import words_of
from ..evaluation.lessons import CHANCE, FILE, FORMAT, PLACE, READ, SHUFFLED, STATIC, SUBSTITUTES, UNTRAINED, read
from ..files import sums
from ..files.artifacts import provenance, write_json
from ..files.atomic import locked
from ..index.table import OccurrenceTable
from ..index.tables import open_table
from ..senses.clusters import clusters
from ..senses.evaluate import static_vectors
from ..senses.reports import static_contexts_of
from ..senses.separation import one_nn
from . import context, control
from .context import chance, sentences_of, shuffled, split_words, untrained


def measure(model: Model, parts: list[str] | None = None, *, report: Callable | None = None) -> dict:
    """Measure parts of a model (default: all) and store each as it is done. Other stored parts of the same weights stay."""
    if not model.language.sentences:
        raise BadInput(f"{model.name}'s language has no labeled sentences of its own, which the lessons are measured on.")
    result = read(model.folder, model.fingerprint)
    for name in parts or PARTS:
        made = {**PARTS[name](model, report=report), "date": provenance()["date"]}
        with locked(model.folder / FILE):  # another process may have added parts
            result = read(model.folder, model.fingerprint) | {name: made}
            record = provenance(model=model.name, fingerprint=model.fingerprint, command="python -m core.lab lessons", parts=result)
            write_json(model.folder / FILE, {"format": FORMAT} | record)
        sums.renew(model.folder / FILE)
    return result


def before_reading(model: Model, *, seed: int = 0, report: Callable | None = None) -> dict:
    """Measure whether ELMo knows the sense better before it reads the word.

    Returns {"words": (W,), "one_nn": {space: (W,)}, "ari": {space: (W,)}}. Spaces: READ, PLACE, SUBSTITUTES (only with a softmax),
    "shuffled place", "untrained place", ..., "static", "chance".
    """
    table = open_table(model.language.sentences, model, targets_only=True)
    words = words_of(table)
    rows = np.concatenate(list(words.values()))
    spaces = {READ: table.rows.take(rows)[:, int(READ)], **_places(model, table, rows, seed)}
    if (vectors := static_vectors(model)) is not None:
        spaces[STATIC] = static_contexts_of(table, rows, vectors)
    result: dict = {"words": list(words), "n": len(rows), "one_nn": {}, "ari": {}}
    for number, (name, vectors) in enumerate(spaces.items()):
        each = [score_layer(own, table.sense[of]) for own, of in split_words(vectors, words)]
        result["one_nn"][name], result["ari"][name] = ([round(float(x), 4) for x in values] for values in zip(*each, strict=True))
        if report:
            report(number + 1, len(spaces))
    result["one_nn"][CHANCE] = [round(chance(table.sense[own]), 4) for own in words.values()]
    return result


def score_layer(vectors: np.ndarray, senses: np.ndarray) -> tuple[float, float]:
    """Return leave-one-out 1-NN and the adjusted Rand index of one word's vectors (n, D), their mean subtracted."""
    from sklearn.metrics import adjusted_rand_score

    rows = unit(np.asarray(vectors, np.float32))
    own = unit(rows - rows.mean(axis=0))
    return one_nn(own @ own.T, senses), adjusted_rand_score(senses, clusters(own, len(np.unique(senses))))


def _places(model: Model, table: OccurrenceTable, rows: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """Return the states around each row's word and its substitutes: unchanged, with shuffled words, and of random LSTMs."""
    sentences, positions = sentences_of(table, rows)
    words = [tokens[k] for tokens, k in zip(sentences, positions, strict=True)]
    other = shuffled(sentences, positions, np.random.default_rng(seed))
    try:
        substitutes = Substitutes(open_language_model(model))
    except ElmoscopeError:
        substitutes = None
    spaces = {}
    sources = ("", model.encoder, sentences), (SHUFFLED, model.encoder, other), (UNTRAINED, untrained(model, seed), sentences)
    for name, encoder, texts in sources:
        places = spaces[f"{name} {PLACE}".strip()] = encoder.around([list(tokens) for tokens in texts], positions)
        if substitutes:
            spaces[f"{name} {SUBSTITUTES}".strip()] = substitutes.vectors(places, words)
    return spaces


PARTS: dict[str, Callable[..., dict]] = {"context": context.measure_context, "before": before_reading, "control": control.measure_control}
