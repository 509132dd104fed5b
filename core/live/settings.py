"""What an instrument in the reader's browser says was set, taken as far as it can be: anybody may have written it."""

from collections.abc import Collection

import numpy as np

TOP = 5.0  # of the slider of gamma


def mix_setting(given: dict, n_layers: int, limit: float) -> tuple[list[float], float, bool] | None:
    """Raw scores within `limit`, gamma, whether layers are normalized; None where that is no such thing."""
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
    """One of the views, whose lines are drawn, which of the rows are selected; None where that is no such thing."""
    view, dot, picked = (given.get(name) for name in ("view", "dot", "picked"))
    if view not in views or not isinstance(dot, str) or not isinstance(picked, list):
        return None
    known = {int(row) for row in rows}
    return view, dot, [row for row in picked if isinstance(row, int) and row in known]
