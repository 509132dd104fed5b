"""Share what commands need: notes and progress on stderr, tables, models and clusters from their options."""

from __future__ import annotations

import sys
import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.config import FLOAT32
from ..common.errors import BadInput, CorruptArtifact
from ..common.libraries import Frame
from ..common.markup import shorten
from ..files import published
from ..files.atomic import locked, replacing
from ..files.outputs import Outputs, set_aside
from ..static.vectors import StaticVectors, open_vectors
from ..text import languages
from .options import Answer, ModelOptions

if TYPE_CHECKING:
    from ..elmo.models import Model
    from ..files.published import RemoteFile
    from ..index.sense_space import SenseSpace
    from ..learning.fit import Epoch
    from ..workspace import Workspace

SHOWN_EVERY_S = 10


def note(text: str) -> None:
    """Print a line to stderr."""
    print(text, file=sys.stderr, flush=True)


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, whose plural ends in s: "1 row", "2 rows"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def progress(what: str):
    """Return a reporter (done, total, per second) that writes a line to stderr at most every two seconds."""
    last = time.monotonic()

    def report(done: int, total: int, speed: float | None = None) -> None:
        nonlocal last
        if time.monotonic() - last > 2 or done >= total:
            last = time.monotonic()
            rate = f", {speed:,.0f} a second, {(total - done) / speed:.0f} s left" if speed else ""
            note(f"{what}: {done:,} of {total:,}{rate}")

    return report


def in_columns(rows: Iterable[Iterable[Any]], *, right: Collection[int] = ()) -> list[str]:
    """Format rows of cells as aligned lines with two blanks between columns. The columns `right` are aligned on the right."""
    columns = [list(map(str, column)) for column in zip_longest(*rows, fillvalue="")]
    for k, column in enumerate(columns):
        width = max(map(_width, column))
        blanks = [" " * (width - _width(cell)) for cell in column]
        columns[k] = [more + cell if k in right else cell + more for cell, more in zip(column, blanks, strict=True)]
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def table_lines(table: Frame) -> list[str]:
    """Return a table as lines for a terminal: numbers on the right, with four digits, or as whole numbers from 1,000 on."""
    from pandas.api.types import is_numeric_dtype

    right = [k for k, name in enumerate(table.columns) if is_numeric_dtype(table[name])]

    def format_cell(cell: Any) -> Any:
        if not isinstance(cell, float):
            return cell
        return f"{cell:,.0f}" if abs(cell) >= 999.5 else f"{cell:.4g}"

    rows = (map(format_cell, row) for row in table.itertuples(index=False, name=None))
    return in_columns([table.columns, *rows], right=right)


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write several files, and put them in place once all are written. A place that is refused does not hold up the others."""
    refusals = []
    are_written = False

    def collect(_: type | None, error: BaseException | None, __: object) -> bool:
        is_refusal = are_written and isinstance(error, BadInput)
        if is_refusal:
            refusals.append(error)
        return is_refusal

    with ExitStack() as stack:
        for path, text in texts.items():
            stack.push(collect)
            stack.enter_context(replacing(path)).write_text(text, "utf-8", newline="")
        are_written = True
    if refusals:
        raise BadInput(" ".join(map(str, refusals)))


def read_earlier(path: str | Path, read: Callable[[Path], Any], outputs: Outputs) -> Any:
    """Read a file that a command adds to. With --overwrite, one that cannot be read is renamed first."""
    path = Path(path)
    try:
        return read(path)
    except (BadInput, CorruptArtifact) as error:
        if not outputs.overwrite:
            raise
        with locked(path):
            note(f"{error} It is now called {set_aside(path).name}.")
        return read(path)


def _width(cell: str) -> int:
    """Return the width of a text in a terminal. Korean letters take two columns, combining marks none."""
    signs = [sign for sign in cell if not unicodedata.combining(sign)]
    return len(signs) + sum(unicodedata.east_asian_width(sign) in "WF" for sign in signs)


def open_model(options: ModelOptions, *, precision=FLOAT32, cluster=None, engine="") -> Model:
    """Open the model of the options, unless it is open already. Text is read in its language from now on."""
    from ..common.device import CPU, choose
    from ..elmo import models

    if isinstance(options.model, models.Model):
        return options.model
    our_options = {f"--device {options.device}": choose(options.device).type != CPU, f"--precision {precision}": precision != FLOAT32}
    for name, chosen in our_options.items():
        if chosen and (cluster or engine == "allennlp"):
            raise BadInput(f"{name} is for our engine in this process: leave out --cluster and --engine allennlp.")
    how = {"precision": precision, "pieces": options.pieces, "device": options.device, "allow_download": options.download}
    model = models.open_model(options.model, **how, report=_bytes_report("download"))
    languages.use(model.language.code)
    return model


def sense_space(wanted: str | None, model: Model) -> SenseSpace | None:
    """Return the model's sense space if it is wanted. Raises if the model lacks what it needs."""
    from ..elmo.models import open_language_model
    from ..workspace import open_workspace

    if wanted is None:
        return None
    open_language_model(model)
    return open_workspace(model).sense_space


