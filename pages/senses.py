"""Senses: a word's sentences in groups without labels, and a few labels that spread to the others."""

from core.common.i18n import t
from pages._frame.frame import frame, show, show_titles

in_use = frame("pages/senses.py")
module = show_titles(
    found=(
        t("How many meanings does it have here?"),
        t("A word’s sentences, grouped by their vectors alone, without labels. Read, name and correct the groups."),
        "pages._senses.show",
    ),
    spread=(
        t("Label a few: what are the rest?"),
        t("Name the sense of a few sentences. The rest get the likeliest sense, with a probability."),
        "pages._senses.spread",
    ),
)
show(module, in_use)
