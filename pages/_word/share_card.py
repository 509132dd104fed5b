"""What a share card shows of two sentences: both with the word marked, the angle between its vectors, six neighbours each."""

import math
from collections.abc import Callable, Sequence

from core.common import model_layers
from core.common.i18n import t
from core.common.model_layers import SENSES
from core.elmo.mix import layer_weights, mixed_cosines, pair_products
from core.figures.style import FONTS, OWN, layer_colour, layer_title
from core.index.sense_index import SenseIndex
from core.text.tokens import bare
from pages._cached import opened
from pages._export import record
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen
from pages._word import verdict, verdict_words
from pages._word.nearest import around, nearest

NEIGHBOURS = 6
SENTENCE, LINE = 92, 34  # letters of a sentence and of a neighbour's line
Lines = Sequence[tuple[str, str, str]]  # before the word, the word, behind it


def note(
    in_use: InUse,
    first: Chosen,
    second: Chosen,
    layer: str,
    weights: str | None = None,
    lines: Callable[[], tuple[Lines, Lines]] | None = None,
) -> None:
    """Have this pair on the card that is made when it is asked for; `lines`: the lists on the page, else the nearest sentences."""
    record.now().note("card", lambda: _card(in_use, first, second, layer, weights, lines), "card")


def _card(in_use, first, second, layer, weights, lines) -> dict:
    pair = first, second
    cosine = _cosine(in_use, pair, layer, weights)
    result = verdict.on(in_use, first, second)
    degrees = math.degrees(math.acos(min(1.0, max(-1.0, cosine))))
    near = (
        lines() if lines else tuple([around(o.tokens, o.position, LINE) for o in nearest(in_use, item, layer, NEIGHBOURS)] for item in pair)
    )
    words = [bare(item.word)[:40] for item in pair]
    values = {"first": words[0], "second": words[1], "degrees": f"{degrees:.0f}", "at": model_layers.in_use().at(layer)}
    return {
        "title": verdict_words.title(result) if result else t("Two different words"),
        "question": t("Does a word mean the same thing twice?"),
        "sentences": [around(item.tokens, item.position, SENTENCE) for item in pair],
        "neighbours": [list(each)[:NEIGHBOURS] for each in near],
        "nearest": t("Nearest"),
        "degrees": f"{degrees:.0f}°",
        "angle": degrees,
        "told": t("cosine {cosine:.2f}, {where}", cosine=cosine, where=layer_title(layer)),
        "source": t("Elmoscope · model {model}", model=model_layers.in_use().transformer or in_use.model),
        "colours": [*OWN, layer_colour(layer)],
        "fonts": FONTS,
        "alt": t("Both sentences, “{first}” and “{second}” {degrees}° apart {at}, with neighbors.", **values),
    }


def _cosine(in_use: InUse, pair: Sequence[Chosen], layer: str, weights: str | None) -> float:
    first, second = opened.queries_for(in_use.model, [item.in_context for item in pair])
    if layer == SENSES:
        index = SenseIndex(opened.targets(in_use.corpus, in_use.model), verdict.space_of(in_use.model))
        return float(index.place(first) @ index.place(second, first))
    cross, *own = pair_products(first.layers, second.layers)
    return float(mixed_cosines(cross[None], own[0], own[1][None], layer_weights(layer, len(first.layers), weights))[0])
