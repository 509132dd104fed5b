"""Sentences about the path of edits: each edit, what to notice, and the table."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.common import model_layers
from core.common.i18n import t, tn
from core.common.markup import html, shorten
from core.figures.style import layer_title, sense_color
from core.senses import edits
from core.senses.edits import EditStep
from core.senses.verdict import ONE, TWO, Verdict
from core.text.tokens import join_tokens
from core.views.edits import FIRST, SECOND, EditPath
from pages._widgets import lists
from pages._word import verdict_words

NEVER = 0  # as an edit: the sense does not flip
CLEAR = 0.005  # a smaller lead is 0.00 to two digits


def in_words(path: EditPath) -> EditPath:
    """Return a path with the names of its senses. The two sentences replace them for a word without labels."""
    if path.lemma:
        return path
    name = {FIRST: t("the first sentence"), SECOND: t("the second sentence")}.__getitem__
    senses, read, ends = (tuple(map(name, each)) for each in (path.senses, path.read, path.ends))
    return replace(path, senses=senses, read=read, ends=ends)


def edit_name(step: EditStep) -> str:
    """Describe an edit."""
    if step.old is None and step.new is None:
        return t("the first sentence")
    if step.old is None:
        return t("“{new}” comes in", new=shorten(step.new))
    if step.new is None:
        return t("“{old}” goes out", old=shorten(step.old))
    return t("“{old}” becomes “{new}”", old=shorten(step.old), new=shorten(step.new))


def sense_chip(sense: str, senses: Sequence[str]) -> str:
    """Return a sense on a background of its color."""
    return lists.chip_of(sense, sense_color(senses.index(sense)))


def before(steps: Sequence[EditStep], word: str, moves: bool) -> list[str]:
    """State what to notice before the answer."""
    n = len(steps) - 1
    values = {"n": n, "word": shorten(word)}
    if moves:
        first = (
            t("{n} edits turn the first sentence into the second, including “{word}”.", **values)
            if n > 1
            else t("One edit turns the first sentence into the second: “{word}” itself.", **values)
        )
    else:
        first = (
            t("{n} edits turn the first sentence into the second, one at a time; “{word}” stays.", **values)
            if n > 1
            else t("One edit turns the first sentence into the second; “{word}” stays.", **values)
        )
    return [first, t("Guess where the prediction changes, then reveal.")]


def why_by_sentences(labeled: bool, first: str, second: str, verdict: Verdict | None) -> str:
    """State why the path has no labeled senses, what is measured instead, and its limits, with the verdict on the word if there is one."""
    words = {"first": shorten(first), "second": shorten(second)}
    if not labeled:
        why = t("No labeled senses here:")
    elif verdict is None and first.casefold() != second.casefold():
        why = t("Two words, “{first}” and “{second}”:", **words)
    else:
        why = t("“{first}” has no labeled senses:", first=words["first"])
    measure = t("each step is compared with the two sentences, so it crosses over somewhere even within one sense.")
    if verdict is None:
        return f"{why} {measure} {t('Tap the same word in both sentences.')}" if first != second else f"{why} {measure}"
    verdict_texts = verdict_words.title(verdict), verdict.say_certainty()
    return html("{} {} {} <b>{}</b>. {}", why, measure, t("The verdict on the word:"), *verdict_texts)


def write_notices(path: EditPath, verdict: Verdict | None, guess: int | None) -> list[str]:
    """State where the sense flips, whether the guess was right, and where the other layers flip, in two sentences."""
    first = path.flips[path.space]
    place = model_layers.in_use().at(path.space)
    old, new = path.ends
    margins = path.margins[path.space]
    values = {"place": place, "old": old, "new": new, "n": len(margins) - 1}
    if np.abs(margins).max() < CLEAR:
        lines = [t("{place} every step is too close to call.", place=place)]
    elif first is None and path.read[-1] == path.ends[0]:
        lines = [_same(verdict, values)]
    elif first is None:
        lines = [t("{place} it never flips: “{new}” never leads “{old}”.", **values)]
    else:
        lines = [_flip(path, first, values)]
    lines = [lines[0][:1].upper() + lines[0][1:]]
    others = [
        t("{place} at edit {k}", place=model_layers.in_use().at(n), k=k) if k else t("{place} never", place=model_layers.in_use().at(n))
        for n, k in path.flips.items()
        if n not in ("0", path.space)
    ]
    elsewhere = t("elsewhere: {places}", places=", ".join(others))
    if guess is None:
        return [lines[0], _sentence(elsewhere)]
    if guess == (first or NEVER):
        return [*lines, t("Your guess was right; {elsewhere}.", elsewhere=elsewhere)]
    name = t("edit {k}", k=guess) if guess else t("it never flips")
    return [*lines, t("You guessed: {guess}; {elsewhere}.", guess=name, elsewhere=elsewhere)]


def _same(verdict: Verdict | None, values: dict) -> str:
    """Describe a path whose two ends have the same sense, and whether the verdict agrees."""
    if verdict is None:
        return t("{place} the model reads “{old}” in both sentences.", **values)
    values |= {"sure": verdict.right_of_100}
    if verdict.says == ONE:
        return t("{place} the model reads “{old}” in both sentences; the verdict agrees, right in {sure} of 100 such pairs.", **values)
    if verdict.says == TWO:
        return t(
            "{place} the model reads “{old}” in both sentences; the verdict is two meanings, right in {sure} of 100 such pairs.", **values
        )
    return t("{place} the model reads “{old}” in both sentences; the verdict is too close to call.", **values)


def _flip(path: EditPath, first: int, values: dict) -> str:
    """Describe the first edit at which the lead changes."""
    margins = path.margins[path.space]
    values |= {"k": first, "edit": edit_name(path.steps[first]), "lead": f"{margins[first]:.2f}"}
    back = ", ".join(map(str, edits.flips(margins)[1:]))
    if margins[first] < CLEAR:
        return t("{place} it flips at edit {k} of {n}, where {edit}: too close to call.", **values)
    if back:
        return tn(
            "{place} it flips from “{old}” to “{new}” at edit {k} of {n}, where {edit}, and changes again at edit {back}.",
            "{place} it flips from “{old}” to “{new}” at edit {k} of {n}, where {edit}, and changes again at edits {back}.",
            back.count(",") + 1,
            back=back,
            **values,
        )
    return t("{place} it flips from “{old}” to “{new}” at edit {k} of {n}, where {edit}, and then leads by {lead}.", **values)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def path_table(path: EditPath) -> pd.DataFrame:
    """Return the data table of a path."""
    return pd.DataFrame(
        [
            {
                t("edit"): k,
                t("from"): step.old or "",
                t("to"): step.new or "",
                t("sentence"): join_tokens(list(step.tokens)),
                t("read as"): sense,
            }
            | {t("lead, {place}", place=layer_title(name)): round(float(each[k]), 4) for name, each in path.margins.items()}
            for k, (step, sense) in enumerate(zip(path.steps, path.read, strict=True))
        ]
    )
