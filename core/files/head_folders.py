"""Folders of trained heads: how one was made is read without its weights, and it answers only with what it was trained on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.common.errors import CorruptArtifact, MissingArtifact
from core.common.i18n import t
from core.files.artifacts import file_sha256, read_json, short


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
