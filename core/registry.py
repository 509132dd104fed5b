"""Names -> a bundled file, a local one, or a download.

A name is looked for as a path, in `assets/`, in the folder ELMOSCOPE_DATA, in the user's cache, and is downloaded only if
that is allowed. A download is checked against the sha256 that is published or, where none is, against that of the first.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from core import config
from core.artifacts import file_sha256, read_json, write_json
from core.download import DownloadStopped as DownloadStopped
from core.download import Progress as Progress
from core.download import Report, download
from core.errors import BadInput, CorruptArtifact, ElmoscopeError, MissingArtifact

FOLDERS = {"model": "models", "vectors": "vectors", "corpus": "corpora"}  # kind -> folder in the cache and in ELMOSCOPE_DATA
ENDINGS = {"model": "", "vectors": ".gz", "corpus": ".jsonl"}  # a name may leave out
NEEDED = {
    "model": "a folder that holds options.json and one weights file",
    "vectors": "a file of vectors",
    "corpus": "a file of sentences",
}


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of an entry: its name here, where it comes from, and what is known of it."""

    name: str
    url: str | None = None
    size: int | None = None  # bytes
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    kind: str  # "model", "vectors" or "corpus"
    title: str  # what a person reads
    files: tuple[RemoteFile, ...]
    size_mb: float  # on this machine, or to be downloaded
    source: str  # "bundled", "download" or "local"
    licence: str
    note: str = ""
    available: bool = False  # on this machine, when `entries` looked


def _never() -> bool:
    return False


def _allennlp(name: str, shape: str, title: str, size_mb: float, corpus: str, *known: int | str) -> Entry:
    base = f"https://allennlp.s3.amazonaws.com/models/elmo/{shape}/elmo_{shape}_"
    files = RemoteFile("options.json", base + "options.json"), RemoteFile("weights.hdf5", base + "weights.hdf5", *known)
    licence = "None stated. AllenNLP: 'We don't impose any restrictions on our models' (allenai/allennlp, issue 1462)"
    checked = "The weights must have the size and sha256 that a public repository records for them; AllenNLP publishes none"
    unchecked = "No sha256 is published: that of the first download is recorded on this machine, and must not change"
    note = f"Trained on {corpus}. {checked if known else unchecked}."
    return Entry(name, "model", f"{name}, {title}", files, size_mb, "download", licence, note)


def _bundled(name: str, kind: str, title: str, licence: str, *files: str) -> Entry:
    return Entry(name, kind, f"{name}, {title}", tuple(map(RemoteFile, files)), 0.0, "bundled", licence)


def _gensim(name: str, size_mb: float) -> Entry:
    title, files, note = f"{name}, by gensim.downloader", (RemoteFile(f"{name}.gz"),), "Fetched and checked (MD5) by gensim."
    licence = "PDDL 1.0 (Stanford GloVe)" if name.startswith("glove") else "Not stated by its publisher"
    return Entry(name, "vectors", title, files, size_mb, "download", licence, note)


OURS = "Elmoscope's own, trained on Wikipedia (CC BY-SA 3.0), Project Gutenberg (public domain in the US), Wikinews (CC BY 2.5)"
BILLION, WIKI_NEWS = "the 1 Billion Word Benchmark", "5.5 billion tokens of Wikipedia and WMT news"
SMALL = 54_402_456, "747ba97abce8a5f446558369e10bb0f7931437a46867476fdd156f5d7f576229"  # as in why2011btv/tf_1.2.0_event
ORIGINAL = 374_434_792, "a6b92b9ccbb13fe489faacd2221c795d4bebe84b75f8aded9d85ea464fa5c994"  # tamu-nlp/Dialogue-Act-Classification
MODEL_FILES = "options.json", "weights.safetensors", "vocabulary.txt", "meta.json"
CATALOGUE = (
    _bundled("elmo-mini", "model", "trained here, 13.6 M parameters", OURS, *MODEL_FILES),
    _allennlp("allennlp-small", "2x1024_128_2048cnn_1xhighway", "13.6 M parameters", 54.4, BILLION, *SMALL),
    _allennlp("allennlp-medium", "2x2048_256_2048cnn_1xhighway", "28.0 M parameters", 112.1, BILLION),
    _allennlp("allennlp-original", "2x4096_512_2048cnn_2xhighway", "93.6 M parameters", 374.4, BILLION, *ORIGINAL),
    _allennlp("allennlp-original-5.5B", "2x4096_512_2048cnn_2xhighway_5.5B", "93.6 M parameters", 374.4, WIKI_NEWS),
    _bundled("glove-mini", "vectors", "trained here", OURS, "vectors.safetensors", "words.txt", "meta.json"),
    _gensim("glove-wiki-gigaword-50", 69),
    _gensim("glove-wiki-gigaword-100", 134),
    _gensim("glove-wiki-gigaword-200", 264),
    _gensim("glove-wiki-gigaword-300", 394),
    _gensim("glove-twitter-25", 110),
    _gensim("glove-twitter-50", 209),
    _gensim("glove-twitter-100", 406),
    _gensim("glove-twitter-200", 795),
    _gensim("word2vec-google-news-300", 1744),
    _bundled("sentences", "corpus", "our own sense-labelled sentences", "Elmoscope's own", "sentences.jsonl"),
)


