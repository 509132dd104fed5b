"""Classify: the answers of all classifiers to a text, with reasons; the paper's tasks; training; results."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse


def classifiers(in_use: InUse) -> None:
    """Show the classifiers of news, spam and sentiment."""
    question(t("Does context help a classifier?"))
    lede(t("Type a text: classifiers with and without <b>ELMo</b> predict its label, with confidence and reasons."))
    show("pages._classify.show", in_use)


def tasks(in_use: InUse) -> None:
    """Show the paper's tasks, each without and with ELMo."""
    question(t("What does ELMo add to a task?"))
    lede(t("The ELMo paper’s tasks on open data, each with and without <b>ELMo</b>: see where the two disagree."))
    show("pages._classify.tasks", in_use)


def train(in_use: InUse) -> None:
    """Train classifiers on a task or on the user's file."""
    question(t("What does each classifier learn?"))
    lede(t("Choose a task or your own table: every classifier trains on the same split and seeds, in minutes."))
    show("pages._classify.train", in_use)


def results(in_use: InUse) -> None:
    """Show where ELMo helps: the paper's tasks, and every variant on every task with its spread."""
    question(t("When does ELMo help?"))
    lede(t("Where contextual vectors help, where they do not, and where word counts win."))
    show("pages._classify.results", in_use)


in_use = frame("pages/classify.py")
{"classify": classifiers, "tasks": tasks, "train": train, "results": results}[part()](in_use)
