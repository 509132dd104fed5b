"""What the Mix page's instrument is sent of a word whose senses nobody labelled: the nearest of all words, and the word's own sentences.

There is no accuracy without labels. What a point is coloured by is which of the reader's two sentences it leans to under the mix on
screen, which `mix.js` works out anew at every pixel: so both sentences are given the same candidates.
"""

import numpy as np

from core.analysis import surroundings
from core.analysis.maps import procrustes
from core.analysis.surroundings import Surroundings
from core.common.i18n import t
from core.elmo.layer_norm import layer_normalised
from core.elmo.mix import mixed
from core.figures.surroundings import SIDES
from core.files.artifacts import text_fingerprint
from core.index import any_mix
from core.index.table import OccurrenceTable
from core.text.tokens import bare
from pages._cached import opened
from pages._cached.kept import kept
from pages._map import map_view, mix_view
from pages._map.map_view import NEUTRAL
from pages._widgets.inputs import Chosen

CIRCLE, DIAMOND = 0, 1  # numbers of live.js's shapes


@kept(12)
def static(
    _table: OccurrenceTable, corpus: str, model: str, asked: tuple[Chosen, ...], normalised: bool, lengths: tuple[float, ...], code: str
) -> dict:
    """All that any mix of these sentences needs, as JSON; `_table` is of every token of the corpus, `code` the reader's language."""
    words = tuple(one.asked for one in asked)
    points, stars = _points(_table, corpus, model, words)
    queries = opened.queries(model, words)
    of_types, of_rows = ([opened.query_products(_table, query, normalised, types=types) for query in queries] for types in (True, False))
    near = [any_mix.of_types(_table, found, np.array(lengths)).rows for found in of_types]
    drawn = np.array([_table.word_codes[word] for word in points.words[points.occurrences :]], int)
    codes = np.unique(np.concatenate([*near, drawn]))
    own = points.rows[: points.occurrences]
    ids = np.concatenate([-1 - codes, own])  # a spelling's number is no row's
    parts = [
        any_mix.together([any_mix.of_rows(_table.types, types, codes), any_mix.of_rows(_table.rows, rows, own)], ids)
        for types, rows in zip(of_types, of_rows, strict=True)
    ]
    data = mix_view.common(asked, parts, of_types, lengths) | {
        "lines": _lines(_table, codes, own),
        "senses": _sides() if len(asked) > 1 else [],
        "close": surroundings.CLOSE,
        "pairs": None,
        "chance": None,
        "map": _map(*_read(points, stars, normalised), np.concatenate([own, -1 - drawn])),
        "text": _text(bare(asked[0].word)[:24], points, len(lengths), len(asked)),
    }
    for one, found in zip(data["asked"], of_types, strict=True):
        itself = np.flatnonzero(codes == _table.word_codes.get(found.query.word.casefold(), -1))
        one |= {"listed": len(codes), "itself": int(itself[0]) if len(itself) else -1}
    return data | {"key": text_fingerprint([repr(data)])[:16]}


def laid(table: OccurrenceTable, corpus: str, model: str, asked: tuple[Chosen, ...], weights: np.ndarray, normalised: bool) -> dict:
    """The plane of largest spread under one mix, turned onto the layers' planes in the mix's own proportions: dots, then stars."""
    points, stars = _points(table, corpus, model, tuple(one.asked for one in asked))
    layers, stars = _read(points, stars, normalised)
    start = mixed(_planes(layers, stars).astype(float), weights)
    if len(start) < 2:
        return {}
    flat = procrustes(surroundings.by_spread(layers, stars, [weights])[0].coordinates, start, scale=False)
    return {"layout": np.ravel(flat[: len(layers)]).round(4).tolist(), "stars": flat[len(layers) :].round(4).tolist()}


@kept(12)
def _points(
    _table: OccurrenceTable, corpus: str, model: str, asked: tuple[tuple[tuple[str, ...], int], ...]
) -> tuple[Surroundings, np.ndarray]:
    """What is on the map, and the sentences' own words, (S, L, D)."""
    queries = opened.queries(model, asked)
    words = list(dict.fromkeys(bare(query.word).casefold() for query in queries))
    found = surroundings.surroundings(_table, words, queries, np.eye(_table.meta["layers"])[-1])
    return found, np.stack([query.layers for query in queries])


def _read(points: Surroundings, stars: np.ndarray, normalised: bool) -> tuple[np.ndarray, np.ndarray]:
    """Both's layers as the mix takes them."""
    return (layer_normalised(points.layers), layer_normalised(stars)) if normalised else (points.layers, stars)


def _planes(layers: np.ndarray, stars: np.ndarray) -> np.ndarray:
    """(L, N + S, 2): each layer's plane of largest spread, one turned onto the next."""
    return np.stack([view.coordinates for view in surroundings.by_spread(layers, stars, np.eye(stars.shape[1]))])


def _map(layers: np.ndarray, stars: np.ndarray, ids: np.ndarray) -> dict:
    flat = _planes(layers, stars).round(4)
    return {
        "rows": ids.tolist(),
        "layers": [np.ravel(one[: len(ids)]).tolist() for one in flat],
        "stars": [
            {"asked": k, "label": t("yours, {number}", number=k + 1), "layers": flat[:, len(ids) + k].tolist()} for k in range(len(stars))
        ],
    }


def _lines(table: OccurrenceTable, codes: np.ndarray, own: np.ndarray) -> dict:
    """By id: what stands left of the word, the word, what stands right of it, the number of its shape; a spelling in its first sentence."""
    first = dict(zip(*np.unique(table.word, return_index=True), strict=True))
    rows = {-1 - int(code): (int(first[code]), CIRCLE) for code in codes} | {int(row): (int(row), DIAMOND) for row in own}
    found = {}
    for number, (row, shape) in rows.items():
        o = table.occurrence(row)
        found[str(number)] = (*map_view.line(o.tokens, o.position), shape)
    return found


def _sides() -> list[dict]:
    """What a point's colour says, in the order of its numbers."""
    names = t("nearer to the first sentence"), t("nearer to the second"), t("neither")
    return [{"name": name, "colour": colour} for name, colour in zip(names, (SIDES[1], SIDES[2], NEUTRAL), strict=True)]


def _text(word: str, points: Surroundings, n_layers: int, n_asked: int) -> dict:
    """What else the instrument says; what it fills in stands in braces."""
    own = points.occurrences
    n = len(points)
    told = t("Circles are words, by their mean; diamonds are sentences with “{word}” ({n}).", word=word, n=own)
    if not own:
        told = t("Circles are words, by their mean; no other sentence of the corpus has “{word}”.", word=word)
    moved = t("Dots move between the layers' planes of largest spread; let go, and this mix has its own.")
    sides = t("Type a second sentence to see which of the two each word leans to.")
    if n_asked > 1:
        braces = {name: "{" + name + "}" for name in ("first", "second", "neither")}
        sides = t(
            "Of {n} points {first} are nearer to the first sentence, {second} to the second, {neither} to neither (by less than {close}).",
            n=n,
            close=surroundings.CLOSE,
            **braces,
        )
    return mix_view.text_of(word, n_layers) | {
        "map": t("A map of {n} words and sentences around “{word}” under this mix.", n=n, word=word),
        "about_map": f"{told} {moved}",
        "unlabelled": t("Nobody labelled the meanings of “{word}” here: no accuracy can be counted.", word=word),
        "sides": sides,
    }
