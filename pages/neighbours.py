"""Neighbours: what stands nearest to a word in two contexts, beside GloVe's one list (Peters et al. 2018, table 4)."""

from core.common import model_layers
from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show
from pages._widgets.inputs import sentence_pair

in_use = frame("pages/neighbours.py")
question(t("Who are its neighbours?"))
lede(
    t(
        "The nearest vectors to a word show what a model takes it to mean. GloVe has one list for a spelling; {model} has one for every sentence.",
        model=model_layers.in_use().called,
    )
)
first, second = sentence_pair()
show("pages._neighbours.show", in_use, first, second)
