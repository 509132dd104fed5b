"""Results: an earlier experiment redone, where ELMo pays, and every variant on every task, with its spread."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/results.py")
question(t("When does ELMo help?"))
lede(t("Where contextual vectors help, where they do not, and where word counts win."))
show("pages._classify.results", in_use)
