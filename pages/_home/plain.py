"""Home's picture drawn by Streamlit and Plotly: where a browser cannot run the instrument, and for what is taken along."""

from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import plain
from core.figures.maps import angle_figure, cosine_bars
from core.live.texts import home_texts
from core.views.pair import Pair
from pages._home import instrument
from pages._home.beside import Beside
from pages._widgets.charts import draw


def figures(pair: Pair, other: Beside | None, layer: str) -> list[tuple[str, Callable[[], go.Figure], str]]:
    """Key, figure (made when asked for) and description of the arrows, then of the bars."""

    def arrows() -> go.Figure:
        labels = t("1st"), t("2nd")
        return angle_figure(pair.cosines[layer], labels, same_word=pair.same, layer=layer, glove=pair.static)

    def bars() -> go.Figure:
        return cosine_bars(pair.bars, chosen=layer, random=pair.random)

    return [("angle", arrows, instrument.arrows_alt(pair, other, layer)), ("bars", bars, instrument.bars_alt(pair, other))]


def draw_picture(pair: Pair, other: Beside | None, layer: str) -> None:
    left, right = st.columns([3, 2], gap="large")
    (arrows_key, arrows, arrows_alt), (bars_key, bars, bars_alt) = figures(pair, other, layer)
    with left, st.container(key="home_picture"):
        draw(arrows(), key=arrows_key, alt=arrows_alt)
    with right:
        text = home_texts(model_layers.in_use())
        st.markdown(f"**{plain(text['title'])}**")
        draw(bars(), key=bars_key, alt=bars_alt)
        st.caption(text["caption"])
