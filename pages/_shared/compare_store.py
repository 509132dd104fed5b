"""What the Compare page opens and compares once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from core import comparing, workbench
from core.comparing import Comparison, Shift, Space
from core.occurrences import OccurrenceTable
from core.workbench import layer_weights
from pages._shared import store
from pages._shared.compare_spaces import MARK, Chosen

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
    cka_luck: float  # of the same two spaces with their words paired by lot
    shift: Shift | None


@st.cache_resource(max_entries=16, show_spinner=False)
def _static(name: str) -> Space:
    vectors = store.vectors(name)
    words = vectors.words[:MOST_STATIC]
    return comparing.static_space(vectors.name, words, np.stack([vectors.vector(word) for word in words]))


@st.cache_resource(max_entries=16, show_spinner=False)
def result(first: Chosen, second: Chosen, folders: tuple[str, ...], k: int, _tables: dict[Chosen, OccurrenceTable]) -> Result:
    """Everything that is computed of two spaces; `folders` tells the tables apart, which are not hashed."""
    fewest = FEWEST if first.corpus and second.corpus and first.corpus != second.corpus else 1
    pair = [_space(one, one.layer, _tables, fewest) for one in (first, second)]
    every: dict[str, Space] = {}
    for one in (first, second):
        for layer in workbench.SPACES if one.layer else (None,):
            space = _space(one, layer, _tables, fewest)
            every.setdefault(space.name, space)
    words = comparing.shared_words(list(every.values()))
    vectors = {name: comparing.on_words(space, words) for name, space in every.items()}
    a, b = (vectors[space.name] for space in pair)
    moved = None
    if fewest > 1 and first.source == second.source and first.layer == second.layer:
        weights = layer_weights(first.layer, _tables[first].meta["layers"])
        moved = comparing.shift(_tables[first], _tables[second], words, weights)
    names = tuple(space.name for space in pair)
    return Result(
        names, comparing.compare(a, b, words, k=k), tuple(every), comparing.cka_matrix(list(vectors.values())),
        comparing.linear_cka(a, b), comparing.shuffled_cka(a, b), moved,
    )  # fmt: skip


def _space(one: Chosen, layer: str | None, found: dict[Chosen, OccurrenceTable], fewest: int) -> Space:
    if layer is None:
        return _static(one.source)
    table = found[one]
    # Two corpora under one model: their spaces are told apart by the corpus.
    name = f"{one.source}{MARK}{layer}" if fewest == 1 else f"{Path(one.corpus).name}{MARK}{layer}"
    return comparing.type_space(name, table, layer_weights(layer, table.meta["layers"]), fewest=fewest)
