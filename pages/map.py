"""Map: the occurrences of a word in every layer on one set of axes, with the user's sentences."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/map.py")
question(t("Do the senses separate?"))
lede(t("Each dot is an occurrence in the corpus, stars are yours; layer 0 ignores context."))

show("pages._map.show", in_use)
