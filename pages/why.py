"""Why: at which changed word the sense flips, and which words decide it."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, picture_first, question, show
from pages._widgets.inputs import sentence_pair

in_use = frame("pages/why.py")
question(t("What decided this sense?"))
lede(t("Change one word at a time until the sense flips. Below, each word of the first sentence is removed in turn."))
inputs, picture = picture_first()
with inputs:
    first, second = sentence_pair()
show("pages._why.show", in_use, first, second, picture)
