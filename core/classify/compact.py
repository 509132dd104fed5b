"""Weights as small as they ship: matrices as int8 rows with a float32 scale each, all else as float16.

A trained head is rounded to this form before it is scored: what was measured is, to the bit, what is loaded later.
"""

import numpy as np

MIN_SIZE = 2048  # numbers; a smaller matrix saves nothing worth a rounding
SCALES = ".scales"  # name of a matrix's scales: its own name with this behind it


def pack(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """float32 arrays -> what is stored; a matrix has its scales beside it."""
    stored: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        if array.ndim == 2 and array.size >= MIN_SIZE:
            scales = np.maximum(np.abs(array).max(axis=1), 1e-12).astype(np.float32) / 127  # of each row
            stored[name] = np.rint(array / scales[:, None]).astype(np.int8)
            stored[name + SCALES] = scales
        else:
            stored[name] = array.astype(np.float16)
    return stored


def unpack(stored: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What was stored -> float32 arrays."""
    arrays = {}
    for name, array in stored.items():
        if not name.endswith(SCALES):
            arrays[name] = array.astype(np.float32)
            if name + SCALES in stored:
                arrays[name] *= stored[name + SCALES][:, None]
    return arrays


def rounded(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The float32 arrays that come back from storage."""
    return unpack(pack(arrays))
