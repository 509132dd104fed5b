"""Senses found: a word's sentences in groups that nobody labelled, named by their words, to be corrected and exported."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/senses.py")
question(t("How many meanings does it have here?"))
lede(
    t(
        "Sentences in which a word's vectors lie close together often use it in one meaning. Here they are grouped without any labels, "
        "in all the vectors' dimensions; the groups are a suggestion for you to read, name and correct."
    )
)
show("pages._senses.show", in_use)
