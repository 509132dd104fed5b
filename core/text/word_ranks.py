"""How frequent words are, by the list of a language's static vectors."""

from contextlib import suppress
from functools import lru_cache

from ..common.errors import ElmoscopeError
from ..files import registry
from .tokens import bare


def ranks_of(vectors: str) -> dict[str, int]:
    """Return for each word how many are more frequent; {} while the vectors are not on this machine."""
    with suppress(ElmoscopeError, OSError):
        return _read_ranks(vectors)
    return {}


@lru_cache(maxsize=4)
def _read_ranks(vectors: str) -> dict[str, int]:
    """Read the ranks; a failure is not cached, as the vectors may be downloaded later."""
    listed = (registry.resolve(vectors, "vectors") / "words.txt").read_text(encoding="utf-8").split("\n")
    return {bare(word): k for k, word in reversed(list(enumerate(listed)))}
