"""Sentences about the map of a word without labels: pure functions of the visible numbers."""

from collections.abc import Sequence

import numpy as np

from core.analysis.surroundings import sides
from core.common import model_layers
from core.common.i18n import t
from core.common.markup import shorten
from core.figures.style import layer_title

NAMED = 2  # words named on each side


def of_leans(words: Sequence[str], cosines: np.ndarray, layer: str, cosine: float, random: float | None) -> list[str]:
    """Name the words nearest to each star, count them, and compare the stars. The cosines are (2, N). Return HTML."""
    at = model_layers.in_use().at(layer, begins=True)
    leans = np.asarray(cosines[0], float) - np.asarray(cosines[1], float)
    result = sides(leans)
    n = len(result)
    first = int((result == 1).sum())
    second = int((result == 2).sum())
    between = compare_cosine(layer, cosine, random)
    if not n:
        return [t("Your corpus has no words near your sentences."), between]
    if not first and not second:
        if cosine > 0.9999:
            return [t("{at}, your two words have one vector, so no word is nearer to either.", at=at)]
        return [t("{at}, no word is clearly nearer to either sentence.", at=at), between]
    left, right = (_nearest(words, np.asarray(cosines[k], float), result == k + 1) or t("no word") for k in (0, 1))
    line = t("Nearer to the first sentence: {left}; to the second: {right}.", left=left, right=right)
    values = {"at": at, "n": n, "first": first, "second": second}
    return [line, t("{at}, of {n} words {first} are nearer to the first sentence, {second} to the second.", **values), between]


def compare_cosine(layer: str, cosine: float, random: float | None) -> str:
    at = model_layers.in_use().at(layer)
    if random is None:
        return t("The cosine of your two words {at} is {cosine:.2f}.", cosine=cosine, at=at)
    return t(
        "The cosine of your two words {at} is {cosine:.2f} (random pairs: {random:.2f} on average).", cosine=cosine, at=at, random=random
    )


def _nearest(words: Sequence[str], cosines: np.ndarray, kept: np.ndarray) -> str:
    """Return the nearest of the candidates."""
    order = [k for k in np.argsort(-cosines, kind="stable") if kept[k]]
    return ", ".join(f"“{shorten(words[k])}”" for k in order[:NAMED])


def of_scores(word: str | None, best: tuple[str, float], zero: float, chance: float, usual: float, n: int) -> list[str]:
    """Write how often the nearest sentence has the same meaning: in one space (its name, share), at layer 0, by chance.

    `usual` is what 95% of the shuffles stay under, n the sentences measured, `word` None for all words.
    """
    if not n:
        if word is None:
            return [t("No labeled word here has two senses.")]
        return [t("“{word}” has only one labeled sense here.", word=word)]
    at = model_layers.in_use().at(best[0], begins=True)
    values = {"at": at, "best": best[1], "chance": chance, "n": n, "word": word}
    counted = (
        t("Of {n:,} sentences, each left out in turn; chance {chance:.0%}.", **values)
        if word is None
        else t("Of {n:,} “{word}” sentences, each left out in turn; chance {chance:.0%}.", **values)
    )
    if best[1] <= usual + 1e-9:
        values["at"] = model_layers.in_use().at(best[0])
        line = t("<b>Inconclusive</b>: {at}, {best:.0%} of nearest sentences share the sense; chance {chance:.0%}.", **values)
        return [line, counted, t("The model does not separate the senses, or the sentences are too few.")]
    if best[0] == "0":
        return [t("{at}, {best:.0%} of nearest sentences share the sense.", **values), counted]
    line = t("{at}, {best:.0%} of nearest sentences share the sense ({other} {zero:.0%}).", other=layer_title("0"), zero=zero, **values)
    return [line, counted, *([t("The senses overlap in this small model.")] if best[1] < 0.7 else [])]


def of_occurrences(word: str, n: int, everything: int, groups: Sequence[tuple[str, int]] | None, layer: str) -> list[str]:
    """Describe a map of at least one occurrence without the user's sentences: its groups (name, size), or None if it has too few dots."""
    values = {"n": n, "word": word}
    shown = t("“{word}” occurs once.", word=values["word"]) if n == 1 else t("All {n} occurrences of “{word}” are shown.", **values)
    if everything > n:
        shown = t("{n} of {all} occurrences of “{word}” are shown, evenly over the corpus.", all=everything, **values)
    if groups is None:
        return [shown, t("Too few to group.")]
    if len(groups) < 2:
        return [shown, t("{at}, they form no clear groups.", at=model_layers.in_use().at(layer, begins=True))]
    named = ", ".join(f"{name} ({size})" for name, size in groups)
    return [
        shown,
        t(
            "{at}, they form {number} groups, named by typical words: {groups}.",
            at=model_layers.in_use().at(layer, begins=True),
            number=len(groups),
            groups=named,
        ),
    ]
