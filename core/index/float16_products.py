"""Dot products with float16 rows at about the speed at which memory is read: one loop, compiled by numba once it was asked for.

Compiling takes a second or more, which one search does not pay back: `warm_up` is for a process that stays, in a background
thread. torch, which has no product of float16 with float32, widens every number into memory first.
"""

from collections.abc import Callable

import numpy as np

Multiply = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
SHIFT = 13  # a float16's exponent and fraction, moved to where float32 has them; its sign, extended to 32 bits, arrives there too
KEPT = np.int32(np.uint32(0x8FFFE000).view(np.int32))  # of that: the copies of the sign are cut out
BIAS = np.float32(2.0**112)  # float32's exponents begin so much lower; a float16 below 2^-14 comes right by it too
_compiled: list[Multiply] = []


def products() -> Multiply | None:
    """(rows (n, L, D) float16, out (L', L, n) float32, wanted (L', D) float32) -> out[i, j, n]; None before `warm_up`.

    Rows must be finite. Any thread may call it, and others run meanwhile.
    """
    return _compiled[0] if _compiled else None


def warm_up() -> None:
    """Compile it, if that was not done yet (seconds)."""
    if _compiled:
        return
    from numba import njit, types

    rows, out = types.Array(types.int16, 3, "C", readonly=True), types.Array(types.float32, 3, "A")
    signature = types.void(rows, out, types.float32[:, ::1])
    multiply = njit(signature, nogil=True, fastmath={"reassoc", "contract"})(_multiply)

    def run(rows: np.ndarray, out: np.ndarray, wanted: np.ndarray) -> None:
        multiply(rows.view(np.int16), out, wanted * BIAS)

    _compiled.append(run)


def _multiply(bits, out, wanted) -> None:
    """One row's layer at a time: widened where the processor has it at hand, then met by every wanted vector."""
    wide = np.empty(bits.shape[2], np.float32)
    for n in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            for d in range(bits.shape[2]):
                wide[d] = np.int32((np.int32(bits[n, j, d]) << SHIFT) & KEPT).view(np.float32)
            for i in range(len(wanted)):
                total = np.float32(0)
                for d in range(bits.shape[2]):
                    total += wide[d] * wanted[i, d]
                out[i, j, n] = total
