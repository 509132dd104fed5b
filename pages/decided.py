"""What decided this sense: each word around a word dropped, masked or swapped; past and future asked apart."""

from core.common.i18n import t
from pages._decided.inputs import sentence
from pages._frame.frame import frame, lede, picture_first, question, show

in_use = frame("pages/decided.py")
question(t("What decided this sense?"))
lede(
    t(
        "Take away each word in turn and read the sentence again: what then changes in the vector of the word in question shows which "
        "words, and which side of the sentence, told the model what it means."
    )
)
inputs, picture = picture_first()
with inputs:
    chosen = sentence()
show("pages._decided.show", in_use, chosen, inputs, picture)