def workspace_of(model: Model | ModelOptions, corpus: str = "", vectors: str = "", *, what: str = "bytes or tokens read") -> Workspace:
    """Open a workspace of a model, with progress on stderr."""
    from ..workspace import open_workspace

    model = open_model(model) if isinstance(model, ModelOptions) else model
    return open_workspace(model, vectors, corpus, report=progress(what), note=note)


def open_both(options: ModelOptions, vectors: str, *, model: bool = True, static: bool = True) -> tuple[Model | None, StaticVectors | None]:
    """Open the model and the static vectors, if they are needed."""
    opened = open_model(options) if model else None
    return opened, open_static(vectors, download=options.download) if static else None


def open_static(name: str, *, download: bool = False) -> StaticVectors:
    """Open static vectors, and note how their file differs from its format."""
    vectors = open_vectors(name, allow_download=download, report=_bytes_report("download"))
    for text in vectors.notes:
        note(text)
    return vectors


def epoch_notes(score: Callable[[dict[str, float]], str]) -> Callable[[str, Epoch], None]:
    """Return a function that notes a line for each epoch of a training with its score, and some lines within an epoch."""
    last = time.monotonic()

    def watch(what: str, event: Epoch) -> None:
        nonlocal last
        if event.measures or time.monotonic() - last > SHOWN_EVERY_S:
            last = time.monotonic()
            position = f"epoch {event.epoch} of at most {event.epochs}, step {event.step:,} of {event.steps:,}, loss {event.loss:.3f}"
            if event.measures is None:
                note(f"{what}: {position}, at most {event.seconds_left:.0f} s left")
            else:
                note(f"{what}: {position}; {score(event.measures)}; {event.seconds:.0f} s")

    return watch


def mix_text(mix: dict) -> str:
    """Format a learned mix's weights and scale."""
    return f"s {', '.join(f'{s:.2f}' for s in mix['s'])}, gamma {mix['gamma']:.2f}"


def fetch_files(names: Iterable[str], sources: dict[str, RemoteFile], folder: Path | None = None, unpack=lambda path: ()) -> Answer:
    """Download published files that are missing or damaged. `unpack` returns the files that it makes of one."""
    files = []
    for name in names:
        file = sources[name]
        note(f"{name}: {', '.join(filter(None, (file.publisher, file.license)))}, from {file.url}, {file.size:,} bytes")
        folder = published.fetch([name], folder, files=sources, report=_bytes_report(name))
        digests = {"md5": file.md5, "sha256": file.sha256}
        files.append({"name": name, **{kind: digest for kind, digest in digests.items() if digest}})
        files += [{"name": path.relative_to(folder).as_posix()} for path in unpack(folder / name)]
    files = [file | {"bytes": (folder / file["name"]).stat().st_size} for file in files]
    return {"folder": str(folder), "files": files}, [f"{file['bytes'] / 1e6:6.1f} MB  {folder / file['name']}" for file in files]


def _bytes_report(name: str) -> Callable[[Any], None]:
    report = progress(f"{name}, bytes")
    return lambda event: report(event.done, event.total or event.done, event.bytes_per_s)


@contextmanager
def cluster_of(address: str | None) -> Iterator[Any]:
    """Yield a client of the cluster at --cluster, or None without that option."""
    if address is None:
        yield None
        return
    from ..cluster.jobs import connected, is_unprotected

    if is_unprotected(address):
        note(
            f"{shorten(address, 100)} is on another machine, without TLS. Anyone who can reach it can run code there and here, and read the "
            "texts. core/cluster/README.md explains how to switch TLS on."
        )
    with connected(address) as client:
        dashboard = f"; dashboard: {client.dashboard_link}" if find_spec("bokeh") else ""  # bokeh, which draws the dashboard, is optional
        note(f"cluster of {sum(client.nthreads().values())} threads{dashboard}")
        yield client


def check_is_elmo(model: Model, what: str) -> None:
    """Raise BadInput for a transformer."""
    if not model.is_elmo:
        raise BadInput(f"{model.name} is a transformer, and {what} needs ELMo. Choose another model.")


def spread_model(model: Model, client, *, store: str | None = None) -> Model:
    """Return the model with its batches spread over a cluster, or the model itself without one."""
    if client is None:
        return model
    from ..cluster.worker_model import SpreadEncoder

    return replace(model, encoder=SpreadEncoder(model.encoder, client, model.fingerprint, store=store))
