"""State: what AllenNLP's ELMo remembers between sentences by default, what that does to a sentence, and ours beside it."""

from core.common.i18n import t
from core.common.markup import Markup
from pages._frame.frame import frame, lede, question, show
from pages._widgets.inputs import first_sentence

in_use = frame("pages/state.py")
question(t("Does it remember what it read before?"))
lede(
    t(
        "AllenNLP's ELMo does: its LSTMs go on from where the last batch left them, so one sentence gets other vectors every time "
        "(issues {first}, {second} and many more). Ours starts each sentence at zero. Here is how much that changes.",
        first=Markup('<a href="https://github.com/allenai/allennlp/issues/1169" rel="noreferrer">1169</a>'),
        second=Markup('<a href="https://github.com/allenai/allennlp/issues/2643" rel="noreferrer">2643</a>'),
    )
)
chosen = first_sentence()
if chosen.position is not None:
    show("pages._how.memory", in_use, chosen)
