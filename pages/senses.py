"""Senses found: a word's sentences in groups that nobody labelled, named by their words, to be corrected and exported."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/senses.py")
question(t("How many meanings does it have here?"))
lede(t("A word’s sentences, grouped by their vectors alone, without labels. Read, name and correct the groups."))
show("pages._senses.show", in_use)
