"""Compare: two models, layers, vector files or corpora as whole spaces; one word between two corpora."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse


def compare(in_use: InUse) -> None:
    """By whose neighbors stay and how alike the whole spaces are."""
    question(t("Do two models agree?"))
    lede(t("Compare models, layers, vectors or corpora: which neighbors do words share, and how alike are the spaces?"))
    show("pages._compare.show", in_use)


def change(in_use: InUse) -> None:
    """A word between two corpora, or two spans of dates."""
    question(t("Does it mean the same in both?"))
    lede(t("One word in two corpora, or before and after a date: is it used differently, beyond chance?"))
    show("pages._compare.change", in_use)


in_use = frame("pages/compare.py")
{"compare": compare, "change": change}[part()](in_use)
