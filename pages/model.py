"""Model: what the language model in use was trained on, how well it learned, and what each of its layers knows."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/model.py")
question(t("What does this model know?"))
lede(
    t(
        "ELMo is a <b>biLM</b>: one language model reads left to right and guesses the next word, another reads right to left and guesses the one "
        "before. Nobody tells them about grammar or meaning. Here is what they were trained on, how well they guess, and what their layers picked up."
    )
)
show("pages._about.show", in_use)
