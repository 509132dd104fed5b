"""What the Compare page sets side by side: names and paths -> spaces, and the tables that they need."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import limits
from core.common.model_layers import MIX, SENSES
from core.files import registry
from core.index.table import OccurrenceTable
from core.text.corpora import sentences_of
from pages._cached import opened
from pages._frame.in_use import layers_of
from pages._frame.server_jobs import ServerJob

MARK = " · "  # between a model and its layer


@dataclass(frozen=True, slots=True)
class Chosen:
    """A space by name: a vector file, or a model's layer under a corpus."""

    name: str
    source: str
    layer: str | None = None  # None: static vectors
    corpus: str = ""


def offered() -> list[str]:
    """Vector files and models' layers that are on this machine."""
    static = [entry.name for entry in registry.entries("vectors") if entry.available]
    models = [entry.name for entry in registry.entries("model") if entry.available]
    return [*static, *(f"{model}{MARK}{layer}" for model in models for layer in layers_of(model).spaces)]


def read(text: str, corpus: str) -> Chosen:
    """What was chosen or typed; a model's folder without a layer is taken at its top layer."""
    source, mark, layer = text.strip().rpartition(MARK.strip())
    if mark and (layer.strip().isdecimal() or layer.strip() == MIX):
        return Chosen(text.strip(), source.strip(), layer.strip(), corpus)
    if mark and layer.strip() == SENSES:
        raise BadInput(t("Compare takes a layer's number or mix: in the sense space a word has no mean vector."))
    folder = registry.existing(text.strip(), "model") if limits().paths else None
    if folder and any((folder / name).is_file() for name in ("options.json", "config.json")):
        top = layers_of(text.strip()).top
        return Chosen(f"{text.strip()}{MARK}{top}", text.strip(), top, corpus)
    return Chosen(text.strip(), text.strip())


def told_apart(sources: Sequence[str]) -> dict[str, str]:
    """Each name or path -> its last part; where two files share that, as many folders above it as tell them apart."""
    distinct = list(dict.fromkeys(sources))
    parts = {source: PurePath(source).parts or (source,) for source in distinct}
    for depth in range(1, 1 + max(map(len, parts.values()), default=0)):
        tails = {source: "/".join(parts[source][-depth:]) for source in distinct}
        if len(set(tails.values())) == len(distinct):
            return tails
    return {source: source for source in distinct}


def identity(source: str, kind: str) -> tuple[str, int, int]:
    """What a name stands for at this moment: a file's or folder's path, size and time of its last change; all of it keys a cache."""
    path = Path(registry.resolve(source, kind))
    stat = path.stat()
    return str(path.resolve()), stat.st_size, stat.st_mtime_ns


def is_one(first: Chosen, second: Chosen) -> bool:
    """Whether two choices are one and the same space, however it was written: the same file, layer and corpus."""
    if (first.layer is None) != (second.layer is None) or first.layer != second.layer:
        return False
    kinds = [("source", "vectors" if first.layer is None else "model"), *([("corpus", "corpus")] if first.layer else [])]
    return all(registry.resolve(getattr(first, a), k) == registry.resolve(getattr(second, a), k) for a, k in kinds)


def tables(chosen: tuple[Chosen, ...]) -> tuple[dict[Chosen, OccurrenceTable], list[tuple[ServerJob, Chosen]]]:
    """Each contextual space's table, and the jobs that are not done; meanwhile the labelled tokens of the bundled corpus stand in."""
    found = {}
    running = []
    for one in chosen:
        if one.layer is None:
            continue
        registry.resolve(one.corpus, "corpus")  # a wrong path is said at once, not by the job
        job = opened.table_job(one.corpus, one.source)
        if job.error and not job.ended:
            raise BadInput(job.error)
        if job.result is None and job not in [other for other, _ in running]:
            running.append((job, one))
        if job.result is not None:
            found[one] = job.result
        elif sentences_of(one.corpus):
            found[one] = opened.targets(one.corpus, one.source)
    done = {one: job.result for job, one in running if job.result is not None}  # while the others were opened
    return found | done, [(job, one) for job, one in running if one not in done]


def corpora() -> list[str]:
    """Corpora on this machine."""
    return [entry.name for entry in registry.entries("corpus") if entry.available]
