"""What a user is told when something is wrong: one sentence that names the thing, the value and what to do.

`core` raises these; the command line prints them as one line with exit status 2, a page shows them where the
mistake was made. Any other exception is a defect of ours.
"""

STOPPED, LEFT, TIME, FULL = "stopped", "left", "time", "full"  # why a job ended before it was done


class ElmoscopeError(Exception):
    """Base of every error whose message is meant for the person at the screen."""


class BadInput(ElmoscopeError):
    """What was typed, chosen or uploaded cannot be used as it is."""


class MissingArtifact(ElmoscopeError):
    """A model, vector file, corpus or index is not where it should be."""


class CorruptArtifact(ElmoscopeError):
    """A file is there, but it is damaged, of another version, or not what its name says."""


class EngineUnavailable(ElmoscopeError):
    """The second engine (AllenNLP) is not installed, died, or did not answer in time."""


class JobEnded(ElmoscopeError):
    """The end of a job before it was done. `why` is STOPPED, LEFT, TIME or FULL."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why
