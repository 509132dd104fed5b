"""Next word: what both directions of the language model expect after a text, before it, and at each of its words."""

from core.common import model_layers
from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/predict.py")
if model_layers.in_use().is_elmo:
    question(t("What word comes next, and what came before?"))
    lede(t("ELMo is two language models: one predicts the next word from the left, one the previous word from the right."))
else:
    question(t("What word could stand here?"))
    lede(t("Type a sentence and tap a word: the model hides it and predicts it from both sides."))
show("pages._predict.show", in_use)
