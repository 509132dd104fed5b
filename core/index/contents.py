"""What a name of a corpus, a model or vectors stands for now: by this, and not by the name, is kept what was computed of it."""

from functools import lru_cache
from pathlib import Path

from ..files import registry
from ..files.artifacts import file_sha256
from ..text.labeled_words import MARK, parts, sentences_of


def content_of(name: str, kind: str) -> tuple:
    """Of a file of texts its sha256, whatever language it is read as; of other files and of folders where they lie, their sizes and the times
    of their last change. Empty where there is nothing: who opens it says so."""
    if kind == "corpus" and MARK in name and (language := sentences_of(name)):  # parts of two files
        return (*content_of(parts(name)[0], kind), *content_of(language.more_sentences, kind))
    path = registry.place_of(name, kind)
    try:
        if path is None:
            return ()
        if path.is_dir():
            return (str(path), *(_stamp(file) for file in sorted(path.iterdir()) if file.is_file()))
        return (_sha256(_stamp(path)),) if kind == "corpus" else _stamp(path)
    except OSError:
        return ()


def _stamp(path: Path) -> tuple:
    stat = path.stat()
    return str(path), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


@lru_cache(maxsize=256)
def _sha256(stamp: tuple) -> str:
    """Of a file of texts, read again when its stamp changes."""
    return file_sha256(stamp[0])
