"""What Home says of its picture: pure functions of the numbers on the screen."""

from core.analysis.anisotropy import Level
from core.common import model_layers
from core.common.i18n import t
from core.common.markup import shorten
from core.views.pair import Pair
from pages._home.beside import Beside

EQUAL = 0.9999  # cosines above are those of one vector: storage rounds


def write_notices(pair: Pair, layer: str, random: Level | None) -> list[str]:
    """At most three sentences of the pair at the layer shown, and of two random words there."""
    lines = [_at_layers(pair, layer) if pair.one_word or pair.same else _two_words(pair, layer)]
    if random is not None and layer != "0":
        lines.append(_compare_with_random(random, round(pair.cosines[layer], 2)))
    known = dict(zip((shorten(word) for word in pair.words), pair.in_static, strict=True))  # a word that is both once
    if missing := ", ".join(f"“{word}”" for word, has in known.items() if not has):
        lines.append(t("Not in GloVe: {words}. {model} reads any word.", words=missing, model=model_layers.in_use().called))
    return lines


def zeros() -> str:
    """Where GloVe knows both words and has no cosine of them."""
    return t("One GloVe vector here is all zeros: no direction, no arrow.")


def describe_second_model(other: Beside, layer: str) -> str:
    """What the second model says at the same depth."""
    place = other.place(layer, model_layers.in_use())
    values = {"model": other.name, "where": other.where(place), "cosine": other.angles.cosine(place)}
    return t("{model} at the same depth ({where}): {cosine:.2f}.", **values)


def _at_layers(pair: Pair, layer: str) -> str:
    layers, bottom = model_layers.in_use(), pair.cosines["0"]
    if layers.is_elmo and layer == "0" and bottom > EQUAL:
        return t("Layer 0 reads only the spelling, so both vectors are equal (cosine 1.00).")
    below = t("at layer 0 (spelling only)") if layers.is_elmo else t("in the embeddings (no context)")
    if layer == "0":
        return t("The cosine is {bottom:.2f} {below}.", bottom=bottom, below=below)
    values = {"bottom": bottom, "below": below, "cosine": pair.cosines[layer], "at": layers.at(layer)}
    return t("The cosine is {bottom:.2f} {below} and {cosine:.2f} {at}.", **values)


def _compare_with_random(random: Level, cosine: float) -> str:
    """Where the words' cosine lies beside those of random pairs."""
    if cosine > round(random.high, 2):
        return t("The two vectors are closer than 95% of random pairs (below {high:.2f}).", high=random.high)
    if cosine < round(random.low, 2):
        return t("The two vectors are farther apart than 95% of random pairs (above {low:.2f}).", low=random.low)
    return t("That is like random pairs: 90% are between {low:.2f} and {high:.2f}.", low=random.low, high=random.high)


def _two_words(pair: Pair, layer: str) -> str:
    a, b = (shorten(word) for word in pair.words)
    values = {"a": a, "b": b, "at": model_layers.in_use().at(layer), "cosine": pair.cosines[layer]}
    if all(any(map(str.isalpha, word)) for word in pair.words):
        return t("“{a}” and “{b}” are different words: cosine {cosine:.2f} {at}.", **values)
    return t("“{a}” and “{b}” are different tokens: cosine {cosine:.2f} {at}.", **values)  # tokens like "3" are not words
