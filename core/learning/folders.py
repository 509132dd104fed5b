"""Read and write folders of trained heads: weights.safetensors, an optional vocabulary, and meta.json with how it was made.

Frozen parts are not included, only their fingerprints: a head answers with the model and the vectors that it was trained on. Heads of texts
are stored compactly: matrices as int8 rows with a float32 scale each, everything else as float16. They are rounded to this form before they
are scored, so the measured head equals the loaded one exactly.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..common.errors import CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..files import sums
from ..files.artifacts import read_json, replacing, short, write_json
from ..files.sums import file_sha256

MIN_SIZE = 2048  # numbers; a smaller matrix saves nothing worth a rounding
SCALES = ".scales"  # the suffix of the name of a matrix's scales
WEIGHTS, VOCABULARY = "weights.safetensors", "vocabulary.txt"


@dataclass(frozen=True, slots=True)
class Form:
    """One of the two formats of heads."""

    name: str
    version: int
    command: str  # that trains one
    files: tuple[str, ...]  # next to meta.json, which stores their sums


def save(
    folder: str | Path,
    form: Form,
    arrays: dict[str, np.ndarray],
    facts: dict,
    meta: dict,
    *,
    pattern: str = "",
    inside: Callable[[Path], dict] = lambda _: {},
) -> Path:
    """Write the folder atomically, replacing an existing one. `inside` writes more files into it and returns the last facts."""
    from safetensors.numpy import save as to_bytes

    with replacing(Path(folder), pattern=pattern) as temporary:
        temporary.mkdir()
        (temporary / WEIGHTS).write_bytes(to_bytes(arrays))
        more = inside(temporary)
        sha256 = {name: file_sha256(temporary / name) for name in form.files}
        facts = {"format": form.name, "version": form.version, **facts, "sha256": sha256 if len(sha256) > 1 else sha256[WEIGHTS]}
        write_json(temporary / "meta.json", {**facts, **meta, **more})
    return Path(folder)


@contextmanager
def opened(folder: Path, form: Form) -> Iterator[tuple[dict, dict[str, np.ndarray]]]:
    """Yield the meta and the arrays of a complete folder. Errors of a damaged head become CorruptArtifact with a remedy."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    sums.check(folder)
    meta = read_meta(folder, form)
    try:
        sha256 = meta["sha256"] if len(form.files) > 1 else {WEIGHTS: meta["sha256"]}
        for name in form.files:
            if file_sha256(folder / name) != sha256[name]:
                raise CorruptArtifact(t("{path} is damaged: its checksum is not the one in meta.json. Train it again.", path=folder / name))
        yield meta, load_file(folder / WEIGHTS)
    except (KeyError, TypeError, ValueError, RuntimeError, AttributeError, SafetensorError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        message = t("The head in {folder} cannot be read: {reason}. Train it again.", folder=folder, reason=reason)
        raise CorruptArtifact(message) from None


def read_meta(folder: str | Path, form: Form) -> dict:
    """Return a head's meta.json without its weights. Raises MissingArtifact or CorruptArtifact."""
    path = Path(folder) / "meta.json"
    if not path.is_file():
        raise MissingArtifact(t("There is no trained head in {folder}. Train one: {command}", folder=folder, command=form.command))
    meta = read_json(path, expect=dict)
    if (meta.get("format"), meta.get("version")) != (form.name, form.version):
        message = t("{folder} is not in version {version} of our format of heads. Train it again.", folder=folder, version=form.version)
        raise CorruptArtifact(message)
    return meta


def check_made_with(folder: Path, meta: dict, model: str | None, vectors: str | None) -> None:
    """Raise CorruptArtifact if the head was trained on another fingerprint (None: not checked)."""
    for kind, fingerprint in (("model", model), ("vectors", vectors)):
        if fingerprint is not None and meta[kind] != fingerprint:
            values = {"folder": folder, "made": f"{meta[f'{kind}_name']} ({short(meta[kind])})", "given": short(fingerprint)}
            raise CorruptArtifact(t("The head in {folder} was trained with {made}, but {given} is in use. Train it again.", **values))


def pack(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Convert float32 arrays into stored ones; a matrix gets an array of scales."""
    stored: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        if array.ndim == 2 and array.size >= MIN_SIZE:
            stored[name], stored[name + SCALES] = quantize(array)
        else:
            stored[name] = array.astype(np.float16)
    return stored


def quantize(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round rows (n, d) to int8 with a scale each, float32 (n,): steps of a 127th of the row's largest number."""
    rows = np.asarray(matrix, np.float32)
    scales = np.maximum(np.abs(rows).max(axis=1, initial=0.0), 1e-12) / 127
    return np.rint(rows / scales[:, None]).astype(np.int8), scales


def unpack(stored: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Convert stored arrays into float32."""
    arrays = {}
    for name, array in stored.items():
        if not name.endswith(SCALES):
            arrays[name] = array.astype(np.float32)
            if name + SCALES in stored:
                arrays[name] *= stored[name + SCALES][:, None]
    return arrays


def round_as_stored(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the float32 arrays as they will be read from storage."""
    return unpack(pack(arrays))
