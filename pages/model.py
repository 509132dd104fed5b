"""Model: what the language model in use was trained on, how well it learned, and what each of its layers knows."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/model.py")
question(t("What does this model know?"))
lede(t("ELMo learns grammar and meaning only by predicting the next and the previous word."))
show("pages._about.show", in_use)
