"""Names -> a bundled file, a local one, or a download.

A bundled name means what ships, whatever lies in the folder that one is in. Any other is looked for as a path, in `assets/`, in
the folder ELMOSCOPE_DATA, in the user's cache, and is downloaded only if that is allowed. A download is checked against the
sha256 that is published or, where none is, against that of the first.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from ..common import config
from ..common.errors import BadInput, CorruptArtifact, ElmoscopeError, MissingArtifact
from ..common.i18n import t
from ..common.limits import check_allowed, limits
from ..common.markup import shorten
from . import hub, sums
from . import own_names as own
from .artifacts import file_sha256, read_json, write_json
from .catalog import CATALOG, CatalogEntry, in_words
from .download import Report, download

FOLDERS = {"model": "models", "vectors": "vectors", "corpus": "corpora"}  # kind -> folder in the cache and in ELMOSCOPE_DATA
NAME = r"\w[\w.+-]{0,100}"  # nothing that could lead out of the folders
OWN_NAME = r"[0-9a-f]{32}\.jsonl"  # of a text that a visitor brought, by what it holds
ENDINGS = {"model": "", "vectors": ".gz", "corpus": ".jsonl"}  # a name may leave out


def _never() -> bool:
    return False


def entries(kind: str) -> list[CatalogEntry]:
    """What can be named, and whether it is on this machine now; own ones in ELMOSCOPE_DATA and the cache come last. Titles and notes are in
    the reader's language."""
    _check_kind(kind)
    listed = [in_words(entry) for entry in CATALOG if entry.kind == kind]
    known = {entry.name for entry in listed}
    for folder in _own_folders(kind):
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if not known & {path.name, path.name.removesuffix(ENDINGS[kind])} and _find(path.name, kind)[0] == path:
                known.add(path.name)
                listed.append(CatalogEntry(path.name, kind, t("{name}, local", name=path.name), (), 0.0, "local", "Not recorded"))
    places = [(entry, _find(entry.name, kind)[0]) for entry in listed]
    return [replace(entry, available=True, size_mb=_size_mb(path)) if path else entry for entry, path in places]


def available(kind: str) -> list[str]:
    """The names of those that are on this machine."""
    return [entry.name for entry in entries(kind) if entry.available]


def entry_named(name: str, kind: str) -> CatalogEntry | None:
    """The catalog's entry of that name, or None (`available` is not looked up)."""
    return next((entry for entry in CATALOG if entry.name == name and entry.kind == kind), None)


def resolve(
    name_or_path: str | Path, kind: str, *, allow_download: bool = False, report: Report | None = None, stop: Callable[[], bool] = _never
) -> Path:
    """The folder or file of a model, of vectors or of a corpus, by path or by name. MissingArtifact says what is known instead, BadInput
    what is wrong with the folder that was given, CorruptArtifact that a download is no longer what it was."""
    _check_kind(kind)
    name = str(name_or_path)
    if kind == "corpus" and (path := own.path_of(name)):
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
    if kind == "model" and hub.is_name(name):
        if allow_download:
            return hub.fetch(name, report=report, stop=stop)
        raise MissingArtifact(
            t("No folder or local model {name}. Allow its download from {host} (--download).", name=name, host=hub.host())
        )
    if problem:
        raise problem
    if entry:
        raise MissingArtifact(t("{name} is missing from {folder}. Reinstall the project’s files.", name=name, folder=config.ASSETS))
    raise MissingArtifact(_unknown(shorten(name), kind))


def names_place(text: str, kind: str) -> bool:
    """Return whether a text is a path, and not the name of a registered, published or user-provided item.

    A text that looks like a path is not looked up, because on Windows the look-up alone would contact another machine.
    """
    text = text.strip()
    if is_bundled(text, kind) or (kind == "corpus" and own.is_name(text)):
        return False
    if not (re.fullmatch(NAME, text) or (kind == "model" and hub.is_name(text))):
        return Path(text).parent != own.folder() or not re.fullmatch(OWN_NAME, Path(text).name)
    return limits().paths and existing(text, kind) is not None


def place_of(name: str, kind: str) -> Path | None:
    """Where `resolve` finds that name now, neither checked nor fetched; None where there is nothing, or it may not be named."""
    with contextlib.suppress(ElmoscopeError):
        return (own.path_of(name) if kind == "corpus" else None) or _user_path(name, kind) or _find(name, kind)[0]
    return None


