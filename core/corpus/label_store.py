"""Store the labels of a word's sentences: a file for each word of a corpus, which several tabs and processes change step by step.

Each step changes the current content of the file, under a lock, and replaces the file. Sentences are identified by their tokens, so that no label
moves to another sentence when a corpus is read or tokenized differently. Such labels stay in the file.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from filelock import Timeout

from ..common.config import cache_folder
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t
from ..files import user_names
from ..files.artifacts import text_fingerprint
from ..files.atomic import locked, rename, replacing
from . import label_files
from .spread import Given, Labels

DIGITS = 32  # of a name's fingerprint
WAIT_S = 10  # for another tab's step
ASIDE = "{stem}.unreadable-{number}.jsonl"


class CannotSave(BadInput):
    """An error in writing labels, after which the file is unchanged."""


def file_of(corpus: str, word: str) -> Path:
    """Return the file with the labels of a word of a corpus."""
    return _folder(corpus) / f"{text_fingerprint([word])[:DIGITS]}.jsonl"


def read(path: Path, word: str) -> Given:
    """Return the labels in a file, in their order. A file that cannot be read is set aside. Raises CannotSave if that fails."""
    try:
        return _read(path)
    except ElmoscopeError:
        with _lock(path):
            return _present(path, word)


def change(path: Path, word: str, labels: Labels, step: Callable[[Labels], Labels]) -> Labels:
    """Apply a step to the current labels of a file and write them. `labels` has the steps before.

    Raises BadInput from the step, or CannotSave.
    """
    with _lock(path):
        present = labels.meanwhile(_present(path, word))
        after = step(present)
        if after.given != present.given:
            _write(path, word, after.given)
    return after


def set_aside(path: Path) -> list[Path]:
    """Return the unreadable files that were set aside, in order."""
    return sorted(path.parent.glob(ASIDE.format(stem=path.stem, number="*"))) if path.parent.is_dir() else []


def forget(corpus: str) -> None:
    """Remove all labels of a corpus, with the files that were set aside."""
    shutil.rmtree(_folder(corpus), ignore_errors=True)


def _folder(corpus: str) -> Path:
    """Return the folder of a corpus. A user's corpus is identified by its content, because it has a path and a name."""
    with suppress(ElmoscopeError):
        path = user_names.corpus_path(user_names.corpus_name(corpus) or corpus)
        corpus = path.stem if path else corpus
    return cache_folder() / "labels" / text_fingerprint([corpus])[:DIGITS]


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Lock a file. Raises CannotSave if others hold it too long, or if its folder cannot be written."""
    try:
        with locked(path, timeout_s=WAIT_S):
            yield
    except Timeout:
        raise CannotSave(t("Another tab or program is saving labels of this word. Try again.")) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CannotSave(t("Labels cannot be saved: {reason}. Download them.", reason=reason)) from error


def _read(path: Path) -> Given:
    with suppress(FileNotFoundError):
        stat = path.stat()
        return _read_once(path, stat.st_ino, stat.st_mtime_ns, stat.st_size)
    return ()


@lru_cache(maxsize=8)
def _read_once(path: Path, *stamp: int) -> Given:
    """Return the labels of a file in the state of that stamp. Pages read it at every run, and every change makes another file."""
    return tuple(label_files.read_senses(path).items())


def _present(path: Path, word: str) -> Given:
    """Read a file that is locked. If it cannot be read, set it aside and write its valid labels again."""
    try:
        return _read(path)
    except ElmoscopeError:
        valid = tuple(label_files.read_valid_senses(path).items())
        number = 1
        while (aside := path.with_name(ASIDE.format(stem=path.stem, number=number))).exists():
            number += 1
        rename(path, aside)
        if valid:
            _write(path, word, valid)
        return valid


def _write(path: Path, word: str, labels: Given) -> None:
    try:
        with replacing(path) as temporary:
            temporary.write_text(label_files.format_given(word, labels), "utf-8", newline="\n")
            temporary.chmod(0o600)
    except BadInput as error:
        raise CannotSave(str(error)) from error
