"""The nearest labelled sentences of a word in question, there at once: for small pictures and for the share card."""

from collections.abc import Iterable

from core.elmo.mix import layer_weights
from core.index import neighbours
from core.index.neighbours import Occurrence
from core.text.tokens import pieces
from pages._cached import opened
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen

LOOKED_AT = 60  # other words, of which each is shown once


def nearest(in_use: InUse, chosen: Chosen, layer: str, k: int) -> list[Occurrence]:
    """Other sentences with the word; of a word that no labelled one is, the nearest other words, each once."""
    table = opened.targets(in_use.corpus, in_use.model)
    result = opened.query_products(table, opened.queries_for(in_use.model, [chosen.in_context])[0])
    weights = layer_weights(layer, table.meta["layers"])
    if chosen.lemma_in(table) is not None:
        return [item.occurrence for item in table.nearest(result, weights, k=k, which=neighbours.SAME)]
    others = table.nearest(result, weights, k=LOOKED_AT, which=neighbours.OTHER)
    return list({item.occurrence.word.casefold(): item.occurrence for item in reversed(others)}.values())[::-1][:k]


def around(tokens: Iterable[str], position: int, most: int) -> tuple[str, str, str]:
    """What stands before a token, the token, and what stands behind it: at most so many letters' room, cut around the token.

    >>> around(["They", "sat", "on", "the", "bank", "of", "the", "river", "."], 4, 17)
    ('…on the ', 'bank', ' of the…')
    """
    shown = pieces(list(tokens))
    word = shown[position]
    first = position
    last = position + 1
    room = most - _room(word.strip())
    while room > 0 and (first > 0 or last < len(shown)):
        before = first > 0 and (position - first <= last - position - 1 or last == len(shown))
        item = shown[first - 1] if before else shown[last]
        if _room(item) > room:
            break
        room -= _room(item)
        first, last = (first - 1, last) if before else (first, last + 1)
    left = "".join(shown[first:position]).lstrip()
    right = "".join(shown[position + 1 : last]).rstrip()
    gap = " " if word.startswith(" ") and (left or first) else ""
    return ("…" if first else "") + left + gap, word.strip()[:most], right + ("…" if last < len(shown) else "")


def _room(text: str) -> float:
    """How wide a text is, in Latin letters."""
    return sum(1.0 if sign.isascii() else 1.7 for sign in text)
