"""The parts of a notebook: a description, the values of the view, and constant code that uses them.

Text of the user enters the code only through `repr`, in the cell of values.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.common import model_layers
from core.text import languages, readings
from core.text.labeled_words import list_words, with_words
from core.text.target_word import find_target_words
from core.text.tokens import bare

Settings = Mapping[str, Any]

OPEN = """\
from core.common import model_layers
from core.elmo.models import open_model
from core.text import languages

model = open_model(model_name)
model_layers.use(model.layers)  # how many it has, and what they are called
languages.use(model.language.code)  # how its text is cut into tokens
"""
WORKSPACE = """\
from core.common import model_layers
from core.text.readings import WordInContext
from core.workspace import open_workspace

workspace = open_workspace(model_name, vectors_name, corpus)
model = workspace.model
model_layers.use(workspace.layers)  # how many it has, and what they are called
words = [WordInContext(tuple(model.language.tokenize(text)), position, read_as) for text, position, read_as in sentences]
"""
SUBSTITUTES = """\
from core.common.errors import ElmoscopeError
from core.elmo.models import open_language_model
from core.elmo.substitutes import Substitutes

try:
    substitutes = Substitutes(open_language_model(model))
except ElmoscopeError as no_softmax:
    substitutes = None
    print(no_softmax)
"""


@dataclass(frozen=True, slots=True)
class NotebookRecipe:
    """The notebook of a view: its description, the names and values of the first cell, and the other cells."""

    shows: str
    assignments: Mapping[str, Any] = field(default_factory=dict)
    cells: tuple[str, ...] = ()


Maker = Callable[[Settings], NotebookRecipe]


def names_in_use(settings: Settings, *kinds: str) -> dict[str, str]:
    """Return the names of the selected "model", "vectors" and "corpus"."""
    known = {"model": ("model_name", "elmo-mini"), "vectors": ("vectors_name", "glove-mini"), "corpus": ("corpus", "sentences")}
    return {known[kind][0]: settings.get(kind) or known[kind][1] for kind in kinds}


def corpus_in_use(settings: Settings) -> dict[str, str]:
    """Return the selected corpus with the labeled sentences of the additional target words (core.text.labeled_words)."""
    words = [read_as or token for text, position, read_as in pair(settings) for token in languages.tokenize(text)[position : position + 1]]
    named = str(settings.get("map_word") or "")
    return {"corpus": with_words(names_in_use(settings, "corpus")["corpus"], [*map(bare, words), named])}


def words_in_use(settings: Settings, **more: Any) -> dict[str, Any]:
    """Return the selected names, the target words in their sentences, and more."""
    return names_in_use(settings, "model", "vectors", "corpus") | corpus_in_use(settings) | {"sentences": pair(settings)} | more


def pair(settings: Settings) -> list[tuple[str, int, str]]:
    """Return the two sentences, each with the position of its target and the word that an ambiguous spelling is read as.

    An empty sentence is left out.
    """
    return [item for item in _choose_sentences(settings) if item[0].strip()]


def sentence(settings: Settings) -> tuple[str, int]:
    """Return the first sentence and the position of its target."""
    return _choose_sentences(settings)[0][:2]


def word(settings: Settings) -> str:
    """Return the target word in lower case."""
    text, position = sentence(settings)
    return str(settings.get("w") or "".join(languages.tokenize(text)[position : position + 1])).casefold()


def _choose_sentences(settings: Settings) -> list[tuple[str, int, str]]:
    """Return both sentences, or the first example without any. Targets that the user did not select are guessed as on the pages."""
    example = next(iter(languages.in_use().examples.get("pairs", {}).values()), ("", ""))
    texts = [settings.get(key, first) or "" for key, first in zip("ab", example, strict=True)]
    tokens = [languages.tokenize(text) for text in texts]
    tapped = [k if (k := settings.get(f"{key}i")) in range(len(of)) else None for key, of in zip("ab", tokens, strict=True)]
    places = find_target_words(*tokens, languages.in_use(), tapped=tuple(tapped))
    return [(text, place or 0, _get_reading(settings, of, place)) for text, of, place in zip(texts, tokens, places, strict=True)]


def _get_reading(settings: Settings, tokens: list[str], position: int | None) -> str:
    if position is None:
        return ""
    possible = readings.readings(tokens[position], list_words(languages.in_use()))
    return settings["as"] if settings.get("as") in possible else readings.read_in(tokens, position)


def mix_of(settings: Settings, layer: str) -> str:
    """Return the weights of the layer mix, "a,b,c", if the view shows it, else ""."""
    return chosen(settings, "s", ",".join("1" * model_layers.in_use().n)) if layer == "mix" else ""


def chosen(settings: Settings, key: str, default: Any) -> Any:
    """Return the value of a widget, or the page's default."""
    value = settings.get(key)
    return default if value in (None, "") else value
