"""The content behind a name of a corpus, a model or vectors: results are cached by it, not by the name."""

from functools import lru_cache
from pathlib import Path

from ..files import registry
from ..files.sums import file_sha256
from ..text.labeled_words import owner_of


def content_of(name: str, kind: str) -> tuple:
    """Return the sha256 of a file of texts, or the places, sizes and times of last change of other files; () if there is nothing.

    Two corpora of a language are parts of one file, so their names count too.
    """
    path = registry.place_of(name, kind)
    try:
        if path is None:
            return ()
        if path.is_dir():
            return (str(path), *(_stamp(file) for file in sorted(path.iterdir()) if file.is_file()))
        if kind != "corpus":
            return _stamp(path)
        return (_sha256(_stamp(path)), name) if owner_of(name) else (_sha256(_stamp(path)),)
    except OSError:
        return ()


def _stamp(path: Path) -> tuple:
    stat = path.stat()
    return str(path), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


@lru_cache(maxsize=256)
def _sha256(stamp: tuple) -> str:
    """Return the sha256 of a file; it is read again when its stamp changes."""
    return file_sha256(stamp[0])
