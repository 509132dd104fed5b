"""Models: what the language model in use was trained on, how well it learned, and what each of its layers knows; two models side by side."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse


def describe(in_use: InUse) -> None:
    """The model in use."""
    question(t("What does this model know?"))
    lede(t("ELMo learns grammar and meaning only by predicting the next and the previous word."))
    show("pages._about.show", in_use)


def compare(in_use: InUse) -> None:
    """Two models, layers, vector files or corpora as whole spaces, by whose neighbors stay and how alike the spaces are."""
    question(t("Do two models agree?"))
    lede(t("Compare models, layers, vectors or corpora: which neighbors do words share, and how alike are the spaces?"))
    show("pages._compare.show", in_use)


in_use = frame("pages/models.py")
{"about": describe, "compare": compare}[part()](in_use)
