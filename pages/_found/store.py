"""What the page of senses found computes once: a word's occurrences, their clusters and names, by word, space and number."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.analysis.maps import pca
from core.common.model_layers import SENSES
from core.elmo.language_model import Prediction
from core.elmo.mix import layer_weights
from core.files import registry
from core.index.neighbours import Occurrence
from core.index.sense_space import SenseSpace
from core.index.table import OccurrenceTable
from core.senses import clusters
from core.senses.clusters import Agreement, Suggestion
from core.text.composed import folded
from core.text.corpora import sentences_of
from pages._cached import opened
from pages._cached.kept import kept
from pages._cached.progress import AT_MOST_S
from pages._frame.in_use import InUse
from pages._frame.server_jobs import ServerJob
from pages._word import verdict

MOST = 2_000  # occurrences of a word that are clustered
CHOICES = 400  # words offered; any other can be typed


@dataclass(frozen=True, slots=True)
class Occurrences:
    """A word's rows in the corpus in one space."""

    word: str
    everything: int  # occurrences there are; more than `items` where only some are taken
    items: list[Occurrence]
    rows: np.ndarray  # (n, D) directions, less what a spelling shares
    suggestion: Suggestion
    coordinates: np.ndarray  # (n, 2)
    frozen: bool  # whether the map is the Map page's
    substitutes: Sequence[tuple[Prediction, ...]] = ()  # of each; () where the model names none


@dataclass(frozen=True, slots=True)
class Groups:
    """The clusters of a word's rows."""

    of: np.ndarray  # (n,) the cluster of each
    substitutes: list[list[tuple[str, float]]]  # each cluster's most telling ones; none where the model names none
    words: list[list[tuple[str, float]]]  # each cluster's most telling words near by
    names: list[str]
    shares: np.ndarray  # (n, clusters)
    near: np.ndarray  # (n,) closeness
    margin: np.ndarray  # (n,)
    agreement: Agreement | None  # with gold labels


def table_for(in_use: InUse, word: str = "") -> tuple[OccurrenceTable | None, ServerJob | None]:
    """The bundled labelled sentences at once, unless the word is none of theirs; else the index of every word when it is there, or the
    job that makes it."""
    if sentences_of(in_use.corpus):
        table = opened.targets(in_use.corpus, in_use.model)
        if not word or word in table.lemmas:
            return table, None
    registry.resolve(in_use.corpus, "corpus")  # a wrong path is said at once, not by the job
    job = opened.table_job(in_use.corpus, in_use.model)
    job.wait(AT_MOST_S)
    return job.result, job


@kept(8)
def words_of(_table: OccurrenceTable, key: str) -> list[str]:
    """Words with enough occurrences in a table (`opened.table_key`): labelled ones first, then the others by frequency, stop words left out."""
    labelled = [word for word, n in zip(_table.lemmas, np.bincount(_table.lemma[_table.lemma >= 0]), strict=True) if n >= clusters.FEWEST]
    counts = np.bincount(_table.word, minlength=len(_table.words))
    order = np.argsort(-counts, kind="stable")
    often = (_table.words[code] for code in order if counts[code] >= clusters.FEWEST)
    others = [word for word in often if clusters.tells(word) and word not in labelled]
    forms = {_table.words[code] for code in np.unique(_table.word[_table.lemma >= 0])}  # "banks" is found under "bank"
    return [*labelled, *(word for word in others if word not in forms)][:CHOICES]


@kept(32)
def opening_word(_table: OccurrenceTable, key: str) -> str:
    """The word that a visitor's corpus opens on, its own most ambiguous frequent one; "" where none stands often enough."""
    return clusters.most_ambiguous(_table, words_of(_table, key))


@kept(4)
def background(_table: OccurrenceTable, key: str) -> Counter[str]:
    """How often each word that can tell something stands in the corpus."""
    tokens = Counter(token.casefold() for token in _table.sentences.flatten().to_pylist())
    return Counter({word: n for word, n in tokens.items() if clusters.tells(word)})


@kept(64)
def occurrences(corpus: str, model_name: str, key: str, word: str, layer: str, _table: OccurrenceTable) -> Occurrences:
    """Everything of a word that does not depend on the number of clusters."""
    rows, everything = taken(_table, word), len(rows_of(_table, word))
    if layer == SENSES:
        vectors = space(model_name).of_word(_table, rows, word)
    else:
        layers = _table.rows.take(rows)  # (n, L, D)
        vectors = np.tensordot(layer_weights(layer, layers.shape[1]).astype(np.float32), layers, axes=(0, 1))
    directions = clusters.directions(vectors, _table.word[rows])
    unmapped = directions
    if layer == SENSES:  # how many is asked before the map, which pulls any cloud apart
        unmapped = clusters.directions(space(model_name).of_word(_table, rows, word, mapped=False), _table.word[rows])
    items = [_table.occurrence(int(row)) for row in rows]
    maps = opened.maps(corpus, model_name, word) if sentences_of(corpus) and word in _table.lemmas else None
    is_frozen = maps is not None and layer in maps.names and len(maps.coordinates[0]) == len(rows)
    points = maps.coordinates[maps.names.index(layer)] if is_frozen else pca(directions)
    expected = substitutes(corpus, model_name, key, word, _table)
    return Occurrences(word, everything, items, directions, clusters.suggest(unmapped), points, is_frozen, expected)


@kept(64)
def substitutes(corpus: str, model_name: str, key: str, word: str, _table: OccurrenceTable) -> list[tuple[Prediction, ...]]:
    """Of each occurrence that is clustered."""
    named_by, rows = space(model_name), taken(_table, word)
    return named_by.likeliest(_table, rows, clusters.NAMED_BY) if named_by else [()] * len(rows)


def space(model_name: str) -> SenseSpace | None:
    """The model's sense space; None where it has none."""
    return verdict.space_of(model_name)


def taken(table: OccurrenceTable, word: str) -> np.ndarray:
    """At most MOST of a word's rows, spread evenly."""
    rows = rows_of(table, word)
    return rows if len(rows) <= MOST else rows[np.linspace(0, len(rows) - 1, MOST).astype(int)]


def rows_of(table: OccurrenceTable, word: str) -> np.ndarray:
    """Rows of a labelled word (its inflected forms with it), or of a spelling and, of a Korean verb, of its other forms."""
    wanted = folded(word.strip())
    if wanted in table.lemmas:
        return np.flatnonzero(table.lemma == table.lemmas.index(wanted))
    return np.flatnonzero(table.same_word(wanted))


@kept(256)
def grouped(
    corpus: str, model_name: str, key: str, word: str, layer: str, number: int, _found: Occurrences, _table: OccurrenceTable
) -> Groups:
    found = clusters.clusters(_found.rows, number)
    forms = {o.word for o in _found.items} | {word}
    contexts = [clusters.content_words(o.tokens, o.position, without=forms) for o in _found.items]
    telling = clusters.telling_words(contexts, found, background(_table, key))
    near, margin = clusters.closeness(_found.rows, found)
    labelled = np.array([k for k, o in enumerate(_found.items) if o.sense], int)
    gold = [_found.items[k].sense for k in labelled]
    agreement = clusters.agreement(gold, found[labelled]) if len(set(gold)) > 1 else None
    named = clusters.telling_substitutes(_found.substitutes, found)
    names = [clusters.name_of(*each) for each in zip(named, telling, strict=True)]
    return Groups(found, named, telling, names, clusters.shares(_found.rows, found), near, margin, agreement)
