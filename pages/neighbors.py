"""Neighbors: the nearest words and sentences of a word in two contexts (Peters et al. 2018, table 4), next to GloVe's."""

from core.common import model_layers
from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show
from pages._widgets.inputs import sentence_pair

in_use = frame("pages/neighbors.py")
question(t("What are its neighbors?"))
lede(t("GloVe has one list of neighbors per spelling; {model} has one per sentence.", model=model_layers.in_use().called))
first, second = sentence_pair()
show("pages._neighbors.show", in_use, first, second)
