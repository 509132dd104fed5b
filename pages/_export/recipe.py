"""What a notebook is made of: a sentence of what it shows, the values it is given, and cells of constant code that use them.

User text gets into the code by `repr`, in the cell of given values, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.text import languages
from core.text.tokens import find_word

Settings = Mapping[str, Any]
EXAMPLE = ("We sat on the grassy bank and watched the boats go by.", "The bank refused to lend him any more money.")

OPEN = """\
from core.elmo.models import open_model
from core.text import languages

model = open_model(model_name)
languages.use(model.language.code)  # how its text is cut into tokens
"""
QUERIES = """\
from core.index import neighbours

queries = [neighbours.make_query(model.encoder, languages.tokenize(text), position) for text, position in sentences]
[(query.word, query.layers.shape) for query in queries]  # the word in question, its (layers, numbers)
"""
LABELLED = """\
from core.index.tables import open_table

table = open_table(corpus, model, targets_only=True)  # the sense-labelled tokens, a row each
"""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One view: what the notebook shows, names and values of the first cell, and the cells behind it."""

    shows: str
    given: Mapping[str, Any] = field(default_factory=dict)
    cells: tuple[str, ...] = ()


Maker = Callable[[Settings], Recipe]


def used(settings: Settings, *kinds: str) -> dict[str, str]:
    """Names of what is in use: "model", "vectors", "corpus"."""
    known = {
        "model": ("model_name", "elmo-mini"),
        "vectors": ("vectors_name", "glove-mini"),
        "corpus": ("corpus", "sentences"),
    }
    return {known[kind][0]: settings.get(kind) or known[kind][1] for kind in kinds}


def pair(settings: Settings) -> list[tuple[str, int]]:
    """The two sentences, each with the number of the word in question among its tokens; an empty one is left out."""
    both = [sentence(settings, key, default) for key, default in zip("ab", EXAMPLE, strict=True)]
    return [one for one in both if one[0].strip()]


def sentence(settings: Settings, key: str = "a", default: str = EXAMPLE[0]) -> tuple[str, int]:
    """A sentence and its word in question: the one chosen, else the word last looked at, else the longest."""
    text = settings.get(key, default) or ""
    tokens, position = languages.tokenize(text), settings.get(f"{key}i")
    if position not in range(len(tokens)):
        there = find_word(tokens, str(settings.get("w") or "bank"))
        position = there[0] if there else max(range(len(tokens)), key=lambda k: len(tokens[k]), default=0)
    return text, position


def chosen(settings: Settings, key: str, default: Any) -> Any:
    """A control's value, or what the page has at first where nothing is chosen."""
    value = settings.get(key)
    return default if value in (None, "") else value
