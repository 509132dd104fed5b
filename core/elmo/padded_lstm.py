"""A bidirectional LSTM over padded texts: each direction by itself, the backward one on texts turned round within their length. Packed
sequences would come to the same, but on a processor torch's way back through them costs time in the square of the length."""

import torch
from torch import Tensor, nn


def bidirectional(lstm: nn.LSTM, x: Tensor, lengths: Tensor) -> Tensor:
    """(B, T, E), (B,) -> (B, T, 2H): the states of a one-layer bidirectional LSTM (batch first); behind a text's end they mean nothing."""
    places = torch.arange(x.shape[1], device=x.device)
    lengths = lengths.to(x.device)[:, None]
    turned = torch.where(places < lengths, lengths - 1 - places, places)[..., None]  # (B, T, 1)
    ahead = _direction(lstm, x, "")
    behind = _direction(lstm, x.gather(1, turned.expand_as(x)), "_reverse")
    return torch.cat([ahead, behind.gather(1, turned.expand_as(behind))], dim=2)


def _direction(lstm: nn.LSTM, x: Tensor, suffix: str) -> Tensor:
    """(B, T, E) -> (B, T, H): one direction."""
    weights = [getattr(lstm, f"{name}_l0{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    start = x.new_zeros(1, x.shape[0], lstm.hidden_size)
    return torch.lstm(x, (start, start), weights, True, 1, 0.0, lstm.training, False, True)[0]
