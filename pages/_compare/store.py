"""What the Compare page opens and compares once."""

from dataclasses import dataclass

import numpy as np

from core.analysis import spaces
from core.analysis.spaces import Comparison, Paired, Shift, Space
from core.common.errors import ElmoscopeError
from core.elmo.mix import layer_weights
from core.index.table import OccurrenceTable
from core.text.corpora import open_corpus
from pages._cached import opened
from pages._cached.kept import kept
from pages._compare.spaces import MARK, Chosen, identity, told_apart

MOST_STATIC = 100_000  # words of a vector file that are looked at, the most frequent
FEWEST = 3  # occurrences a word needs in each of two corpora, lest its mean be one sentence


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What the page draws."""

    names: tuple[str, str]
    comparison: Comparison
    cka_names: tuple[str, ...]
    cka: np.ndarray
    cka_pair: float
    paired: Paired  # the same with the words paired at random
    halves: tuple[tuple[str, float, int], ...]  # of each corpus read by a model: name, neighbours kept between its halves, words
    shift: Shift | None
    ambiguous: tuple[str, ...]  # words that have several senses in the labelled sentences of what is compared


@kept(16)
def _static(source: str, identity: tuple, label: str) -> Space:
    """The words of a vector file; `identity` tells files of one name apart."""
    vectors = opened.vectors(source)
    words = vectors.words[:MOST_STATIC]
    return spaces.static_space(label, words, np.stack([vectors.vector(word) for word in words]))


def result(first: Chosen, second: Chosen, k: int, tables: dict[Chosen, OccurrenceTable]) -> Result:
    """Everything that is computed of two spaces, once for these very files and tables."""
    files = tuple(None if one.layer else identity(one.source, "vectors") for one in (first, second))
    return _result(first, second, files, tuple(str(table.folder) for table in tables.values()), k, tables)


@kept(16)
def _result(
    first: Chosen, second: Chosen, files: tuple, folders: tuple[str, ...], k: int, _tables: dict[Chosen, OccurrenceTable]
) -> Result:
    """`files` and `folders` tell apart what has the same name; the tables themselves are not hashed."""
    across = bool(first.corpus and second.corpus and first.corpus != second.corpus)
    shown = told_apart([one.corpus if across else one.source for one in (first, second)])
    every: dict[tuple[str, str | None, str], Space] = {}  # by source, layer and corpus: a name alone can stand for two files
    for one, file in zip((first, second), files, strict=True):
        label = shown[one.corpus if across else one.source]
        for layer in opened.model(one.source).layers.spaces if one.layer else (None,):
            key = one.source, layer, one.corpus
            if key not in every:
                every[key] = _space(one, layer, label, file, _tables, FEWEST if across else 1)
    words = spaces.shared_words(list(every.values()))
    vectors = {key: spaces.on_words(space, words) for key, space in every.items()}
    pair = [(one.source, one.layer, one.corpus) for one in (first, second)]
    a, b = (vectors[key] for key in pair)
    moved = None
    if across and first.source == second.source and first.layer == second.layer:
        weights = layer_weights(first.layer, _tables[first].meta["layers"])
        documents = tuple(_documents(one, _tables[one]) for one in (first, second))
        moved = spaces.shift(_tables[first], _tables[second], words, weights, documents=documents)
    names = tuple(every[key].name for key in pair)
    lemmas = [lemma for table in _tables.values() for lemma in table.lemmas if len(_senses(table, lemma)) > 1]
    return Result(
        names,
        spaces.compare(a, b, words, k=k),
        tuple(space.name for space in every.values()),
        spaces.cka_matrix(list(vectors.values())),
        spaces.linear_cka(a, b),
        spaces.paired_cka(a, b),
        _halves(zip((first, second), names, strict=True), _tables, words, k),
        moved,
        tuple(dict.fromkeys(lemmas)),
    )


def _halves(chosen, tables: dict[Chosen, OccurrenceTable], words: tuple[str, ...], k: int) -> tuple[tuple[str, float, int], ...]:
    found = []
    for one, name in chosen:
        if one in tables:
            weights = layer_weights(one.layer, tables[one].meta["layers"])
            found.append((name, *spaces.halves_overlap(tables[one], words, weights, k=k, documents=_documents(one, tables[one]))))
    return tuple(each for each in found if each[2])


def _documents(one: Chosen, table: OccurrenceTable) -> np.ndarray | None:
    """The number of each sentence's document, where the corpus names them all and is what the table was made of."""
    try:
        sentences = open_corpus(one.corpus, opened.model(one.source).language)
    except ElmoscopeError:
        return None
    if len(sentences) != len(table.sentences) or not all(s.document for s in sentences):
        return None
    return np.unique([s.document for s in sentences], return_inverse=True)[1]


def _senses(table: OccurrenceTable, lemma: str) -> set[int]:
    return set(table.sense[table.labelled_rows(lemma)].tolist())


def _space(one: Chosen, layer: str | None, label: str, file: tuple | None, found: dict, fewest: int) -> Space:
    if layer is None:
        return _static(one.source, file, label)
    table = found[one]
    return spaces.type_space(f"{label}{MARK}{layer}", table, layer_weights(layer, table.meta["layers"]), fewest=fewest)
