"""The frozen layers of a data set's texts, computed once and stored on disk, so that an epoch takes seconds.

A folder per model and data set holds shards of about 64,000 tokens: layer 0 once (P numbers; it is the token vector twice),
layers 1 and up with 2P each, as memory-mapped float16. A shard is written under a temporary name and renamed, so an interrupted run
continues with the first missing shard. Layers count toward the limit on disk and are removed when space is needed
(core.files.disk_space).
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..common.errors import BadInput, CorruptArtifact
from ..common.i18n import t
from ..common.markup import shorten
from ..elmo.encoder import Encoder
from ..elmo.mix import widen
from ..elmo.models import Model
from ..files.artifacts import provenance, read_json, replacing, text_fingerprint, write_json
from ..files.disk_space import hold, layers_folder
from ..files.quotas import VISITS, check_fits
from ..files.sums import file_sha256
from ..static.vectors import StaticVectors

SHARD_TOKENS = 64_000
FORMAT = "elmoscope-features"
VERSION = 1
MOST_CACHED = 40_000_000  # numbers (160 MB) of a data set's layers, up to which they are cached once read
TEXTS_AT_ONCE = 512  # through the encoder, which batches those of like length
Tokens = tuple[str, ...]
Layers = Callable[[Sequence[Tokens]], list[np.ndarray]]  # token tuples -> (L, T, D) float32 each
Report = Callable[[int, int, float], None]  # tokens done, in all, per second


class FeatureStore:
    """Layers of known texts, read from disk. Called like an encoder: token tuples -> (L, T, 2P) float32 each."""

    def __init__(self, folder: str | Path, texts: Sequence[Tokens]) -> None:
        self.folder = Path(folder)
        self.use = hold(self.folder)  # its files are not removed while this store lives
        meta = read_json(self.folder / "meta.json", expect=dict)
        if (meta.get("format"), meta.get("version")) != (FORMAT, VERSION) or meta.get("texts") != texts_fingerprint(texts):
            raise CorruptArtifact(t("{folder} does not hold the layers of these texts. Delete it; it will be rebuilt.", folder=self.folder))
        self._read: dict[Tokens, np.ndarray] = {}  # as every epoch needs them
        self._keeps = sum(map(len, texts)) * int(meta["n_layers"]) * int(meta["dim"]) <= MOST_CACHED
        self._place: dict[Tokens, tuple[int, int]] = {}  # the shard of each text, and the place of its first token
        self._shards = []
        for number, (first, last) in enumerate(_shards(texts)):
            start = 0
            for text in texts[first:last]:
                self._place[text] = number, start
                start += len(text)
            self._shards.append(_open_arrays(_shard(self.folder, number), start, meta))

    def __call__(self, texts: Sequence[Tokens]) -> list[np.ndarray]:
        """Return the layers (L, T, 2P) float32 of each text. Raises BadInput for a text that was not among those computed."""
        return [self._layers(text) for text in texts]

    def _layers(self, text: Tokens) -> np.ndarray:
        if text in self._read:
            return self._read[text]
        if text not in self._place:
            raise BadInput(f"The layers of {shorten(' '.join(text))!r} were not computed with this data set.")
        number, start = self._place[text]
        spelled, contextual = (array[start : start + len(text)] for array in self._shards[number])
        layers = np.empty((contextual.shape[1] + 1, len(text), contextual.shape[2]), np.float32)
        layers[0] = np.tile(widen(spelled), layers.shape[2] // spelled.shape[1])  # once, or twice
        layers[1:] = widen(contextual).transpose(1, 0, 2)
        if self._keeps:
            self._read[text] = layers
        return layers


def open_features(texts: Sequence[Tokens], encoder: Encoder, model: str, root: str | Path, *, report: Report | None = None) -> FeatureStore:
    """Return the store of these distinct texts under `root`, computing what is missing. `model` is a fingerprint.

    Raises BadInput, before anything is computed, if the disk or the limit (core.common.limits) has no room for them, even without the
    unused layers of other data sets. If some of these must be removed, the longest unused go first.
    """
    weights, dash, precision = model.partition("-")  # after the weights' sum a fingerprint may name how the model is read
    folder = Path(root) / f"{weights[:16]}{dash}{precision}-{texts_fingerprint(texts)[:16]}"
    ends = np.cumsum([0, *map(len, texts)])
    started = time.perf_counter()
    fresh = 0
    total = int(ends[-1])

    def say_done(done: int) -> None:
        if report:
            report(done, total, fresh / (time.perf_counter() - started))

    use = hold(folder)
    try:
        for number, (first, last) in enumerate(_shards(texts)):
            if not (_shard(folder, number) / "contextual.npy").is_file():
                _check_room(folder, texts, encoder)  # for all that is missing, at each shard: others write too
                before = fresh
                for done in _write_shard(_shard(folder, number), encoder, texts[first:last]):
                    fresh = before + done
                    say_done(int(ends[first]) + done)
            say_done(int(ends[last]))
        if not (folder / "meta.json").is_file():
            shape = {"n_layers": encoder.n_layers, "dim": encoder.dim}
            source = {"format": FORMAT, "version": VERSION, "texts": texts_fingerprint(texts), "model": model, "tokens": total}
            write_json(folder / "meta.json", provenance(**source, **shape))
        return FeatureStore(folder, texts)
    finally:
        use.release()


def texts_fingerprint(texts: Sequence[Tokens]) -> str:
    """Return the sha256 of token lists in their order, 64 hex digits."""
    return text_fingerprint(part for text in texts for part in (str(len(text)), *text))


def _shards(texts: Sequence[Tokens]) -> list[tuple[int, int]]:
    """Return (first, last + 1) text of each shard: as many as fit SHARD_TOKENS, at least one."""
    bounds, tokens = [0], 0
    for k, text in enumerate(texts):
        if k > bounds[-1] and tokens + len(text) > SHARD_TOKENS:
            bounds.append(k)
            tokens = 0
        tokens += len(text)
    return list(zip(bounds, [*bounds[1:], len(texts)], strict=True))


def _shard(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:04}"


def _check_room(folder: Path, texts: Sequence[Tokens], encoder: Encoder) -> None:
    """Make room for the missing shards. Raises BadInput with the needed and the available bytes if they do not fit."""
    missing = (part for number, part in enumerate(_shards(texts)) if not (_shard(folder, number) / "contextual.npy").is_file())
    tokens = sum(sum(map(len, texts[first:last])) for first, last in missing)
    needed = tokens * 2 * (encoder.dim // 2 + (encoder.n_layers - 1) * encoder.dim)  # bytes
    check_fits(VISITS.make_room(needed, layers=folder.parent), needed)


def _write_shard(folder: Path, encoder: Encoder, texts: Sequence[Tokens]) -> Iterator[int]:
    """Write one shard; yields the tokens done after every few texts."""
    spelled, contextual, done = [], [], 0
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        part = texts[start : start + TEXTS_AT_ONCE]
        for layers in encoder.encode(list(map(list, part))):
            spelled.append(layers[0].astype(np.float16))  # (T, 2P)
            contextual.append(layers[1:].transpose(1, 0, 2).astype(np.float16))  # (T, L - 1, 2P)
        done += sum(map(len, part))
        yield done
    with replacing(folder) as temporary:
        temporary.mkdir()
        np.save(temporary / "spelled.npy", _once(np.concatenate(spelled)))
        np.save(temporary / "contextual.npy", np.concatenate(contextual))


def _once(layer: np.ndarray) -> np.ndarray:
    """Return layer 0 (N, D) once: the first half of ELMo's, whose halves are equal, or all of another model's."""
    half = layer.shape[1] // 2
    is_doubled = np.array_equal(layer[:, :half], layer[:, half:])
    return layer[:, :half].copy() if is_doubled else layer


def _open_arrays(folder: Path, tokens: int, meta: dict) -> tuple[np.ndarray, np.ndarray]:
    dim, n_layers = int(meta["dim"]), int(meta["n_layers"])
    try:
        pair = tuple(np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("spelled", "contextual"))
    except (OSError, ValueError, EOFError) as error:
        raise CorruptArtifact(t("{folder} cannot be read: {error}. Delete it; it will be rebuilt.", folder=folder, error=error)) from None
    if pair[0].shape not in ((tokens, dim // 2), (tokens, dim)) or pair[1].shape != (tokens, n_layers - 1, dim):
        values = {"folder": folder, "shape": pair[1].shape, "n": tokens}
        raise CorruptArtifact(t("{folder} holds layers of shape {shape}, not of {n:,} tokens. Delete it.", **values))
    return pair


@dataclass(frozen=True, slots=True)
class Frozen:
    """The frozen parts of a classifier. `layers` is None without ELMo, `vectors` without static vectors."""

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
    """Return the frozen parts by variant, from disk or computed now. `reads`: whether a variant reads the vectors and ELMo's layers."""
    glove, elmo = Frozen(), Frozen()
    if vectors is not None and any(static for static, _ in reads.values()):
        glove = Frozen(vectors=vectors, facts={"vectors": vectors_fingerprint(vectors), "vectors_name": vectors.name})
    if model is not None and any(contextual for _, contextual in reads.values()):
        layers = open_features(texts, model.encoder, model.fingerprint, layers_folder(), report=report)
        facts = {"model": model.fingerprint, "model_name": model.name}
        elmo = Frozen(layers=layers, facts=facts, n_layers=model.encoder.n_layers, elmo_dim=model.encoder.dim)
    frozen = {}
    for name, (static, contextual) in reads.items():
        layered = elmo if contextual else Frozen()
        frozen[name] = replace(layered, vectors=glove.vectors, facts=glove.facts | layered.facts) if static else layered
    return frozen


def vectors_fingerprint(vectors: StaticVectors) -> str:
    """Return 16 hex digits that identify vectors: of their file's sha256, or of words and numbers if the file is unknown."""
    recorded = vectors.provenance.get("sha256")
    path = vectors.provenance.get("path")
    n_words = f"-{len(vectors.words)}"  # a limit may have left some of the file out
    if isinstance(recorded, dict) and "vectors.safetensors" in recorded:
        return recorded["vectors.safetensors"][:16] + n_words
    if path and Path(path).is_file():
        return file_sha256(path)[:16] + n_words
    digest = hashlib.sha256()
    for word in vectors.words:
        digest.update(word.encode("utf-8", "surrogatepass") + b"\0" + vectors.vector(word).tobytes())
    return digest.hexdigest()[:16] + n_words
