"""Home's scenes: one dot, two arrows, other neighbors, the words that decide; each a picture of the visitor's sentences and what it says."""

import math
from collections.abc import Sequence

from core.common import model_layers
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import shorten
from core.figures.influence import signed
from core.figures.style import GLOVE, OWN, RIM, layer_colour, layer_title, sense_colour
from core.live.scenes import StoryScene, line, star, words
from core.senses import influence
from core.text.tokens import bare
from core.views.attribution import OTHER, AttributionRequest, compute
from core.views.neighbours import at_once
from pages._cached.views import about, bench, view
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen
from pages._word import verdict

WIDE, TALL = 260, 132  # of a picture, in its own units
NEAR, WORDS, LETTERS, STAR = 6, 5, 11, 10  # entries of a list, words of GloVe's, letters of a word in a picture, half of a star's width
BAR = 90  # width of all bars together


def scenes(in_use: InUse, first: Chosen, second: Chosen) -> list[StoryScene]:
    in_use = about(in_use, first.in_context, second.in_context)
    layer = verdict.on(in_use, first.in_context, second.in_context).layer
    layer = model_layers.in_use().top if layer == "0" else layer
    return [
        _one_dot(in_use, first, second),
        _two_arrows(in_use, first, second),
        _other_neighbours(in_use, first, second, layer),
        _words_decide(in_use, first, second, layer),
    ]


def _one_dot(in_use: InUse, first: Chosen, second: Chosen) -> StoryScene:
    vectors = bench(in_use).vectors
    word = bare(first.word)
    try:
        near = [neighbour.word for neighbour in vectors.neighbours(first.word, WORDS)]
    except ElmoscopeError:
        near = []
    same = word.casefold() == bare(second.word).casefold()
    cosine = vectors.cosine(first.word, second.word)
    if not near:
        caption = t("GloVe has no vector for “{word}”.", word=shorten(word))
    elif same:
        caption = t("GloVe has one vector for “{word}”. Nearest: {words}.", word=shorten(word), words=", ".join(near))
    else:
        values = {"a": shorten(word), "b": shorten(bare(second.word)), "cosine": "?" if cosine is None else f"{cosine:.2f}"}
        caption = t("In GloVe, “{a}” and “{b}” have cosine {cosine}.", **values)
    parts = [line(38, y, 104, 66, colour) for y, colour in ((36, OWN[0]), (96, OWN[1]))]
    parts += [star(30, 36, OWN[0]), star(30, 96, OWN[1])]
    if near:
        parts.append(("circle", {"cx": 112, "cy": 66, "r": 9, "fill": GLOVE, "stroke": RIM}, ""))
        parts += [words(140, 26 + 22 * k, item, 13) for k, item in enumerate(near)]
    return StoryScene(t("One dot"), parts, caption, "compare", t("Compare spaces"))


def _two_arrows(in_use: InUse, first: Chosen, second: Chosen) -> StoryScene:
    cosines = verdict.of_pair(in_use, first, second).cosines
    some = [name for name in cosines if name in model_layers.in_use().some]
    angles = {name: math.acos(min(1.0, max(-1.0, cosines[name]))) for name in some}
    widest = max(angles, key=angles.__getitem__)
    values = {
        "low": f"{math.degrees(angles[some[0]]):.0f}",
        "high": f"{math.degrees(angles[widest]):.0f}",
        "below": model_layers.in_use().at(some[0]),
        "at": model_layers.in_use().at(widest),
    }
    if widest == some[0] or values["low"] == values["high"]:
        caption = t("They are {low}° apart {below} and no farther elsewhere.", **values)
    else:
        caption = t("They are {low}° apart {below} and {high}° {at}: the context turned them.", **values)
    parts = []
    reach = min(72.0, (0.5 * WIDE / len(some) - STAR) / max(math.sin(angles[widest] / 2), 0.01))  # every pair within its own part
    for k, name in enumerate(some):
        x = (k + 0.5) * WIDE / len(some)
        half = angles[name] / 2
        for side, colour in zip((-1, 1), OWN, strict=True):
            tip = x + side * reach * math.sin(half), 96 - reach * math.cos(half)
            parts += [line(x, 96, *tip, layer_colour(name)), star(*tip, colour)]
        parts.append(words(x, 122, f"{math.degrees(angles[name]):.0f}°", 14, anchor="middle"))
    return StoryScene(t("Two arrows"), parts, caption, "mix", t("Mix the layers"))


