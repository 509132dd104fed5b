"""Results: an earlier experiment redone, where ELMo pays, and every variant on every task, with its spread."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/results.py")
question(t("When does ELMo help?"))
lede(
    t(
        "Every classifier was trained several times, from different random starts, on the same texts. Here is what came of it: where vectors in "
        "context pay, where they do not, and where a plain baseline of word counts is ahead of them all."
    )
)
show("pages._classify.results", in_use)
