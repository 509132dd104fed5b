"""Validate what a map's or mixer's widget sends from the browser, and link the selections on several maps."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

TOP = 5.0  # of the slider of gamma


def mix_setting(sent: dict, n_layers: int, limit: float) -> tuple[list[float], float, bool] | None:
    """Return raw scores within `limit`, gamma, and whether layers are normalized; None if the setting is invalid."""
    w, gamma = sent.get("w"), sent.get("gamma")
    if not isinstance(w, list) or len(w) != n_layers:
        return None
    try:
        numbers = [float(item) for item in (*w, gamma)]
    except (TypeError, ValueError, OverflowError):
        return None
    if not np.isfinite(numbers).all():
        return None
    *scores, gamma = numbers
    return [round(min(limit, max(-limit, item)), 1) for item in scores], round(min(TOP, max(0.1, gamma)), 1), bool(sent.get("norm"))


def map_setting(sent: dict, views: Collection[str], rows: Collection[int]) -> tuple[str, str, list[int]] | None:
    """Return the view, the point whose lines are drawn, and the selected rows; None if the setting is invalid."""
    view, dot, picked = (sent.get(name) for name in ("view", "dot", "picked"))
    if view not in views or not isinstance(dot, str) or not isinstance(picked, list):
        return None
    row_set = {int(row) for row in rows}
    return view, dot, [row for row in picked if isinstance(row, int) and row in row_set]


TABLE = "map.table"  # a source of selections that is no map


@dataclass
class Brush:
    """The selection on the maps of one word, and the state in which each map was last drawn."""

    scope: tuple  # whose rows the ids are
    picked: tuple[int, ...] = ()
    source: str = ""  # the map, or the table, in which it was selected
    version: int = 0  # of the table: it is mounted again when the selection was made elsewhere
    order: tuple[int, ...] = ()  # of the table's rows, by id ...
    ticked: int = 0  # ... of which so many were selected when it was mounted
    states: dict[str, tuple] = field(default_factory=dict)  # map -> (picked, what else it shows, limits)
    turns: dict[str, int] = field(default_factory=dict)  # map -> how often it had to be mounted again with the same figure
    zooms: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def select(self, rows: Sequence[int], source: str) -> None:
        """Replace the selection by the one made in `source`."""
        if self.source != source and self.source in self.states:  # it shows a selection of its own, which is over
            del self.states[self.source]
            self.turns[self.source] = self.turns.get(self.source, 0) + 1
        self.picked, self.source = tuple(dict.fromkeys(rows)), source
        if source != TABLE:
            self.version, self.order = self.version + 1, ()

    def figure_of(self, name: str, shows, limits: tuple[float, ...]) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Return the selected rows and limits for the map `name`; the ones it has, if only what it already shows has changed."""
        picked, before, _ = self.states.get(name, (None, None, None))
        if name not in self.states or before != shows or (name != self.source and picked != self.picked):
            self.states[name] = self.picked, shows, self.zooms.get(name, limits)
        return self.states[name][0], self.states[name][2]
