"""What Home says of its picture: pure functions of the numbers on the screen."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.analysis.anisotropy import Level
from core.common import model_layers
from core.common.i18n import t
from core.text.tokens import bare
from pages._home.beside import Beside

EQUAL = 0.9999  # cosines above are those of one vector: storage rounds


@dataclass(frozen=True, slots=True)
class Seen:
    """The words in question as they stand there, and their numbers."""

    words: tuple[str, str]
    one_word: bool  # forms of one word, letter case aside
    cosines: Mapping[str, float]  # of ELMo, by layer and "mix"
    layer: str  # the one shown
    random: Level | None  # of two random words at that layer
    in_glove: tuple[bool, bool]


def noticed(seen: Seen) -> list[str]:
    """At most three sentences."""
    spellings = {bare(word).casefold() for word in seen.words}
    lines = [_at_layers(seen) if seen.one_word or len(spellings) == 1 else _two_words(seen)]
    if seen.random is not None and seen.layer != "0":
        lines.append(_beside_random(seen.random, seen))
    missing = [f"“{word}”" for word, known in zip(dict.fromkeys(map(_shown, seen.words)), _known(seen), strict=True) if not known]
    if missing:
        called = model_layers.in_use().called
        lines.append(t("Not in GloVe: {words}. {model} reads any word.", words=", ".join(missing), model=called))
    return lines


def zeros() -> str:
    """Where GloVe knows both words and has no cosine of them."""
    return t("One GloVe vector here is all zeros: no direction, no arrow.")


def beside(other: Beside, layer: str) -> str:
    """What the second model says at the same depth."""
    place = other.place(layer, model_layers.in_use())
    values = {"model": other.name, "where": other.where(place), "cosine": other.angles.cosine(place)}
    return t("{model} at the same depth ({where}): {cosine:.2f}.", **values)


def _at_layers(seen: Seen) -> str:
    layers, bottom = model_layers.in_use(), seen.cosines["0"]
    if layers.is_elmo and seen.layer == "0" and bottom > EQUAL:
        return t("Layer 0 reads only the spelling, so both vectors are equal (cosine 1.00).")
    below = t("at layer 0 (spelling only)") if layers.is_elmo else t("in the embeddings (no context)")
    if seen.layer == "0":
        return t("The cosine is {bottom:.2f} {below}.", bottom=bottom, below=below)
    values = {"bottom": bottom, "below": below, "cosine": seen.cosines[seen.layer], "at": layers.at(seen.layer)}
    return t("The cosine is {bottom:.2f} {below} and {cosine:.2f} {at}.", **values)


def _beside_random(random: Level, seen: Seen) -> str:
    """Where the words' cosine lies beside those of random pairs."""
    cosine = round(seen.cosines[seen.layer], 2)
    if cosine > round(random.high, 2):
        return t("95 % of random pairs are below {high:.2f}: these two are closer.", high=random.high)
    if cosine < round(random.low, 2):
        return t("95 % of random pairs are above {low:.2f}: these two are farther apart.", low=random.low)
    return t("90 % of random pairs are between {low:.2f} and {high:.2f}, like these two.", low=random.low, high=random.high)


def _two_words(seen: Seen) -> str:
    a, b = map(_shown, seen.words)
    values = {"a": a, "b": b, "at": model_layers.in_use().at(seen.layer), "cosine": seen.cosines[seen.layer]}
    return t("“{a}” and “{b}” are different words: cosine {cosine:.2f} {at}.", **values)


def _known(seen: Seen) -> list[bool]:
    """Of each different word whether GloVe has it."""
    found: dict[str, bool] = {}
    for word, known in zip(map(_shown, seen.words), seen.in_glove, strict=True):
        found[word] = known
    return list(found.values())


def _shown(word: str) -> str:
    return bare(word)[:40]
