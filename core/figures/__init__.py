"""Arrays to Plotly figures, with one palette for all pages."""

from core.figures.classes import (
    accuracy_dots,
    answers_figure,
    class_colours,
    confusion_figure,
    curves_figure,
    leads_figure,
    reliability_figure,
    token_marks,
)
from core.figures.measures import accuracy_lines, ratio_bars, weight_bars
from core.figures.space import Star, angle_figure, cosine_bars, map_figure, shared_limits
from core.figures.style import (
    CONFIG,
    GLOVE,
    LAYER_COLOURS,
    MAP_CONFIG,
    OWN,
    SENSE_COLOURS,
    SENSE_SYMBOLS,
    ink,
    mark,
    sense_colour,
)
from core.figures.training import Panel, panel_figure, shared_span, training_figure

__all__ = [
    "CONFIG",
    "GLOVE",
    "LAYER_COLOURS",
    "MAP_CONFIG",
    "OWN",
    "SENSE_COLOURS",
    "SENSE_SYMBOLS",
    "Panel",
    "Star",
    "accuracy_dots",
    "accuracy_lines",
    "angle_figure",
    "answers_figure",
    "class_colours",
    "confusion_figure",
    "cosine_bars",
    "curves_figure",
    "ink",
    "leads_figure",
    "map_figure",
    "mark",
    "panel_figure",
    "ratio_bars",
    "reliability_figure",
    "sense_colour",
    "shared_limits",
    "shared_span",
    "token_marks",
    "training_figure",
    "weight_bars",
]
