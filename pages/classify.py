"""Classify: one text, every classifier's answer at once, and why; and the tasks of the ELMo paper."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse


def classifiers(in_use: InUse) -> None:
    """News, spam, sentiment."""
    question(t("Does context help a classifier?"))
    lede(t("Type a text: classifiers with and without <b>ELMo</b> predict its label, with confidence and reasons."))
    show("pages._classify.show", in_use)


def tasks(in_use: InUse) -> None:
    """The paper's tasks, each without ELMo and with it."""
    question(t("What does ELMo add to a task?"))
    lede(t("The ELMo paper’s tasks on open data, each with and without <b>ELMo</b>: see where the two disagree."))
    show("pages._classify.tasks", in_use)


in_use = frame("pages/classify.py")
{"classify": classifiers, "tasks": tasks}[part()](in_use)
