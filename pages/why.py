"""Why this sense: which words decide it, and how few must change until it changes."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, picture_first, question, show
from pages._frame.in_use import InUse
from pages._why.inputs import sentence


def decide(in_use: InUse) -> None:
    """Each word around a word dropped, masked or swapped; past and future apart."""
    question(t("What decided this sense?"))
    lede(t("Each word is removed in turn: the change shows which words decided the sense."))
    inputs, picture = picture_first()
    with inputs:
        chosen = sentence()
    show("pages._why.decide", in_use, chosen, inputs, picture)


def edit(in_use: InUse) -> None:
    """One sentence turned into another word by word, its sense read at every step."""
    question(t("How few edits change its sense?"))
    lede(t("The context changes one word at a time: guess where the model reads a different sense."))
    show("pages._why.edit", in_use)


in_use = frame("pages/why.py")
{"decided": decide, "flip": edit}[part()](in_use)
