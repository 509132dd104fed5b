"""What maps of occurrences share: the user's own stars among the dots, who was selected."""

from dataclasses import dataclass

import numpy as np

from core.analysis.maps import FrozenMaps
from core.analysis.word_maps import ALL_WORDS, map_rows, place
from core.common.i18n import t
from core.common.markup import Markup, html
from core.figures.maps import Star
from core.figures.style import mark
from pages._cached import opened
from pages._cached.kept import kept
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen


def placed(in_use: InUse, word: str, chosen: tuple[Chosen, ...]) -> dict[int, Chosen]:
    """Which of the user's sentences, numbered from 1, have the word that the map shows."""
    table = opened.targets(in_use.corpus, in_use.model)
    result = {}
    for number, item in enumerate(chosen, 1):
        lemma = item.lemma_in(table) if item.position is not None else None
        if lemma is not None and word in (lemma, ALL_WORDS):
            result[number] = item
    return result


def star(number: int, item: Chosen, points: dict[str, tuple[float, ...]]) -> Star:
    """One of the user's sentences at its places."""
    return Star(t("yours, {number}", number=number), mark(item.tokens, item.position), points)


def stars(in_use: InUse, word: str, maps: FrozenMaps, rows: np.ndarray, chosen: tuple[Chosen, ...]) -> list[Star]:
    """The user's tokens as stars in every layer's frozen map; only those of the word the map shows."""
    table = opened.targets(in_use.corpus, in_use.model)
    results = []
    for number, value in placed(in_use, word, chosen).items():
        products = opened.query_products(table, opened.query(in_use.model, *value.asked))
        places = place(table, products, rows, maps)
        results.append(star(number, value, {space: tuple(map(float, at)) for space, at in zip(maps.names, places, strict=True)}))
    return results


@dataclass(frozen=True, slots=True)
class AtlasDots:
    """What a person reads of each row of a map, in its order of points."""

    lemmas: list[str]
    words: list[str]  # as spelled
    senses: list[str]
    sentences: list[str]
    cards: list[Markup]


@kept(32)
def dots(corpus: str, model: str, word: str) -> AtlasDots:
    """The dots of a word's maps."""
    table = opened.targets(corpus, model)
    results = [table.occurrence(int(row)) for row in map_rows(table, word)]
    return AtlasDots(
        [o.lemma or "" for o in results],
        [o.tokens[o.position] for o in results],
        [o.sense or "" for o in results],
        [o.sentence for o in results],
        [mark(o.tokens, o.position) + html("<br><i>{}</i>", o.sense or "") for o in results],
    )


def selected_rows(event) -> list[int]:
    """Row ids of a selection event: `customdata`, never the point's number, which is per trace; stars are negative."""
    points = (event or {}).get("selection", {}).get("points", [])
    ids = [p["customdata"][0] if isinstance(p["customdata"], list | tuple) else p["customdata"]["0"] for p in points if p.get("customdata")]
    return [int(k) for k in ids if int(k) >= 0]
