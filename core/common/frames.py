"""Data frames of results. pandas is imported when the first one is made, because the first paint of a page must not wait for it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

Frame: TypeAlias = "pd.DataFrame"


def frame(data: Mapping[str, Sequence] | Iterable, columns: Sequence[str] | None = None) -> Frame:
    """Return a data frame from columns by name, or from rows."""
    import pandas as pd

    return pd.DataFrame(data, columns=columns)
