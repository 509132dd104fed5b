"""Escape texts of others (typed words, labels, file names, errors about them) for HTML, Markdown and the shell.

All escaping is here: `plain` and `code` for Markdown, `command` for a shell, and `html` for HTML, which escapes its values unless they are
Markup. `core.common.i18n.t`, the figures of `core.figures.style` and jinja2's templates escape too, so callers never do.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Iterator

from markupsafe import Markup

from .errors import BadInput
from .i18n import t

CITED = 40  # letters of an unknown name in a message
MARKDOWN = frozenset(r"\`*_{}[]()#+-.!|:$~<>^&")  # what Streamlit's Markdown, or a notebook's, may take for markup


def plain(text: object, max_length: int | None = None) -> str:
    """Return `text` on one line, cut to `max_length` letters, as Markdown that shows it literally."""
    line = _line(text) if max_length is None else shorten(_line(text), max_length)
    return "".join(f"\\{sign}" if sign in MARKDOWN else sign for sign in line)


def shorten(value: object, max_length: int = CITED, *, end: int = 0) -> str:
    """Return `value` as a message or a label quotes it: limited in length, with … at the end, or before the last `end` letters.

    >>> shorten("no-such-corpus"), shorten("the river bank", 9), shorten("a-long-name.csv", 10, end=4)
    ('no-such-corpus', 'the rive…', 'a-lon….csv')
    """
    text = str(value)
    return text if len(text) <= max_length else f"{text[: max_length - 1 - end].rstrip()}…{text[len(text) - end :]}"


def check_choice(what: str, value: str, known: Collection[str]) -> None:
    """Raise BadInput if `value` is not among the `known` ones. `what` is translated: "order"."""
    if value not in known:
        raise BadInput(t("Unknown {what} {value!r}. Choose: {known}.", what=what, value=shorten(value), known=", ".join(known)))


def code(text: object) -> str:
    """Return `text` on one line as Markdown code, between more backticks than it contains in a row."""
    line = _line(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence}{line}{fence}" if len(fence) == 1 else f"{fence} {line} {fence}"  # the blanks are not shown


def _line(text: object) -> str:
    return " ".join(re.split(r"[\s\x00-\x1f]+", str(text)))


def command(*words: object, options: Iterable[tuple[str, object]] = (), arguments: Iterable[object] = ()) -> str:
    """Return a command line to copy: the program's `words`, then `options` and `arguments` that hold data.

    No value can be read as an option. An option is written as --name=value, once for each item of a list. If an argument begins with a
    dash, "--" precedes the arguments. True writes the option without a value, and None or False omits it. All parts are quoted for a shell.

    >>> command("python", "-m", "core", "train", options=[("label-column", "--output=/x"), ("json", True)])
    'python -m core train --label-column=--output=/x --json'
    >>> command("python", "-m", "core", "corpus", "search", arguments=["-rf"])
    'python -m core corpus search -- -rf'
    """
    line = [*words]
    for name, value in options:
        values = value if isinstance(value, list | tuple) else [value]
        line += [f"--{name}" if item is True else f"--{name}={item}" for item in values if item is not None and item is not False]
    data = [str(argument) for argument in arguments]
    if any(argument.startswith("-") for argument in data):
        line.append("--")
    return shlex.join(map(str, [*line, *data]))


def html(template: str, /, *values: object, **named: object) -> Markup:
    """Fill `template`, a literal, with escaped `values` like `str.format`. Lists and iterators are joined."""
    return Markup(template).format(*map(_joined, values), **{name: _joined(value) for name, value in named.items()})  # noqa: S704


def _joined(value: object) -> object:
    return Markup().join(value) if isinstance(value, list | tuple | Iterator) else value
