"""What a head reads and never changes, static vectors and ELMo's layers, with the fingerprints that the head will carry."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..elmo.models import Model
from ..files.artifacts import file_sha256
from ..files.disk_space import layers_folder
from ..static.vectors import StaticVectors
from .features import Layers, Report, Tokens, open_features


@dataclass(frozen=True, slots=True)
class Frozen:
    """`layers` is None without ELMo, `vectors` without static vectors."""

    vectors: StaticVectors | None = None
    layers: Layers | None = None
    facts: dict = field(default_factory=dict)  # model, model_name, vectors, vectors_name
    n_layers: int = 0
    elmo_dim: int = 0


def freeze_each(
    reads: Mapping[str, tuple[bool, bool]],
    texts: Sequence[Tokens],
    model: Model | None,
    vectors: StaticVectors | None,
    *,
    report: Report | None = None,
) -> dict[str, Frozen]:
    """By the variants' names; `reads`: whether a variant reads the vectors, and ELMo's layers, which come from disk or are computed now."""
    glove, elmo = {}, {}
    if vectors is not None and any(static for static, _ in reads.values()):
        sources = {"vectors": vectors_fingerprint(vectors), "vectors_name": vectors.name}
        glove = {"vectors": vectors, "facts": sources}
    if model is not None and any(contextual for _, contextual in reads.values()):
        sources = {"model": model.fingerprint, "model_name": model.name}
        layers = open_features(texts, model.encoder, model.fingerprint, layers_folder(), report=report)
        elmo = {"layers": layers, "n_layers": model.encoder.n_layers, "elmo_dim": model.encoder.dim, "facts": sources}
    frozen = {}
    for name, (static, contextual) in reads.items():
        parts = (glove if static else {}), (elmo if contextual else {})
        sources = parts[0].get("facts", {}) | parts[1].get("facts", {})
        frozen[name] = Frozen(**{**parts[0], **parts[1], "facts": sources})
    return frozen


def vectors_fingerprint(vectors: StaticVectors) -> str:
    """16 hex digits that tell vectors apart: of their file's sha256, or of words and numbers where no file is known."""
    recorded, path = vectors.provenance.get("sha256"), vectors.provenance.get("path")
    n_words = f"-{len(vectors.words)}"  # a limit may have left some of the file out
    if isinstance(recorded, dict) and "vectors.safetensors" in recorded:
        return recorded["vectors.safetensors"][:16] + n_words
    if path and Path(path).is_file():
        return file_sha256(path)[:16] + n_words
    digest = hashlib.sha256()
    for word in vectors.words:
        digest.update(word.encode("utf-8", "surrogatepass") + b"\0" + vectors.vector(word).tobytes())
    return digest.hexdigest()[:16] + n_words
