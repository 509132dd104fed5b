"""Train: train classifiers on a task or on a file of one's own, and watch them learn."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/train.py")
question(t("What does each classifier learn?"))
lede(
    t(
        "Choose a task, or bring a table of texts and labels of your own. Every variant is trained on the same split, from the same seeds, here on this "
        "machine: minutes, not hours, because ELMo's layers are computed once and kept."
    )
)
show("pages._classify.train", in_use)
