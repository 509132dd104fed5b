"""Build commands from functions: `@command("name", option("--word", "help"), *MODEL)`. A function's docstring is its help.

A command returns a result for --json and a text for people. Commands import torch only inside their functions, so that --help is fast.
"""

import math
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, is_dataclass, make_dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import click

from ..common.config import NEIGHBORS
from ..files import registry
from ..files.outputs import Outputs

DEVICES = ("auto", "cpu", "cuda", "mps")  # those of core.common.device, which would import torch before --help
Answer = tuple[Any, str | Iterable[str]]  # for --json, and for people: a text or its lines
READS = {  # metavar of an option or argument that names a file or folder to read -> its kind in core.files.registry
    **dict.fromkeys(("A", "A.jsonl", "B", "B.jsonl", "DIR", "F", "FILE", "FOLDER")),
    "C": "corpus",
    "M": "model",
    "V": "vectors",
}
WRITES = ("--output", "--csv", "--graph", "--work")  # options that name a file, or a folder (metavar DIR), to write
SETTINGS = {"help_option_names": ["-h", "--help"]}


class Command(click.Command):
    """A function with its options.

    A call from Python takes the options as keywords and returns the answer. `groups` maps a keyword of the function to the options that it
    receives together. The files that options name for writing are checked before the function runs; a function that checks a place itself
    has a keyword `outputs`, an Outputs.
    """

    def __init__(self, name: str, callback: Callable[..., Answer], *, groups: dict[str, str], params: list[click.Parameter]) -> None:
        super().__init__(name, callback=callback, params=params, help=callback.__doc__, context_settings=SETTINGS)
        self.path = name  # the full name, with its groups
        self.groups = {group: make_dataclass(group.title(), names.split(), frozen=True) for group, names in groups.items()}
        if MODEL[0] in self.params:
            self.groups["model"] = ModelOptions

    def __call__(self, **options) -> tuple[dict, str]:
        """Run the function with these options and the defaults of all others."""
        defaults = self.make_context(self.name, [], resilient_parsing=True).params
        return self.answer(**self._group(defaults | options))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raises UsageError for those that would be ignored or taken for options."""
        try:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        except click.NoSuchOption as error:
            word = next((word for word in args if word.startswith(error.option_name) and not word.startswith("--")), "")
            if word and any(isinstance(param, click.Argument) for param in self.params):
                error.message += f" Write {word} after --, if it is no option: -- {word}"
            raise
        for param in order:
            if isinstance(param, click.Option) and not (param.multiple or param.is_flag) and order.count(param) > 1:
                raise click.UsageError(f"{param.opts[0]} is given twice. Give it once.", ctx)
        rest = super().parse_args(ctx, args)
        for param in self.params:
            self._check_value(param, ctx)
        if ctx.params.get("json") and ctx.params.get("csv") is True:
            raise click.UsageError("--json and --csv are two forms of one answer. Choose one.", ctx)
        return rest

    @staticmethod
    def _check_value(param: click.Parameter, ctx: click.Context) -> None:
        """Raise UsageError for an optional value that is empty, unless that is the default, and for a file that is named twice."""
        value = ctx.params.get(param.name)
        values = [item for item in (value if isinstance(value, tuple) else [value]) if isinstance(item, str)]
        name = param.opts[0] if isinstance(param, click.Option) else param.make_metavar(ctx)
        if "" in values and value != param.default and not param.required:
            raise click.UsageError(f"{name} is empty. Give it a value, or leave it out.", ctx)
        paths = [os.path.realpath(item) for item in values] if param.metavar in READS else []
        if twice := next((item for item, path in zip(values, paths, strict=False) if paths.count(path) > 1), ""):
            raise click.UsageError(f"{name} names {twice} twice. Name it once.", ctx)

    def invoke(self, ctx: click.Context) -> tuple[Callable[[], tuple[dict, str]], bool]:
        """Return the function to run, and whether its answer is printed as JSON."""
        return partial(self.answer, **self._group(ctx.params)), ctx.params.get("json", False)

    def answer(self, *, outputs: Outputs | None = None, **keywords) -> tuple[dict, str]:
        """Run the function. Return its result as JSON types, and its text."""
        if "outputs" in signature(self.callback).parameters:
            keywords["outputs"] = outputs
        with outputs.guarding() if outputs else nullcontext():
            result, lines = self.callback(**keywords)
        if is_dataclass(result):
            from .wire import json_of

            result = json_of(result)
        return result, lines if isinstance(lines, str) else "\n".join(lines)

    def _group(self, options: dict[str, Any]) -> dict[str, Any]:
        options = {name: value for name, value in options.items() if name != "json"}
        if OVERWRITE in self.params:
            options["outputs"] = self._outputs(options)
        for name, kind in self.groups.items():
            options[name] = kind(**{field.name: options.pop(field.name) for field in fields(kind) if field.name in options})
        return options

    def _outputs(self, options: dict[str, Any]) -> Outputs:
        """Collect the files that the options name for reading and for writing."""
        read, named, files = [], [], []
        for param in self.params:
            value = options.get(param.name)
            values = [str(item) for item in (value if isinstance(value, list | tuple) else [value]) if isinstance(item, str | Path)]
            if isinstance(param.type, OutputPath):
                places = [Path(text) for text in values if "://" not in text]
                if len(places) < len(values) and not (self.path == "index build" and options.get("cluster")):
                    raise click.BadParameter(f"{values[0]} is a URL. Name a path on this machine.", param=param)
                named += [] if value == param.default else places
                files += places if param.type.is_checked and not param.type.is_folder else []
            elif param.metavar in READS:
                read += (place for text in values for place in registry.places(text, READS[param.metavar]))
        return Outputs(self.path, tuple(read), tuple(named), tuple(files), options.pop("overwrite"))


class OutputPath(click.ParamType):
    """A file or folder to write. One that cannot be created is refused before the work begins."""

    name = "path"

    def __init__(self, *, is_folder: bool = False, is_checked: bool = True) -> None:
        self.is_folder = is_folder
        self.is_checked = is_checked  # whether the command line checks the value, or the function itself

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, with ~ as the user's home folder. Fails if it cannot be written."""
        if not str(value):
            self.fail(f"the path is empty. Name a {'folder' if self.is_folder else 'file'}.", param, ctx)
        if "://" in str(value):
            return value
        value = os.path.expanduser(value)
        reason = why_unwritable(Path(value), is_folder=self.is_folder)
        return self.fail(f"{value} cannot be written: {reason}.", param, ctx) if reason else value


