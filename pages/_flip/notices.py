"""What the path of edits says of itself: each edit in words, what to notice, the table."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.common.i18n import t, tn
from core.common.markup import html
from core.figures.style import layer_title, sense_colour
from core.senses import edits
from core.senses.verdict import ONE, TWO, Verdict
from core.text.tokens import join_tokens
from pages._widgets import lists
from pages._word import verdict_words

NEVER = 0  # as an edit: the sense does not flip
CLEAR = 0.005  # a smaller lead is 0.00 to two digits


@dataclass(frozen=True, slots=True)
class ShownPath:
    """What is drawn and said of a path: steps, the sense read in each, leads by layer, the two senses in question."""

    steps: list[edits.Step]
    read: list[str]
    margins: dict[str, np.ndarray]  # by space, (S,)
    pair: tuple[str, str]
    layer: str
    senses: list[str]  # all of the word's, in the order of their colours
    lemma: str  # whose labelled senses they are; "" where the two sentences themselves are what is read by
    written: list[list[tuple[int, str, bool]]]  # each step as core.senses.edits.written tells it
    target: int  # the column of the word in question
    verdict: Verdict | None = None  # on the word in both sentences; None where they are two words

    @property
    def first(self) -> dict[str, int | None]:
        """Where each space's lead first changes over."""
        return {name: next(iter(edits.flips(each)), None) for name, each in self.margins.items()}


def edit_name(step) -> str:
    """What an edit does, in words."""
    if step.old is None and step.new is None:
        return t("the first sentence")
    if step.old is None:
        return t("“{new}” comes in", new=step.new[:40])
    if step.new is None:
        return t("“{old}” goes out", old=step.old[:40])
    return t("“{old}” becomes “{new}”", old=step.old[:40], new=step.new[:40])


def sense_chip(sense: str, senses: list[str]) -> str:
    """A sense on a ground of its colour."""
    return lists.chip_of(sense, sense_colour(senses.index(sense)))


def asked(path: list, word: str, moves: bool) -> list[str]:
    """What to notice before the answer is shown."""
    n = len(path) - 1
    told = {"n": n, "word": word[:40]}
    if moves:
        first = (
            t("{n} edits turn the first sentence into the second, “{word}” itself among them.", **told)
            if n > 1
            else t("One edit turns the first sentence into the second: “{word}” itself.", **told)
        )
    else:
        first = (
            t("{n} edits turn the first sentence into the second, one at a time; “{word}” stays.", **told)
            if n > 1
            else t("One edit turns the first sentence into the second; “{word}” stays.", **told)
        )
    return [first, t("Read down the list, guess where the model changes its mind, then reveal.")]


def why_by_sentences(table, first: str, second: str, verdict: Verdict | None) -> str:
    """Why no labelled senses are read, what is measured instead, and what that cannot tell: the verdict on the word does, where it is one."""
    told = {"first": first[:40], "second": second[:40]}
    if table is None:
        why = t("These texts have no labelled senses:")
    elif verdict is None and first.casefold() != second.casefold():
        why = t("Two words are in question, “{first}” and “{second}”:", **told)
    else:
        why = t("“{first}” has no labelled senses here:", first=told["first"])
    told = t("each step is measured against the two sentences themselves, so somewhere it passes over, also where the meaning is one.")
    if verdict is None:
        return f"{why} {told} {t('Tap the same word in both sentences.')}" if first != second else f"{why} {told}"
    said = verdict_words.title(verdict), verdict_words.certainty(verdict)
    return html("{} {} {} <b>{}</b>. {}", why, told, t("The verdict on the word:"), *said)


def where(layer: str) -> str:
    """Where a space is, in words."""
    return t("in the mix") if layer == "mix" else t("at {where}", where=layer_title(layer))


def noticed(shown: ShownPath, guess: int | None) -> list[str]:
    """Where it flips, whether the guess was right, and where the other layers flip: two sentences."""
    first = shown.first[shown.layer]
    place = where(shown.layer)
    old, new = shown.pair
    margins = shown.margins[shown.layer]
    told = {"place": place, "old": old, "new": new, "n": len(margins) - 1}
    if np.abs(margins).max() < CLEAR:
        lines = [t("{place} no step is nearer to one than to the other: too close to call.", place=place)]
    elif first is None and shown.read[-1] == shown.pair[0]:
        lines = [_same(shown.verdict, told)]
    elif first is None:
        lines = [t("{place} it never flips: no edit brings “{new}” in front of “{old}”.", **told)]
    else:
        lines = [_flip(shown, first, told)]
    lines = [lines[0][:1].upper() + lines[0][1:]]
    others = [
        t("{place} at edit {k}", place=where(n), k=k) if k else t("{place} never", place=where(n))
        for n, k in shown.first.items()
        if n not in ("0", shown.layer)
    ]
    elsewhere = t("elsewhere: {places}", places=", ".join(others))
    if guess is None:
        return [lines[0], _sentence(elsewhere)]
    if guess == (first or NEVER):
        return [*lines, t("Your guess was right; {elsewhere}.", elsewhere=elsewhere)]
    told = t("edit {k}", k=guess) if guess else t("it never flips")
    return [*lines, t("You guessed: {guess}; {elsewhere}.", guess=told, elsewhere=elsewhere)]


def _same(verdict: Verdict | None, told: dict) -> str:
    """The sentence about a path whose two ends are read alike: rightly or not, as far as the verdict on the word can tell."""
    if verdict is None:
        return t("{place} the model reads “{old}” in both sentences.", **told)
    told |= {"sure": verdict.right_of_100}
    if verdict.says == ONE:
        return t(
            "{place} the model reads “{old}” in both sentences, and one meaning is the verdict too, right in {sure} of 100 pairs like this.",
            **told,
        )
    if verdict.says == TWO:
        return t(
            "{place} the model reads “{old}” in both sentences and misses a difference: the verdict is two meanings, right in {sure} of 100 pairs like this.",
            **told,
        )
    return t("{place} the model reads “{old}” in both sentences; whether the word means the same there is too close to call.", **told)


def _flip(shown: ShownPath, first: int, told: dict) -> str:
    """The sentence about the first edit at which the lead changes over."""
    margins = shown.margins[shown.layer]
    told |= {"k": first, "edit": edit_name(shown.steps[first]), "lead": f"{margins[first]:.2f}"}
    back = ", ".join(map(str, edits.flips(margins)[1:]))
    if margins[first] < CLEAR:
        return t("{place} it flips at edit {k} of {n}, where {edit}, but by a hair: too close to call there.", **told)
    if back:
        return tn(
            "{place} it flips from “{old}” to “{new}” at edit {k} of {n}, where {edit}, and changes again at edit {back}.",
            "{place} it flips from “{old}” to “{new}” at edit {k} of {n}, where {edit}, and changes again at edits {back}.",
            back.count(",") + 1,
            back=back,
            **told,
        )
    return t("{place} it flips from “{old}” to “{new}” at edit {k} of {n}, where {edit}, and then leads by {lead}.", **told)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def path_table(shown: ShownPath) -> pd.DataFrame:
    """The table twin of a path."""
    return pd.DataFrame(
        [
            {
                t("edit"): k,
                t("from"): step.old or "",
                t("to"): step.new or "",
                t("sentence"): join_tokens(list(step.tokens)),
                t("read as"): sense,
            }
            | {t("lead, {place}", place=layer_title(name)): round(float(each[k]), 4) for name, each in shown.margins.items()}
            for k, (step, sense) in enumerate(zip(shown.steps, shown.read, strict=True))
        ]
    )
