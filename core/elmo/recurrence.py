"""The LSTM's time loop over packed sentences, with its gradient.

All input projections of a layer are one product before the loop. The loop computes one product with the previous
output, the gates in place, and the output projection. The backward pass computes every weight gradient in one
product after the loop. Equations: Sak et al. (2014), eqs. 1-7, without peepholes; clips as in ELMo.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from ..common.device import limit
from ..common.libraries import import_library

State = tuple[Tensor, Tensor]  # output (B, P) and cell (B, H) of one LSTM layer
BLOCK_BYTES = 128 << 20  # gates computed ahead at a time when no gradient is wanted: bounds memory on any text


def side_by_side(direction: Callable, threads: Executor, device: torch.device) -> tuple:
    """Run direction(False) and direction(True) in parallel; the forward and the backward stack are independent.

    On the processor each uses half of torch's threads, which is faster for small products than all threads for each in turn. Another device
    schedules its work itself.
    """
    if device.type != "cpu":
        return direction(False), direction(True)
    n_threads = max(1, torch.get_num_threads() // 2)

    def run(backward: bool):
        limit(n_threads)
        return direction(backward)

    ahead, behind = threads.submit(run, False), threads.submit(run, True)
    return ahead.result(), behind.result()


class LstmProducts(NamedTuple):
    """The three products of a layer, with its own weights or with fewer bits (core.elmo.model)."""

    inputs: Callable[[Tensor], Tensor]  # tokens (n, P) -> their share of the gates, bias included (n, 4H)
    add_state: Callable[[Tensor, Tensor], Tensor]  # gates (n, 4H), which it changes, and last outputs (n, P) -> gates
    output: Callable[[Tensor], Tensor]  # o * tanh(c), (n, H) -> (n, P)


def run_lstm(x: Tensor, batch_sizes: list[int], layer, state: State | None = None) -> tuple[Tensor, State | None]:
    """Run packed rows (N, P) through one layer. Returns (N, P) and the last (output, cell) of each sentence in packed order."""
    weights = w_x, w_h, bias, w_p = (layer.input_weight, layer.state_weight, layer.bias, layer.projection)
    if torch.is_grad_enabled() and (x.requires_grad or any(w.requires_grad for w in weights)):
        is_fused = len(x) * w_p.shape[1] >= FUSED_FROM and x.dtype == torch.float32 and x.device.type == "cpu"
        return (_Fused if is_fused else _Recurrence).apply(x, batch_sizes, layer.clips, *weights), None
    w_x, w_h, w_p = w_x.t(), w_h.t(), w_p.t()
    products = LstmProducts(lambda x: torch.addmm(bias, x, w_x), lambda g, h: g.addmm_(h, w_h), lambda m: torch.mm(m, w_p))
    return infer(x, batch_sizes, layer.clips, layer.projection.shape[1], products, state)


def infer(
    x: Tensor, batch_sizes: list[int], clips: tuple[float, float], hidden: int, products: LstmProducts, state: State | None
) -> tuple[Tensor, State]:
    """Run `run_lstm` without gradient, with these products."""
    n_sentences = batch_sizes[0] if batch_sizes else 0
    if state is None:
        state = torch.zeros_like(x[:n_sentences]), x.new_zeros(n_sentences, hidden)
    h, c = state[0].clone(), state[1].clone()
    out = torch.empty_like(x)
    steps_ahead = max(1, BLOCK_BYTES // (16 * hidden))
    starts = [0, *accumulate(batch_sizes)]
    t = 0
    while t < len(batch_sizes):
        end = t + 1
        while end < len(batch_sizes) and starts[end + 1] - starts[t] <= steps_ahead:
            end += 1
        gates = products.inputs(x[starts[t] : starts[end]])  # (rows of these steps, 4H)
        for s in range(t, end):
            n = batch_sizes[s]
            row = starts[s] - starts[t]
            i, f, o, new = _activate_(products.add_state(gates[row : row + n], h[:n]), hidden)
            cell = c[:n].mul_(f).addcmul_(i, new).clamp_(-clips[0], clips[0])
            h[:n] = products.output(_tanh(cell).mul_(o)).clamp_(-clips[1], clips[1])
            out[starts[s] : starts[s] + n] = h[:n]
        t = end
    return out, (h, c)


def _activate_(g: Tensor, hidden: int) -> tuple[Tensor, ...]:
    """Turn pre-activations (n, 4H) into gates in place. tanh is 2 sigmoid(2x) - 1, five times as fast on a processor."""
    g[:, 3 * hidden :].mul_(2)
    g.sigmoid_()
    g[:, 3 * hidden :].mul_(2).sub_(1)
    return g.split(hidden, dim=1)


def _tanh(x: Tensor, out: Tensor | None = None) -> Tensor:
    return torch.mul(x, 2, out=out).sigmoid_().mul_(2).sub_(1)


class _Recurrence(torch.autograd.Function):
    """The time loop with gradient, storing what it needs: activated gates, cells and outputs of every step."""

    @staticmethod
    def forward(ctx, x, batch_sizes, clips, w_x, w_h, bias, w_p):
        hidden = w_p.shape[1]
        gates = torch.addmm(bias, x, w_x.t())  # (N, 4H)
        cells, outs = x.new_empty(len(x), hidden), torch.empty_like(x)  # (N, H), (N, P)
        squashed = x.new_empty(len(x), hidden)  # tanh(c)
        for rows, before, _ in _steps(batch_sizes):
            g, cell = gates[rows], cells[rows]
            if before:
                g.addmm_(outs[before], w_h.t())
            i, f, o, new = _activate_(g, hidden)
            torch.mul(i, new, out=cell)
            if before:
                cell.addcmul_(f, cells[before])
            cell.clamp_(-clips[0], clips[0])
            _tanh(cell, out=squashed[rows])
            torch.mm(squashed[rows] * o, w_p.t(), out=outs[rows]).clamp_(-clips[1], clips[1])
        ctx.save_for_backward(x, gates, cells, squashed, outs, w_x, w_h, w_p)
        ctx.batch_sizes, ctx.clips = batch_sizes, clips
        return outs

    @staticmethod
    def backward(ctx, d_outs):
        x, gates, cells, squashed, outs, w_x, w_h, w_p = ctx.saved_tensors
        hidden = w_p.shape[1]
        cell_clip, out_clip = ctx.clips
        previous = torch.zeros_like(outs)  # each row's output one step before, zero at the first
        d_gates = torch.empty_like(gates)
        d_out = d_outs * (outs.abs() < out_clip)  # a clipped value passes no gradient
        inside = cells.abs() < cell_clip
        d_h = d_c = None  # gradients from the step after, for the sentences that reach it
        for rows, before, _ in reversed(list(_steps(ctx.batch_sizes))):
            if d_h is not None:
                d_h = d_h * (outs[rows][: len(d_h)].abs() < out_clip)
                d_out[rows][: len(d_h)] += d_h
            d_m = torch.mm(d_out[rows], w_p)  # (n, H)
            i, f, o, new = gates[rows].split(hidden, dim=1)
            d_i, d_f, d_o, d_new = d_gates[rows].split(hidden, dim=1)
            s = squashed[rows]
            torch.mul(d_m, s, out=d_o)
            d_cell = d_m.mul_(o).mul_(1 - s * s)
            if d_c is not None:
                d_cell[: len(d_c)] += d_c
            d_cell.mul_(inside[rows])
            torch.mul(d_cell, new, out=d_i)
            torch.mul(d_cell, i, out=d_new)
            if before:
                torch.mul(d_cell, cells[before], out=d_f)
                previous[rows] = outs[before]
            else:
                d_f.zero_()
            sig = gates[rows][:, : 3 * hidden]
            d_gates[rows][:, : 3 * hidden].mul_(sig).mul_(1 - sig)
            d_new.mul_(1 - new * new)
            if before:
                d_h = torch.mm(d_gates[rows], w_h)
                d_c = d_cell.mul_(f)
        d_p = torch.mm(d_out.t(), squashed * gates[:, 2 * hidden : 3 * hidden])
        d_x = torch.mm(d_gates, w_x) if ctx.needs_input_grad[0] else None
        return d_x, None, None, torch.mm(d_gates.t(), x), torch.mm(d_gates.t(), previous), d_gates.sum(0), d_p


class _Fused(torch.autograd.Function):
    """`_Recurrence` with compiled cells, for long batches on the processor: input and state in one product, gates written once.

    The backward pass overwrites the stored gates with their gradients, so that a layer's gates are in memory once.
    """

    @staticmethod
    def forward(ctx, x, batch_sizes, clips, w_x, w_h, bias, w_p):
        width = x.shape[1]
        hidden = w_p.shape[1]
        run = compiled(hidden).forward
        joined, out_weight = torch.cat([w_x, w_h], 1), w_p.t().contiguous()
        read = torch.cat([x, torch.zeros_like(x)], 1)  # (N, 2P): each token, and its sentence's output one step before
        gates = x.new_empty(len(x), 4 * hidden)
        cells, outputs = (x.new_empty(len(x), hidden) for _ in range(2))  # c, o * tanh(c)
        outs = torch.empty_like(x)
        for rows, before, after in _steps(batch_sizes):
            torch.addmm(bias, read[rows], joined.t(), out=gates[rows])
            earlier = cells[before] if before else x.new_zeros(batch_sizes[0], hidden)
            run(*(part.numpy() for part in (gates[rows], earlier, cells[rows], outputs[rows])), clips[0])
            h = torch.mm(outputs[rows], out_weight, out=outs[rows]).clamp_(-clips[1], clips[1])
            if after:
                read[after, width:] = h[: after.stop - after.start]
        ctx.save_for_backward(read, gates, cells, outputs, outs, joined, w_p)
        ctx.batch_sizes, ctx.clips = batch_sizes, clips
        return outs

    @staticmethod
    def backward(ctx, d_outs):
        read, gates, cells, outputs, outs, joined, w_p = ctx.saved_tensors
        width, hidden = outs.shape[1], w_p.shape[1]
        run = compiled(hidden).backward
        d_outs = d_outs.clone()
        inside = outs.abs() < ctx.clips[1]
        d_read = torch.empty_like(read)
        d_cells = outs.new_zeros(ctx.batch_sizes[0], hidden)
        for rows, before, after in reversed(list(_steps(ctx.batch_sizes))):
            n = rows.stop - rows.start
            if after:
                d_outs[rows][: after.stop - after.start] += d_read[after, width:]
            d_outs[rows].mul_(inside[rows])
            d_output = torch.mm(d_outs[rows], w_p)  # (n, H)
            earlier = cells[before] if before else outs.new_zeros(n, hidden)
            run(*(part.numpy() for part in (gates[rows], earlier, cells[rows], d_output, d_cells[:n])), ctx.clips[0])
            torch.mm(gates[rows], joined, out=d_read[rows])
        d_joined = torch.mm(read.t(), gates).t()  # (4H, 2P)
        d_p = torch.mm(d_outs.t(), outputs)
        return d_read[:, :width], None, None, d_joined[:, :width], d_joined[:, width:], gates.sum(0), d_p


def _steps(batch_sizes: list[int]):
    """Yield for each step its rows, the same sentences' rows one step before (None at first), and those that continue (or None)."""
    starts = [0, *accumulate(batch_sizes)]
    for t, n in enumerate(batch_sizes):
        before = slice(starts[t - 1], starts[t - 1] + n) if t else None
        after = slice(starts[t + 1], starts[t + 2]) if t + 1 < len(batch_sizes) else None
        yield slice(starts[t], starts[t + 1]), before, after


