"""Convert requests from JSON and results to JSON, for the command `view` and for servers.

A word in context is {"text": "We sat on the bank.", "word": "bank"}, with "position" (a token, from 0) if the word occurs more than once.
Without "word", the word is guessed from all texts of the request, as on the pages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import numpy as np

from ..common import reports
from ..common.errors import BadInput
from ..common.limits import limits
from ..common.markup import check_choice, shorten
from ..text.corpora import list_words, locate, longer_word
from ..text.languages import note_unread
from ..text.readings import WordInContext, readings
from ..text.tokens import bare

if TYPE_CHECKING:
    from ..text.languages import Language
    from ..workspace import Workspace

VIEWS = {  # the module of core.views and the function that computes each
    **{name: (name, "compute") for name in ("pair", "neighbors", "induction", "layouts", "substitutes", "compare", "mix")},
    "around": ("neighbors", "compute_around"),
    "attribution": ("why", "compute_attribution"),
    "edits": ("why", "compute_edits"),
    "change": ("change", "compute"),
    **{name: ("concordance", name) for name in ("concordance", "collocates", "keyness")},
}
Compute = Callable[["Workspace", Any], Any]
WORD_KEYS = ("text", "word", "position", "read_as")
EXAMPLE = '{"text": "We sat on the bank.", "word": "bank"}'
PLACES = 8  # positions of a word that a message lists
KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}


def answer(workspace: Workspace, name: str, request: Any) -> dict[str, Any]:
    """Compute a view for a request from JSON. Raises BadInput for an invalid request."""
    compute = view_named(name)
    return json_of(compute(workspace, request_of(workspace, compute, request)))


def request_of(workspace: Workspace, compute: Compute, data: Any) -> Any:
    """Build a view's request from JSON. Raises BadInput for an invalid one."""
    kind = _request_class(compute)
    if not isinstance(data, dict):
        raise BadInput(f"A request is a JSON object, not {cite(data)}. Use: {example(compute)}.")
    hints, required = get_type_hints(kind), _required(kind)
    if unknown := sorted(data.keys() - hints.keys()):
        raise BadInput(f"'{shorten(unknown[0])}' is not part of a request. Use: {', '.join(hints)}.")
    if missing := [name for name in required if name not in data]:
        raise BadInput(f"The request lacks '{missing[0]}'. It needs: {', '.join(required)}.")
    if empty := [name for name in required if WordInContext in _leaves(hints[name]) and _several(hints[name]) and data[name] == []]:
        raise BadInput(f"'{empty[0]}' is an empty list. Use [{EXAMPLE}].")
    words = _words(workspace, {name: (hints[name], data[name]) for name in data if WordInContext in _leaves(hints[name])})
    return kind(**{name: _value(name, hints[name], data[name]) for name in data if name not in words}, **words)


def example(compute: Compute) -> str:
    """Return a short example of a request."""
    kind = _request_class(compute)
    hints = get_type_hints(kind)
    return "{" + ", ".join(f'"{name}": {"{…}" if WordInContext in _leaves(hints[name]) else "…"}' for name in _required(kind)) + "}"


