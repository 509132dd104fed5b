"""The same two words in a second model, at the same depth as the first: bottom beside bottom, top beside top, mix beside mix."""

from dataclasses import dataclass

from core.common.i18n import t
from core.common.model_layers import MIX, Layers
from core.views.pair import Angles

AT_STOP = 0.02  # of the way between two layers: nearer than that is the layer itself


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """The second model's name and angles."""

    name: str
    angles: Angles

    @property
    def layers(self) -> Layers:
        return self.angles.layers

    def place(self, space: str, first: Layers) -> float:
        """How far along this model's stops a space of the first model lies; home.js has the same of any place."""
        top = self.layers.n - 1
        return top + 1.0 if space == MIX else int(space) * top / max(1, first.n - 1)

    def where(self, place: float) -> str:
        """What is there: a space's name, or of the two that it lies between."""
        low = int(place)
        share = place % 1
        spaces = self.layers.spaces
        if share < AT_STOP or share > 1 - AT_STOP:
            return self.layers.title(spaces[round(place)])
        a, b = (self.layers.title(spaces[k]) for k in (low, low + 1))
        return t("between {a} and {b}", a=a, b=b)
