"""Edit until it flips: one sentence turned into another word by word, its sense read at every step; and a quiz of readings."""

from core.common.i18n import t
from pages._frame.choices import choice
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/flip.py")
question(t("How few words turn it into another?"))
lede(
    t(
        "The word stays, the words around it change one at a time. Somewhere on the way from one sentence to the other the model reads "
        "another meaning. Guess where, then look."
    )
)
modes = {"edit": t("Edit until it flips"), "quiz": t("Quiz")}
mode = choice("flip_mode", t("What to do"), modes, "edit", label_visibility="collapsed")
show("pages._flip.show", in_use, mode)
