"""Folders of trained heads, written and read: weights.safetensors, a vocabulary where there is one, and meta.json with how it was made.

Frozen parts are not in them, only their fingerprints: a head answers with the model and the vectors that it was trained on.
Texts' heads ship as small as they go: matrices as int8 rows with a float32 scale each, all else as float16; one is rounded to this form
before it is scored, so that what was measured is, to the bit, what is loaded later.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..common.errors import CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..files import sums
from ..files.artifacts import file_sha256, read_json, replacing, short, write_json

MIN_SIZE = 2048  # numbers; a smaller matrix saves nothing worth a rounding
SCALES = ".scales"  # name of a matrix's scales: its own name with this behind it


Head = TypeVar("Head")
WEIGHTS, VOCABULARY = "weights.safetensors", "vocabulary.txt"


@dataclass(frozen=True, slots=True)
class Form:
    """One of our two formats of heads."""

    name: str
    version: int
    command: str  # that trains one
    files: tuple[str, ...]  # beside meta.json, which keeps their sums


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
    """Write the folder as a whole, in place of one that is there; `inside` writes further files into it and gives the last facts."""
    from safetensors.numpy import save_file

    with replacing(Path(folder), pattern=pattern) as temporary:
        temporary.mkdir()
        save_file(arrays, temporary / WEIGHTS)
        more = inside(temporary)
        sha256 = {name: file_sha256(temporary / name) for name in form.files}
        facts = {"format": form.name, "version": form.version, **facts, "sha256": sha256 if len(sha256) > 1 else sha256[WEIGHTS]}
        write_json(temporary / "meta.json", {**facts, **meta, **more})
    return Path(folder)


def load(
    folder: str | Path,
    form: Form,
    build: Callable[[Path, dict, dict[str, np.ndarray]], Head],
    reads: Callable[[dict], tuple[bool, bool]],
    *,
    model: str | None,
    vectors: str | None,
) -> Head:
    """What `build` makes of a whole folder's meta and arrays; `reads` says of a meta whether the head reads vectors, and the model."""
    from safetensors.numpy import load_file

    sums.check(folder)
    folder = Path(folder)
    meta = read_meta(folder, form)
    with _reading(folder):
        sha256 = meta["sha256"] if len(form.files) > 1 else {WEIGHTS: meta["sha256"]}
        for name in form.files:
            _check_whole(folder / name, sha256[name])
        static, elmo = reads(meta)
        _check_made_with(folder, meta, model if elmo else None, vectors if static else None)
        return build(folder, meta, load_file(folder / WEIGHTS))


def read_meta(folder: str | Path, form: Form) -> dict:
    """A head's meta.json, without its weights; MissingArtifact or CorruptArtifact."""
    path = Path(folder) / "meta.json"
    if not path.is_file():
        raise MissingArtifact(t("There is no trained head in {folder}. Train one: {command}", folder=folder, command=form.command))
    meta = read_json(path, expect=dict)
    if (meta.get("format"), meta.get("version")) != (form.name, form.version):
        message = t("{folder} is not in version {version} of our format of heads. Train it again.", folder=folder, version=form.version)
        raise CorruptArtifact(message)
    return meta


def _check_whole(path: Path, sha256: str) -> None:
    """CorruptArtifact where a file's sum is not the one that meta.json keeps."""
    if file_sha256(path) != sha256:
        raise CorruptArtifact(t("{path} is damaged: its checksum is not the one in meta.json. Train it again.", path=path))


def _check_made_with(folder: Path, meta: dict, model: str | None, vectors: str | None) -> None:
    """CorruptArtifact where a fingerprint that is asked about (None: not asked) is not the one the head was trained on."""
    for kind, fingerprint in (("model", model), ("vectors", vectors)):
        if fingerprint is not None and meta[kind] != fingerprint:
            values = {"folder": folder, "made": f"{meta[f'{kind}_name']} ({short(meta[kind])})", "given": short(fingerprint)}
            raise CorruptArtifact(
                t("The head in {folder} was trained on other model ({made}) than those in use ({given}). Train it again.", **values)
                if kind == "model"
                else t("The head in {folder} was trained on other vectors ({made}) than those in use ({given}). Train it again.", **values)
            )


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    """What a damaged head can make its reader raise becomes CorruptArtifact, which says what to do."""
    from safetensors import SafetensorError

    try:
        yield
    except (KeyError, TypeError, ValueError, RuntimeError, AttributeError, SafetensorError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        message = t("The head in {folder} cannot be read: {reason}. Train it again.", folder=folder, reason=reason)
        raise CorruptArtifact(message) from None


def pack(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """float32 arrays -> what is stored; a matrix has its scales beside it."""
    stored: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        if array.ndim == 2 and array.size >= MIN_SIZE:
            scales = np.maximum(np.abs(array).max(axis=1), 1e-12).astype(np.float32) / 127  # of each row
            stored[name] = np.rint(array / scales[:, None]).astype(np.int8)
            stored[name + SCALES] = scales
        else:
            stored[name] = array.astype(np.float16)
    return stored


def unpack(stored: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What was stored -> float32 arrays."""
    arrays = {}
    for name, array in stored.items():
        if not name.endswith(SCALES):
            arrays[name] = array.astype(np.float32)
            if name + SCALES in stored:
                arrays[name] *= stored[name + SCALES][:, None]
    return arrays


def round_as_stored(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The float32 arrays that come back from storage."""
    return unpack(pack(arrays))
