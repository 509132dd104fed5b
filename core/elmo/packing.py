"""Sentences in packed order: longest first, time-major, without padding."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class PackedBatch:
    """Sentences with their boundaries in packed order (see core.elmo.model)."""

    ids: np.ndarray  # (N,) int64 type ids
    batch_sizes: list[int]  # sentences that are at least t + 1 long
    reverse: np.ndarray  # (N,) row of the mirrored position in the same sentence


def pack(sentences: list[np.ndarray]) -> tuple[PackedBatch, np.ndarray]:
    """Pack sentences. Also returns their order (sentence numbers, longest first)."""
    lengths = np.array([len(s) for s in sentences])
    order = np.argsort(-lengths, kind="stable")
    sorted_lengths = lengths[order]
    longest = int(sorted_lengths[0]) if len(sorted_lengths) else 0
    batch_sizes = np.searchsorted(-sorted_lengths, -np.arange(1, longest + 1), side="right")
    starts = np.concatenate([[0], np.cumsum(batch_sizes)])
    ids = np.empty(int(lengths.sum()), np.int64)
    reverse = np.empty_like(ids)
    for rank, number in enumerate(order):
        rows = starts[: sorted_lengths[rank]] + rank
        ids[rows] = sentences[number]
        reverse[rows] = rows[::-1]
    return PackedBatch(ids, batch_sizes.tolist(), reverse), order
