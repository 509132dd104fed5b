"""Compare: two models, layers, vector files or corpora by whose neighbours stay and how alike the whole spaces are."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/compare.py")
question(t("Do two models see the same words?"))
lede(t("Compare models, layers, vectors or corpora: which neighbors do words share, and how alike are the spaces?"))
show("pages._compare.show", in_use)
