"""A device that there is none of: its tensors lie on "meta" and compute on the processor, and as on a graphics card none of them
meets a tensor of the processor's in one operation, is read by numpy, or is made without its device being named.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_flatten, tree_map

META = torch.device("meta")  # the autograd engine treats it as the processor
PACK, COPY = torch.ops.aten._pack_padded_sequence.default, torch.ops.aten.copy_.default
BOTH = {torch.ops.aten._to_copy.default, COPY, PACK, torch.ops.aten._pack_padded_sequence_backward.default}
# ... are for tensors of two devices: moves, and packing, whose lengths and sizes of batches are the processor's everywhere


class Elsewhere(Tensor):
    """A tensor of that device; `inner` holds its numbers."""

    @staticmethod
    def __new__(cls, inner: Tensor, requires_grad: bool = False):
        layout = {"strides": inner.stride(), "storage_offset": inner.storage_offset(), "dtype": inner.dtype, "device": META}
        made = Tensor._make_wrapper_subclass(cls, inner.shape, **layout, requires_grad=requires_grad)
        made.inner = inner
        return made

    def numpy(self, *, force: bool = False):
        if not force:
            raise TypeError("can't convert a tensor of that device to numpy. Use Tensor.cpu() first.")
        return self.detach().cpu().numpy()

    def tolist(self):
        return self.detach().cpu().tolist()

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = [item for item in tree_flatten((args, kwargs))[0] if isinstance(item, Tensor)]
        strangers = [item for item in given if not isinstance(item, Elsewhere) and (item.ndim or item.device == META)]
        if strangers and function not in BOTH:
            raise AssertionError(f"{function} meets tensors of two devices")
        target = kwargs.get("device")
        there = target is None or torch.device(target) == META
        kwargs = {**kwargs, "device": torch.device("cpu")} if target is not None else kwargs
        result = function(*tree_map(_inner, args), **tree_map(_inner, kwargs))
        if function is COPY:
            return args[0]
        if function is PACK:
            return Elsewhere(result[0]), result[1]
        if not there:
            return result
        out = tree_map(lambda item: Elsewhere(item) if isinstance(item, Tensor) else item, result)
        return return_and_correct_aliasing(function, args, kwargs, out)


class Making(TorchDispatchMode):
    """While on, what is made on, or moved to, that device is an Elsewhere."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        target = kwargs.get("device")
        if target is None or torch.device(target) != META or any(issubclass(item, Elsewhere) for item in types):
            return function(*args, **kwargs)
        return Elsewhere(function(*args, **{**kwargs, "device": torch.device("cpu")}))


def _inner(item):
    return item.inner if isinstance(item, Elsewhere) else item


@contextmanager
def elsewhere() -> Iterator[torch.device]:
    """That device, within."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), Making():
        warnings.filterwarnings("ignore", message=".*copying from a non-meta parameter.*no-op")  # which it is not, into these
        patch.setattr(torch, "inference_mode", torch.no_grad)  # tensors of inference mode cannot be views of such as these
        patch.setattr(import_module("torch.optim.optimizer"), "_get_fused_kernels_supported_devices", lambda: ["cpu", "meta"])
        yield META
