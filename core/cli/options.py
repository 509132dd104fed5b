"""Commands made of functions by click, as in `@command("name", "help", option("--word", "help"), *MODEL)`; options of several of them. No
command's file imports torch outside its functions: `--help` need not wait for it."""

import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import fields, is_dataclass, make_dataclass
from functools import partial
from inspect import signature
from itertools import takewhile
from pathlib import Path
from typing import Any

import click

from ..common.config import NEIGHBORS
from ..common.markup import shorten
from ..files import registry
from ..files.outputs import Outputs

DEVICES = ("auto", "cpu", "cuda", "mps")  # those of core.common.device, which would import torch before --help
Answer = tuple[Any, str | Iterable[str]]  # for --json, and for people: a text or its lines
READS = {  # metavar of an option or argument whose value names a file or folder to read -> its kind in core.files.registry
    **dict.fromkeys(("A", "A.jsonl", "B", "B.jsonl", "DIR", "F", "FILE", "FOLDER")),
    "C": "corpus",
    "M": "model",
    "V": "vectors",
}
WRITES = ("--output", "--csv", "--graph", "--work")  # unless a flag: an option that names a file or folder (metavar DIR) to write


class Helped:
    """Help first, and a command's whole help beside its name."""

    def get_help_option(self, ctx: click.Context) -> click.Option:
        option = super().get_help_option(ctx)
        option.help = "show this help message and exit"
        return option

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        *own, help_option = super().get_params(ctx)
        return [help_option, *own]

    def get_short_help_str(self, limit: int = 0) -> str:
        return self.help


class Command(Helped, click.Command):
    """A function with its options. Called by keywords it answers as the command does; left out options have their defaults. `groups` names
    a keyword of the function and the options that it takes together. The files that an option names to be written are checked before the
    function runs; a function that checks a place itself has a keyword `outputs`, an Outputs."""

    def __init__(self, name: str, callback: Callable[..., Answer], *, groups: dict[str, str], **settings) -> None:
        super().__init__(name, callback=callback, **settings)
        self.path = name  # with the names of its groups
        self.groups = {group: make_dataclass(group.title(), names.split(), frozen=True) for group, names in groups.items()}
        if MODEL[0] in self.params:
            self.groups["model"] = ModelOptions

    def __call__(self, **options) -> tuple[dict, str]:
        defaults = {param.name: param.default_value for param in self.params if isinstance(param, Option) and not param.required}
        return self.answer(**self._group(defaults | options))

    def answer(self, *, outputs: Outputs | None = None, **keywords) -> tuple[dict, str]:
        """What the function answers: a view's result as JSON has it, lines as one text."""
        if "outputs" in signature(self.callback).parameters:
            keywords["outputs"] = outputs
        with outputs.guarding() if outputs else nullcontext():
            result, lines = self.callback(**keywords)
        if is_dataclass(result):
            from .wire import json_of

            result = json_of(result)
        return result, lines if isinstance(lines, str) else "\n".join(lines)

    def numbers(self) -> dict[str, int | float]:
        """What counts where it is not given: whole numbers and shares, by option."""
        defaults = {param.opts[0].lstrip("-"): param.default_value for param in self.params if isinstance(param, Option)}
        return {name: value for name, value in defaults.items() if type(value) in (int, float)}

    def _group(self, options: dict) -> dict:
        options = {name: value for name, value in options.items() if name != "json"}
        if OVERWRITE in self.params:
            options["outputs"] = self._outputs(options)
        for name, kind in self.groups.items():
            options[name] = kind(**{field.name: options.pop(field.name) for field in fields(kind) if field.name in options})
        return options

    def _outputs(self, options: dict[str, Any]) -> Outputs:
        """The files that these options name."""
        read, named, files = [], [], []
        for param in self.params:
            value = options.get(param.name)
            values = [str(each) for each in (value if isinstance(value, list | tuple) else [value]) if isinstance(each, str | Path)]
            if isinstance(param, Option) and param.writes:
                places = [Path(each) for each in values if "://" not in each]
                named += [] if value == param.default_value else places
                files += places if param.metavar != "DIR" and param.checked else []
            elif param.metavar in READS:
                read += (place for each in values for place in registry.places(each, READS[param.metavar]))
        return Outputs(self.path, tuple(read), tuple(named), tuple(files), options.pop("overwrite"))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._join(ctx, list(args)))

    def invoke(self, ctx: click.Context) -> tuple[Callable[[], tuple[dict, str]], bool]:
        """What is to be run, and whether its answer is wanted as JSON."""
        return partial(self.answer, **self._group(ctx.params)), ctx.params.get("json", False)

    def _join(self, ctx: click.Context, words: list[str]) -> list[str]:
        """Write each value as --option=value.

        For an option that takes several values, each --option=value adds one, and values after a blank replace the earlier ones.
        """
        options = {name: option for option in self.params if isinstance(option, click.Option) for name in option.opts}
        joined = []
        while words:
            word = words.pop(0)
            if word == "--":
                return [*joined, word, *words]
            name, equals, value = word.partition("=")
            begun = [known for known in options if known.startswith(name)] if name.startswith("--") and name not in options else []
            name = begun[0] if len(begun) == 1 else name
            option = options.get(name)
            if option and option.is_flag and equals:
                ctx.fail(f"argument {name}: ignored explicit argument {value!r}")
            if option is None or option.is_flag:
                joined.append(name + equals + value)
                continue
            values = [value] if equals else list(takewhile(_is_value, words[: None if option.multiple else 1]))
            if not values:
                ctx.fail(f"argument {name}: expected {'at least one' if option.multiple else 'one'} argument")
            if option.multiple and not (option.extends or equals):
                joined = [earlier for earlier in joined if not earlier.startswith(f"{name}=")]
            joined += [f"{name}={value}" for value in values]
            words = words if equals else words[len(values) :]
        return joined


