"""The inputs for the words that decide, and the sentences about them."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.common import model_layers
from core.common.i18n import format_number, t
from core.common.limits import BOX
from core.common.markup import Markup, html, shorten
from core.figures.influence import signed
from core.senses import influence
from core.senses.influence import Influence, SenseStanding
from core.text.tokens import bare
from pages._frame import examples, question
from pages._frame.choices import choice, mix_weights, text_box, what_layers_read
from pages._frame.examples import Decided
from pages._frame.in_use import InUse
from pages._widgets import lists, verdict
from pages._widgets.inputs import Chosen, offer_examples

NEUTRAL = "thing"  # the default of a swap
MAX_TURNING = 4  # words named that would each turn the sense


@dataclass(frozen=True, slots=True)
class Options:
    how: str  # drop, mask, swap
    swap: str  # the word put in, where `how` is swap
    layer: str  # or mix
    weights: str  # layer weights "a,b,c"
    half: str  # past, future, both


def controls(in_use: InUse) -> Options:
    """Draw the examples and the choices of change, layer and half."""
    _examples()
    how_names = {"drop": t("drop it"), "mask": t("mask it"), "swap": t("swap it")}
    half_names = {"past": t("past"), "future": t("future"), "both": t("both")}
    about = t("Drop removes the word, mask puts `<UNK>`, swap puts your word.")
    how = choice("dhow", t("Each word in turn"), how_names, "drop", help=about)
    layer = verdict.choose_layer("dlayer", in_use, help=what_layers_read())
    half = influence.BOTH
    if model_layers.in_use().is_elmo:  # each half of a transformer's vector has read the complete sentence
        about = t("Past: forward LSTMs up to this word. Future: backward LSTMs from the end back to it. Both read the word itself.")
        half = choice("dhalf", t("Half of the vector"), half_names, "both", help=about)
    swap = text_box("dswap", t("Swap for"), NEUTRAL, BOX["word"]) if how == "swap" else ""
    weights = mix_weights() if layer == "mix" else ""
    return Options(how, swap, layer, weights, half)


def _examples() -> None:
    """Offer sentences in which one half decides, the halves disagree, or the model errs."""
    items = examples.decided()
    picked = st.session_state.get("decided.example")
    if picked in range(len(items)) and items[picked].text != st.session_state.get("a"):
        st.session_state["decided.example"] = None  # the sentence has been edited since

    def put(number: int) -> None:
        question.put(a=items[number].text, word=items[number].word)

    offer_examples(range(len(items)), "decided.example", put, label_visibility="visible", format_func=lambda number: _label(items[number]))


def _label(example: Decided) -> str:
    return {
        "past": t("{word}: the past decides", word=example.word),
        "future": t("{word}: the future decides", word=example.word),
        "apart": t("{word}: the halves disagree", word=example.word),
        "wrong": t("{word}: the model is wrong", word=example.word),
    }.get(example.shows, f":material/format_quote: {example.word}")


def name_half(half: str) -> str:
    if not model_layers.in_use().is_elmo:
        return t("the whole vector")
    return {influence.PAST: t("the past half"), influence.FUTURE: t("the future half"), influence.BOTH: t("both halves")}[half]


def write_legend(options: Options, stands: SenseStanding, pair: tuple[str, str]) -> Markup:
    how = {
        influence.DROP: t("Number: lead lost when dropped."),
        influence.MASK: t("Number: lead lost when masked."),
        influence.SWAP: t("Number: lead lost when “{swap}” replaces it.", swap=options.swap),
    }[options.how]
    lead = t("Lead: cosine to the sense minus that to the best other.")
    chips = lists.chip_of(t("+ supports {sense}", sense=stands.sense), pair[0])
    chips += lists.chip_of(t("− against; best other: {sense}", sense=stands.rival), pair[1])
    return html('<div class="chips">{}</div><p class="small" style="margin-top:0.3rem">{} {}</p>', chips, how, lead)


def write_legend_of_two(pair: tuple[str, str]) -> Markup:
    chips = lists.chip_of(t("+ separates it from the other sentence"), pair[0]) + lists.chip_of(t("− brings it closer"), pair[1])
    message = t("No labeled senses: each word shows how much nearer the other sentence’s word is without it.")
    return html('<div class="chips">{}</div><p class="small" style="margin-top:0.3rem">{}</p>', chips, message)


def write_notices(result: Influence, options: Options, stands: SenseStanding, chosen: Chosen, content: Collection[int]) -> list[str]:
    """State which sense a labeled word has and what decided it, in two sentences."""
    nearest = influence.verdict(result, options.layer, options.half)
    lines = [_sentence(_describe_reading(result, nearest), _compare_with_label(chosen, nearest))]
    if not result.changed:
        return lines
    if options.layer == "0":
        return [*lines, _sentence(_describe_nothing(options.layer))]
    sides = _describe_halves(result, options.layer) if model_layers.in_use().is_elmo else []
    return [*lines, _sentence(_describe_strongest(result, options, stands, content), *sides)]


def list_turning_words(result: Influence, options: Options) -> list[str]:
    if options.layer == "0" or not result.changed:
        return []
    return [
        *_describe_turning(result, options, influence.verdict(result, options.layer, options.half)),
        *_describe_alone(result, options.layer),
    ]


def describe_apart(result: Influence, options: Options, content: Collection[int], other_word: str) -> list[str]:
    """State which word separates the vectors from those of the other sentence's word, or brings them closer, in two sentences."""
    if not result.changed:
        return [_sentence(t("there is no other word"))]
    if options.layer == "0":
        return [_sentence(_describe_nothing("0"))]
    values = influence.measure_apart(result, options.layer, options.half)
    clear = [int(k) for k in np.argsort(-np.abs(values), kind="stable") if abs(values[k]) >= influence.CLEAR]
    naming = [k for k in clear if result.changed[k] in content]
    cosine = result.cosines[result.views.index(options.layer), influence.HALVES.index(options.half), 1]
    places = {"at": model_layers.in_use().at(options.layer, begins=True), "target": result.word_at(result.position)}
    places["other"] = shorten(bare(other_word))
    places["end"] = t("cosine {cosine:.2f}; read by {who}", cosine=cosine, who=name_half(options.half))
    if not clear:
        return [t("{at}, no single word moves “{target}” relative to the other “{other}” ({end}): too close to call.", **places)]
    if not naming:
        return [t("{at}, only function words and signs move “{target}” relative to the other “{other}” ({end}).", **places)]
    strongest = naming[0]
    places |= {"word": result.word_at(result.changed[strongest]), "value": f"{abs(values[strongest]):.2f}"}
    line = t("{at}, “{word}” brings them closest: without it “{target}” is {value} further from the other “{other}” ({end}).", **places)
    if values[strongest] > 0:
        line = t("{at}, “{word}” separates them most: without it “{target}” is {value} nearer to the other “{other}” ({end}).", **places)
    if len(naming) < 2:
        return [line]
    return [line, t("Next comes “{word}” ({value}).", word=result.word_at(result.changed[naming[1]]), value=signed(values[naming[1]]))]


