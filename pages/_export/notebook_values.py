"""The notebook of each view: its file in core/notebooks, its description, and its values, read from the widgets of the page."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from core import __version__
from core.common import model_layers
from core.common.config import NEIGHBORS
from core.common.errors import BadInput
from core.common.i18n import ENGLISH, t
from core.common.limits import limits
from core.common.markup import plain, shorten
from core.files import registry
from core.notebooks.build import build_notebook
from core.text import languages, readings
from core.text.corpora import list_words
from core.text.target_word import find_target_words

FILES = {  # in core/notebooks, and the views whose notebooks they make; "home" is app.py
    "words": ("home", "neighbors", "why", "map", "mix"),
    "model": ("how", "about", "predict", "guess", "lessons"),
    "corpus": ("search", "collocates", "keyness", "found", "spread", "change", "compare"),
    "classifiers": ("classify", "tasks", "train", "results"),
}
VIEWS = {view: file for file, views in FILES.items() for view in views}
SPELLING = "4"  # the step of How it works that has a separate notebook
NEWS = ("sentences", "", "", "", "", "")  # the corpus, first and last date of each side; "": the example's own news
Settings = Mapping[str, Any]  # the page's widgets by URL parameter, and "model", "vectors", "corpus"; missing ones have the page's defaults


def notebook(view: str, settings: Settings, *, question: str = "", address: str = "") -> str:
    """Return the notebook of a view as JSON. Raises BadInput if the view has none. `address` is written into the text."""
    if view not in VIEWS:
        raise BadInput(t("“{view}” has no notebook. Choose another view.", view=shorten(view)))
    shows, values, *tags = _READERS[VIEWS[view]](view, settings)
    link = "".join(address.split()).replace("<", "%3C").replace(">", "%3E")  # as a browser writes it: Markdown ends a link at them
    parts = [
        f"# {plain(question)}" if question else "",
        shows,
        t("Run this notebook in Jupyter where Elmoscope is installed (`pip install .`), or in its folder, beside `app.py`."),
        (f"<{link}>" if "://" in link else f"`{link}`") if link else "",
    ]
    opening, facts = "\n\n".join(filter(None, parts)), {"view": view, "version": __version__}
    return build_notebook(VIEWS[view], tags or (view,), values, opening=opening, metadata=facts)


def _read_words(view: str, settings: Settings) -> tuple[str, dict[str, Any]]:
    if view in ("map", "mix"):
        return _read_layers(view, settings)
    get, top = partial(chosen, settings), model_layers.in_use().top
    values = names_in_use(settings, "model", "vectors", "corpus") | {"sentences": pair(settings)}
    if view == "home":
        shows = t("A word in two sentences: the verdict, its picture, and the words that ELMo expects.")
        return shows, values | {"space": get("layer", model_layers.SENSES)}
    if view == "neighbors":
        layer = get("nlayer", top)
        values |= {"layer": layer, "mix": mix_of(settings, layer), "among": get("among", "same word"), "k": get("k", NEIGHBORS)}
        return t("Nearest occurrences in two contexts, and GloVe’s neighbors."), values
    layer = get("dlayer", top)
    values |= {"order": get("order", "left to right"), "space": get("flip_layer", top), "layer": layer, "mix": mix_of(settings, layer)}
    values |= {"how": get("dhow", "drop"), "swap": get("dswap", "thing"), "half": get("dhalf", "both"), "sense": get("dsense", None)}
    return t("One sentence edited into another, word by word, and how each word of the first changes the sense."), values


def _read_layers(view: str, settings: Settings) -> tuple[str, dict[str, Any]]:
    get, layers = partial(chosen, settings), model_layers.in_use()
    values = names_in_use(settings, "model", "vectors", "corpus") | {"sentences": pair(settings)}
    if view == "mix":
        shows = t("Layers weighted by hand: nearest sentences, sense accuracy and the map.")
        return shows, values | _read_mix(settings) | {"normalized": bool(settings.get("norm"))}
    layer, plan = get("view", layers.top), get("layout", "umap")
    ends = tuple(str(settings.get(key) or "") for key in ("right", "left", "up", "down"))
    ends = ends if {*ends[2:]}.isdisjoint({"", "–"}) else ends[:2]
    values |= {"word": get("map_word", word(settings)), "plan": plan, "around_plan": get("around", "spread")}
    values |= {
        "ends": ends if plan == "poles" and all(ends[:2]) else (),
        "layer": layer if layer in (*layers.spaces, model_layers.SENSES) else layers.top,
    }
    return t("A word’s labeled sentences on a map per layer, with 1-NN accuracy; without labels, its occurrences and nearby words."), values


def _read_model(view: str, settings: Settings) -> tuple:
    """Return the description and the values of a view of one model: How it works, About, Next word, the quiz or a lesson."""
    if view == "lessons":
        return _read_lesson(settings)
    get, values, examples = partial(chosen, settings), names_in_use(settings, "model"), languages.in_use().examples
    if view == "about":
        return t("What each layer knows, by task, and how the model learned."), values | {"quantity": get("curve", "perplexity")}
    if view == "predict":
        first = next(iter(examples.get("predict", ())), {"text": "", "other": ""})
        values |= {"text": get("ptext", first["text"]), "other": get("pother", first["other"])}
        return t("What both directions expect around a text, and each word’s surprisal."), values
    if view == "guess":
        return t("A quiz’s sentences, with each label and the model’s choice."), values | {"number": settings.get("guess.number")}
    if str(settings.get("step")) == SPELLING:
        among, spelling = get("spell_among", "10000"), next(iter(examples.get("spelling", {}).values()), "")
        values |= names_in_use(settings, "vectors") | {"text": get("spell", spelling), "among": None if among == "all" else int(among)}
        return t("How the char-CNN reads a spelling: letter windows, neighbors, cosines."), values, "spelling"
    text, position = sentence(settings)
    return t("A word from characters to vector, step by step."), values | {"text": text, "position": position} | _read_mix(settings)


def _read_corpus(view: str, settings: Settings) -> tuple[str, dict[str, Any]]:
    """Return the description and the values of a view of the user's texts, Senses or Compare."""
    if view == "compare":
        return _read_compare(settings)
    get, examples = partial(chosen, settings), languages.in_use().examples
    values = names_in_use(settings, "model", "corpus")
    usual = word(settings) if "a" in settings else examples.get("grouped", "")
    layer = get("found_layer", "senses")
    query, is_empty = settings.get("find.used"), not str(settings.get("find") or "").strip()  # the page chooses a word for an empty box
    match view:
        case "search":
            values |= {
                "query": query or get("find", word(settings)),
                "kind": "word" if is_empty else get("find_kind", "word"),
                "order": get("find_order", "text"),
            }
            return t("A concordance of a word or phrase."), values | {"documents": tuple(settings.get("docs") or ())}
        case "collocates":
            values |= {
                "query": query or get("find", examples.get("collocates", "") or word(settings)),
                "kind": get("collocate_kind", "lemma"),
            }
            values |= {"window": int(get("window", 5)), "minimum": int(get("minimum", 2)), "order": get("collocate_order", "log_dice")}
            values |= {"senses": settings.get("by_sense", "labels"), "grammar": bool(settings.get("grammar"))}
            return t("The collocates of a word, whole and by its senses."), values
        case "keyness":
            values |= {"against": str(settings.get("against") or ""), "minimum": int(get("key_minimum", 5)), "most": 100}
            values |= {"correction": get("correction", "benjamini-hochberg")}
            return t("What a corpus says more often than another."), values
        case "found":
            number = get("found_k", "auto")
            values |= {"word": str(get("found_word", usual)).strip().casefold(), "layer": layer}
            values |= {"number": int(number) if str(number).isdecimal() and len(str(number)) < 5 else None}
            return t("A word’s sentences in groups, compared with labels if there are any."), values
        case "spread":
            items = map(json.loads, settings.get("spread.given") or ())
            values |= {"word": str(get("spread.word", get("found_word", usual))).strip().casefold(), "layer": layer}
            values |= {"labels": [((tuple(tokens), position), sense) for tokens, position, sense in items]}
            return t("A few labels of a word’s sentences, spread to all of them."), values
    sides = tuple(settings.get("change.sides") or NEWS)
    values = names_in_use(settings, "model") | {"word": str(get("change.word", get("change_word", "court")))}
    values |= {"sides": [sides[:3], sides[3:]]}
    return t("A word between two corpora or spans of dates: how far its use differs, and its senses on both sides."), values


