"""Find models, vectors and corpora by name or path: bundled, local, or downloaded.

A bundled name always means the bundled file, whatever the current folder contains. Any other name is looked up as a path, in `assets/`, in the
folder ELMOSCOPE_DATA and in the user's cache, and downloaded only if that is allowed. A download is checked against the published sha256 or, if
none is published, against that of the first download.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from ..common import config
from ..common.errors import BadInput, CorruptArtifact, ElmoscopeError, MissingArtifact
from ..common.i18n import say, t
from ..common.limits import check_allowed, limits
from ..common.markup import shorten
from . import sums, user_names
from .artifacts import read_json, write_json
from .disk_space import count_bytes
from .download import Report
from .published import CatalogEntry, catalog, fetch_hub_model, hub_folder, hub_host, is_hub_name, never

FOLDERS = {"model": "models", "vectors": "vectors", "corpus": "corpora"}  # kind -> folder in the cache and in ELMOSCOPE_DATA
NAME = r"\w[\w.+-]{0,100}"  # cannot lead out of the folders
LOCAL_NAME = r"\w[\w .,+&'()-]{0,100}"  # neither can this one, which is accepted only where paths are
_OPTIONS = r".*options.*\.json"  # "elmo_options.json", "options (1).json"
SOFTMAX = "softmax.safetensors"  # a file of its own if a model's weights file has no softmax
OWN_NAME = r"[0-9a-f]{32}\.jsonl"  # of a user's text, by its content
ENDINGS = {"model": "", "vectors": ".gz", "corpus": ".jsonl"}  # that a name may omit


def entries(kind: str) -> list[CatalogEntry]:
    """List what can be named, and whether it is on this machine. The user's files in ELMOSCOPE_DATA and the cache come last.

    Titles and notes are in the language of the interface.
    """
    listed = [entry for entry in catalog() if entry.kind == kind]
    names = {entry.name for entry in listed}
    for folder in _own_folders(kind):
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if path.name.endswith((".part", ".part.json", ".db", ".ini")):  # an unfinished download, or a file that Windows makes
                continue
            if kind == "corpus" and path.is_dir() and not any(path.glob("*.json")):  # not an index
                continue
            if not names & {path.name, path.name.removesuffix(ENDINGS[kind])} and _find(path.name, kind)[0] == path:
                names.add(path.name)
                listed.append(CatalogEntry(path.name, kind, t("{name}, local", name=path.name), (), 0.0, "local", "Not recorded"))
    places = [(entry, _find(entry.name, kind)[0]) for entry in listed]
    return [replace(entry, available=True, size_mb=round(count_bytes(path) / 1e6, 1)) if path else entry for entry, path in places]


def available(kind: str) -> list[str]:
    """Return the names of the entries of a kind that are on this machine."""
    return [entry.name for entry in entries(kind) if entry.available]


def entry_named(name: str, kind: str) -> CatalogEntry | None:
    """Return the catalog's entry of that name, or None. Its `available` is not set."""
    return next((entry for entry in catalog() if entry.name == name and entry.kind == kind), None)


def resolve(
    name_or_path: str | Path, kind: str, *, allow_download: bool = False, report: Report | None = None, stop: Callable[[], bool] = never
) -> Path:
    """Return the folder of a model, or the file of vectors or of a corpus, by path or by name.

    Raises MissingArtifact for an unknown name, BadInput for an invalid folder, and CorruptArtifact for a download that has changed.
    """
    name = str(name_or_path)
    if kind == "corpus" and (path := user_names.corpus_path(name)):
        return path
    if path := _user_path(name, kind):
        if kind == "model":
            check_model(path)
        sums.check(path)
        return path
    path, problem = _find(name, kind)
    if path:
        sums.check(path)
    entry = entry_named(name, kind)
    if entry and entry.source == "download":
        return _downloaded(entry, path, allow_download, report, stop)
    if path:
        return path
    if kind == "model" and is_hub_name(name):
        if allow_download:
            return fetch_hub_model(name, report=report, stop=stop)
        message = t("No folder or local model {name}. Allow its download from {host} (--download).", name=name, host=hub_host())
        raise MissingArtifact(message)
    if problem:
        raise problem
    if entry:
        raise MissingArtifact(t("{name} is missing from {folder}. Reinstall the project’s files.", name=name, folder=config.ASSETS))
    names = ", ".join(entry.name for entry in entries(kind))
    raise MissingArtifact(t("Unknown {kind} {name!r}. Choose {known}, or a path.", kind=say(kind), name=shorten(name), known=names))


