"""The notebook of each view: its file in core/notebooks, its description, and its values, read from the widgets of the page."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core import __version__
from core.common import model_layers
from core.common.config import NEIGHBORS
from core.common.errors import BadInput
from core.common.i18n import ENGLISH, t
from core.common.markup import plain, shorten
from core.files import registry
from core.notebooks.build import build_notebook
from core.text import languages, readings
from core.text.labeled_words import list_words
from core.text.target_word import find_target_words

SPELLING = "4"  # the step of How it works that has a notebook of its own
NEWS = ("sentences", "", "", "", "", "")  # the corpus, first and last date of each side; "": the example's own news
Settings = Mapping[str, Any]  # the page's widgets by URL parameter, and "model", "vectors", "corpus"; missing ones have the page's defaults


@dataclass(frozen=True, slots=True)
class NotebookRecipe:
    """A notebook: its file in core/notebooks, what it shows, the values of its parameters, and the tags of its cells."""

    file: str
    shows: str
    values: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()  # default: the view's name


def _home(settings: Settings) -> NotebookRecipe:
    shows = t("A word in two sentences: the verdict, its picture, and the words that ELMo expects.")
    values = words_in_use(settings, space=chosen(settings, "layer", model_layers.SENSES))
    return NotebookRecipe("words", shows, values)


def _neighbors(settings: Settings) -> NotebookRecipe:
    shows = t("Nearest occurrences in two contexts, and GloVe’s neighbors.")
    layer = chosen(settings, "nlayer", model_layers.in_use().top)
    among, k = chosen(settings, "among", "same word"), chosen(settings, "k", NEIGHBORS)
    values = words_in_use(settings, layer=layer, mix=mix_of(settings, layer), among=among, k=k)
    return NotebookRecipe("words", shows, values)


def _why(settings: Settings) -> NotebookRecipe:
    shows = t("One sentence edited into another, word by word, and how each word of the first changes the sense.")
    layer = chosen(settings, "dlayer", model_layers.in_use().top)
    values = words_in_use(
        settings,
        order=chosen(settings, "order", "left to right"),
        space=chosen(settings, "flip_layer", model_layers.in_use().top),
        how=chosen(settings, "dhow", "drop"),
        swap=chosen(settings, "dswap", "thing"),
        layer=layer,
        mix=mix_of(settings, layer),
        half=chosen(settings, "dhalf", "both"),
        sense=chosen(settings, "dsense", None),
    )
    return NotebookRecipe("words", shows, values)


def _map(settings: Settings) -> NotebookRecipe:
    shows = t("A word’s labeled sentences on a map per layer, with 1-NN accuracy; without labels, its occurrences and nearby words.")
    view, plan = chosen(settings, "view", model_layers.in_use().top), chosen(settings, "layout", "umap")
    ends = tuple(str(settings.get(key) or "") for key in ("right", "left", "up", "down"))
    ends = ends if {*ends[2:]}.isdisjoint({"", "–"}) else ends[:2]
    values = words_in_use(
        settings,
        word=chosen(settings, "map_word", word(settings)),
        plan=plan,
        ends=ends if plan == "poles" and all(ends[:2]) else (),
        around_plan=chosen(settings, "around", "spread"),
        layer=view if view in (*model_layers.in_use().spaces, model_layers.SENSES) else model_layers.in_use().top,
    )
    return NotebookRecipe("layers", shows, values)


def _mix(settings: Settings) -> NotebookRecipe:
    shows = t("Layers weighted by hand: nearest sentences, sense accuracy and the map.")
    values = words_in_use(
        settings,
        raw=[chosen(settings, f"w{k}", 0.0) for k in range(model_layers.in_use().n)],
        gamma=chosen(settings, "gamma", 1.0),
        normalized=bool(settings.get("norm")),
    )
    return NotebookRecipe("layers", shows, values)


def _how(settings: Settings) -> NotebookRecipe:
    shows = t("A word from characters to vector, step by step.")
    text, position = sentence(settings)
    values = names_in_use(settings, "model") | {
        "text": text,
        "position": position,
        "raw": [chosen(settings, f"w{k}", 0.0) for k in range(model_layers.in_use().n)],
        "gamma": chosen(settings, "gamma", 1.0),
    }
    return NotebookRecipe("model", shows, values, ("how",))


def _spelling(settings: Settings) -> NotebookRecipe:
    shows = t("How the char-CNN reads a spelling: letter windows, neighbors, cosines.")
    among = chosen(settings, "spell_among", "10000")
    values = names_in_use(settings, "model", "vectors") | {
        "text": chosen(settings, "spell", next(iter(languages.in_use().examples.get("spelling", {}).values()), "")),
        "among": None if among == "all" else int(among),
    }
    return NotebookRecipe("model", shows, values, ("spelling",))


def _about(settings: Settings) -> NotebookRecipe:
    shows = t("What each layer knows, by task, and how the model learned.")
    values = names_in_use(settings, "model") | {"quantity": chosen(settings, "curve", "perplexity")}
    return NotebookRecipe("model", shows, values)


def _predict(settings: Settings) -> NotebookRecipe:
    shows = t("What both directions expect around a text, and each word’s surprisal.")
    first = next(iter(languages.in_use().examples.get("predict", ())), {"text": "", "other": ""})
    values = names_in_use(settings, "model") | {
        "text": chosen(settings, "ptext", first["text"]),
        "other": chosen(settings, "pother", first["other"]),
    }
    return NotebookRecipe("model", shows, values)


def _guess(settings: Settings) -> NotebookRecipe:
    shows = t("A quiz’s sentences, with each label and the model’s choice.")
    return NotebookRecipe("model", shows, names_in_use(settings, "model") | {"number": settings.get("guess.number")})


def _search(settings: Settings) -> NotebookRecipe:
    shows = t("A concordance of a word or phrase.")
    values = names_in_use(settings, "model", "corpus") | {
        "query": chosen(settings, "find", word(settings)),
        "kind": chosen(settings, "find_kind", "word"),
        "order": chosen(settings, "find_order", "text"),
        "documents": tuple(settings.get("docs") or ()),
    }
    return NotebookRecipe("corpus", shows, values)


def _collocates(settings: Settings) -> NotebookRecipe:
    shows = t("The collocates of a word, whole and by its senses.")
    example = languages.in_use().examples.get("collocates", "")
    values = names_in_use(settings, "model", "corpus") | {
        "query": chosen(settings, "find", example or word(settings)),
        "kind": chosen(settings, "collocate_kind", "lemma"),
        "window": int(chosen(settings, "window", 5)),
        "minimum": int(chosen(settings, "minimum", 2)),
        "order": chosen(settings, "collocate_order", "log_dice"),
        "senses": settings.get("by_sense", "labels"),
        "grammar": bool(settings.get("grammar")),
    }
    return NotebookRecipe("corpus", shows, values)


def _keyness(settings: Settings) -> NotebookRecipe:
    shows = t("What a corpus says more often than another.")
    values = names_in_use(settings, "model", "corpus") | {
        "against": str(settings.get("against") or ""),
        "minimum": int(chosen(settings, "key_minimum", 5)),
        "correction": chosen(settings, "correction", "benjamini-hochberg"),
        "most": int(chosen(settings, "key_most", 100)),
    }
    return NotebookRecipe("corpus", shows, values)


def _found(settings: Settings) -> NotebookRecipe:
    shows = t("A word’s sentences in groups, compared with labels if there are any.")
    number, usual = chosen(settings, "found_k", "auto"), languages.in_use().examples.get("grouped", "")
    values = names_in_use(settings, "model", "corpus") | {
        "word": str(chosen(settings, "found_word", word(settings) if "a" in settings else usual)).strip().casefold(),
        "layer": chosen(settings, "found_layer", "senses"),
        "number": int(number) if str(number).isdecimal() and len(str(number)) < 5 else None,
    }
    return NotebookRecipe("corpus", shows, values)


def _spread(settings: Settings) -> NotebookRecipe:
    shows = t("A few labels of a word’s sentences, spread to all of them.")
    usual = word(settings) if "a" in settings else languages.in_use().examples.get("grouped", "")
    values = names_in_use(settings, "model", "corpus") | {
        "word": str(chosen(settings, "spread.word", chosen(settings, "found_word", usual))).strip().casefold(),
        "layer": chosen(settings, "found_layer", "senses"),
        "labels": [((tuple(tokens), position), sense) for tokens, position, sense in map(json.loads, settings.get("spread.given") or ())],
    }
    return NotebookRecipe("corpus", shows, values)


def _change(settings: Settings) -> NotebookRecipe:
    shows = t("A word between two corpora or spans of dates: how far its use differs, and its senses on both sides.")
    sides = tuple(settings.get("change.sides") or NEWS)
    values = names_in_use(settings, "model") | {
        "word": str(chosen(settings, "change.word", chosen(settings, "change_word", "court"))),
        "sides": [sides[:3], sides[3:]],
    }
    return NotebookRecipe("corpus", shows, values)


def _compare(settings: Settings) -> NotebookRecipe:
    shows = t("How many neighbors words keep between two spaces, and how similar the spaces are.")
    model, corpus = chosen(settings, "model", "elmo-mini"), chosen(settings, "corpus", "sentences")
    top = model_layers.in_use().top
    usual = chosen(settings, "vectors", "glove-mini"), f"{model} · {top}"
    if (beside := settings.get("beside")) and (folder := registry.place_of(beside, "model")):
        usual = f"{model} · {top}", f"{beside} · {model_layers.of_folder(folder).top}"
    spaces = [(chosen(settings, key, name), corpus) for key, name in zip(("first", "second"), usual, strict=True)]
    if settings.get("cmp") == "corpora":
        spaces = [(f"{model} · {top}", chosen(settings, key, corpus)) for key in ("first_corpus", "second_corpus")]
    return NotebookRecipe("corpus", shows, {"model_name": model, "spaces": spaces, "k": 10})


def _classify(settings: Settings) -> NotebookRecipe:
    shows = t("Every classifier’s prediction for a text. Your own have a notebook on Train.")
    prepared, task = languages.get_language(ENGLISH).examples["classify"], chosen(settings, "task", "news-title")
    task = task if task in prepared else "news-title"  # classifiers that a user trained are not on disk
    text = chosen(settings, f"text_{task}", prepared[task][0]["text"])
    values = names_in_use(settings, "model", "vectors") | {"task": task, "text": text}
    return NotebookRecipe("classifiers", shows, values)


def _tasks(settings: Settings) -> NotebookRecipe:
    shows = t("One task’s predictions for a text, with and without ELMo, and their accuracy.")
    prepared = languages.get_language(ENGLISH).examples["tasks"]
    task = chosen(settings, "task_of_paper", "names")
    task = task if task in prepared else "names"
    texts = [chosen(settings, key, text) for key, text in prepared[task][0].items()]
    return NotebookRecipe(
        "classifiers",
        shows,
        names_in_use(settings, "model", "vectors") | {"task": "clusters" if task == "coreference" else task, "texts": texts},
        ("tasks", task),
    )


def _train(settings: Settings) -> NotebookRecipe:
    shows = t("The bundled classifiers on unseen texts. Yours have their own notebook.")
    return NotebookRecipe("classifiers", shows, {"task": "news-title"})


def _results(settings: Settings) -> NotebookRecipe:
    shows = t("Every classifier’s accuracy over several seeds, from the bundled results.")
    return NotebookRecipe("classifiers", shows, {"experiment": chosen(settings, "results_task", "titles")})


def _lessons(settings: Settings) -> NotebookRecipe:
    """Return the notebook of the lesson in the URL."""
    top = model_layers.in_use().top
    lessons = {  # what each shows, and its parameters: their widgets and defaults
        "cone": (
            t("Cosines of two different words and of one word, by layer: raw, minus the mean, minus top directions."),
            {"treatment": ("cone", "raw")},
        ),
        "apart": (
            t("Cosines of same-sense and different-sense pairs by layer, and a threshold’s errors."),
            {"word": ("apart_word", "all words"), "threshold": ("apart_at", None)},
        ),
        "homonyms": (t("How well senses separate, by their relation."), {"layer": ("relation_layer", top)}),
        "control": (t("Probe accuracy on real and random tags, by layer and rank."), {"layer": ("control_layer", top)}),
        "context": (t("A layer beside controls with less context or training, by word."), {"layer": ("context_layer", "1")}),
        "before": (t("What ELMo knows before the word, beside layer 1."), {}),
    }
    name = str(chosen(settings, "lesson", "cone"))
    if name not in lessons:
        raise BadInput(t("“{view}” has no notebook. Choose another view.", view=shorten(name)))
    shows, parameters = lessons[name]
    kinds = ("model", "corpus") if name in ("cone", "apart") else ("model",)
    values = names_in_use(settings, *kinds) | {key: chosen(settings, *widget) for key, widget in parameters.items()}
    return NotebookRecipe("lessons", shows, values if name != "before" else values | {"layer": "1"}, (name,))


def names_in_use(settings: Settings, *kinds: str) -> dict[str, str]:
    """Return the names of the selected "model", "vectors" and "corpus"."""
    known = {"model": ("model_name", "elmo-mini"), "vectors": ("vectors_name", "glove-mini"), "corpus": ("corpus", "sentences")}
    return {known[kind][0]: settings.get(kind) or known[kind][1] for kind in kinds}


def words_in_use(settings: Settings, **more: Any) -> dict[str, Any]:
    """Return the selected names, the target words in their sentences, and more."""
    return names_in_use(settings, "model", "vectors", "corpus") | {"sentences": pair(settings)} | more


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


VIEWS: dict[str, Callable[[Settings], NotebookRecipe]] = {  # a page's file without its ending; "home" is app.py
    "home": _home,
    "neighbors": _neighbors,
    "why": _why,
    "guess": _guess,
    "map": _map,
    "mix": _mix,
    "classify": _classify,
    "tasks": _tasks,
    "train": _train,
    "results": _results,
    "predict": _predict,
    "about": _about,
    "search": _search,
    "collocates": _collocates,
    "keyness": _keyness,
    "found": _found,
    "spread": _spread,
    "change": _change,
    "compare": _compare,
    "how": lambda settings: (_spelling if str(settings.get("step")) == SPELLING else _how)(settings),
    "lessons": _lessons,
}


def notebook(view: str, settings: Settings, *, question: str = "", address: str = "") -> str:
    """Return the notebook of a view as JSON. Raises BadInput if the view has none. `address` is written into the text."""
    if view not in VIEWS:
        raise BadInput(t("“{view}” has no notebook. Choose another view.", view=shorten(view)))
    recipe = VIEWS[view](settings)
    facts = {"view": view, "version": __version__}
    opening = _describe(recipe, question, address)
    return build_notebook(recipe.file, recipe.tags or (view,), recipe.values, opening=opening, metadata=facts)


def _describe(recipe: NotebookRecipe, question: str, address: str) -> str:
    where = t("Run this notebook in Jupyter where Elmoscope is installed (`pip install .`), or in its folder, beside `app.py`.")
    link = "".join(address.split()).replace("<", "%3C").replace(">", "%3E")  # as a browser writes it: Markdown ends a link at them
    parts = [
        f"# {plain(question)}" if question else "",
        recipe.shows,
        where,
        (f"<{link}>" if "://" in link else f"`{link}`") if link else "",
    ]
    return "\n\n".join(part for part in parts if part)
