"""A bidirectional LSTM over padded texts, whose backward direction reads each text reversed within its length.

Packed sequences would give the same, but on a processor torch's backward pass through them takes quadratic time in the length.
"""

import torch
from torch import Tensor, nn


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
