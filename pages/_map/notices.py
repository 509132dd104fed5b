"""What to notice on the map of a word that nobody labelled: pure functions of the numbers on screen."""

from collections.abc import Sequence

import numpy as np

from core.analysis.surroundings import sides
from core.common.i18n import t
from core.figures.style import layer_title

NAMED = 3  # words named on each side


def of_leans(words: Sequence[str], cosines: np.ndarray, layer: str, cosine: float, random: float | None) -> list[str]:
    """How many words are nearer to which star, cosines (2, N), the nearest of them, and how far apart the stars are. HTML."""
    where = layer_title(layer)
    leans = np.asarray(cosines[0], float) - np.asarray(cosines[1], float)
    result = sides(leans)
    n = len(result)
    first = int((result == 1).sum())
    second = int((result == 2).sum())
    apart = _apart(where, cosine, random)
    if not n:
        return [t("Around your two sentences the corpus in use has no word to draw."), apart]
    if not first and not second:
        if cosine > 0.9999:
            return [t("At {where} your two words have one vector, so no word is nearer to one of them than to the other.", where=where)]
        return [t("At {where} no word is clearly nearer to one of your sentences than to the other.", where=where), apart]
    left, right = (_nearest(words, np.asarray(cosines[k], float), result == k + 1) for k in (0, 1))
    values = {"where": where, "n": n}
    if not second:
        line = t(
            "At {where}, {first} of {n} words around are nearer to the first sentence ({words}), none to the second.",
            first=first,
            words=left,
            **values,
        )
    elif not first:
        line = t(
            "At {where}, {second} of {n} words around are nearer to the second sentence ({words}), none to the first.",
            second=second,
            words=right,
            **values,
        )
    else:
        values |= {"first": first, "left": left, "second": second, "right": right}
        line = t(
            "At {where}, {first} of {n} words around are nearer to the first sentence ({left}), {second} to the second ({right}).", **values
        )
    return [line, apart]


def _apart(where: str, cosine: float, random: float | None) -> str:
    if random is None:
        return t("Your two words' cosine is {cosine:.2f} at {where}.", cosine=cosine, where=where)
    return t(
        "Your two words' cosine is {cosine:.2f} at {where}; two random words have {random:.2f} on average.",
        cosine=cosine,
        where=where,
        random=random,
    )


def _nearest(words: Sequence[str], cosines: np.ndarray, kept: np.ndarray) -> str:
    """The nearest of those kept."""
    order = [k for k in np.argsort(-cosines, kind="stable") if kept[k]]
    return ", ".join(f"“{words[k]}”" for k in order[:NAMED])


def of_scores(word: str | None, best: tuple[str, float], zero: float, chance: float, usual: float, n: int) -> list[str]:
    """How often the nearest sentence has the same meaning: in the best space (its name, share), at layer 0, by chance.

    `usual` is what 95 % of the shuffles stay under, n the sentences measured, `word` None for all words.
    """
    if not n:
        if word is None:
            return [t("No word of the labelled sentences has two meanings, so there is nothing to tell apart.")]
        return [t("The labelled sentences with “{word}” have one meaning, so there is nothing to tell apart.", word=word)]
    values = {"best": best[1], "where": layer_title(best[0]), "zero": zero, "below": layer_title("0"), "chance": chance, "n": n}
    if word is None:
        line = (
            t(
                "Of {n} labelled sentences {best:.0%} have their nearest one in the same meaning at {where}; chance is {chance:.0%}.",
                **_but(values, "zero", "below"),
            )
            if best[0] == "0"
            else t(
                "Of {n} labelled sentences {best:.0%} have their nearest one in the same meaning at {where}, {zero:.0%} at {below}; chance is {chance:.0%}.",
                **values,
            )
        )
    elif best[0] == "0":
        values = {"word": word, **_but(values, "zero", "below")}
        line = t(
            "Of {n} sentences with “{word}” {best:.0%} have their nearest one in the same meaning at {where}; chance is {chance:.0%}.",
            **values,
        )
    else:
        values["word"] = word
        line = t(
            "Of {n} sentences with “{word}” {best:.0%} have their nearest one in the same meaning at {where}, {zero:.0%} at {below}; chance is {chance:.0%}.",
            **values,
        )
    if best[1] <= usual + 1e-9:
        return [
            line,
            t("It is not shown that this is more than luck: the model cannot tell the meanings apart, or the sentences are too few."),
        ]
    return [line, t("So the meanings overlap a good deal: this small model is unsure about them.")] if best[1] < 0.7 else [line]


def _but(facts: dict, *names: str) -> dict:
    return {key: value for key, value in facts.items() if key not in names}


def of_occurrences(word: str, n: int, everything: int, groups: Sequence[tuple[str, int]] | None, layer: str) -> list[str]:
    """A map of `n` occurrences, one at least, without the reader's sentences: the groups (name, size) found among them; None: too few."""
    values = {"n": n, "word": word}
    shown = (
        t("The only sentence with “{word}” is one dot.", word=values["word"])
        if n == 1
        else t("All {n} sentences with “{word}” are drawn.", **values)
    )
    if everything > n:
        shown = t("{n} of {all} sentences with “{word}” are drawn, evenly over the corpus.", all=everything, **values)
    if groups is None:
        return [shown, t("They are too few to look for groups in.")]
    if len(groups) < 2:
        return [shown, t("At {where} they fall into no clear groups.", where=layer_title(layer))]
    named = ", ".join(f"{name} ({size})" for name, size in groups)
    return [
        shown,
        t(
            "At {where}, {number} groups were found, named by the words that tell them apart: {groups}.",
            where=layer_title(layer),
            number=len(groups),
            groups=named,
        ),
    ]
