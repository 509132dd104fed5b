"""Home's picture as Plotly figures, for what is taken along."""

from collections.abc import Callable

import plotly.graph_objects as go

from core.common.i18n import t
from core.figures.maps import angle_figure, cosine_bars
from core.views.pair import Pair
from pages._home import instrument
from pages._home.beside import Beside


def figures(pair: Pair, other: Beside | None, layer: str) -> list[tuple[str, Callable[[], go.Figure], str]]:
    """Key, figure (made when asked for) and description of the arrows, then of the bars."""

    def arrows() -> go.Figure:
        labels = t("1st"), t("2nd")
        return angle_figure(pair.cosines[layer], labels, same_word=pair.same, layer=layer, glove=pair.static)

    def bars() -> go.Figure:
        return cosine_bars(pair.bars, chosen=layer, random=pair.random)

    return [("angle", arrows, instrument.arrows_alt(pair, other, layer)), ("bars", bars, instrument.bars_alt(pair, other))]
