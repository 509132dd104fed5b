"""The map widget: dots that glide between the layers, as Map and Home show them."""

from pathlib import Path

from pages._widgets.instruments import instrument

map_widget = instrument("map", Path(__file__).parents[1] / "_map", "live")
