"""Train: train classifiers on a task or on a file of one's own, and watch them learn."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/train.py")
question(t("What does each classifier learn?"))
lede(t("Choose a task or your own table: every classifier trains on the same split and seeds, in minutes."))
show("pages._classify.train", in_use)