def _is_value(word: str) -> bool:
    return not word.startswith("-") or word == "-" or " " in word or re.fullmatch(r"-\d+|-\d*\.\d+", word) is not None


class Group(Helped, click.Group):
    """Commands, in the order they were added in."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        known = [name for get_param in self.get_params(ctx) for name in get_param.opts]
        if args and args[0].startswith("-") and args[0] not in known:
            ctx.fail(f"No such option {args[0]!r} before {self.subcommand_metavar}")
        if not args:
            ctx.fail(f"the following arguments are required: {self.subcommand_metavar}")
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: click.Context, args: list[str]):
        if args[0] not in self.commands:
            ctx.fail(f"argument {self.subcommand_metavar}: {_not_among(self.commands, args[0])}")
        return super().resolve_command(ctx, args)


class OneOf(click.Choice):
    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return _not_among(self.choices, value)


def _not_among(choices: Iterable[str], value: str) -> str:
    return f"invalid choice: {value!r} (choose from {', '.join(map(repr, choices))})"


class Option(click.Option):
    """An option with its default; one that takes many values gives a list, where `extends` of all of its places. The function itself checks
    the file that an option with `checked=False` writes."""

    def __init__(
        self, name: str, help_text: str, *, default=None, choices=None, type=None, many=False, extends=False, checked=True, **more
    ) -> None:
        settings = more if more.get("is_flag") else {"metavar": None if choices else name.strip("-").replace("-", "_").upper()} | more
        self.writes, self.checked = name in WRITES and not more.get("is_flag"), checked
        type = (writable_folder if more.get("metavar") == "DIR" else writable) if self.writes else type
        kind = {} if more.get("is_flag") else {"type": OneOf(choices) if choices else type}
        once = {"callback": lambda _ctx, _option, values: list(values)} if many else {}
        default = list(default or ()) if many and not more.get("required") else default
        unless = {} if default is None else {"default": default}
        super().__init__([name], help=help_text, multiple=many, **unless, **kind, **once, **settings)
        self.default_value, self.extends = default, extends


option = Option


def flag(name: str, help_text: str) -> Option:
    return Option(name, help_text, is_flag=True, default=False)


def argument(name: str, help_text: str, *, metavar: str, many: bool = False, required: bool = True, choices=None) -> click.Argument:
    how = {"nargs": -1 if many else 1, "required": required, "type": OneOf(choices) if choices else None}
    return click.Argument([name], help=help_text, metavar=metavar, **how)


def command(name: str, help_text: str, *options: click.Parameter, **groups: str) -> Callable[..., Command]:
    """Makes a command of a function whose keywords are these options and groups of them, --json and --help before them; --overwrite after
    one that writes."""
    places = [k for k, option in enumerate(options) if isinstance(option, Option) and option.writes]
    params = [flag("--json", "print one JSON object on stdout and nothing else"), *options]
    if places and OVERWRITE not in options:
        params.insert(places[-1] + 2, OVERWRITE)
    return partial(Command, name, groups=groups, params=params, help=help_text, context_settings=SETTINGS)


def group(name: str | None, help_text: str, *, commands: Sequence[click.Command], metavar: str = "") -> Group:
    named = metavar or "|".join(item.name for item in commands)
    made = Group(name, help=help_text, subcommand_metavar=named, no_args_is_help=False, context_settings=SETTINGS)
    for item in commands:
        made.add_command(item)
        if isinstance(item, Command):
            item.path = " ".join(filter(None, (name, item.name)))
    return made


def whole(least: int, most: int = 2**31 - 1) -> Callable[[str], int]:
    """The type of an argument that is a whole number within bounds."""

    def whole_number(text: str) -> int:
        if not re.fullmatch(r"\s*[+-]?\d+\s*", str(text)) or not least <= int(text) <= most:
            raise click.BadParameter(f"must be a whole number from {least:,} to {most:,}, got {shorten(text)}")
        return int(text)

    return whole_number


def writable(text: str, *, folder: bool = False) -> str:
    """The type of an argument that names a file or folder to be made: refused before the work, not after it."""
    place = Path(text).expanduser()
    try:
        nearest = next(path for path in (place, *place.parents) if path.exists())
        reason = "" if os.access(nearest, os.W_OK) else "Permission denied"
        reason = reason if nearest.is_dir() or (nearest == place and not folder) else f"{nearest} is not a folder"
    except OSError as error:
        reason = error.strerror
    if reason:
        raise click.BadParameter(f"{shorten(text, 200)} cannot be written: {reason}")
    return text


def writable_folder(text: str) -> str:
    """Check that a folder can be written, as `writable` checks a file."""
    return writable(text, folder=True)


def finite(text: str) -> float:
    """The type of an argument that is a number, and neither endless nor none."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise click.BadParameter(f"must be a number, got {shorten(text)}")
    return number


