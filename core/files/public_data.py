"""Data sets of the classification tasks that anyone may fetch from their publisher, by their path in the data folder.

Fetched files lie in the cache's folder `data`, laid out as ELMOSCOPE_DATA, and are looked for there after it: the same code
runs with a network and without one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.common.config import cache_folder, data_folder
from core.common.errors import BadInput, CorruptArtifact
from core.common.i18n import t
from core.files.download import Report, download, file_md5


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFile:
    """Where a file comes from, and what is known of it."""

    url: str
    md5: str  # as the publisher, or the libraries that fetch it, give it
    size: int | None = None  # bytes
    licence: str


def _ag_news(name: str, md5: str, size: int) -> PublishedFile:
    """The copy that torchtext takes: class, title, description, without names on top."""
    base = "https://raw.githubusercontent.com/mhjabreel/CharCnn_Keras/master/data/ag_news_csv/"
    return PublishedFile(url=base + name, md5=md5, size=size, licence="for research, non-commercial use")


PUBLISHED = {  # path in the data folder -> file
    "ag_news/train.csv": _ag_news("train.csv", "b1a00f826fdfbd249f79597b59e1dc12", 29_470_338),  # 120,000 rows
    "ag_news/test.csv": _ag_news("test.csv", "d52ea96a97a2d943681189a97654912d", 1_857_427),  # 7,600 rows
}


def fetched_folder() -> Path:
    """Where fetched data sets lie."""
    return cache_folder() / "data"


def files_of(data_set: str) -> list[str]:
    """The names in PUBLISHED of a data set's files; BadInput if none can be fetched under that name."""
    if names := [name for name in PUBLISHED if data_set_of(name) == data_set]:
        return names
    known = ", ".join(sorted({data_set_of(name) for name in PUBLISHED}))
    raise BadInput(t("{name!r} is no data set that can be fetched. Those are: {known}.", name=data_set[:80], known=known))


def data_set_of(name: str) -> str:
    """Of a path in the data folder: "ag_news/train.csv" -> "ag_news"."""
    return name.partition("/")[0]


def fetch(
    names: Sequence[str],
    folder: str | Path | None = None,
    *,
    report: Report | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Path:
    """Download those of PUBLISHED that are missing from `folder` (default: the cache's), or are damaged there; the folder.

    Raises as `core.files.download.download` does; what has arrived by then is kept, and the next call goes on from it.
    """
    folder = Path(folder) if folder else fetched_folder()
    for name in names:
        if name not in PUBLISHED:
            raise BadInput(
                t("{name!r} is no file that can be fetched. Those are: {known}.", name=name[:200], known=", ".join(PUBLISHED))
            )
        file = PUBLISHED[name]
        path = folder / name
        if not (path.is_file() and _is_whole(path, file)):
            download(file.url, path, size=file.size, md5=file.md5, report=report, stop=stop)
    return folder


def find(name: str, folder: str | Path | None = None) -> Path | None:
    """A file by its path in `folder`, or without one in ELMOSCOPE_DATA and then among what was fetched; None if it is nowhere.

    CorruptArtifact if it was fetched and has been cut or altered since; the user's own folders are taken as they are.
    """
    fetched = fetched_folder()
    for place in (Path(folder),) if folder is not None else (data_folder(), fetched):
        if place is None or not (path := place / name).is_file():
            continue
        if place == fetched and name in PUBLISHED and not _is_whole(path, PUBLISHED[name]):
            raise CorruptArtifact(
                t(
                    "{path} is no longer the file that was published: its size or md5 is another. Fetch it again: python -m core fetch {name}",
                    path=path,
                    name=data_set_of(name),
                )
            )
        return path
    return None


def _is_whole(path: Path, file: PublishedFile) -> bool:
    stat = path.stat()
    return file.size in (None, stat.st_size) and _md5(path, stat.st_size, stat.st_mtime_ns) == file.md5


@functools.lru_cache(maxsize=16)
def _md5(path: Path, size: int, mtime_ns: int) -> str:
    """Read once for each size and time: a page asks at every turn."""
    return file_md5(path)
