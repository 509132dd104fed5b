"""Corpus: search in texts of one's own or ours, what words go with a word, and what is said more often than elsewhere."""

from core.common.i18n import t
from pages._corpus.inputs import texts
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse


def search(in_use: InUse) -> None:
    """Texts are brought here; every line with a word, aligned on it."""
    question(t("What do your own texts say?"))
    lede(t("Every line with a word, in its context. Add your texts to search them and use them on every page."))
    show("pages._corpus.show", in_use, texts())


def collocates(in_use: InUse) -> None:
    """The words near a word, whole and by its senses."""
    question(t("Which words go together?"))
    lede(t("Words near a word, by how strongly they go with it, and which of them tell its senses apart."))
    show("pages._corpus.collocates", in_use)


def keyness(in_use: InUse) -> None:
    """The words of one corpus against another's."""
    question(t("What is this corpus about?"))
    lede(t("Its keywords: what it says more often than another corpus."))
    show("pages._corpus.keyness", in_use)


in_use = frame("pages/corpus.py")
{"corpus": search, "collocates": collocates, "keyness": keyness}[part()](in_use)
