"""Vectors of length 1."""

import numpy as np
from numpy.typing import DTypeLike

from .errors import BadInput
from .i18n import t


def unit(vectors: np.ndarray) -> np.ndarray:
    """(..., D) -> the same directions at length 1; a vector of zeros stays one."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def unit_rows(vectors: np.ndarray, dtype: DTypeLike = np.float32) -> np.ndarray:
    """(N, D) -> rows of length 1, zeros as they are; BadInput for anything else than a table of finite numbers."""
    vectors = np.asarray(vectors, dtype)
    if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
        message = t("Finite numbers needed, one row per point; got shape {shape}.", shape=vectors.shape)
        raise BadInput(message)
    return unit(vectors)
