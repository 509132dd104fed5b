"""The spaces of Compare by name or path, and the jobs that encode what they need."""

from core.common.errors import BadInput
from core.views.compare import SpaceName, as_read
from pages._cached import opened
from pages._frame.server_jobs import ServerJob


def readable(sides: tuple[SpaceName, ...]) -> tuple[tuple[SpaceName | None, ...], list[tuple[ServerJob, SpaceName]]]:
    """Return each space as far as it can be compared now (core.views.compare.as_read), and the unfinished jobs."""
    running: list[tuple[ServerJob, SpaceName]] = []

    def is_read(side: SpaceName) -> bool:
        job = opened.table_job(side.corpus, side.source)
        if job.error and not job.ended:
            raise BadInput(job.error)
        if job.result is None and job not in [other for other, _ in running]:
            running.append((job, side))
        return job.result is not None

    return as_read(sides, is_read), running