def entries(kind: str) -> list[Entry]:
    """What can be named, and whether it is on this machine now; own ones in ELMOSCOPE_DATA and the cache come last."""
    _check_kind(kind)
    listed = [entry for entry in CATALOGUE if entry.kind == kind]
    known = {entry.name for entry in listed}
    for folder in _own_folders(kind):
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if not known & {path.name, path.name.removesuffix(ENDINGS[kind])} and _find(path.name, kind)[0] == path:
                known.add(path.name)
                listed.append(Entry(path.name, kind, f"{path.name}, in {folder}", (), 0.0, "local", "Not recorded"))
    found = [(entry, _find(entry.name, kind)[0]) for entry in listed]
    return [replace(entry, available=True, size_mb=_size_mb(path)) if path else entry for entry, path in found]


def entry_named(name: str, kind: str) -> Entry | None:
    """The catalogue's entry of that name, or None (`available` is not looked up)."""
    return next((entry for entry in CATALOGUE if entry.name == name and entry.kind == kind), None)


def resolve(
    name_or_path: str | Path,
    kind: str,
    *,
    allow_download: bool = False,
    report: Report | None = None,
    stop: Callable[[], bool] = _never,
) -> Path:
    """The folder or file of a model, of vectors or of a corpus, by path or by name.

    MissingArtifact says what is known instead, BadInput what is wrong with the folder that was given, CorruptArtifact that
    a download is no longer what it was. Vectors of gensim.downloader are found, not fetched: `core.static` does that.
    """
    _check_kind(kind)
    name = str(name_or_path)
    if path := _existing(name):
        if kind == "model":
            model_files(path)
        return path
    path, problem = _find(name, kind)
    entry = entry_named(name, kind)
    if entry and entry.source == "download" and kind == "model":
        return _downloaded(entry, path, allow_download, report, stop)
    if path:
        return path
    if problem:
        raise problem
    if entry and entry.source == "bundled":
        raise MissingArtifact(f"{name} belongs in {config.ASSETS} but is not there. Get the project's files again.")
    if entry:
        raise MissingArtifact(f"{name} ({entry.size_mb:g} MB) is not on this machine yet. Allow its download by gensim.")
    known = ", ".join(entry.name for entry in entries(kind))
    what = "set of vectors" if kind == "vectors" else kind
    raise MissingArtifact(f"{name[:200]!r} is no {what} known here. Known: {known}; or give {NEEDED[kind]}.")


def model_files(folder: str | Path) -> tuple[Path, Path]:
    """(options, weights) of a model folder; MissingArtifact or BadInput names what is missing or too many."""
    folder = Path(folder)
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder. A model is {NEEDED['model']}.")
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise MissingArtifact(f"{folder} cannot be read: {error.strerror}.") from None
    options = [path for path in files if path.name == "options.json"] or [p for p in files if p.name.endswith("options.json")]
    weights = [path for path in files if path.suffix in (".hdf5", ".safetensors")]
    if len(weights) > 1:  # a folder of published files may hold other HDF5 files: the one that says so is meant
        weights = [path for path in weights if "weights" in path.name] or weights
    for found, what in ((options, "options.json"), (weights, "weights file (*.hdf5 or *.safetensors)")):
        if not found:
            raise MissingArtifact(f"{folder} has no {what}. A model is {NEEDED['model']}.")
        if len(found) > 1:
            names = ", ".join(path.name for path in found)
            raise BadInput(f"{folder} has {len(found)} where one {what} should be: {names}. Keep one of them.")
    return options[0], weights[0]


