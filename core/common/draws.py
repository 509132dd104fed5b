"""Random numbers of a run's own: first weights and dropout drawn from a generator that no other run draws from.

torch's own layers draw from one generator of the whole process, so that two trainings at once take each other's numbers and a
seed decides neither. Here the numbers, their order and their distributions are torch's own: a run alone gets what it would get
after torch.manual_seed.
"""

import torch
from torch import Generator, Tensor, nn


def seeded(seed: int) -> Generator:
    """A generator on the CPU, whatever device a run is on: the same numbers everywhere."""
    return Generator().manual_seed(seed)


def first_weights(module: nn.Module, generator: Generator | None) -> None:
    """Draw anew, from `generator` (None: torch's own), what torch draws for embeddings, linear layers, convolutions and LSTMs."""
    for part in module.modules():
        if isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, generator=generator)
            if part.padding_idx is not None:
                with torch.no_grad():
                    part.weight[part.padding_idx].zero_()
        elif isinstance(part, nn.Linear | nn.Conv1d):
            bound = part.weight[0].numel() ** -0.5  # of what meets one output
            nn.init.uniform_(part.weight, -bound, bound, generator=generator)
            if part.bias is not None:
                nn.init.uniform_(part.bias, -bound, bound, generator=generator)
        elif isinstance(part, nn.LSTM):
            for weight in part.parameters(recurse=False):
                nn.init.uniform_(weight, -(part.hidden_size**-0.5), part.hidden_size**-0.5, generator=generator)


class Dropout(nn.Module):
    """Zeroes a share p of the numbers while training and divides the others by 1 - p; drawn from a generator of its own."""

    def __init__(self, p: float, generator: Generator | None = None) -> None:
        super().__init__()
        self.p, self.generator = p, generator

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or not self.p:
            return x
        kept = torch.empty(x.shape, dtype=x.dtype).bernoulli_(1 - self.p, generator=self.generator)
        return x * kept.div_(1 - self.p).to(x.device)