def names_place(text: str, kind: str) -> bool:
    """Return whether a text is a path, and not the name of a registered, published or user-provided item.

    A text that looks like a path is not looked up, because on Windows the look-up alone would contact another machine.
    """
    text = text.strip()
    if is_bundled(text, kind) or (kind == "corpus" and user_names.is_corpus_name(text)):
        return False
    if not (re.fullmatch(LOCAL_NAME if limits().paths else NAME, text) or (kind == "model" and is_hub_name(text))):
        return Path(text).parent != user_names.corpus_folder() or not re.fullmatch(OWN_NAME, Path(text).name)
    return limits().paths and existing(text, kind) is not None


def place_of(name: str, kind: str) -> Path | None:
    """Return where `resolve` finds a name, without a check or a download; None if there is nothing, or if it may not be named."""
    with contextlib.suppress(ElmoscopeError):
        return (user_names.corpus_path(name) if kind == "corpus" else None) or _user_path(name, kind) or _find(name, kind)[0]
    return None


def check_model(folder: str | Path) -> None:
    """Check that a folder contains a model: ELMo's two files, or a transformer's config.json. Raises as `model_files`."""
    if not is_transformer(Path(folder)):
        model_files(folder)


def is_transformer(folder: Path) -> bool:
    """Return whether a model folder is one of `transformers` (config.json), not one of ELMo (options.json)."""
    names = [path.name for path in folder.glob("[!.]*")]  # hidden: of macOS or a killed process
    is_elmo = any(re.fullmatch(rf"{_OPTIONS}|.*\.hdf5", name, re.IGNORECASE) for name in names)  # "tf_model.h5" is a transformer's
    return (folder / "config.json").is_file() and not is_elmo


def model_files(folder: str | Path) -> tuple[Path, Path]:
    """Return the options and the weights of a model folder. Raises MissingArtifact, or BadInput if there are too many."""
    folder = Path(folder)
    if not folder.is_dir():
        raise BadInput(t("{folder} is not a folder. Choose one with options.json and weights.", folder=folder))
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise MissingArtifact(t("{path} cannot be read: {error}. Choose another file.", path=folder, error=error.strerror)) from None
    options = [path for path in files if re.fullmatch(_OPTIONS, path.name, re.IGNORECASE)]
    options = [path for path in options if path.name == "options.json"] or options
    weights = [path for path in files if path.suffix.lower() in (".hdf5", ".h5", ".safetensors") and path.name != SOFTMAX]
    if len(weights) > 1:  # a published folder may contain other HDF5 files
        weights = [path for path in weights if "weights" in path.name] or weights
    for candidates, what in ((options, "options.json"), (weights, t("weights file (*.hdf5 or *.safetensors)"))):
        if not candidates:
            if inner := next((path.parent for path in sorted(folder.glob("[!.]*/[!.]*")) if re.fullmatch(_OPTIONS, path.name)), None):
                values = {"folder": folder, "what": what, "inner": inner}
                raise MissingArtifact(t("{folder} has no {what}. Choose {inner}, the folder inside it.", **values))
            raise MissingArtifact(t("{folder} has no {what}. Add it, or choose another.", folder=folder, what=what))
        if len(candidates) > 1:
            names = ", ".join(path.name for path in candidates)
            raise BadInput(t("{folder} has {n} of {what}: {names}. Keep one.", folder=folder, n=len(candidates), what=what, names=names))
    return options[0], weights[0]


def fetch(entry: CatalogEntry, *, report: Report | None = None, stop: Callable[[], bool] = never) -> Path:
    """Download the missing files of an entry into the cache and check all. Return a model's folder or the file of vectors."""
    folder = _own_folder(entry)
    for file in entry.files:
        if not (folder / file.name).is_file():
            file.fetch(folder / file.name, report, stop)
        if file.name == "options.json":
            _check_options(folder / file.name)
    verify(entry, folder)
    return _own_place(entry)


def verify(entry: CatalogEntry, folder: Path) -> None:
    """Check that the files of an entry are the published ones, or those of the first download. Raises CorruptArtifact.

    The sums of the first download are recorded in the cache.
    """
    record = config.cache_folder() / "checksums" / f"{entry.name}.json"
    recorded = read_json(record, expect=dict) if record.is_file() else {}
    current = {file.name: sums.sum_of(folder / file.name) for file in entry.files if (folder / file.name).is_file()}
    published = {file.name: file.sha256 for file in entry.files}
    for name, digest in current.items():  # a user's file may have the publisher's name
        values = {"path": folder / name, "found": digest, "expected": published[name] or recorded.get(name), "record": record}
        if published[name] not in (None, digest):
            raise CorruptArtifact(t("{path} has sha256 {found}, not {expected}. Delete and download again.", **values))
        if values["expected"] not in (None, digest):
            raise CorruptArtifact(
                t("{path} has sha256 {found}, not {expected} as first downloaded ({record}). Delete and download again.", **values)
            )
    if recorded | current != recorded:
        with contextlib.suppress(BadInput):  # a read-only cache can still be used
            write_json(record, recorded | current)


