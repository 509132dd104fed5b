"""How it works: from the characters of a token to its vector, step by step, in the model's own numbers."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show
from pages._widgets.inputs import first_sentence

in_use = frame("pages/how.py")
question(t("How does a sentence become a vector?"))
lede(t("Follow your word in 9 steps, in the model’s own numbers."))
chosen = first_sentence()
if chosen.position is not None:
    show("pages._how.show", in_use, chosen)