def describe_moves(result: Influence, options: Options, content: Collection[int]) -> list[str]:
    """State only how far words move the vector, in two sentences."""
    moved = result.moved[:, result.views.index(options.layer), influence.HALVES.index(options.half)]
    if not result.changed:
        return [_sentence(t("there is no other word"))]
    if moved.max() < influence.CLEAR:
        return [_sentence(_describe_nothing(options.layer))]
    is_before = np.array(result.changed) < result.position
    values = {"before": f"{moved[is_before].sum():.2f}", "after": f"{moved[~is_before].sum():.2f}"}
    sums = t("In total, words before it move it by {before}, words after it by {after}.", **values)
    naming = [k for k in np.argsort(-moved, kind="stable") if result.changed[k] in content and moved[k] >= influence.CLEAR]
    if not naming:
        return [t("Only function words and punctuation move it."), sums]
    values = {
        "at": model_layers.in_use().at(options.layer, begins=True),
        "who": name_half(options.half),
        "word": result.word_at(result.changed[naming[0]]),
        "value": f"{moved[naming[0]]:.2f}",
    }
    return [t("{at}, read by {who}, “{word}” moves the vector most, by {value}.", **values), sums]


def _sentence(*clauses: str) -> str:
    """Join clauses to one sentence."""
    text = Markup("; ").join(clause for clause in clauses if clause)
    return text[:1].upper() + text[1:] + "."


def _describe_reading(result: Influence, nearest: SenseStanding) -> str:
    places = {
        "at": model_layers.in_use().at(nearest.view, begins=True),
        "who": name_half(nearest.half),
        "word": result.word_at(result.position),
    }
    if not nearest.clear:
        return t("{at}, read by {who}, “{word}” is no nearer to one sense than to another: too close to call", **places)
    senses = {"sense": nearest.sense, "rival": nearest.rival, "cosine": f"{nearest.cosine:.2f}", "lead": f"{nearest.margin:.2f}"}
    read = t("{at}, read by {who}, “{word}” is nearest to <b>{sense}</b> ({cosine}), {lead} ahead of “{rival}”", **places, **senses)
    if nearest.far and nearest.view != "0":
        read += t(", but further away than any labeled sentence, so perhaps none of these senses is meant")
    return read


