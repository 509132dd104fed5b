"""A verdict in words: pure functions of its numbers, so that every page says the same of it."""

from collections.abc import Mapping

from core.analysis.anisotropy import Level
from core.common.i18n import t
from core.figures.style import layer_title
from core.senses.verdict import ONE, TWO, Verdict


def title(verdict: Verdict) -> str:
    """The verdict in two to four words."""
    return {ONE: t("One meaning"), TWO: t("Two meanings")}.get(verdict.says, t("Too close to call"))


def certainty(verdict: Verdict) -> str:
    """How sure one may be of it."""
    if verdict.probability >= 1:
        return t("It is the same place in the same sentence.")
    if verdict.says in (ONE, TWO):
        return t("Right in {n} of 100 pairs like this.", n=verdict.right_of_100)
    two = min(99, max(1, round(100 * (1 - verdict.probability))))
    return t("Of 100 pairs like this {two} have two meanings, {one} have one.", two=two, one=100 - two)


def reason(verdict: Verdict, word: str) -> str:
    """What it rests on: the votes of the labelled sentences nearest to each and the words around, or the cosine alone."""
    where = layer_title(verdict.layer)
    if verdict.senses is None:
        return _without_labels(verdict, where, word[:40])
    sentences = [_votes(verdict, where)]
    if verdict.outvoted:
        sentences.append(t("The rest of the evidence outweighs them."))
    if verdict.expected:
        sentences.append(t("The words around it and those expected in its place count too."))
    elif verdict.around:
        sentences.append(t("The words around count too."))
    return " ".join(sentences)


def _votes(verdict: Verdict, where: str) -> str:
    first, second = verdict.senses
    if first and first == second:
        return t("At {where} the labelled sentences nearest to either mean most often “{sense}”.", where=where, sense=first)
    if first and second:
        return t(
            "At {where} the labelled sentences nearest to the first mean most often “{first}”, to the second “{second}”.",
            where=where,
            first=first,
            second=second,
        )
    if first or second:
        values = {"where": where, "sense": first or second}
        if first:
            return t(
                "At {where} the labelled sentences nearest to the first mean most often “{sense}”; to the second no meaning leads.",
                **values,
            )
        return t(
            "At {where} the labelled sentences nearest to the second mean most often “{sense}”; to the first no meaning leads.", **values
        )
    return t("At {where} no meaning leads among the labelled sentences nearest to either.", where=where)


def _without_labels(verdict: Verdict, where: str, word: str) -> str:
    if not verdict.around:
        return t("“{word}” has no labelled sentences here; its two vectors alone, at {where}, seldom settle it.", word=word, where=where)
    message = t(
        "“{word}” has no labelled sentences here; its vectors at {where}, what the model expects in its place and the words around it count.",
        word=word,
        where=where,
    )
    if verdict.says in (ONE, TWO):
        return message
    return f"{message} {t('Here they are about as alike as pairs of one meaning are and pairs of two; a sentence that says more may settle it.')}"


def random_in_words(means: Mapping[str, float]) -> str:
    """The level of two random words by layer, as an end of what a picture is described by, a blank in front; "" where there is none."""
    values = ", ".join(f"{layer_title(name)} {mean:.2f}" for name, mean in means.items())
    return " " + t("Two random words have on average: {values}.", values=values) if values else ""


def random_sentence(level: Level, layer: str) -> str:
    """Where two random words stand, as a sentence."""
    values = {"where": layer_title(layer), "mean": level.mean, "low": level.low, "high": level.high}
    return t(
        "At {where} two random words have a cosine of {mean:.2f} on average, nine pairs in ten between {low:.2f} and {high:.2f}.", **values
    )
