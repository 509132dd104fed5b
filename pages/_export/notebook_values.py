"""The notebook of each view: its file in core/notebooks, and its values, read from the controls of the page."""

import json
from collections.abc import Mapping
from typing import Any

from core import __version__
from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import ENGLISH, t
from core.common.limits import limits
from core.common.markup import Markup, plain, shorten
from core.notebooks.build import build_notebook
from core.text import languages, readings
from core.text.corpora import list_words
from core.text.target_word import find_target_words

FIXED = ""  # no control
MODEL = {"model_name": "model"}
WITH_VECTORS = MODEL | {"vectors_name": "vectors"}
WITH_CORPUS = MODEL | {"corpus": "corpus"}
EVERY = WITH_VECTORS | WITH_CORPUS
OF_LAYERS = {"layer": "dlayer", "space": "flip_layer", "order": "order", "how": "dhow", "swap": "dswap", "half": "dhalf", "sense": "dsense"}
OF_COLLOCATES = {"query": "find.used", "kind": "collocate_kind", "window": "window", "minimum": "minimum", "order": "collocate_order"}
NOTEBOOKS = {  # a view or a part of one -> its file in core/notebooks, and its parameters with the keys of their controls
    "home": ("words", EVERY | {"space": "layer"}),
    "neighbors": ("words", EVERY | {"layer": "nlayer", "among": "among", "k": "k"}),
    "why": ("words", EVERY | OF_LAYERS),
    "map": ("words", EVERY | {"word": "map_word", "plan": "layout", "around_plan": "around"}),
    "mix": ("words", EVERY | {"gamma": "gamma", "normalized": "norm"}),
    "how": ("model", MODEL | {"gamma": "gamma"}),
    "spelling": ("model", WITH_VECTORS | {"text": "spell"}),
    "about": ("model", MODEL | {"quantity": "curve"}),
    "predict": ("model", MODEL | {"text": "ptext", "other": "pother"}),
    "guess": ("model", MODEL | {"number": "guess.number"}),
    "cone": ("model", WITH_CORPUS | {"treatment": "cone"}),
    "apart": ("model", WITH_CORPUS | {"word": "apart_word", "threshold": "apart_at"}),
    "homonyms": ("model", MODEL | {"layer": "relation_layer"}),
    "control": ("model", MODEL | {"layer": "control_layer"}),
    "context": ("model", MODEL | {"layer": "context_layer"}),
    "before": ("model", MODEL),
    "search": ("corpus", WITH_CORPUS | {"query": "find.used", "kind": "find.kind", "order": "find_order"}),
    "collocates": ("corpus", WITH_CORPUS | OF_COLLOCATES | {"grammar": "grammar"}),
    "keyness": ("corpus", WITH_CORPUS | {"against": "against", "minimum": "key_minimum", "correction": "correction", "most": FIXED}),
    "found": ("corpus", WITH_CORPUS | {"word": "found.used", "layer": "found_layer"}),
    "spread": ("corpus", WITH_CORPUS | {"word": "found.used", "layer": "found_layer"}),
    "change": ("corpus", MODEL | {"word": "change.word", "sides": "change.sides"}),
    "compare": ("corpus", MODEL | {"spaces": "compare.spaces", "k": FIXED}),
    "classify": ("classifiers", WITH_VECTORS),
    "tasks": ("classifiers", WITH_VECTORS),
    "train": ("classifiers", {"task": FIXED}),
    "results": ("classifiers", {"experiment": "results_task"}),
}
SPELLING = "4"  # the step of How it works that has a separate notebook
Settings = Mapping[str, Any]  # the page's controls by key, and "model", "vectors", "corpus"; a missing one has the value of the file


def notebook(view: str, settings: Settings, *, question: str = "", lede: str = "", address: str = "") -> str:
    """Return the notebook of a view as JSON. Raises BadInput if the view has none. `question`, `lede` and `address` begin its text."""
    name = name_of(view, settings)
    if name not in NOTEBOOKS:
        raise BadInput(t("“{view}” has no notebook. Choose another view.", view=shorten(name)))
    file, controls = NOTEBOOKS[name]
    taken = {parameter: settings[key] for parameter, key in controls.items() if settings.get(key) not in (None, "")}
    values = taken | _read(name, settings)
    tags = (name, str(settings.get("task_of_paper") or "names")) if name == "tasks" else (name,)
    link = "".join(address.split()).replace("<", "%3C").replace(">", "%3E")  # as a browser writes it: Markdown ends a link at them
    if link:
        link = f"<{link}>" if "://" in link else f"`{link}`"
    parts = [
        f"# {plain(question)}" if question else "",
        plain(Markup(lede).striptags()),  # noqa: S704
        t("Run this notebook in Jupyter where Elmoscope is installed (`pip install .`), or in its folder, beside `app.py`."),
        link,
    ]
    opening = "\n\n".join(filter(None, parts))
    facts = {"view": view, "version": __version__}
    return build_notebook(file, tags, {*controls, *values}, values, opening=opening, metadata=facts)


