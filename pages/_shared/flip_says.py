"""What the path of edits says of itself: each edit in words, what to notice, the table."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from core import editing, figures
from core.text import join_tokens
from core.texts import t
from pages._shared import lists

NEVER = 0  # as an edit: the sense does not flip


@dataclass(frozen=True, slots=True)
class ShownPath:
    """What is drawn and said of a path: steps, the sense read in each, leads by layer, the two senses in question."""

    steps: list[editing.Step]
    read: list[str]
    margins: dict[str, np.ndarray]  # by space, (S,)
    pair: tuple[str, str]
    layer: str
    senses: list[str]  # all of the word's, in the order of their colours

    @property
    def first(self) -> dict[str, int | None]:
        """Where each space's lead first changes over."""
        return {name: next(iter(editing.flips(each)), None) for name, each in self.margins.items()}


def edit_name(step) -> str:
    """What an edit does, in words; user text escaped."""
    if step.old is None and step.new is None:
        return t("the first sentence")
    if step.old is None:
        return t("“{new}” comes in", new=escape(step.new[:40]))
    if step.new is None:
        return t("“{old}” goes out", old=escape(step.old[:40]))
    return t("“{old}” becomes “{new}”", old=escape(step.old[:40]), new=escape(step.new[:40]))


def sense_chip(sense: str, senses: list[str]) -> str:
    """A sense on a ground of its colour."""
    return lists.chip_of(sense, figures.sense_colour(senses.index(sense)))


def asked(path: list, lemma: str) -> list[str]:
    """What to notice before the answer is shown."""
    return [
        t("{n} edits turn the first sentence into the second, one at a time; “{word}” stays.", n=len(path) - 1, word=escape(lemma)) if len(path) > 2
        else t("One edit turns the first sentence into the second; “{word}” stays.", word=escape(lemma)),
        t("Read down the list, guess where the model changes its mind, then reveal."),
    ]  # fmt: skip


def where(layer: str) -> str:
    """A space in words."""
    return t("the mix") if layer == "mix" else t("layer {layer}", layer=layer)


def noticed(shown: ShownPath, guess: int | None, alignment) -> list[str]:
    """Where it flips at each layer, how the guess fared, and what went wrong."""
    first, place, (old, new) = shown.first[shown.layer], where(shown.layer), (escape(sense) for sense in shown.pair)
    margins, lines = shown.margins[shown.layer], []
    if shown.read[-1] == shown.pair[0]:
        lines.append(
            t(
                "At {place} the model reads “{sense}” in both sentences: either they mean the same, or it misses the difference. The leads are those of “{other}”.",
                place=place,
                sense=old,
                other=new,
            )
        )
    if first is None:
        lines.append(t("It never flips at {place}: no edit brings “{sense}” in front.", place=place, sense=new))
    else:
        lines.append(
            t(
                "At {place} it flips at edit {k} of {n}, where {edit}: from “{old}” to “{new}”, which then leads by {lead:.3f}.",
                place=place,
                k=first,
                n=len(margins) - 1,
                edit=edit_name(shown.steps[first]),
                old=old,
                new=new,
                lead=margins[first],
            )
        )
        if back := editing.flips(margins)[1:]:
            lines.append(t("It does not stay so: it changes again at edit {edits}.", edits=", ".join(map(str, back))))
    if guess is not None:
        right = guess == (first or NEVER)
        lines.append(
            t("Your guess was right.")
            if right
            else t("You guessed: {guess}.", guess=t("edit {k}", k=guess) if guess else t("it never flips"))
        )
    others = [
        t("{place}: edit {k}", place=where(n), k=k) if k else t("{place}: never", place=where(n))
        for n, k in shown.first.items()
        if n not in ("0", shown.layer)
    ]
    lines.append(t("Elsewhere: {places}.", places="; ".join(others)))
    moves = np.abs(np.diff(margins))
    k = int(moves.argmax()) + 1
    lines.append(
        t(
            "The edit that moves it most is number {k}, where {edit} ({move:+.3f}).",
            k=k,
            edit=edit_name(shown.steps[k]),
            move=float(np.diff(margins)[k - 1]),
        )
    )
    if alignment.target not in alignment.changes:
        lines.append(t("Layer 0 does not move at all: it reads the spelling of the word and nothing around it."))
    return lines


def path_table(shown: ShownPath) -> pd.DataFrame:
    """The table twin of a path."""
    return pd.DataFrame(
        [
            {t("edit"): k, t("from"): step.old or "", t("to"): step.new or "", t("sentence"): join_tokens(list(step.tokens)), t("read as"): sense}
            | {t("lead, {place}", place=where(name)): round(float(each[k]), 4) for name, each in shown.margins.items()}
            for k, (step, sense) in enumerate(zip(shown.steps, shown.read, strict=True))
        ]
    )  # fmt: skip