def _unknown(name: str, kind: str) -> str:
    values = {"name": name, "known": ", ".join(entry.name for entry in entries(kind))}
    if kind == "model":
        return t("Unknown model {name!r}. Choose {known}, or a folder.", **values)
    if kind == "vectors":
        return t("Unknown vectors {name!r}. Choose {known}, or a file.", **values)
    return t("Unknown corpus {name!r}. Choose {known}, or a file.", **values)


def check_model(folder: str | Path) -> None:
    """That a folder holds a model: ELMo's two files (`model_files` says what is missing), or a transformer's config.json."""
    options = (path for path in Path(folder).glob("*options.json") if not path.name.startswith("."))
    if not (Path(folder) / "config.json").is_file() or any(options):
        model_files(folder)


def model_files(folder: str | Path) -> tuple[Path, Path]:
    """(options, weights) of a model folder; MissingArtifact or BadInput names what is missing or too many."""
    folder = Path(folder)
    if not folder.is_dir():
        raise BadInput(t("{folder} is not a folder. Choose one with options.json and weights.", folder=folder))
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise MissingArtifact(t("{path} cannot be read: {error}. Choose another file.", path=folder, error=error.strerror)) from None
    options = [path for path in files if path.name == "options.json"] or [p for p in files if p.name.endswith("options.json")]
    weights = [path for path in files if path.suffix in (".hdf5", ".safetensors")]
    if len(weights) > 1:  # a folder of published files may hold other HDF5 files: the one that says so is meant
        weights = [path for path in weights if "weights" in path.name] or weights
    for candidates, what in ((options, "options.json"), (weights, t("weights file (*.hdf5 or *.safetensors)"))):
        if not candidates:
            raise MissingArtifact(t("{folder} has no {what}. Add it, or choose another.", folder=folder, what=what))
        if len(candidates) > 1:
            names = ", ".join(path.name for path in candidates)
            raise BadInput(t("{folder} has {n} of {what}: {names}. Keep one.", folder=folder, n=len(candidates), what=what, names=names))
    return options[0], weights[0]


def fetch(entry: CatalogEntry, *, report: Report | None = None, stop: Callable[[], bool] = _never) -> Path:
    """Download what is missing of an entry into the cache, check it all, and return a model's folder or the file of vectors."""
    folder = _own_folder(entry)
    for file in entry.files:
        if not (folder / file.name).is_file():
            known = {"size": file.size, "sha256": file.sha256, "md5": file.md5}
            download(file.url, folder / file.name, **known, report=report, stop=stop)
        if file.name == "options.json":
            _check_options(folder / file.name)
    verify(entry, folder)
    return _own_place(entry)


def verify(entry: CatalogEntry, folder: Path) -> None:
    """That a downloaded entry's files are the published ones, or those first seen; CorruptArtifact names the one that is not. What was seen
    is recorded beside the folder; a file of unchanged size and time is not read again."""
    record = config.cache_folder() / "checksums" / f"{entry.name}.json"
    known = read_json(record, expect=dict) if record.is_file() else {}
    before = dict(known)
    for file in entry.files:
        path = folder / file.name
        seen = known.get(file.name)
        if not path.is_file():  # put there by hand, under the publisher's name
            continue
        stat = path.stat()
        seen = seen if isinstance(seen, dict) else {}
        if (seen.get("size"), seen.get("mtime_ns")) == (stat.st_size, stat.st_mtime_ns):
            continue
        expected = file.sha256 or seen.get("sha256")
        digest = file_sha256(path)
        if expected not in (None, digest):
            values = {"path": path, "found": digest, "expected": expected}
            raise CorruptArtifact(
                t("{path} has sha256 {found}, not {expected}. Delete and download again.", **values)
                if file.sha256
                else t("{path} has sha256 {found}, {record} {expected}. Delete and download again.", record=record, **values)
            )
        known[file.name] = {"sha256": digest, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}
    if known != before:
        with contextlib.suppress(BadInput):  # a cache that cannot be written can still be used
            write_json(record, known)


def _check_options(path: Path) -> None:
    """A page that asks for a login, say, is not kept as a model's options."""
    try:
        read_json(path, expect=dict)
    except CorruptArtifact as error:
        path.unlink()
        raise CorruptArtifact(t("Wrong download for {path}, removed ({error}) Try again.", path=path, error=error)) from None


