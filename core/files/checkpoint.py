"""A training run's state on disk: plain tensors in one file, written beside and renamed, so that a cut leaves the old one whole."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..common.errors import CorruptArtifact, MissingArtifact
from ..common.i18n import t
from .atomic import replacing

MISFITS = (RuntimeError, KeyError, IndexError, TypeError, AttributeError, ValueError)


def write(path: Path, state: dict) -> None:
    """Keep `state`: tensors (of any device, read again as the processor's), numbers, texts, and lists and dicts of them."""
    import torch

    with replacing(path) as temporary:
        torch.save(_here(state), temporary)


def _here(state):
    """The same with its tensors in the processor's memory."""
    if isinstance(state, dict):
        return {name: _here(value) for name, value in state.items()}
    if isinstance(state, list | tuple):
        return type(state)(_here(value) for value in state)
    return state.cpu() if hasattr(state, "cpu") else state


@contextmanager
def read(path: Path) -> Iterator[dict]:
    """What `write` kept, read as plain tensors in the processor's memory, never unpickled into objects; it is taken over inside the `with`.

    MissingArtifact if there is none (any more); CorruptArtifact if the file is damaged, or does not fit what takes it over: a
    ValueError raised there says why.
    """
    import torch

    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise MissingArtifact(t("No file {path}. Check its name, or remake it.", path=path)) from None
    except Exception as error:  # what is no checkpoint can make it raise almost anything
        kind = type(error).__name__
        raise CorruptArtifact(t("{path} is not a readable checkpoint ({kind}). Move it away.", path=path, kind=kind)) from None
    try:
        yield state
    except MISFITS as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise CorruptArtifact(t("Checkpoint {path} does not fit: {reason}. Change folder.", path=path, reason=reason)) from None