def _read_compare(settings: Settings) -> tuple[str, dict[str, Any]]:
    get, top = partial(chosen, settings), model_layers.in_use().top
    model, corpus = get("model", "elmo-mini"), get("corpus", "sentences")
    usual = get("vectors", "glove-mini"), f"{model} · {top}"
    if (other_model := settings.get("beside")) and (folder := registry.place_of(other_model, "model")):
        usual = f"{model} · {top}", f"{other_model} · {model_layers.of_folder(folder).top}"
    spaces = [(get(key, name), corpus) for key, name in zip(("first", "second"), usual, strict=True)]
    if settings.get("cmp") == "corpora":
        spaces = [(f"{model} · {top}", get(key, corpus)) for key in ("first_corpus", "second_corpus")]
    shows = t("How many neighbors words keep between two spaces, and how similar the spaces are.")
    return shows, {"model_name": model, "spaces": spaces, "k": 10}


def _read_classifiers(view: str, settings: Settings) -> tuple:
    """Return the description and the values of a view of Classify, in English, which the classifiers read."""
    get, examples = partial(chosen, settings), languages.get_language(ENGLISH).examples
    values = names_in_use(settings, "model", "vectors")
    if view == "train":
        return t("The bundled classifiers on unseen texts. Yours have their own notebook."), {"task": "news-title"}
    if view == "results":
        shows = t("Every classifier’s accuracy over several seeds, from the bundled results.")
        return shows, {"experiment": get("results_task", "titles")}
    if view == "classify":
        task = get("task", "news-title")
        task = task if task in examples["classify"] else "news-title"  # classifiers that a user trained are not on disk
        values |= {"task": task, "text": get(f"text_{task}", examples["classify"][task][0]["text"])}
        return t("Every classifier’s prediction for a text. Your own have a notebook on Train."), values
    task = get("task_of_paper", "names")
    task = task if task in examples["tasks"] else "names"
    values |= {"task": "clusters" if task == "coreference" else task}
    values |= {"texts": [get(key, text) for key, text in examples["tasks"][task][0].items()]}
    return t("One task’s predictions for a text, with and without ELMo, and their accuracy."), values, "tasks", task


