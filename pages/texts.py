"""Your texts: add, search, count and compare corpora."""

from core.common.i18n import t
from pages._frame.frame import frame, part, show, show_titles
from pages._texts.inputs import draw_inputs

in_use = frame("pages/texts.py")
module = show_titles(
    texts=(t("What do your own texts say?"), t("Add your texts: search them here, and use them on every page."), "pages._texts.selection"),
    search=(t("Where does a word occur?"), t("Every line with a word, in its context."), "pages._texts.concordance"),
    collocates=(
        t("Which words go together?"),
        t("Words near a word, by how strongly they go with it, and which of them tell its senses apart."),
        "pages._texts.collocates",
    ),
    keyness=(
        t("What is this corpus about?"),
        t("Its keywords: what it says more often than another corpus."),
        "pages._texts.collocates:show_keywords",
    ),
    change=(
        t("Does it mean the same in both?"),
        t("One word in two corpora, or before and after a date: is it used differently, beyond chance?"),
        "pages._texts.change",
    ),
)
if part() == "texts":
    draw_inputs()
show(module, in_use)
