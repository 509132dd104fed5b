"""The LSTM cell for training, compiled by numba: one forward and one backward pass over a step's gates in place of about twelve each.

The backward pass overwrites the stored gates with their gradients, so that a layer's gates are in memory once.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

WORTH = 1 << 20  # cells (rows x H) of a layer from which on its three seconds of compiling are soon paid back
F = np.float32
REACH = F(7.90531110763549805)  # beyond it tanh is 1 to float32's last digit
A0, A1, A2, A3, A4, A5, A6 = map(
    F,
    (
        -2.76076847742355e-16,
        2.00018790482477e-13,
        -8.60467152213735e-11,
        5.12229709037114e-08,
        1.48572235717979e-05,
        6.37261928875436e-04,
        4.89352455891786e-03,
    ),
)
B0, B1, B2, B3 = map(F, (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03))


class Cell(NamedTuple):
    """Both passes over one step of n sentences. Arrays are float32 and C-contiguous; the passes release Python's lock."""

    forward: Callable[..., None]
    """(gates (n, 4H): pre-activations -> activated, cells before (n, H), cells out (n, H), o * tanh(c) out (n, H), clip)"""
    backward: Callable[..., None]
    """(activated gates (n, 4H) -> gradients of their pre-activations, cells before, cells, gradient of o * tanh(c) (n, H),
    gradient of the cells from the step after (n, H) -> of the cells before, clip)"""


def _tanh(x):
    """Return tanh by the rational function of Eigen's `ptanh`, which vectorizes and is accurate to 4e-7."""
    x = min(max(x, -REACH), REACH)
    s = x * x
    above = ((((((A0 * s + A1) * s + A2) * s + A3) * s + A4) * s + A5) * s + A6) * x
    return above / (((B0 * s + B1) * s + B2) * s + B3)


@lru_cache(maxsize=16)
def compiled(hidden: int) -> Cell:
    """Compile the cell for one hidden size. As a constant, the size shows the compiler that gates do not overlap."""
    from numba import njit

    options = {"fastmath": True, "error_model": "numpy", "nogil": True}
    tanh = njit(inline="always", **options)(_tanh)
    to_f, to_o, to_new = (np.uint64(k * hidden) for k in (1, 2, 3))
    count, half, unity, none = np.uint64(hidden), F(0.5), F(1), F(0)

    @njit(**options)
    def forward(gates, before, cells, outputs, clip):
        for r in range(len(cells)):
            g, b, c, out = gates[r], before[r], cells[r], outputs[r]
            for k in range(count):
                i = half + half * tanh(half * g[k])
                f = half + half * tanh(half * g[k + to_f])
                o = half + half * tanh(half * g[k + to_o])
                new = tanh(g[k + to_new])
                cell = min(max(i * new + f * b[k], -clip), clip)
                g[k] = i
                g[k + to_f] = f
                g[k + to_o] = o
                g[k + to_new] = new
                c[k] = cell
                out[k] = o * tanh(cell)

    @njit(**options)
    def backward(gates, before, cells, d_outputs, d_cells, clip):
        for r in range(len(cells)):
            g, b, c, d_out, d_c = gates[r], before[r], cells[r], d_outputs[r], d_cells[r]
            for k in range(count):
                i, f, o, new = g[k], g[k + to_f], g[k + to_o], g[k + to_new]
                squashed = tanh(c[k])
                d = d_out[k] * o * (unity - squashed * squashed) + d_c[k]
                d = d if abs(c[k]) < clip else none  # a clipped value passes no gradient
                g[k] = d * new * i * (unity - i)
                g[k + to_f] = d * b[k] * f * (unity - f)
                g[k + to_o] = d_out[k] * squashed * o * (unity - o)
                g[k + to_new] = d * i * (unity - new * new)
                d_c[k] = d * f

    return Cell(forward, backward)