def _downloaded(entry: CatalogEntry, path: Path | None, allow_download: bool, report: Report | None, stop: Callable[[], bool]) -> Path:
    """A model or vectors that come by download: as found at `path`, or fetched."""
    place = _own_place(entry)
    if path:
        if path == place:
            verify(entry, _own_folder(entry))
        return path
    if allow_download:
        return fetch(entry, report=report, stop=stop)
    known = {"name": entry.name, "size": entry.size_mb}
    if entry.kind == "vectors":
        message = t("{name} ({size:g} MB) is missing. Allow its download (--download), or add {path}.", path=place, **known)
    else:
        message = t(
            "{name} ({size:g} MB) is missing. Allow its download (--download), or fill {folder} (options.json, weights).",
            folder=place,
            **known,
        )
    raise MissingArtifact(message)


def _own_folder(entry: CatalogEntry) -> Path:
    """The folder of the cache in which the files of an entry lie when they were downloaded: a model has one to itself."""
    folder = config.cache_folder() / FOLDERS[entry.kind]
    return folder / entry.name if entry.kind == "model" else folder


def _own_place(entry: CatalogEntry) -> Path:
    """What `resolve` answers for a downloaded entry: a model's folder, or the file of vectors."""
    folder = _own_folder(entry)
    return folder if entry.kind == "model" else folder / entry.files[0].name


def _find(name: str, kind: str) -> tuple[Path | None, ElmoscopeError | None]:
    """The first place that holds `name`, whole; else what is wrong with the first that holds it in part."""
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
    if kind == "model" and hub.is_name(name):
        yield hub.place(name)
    if not re.fullmatch(NAME, name):
        return
    for folder in (config.ASSETS, config.data_folder(), *_own_folders(kind)):
        if folder:
            yield from (folder / name, folder / f"{name}{ENDINGS[kind]}")
    if kind == "vectors":  # where gensim.downloader keeps them
        yield Path(os.environ.get("GENSIM_DATA_DIR", "~/gensim-data")).expanduser() / name / f"{name}.gz"


def _own_folders(kind: str) -> list[Path]:
    return [base / FOLDERS[kind] for base in (config.data_folder(), config.cache_folder()) if base]


def _user_path(name: str, kind: str) -> Path | None:
    """The path a user gave, if there is something; BadInput where paths may not be named, whether there is something or not. What a visitor
    brought stays open to whoever has its address, which nobody can guess."""
    if limits().paths:
        return existing(name, kind)
    path = Path(name)
    if path.parent == own.folder() and re.fullmatch(OWN_NAME, path.name) and (own_file := existing(name, kind)):
        return own_file
    if not re.fullmatch(NAME, name):  # else it may be the name of something that is meant for all
        check_allowed("paths")  # whether there is such a file or not: an answer would tell
    return None


def places(name: str, kind: str | None = None) -> list[Path]:
    """Where the files lie that a name or a path means: of no kind a path alone. A corpus may be several, as "sentences+python"."""
    if kind is None:
        return [Path(os.path.expanduser(name))]
    paths = []
    for each in {name, *(name.split("+") if kind == "corpus" else ())}:
        paths += [path] if (path := existing(each, kind)) else (place for place in _places(each, kind) if os.path.exists(place))
    return paths


def existing(name: str, kind: str) -> Path | None:
    """The path a user gave, if there is something; None too for what no path can be, and for a bundled name: "./sentences" is a path."""
    if is_bundled(name, kind):
        return None
    with contextlib.suppress(OSError, ValueError, RuntimeError):  # too long, a NUL, no home
        path = Path(name).expanduser()
        if name.strip() and path.exists():
            return path
    return None


def is_bundled(name: str, kind: str) -> bool:
    """Whether that is the name of something that ships, alone or with further words ("sentences+python")."""
    first = name.partition("+")[0] if kind == "corpus" else name
    return any(entry.name == first and entry.kind == kind and entry.source == "bundled" for entry in CATALOG)


def _size_mb(path: Path) -> float:
    files = [path] if path.is_file() else [file for file in path.iterdir() if file.is_file()]
    return round(sum(file.stat().st_size for file in files) / 1e6, 1)


def _check_kind(kind: str) -> None:
    if kind not in FOLDERS:
        raise BadInput(t("Unknown kind '{kind}'. Choose: {known}.", kind=shorten(kind), known=", ".join(FOLDERS)))
