"""Vectors of length 1."""

import numpy as np
from numpy.typing import DTypeLike

from .errors import BadInput
from .i18n import t


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors (..., D) to length 1. Zero vectors stay zero."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def unit_rows(vectors: np.ndarray, dtype: DTypeLike = np.float32) -> np.ndarray:
    """Scale rows (N, D) to length 1, zeros unchanged. Raises BadInput unless it is a table of finite numbers."""
    vectors = np.asarray(vectors, dtype)
    if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
        raise BadInput(t("Finite numbers needed, one row per point; got shape {shape}.", shape=vectors.shape))
    return unit(vectors)


def fix_signs(axes: np.ndarray) -> np.ndarray:
    """Return axes (k, d) whose largest number is positive: rounding would otherwise decide whether a picture is mirrored."""
    return axes * np.sign(np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1))
