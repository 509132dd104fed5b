"""Classify: one text, every classifier's answer at once, and why (news, spam, sentiment)."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/classify.py")
question(t("Does context help a classifier?"))
lede(
    t(
        "The classifiers below were trained here, on the same texts. They read word vectors learned from scratch, <b>GloVe</b>, <b>ELMo</b>, or two "
        "of them joined, at the dropout and width that each asks for. Type a text and see where they agree, how sure they are, and why."
    )
)
show("pages._classify.show", in_use)
