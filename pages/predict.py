"""Next word: what both directions of the language model expect after a text, before it, and at each of its words."""

from core.common import model_layers
from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/predict.py")
if model_layers.in_use().is_elmo:
    question(t("What word comes next, and what came before?"))
    lede(
        t(
            "ELMo's vectors come from a biLM: two language models, of which one reads from the left and expects the next word, and one reads from the "
            "right and expects the word before. Type a few words: both say what they expect, and how much each of your words surprised them."
        )
    )
else:
    question(t("What word could stand here?"))
    lede(
        t(
            "A transformer that learned from masked words reads a sentence with one of them hidden, from both sides at once, and says what could stand "
            "in its place. Type a sentence and tap a word."
        )
    )
show("pages._predict.show", in_use)
