"""Classify: the answers of all classifiers to a text, with reasons; the paper's tasks; training; results."""

from core.common.i18n import t
from pages._frame.frame import frame, show, show_titles

in_use = frame("pages/classify.py")
module = show_titles(
    classify=(
        t("Does context help a classifier?"),
        t("Type a text: classifiers with and without <b>ELMo</b> predict its label, with confidence and reasons."),
        "pages._classify.show",
    ),
    tasks=(
        t("What does ELMo add to a task?"),
        t("The ELMo paper’s tasks on open data, each with and without <b>ELMo</b>: see where the two disagree."),
        "pages._classify.tasks",
    ),
    train=(
        t("What does each classifier learn?"),
        t("Choose a task or your own table: every classifier trains on the same split and seeds, in minutes."),
        "pages._classify.train",
    ),
    results=(
        t("When does ELMo help?"),
        t("Where contextual vectors help, where they do not, and where word counts win."),
        "pages._classify.results",
    ),
)
show(module, in_use)
