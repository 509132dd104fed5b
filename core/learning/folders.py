"""Folders of trained heads: how one was made is read without its weights, and it answers only with what it was trained on.

Texts' heads ship as small as they go: matrices as int8 rows with a float32 scale each, all else as float16; one is rounded to this form
before it is scored, so that what was measured is, to the bit, what is loaded later.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from core.common.errors import CorruptArtifact, MissingArtifact
from core.common.i18n import t
from core.files.artifacts import file_sha256, read_json, short

MIN_SIZE = 2048  # numbers; a smaller matrix saves nothing worth a rounding
SCALES = ".scales"  # name of a matrix's scales: its own name with this behind it


def read_meta(folder: str | Path, form: tuple[str, int], command: str) -> dict:
    """A head's meta.json in `form` (format, version), without its weights; MissingArtifact names the `command` that trains one."""
    path = Path(folder) / "meta.json"
    if not path.is_file():
        raise MissingArtifact(t("There is no trained head in {folder}. Train one: {command}", folder=folder, command=command))
    meta = read_json(path, expect=dict)
    if (meta.get("format"), meta.get("version")) != form:
        told = t("{folder} is not in version {version} of our format of heads. Train it again.", folder=folder, version=form[1])
        raise CorruptArtifact(told)
    return meta


def check_whole(path: Path, sha256: str) -> None:
    """CorruptArtifact where a file's sum is not the one that meta.json keeps."""
    if file_sha256(path) != sha256:
        raise CorruptArtifact(t("{path} is damaged: its checksum is not the one in meta.json. Train it again.", path=path))


def check_made_with(folder: Path, meta: dict, model: str | None, vectors: str | None) -> None:
    """CorruptArtifact where a fingerprint that is asked about (None: not asked) is not the one the head was trained on."""
    for kind, fingerprint in (("model", model), ("vectors", vectors)):
        if fingerprint is not None and meta[kind] != fingerprint:
            told = {"folder": folder, "made": f"{meta[f'{kind}_name']} ({short(meta[kind])})", "given": short(fingerprint)}
            raise CorruptArtifact(
                t("The head in {folder} was trained on other model ({made}) than those in use ({given}). Train it again.", **told)
                if kind == "model"
                else t("The head in {folder} was trained on other vectors ({made}) than those in use ({given}). Train it again.", **told)
            )


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """What a damaged head can make its reader raise becomes CorruptArtifact, which says what to do."""
    from safetensors import SafetensorError

    try:
        yield
    except (KeyError, TypeError, ValueError, RuntimeError, AttributeError, SafetensorError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        told = t("The head in {folder} cannot be read: {reason}. Train it again.", folder=folder, reason=reason)
        raise CorruptArtifact(told) from None


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


def rounded(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The float32 arrays that come back from storage."""
    return unpack(pack(arrays))
