"""Texts about what decides: names of directions and layers, legends, and notes on words without senses."""

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import Markup, html
from core.senses import influence
from core.senses.influence import Influence, SenseStanding
from pages._why.inputs import Options
from pages._widgets import lists


def reader(half: str) -> str:
    """Return the name of the direction that read the sentence."""
    if not model_layers.in_use().is_elmo:
        return t("the whole vector")
    return {influence.PAST: t("the past half"), influence.FUTURE: t("the future half"), influence.BOTH: t("both halves")}[half]


def legend(options: Options, stands: SenseStanding, pair: tuple[str, str]) -> Markup:
    """Return the HTML legend of the sentence: its colors and numbers."""
    how = {
        influence.DROP: t("Number: lead lost when dropped."),
        influence.MASK: t("Number: lead lost when masked."),
        influence.SWAP: t("Number: lead lost when “{swap}” replaces it.", swap=options.swap),
    }[options.how]
    lead = t("Lead: cosine to the sense minus that to the best other.")
    chips = lists.chip_of(t("+ supports {sense}", sense=stands.sense), pair[0])
    chips += lists.chip_of(t("− against; best other: {sense}", sense=stands.rival), pair[1])
    return html('<div class="chips">{}</div><p class="small" style="margin-top:0.3rem">{} {}</p>', chips, how, lead)


def legend_of_two(pair: tuple[str, str]) -> Markup:
    """Return the HTML legend of the sentence for a word without labeled senses."""
    chips = lists.chip_of(t("+ separates it from the other sentence"), pair[0]) + lists.chip_of(t("− brings it closer"), pair[1])
    message = t("No labeled senses: each word shows how much nearer the other sentence’s word is without it.")
    return html('<div class="chips">{}</div><p class="small" style="margin-top:0.3rem">{}</p>', chips, message)


def no_other(result: Influence) -> str:
    """State why only the movement of the vector is shown, and what to do."""
    word = result.word_at(result.position)
    return t(
        "“{word}” has no labeled senses here: each word shows how far it moves the vector. Type a second sentence to compare.", word=word
    )
