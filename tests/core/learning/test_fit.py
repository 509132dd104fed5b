"""The one trainer: a run that was saved after an epoch and goes on ends with the weights of one that was never cut."""

import numpy as np
import pytest
import torch
from torch import nn

from core.common.device import seeded
from core.common.errors import CorruptArtifact
from core.learning.fit import Fit, FitConfig, batches_by_length

CONFIG = FitConfig(epochs=3, learning_rate=0.1, patience=3, clip_norm=5.0, mix_l2=0.0, seed=0)


class Line:
    """A line through eight points."""

    def __init__(self, key: str = "line") -> None:
        self.generator, self.key, self.network = seeded(0), key, nn.Linear(1, 1)
        nn.init.zeros_(self.network.weight), nn.init.zeros_(self.network.bias)
        self.x = torch.arange(8.0)[:, None]

    def batches(self, epoch):
        return batches_by_length(np.arange(8), 3, np.random.default_rng([0, epoch]))

    def loss(self, numbers):
        noise = torch.randn(len(numbers), 1, generator=self.generator)
        return (self.network(self.x[numbers]) - 2 * self.x[numbers] + 0.01 * noise).square().mean()

    def measure(self):
        return {"error": float((self.network(self.x) - 2 * self.x).square().mean().detach())}

    def record(self, epoch):
        return epoch.record()

    def finish(self, history, epochs, seconds):
        return [record["error"] for record in history]


def test_a_resumed_run_ends_as_one_that_was_never_cut(tmp_path):
    whole, cut, resumed = (Fit(Line(), CONFIG) for _ in range(3))
    list(whole.run())
    next(event for event in cut.run() if event.measures)
    cut.save(tmp_path / "run.pt")
    resumed.load(tmp_path / "run.pt")
    list(resumed.run())
    assert all(torch.equal(a, b) for a, b in zip(whole.network.parameters(), resumed.network.parameters(), strict=True))
    assert whole.finish() == resumed.finish() and whole.done
    with pytest.raises(CorruptArtifact, match="other data"):
        Fit(Line("another"), CONFIG).load(tmp_path / "run.pt")
