"""What a share card shows of two sentences: both with the word marked, the angle between its vectors, six neighbors each."""

import math
from collections.abc import Sequence

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import shorten
from core.figures.style import FONTS, OWN, layer_colour, layer_title
from core.index.neighbours import Neighbour, Occurrence, TypeNeighbour
from core.text.tokens import around, bare
from core.views import pair
from core.views.neighbours import at_once
from pages._cached.views import bench
from pages._export import record
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen
from pages._word import verdict, verdict_words

NEIGHBOURS = 6
SENTENCE, LINE = 92, 34  # letters of a sentence and of a neighbor's line
Listed = Sequence[Occurrence | Neighbour | TypeNeighbour]


def note(in_use: InUse, first: Chosen, second: Chosen, layer: str, weights: str = "", listed: Sequence[Listed] = ()) -> None:
    """Have this pair on the card that is made when it is asked for; `listed`: those on the page, else the nearest sentences."""

    def card() -> dict:
        over = bench(in_use)
        cosine = pair.cosine(over, first.in_context, second.in_context, layer, weights)
        judgment = verdict.on(in_use, first.in_context, second.in_context).verdict
        degrees = math.degrees(math.acos(min(1.0, max(-1.0, cosine))))
        near = listed or [at_once(over, item.in_context, layer, NEIGHBOURS) for item in (first, second)]
        words = [shorten(bare(item.word)) for item in (first, second)]
        values = {"first": words[0], "second": words[1], "degrees": f"{degrees:.0f}", "at": model_layers.in_use().at(layer)}
        return {
            "title": verdict_words.title(judgment) if judgment else t("Two different words"),
            "question": t("Does a word mean the same thing twice?"),
            "sentences": [around(item.tokens, item.position, SENTENCE) for item in (first, second)],
            "neighbours": [[item.around(LINE) for item in each[:NEIGHBOURS]] for each in near],
            "nearest": t("Nearest"),
            "degrees": f"{degrees:.0f}°",
            "angle": degrees,
            "told": t("cosine {cosine:.2f}, {where}", cosine=cosine, where=layer_title(layer)),
            "source": t("Elmoscope · model {model}", model=model_layers.in_use().transformer or in_use.model),
            "colours": [*OWN, layer_colour(layer)],
            "fonts": FONTS,
            "alt": t("Both sentences, “{first}” and “{second}” {degrees}° apart {at}, with neighbors.", **values),
        }

    record.now().note("card", card, "card")
