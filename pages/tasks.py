"""Tasks: the tasks of the ELMo paper live, each answered without ELMo and with it, side by side."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/tasks.py")
question(t("What does ELMo add to a task?"))
lede(
    t(
        "Tasks of the ELMo paper, trained here on open data, each twice: on <b>GloVe</b> and spellings alone, and with <b>ELMo</b> "
        "beside them. Type a text, change a word, and see where the two disagree."
    )
)
show("pages._tasks.show", in_use)
