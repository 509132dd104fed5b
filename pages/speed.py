"""Speed: each of our figures beside a peer's, measured in one run on one machine."""

from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/speed.py")
question(t("How fast is it, and against what?"))
lede(
    t(
        "A time alone says little: it is the machine's as much as the program's. So every figure here was measured <b>beside a peer's</b>, in turns within "
        "one run, on the same inputs and as many threads, and the two answers were compared first. What counts is the ratio."
    )
)
show("pages._model.speed", in_use)
