"""Errors with a message for the user: one sentence that names the thing, the value and the remedy.

`core` raises them. The command line prints them as one line with exit status 2, and a page shows them next to the input. Any other
exception is a defect of the program.
"""

STOPPED, LEFT, TIME, FULL = "stopped", "left", "time", "full"  # why a job ended before it was done


class ElmoscopeError(Exception):
    """The base of every error whose message is meant for the user."""


class BadInput(ElmoscopeError):
    """An error for typed, chosen or uploaded input that cannot be used."""


class MissingArtifact(ElmoscopeError):
    """An error for a missing model, vector file, corpus or index."""


class CorruptArtifact(ElmoscopeError):
    """An error for a file that is damaged, of another version, or not what its name states."""


class EngineUnavailable(ElmoscopeError):
    """An error for a second engine (AllenNLP) that is not installed, died, or did not answer in time."""


class JobEnded(ElmoscopeError):
    """The end of a job before it was done. `why` is STOPPED, LEFT, TIME or FULL."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why
