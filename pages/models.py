"""Models: what the selected model was trained on and what its layers know, and the comparison of two models."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse


def describe(in_use: InUse) -> None:
    """Show the selected model."""
    question(t("What does this model know?"))
    lede(t("ELMo learns grammar and meaning only by predicting the next and the previous word."))
    show("pages._models.about", in_use)


def compare(in_use: InUse) -> None:
    """Compare two models, layers, vector files or corpora by their neighbors and the similarity of their spaces."""
    question(t("Do two models agree?"))
    lede(t("Compare models, layers, vectors or corpora: which neighbors do words share, and how alike are the spaces?"))
    show("pages._models.compare", in_use)


in_use = frame("pages/models.py")
{"about": describe, "compare": compare}[part()](in_use)
