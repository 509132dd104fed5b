"""What to notice of what decided a sense: the reading, the heaviest word, the halves, the word alone; computed from the screen."""

from __future__ import annotations

from html import escape

import numpy as np

from core import influence as inf
from core.influence import Influence, Verdict
from core.texts import t
from pages._shared.decided_inputs import Asked, example_on_screen
from pages._shared.decided_says import reader, view_name, word_at
from pages._shared.inputs import Chosen

MAX_TURNING = 4  # words named each of which would turn the sense


def noticed(found: Influence, asked: Asked, stands: Verdict, chosen: Chosen) -> list[str]:
    """What to notice where the word has senses."""
    nearest = inf.verdict(found, asked.layer, asked.half)
    if not found.changed:
        return [_reading(found, nearest)]
    lines = [
        _reading(found, nearest),
        *_judged(chosen, nearest),
        *_heaviest(found, asked, stands),
        *_turns(found, asked, nearest),
    ]
    return [*lines, *_sides(found, asked.layer), *_alone(found, asked.layer)] if asked.layer != "0" else lines


def noticed_moves(found: Influence, asked: Asked) -> list[str]:
    """What to notice where only the way of the vector can be told."""
    moved = found.moved[:, found.views.index(asked.layer), inf.HALVES.index(asked.half)]
    if not len(moved) or moved.max() < inf.CLEAR:
        return [_nothing(asked.layer)]
    most, before = int(moved.argmax()), np.array(found.changed) < found.position
    word, where, who = word_at(found, found.changed[most]), view_name(asked.layer), reader(asked.half)
    places = {"before": f"{moved[before].sum():.2f}", "after": f"{moved[~before].sum():.2f}"}
    return [
        t("At {where}, read by {who}, “{word}” moves the vector most, by {value}.", where=where, who=who, word=word, value=f"{moved[most]:.2f}"),
        t("The words before it move it by {before} in sum, the words after it by {after}.", **places),
    ]  # fmt: skip


def _reading(found: Influence, nearest: Verdict) -> str:
    places = {"where": view_name(nearest.view), "who": reader(nearest.half), "word": word_at(found, found.position)}
    if not nearest.clear:
        return t("At {where}, read by {who}, “{word}” is no nearer to one sense than to another.", **places)
    places |= {"sense": escape(nearest.sense), "rival": escape(nearest.rival)}
    places |= {"cosine": f"{nearest.cosine:.2f}", "lead": f"{nearest.margin:.2f}"}
    return t(
        "At {where}, read by {who}, “{word}” is nearest to <b>{sense}</b> (cosine {cosine}), {lead} ahead of {rival}.", **places
    )


def _judged(chosen: Chosen, nearest: Verdict) -> list[str]:
    """Whether the model is right, where the sentence is one of ours, so that a person's answer is known."""
    example = example_on_screen(chosen)
    if example is None or not nearest.clear:
        return []
    if example.sense == nearest.sense:
        return [t("A person would say the same.")]
    return [t("A person would say <b>{sense}</b>: here the model is wrong.", sense=escape(example.sense))]


def _heaviest(found: Influence, asked: Asked, stands: Verdict) -> list[str]:
    values = inf.parts(found, asked.layer, asked.half, stands.sense)
    most = int(np.abs(values).argmax())
    if abs(values[most]) < inf.CLEAR:
        return [_nothing(asked.layer)]
    places = {"word": word_at(found, found.changed[most]), "sense": escape(stands.sense), "value": f"{abs(values[most]):.2f}"}
    if values[most] > 0:
        return [t("“{word}” weighed most: it adds {value} to the lead of {sense}.", **places)]
    return [t("“{word}” weighed most: it takes {value} from the lead of {sense}.", **places)]


def _nothing(view: str) -> str:
    if view == "0":
        return t("Layer 0 reads the spelling of the word alone, so no other word has any influence on it.")
    return t("No other word changes anything here.")


def _turns(found: Influence, asked: Asked, nearest: Verdict) -> list[str]:
    """The words that the sense hangs on."""
    if not nearest.clear or asked.layer == "0":
        return []
    turning = inf.turning(found, asked.layer, asked.half)
    words = ", ".join(f"“{word_at(found, k)}”" for k in turning[:MAX_TURNING]) + (" …" if len(turning) > MAX_TURNING else "")
    if not turning:
        return [t("Changing no single word turns it to another sense.")]
    if len(turning) == 1:
        return [t("Changing {words} alone turns it to another sense.", words=words)]
    return [t("Changing any one of {n} words turns it to another sense: {words}.", n=len(turning), words=words)]


def _sides(found: Influence, view: str) -> list[str]:
    """Which half settles it, how much that half has read, and whether the halves agree."""
    each, side = inf.halves(found, view), inf.settles(found, view)
    past, future = each[inf.PAST], each[inf.FUTURE]
    lines = []
    if side == inf.PAST:
        lines.append(_past_settles(found.position))
    elif side == inf.FUTURE:
        lines.append(_future_settles(len(found.tokens) - 1 - found.position))
    elif each[inf.BOTH].clear:
        lines.append(t("Neither half settles it: past and future speak for it alike."))
    if past.clear and future.clear:
        places = {"past": escape(past.sense), "future": escape(future.sense)}
        lines.append(
            t("Both halves choose the same.")
            if past.sense == future.sense
            else t("The halves disagree: the past alone would choose {past}, the future alone {future}.", **places)
        )
    elif past.clear:
        lines.append(t("The future half alone is undecided."))
    elif future.clear:
        lines.append(t("The past half alone is undecided."))
    return lines


def _past_settles(n: int) -> str:
    if n == 0:
        return t(
            "<b>The past half settles it</b>, though no word stands before this one: it knows only that the sentence begins."
        )
    if n == 1:
        return t("<b>The past half settles it</b>, having read a single word before this one.")
    return t("<b>The past half settles it</b>, having read {n} words before this one.", n=n)


def _future_settles(n: int) -> str:
    if n == 0:
        return t("<b>The future half settles it</b>, though no word stands after this one: it knows only that the sentence ends.")
    if n == 1:
        return t("<b>The future half settles it</b>, having read a single word or mark after this one.")
    return t("<b>The future half settles it</b>, having read {n} words and marks after this one.", n=n)


def _alone(found: Influence, view: str) -> list[str]:
    """What the word itself is taken for."""
    cosines = found.alone[found.views.index(view), inf.HALVES.index(inf.BOTH)]
    best = int(cosines.argmax())
    if inf.margins(cosines, best) < inf.CLEAR:
        return []
    places = {"word": word_at(found, found.position), "sense": escape(found.senses[best])}
    return [t("With no sentence around it, “{word}” would be taken for {sense}.", **places)]
