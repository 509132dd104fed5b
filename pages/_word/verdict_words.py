"""The verdict in words: pure functions of its numbers, shared by all pages."""

from collections.abc import Mapping

from core.analysis.anisotropy import Level
from core.common import model_layers
from core.common.i18n import format_number, t
from core.common.markup import Markup, html
from core.figures.style import layer_title
from core.senses.verdict import CLOSE, ONE, TWO, Verdict


def title(verdict: Verdict) -> str:
    """Return the verdict in two to four words."""
    return {ONE: t("One meaning"), TWO: t("Two meanings")}.get(verdict.says, t("Too close to call"))


def title_with_senses(verdict: Verdict) -> Markup:
    """Return the verdict as HTML, with the names of its senses if they agree with it."""
    names = verdict.senses
    if names is None or None in names or verdict.says == CLOSE or verdict.outvoted:
        return html("{}", title(verdict))
    first, second = (html("<i>{}</i>", name) for name in names)
    if verdict.says == ONE:
        return t("One meaning: {sense}", sense=first)
    return t("Two meanings: {first} and {second}", first=first, second=second)


def random_in_words(means: Mapping[str, float]) -> str:
    """Return the cosine of two random words by layer for a description, with a leading blank, or ""."""
    values = ", ".join(f"{layer_title(name)} {format_number(mean, '.2f')}" for name, mean in means.items())
    return " " + t("Average of random pairs: {values}.", values=values) if values else ""


def random_sentence(level: Level, layer: str) -> str:
    """Return a sentence on the cosine of two random words."""
    values = {"at": model_layers.in_use().at(layer), "mean": level.mean, "low": level.low, "high": level.high}
    return t("90% of random pairs {at} are between {low:.2f} and {high:.2f}, {mean:.2f} on average.", **values)