def _other_neighbours(in_use: InUse, first: Chosen, second: Chosen, layer: str) -> StoryScene:
    over = bench(in_use)
    parts = []
    shared = {}
    senses = over.targets.senses_of(first.lemma_in(over.targets) or "")
    for row, name in enumerate(("0", layer)):
        lists = [at_once(over, item.in_context, name, NEAR) for item in (first, second)]
        both = {item.row for item in lists[0]} & {item.row for item in lists[1]}
        shared[name] = len(both), min(map(len, lists))
        y = 42 + 54 * row
        parts.append(words(4, y - 16, layer_title(name), 12))
        for side, each in enumerate(lists):
            parts.append(star(14 + 134 * side, y + 4, OWN[side]))
            for k, item in enumerate(each):
                colour = sense_colour(senses.index(item.sense)) if item.sense in senses else "#8c8c96"
                rim = {"stroke": "currentColor", "stroke-width": 2} if item.row in both else {}
                parts.append(("circle", {"cx": 36 + 134 * side + 16 * k, "cy": y + 4, "r": 6, "fill": colour} | rim, ""))
    layers = model_layers.in_use()
    values = {"n": shared["0"][0], "m": shared[layer][0], "k": shared[layer][1], "at": layers.at(layer), "below": layers.at("0")}
    if not values["k"]:
        caption = t("No labeled sentence to compare.")
    else:
        caption = t("They share {n} of {k} neighbors {below} and {m} {at} (outlined).", **values)
    return StoryScene(t("Different neighbors"), parts, caption, "neighbours", t("See both lists"))


def value_bars(rows: Sequence[tuple[str, float]]) -> list:
    """Return names, bars and numbers: a positive value to the right of zero, a negative one to the left, and none for what rounds to zero."""
    parts = []
    low = min([0.0, *(value for _, value in rows)])
    scale = BAR / max(max([0.0, *(value for _, value in rows)]) - low, 1e-9)
    zero = 112 - scale * low
    for row, (name, value) in enumerate(rows):
        y, length = 14 + 25 * row, scale * abs(value)
        parts.append(words(104, y + 5, shorten(name, LETTERS), 13, anchor="end"))
        number = signed(value)
        if number != signed(0.0):
            look = {"height": 14, "rx": 2, "fill": sense_colour(0 if value > 0 else 1)}
            parts.append(("rect", {"x": round(zero - length * (value < 0), 1), "y": y - 7, "width": round(length, 1)} | look, ""))
        parts.append(words(112 + BAR + 6, y + 5, number, 12))
    return parts


def _words_decide(in_use: InUse, first: Chosen, second: Chosen, layer: str) -> StoryScene:
    title = t("Words decide")
    page = "decided"
    onward = t("See every word")
    if first.place == second.place or len(first.tokens) < 2:
        return StoryScene(title, [], t("Nothing to decide here. Try other sentences."), page, onward)
    request = AttributionRequest(word=first.in_context, other=second.in_context, by=OTHER)
    answer = view(compute, bench(in_use), request)
    result = answer.influence
    every = [
        (float(v), k) for v, k in zip(influence.measure_apart(result, layer, "both"), result.changed, strict=True) if k in answer.content
    ]
    ranked = sorted(every, key=lambda item: -abs(item[0]))[:5]
    parts = value_bars([(bare(first.tokens[place]), value) for value, place in ranked])
    at = model_layers.in_use().at(layer)
    most = max(every, default=(0.0, 0))
    if most[0] < influence.CLEAR:
        caption = t("No single word of the first sentence separates the two clearly {at}.", at=at)
    else:
        values = {"at": at, "other": shorten(bare(first.tokens[most[1]])), "value": f"{most[0]:.2f}"}
        caption = t("“{other}” separates them most {at}: without it the cosine is {value} higher.", **values)
    return StoryScene(title, parts, caption, page, onward)
