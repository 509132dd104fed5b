"""A message for pages that need ELMo while a transformer is selected, and where to continue."""

from core.common import model_layers
from core.common.i18n import t
from pages._cached.views import workspace
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.menu import page_link

HOW, EXPECTED = "how", "expected"


def is_another(in_use: InUse, page: str) -> bool:
    """Return whether the model in use is a transformer, which this page cannot show; it has then said so."""
    known = model_layers.in_use()
    if known.is_elmo:
        return False
    _ = workspace(in_use).model.encoder  # what it cannot be opened for is said here
    message, go_on, label = {
        HOW: lambda: (t("{model} is a transformer, without char-CNN or LSTMs.", model=known.called), "home", t("Compare its layers")),
        EXPECTED: lambda: (
            t("{model} gives vectors but predicts no words. elmo-mini does.", model=known.called),
            "neighbors",
            t("Its neighbors"),
        ),
    }[page]()
    notice([message])
    page_link(go_on, label, icon=":material/arrow_forward:")
    return True
