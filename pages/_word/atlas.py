"""The shared parts of maps of occurrences: stars, tooltips and colors."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.analysis.word_maps import ALL_WORDS
from core.common.i18n import t
from core.common.markup import Markup, html
from core.figures.maps import MapLook, Star, map_figure
from core.figures.style import mark
from core.index.neighbors import Occurrence
from core.index.table import OccurrenceTable
from pages._widgets.inputs import Chosen


def place_sentences(table: OccurrenceTable, word: str, chosen: Sequence[Chosen]) -> dict[int, Chosen]:
    """Return which of the user's sentences, numbered from 1, have the word of the map."""
    return {number: item for number, item in enumerate(chosen, 1) if (lemma := item.lemma_in(table)) and word in (lemma, ALL_WORDS)}


def stars(chosen: Mapping[int, Chosen], names: Sequence[str], places: np.ndarray) -> list[Star]:
    """Return the sentences by number, at their places (K, S, d) in K spaces."""
    each = zip(chosen.items(), np.moveaxis(places, 1, 0).tolist(), strict=True)
    return [
        Star(t("yours, {number}", number=number), mark(item.tokens, item.position), dict(zip(names, map(tuple, at), strict=True)))
        for (number, item), at in each
    ]


def card(of: Occurrence) -> Markup:
    """Return the tooltip of a dot: its sentence and sense."""
    return mark(of.tokens, of.position) + html("<br><i>{}</i>", sense_note(of))


def sense_note(of: Occurrence) -> str:
    """Return the sense of an occurrence. A model's guess is marked as one."""
    return of.sense or (t("{sense} (guess)", sense=of.guess) if of.guess else "")


def word_map(occurrences: Sequence[Occurrence], flat: np.ndarray, senses: Sequence[str], lemma: str | None, **look: Any) -> go.Figure:
    """Return a map of occurrences at `flat` (N, 2), colored by sense, with the style of `MapLook`."""
    labels = [o.sense or o.guess if o.lemma == lemma else None for o in occurrences]
    look["guesses"] = [o.guess is not None and o.lemma == lemma for o in occurrences]
    return map_figure(flat, labels, [card(o) for o in occurrences], [o.row for o in occurrences], senses, MapLook(**look))
