"""Validate settings sent by a widget in the browser, which anyone may have written."""

from collections.abc import Collection

import numpy as np

TOP = 5.0  # of the slider of gamma


def mix_setting(given: dict, n_layers: int, limit: float) -> tuple[list[float], float, bool] | None:
    """Return raw scores within `limit`, gamma, and whether layers are normalized; None if the setting is invalid."""
    w, gamma = given.get("w"), given.get("gamma")
    if not isinstance(w, list) or len(w) != n_layers:
        return None
    try:
        numbers = [float(item) for item in (*w, gamma)]
    except (TypeError, ValueError, OverflowError):
        return None
    if not np.isfinite(numbers).all():
        return None
    *scores, gamma = numbers
    return [round(min(limit, max(-limit, item)), 1) for item in scores], round(min(TOP, max(0.1, gamma)), 1), bool(given.get("norm"))


def map_setting(given: dict, views: Collection[str], rows: Collection[int]) -> tuple[str, str, list[int]] | None:
    """Return the view, the point whose lines are drawn, and the selected rows; None if the setting is invalid."""
    view, dot, picked = (given.get(name) for name in ("view", "dot", "picked"))
    if view not in views or not isinstance(dot, str) or not isinstance(picked, list):
        return None
    row_set = {int(row) for row in rows}
    return view, dot, [row for row in picked if isinstance(row, int) and row in row_set]
