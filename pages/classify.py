"""Classify: one text, every classifier's answer at once, and why; and the tasks of the ELMo paper."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse


def classifiers(in_use: InUse) -> None:
    """News, spam, sentiment."""
    question(t("Does context help a classifier?"))
    lede(
        t(
            "The classifiers below were trained here, on the same texts. They read word vectors learned from scratch, <b>GloVe</b>, <b>ELMo</b>, or two "
            "of them joined, at the dropout and width that each asks for. Type a text and see where they agree, how sure they are, and why."
        )
    )
    show("pages._classify.show", in_use)


def tasks(in_use: InUse) -> None:
    """The paper's tasks, each without ELMo and with it."""
    question(t("What does ELMo add to a task?"))
    lede(
        t(
            "Tasks of the ELMo paper, trained here on open data, each twice: on <b>GloVe</b> and spellings alone, and with <b>ELMo</b> "
            "beside them. Type a text, change a word, and see where the two disagree."
        )
    )
    show("pages._tasks.show", in_use)


in_use = frame("pages/classify.py")
{"classify": classifiers, "tasks": tasks}[part()](in_use)
