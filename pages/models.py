"""Models: what the selected model was trained on and what its layers know, and the comparison of two models."""

from core.common.i18n import t
from pages._frame.frame import frame, show, show_titles

in_use = frame("pages/models.py")
module = show_titles(
    about=(
        t("What does this model know?"),
        t("ELMo learns grammar and meaning only by predicting the next and the previous word."),
        "pages._models.about",
    ),
    compare=(
        t("Do two models agree?"),
        t("Compare models, layers, vectors or corpora: which neighbors do words share, and how alike are the spaces?"),
        "pages._models.compare",
    ),
)
show(module, in_use)
