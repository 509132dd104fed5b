"""The words of the page "What decided this sense?": names of halves and layers, the legend, what is said of a word without senses."""

import numpy as np

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import Markup, html
from core.figures.influence import signed
from core.senses import influence
from core.senses.influence import Influence, SenseStanding
from core.text.tokens import bare
from pages._why.inputs import Options
from pages._widgets import lists


def reader(half: str) -> str:
    """Who has read the sentence."""
    if not model_layers.in_use().is_elmo:
        return t("the whole vector")
    return {influence.PAST: t("the past half"), influence.FUTURE: t("the future half"), influence.BOTH: t("both halves")}[half]


def each_sense(senses: tuple[str, ...], moves: np.ndarray) -> str:
    """How far a word moves the target towards every sense: "river edge +0.03, financial institution −0.01"."""
    return ", ".join(f"{sense} {signed(move)}" for sense, move in zip(senses, moves, strict=True))


def legend(options: Options, stands: SenseStanding, pair: tuple[str, str]) -> Markup:
    """HTML under the sentence: what its colours and numbers are."""
    how = {
        influence.DROP: t("Under each word: the lead that goes when it is dropped."),
        influence.MASK: t("Under each word: the lead that goes when it is masked."),
        influence.SWAP: t("Under each word: the lead that goes when “{swap}” stands in its place.", swap=options.swap),
    }[options.how]
    lead = t(
        "The lead is the cosine to the centroid of a sense's labelled sentences, less the cosine to the best other sense. Both halves "
        "have read the framed word itself."
    )
    chips = lists.chip_of(t("+ speaks for {sense}", sense=stands.sense), pair[0])
    chips += lists.chip_of(t("− speaks against it; best other: {sense}", sense=stands.rival), pair[1])
    return html('<div class="chips">{}</div><p class="small" style="margin-top:0.3rem">{} {}</p>', chips, how, lead)


def legend_of_two(pair: tuple[str, str]) -> Markup:
    """HTML under the sentence of a word without labelled senses: what its colours and numbers are."""
    chips = lists.chip_of(t("+ holds it apart from the other sentence"), pair[0]) + lists.chip_of(t("− draws it towards it"), pair[1])
    message = t("No senses of it are labelled here, so each word is asked how much nearer to the other sentence's word it is without it.")
    return html('<div class="chips">{}</div><p class="small" style="margin-top:0.3rem">{}</p>', chips, message)


def no_other(result: Influence) -> str:
    """Why only the way of the vector is shown, and what to do."""
    word = word_at(result, result.position)
    return t(
        "“{word}” has no labelled senses here: type another sentence with it, or see how far each word moves its vector at all.", word=word
    )


def word_at(result: Influence, position: int) -> str:
    """A word of the sentence cut where it is long."""
    return bare(result.tokens[position])[:40]