def why_unwritable(place: Path, *, is_folder: bool) -> str:
    """Return why a file or folder cannot be written, or "" if it can."""
    try:
        nearest = next(path for path in (place, *place.parents) if path.exists())
        reason = "" if os.access(nearest, os.W_OK) else "Permission denied"
        return reason if nearest.is_dir() or (nearest == place and not is_folder) else f"{nearest} is not a folder"
    except OSError as error:
        return error.strerror


def option(name: str, help: str, *, choices: Sequence[str] = (), many: bool = False, is_checked: bool = True, **settings) -> click.Option:
    """Make an option with one of `choices`, or, if `many`, with a value each time it is given. `is_checked` is OutputPath's."""
    if name in WRITES:
        settings["type"] = OutputPath(is_folder=settings.get("metavar") == "DIR", is_checked=is_checked)
    return click.Option([name], help=help, multiple=many, **_typed(settings, choices))


def flag(name: str, help: str) -> click.Option:
    """Make an option without a value."""
    return click.Option([name], help=help, is_flag=True, default=False)


def argument(name: str, help: str, *, many: bool = False, choices: Sequence[str] = (), **settings) -> click.Argument:
    """Make an argument, or one that takes all remaining words if `many`."""
    return click.Argument([name], help=help, nargs=-1 if many else 1, **_typed(settings, choices))


def _typed(settings: dict[str, Any], choices: Sequence[str]) -> dict[str, Any]:
    """Return a parameter's settings with a type for choices, or for a path to read, whose ~ is the user's home folder."""
    if choices:
        return {"type": click.Choice(choices)} | settings
    reads_path = READS.get(settings.get("metavar"), "") is None
    return {"type": _in_home if settings["metavar"] in ("DIR", "FOLDER") else _file} | settings if reads_path else settings


def _in_home(path: str) -> str:
    return os.path.expanduser(path) if "/" in path else path  # a file may be called "~"


def _file(path: str) -> str:
    path = _in_home(path)
    if os.path.isdir(path):
        raise click.BadParameter(f"{path} is a folder. Choose a file.")
    return path


def command(name: str, *options: click.Parameter, **groups: str) -> Callable[[Callable[..., Answer]], Command]:
    """Make a command of a function whose keywords are these options and groups of them, and whose docstring is the help.

    --json is added to every command, and --overwrite to one that writes.
    """
    params = [flag("--json", "print one JSON object on stdout and nothing else"), *options]
    writing = [k for k, param in enumerate(params) if isinstance(param.type, OutputPath)]
    if writing and OVERWRITE not in params:
        params.insert(writing[-1] + 1, OVERWRITE)
    return partial(Command, name, groups=groups, params=params)


def group(name: str | None, help: str, *, commands: Sequence[click.Command]) -> click.Group:
    """Make a group of commands."""
    for item in commands:
        if isinstance(item, Command):
            item.path = " ".join(filter(None, (name, item.name)))
    return click.Group(name, commands, help=help, no_args_is_help=False, context_settings=SETTINGS)


def whole(lowest: int, highest: int = 2**31 - 1) -> click.IntRange:
    """Return the type of an integer within bounds; without `highest`, one that fits 32 bits."""
    return click.IntRange(lowest, highest)


def finite(text: str) -> float:
    """Convert an option's text to a finite number."""
    number = float(text)  # click reports a ValueError
    if not math.isfinite(number):
        raise click.BadParameter(f"{text} is not a finite number.")
    return number


@dataclass(frozen=True)
class ModelOptions:
    """The values of the options MODEL; `model` may be an open one."""

    model: Any = "elmo-mini"
    pieces: str = "mean"
    download: bool = False
    device: str = "cpu"


OVERWRITE = flag("--overwrite", "replace files that exist, even if this command did not write them")
CORPUS = option("--corpus", "a registry name, an index folder, or a file of sentences (default: its language's)", metavar="C", default="")
DEVICE = option("--device", "where networks run: auto uses a graphics card if torch has one (default cpu)", choices=DEVICES, default="cpu")
CLUSTER = option("--cluster", "run on the workers of this Dask scheduler (tcp://host:8786), with the same result", metavar="ADDRESS")
SEEDS = option("--seeds", "one run each (default 0, 1, 2)", metavar="S", type=whole(0), many=True, default=(0, 1, 2))
BEST = option("--k", f"how many, best first (default {NEIGHBORS})", type=whole(1), default=NEIGHBORS)
PIECES = option("--pieces", "a transformer's pieces that make a word's vector", choices=("mean", "first", "last"), default="mean")
DOWNLOAD = flag("--download", "fetch what is not on this machine yet")
MODEL = (
    option("--model", "a registry name, or a folder with an ELMo or transformer model", metavar="M", default="elmo-mini"),
    *(PIECES, DOWNLOAD, DEVICE),
)
VECTORS = option("--vectors", "static vectors: a registry name or a vector file", metavar="V", default="glove-mini")
MODEL_AND_VECTORS = (*MODEL, VECTORS)
