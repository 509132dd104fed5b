"""How frequent words are, by the list of a language's static vectors."""

from contextlib import suppress
from functools import lru_cache

from core.common.errors import ElmoscopeError
from core.files import registry
from core.text.tokens import bare


@lru_cache(maxsize=4)
def ranks_of(vectors: str) -> dict[str, int]:
    """Return for each word how many are more frequent; {} where the vectors are not on this machine."""
    with suppress(ElmoscopeError, OSError):
        listed = (registry.resolve(vectors, "vectors") / "words.txt").read_text(encoding="utf-8").split("\n")
        return {bare(word): k for k, word in reversed(list(enumerate(listed)))}
    return {}
