"""What the steps of How it works share: tokens as labels, and the shape of a step's table."""

from core.common.markup import plain
from core.text.tokens import shortened
from pages._widgets.word_lists import write_word

Rows = list[dict]  # of a step's table twin


def shorten(token: str, most: int = 18) -> str:
    """A token short enough for a label."""
    return shortened(write_word(token), most)


def in_markdown(token: str) -> str:
    """A short token as plain text in a line that would read Markdown."""
    return plain(shorten(token))
