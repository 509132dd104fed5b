"""Map: a word's occurrences in every layer on one set of axes, the user's own sentences among them."""

from core.texts import t
from pages._shared.frame import frame, lede, question, show

in_use = frame("pages/map.py")
question(t("Where do its senses live?"))
lede(
    t(
        "Each dot is one sentence with the word in it, coloured by what the word means there. From layer 0, which sees spelling only, "
        "to layer 2 the senses drift apart. The same dot keeps its place from map to map as far as it can."
    )
)

show("sense_map", in_use)