def _check_options(path: Path) -> None:
    """Remove a file that is not JSON, such as a login page, and raise CorruptArtifact."""
    try:
        read_json(path, expect=dict)
    except CorruptArtifact as error:
        path.unlink()
        raise CorruptArtifact(t("Wrong download for {path}, removed ({error}) Try again.", path=path, error=error)) from None


def _downloaded(entry: CatalogEntry, path: Path | None, allow_download: bool, report: Report | None, stop: Callable[[], bool]) -> Path:
    """Return a model or vectors that are published for download: as found at `path`, or downloaded now."""
    place = _own_place(entry)
    if path:
        if path == place:
            verify(entry, _own_folder(entry))
        return path
    if allow_download:
        return fetch(entry, report=report, stop=stop)
    values = {"name": entry.name, "size": entry.size_mb, "folder": place}
    if entry.kind == "vectors":
        raise MissingArtifact(t("{name} ({size:g} MB) is missing. Allow its download (--download), or add {path}.", path=place, **values))
    message = t("{name} ({size:g} MB) is missing. Allow its download (--download), or fill {folder} (options.json, weights).", **values)
    raise MissingArtifact(message)


def _own_folder(entry: CatalogEntry) -> Path:
    """Return the folder of the cache for the downloaded files of an entry. Each model has its own."""
    folder = config.cache_folder() / FOLDERS[entry.kind]
    return folder / entry.name if entry.kind == "model" else folder


def _own_place(entry: CatalogEntry) -> Path:
    """Return what `resolve` returns for a downloaded entry: a model's folder, or the file of vectors."""
    folder = _own_folder(entry)
    return folder if entry.kind == "model" else folder / entry.files[0].name


def _find(name: str, kind: str) -> tuple[Path | None, ElmoscopeError | None]:
    """Return the first place with the complete item, or what is wrong with the first incomplete one."""
    problem = None
    for path in _places(name, kind):
        try:
            if path.exists():
                if kind == "model":
                    check_model(path)
                if path.is_file() or any(path.iterdir()):
                    return path, None
                problem = problem or MissingArtifact(t("{name} is empty. Choose another file.", name=path))
        except ElmoscopeError as error:
            problem = problem or error
        except OSError as error:
            problem = problem or MissingArtifact(t("{path} cannot be read: {error}. Choose another file.", path=path, error=error.strerror))
    return None, problem


def _places(name: str, kind: str) -> Iterator[Path]:
    if kind == "model" and is_hub_name(name):
        yield hub_folder(name)
    if not re.fullmatch(LOCAL_NAME if limits().paths else NAME, name):
        return
    if kind == "corpus" and is_bundled(name, kind):  # two corpora may be parts of one file
        yield config.ASSETS / entry_named(name, kind).files[0].name
    for folder in (config.ASSETS, config.data_folder(), *_own_folders(kind)):
        if folder:
            yield from (folder / name, folder / f"{name}{ENDINGS[kind]}")
    if kind == "vectors":  # where gensim.downloader keeps them
        yield Path(os.path.expanduser(os.environ.get("GENSIM_DATA_DIR", "~/gensim-data"))) / name / f"{name}.gz"


def _own_folders(kind: str) -> list[Path]:
    return [base / FOLDERS[kind] for base in (config.data_folder(), config.cache_folder()) if base]


def _user_path(name: str, kind: str) -> Path | None:
    """Return the path that the user typed, if it exists. Raises BadInput if paths may not be named, whether it exists or not.

    The text of a user stays readable for everyone who has its address, which nobody can guess.
    """
    if limits().paths:
        return existing(name, kind)
    path = Path(name)
    if path.parent == user_names.corpus_folder() and re.fullmatch(OWN_NAME, path.name) and (own_file := existing(name, kind)):
        return own_file
    if not re.fullmatch(NAME, name):  # other names may be those of public items
        check_allowed("paths")  # before the look-up, which would reveal whether the file exists
    return None


def places(name: str, kind: str | None = None) -> list[Path]:
    """Return the files that a name or a path means; without a kind it is a path."""
    if kind is None:
        return [Path(os.path.expanduser(name))]
    path = existing(name, kind)
    return [path] if path else [place for place in _places(name, kind) if os.path.exists(place)]


def existing(name: str, kind: str) -> Path | None:
    """Return the path that the user typed if it exists. A bundled name is not a path; "./sentences" is one."""
    if is_bundled(name, kind):
        return None
    with contextlib.suppress(OSError, ValueError, RuntimeError):  # too long, a NUL, no home
        path = Path(name).expanduser()
        if name.strip() and path.exists():
            return path
    return None


def is_bundled(name: str, kind: str) -> bool:
    """Return whether a name is that of a bundled model, vector file or corpus."""
    return any(entry.name == name and entry.kind == kind and entry.source == "bundled" for entry in catalog())
