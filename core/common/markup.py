"""Texts that are not ours (typed words, labels, names of files, errors about them) where HTML, Markdown or a shell reads them.

The only place that knows how they are escaped: `plain` and `code` for Markdown, `command` for a shell, and for HTML `html`, which escapes what is put into it unless that
is Markup, HTML already. `core.common.i18n.t`, the figures of `core.figures.style` and jinja2's templates do so too: nobody escapes before.
"""

import re
import shlex
from collections.abc import Iterable, Iterator

from markupsafe import Markup

CITED = 40  # letters of a name that nobody here knows
MARKDOWN = frozenset(r"\`*_{}[]()#+-.!|:$~<>^&")  # what Streamlit's Markdown, or a notebook's, may take for markup


def plain(text: object, most: int | None = None) -> str:
    """`text` in one line, cut to `most` letters, as Markdown that shows it as it stands: nothing is marked up, linked or fetched."""
    line = " ".join(re.split(r"[\s\x00-\x1f]+", str(text)))
    if most is not None:
        line = shorten(line, most)
    return "".join(f"\\{sign}" if sign in MARKDOWN else sign for sign in line)


def shorten(value: object, most: int = CITED, *, end: int = 0) -> str:
    """`value` as a message or a label cites it: at most so many letters, … for what is left out: behind, or before the last `end`.

    >>> shorten("no-such-corpus"), shorten("the river bank", 9), shorten("a-long-name.csv", 10, end=4)
    ('no-such-corpus', 'the rive…', 'a-lon….csv')
    """
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 1 - end].rstrip()}…{text[len(text) - end :]}"


def code(text: object) -> str:
    """`text` in one line as Markdown's code: between more backticks than it holds in a row, for a backslash is shown there."""
    line = " ".join(re.split(r"[\s\x00-\x1f]+", str(text)))
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence}{line}{fence}" if len(fence) == 1 else f"{fence} {line} {fence}"  # the blanks are not shown


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
        values = value if isinstance(value, list | tuple) else () if value is None or value is False else (value,)
        line += [f"--{name}" if item is True else f"--{name}={item}" for item in values]
    data = [str(argument) for argument in arguments]
    return shlex.join(map(str, [*line, *(["--"] if any(argument.startswith("-") for argument in data) else []), *data]))


def html(template: str, /, *values: object, **named: object) -> Markup:
    """`template`, a literal, with `values` in its places as `str.format` sets them; of a list, or what yields, one behind the other."""
    return Markup(template).format(*map(_whole, values), **{name: _whole(value) for name, value in named.items()})  # noqa: S704


def _whole(value: object) -> object:
    return Markup().join(value) if isinstance(value, list | tuple | Iterator) else value
