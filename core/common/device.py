"""Where torch computes: the processor unless asked otherwise, or a graphics card (cuda: NVIDIA's and AMD's, mps: Apple's).

Numbers enter and leave encoders, trainers and heads as numpy arrays or processor tensors; within them everything follows their
weights' device. Random numbers are drawn on the processor and moved, so that a seed means the same draws everywhere; sums are
taken in another order on another device, so that results agree to rounding, not to the bit.
"""

import torch

from .errors import BadInput
from .i18n import t
from .markup import shorten

AUTO, CPU, CUDA, MPS = NAMES = "auto", "cpu", "cuda", "mps"
PROCESSOR = torch.device(CPU)


def present() -> tuple[str, ...]:
    """The devices of this machine that torch can use, the one that "auto" takes first; the processor is always there."""
    cards = {CUDA: torch.cuda.is_available, MPS: torch.backends.mps.is_available}
    return (*(name for name, there in cards.items() if there()), CPU)


def choose(name: str = CPU) -> torch.device:
    """One of NAMES -> a device that is there; BadInput names one that is not, and what there is."""
    there = present()
    if name not in NAMES:
        raise BadInput(t("Unknown device “{device}”; use {known}.", device=shorten(name), known=", ".join(NAMES)))
    if name != AUTO and name not in there:
        raise BadInput(t("No device “{device}” here; use {there}.", device=shorten(name), there=", ".join(there)))
    chosen = torch.device(there[0] if name == AUTO else name)
    if chosen.type == CUDA:
        torch.backends.cudnn.allow_tf32 = False  # torch's default rounds convolutions to 10 bits, the third digit of a vector
    return chosen


def of(module: torch.nn.Module) -> torch.device:
    """Where a module's weights are."""
    return next((weight.device for weight in module.parameters()), PROCESSOR)
