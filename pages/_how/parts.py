"""What the steps of How it works share: tokens as labels, and the shape of a step's table."""

from core.common import markup
from core.text.tokens import write_word

Rows = list[dict]  # of a step's table twin


def shorten(token: str, most: int = 18) -> str:
    """A token short enough for a label."""
    return markup.shorten(write_word(token), most)
