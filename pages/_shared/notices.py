"""What to notice, computed from what is on the screen; and the GloVe column that pages share."""

from __future__ import annotations

from collections import Counter
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import BadInput
from core.figures import GLOVE
from core.neighbours import Neighbour, similarities
from core.occurrences import OccurrenceTable
from core.senses import pair_cosines
from core.static import StaticVectors
from pages._shared import lists
from pages._shared.inputs import Chosen


def senses_of(table: OccurrenceTable, word: str) -> list[str]:
    """The senses a word has in the labelled sentences, in a fixed order, so that each keeps its colour everywhere."""
    lemma = lemma_of(table, word)
    return sorted({table.senses[k] for k in table.sense[table.labelled_rows(lemma)]}) if lemma else []


def lemma_of(table: OccurrenceTable, word: str) -> str | None:
    """The labelled word that a form belongs to ("banks" -> "bank"), or None."""
    word = word.casefold()
    if word in table.lemmas:
        return word
    code = table.word_codes.get(word)
    rows = [] if code is None else table.lemma[(table.word == code) & (table.lemma >= 0)]
    return table.lemmas[rows[0]] if len(rows) else None


def glove_cosine(vectors: StaticVectors, a: str, b: str) -> float | None:
    """Cosine of two spellings' static vectors; None where one is not in the vocabulary."""
    x, y = vectors.vector(a), vectors.vector(b)
    if x is None or y is None:
        return None
    return float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))


def glove_column(vectors: StaticVectors, first: Chosen, second: Chosen, k: int, tables: list) -> None:
    """GloVe's list: one for a word, whatever the sentence; two if the two words differ."""
    words = list(dict.fromkeys(c.word.casefold() for c in (first, second) if c.word))
    for word in words:
        lists.heading(f"GloVe, “{word[:24]}” in any sentence", GLOVE, f"{vectors.name}: one vector a spelling")
        try:
            found = vectors.neighbours(word, k if len(words) == 1 else max(3, k // 2))
        except BadInput as error:
            st.info(str(error), icon=":material/search_off:")
            continue
        lists.word_lines([(n.word, n.cosine, "") for n in found])
        tables.append(
            pd.DataFrame(
                [
                    {"context": f"GloVe: {word}", "rank": r, "word": n.word, "cosine": round(n.cosine, 4)}
                    for r, n in enumerate(found, 1)
                ]
            )
        )


def reference_line(table: OccurrenceTable, word: str, layer: int, cosine: float) -> str:
    """What the cosine on screen compares with: pairs of labelled sentences of one sense, and of two."""
    lemma = lemma_of(table, word)
    if lemma is None or layer == 0:
        return ""
    rows = table.labelled_rows(lemma)
    same, other = pair_cosines(similarities(table, rows, np.eye(table.meta["layers"])[layer]), table.sense[rows])
    nearer = "one meaning" if abs(cosine - same) < abs(cosine - other) else "two meanings"
    return (
        f"To compare: in {len(rows)} labelled sentences with “{escape(lemma)}”, two of the same meaning have {same:.2f} on average at "
        f"layer {layer}, two of different meanings {other:.2f}. Yours have {cosine:.2f}: more like {nearer}."
    )


def about_neighbours(first: Chosen, second: Chosen, layer: str, a: list, b: list) -> list[str]:
    """How far the two lists agree, and which senses they hold."""
    rows_a, rows_b = (_identity(found) for found in (a, b))
    shared, most = len(rows_a & rows_b), max(len(rows_a), len(rows_b), 1)
    where = "the mix" if layer == "mix" else f"layer {layer}"
    if first.word.casefold() != second.word.casefold():
        lines = [f"Two different words are in question; their lists at {where} share {shared} of {most}."]
    elif rows_a == rows_b:
        lines = [
            f"At {where} the two lists are the same: "
            + ("layer 0 reads the spelling and nothing else." if layer == "0" else "this layer sees no difference here.")
        ]
    else:
        lines = [f"At {where} the two lists share {shared} of {most}; GloVe would give the same list twice."]
    for chosen, found, name in ((first, a, "first"), (second, b, "second")):
        if line := _sense_line(chosen, found, name):
            lines.append(line)
    return lines


def _identity(found: list) -> set:
    return {n.occurrence.row if isinstance(n, Neighbour) else n for n in found}


def _sense_line(chosen: Chosen, found: list, name: str) -> str:
    senses = Counter(n.occurrence.sense for n in found if isinstance(n, Neighbour) and n.occurrence.sense)
    if not senses:
        return ""
    sense, count = senses.most_common(1)[0]
    return f"In the {name} sentence {count} of {sum(senses.values())} labelled neighbours mean “{escape(sense)}”."