def _read_lesson(settings: Settings) -> tuple:
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
    return shows, values if name != "before" else values | {"layer": "1"}, name


_READERS = {"words": _read_words, "model": _read_model, "corpus": _read_corpus, "classifiers": _read_classifiers}


def names_in_use(settings: Settings, *kinds: str) -> dict[str, str]:
    defaults = {"model": ("model_name", "elmo-mini"), "vectors": ("vectors_name", "glove-mini"), "corpus": ("corpus", "sentences")}
    return {defaults[kind][0]: settings.get(kind) or defaults[kind][1] for kind in kinds}


def pair(settings: Settings) -> list[tuple[str, int, str]]:
    """Return the sentences that are not empty, each with its target's position and the word that an ambiguous spelling is read as."""
    return [item for item in _choose_sentences(settings) if item[0].strip()]


def sentence(settings: Settings) -> tuple[str, int]:
    return _choose_sentences(settings)[0][:2]


def word(settings: Settings) -> str:
    text, position = sentence(settings)
    return str(settings.get("w") or "".join(languages.tokenize(text)[position : position + 1])).casefold()


def _choose_sentences(settings: Settings) -> list[tuple[str, int, str]]:
    """Return both sentences, or the first example without any. Targets that the user did not select are guessed as on the pages."""
    example = next(iter(languages.in_use().examples.get("pairs", {}).values()), ("", ""))
    texts = [settings.get(key, first) or "" for key, first in zip("ab", example, strict=True)]
    both_tokens = [languages.tokenize(text)[: limits().max_words] for text in texts]
    tapped = [k if (k := settings.get(f"{key}i")) in range(len(tokens)) else None for key, tokens in zip("ab", both_tokens, strict=True)]
    places = find_target_words(*both_tokens, languages.in_use(), tapped=tuple(tapped))
    result = []
    for text, tokens, place in zip(texts, both_tokens, places, strict=True):
        reading = ""
        if place is not None:
            possible = readings.readings(tokens[place], list_words(languages.in_use()))
            reading = settings["as"] if settings.get("as") in possible else readings.read_in(tokens, place)
        result.append((text, place or 0, reading))
    return result


def mix_of(settings: Settings, layer: str) -> str:
    """Return the weights of the layer mix, "a,b,c", if the view shows it, else ""."""
    return chosen(settings, "s", ",".join("1" * model_layers.in_use().n)) if layer == "mix" else ""


def _read_mix(settings: Settings) -> dict[str, Any]:
    raw = [chosen(settings, f"w{k}", 0.0) for k in range(model_layers.in_use().n)]
    return {"raw": raw, "gamma": chosen(settings, "gamma", 1.0)}


def chosen(settings: Settings, key: str, default: Any) -> Any:
    """Return the value of a widget, or the page's default."""
    value = settings.get(key)
    return default if value in (None, "") else value
