"""Guess the machine: eight sentences, the sense that ELMo reads in each, you against it; a quiz a day, the same for everybody."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/guess.py")
question(t("Which sense does ELMo read?"))
lede(
    t(
        "Eight sentences. In each, choose the sense that you think <b>ELMo</b> reads: that is your point. Whether ELMo reads it rightly is another "
        "question, and its own score."
    )
)
show("pages._guess.show", in_use)
