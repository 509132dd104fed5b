"""How it works: one token's way from its characters to its vector, step by step, in the model's own numbers."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show
from pages._widgets.inputs import first_sentence

in_use = frame("pages/how.py")
question(t("How does a sentence become a vector?"))
lede(
    t(
        "Seven steps, from the characters of a word to the vector a task is given. Type a sentence, tap a word in it, and follow "
        "that word: every number shown is one that the model in use computed for it."
    )
)
chosen = first_sentence()
if chosen.position is not None:
    show("pages._how.show", in_use, chosen)