def json_of(value: Any) -> Any:
    """Convert a result to JSON types: dataclasses to objects, arrays to lists, NaN and infinity to null."""
    if isinstance(value, np.ndarray | np.generic):
        return json_of(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    derived = [(name, getattr(value, name)) for name, item in vars(type(value)).items() if isinstance(item, property)]
    if is_dataclass(value):
        stored = {field.name: json_of(getattr(value, field.name)) for field in fields(value) if not field.name.startswith("_")}
        return stored | {name: json_of(item) for name, item in derived if isinstance(item, str | int | float)}
    if isinstance(value, Mapping):
        return {str(key): json_of(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):  # a named tuple, with its properties
        return json_of(value._asdict() | dict(derived))
    if isinstance(value, list | tuple):
        return [json_of(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(json_of, value), key=str)
    raise TypeError(f"{type(value).__name__} is not a value of a result")


def view_named(name: str) -> Compute:
    """Return the function that computes a view."""
    check_choice("view", name, VIEWS)
    module, function = VIEWS[name]
    return getattr(import_module(f"..views.{module}", __package__), function)


def _required(kind: type) -> list[str]:
    return [field.name for field in fields(kind) if field.default is MISSING]


@cache
def _request_class(compute: Compute) -> type:
    return get_type_hints(compute)["request"]


def _leaves(hint: Any) -> tuple[Any, ...]:
    """Return the types in a hint."""
    return tuple(leaf for part in get_args(hint) for leaf in _leaves(part)) if get_origin(hint) else (hint,)


def _words(workspace: Workspace, values: dict[str, tuple[Any, Any]]) -> dict[str, Any]:
    """Build every word of a request from name -> (hint, value). Words are guessed together."""
    listed = [(name, item) for name, (hint, value) in values.items() for item in _as_list(name, hint, value)]
    for name, item in listed:
        if not isinstance(item, dict) or not isinstance(item.get("text"), str) or item.keys() - set(WORD_KEYS):
            raise BadInput(f"'{name}' is a word in context, not {cite(item)}. Use: {EXAMPLE}.")
        for key in ("word", "read_as"):
            if item.get(key) is not None:
                _value(f"{name}.{key}", str, item[key])
    located = [position_of(workspace.language, name, item, limits().max_words) for name, item in listed]
    places = [(item["text"], position) for (_, item), (position, _) in zip(listed, located, strict=True)]
    words: list[WordInContext] = []
    for together in [places] if 1 <= len(places) <= 2 else [[place] for place in places]:
        words += workspace.words(*(text for text, _ in together), positions=[position for _, position in together])
    groups: dict[str, list[WordInContext]] = {name: [] for name in values}
    for word, (name, item), (_, tokens) in zip(words, listed, located, strict=True):
        word = replace(word, tokens=tokens)
        groups[name].append(replace(word, read_as=reading(item.get("read_as"), word.word, workspace.language) or word.read_as))
    results: dict[str, Any] = {}
    for name, (_, value) in values.items():
        if value is None:
            results[name] = None
        else:
            results[name] = tuple(groups[name]) if isinstance(value, list) else groups[name][0]
    return results


def _as_list(name: str, hint: Any, value: Any) -> list[Any]:
    """Return the words of a part of a request: one, a list, or null, as its hint requires."""
    if value is None and NoneType in get_args(hint):
        return []
    if isinstance(value, list) != _several(hint):
        several, use = ("a list of words", f"[{EXAMPLE}]") if _several(hint) else ("one word", EXAMPLE)
        raise BadInput(f"'{name}' is {several} in context, not {cite(value)}. Use: {use}.")
    return value if isinstance(value, list) else [value]


def _several(hint: Any) -> bool:
    return any(get_origin(kind) is tuple for kind in (hint, *get_args(hint)))


def reading(wanted: str | None, word: str, language: Language) -> str:
    """Check how an ambiguous spelling is read; "" without a choice. Raises BadInput with the possible readings."""
    if not wanted:
        return ""
    if wanted not in (possible := readings(word, list_words(language))):
        what = f"Choose: {', '.join(possible)}." if possible else "Leave that out."
        raise BadInput(f"'{shorten(word)}' cannot be read as '{shorten(wanted)}'. {what}")
    return wanted


def position_of(language: Language, name: str, item: Mapping[str, Any], limit: int) -> tuple[int | None, tuple[str, ...]]:
    """Return the word's position, None if it must be guessed, and the tokens, cut so that the word is one of them.

    `limit` is the largest number of tokens. If the word occurs more than once and has no position, note that the first is taken.
    """
    tokens = language.tokenize(item["text"])
    if not 1 <= len(tokens) <= limit:
        raise BadInput(f"'{name}' is a text of {len(tokens):,} words. Use 1 to {limit:,}.")
    note_unread(tokens, language)
    position, word = item.get("position"), item.get("word")
    cut, places = locate(tokens, word, language) if word else (tokens, [])
    if position is not None and (not isinstance(position, int) or isinstance(position, bool) or not 0 <= position < len(cut)):
        raise BadInput(f"'{name}': position {cite(position)} is not a token. Use 0 to {len(cut) - 1}.")
    if word and not places:
        raise BadInput(f"'{name}': {no_token(word, tokens)}")
    if position is None and len(places) > 1:
        reports.add((name, word), f"'{shorten(word)}' is at {_list_places(places, ', ')}; taking the first.")
    if word and position is not None and position not in places:
        where = _list_places(places, " or ")
        raise BadInput(f"'{name}': token {position} is '{bare(cut[position])}', not '{shorten(word)}'. Use {where}.")
    return places[0] if word and position is None else position, tuple(cut)


def _list_places(places: Sequence[int], separator: str) -> str:
    return separator.join([*map(str, places[:PLACES]), *["…"] * (len(places) > PLACES)])


def _value(name: str, hint: Any, value: Any) -> Any:
    """Convert a JSON value to the type of a hint. Raises BadInput if it has another type."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if value is None and NoneType in kinds:
        return None
    for kind in kinds:
        if get_origin(kind) is tuple and isinstance(value, list):
            parts = get_args(kind)
            parts = parts[:1] * len(value) if parts[-1] is ... else parts
            if len(parts) == len(value):
                return tuple(_value(name, part, item) for part, item in zip(parts, value, strict=True))
        if is_dataclass(kind) and isinstance(value, dict) and value.keys() <= get_type_hints(kind).keys():
            hints = get_type_hints(kind)
            if missing := [key for key in _required(kind) if key not in value]:
                raise BadInput(f"'{name}' lacks '{missing[0]}'. It takes: {', '.join(hints)}.")
            return kind(**{key: _value(f"{name}.{key}", hints[key], item) for key, item in value.items()})
        if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
            with suppress(OverflowError):  # of an integer beyond the largest float
                return float(value)
        if kind in (str, int, bool) and type(value) is kind:
            return value
    raise BadInput(f"'{name}' is {cite(value)}. Use {' or '.join(map(_kind_name, kinds))}.")


def _kind_name(kind: Any) -> str:
    """Return the name of a type in JSON."""
    if get_origin(kind) is tuple:
        return f"a list of {' and '.join(_kind_name(part) for part in get_args(kind) if part is not ...)}"
    return f"an object of {', '.join(get_type_hints(kind))}" if is_dataclass(kind) else KINDS[kind]


def cite(value: Any) -> str:
    """Format a value as JSON, shortened."""
    return shorten(json.dumps(value, ensure_ascii=False))


def no_token(word: str, tokens: Sequence[str]) -> str:
    """Return the message that a word is not a token of a text."""
    if not tokens:
        return f"There is no word in the text. Write one with '{shorten(word)}' in it."
    part = f", only a part of '{shorten(longer)}'" if (longer := longer_word(tokens, word)) else ""
    return f"'{shorten(word)}' is not a token of the text{part}. Choose one of: {shorten(' '.join(map(bare, tokens)), 300)}"
