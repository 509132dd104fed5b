"""Home's picture as a figure for notebooks and HTML files."""

from collections.abc import Sequence

import plotly.graph_objects as go

from ..common.i18n import t
from ..senses.scene import Scene
from .maps import MapLook, Star, find_limits, map_figure
from .style import OWN, ink, mark

HEIGHT = 460  # pixels
GRAY = "#B4B4BE"


def scene_figure(scene: Scene, space: str, sentences: Sequence[tuple[Sequence[str], int]]) -> go.Figure:
    """Draw a scene in one of its spaces. `sentences` are both typed ones: their tokens and the position of the word."""
    at = scene.spaces.index(space)
    places = [dict(zip(scene.spaces, map(tuple, scene.stars[:, k].tolist()), strict=True)) for k in range(scene.stars.shape[1])]
    stars = [Star(label, mark(tokens, k), place) for label, (tokens, k), place in zip((t("1st"), t("2nd")), sentences, places, strict=True)]
    limits = find_limits(scene.points, scene.stars)
    look = MapLook(layer=space, key=f"scene.{space}", stars=stars, height=HEIGHT, limits=limits, name_senses=bool(scene.points[at].any()))
    if scene.labeled:
        labels = [scene.senses[k] for k in scene.sense_of]
        return map_figure(scene.points[at], labels, list(scene.texts), list(range(len(labels))), list(scene.senses), look)
    figure = map_figure(scene.points[at], [None] * len(scene.texts), list(scene.texts), list(range(len(scene.texts))), [], look)
    for word, star, (x, y) in zip(scene.texts, scene.sense_of, scene.points[at].tolist(), strict=True):
        color = (*OWN, GRAY)[star]
        figure.add_annotation(x=x, y=y, text=word, showarrow=False, font={"size": 13, "color": ink(color)}, bgcolor=color, borderpad=2)
    return figure
