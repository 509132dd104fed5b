"""What the Compare page sets side by side: names and paths -> spaces, and the jobs that read what they need."""

from dataclasses import replace

from core.common.errors import BadInput
from core.common.model_layers import SENSES
from core.files import registry
from core.index.sense_space import FILE
from core.text.labelled_words import sentences_of
from core.views.compare import MARK, SpaceName
from pages._cached import opened
from pages._frame.in_use import layers_of
from pages._frame.server_jobs import ServerJob


def list_spaces() -> list[str]:
    """Vector files and models' layers that are on this machine."""
    static = [entry.name for entry in registry.entries("vectors") if entry.available]
    models = [entry.name for entry in registry.entries("model") if entry.available]
    return [*static, *(f"{model}{MARK}{layer}" for model in models for layer in (*layers_of(model).spaces, *_senses(model)))]


def _senses(model: str) -> list[str]:
    """The sense space of a model that was taught one."""
    return [SENSES] if (registry.resolve(model, "model") / FILE).is_file() else []


def readable(sides: tuple[SpaceName, ...]) -> tuple[tuple[SpaceName | None, ...], list[tuple[ServerJob, SpaceName]]]:
    """Each space as far as it can be compared now, and the jobs that are not done: until every token of a corpus has been read its
    labeled ones stand in, and None where it has none."""
    now: list[SpaceName | None] = []
    running: list[tuple[ServerJob, SpaceName]] = []
    for side in sides:
        if side.layer is None:
            now.append(side)
            continue
        if side.layer == SENSES and sentences_of(side.corpus):  # its labeled words are kept in the sense space, its other ones not
            now.append(replace(side, whole=False))
            continue
        registry.resolve(side.corpus, "corpus")  # a wrong path is said at once, not by the job
        job = opened.table_job(side.corpus, side.source)
        if job.error and not job.ended:
            raise BadInput(job.error)
        done = job.result is not None
        if not done and job not in [other for other, _ in running]:
            running.append((job, side))
        now.append(side if done else replace(side, whole=False) if sentences_of(side.corpus) else None)
    return tuple(now), running


def corpora() -> list[str]:
    """Corpora on this machine."""
    return [entry.name for entry in registry.entries("corpus") if entry.available]
