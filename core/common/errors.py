"""What a user is told when something is wrong: one sentence that names the thing, the value and what to do.

`core` raises these; the command line prints them as one line with exit status 2, a page shows them where the
mistake was made. Any other exception is a defect of ours.
"""


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
