"""A verdict in words: pure functions of its numbers, so that every page says the same of it."""

from collections.abc import Mapping

from core.analysis.anisotropy import Level
from core.common import model_layers
from core.common.i18n import format_number, t
from core.common.markup import shorten
from core.figures.style import layer_title
from core.senses.verdict import ONE, TWO, Verdict


def title(verdict: Verdict) -> str:
    """The verdict in two to four words."""
    return {ONE: t("One meaning"), TWO: t("Two meanings")}.get(verdict.says, t("Too close to call"))


def reason(verdict: Verdict, word: str) -> str:
    """What it rests on: the nearest sense of each and what counts beside it, or the cosines alone."""
    if verdict.senses is None:
        return _without_labels(verdict, shorten(word))
    sentences = [_senses(verdict)]
    if verdict.outvoted:
        sentences.append(t("Other evidence outweighs this."))
    if verdict.expected:
        sentences.append(t("Context words and substitutes count too."))
    elif verdict.around:
        sentences.append(t("Context words count too."))
    return " ".join(sentences)


def _senses(verdict: Verdict) -> str:
    at = model_layers.in_use().at(verdict.named_in)
    first, second = (f"“{sense}”" if sense else t("unclear") for sense in verdict.senses)
    if first == second:
        return t("Nearest sense {at}: {sense} for both.", at=at, sense=first)
    return t("Nearest senses {at}: {first} and {second}.", at=at, first=first, second=second)


def _without_labels(verdict: Verdict, word: str) -> str:
    at = model_layers.in_use().at(verdict.layer)
    if not verdict.around:
        return t("No labeled sentences of “{word}”. Its vectors alone {at} are seldom conclusive.", word=word, at=at)
    message = t("No labeled sentences of “{word}”. Its vectors {at}, substitutes and context words count.", word=word, at=at)
    if verdict.says in (ONE, TWO):
        return message
    return f"{message} {t('Here they are inconclusive. A more specific sentence may help.')}"


def random_in_words(means: Mapping[str, float]) -> str:
    """The level of two random words by layer, as an end of what a picture is described by, a blank in front; "" where there is none."""
    values = ", ".join(f"{layer_title(name)} {format_number(mean, '.2f')}" for name, mean in means.items())
    return " " + t("Average of random pairs: {values}.", values=values) if values else ""


def random_sentence(level: Level, layer: str) -> str:
    """Where two random words stand, as a sentence."""
    values = {"at": model_layers.in_use().at(layer), "mean": level.mean, "low": level.low, "high": level.high}
    return t("90% of random pairs {at} are between {low:.2f} and {high:.2f}, {mean:.2f} on average.", **values)
