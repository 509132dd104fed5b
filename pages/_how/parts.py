"""What the steps of How it works share: tokens as labels, and the shape of a step's table."""

from core.common.markup import plain
from pages._widgets.word_lists import written

Rows = list[dict]  # of a step's table twin


def shown(token: str, most: int = 18) -> str:
    """A token short enough for a label."""
    token = written(token)
    return token if len(token) <= most else token[: most - 1] + "…"


def in_markdown(token: str) -> str:
    """A short token as plain text in a line that would read Markdown."""
    return plain(shown(token))