def fetch(entry: Entry, *, report: Report | None = None, stop: Callable[[], bool] = _never) -> Path:
    """Download what is missing of a model's entry into the cache, check it all, and return the folder."""
    folder = config.cache_folder() / FOLDERS[entry.kind] / entry.name
    for file in entry.files:
        if not (folder / file.name).is_file():
            download(file.url, folder / file.name, size=file.size, sha256=file.sha256, report=report, stop=stop)
        if file.name == "options.json":
            _check_options(folder / file.name)
    verify(entry, folder)
    return folder


def verify(entry: Entry, folder: Path) -> None:
    """That a downloaded entry's files are the published ones, or those first seen; CorruptArtifact names the one that is not.

    What was seen is recorded beside the folder; a file of unchanged size and time is not read again.
    """
    record = config.cache_folder() / "checksums" / f"{entry.name}.json"
    known = read_json(record, expect=dict) if record.is_file() else {}
    before = dict(known)
    for file in entry.files:
        path, seen = folder / file.name, known.get(file.name)
        if not path.is_file():  # put there by hand, under the publisher's name
            continue
        stat, seen = path.stat(), seen if isinstance(seen, dict) else {}
        if (seen.get("size"), seen.get("mtime_ns")) == (stat.st_size, stat.st_mtime_ns):
            continue
        expected, found = file.sha256 or seen.get("sha256"), file_sha256(path)
        if expected not in (None, found):
            whose = "published file" if file.sha256 else f"one first downloaded (recorded in {record})"
            told = f"{path} is not the {whose}: its sha256 is {found}, not {expected}"
            raise CorruptArtifact(f"{told}. Delete it and download it again.")
        known[file.name] = {"sha256": found, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}
    if known != before:
        with contextlib.suppress(BadInput):  # a cache that cannot be written can still be used
            write_json(record, known)


def _check_options(path: Path) -> None:
    """A page that asks for a login, say, is not kept as a model's options."""
    try:
        read_json(path, expect=dict)
    except CorruptArtifact as error:
        path.unlink()
        raise CorruptArtifact(f"What was downloaded as {path} was something else and is removed ({error}) Try again.") from None


def _downloaded(entry: Entry, path: Path | None, allow_download: bool, report: Report | None, stop: Callable[[], bool]) -> Path:
    """A model that comes by download: as found at `path`, or fetched."""
    own = config.cache_folder() / FOLDERS[entry.kind] / entry.name
    if path:
        if path == own:
            verify(entry, own)
        return path
    if not allow_download:
        told = f"{entry.name} ({entry.size_mb:g} MB) is not on this machine yet"
        raise MissingArtifact(f"{told}. Allow its download, or put options.json and the weights into {own}.")
    return fetch(entry, report=report, stop=stop)


def _find(name: str, kind: str) -> tuple[Path | None, ElmoscopeError | None]:
    """The first place that holds `name`, whole; else what is wrong with the first that holds it in part."""
    problem = None
    for path in _places(name, kind):
        try:
            if path.exists():
                if kind == "model":
                    model_files(path)
                if path.is_file() or any(path.iterdir()):
                    return path, None
                problem = problem or MissingArtifact(f"{path} is empty.")
        except ElmoscopeError as error:
            problem = problem or error
        except OSError as error:
            problem = problem or MissingArtifact(f"{path} cannot be read: {error.strerror}.")
    return None, problem


def _places(name: str, kind: str) -> Iterator[Path]:
    if not re.fullmatch(r"\w[\w.+-]{0,100}", name):  # nothing that could lead out of the folders
        return
    for folder in (config.ASSETS, config.data_folder(), *_own_folders(kind)):
        if folder:
            yield from (folder / name, folder / f"{name}{ENDINGS[kind]}")
    if kind == "vectors":  # where gensim.downloader keeps them
        yield Path(os.environ.get("GENSIM_DATA_DIR", "~/gensim-data")).expanduser() / name / f"{name}.gz"


def _own_folders(kind: str) -> list[Path]:
    return [base / FOLDERS[kind] for base in (config.data_folder(), config.cache_folder()) if base]


def _existing(name: str) -> Path | None:
    """The path a user gave, if there is something."""
    with contextlib.suppress(OSError, ValueError, RuntimeError):  # too long, a NUL, no home
        path = Path(name).expanduser()
        if name.strip() and path.exists():
            return path
    return None


def _size_mb(path: Path) -> float:
    files = [path] if path.is_file() else [file for file in path.iterdir() if file.is_file()]
    return round(sum(file.stat().st_size for file in files) / 1e6, 1)


def _check_kind(kind: str) -> None:
    if kind not in FOLDERS:
        raise BadInput(f"'{kind}' is no kind of artifact; there are {', '.join(FOLDERS)}.")
