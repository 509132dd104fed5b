"""A place that the client and every worker see: a shared folder, or an object store through fsspec ("s3://...", "memory://...").

Files appear completely or not at all. A folder uses rename. An object store has none, but an object appears at once, and a shard's
meta.json is its last.
"""

import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

import fsspec
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from ..common.config import cache_folder
from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.markup import shorten
from ..files import atomic
from ..files.artifacts import replacing, text_fingerprint

MARK = "meta.json"  # the last file of a folder: with it, the folder is complete
SHARD = r"\d{7}-[0-9a-f]{12}"  # what we call a shard
_FETCHED = re.compile(rf"(shards/{SHARD})?")  # folders that may be copied from elsewhere, or the complete store
_FILE = re.compile(r"\w[\w.-]*")  # a file in them


@dataclass(frozen=True, slots=True)
class Store:
    """Bytes and folders of files by name ("shards/0000001-ab12")."""

    url: str
    fs: fsspec.AbstractFileSystem
    root: str

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder on this machine (or mounted), whose files are mapped in place."""
        return isinstance(self.fs, LocalFileSystem)

    def place(self, name: str) -> str:
        """Return the path of a name. Raises CorruptArtifact for one outside the store."""
        if "\\" in name or name.startswith("/") or {"", ".", ".."} & set(name.split("/") if name else ()):
            raise CorruptArtifact(t("{place} has the unknown name {name!r}. Rebuild it.", place=self.url, name=shorten(name)))
        return f"{self.root}/{name}" if name else self.root

    def has(self, name: str) -> bool:
        """Return whether an object exists."""
        return self.fs.exists(self.place(name))

    def has_folder(self, name: str) -> bool:
        """Return whether a complete folder exists."""
        return self.has(f"{name}/{MARK}" if name else MARK)

    def names(self, name: str) -> set[str]:
        """Return the names in a folder; empty if it does not exist."""
        self.fs.invalidate_cache()
        try:
            paths = self.fs.ls(self.place(name), detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return set()
        return {PurePosixPath(path.replace(os.sep, "/")).name for path in paths}

    def find_stranger(self, pattern: str) -> str | None:
        """Return the first path in the store that `pattern` does not match (as in core.files.atomic), or None."""
        if self.is_folder:
            return atomic.find_foreign_file(Path(self.root), pattern)
        self.fs.invalidate_cache()
        paths = (path[len(self.root) :].strip("/") for path in sorted(self.fs.find(self.root)))
        return next((path for path in paths if not atomic.is_own_file(path, pattern)), None)

    def remove_all(self, folder: str, pattern: str) -> None:
        """Remove the files in a folder that `pattern` matches, and the folder once it is empty."""
        for name in self.names(folder):
            if atomic.is_own_file(name, pattern):
                self.remove(f"{folder}/{name}")
        if self.is_folder and Path(self.place(folder)).is_dir() and not self.names(folder):
            Path(self.place(folder)).rmdir()

    def size(self) -> int:
        """Return the size of all files in bytes."""
        return int(self.fs.du(self.root))

    def read(self, name: str) -> bytes:
        """Return the bytes of an object."""
        try:
            return self.fs.cat_file(self.place(name))
        except (FileNotFoundError, IsADirectoryError):
            raise MissingArtifact(t("{name} is missing in {place}. Rerun the command.", name=name, place=self.url)) from None

    def write(self, name: str, data: bytes) -> None:
        """Write an object completely or not at all."""
        if self.is_folder:
            with replacing(Path(self.place(name))) as temporary:
                temporary.write_bytes(data)
        else:
            self.fs.pipe_file(self.place(name), data)

    def remove(self, name: str) -> None:
        """Remove an object or a folder, if it exists."""
        if self.has(name):
            self.fs.rm(self.place(name), recursive=True)

    def stage(self, name: str) -> Path:
        """Return where a worker makes a folder: in a shared folder, so that another worker can continue, else on its own disk."""
        if self.is_folder:
            return Path(self.place(f".staging/{name}"))
        return _local_folder(self.url) / "staging" / name

    def commit(self, staged: Path, name: str) -> None:
        """Move a folder made at `stage(name)` into its place; if another worker was faster, its folder stays."""
        if self.is_folder:
            target = Path(self.place(name))
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.rename(staged, target)
            except OSError:
                if not self.has_folder(name):
                    raise
        else:
            for path in sorted(staged.iterdir(), key=lambda path: path.name == MARK):
                self.fs.pipe_file(self.place(f"{name}/{path.name}"), path.read_bytes())
        shutil.rmtree(staged, ignore_errors=True)

    def fetch(self, name: str) -> Path:
        """Return a folder's files on this machine, to be mapped: in place, or as a cached copy."""
        if not _FETCHED.fullmatch(name):
            raise CorruptArtifact(t("{place} has the unknown name {name!r}. Rebuild it.", place=self.url, name=shorten(name)))
        if self.is_folder:
            return Path(self.place(name))
        copy = _local_folder(self.url) / "copies" / (name or "all")
        if not (copy / MARK).is_file():
            with replacing(copy) as temporary:
                temporary.mkdir(parents=True)
                for file in filter(_FILE.fullmatch, self.names(name)):
                    self.fs.get_file(self.place(f"{name}/{file}"), str(temporary / file))
        return copy


@lru_cache(maxsize=64)
def open_store(where: str) -> Store:
    """Open a folder's path, or a URL that fsspec knows. Raises BadInput with what is missing."""
    try:
        fs, root = url_to_fs(where)
    except (ImportError, ValueError) as error:
        reason = str(error).rstrip(".")
        raise BadInput(t("{place} cannot be shared storage: {reason}. Choose another place.", place=where, reason=reason)) from None
    return Store(where, fs, root.rstrip("/"))


def absolute_place(where: str | Path) -> str:
    """Return the place as a worker elsewhere needs it: an absolute path, or the URL."""
    return str(where) if "://" in str(where) else str(Path(where).absolute())


def _local_folder(url: str) -> Path:
    base = cache_folder()
    if not os.access(base if base.exists() else base.parent, os.W_OK):
        base = Path(tempfile.gettempdir()) / "elmoscope"
    return base / "cluster" / text_fingerprint([url])[:16]
