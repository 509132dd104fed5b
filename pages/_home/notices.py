"""What Home says of its picture: pure functions of the numbers on the screen."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.analysis.anisotropy import Level
from core.common import model_layers
from core.common.i18n import t
from core.figures.style import layer_title
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
    if missing := [word for word, known in zip(dict.fromkeys(map(_shown, seen.words)), _known(seen), strict=True) if not known]:
        values = {"word": missing[0], "model": model_layers.in_use().called}
        if model_layers.in_use().is_elmo and len(missing) == 1:
            lines.append(t("“{word}” is not in GloVe's vocabulary; {model} reads it from its characters.", **values))
        elif model_layers.in_use().is_elmo:
            lines.append(t("Neither word is in GloVe's vocabulary; {model} reads both from their characters.", **values))
        elif len(missing) == 1:
            lines.append(t("“{word}” is not in GloVe's vocabulary; {model} reads any word.", **values))
        else:
            lines.append(t("Neither word is in GloVe's vocabulary; {model} reads any word.", **values))
    return lines


def zeros() -> str:
    """Where GloVe knows both words and has no cosine of them."""
    return t("GloVe's vector of one of these words is all zeros: it has no direction, and no arrow is drawn.")


def beside(other: Beside, layer: str) -> str:
    """What the second model says at the same depth."""
    place = other.place(layer, model_layers.in_use())
    values = {"model": other.name, "where": other.where(place), "cosine": other.angles.cosine(place)}
    return t("As deep in {model}, {where}, their cosine is {cosine:.2f}.", **values)


def _at_layers(seen: Seen) -> str:
    a, b = map(_shown, seen.words)
    values = {"where": layer_title(seen.layer), "cosine": seen.cosines[seen.layer], "bottom": seen.cosines["0"]}
    if not model_layers.in_use().is_elmo:  # whose layer 0 knows where a word stands
        if seen.layer == "0":
            return t("At {where}, which read no context, their cosine is {cosine:.2f}.", where=values["where"], cosine=values["cosine"])
        below = {"below": layer_title("0"), **values}
        return t("At {below}, which read no context, their cosine is {bottom:.2f}; at {where} it is {cosine:.2f}.", **below)
    if seen.layer == "0":
        if seen.cosines["0"] > EQUAL:
            return t("Layer 0 reads the spelling alone, so both have one vector (cosine 1.00).")
        return t("Layer 0 reads the spelling alone: “{a}” and “{b}” have cosine {bottom:.2f} there.", a=a, b=b, **values)
    if seen.cosines["0"] <= EQUAL:
        return t("Spelt in two ways, the word has cosine {bottom:.2f} at layer 0 already, and {cosine:.2f} at {where}.", **values)
    if values["cosine"] > EQUAL:
        return t("At {where} both have one vector too (cosine 1.00), as at layer 0.", **values)
    return t("At layer 0, which reads the spelling alone, both have one vector; at {where} their cosine is {cosine:.2f}.", **values)


def _beside_random(random: Level, seen: Seen) -> str:
    """Where the words' cosine lies beside those of two random words."""
    values = {"mean": random.mean, "low": random.low, "high": random.high}
    cosine = round(seen.cosines[seen.layer], 2)
    if cosine > round(random.high, 2):
        return t(
            "Two random words have {mean:.2f} on average there, and 95 % of random pairs are below {high:.2f}: these two are nearer than that.",
            **values,
        )
    if cosine < round(random.low, 2):
        return t(
            "Two random words have {mean:.2f} on average there, and 95 % of random pairs are above {low:.2f}: these two are farther apart than that.",
            **values,
        )
    return t(
        "Two random words have {mean:.2f} on average there, nine pairs in ten between {low:.2f} and {high:.2f}: these two lie among them.",
        **values,
    )


def _two_words(seen: Seen) -> str:
    a, b = map(_shown, seen.words)
    values = {"a": a, "b": b, "where": layer_title(seen.layer), "cosine": seen.cosines[seen.layer]}
    return t("“{a}” and “{b}” are two words; at {where} their cosine is {cosine:.2f}.", **values)


def _known(seen: Seen) -> list[bool]:
    """Of each different word whether GloVe has it."""
    found: dict[str, bool] = {}
    for word, known in zip(map(_shown, seen.words), seen.in_glove, strict=True):
        found[word] = known
    return list(found.values())


def _shown(word: str) -> str:
    return bare(word)[:40]
