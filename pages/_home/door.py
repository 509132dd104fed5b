"""The entry of Home: its title, its thesis, and all that changes while the user types."""

from core.common import model_layers
from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show


def open_page() -> None:
    """Draw Home."""
    in_use = frame("app.py")
    question(t("Does a word mean the same thing twice?"))
    lede(
        t(
            "<b>GloVe</b> has one vector per spelling. <b>{model}</b> reads the sentence and gives the word a new vector each time.",
            model=model_layers.in_use().called,
        )
    )
    show("pages._home.live", in_use)
