"""Choose where torch computes, how many threads it uses, and where its random numbers come from.

Numbers enter and leave encoders, trainers and heads as numpy arrays or CPU tensors. Inside, everything follows the device of the weights.
Sums are taken in another order on another device, so results agree to rounding.

Random numbers are drawn on the CPU from a generator of each run, in torch's order and distributions, and then moved: two trainings at once
would take each other's numbers from torch's own generator.

torch.set_num_threads also applies to every thread that first uses torch later. `limit` sets OpenMP for the calling thread alone.
"""

from functools import cache

import torch
from threadpoolctl import ThreadpoolController
from torch import Generator, Tensor, nn

from .errors import BadInput
from .i18n import t
from .markup import check_choice, shorten

AUTO, CPU, CUDA, MPS = NAMES = "auto", "cpu", "cuda", "mps"
PROCESSOR = torch.device(CPU)
_openmp = cache(ThreadpoolController)  # the OpenMP libraries of this process, torch's among them


def present() -> tuple[str, ...]:
    """Return the devices of this machine that torch can use, in the order of preference of "auto". The processor is always one."""
    cards = {CUDA: torch.cuda.is_available, MPS: torch.backends.mps.is_available}
    return (*(name for name, is_available in cards.items() if is_available()), CPU)


def choose(name: str = CPU) -> torch.device:
    """Return the device for one of NAMES. Raises BadInput with the available devices if it is missing."""
    available = present()
    check_choice(t("device"), name, NAMES)
    if name != AUTO and name not in available:
        raise BadInput(t("No device “{device}” here; use {there}.", device=shorten(name), there=", ".join(available)))
    chosen = torch.device(available[0] if name == AUTO else name)
    if chosen.type == CUDA:
        torch.backends.cudnn.allow_tf32 = False  # torch's default rounds convolutions to 10 bits, the third digit of a vector
    return chosen


def device_of(module: nn.Module) -> torch.device:
    """Return the device of a module's weights."""
    return next((weight.device for weight in module.parameters()), PROCESSOR)


def limit(n: int) -> None:
    """Let only the calling thread run torch's products on n threads from now on."""
    if torch.get_num_threads() != n:  # this call makes torch apply its own setting first, which would undo ours later
        _openmp().limit(limits=n, user_api="openmp")


def seeded(seed: int) -> Generator:
    """Return a generator on the CPU for a run on any device, so that the numbers are the same everywhere."""
    return Generator().manual_seed(seed)


def initialize(module: nn.Module, generator: Generator | None) -> None:
    """Initialize embeddings, linear layers, convolutions and LSTMs from `generator` (None: torch's own) as torch does."""
    for part in module.modules():
        if isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, generator=generator)
            if part.padding_idx is not None:
                with torch.no_grad():
                    part.weight[part.padding_idx].zero_()
        elif isinstance(part, nn.Linear | nn.Conv1d):
            bound = part.weight[0].numel() ** -0.5  # one over the root of the fan-in
            nn.init.uniform_(part.weight, -bound, bound, generator=generator)
            if part.bias is not None:
                nn.init.uniform_(part.bias, -bound, bound, generator=generator)
        elif isinstance(part, nn.LSTM):
            for weight in part.parameters(recurse=False):
                nn.init.uniform_(weight, -(part.hidden_size**-0.5), part.hidden_size**-0.5, generator=generator)


class Dropout(nn.Module):
    """Dropout with probability p and a separate generator: remaining numbers are divided by 1 - p."""

    def __init__(self, p: float, generator: Generator | None = None) -> None:
        super().__init__()
        self.p, self.generator = p, generator

    def forward(self, x: Tensor) -> Tensor:
        """Apply dropout while training."""
        if not self.training or not self.p:
            return x
        mask = torch.empty(x.shape, dtype=x.dtype).bernoulli_(1 - self.p, generator=self.generator)
        return x * mask.div_(1 - self.p).to(x.device)
