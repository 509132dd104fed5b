"""Download transformers from Hugging Face's hub by their published name, OWNER/NAME, into a folder of the cache.

The configuration, the tokenizer and the safetensors are downloaded by core.files.download, and checked against the sha256 that the hub states
for large files. Neither pickles nor code are downloaded. HF_ENDPOINT names another server with the hub's paths.
"""

import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ..common import config
from ..common.errors import CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.limits import check_allowed
from .artifacts import read_json
from .download import Report, download
from .published import RemoteFile

NAME = r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}"
USUAL = "https://huggingface.co"
CONFIG = "config.json"  # downloaded last, so that a folder with it is complete
READ = {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "merges.txt", "vocab.json", "added_tokens.json"}
INDEX, WEIGHTS = "model.safetensors.index.json", r"model(-\d{5}-of-\d{5})?\.safetensors"
LICENSE = "license:"


@dataclass(frozen=True, slots=True)
class Published:
    """A model as the hub describes it."""

    name: str
    files: tuple[RemoteFile, ...]  # the files to download, the configuration last
    size_mb: float | None  # of these, if the hub states it
    license: str  # "" if none is stated


def is_name(name: str) -> bool:
    """Return whether a text has the form of a published model's name."""
    return re.fullmatch(NAME, name) is not None and ".." not in name and "--" not in name  # the hub has no such names


def host() -> str:
    """Return the host of the hub."""
    return urlsplit(_server()).hostname or _server()


def place(name: str) -> Path:
    """Return the folder of the cache for a model. It is unique, because no name contains "--"."""
    return config.cache_folder() / "models" / name.replace("/", "--")


def look_up(name: str, *, stop: Callable[[], bool] = lambda: False) -> Published:
    """Query the hub for a model's files, sizes and license. Raises MissingArtifact if it has no such model in safetensors."""
    check_allowed("downloads")
    with tempfile.TemporaryDirectory() as folder:
        listing = read_json(download(f"{_server()}/api/models/{name}?blobs=true", Path(folder) / "model.json", stop=stop), expect=dict)
    revision = listing.get("sha") if re.fullmatch(r"[0-9a-f]{40}", str(listing.get("sha"))) else "main"
    files_by_name = {str(item.get("rfilename")): item for item in listing.get("siblings") or [] if isinstance(item, dict)}
    named = [file for file in files_by_name if file in READ or file == INDEX or re.fullmatch(WEIGHTS, file)]
    if CONFIG not in files_by_name or not any(re.fullmatch(WEIGHTS, file) for file in named):
        values = {"name": name, "host": host()}
        message = t(
            "{name} has no config.json with *.safetensors on {host}. Pickled weights are not opened. Choose another model.", **values
        )
        raise MissingArtifact(message)
    files = tuple(_file(file, files_by_name[file], f"{_server()}/{name}/resolve/{revision}/{file}") for file in [*sorted(named), CONFIG])
    sizes = [file.size for file in files]
    license = next((str(tag)[len(LICENSE) :] for tag in listing.get("tags") or [] if str(tag).startswith(LICENSE)), "")
    return Published(name, files, None if None in sizes else sum(sizes) / 1e6, license[:60])


def fetch(name: str, *, report: Report | None = None, stop: Callable[[], bool] = lambda: False) -> Path:
    """Download a published model. An interrupted download is resumed, unless the model was published again meanwhile."""
    folder = place(name)
    files = look_up(name, stop=stop).files
    # a file without a known sum is downloaded again
    present = [file for file in files if (file.sha256 or file.git_sha1) and (folder / file.name).is_file()]
    wanted = [file for file in files if file not in present or not file.matches(folder / file.name)]
    if wanted:
        (folder / CONFIG).unlink(missing_ok=True)  # with it the folder would count as complete
    for file in files:
        if file in wanted or not (folder / file.name).is_file():
            folder.mkdir(parents=True, exist_ok=True)
            download(file.url, folder / file.name, size=file.size, sha256=file.sha256, report=report, stop=stop)
    try:
        read_json(folder / CONFIG, expect=dict)
    except CorruptArtifact:
        (folder / CONFIG).unlink()
        raise
    return folder


def _server() -> str:
    return (os.environ.get("HF_ENDPOINT") or USUAL).rstrip("/")


def _file(name: str, entry: dict, url: str) -> RemoteFile:
    large = entry.get("lfs") if isinstance(entry.get("lfs"), dict) else {}
    values = {"size": entry.get("size"), "sha256": large.get("sha256"), "git_sha1": entry.get("blobId")}
    kinds = {"size": int, "sha256": str, "git_sha1": str}
    return RemoteFile(name, url, **{key: value for key, value in values.items() if isinstance(value, kinds[key])})