SETTINGS = {"help_option_names": ["-h", "--help"]}
OVERWRITE = flag("--overwrite", "replace files that exist, even if this command did not write them")
CORPUS = option("--corpus", "a registry name, an index folder, or a file of sentences (default: its language's)", metavar="C", default="")
DEVICE = option("--device", "where networks run: auto uses a graphics card if torch has one (default cpu)", choices=DEVICES, default="cpu")
CLUSTER = option("--cluster", "run on the workers of this Dask scheduler (tcp://host:8786), with the same result", metavar="ADDRESS")
SEEDS = option("--seeds", "one run each (default 0 1 2)", metavar="S", type=whole(0), many=True, default=(0, 1, 2))
BEST = option("--k", f"how many, best first (default {NEIGHBORS})", type=whole(1), default=NEIGHBORS)


PIECES = option("--pieces", "a transformer's pieces that make a word's vector", choices=("mean", "first", "last"), default="mean")
DOWNLOAD = flag("--download", "fetch what is not on this machine yet")
MODEL = (
    option(
        "--model", "a registry name, or a folder: ELMo's options.json and weights, or a transformer's", metavar="M", default="elmo-mini"
    ),
    *(PIECES, DOWNLOAD, DEVICE),
)
# The values of MODEL; its `model` may be an open one.
ModelOptions = make_dataclass("ModelOptions", [(each.name, Any, each.default_value) for each in MODEL], frozen=True)
VECTORS = option("--vectors", "static vectors: a registry name or a vector file", metavar="V", default="glove-mini")
MODEL_AND_VECTORS = (*MODEL, VECTORS)