FUSED_FROM = 1 << 20  # cells (rows x H) of a layer from which on its three seconds of compiling are soon paid back
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


def _scalar_tanh(x):
    """Return tanh by the rational function of Eigen's `ptanh`, which vectorizes and is accurate to 4e-7."""
    x = min(max(x, -REACH), REACH)
    s = x * x
    above = ((((((A0 * s + A1) * s + A2) * s + A3) * s + A4) * s + A5) * s + A6) * x
    return above / (((B0 * s + B1) * s + B2) * s + B3)


@lru_cache(maxsize=16)
def compiled(hidden: int) -> Cell:
    """Compile the cell for one hidden size. As a constant, the size shows the compiler that gates do not overlap."""
    njit = import_library("numba").njit
    options = {"fastmath": True, "error_model": "numpy", "nogil": True}
    tanh = njit(inline="always", **options)(_scalar_tanh)
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


def bidirectional(lstm: nn.LSTM, x: Tensor, lengths: Tensor) -> Tensor:
    """Return the states (B, T, 2H) of a one-layer bidirectional LSTM over (B, T, E); undefined beyond a text's length."""
    places = torch.arange(x.shape[1], device=x.device)
    lengths = lengths.to(x.device)[:, None]
    turned = torch.where(places < lengths, lengths - 1 - places, places)[..., None]  # (B, T, 1)
    ahead = _direction(lstm, x, "")
    behind = _direction(lstm, x.gather(1, turned.expand_as(x)), "_reverse")
    return torch.cat([ahead, behind.gather(1, turned.expand_as(behind))], dim=2)


def _direction(lstm: nn.LSTM, x: Tensor, suffix: str) -> Tensor:
    """Return the states (B, T, H) of one direction over (B, T, E)."""
    weights = [getattr(lstm, f"{name}_l0{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    start = x.new_zeros(1, x.shape[0], lstm.hidden_size)
    return torch.lstm(x, (start, start), weights, True, 1, 0.0, lstm.training, False, True)[0]
