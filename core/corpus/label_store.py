"""Saved labels of a word's sentences: a file for each word of a corpus, which several tabs and processes change step by step.

Each step is taken on what the file holds at that moment, under a lock, and the file is replaced as a whole. Sentences are known by their
tokens, so that no label moves to another sentence when a corpus is read or cut differently: such labels stay in the file.
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
from ..text.labeled_words import parts
from . import label_files
from .spread import Given, Labels

DIGITS = 32  # of a name's fingerprint
WAIT_S = 10  # for another tab's step
ASIDE = "{stem}.unreadable-{number}.jsonl"


class CannotSave(BadInput):
    """Labels could not be written; the file is as it was."""


def file_of(corpus: str, word: str) -> Path:
    """Where the labels of a corpus' word are stored."""
    return _folder(corpus) / f"{text_fingerprint([word])[:DIGITS]}.jsonl"


def read(path: Path, word: str) -> Given:
    """The labels in a file, in the order they were given. A file that cannot be read is set aside; CannotSave where that fails."""
    try:
        return _read(path)
    except ElmoscopeError:
        with _alone(path):
            return _present(path, word)


def change(path: Path, word: str, labels: Labels, step: Callable[[Labels], Labels]) -> Labels:
    """Take a step on what the file holds now, and write it; `labels` knows the steps before. BadInput from the step, or CannotSave."""
    with _alone(path):
        present = labels.meanwhile(_present(path, word))
        after = step(present)
        if after.given != present.given:
            _write(path, word, after.given)
    return after


def set_aside(path: Path) -> list[Path]:
    """The files that could not be read and were set aside, in order."""
    return sorted(path.parent.glob(ASIDE.format(stem=path.stem, number="*"))) if path.parent.is_dir() else []


def forget(corpus: str) -> None:
    """Remove all labels of a corpus, with the files that were set aside."""
    shutil.rmtree(_folder(corpus), ignore_errors=True)


def _folder(corpus: str) -> Path:
    """By what a corpus holds where somebody brought it, as it may be called by its path or its name. Of a language's own sentences the
    additional words make no difference."""
    with suppress(ElmoscopeError):
        path = user_names.corpus_path(user_names.corpus_name(corpus) or corpus)
        corpus = path.stem if path else corpus
    return cache_folder() / "labels" / text_fingerprint([parts(corpus)[0]])[:DIGITS]


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Alone with a file. CannotSave where others hold it too long, or its folder cannot be written."""
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
    """What a file of that stamp holds: a page asks at every run, and every change makes another file."""
    return tuple(label_files.read_senses(path).items())


def _present(path: Path, word: str) -> Given:
    """As `_read`. A file that cannot be read goes aside, and what can be read of it is written again. To be called alone with the file."""
    try:
        return _read(path)
    except ElmoscopeError:
        given = tuple(label_files.read_what_can_be_read(path).items())
        number = 1
        while (aside := path.with_name(ASIDE.format(stem=path.stem, number=number))).exists():
            number += 1
        rename(path, aside)
        if given:
            _write(path, word, given)
        return given


def _write(path: Path, word: str, given: Given) -> None:
    try:
        with replacing(path) as temporary:
            temporary.write_text(label_files.format_given(word, given), "utf-8", newline="\n")
            temporary.chmod(0o600)
    except BadInput as error:
        raise CannotSave(str(error)) from error
