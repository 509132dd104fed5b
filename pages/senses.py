"""Senses: a word's sentences in groups without labels, and a few labels that spread to the others."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse


def found(in_use: InUse) -> None:
    """Show the groups."""
    question(t("How many meanings does it have here?"))
    lede(t("A word’s sentences, grouped by their vectors alone, without labels. Read, name and correct the groups."))
    show("pages._senses.show", in_use)


def spread(in_use: InUse) -> None:
    """Label a few sentences; the vectors label the others."""
    question(t("Label a few: what are the rest?"))
    lede(t("Name the sense of a few sentences. The rest get the likeliest sense, with a probability."))
    show("pages._senses.spread", in_use)


in_use = frame("pages/senses.py")
{"found": found, "spread": spread}[part()](in_use)
