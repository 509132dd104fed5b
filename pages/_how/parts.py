"""The shared parts of the steps of How it works: labels of tokens, and shapes."""

from core.common import markup
from core.text.tokens import write_word

Rows = list[dict]  # of a step's table twin


def shorten(token: str, most: int = 18) -> str:
    """Shorten a token for a label."""
    return markup.shorten(write_word(token), most)
