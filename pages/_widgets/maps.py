"""The map widget of Map and Home: dots that glide between the layers."""

from pathlib import Path

from pages._widgets.instruments import instrument

map_widget = instrument("map", Path(__file__).parents[1] / "_map", "live")
