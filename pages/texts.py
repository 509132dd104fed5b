"""Your texts: add, search, count and compare corpora."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse
from pages._texts.inputs import draw_inputs


def texts(in_use: InUse) -> None:
    """Show the part where the user adds texts and selects them for every page."""
    question(t("What do your own texts say?"))
    lede(t("Add your texts: search them here, and use them on every page."))
    draw_inputs()
    show("pages._texts.selection", in_use)


def search(in_use: InUse) -> None:
    """Show the concordance of a word."""
    question(t("Where does a word occur?"))
    lede(t("Every line with a word, in its context."))
    show("pages._texts.concordance", in_use)


def collocates(in_use: InUse) -> None:
    """Show the collocates of a word, also by sense."""
    question(t("Which words go together?"))
    lede(t("Words near a word, by how strongly they go with it, and which of them tell its senses apart."))
    show("pages._texts.collocates", in_use)


def keyness(in_use: InUse) -> None:
    """Show the keywords of a corpus compared with another one."""
    question(t("What is this corpus about?"))
    lede(t("Its keywords: what it says more often than another corpus."))
    show("pages._texts.keyness", in_use)


def change(in_use: InUse) -> None:
    """Show the change of a word between two corpora or two periods."""
    question(t("Does it mean the same in both?"))
    lede(t("One word in two corpora, or before and after a date: is it used differently, beyond chance?"))
    show("pages._texts.change", in_use)


in_use = frame("pages/texts.py")
{"texts": texts, "search": search, "collocates": collocates, "keyness": keyness, "change": change}[part()](in_use)
