"""Compare: two models, layers, vector files or corpora by whose neighbours stay and how alike the whole spaces are."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/compare.py")
question(t("Do two models see the same words?"))
lede(
    t(
        "Two spaces can place every vector differently and still agree on which words are alike. So they are compared by that: "
        "how many of a word's ten nearest words both of them name, and how alike they are as wholes."
    )
)
show("pages._compare.show", in_use)