def name_of(view: str, settings: Settings) -> str:
    """Return the key of a view's notebook in NOTEBOOKS. Each lesson and the step on spellings have their own."""
    if view == "lessons":
        return str(settings.get("lesson") or "cone")
    return "spelling" if view == "how" and str(settings.get("step")) == SPELLING else view


def _read(name: str, settings: Settings) -> dict[str, Any]:
    """Return the values of a notebook that differ from the value of one control."""
    layers = model_layers.in_use()
    both = {"sentences": pair(settings)} if NOTEBOOKS[name][0] == "words" else {}
    raw = {"raw": [settings.get(f"w{k}") or 0.0 for k in range(layers.n)]}
    match name:
        case "home":
            return both
        case "neighbors":
            return both | {"mix": _weights(settings, settings.get("nlayer"))}
        case "why":
            return both | {"mix": _weights(settings, settings.get("dlayer")), "space": settings.get("flip_layer") or layers.top}
        case "map":
            view = settings.get("view")
            ends = tuple(str(settings.get(key) or "") for key in ("right", "left", "up", "down"))
            ends = ends if {*ends[2:]}.isdisjoint({"", "–"}) else ends[:2]
            ends = ends if settings.get("layout") == "poles" and all(ends[:2]) else ()
            return both | {"ends": ends, "layer": view if view in (*layers.spaces, model_layers.SENSES) else layers.top}
        case "mix":
            return both | raw
        case "how":
            text, position, _ = _choose_sentences(settings)[0]
            return raw | {"text": text, "position": position}
        case "spelling":
            among = settings.get("spell_among") or "10000"
            return {"among": None if among == "all" else int(among)}
        case "before":
            return {"layer": "1"}
        case "search":
            return {"documents": tuple(settings.get("docs") or ())}
        case "collocates":
            return {"senses": settings.get("by_sense", "labels")}
        case "found":
            number = str(settings.get("found_k"))
            return {"number": int(number) if number.isdecimal() and len(number) < 5 else None}
        case "spread":
            items = map(json.loads, settings.get("spread.given") or ())
            return {"labels": [((tuple(tokens), position), sense) for tokens, position, sense in items]}
        case "change" if sides := tuple(settings.get("change.sides") or ()):
            return {"sides": [sides[:3], sides[3:]]}
        case "compare" if spaces := tuple(settings.get("compare.spaces") or ()):
            return {"spaces": [spaces[:2], spaces[2:]]}
        case "classify":
            stored = languages.get_language(ENGLISH).examples["classify"]
            task = settings.get("task")
            task = task if task in stored else "news-title"  # classifiers that a user trained are not on disk
            return {"task": task, "text": settings.get(f"text_{task}") or stored[task][0]["text"]}
        case "tasks":
            task = settings.get("task_of_paper") or "names"
            first = languages.get_language(ENGLISH).examples["tasks"][task][0]
            texts = [settings.get(key) or text for key, text in first.items()]
            return {"task": "clusters" if task == "coreference" else task, "texts": texts}
    return {}


def pair(settings: Settings) -> list[tuple[str, int, str]]:
    """Return the sentences that are not empty, each with its target's position and the word that an ambiguous spelling is read as."""
    return [item for item in _choose_sentences(settings) if item[0].strip()]


def _choose_sentences(settings: Settings) -> list[tuple[str, int, str]]:
    """Return both sentences, or the first example without any. Targets that the user did not select are guessed as on the pages."""
    example = next(iter(languages.in_use().examples.get("pairs", {}).values()), ("", ""))
    texts = [settings.get(key, first) or "" for key, first in zip("ab", example, strict=True)]
    both_tokens = [languages.tokenize(text)[: limits().max_words] for text in texts]
    tapped = [k if (k := settings.get(f"{key}i")) in range(len(tokens)) else None for key, tokens in zip("ab", both_tokens, strict=True)]
    places = find_target_words(*both_tokens, languages.in_use(), tapped=tuple(tapped))

    def read(tokens: list[str], place: int) -> str:
        possible = readings.readings(tokens[place], list_words(languages.in_use()))
        return settings["as"] if settings.get("as") in possible else readings.read_in(tokens, place)

    items = zip(texts, both_tokens, places, strict=True)
    return [(text, place or 0, "" if place is None else read(tokens, place)) for text, tokens, place in items]


def _weights(settings: Settings, layer: str | None) -> str:
    """Return the weights of the layer mix, "a,b,c", if it is the visible layer, else ""."""
    return (settings.get("s") or ",".join("1" * model_layers.in_use().n)) if layer == "mix" else ""