def _compare_with_label(chosen: Chosen, nearest: SenseStanding) -> str:
    """State whether the model is right if the sentence is labeled."""
    on_screen = chosen.text.strip(), chosen.word.casefold()
    example = next((example for example in examples.decided() if (example.text, example.word) == on_screen), None)
    if example is None or not example.sense or not nearest.clear:
        return ""
    if example.sense == nearest.sense:
        return t("the label agrees")
    return t("the label is <b>{sense}</b>, so the model is wrong", sense=example.sense)


def _describe_strongest(result: Influence, options: Options, stands: SenseStanding, content: Collection[int]) -> str:
    values = influence.parts(result, options.layer, options.half, stands.sense)
    naming = [k for k in np.argsort(-np.abs(values), kind="stable") if result.changed[k] in content]
    if not naming or abs(values[naming[0]]) < influence.CLEAR:
        return _describe_nothing(options.layer) if np.abs(values).max() < influence.CLEAR else t("no single content word decides")
    strongest = naming[0]
    places = {"word": result.word_at(result.changed[strongest]), "sense": stands.sense, "value": f"{abs(values[strongest]):.2f}"}
    if values[strongest] > 0:
        return t("“{word}” matters most: it adds {value} to the lead of “{sense}”", **places)
    return t("“{word}” matters most: it lowers the lead of “{sense}” by {value}", **places)


def _describe_nothing(view: str) -> str:
    if view == "0" and not model_layers.in_use().is_elmo:
        return t("embeddings read no context; only its position changes")
    if view == "0":
        return t("layer 0 reads only the spelling, so no other word matters")
    return t("no other word changes it")


def _describe_turning(result: Influence, options: Options, nearest: SenseStanding) -> list[str]:
    if not nearest.clear:
        return []
    turning = influence.turning(result, options.layer, options.half)
    words = ", ".join(f"“{result.word_at(k)}”" for k in turning[:MAX_TURNING]) + (" …" if len(turning) > MAX_TURNING else "")
    if not turning:
        return [t("Changing one word never changes the sense.")]
    if len(turning) == 1:
        return [t("Changing {words} alone changes the sense.", words=words)]
    return [t("Changing any of {n} words changes the sense: {words}.", n=len(turning), words=words)]


def _describe_halves(result: Influence, view: str) -> list[str]:
    """State which direction decides, how many words it has read, and whether both agree."""
    standings, side, added = influence.halves(result, view), influence.settles(result, view), influence.gains(result, view)
    past, future = standings[influence.PAST], standings[influence.FUTURE]
    values = {half: format_number(round(added[half], 1) + 0.0, "+.1f") for half in (influence.PAST, influence.FUTURE)}
    lines = []
    if side:
        other = influence.FUTURE if side == influence.PAST else influence.PAST
        parts = {"half": name_half(side), "own": values[side], "other": values[other]}
        parts["n"] = result.position if side == influence.PAST else len(result.tokens) - 1 - result.position
        if abs(added[side] - added[other]) < influence.LARGE:
            lines.append(t("{half} adds more than the other ({own} and {other} standard deviations)", **parts))
        else:
            lines.append(t("<b>{half} decides</b> (tokens read: {n}): it adds {own} standard deviations, the other {other}", **parts))
    elif standings[influence.BOTH].clear:
        little = t("neither half decides: the sentence adds little (past {past}, future {future} standard deviations)", **values)
        alike = t("neither half decides: past and future add about the same ({past} and {future} standard deviations)", **values)
        lines.append(little if max(added[influence.PAST], added[influence.FUTURE]) < influence.EVEN else alike)
    if not 0 < result.position < len(result.tokens) - 1:  # a half that has read nothing chooses nothing
        return lines
    if past.clear and future.clear and past.sense != future.sense:
        lines.append(t("the halves disagree: past “{past}”, future “{future}”", past=past.sense, future=future.sense))
    elif past.clear != future.clear:
        lines.append(t("the future half alone is undecided") if past.clear else t("the past half alone is undecided"))
    return lines


def _describe_alone(result: Influence, view: str) -> list[str]:
    cosines = result.alone[result.views.index(view), influence.HALVES.index(influence.BOTH)]
    best = int(cosines.argmax())
    if influence.margins(cosines, best) < influence.CLEAR:
        return []
    return [t("Without a sentence, “{word}” is nearest to “{sense}”.", word=result.word_at(result.position), sense=result.senses[best])]
