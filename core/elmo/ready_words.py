"""Char-CNN vectors of a model's most frequent words, stored next to its weights.

A char-CNN with many filters takes milliseconds per spelling, and a first page needs thousands. The stored float32 vectors are exactly those
of the char-CNN and are used only with the same weights.
"""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..common.errors import CorruptArtifact
from ..common.i18n import t
from ..files.artifacts import check_fits, replacing
from .encoder import Encoder

FILE = "spelled.npz"
MAX_BYTES = 256 << 20


def save_spelled(folder: Path, encoder: Encoder, words: Sequence[str], model: str) -> Path:
    """Compute the words' char-CNN vectors and write them into the model's folder. `model` is the fingerprint of its weights."""
    words = list(dict.fromkeys(words))
    arrays = {"vectors": encoder.word_vectors(words), "words": _bytes("\n".join(words)), "model": _bytes(model)}
    with replacing(folder / FILE) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **arrays)
    return folder / FILE


def load_spelled(folder: Path, model: str) -> tuple[list[str], np.ndarray] | None:
    """Return n words and their vectors (n, P) float32, or None if missing or of other weights. Raises CorruptArtifact."""
    path = folder / FILE
    if not path.is_file():
        return None
    check_fits(path, MAX_BYTES, error=CorruptArtifact)
    try:
        with np.load(path, allow_pickle=False) as file:
            words = file["words"].tobytes().decode("utf-8").split("\n")
            vectors = file["vectors"]
            is_other_model = file["model"].tobytes().decode("utf-8") != model
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
        message = t("{path} cannot be read: {error}. Delete it or get it again.", path=path, error=error)
        raise CorruptArtifact(message) from None
    if is_other_model:
        return None
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != len(words):
        message = t(
            "{path}: {n} words do not match vectors of shape {shape}, {kind}. Delete it or get it again.",
            path=path,
            n=len(words),
            shape=vectors.shape,
            kind=vectors.dtype,
        )
        raise CorruptArtifact(message)
    return words, vectors


def _bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-8"), np.uint8)
