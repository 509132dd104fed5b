"""The notebooks of Classify, Next word, spellings, Groups and Compare."""

from core.common import model_layers
from core.common.i18n import ENGLISH, t
from core.files import registry
from core.text import languages
from pages._export.recipe import OPEN, NotebookRecipe, Settings, chosen, names_in_use, word

_HEADS = """\
from core.classify import tasks
from core.static.vectors import open_vectors

vectors = open_vectors(vectors_name)
opened = tasks.open_heads(tasks.task_named(task), model=model, vectors=vectors)
"""


def _task(settings: Settings, key: str) -> tuple[str, str]:
    """Return the task and the text. Heads that a user trained are not on disk, so the first task replaces them."""
    prepared = languages.get_language(ENGLISH).examples["classify"]
    task = chosen(settings, key, "news-title")
    task = task if task in prepared else "news-title"
    return task, chosen(settings, f"text_{task}", prepared[task][0]["text"])


def classify(settings: Settings) -> NotebookRecipe:
    shows = t("Every classifier’s prediction for a text. Your own have a notebook on Train.")
    task, text = _task(settings, "task")
    assignments = names_in_use(settings, "model", "vectors") | {"task": task, "text": text}
    return NotebookRecipe(shows, assignments, (OPEN, _HEADS, _ANSWERS, _ACCURACIES))


_ANSWERS = """\
from core.figures.classifiers import answers_figure, class_colors

tokens, answers = tasks.classify_text(opened, text, model=model, vectors=vectors)
labels = next(iter(opened.heads.values())).labels
colors = class_colors(labels, ordered=task.startswith("sentiment"))
answers_figure(list(answers), [answer.probabilities for answer in answers.values()], colors)
"""
_ACCURACIES = """\
{name: head.meta["test"]["accuracy"] for name, head in opened.heads.items()}  # on texts that none of them had seen
"""


def predict(settings: Settings) -> NotebookRecipe:
    shows = t("What both directions expect around a text, and each word’s surprisal.")
    first = next(iter(languages.in_use().examples.get("predict", ())), {"text": "", "other": ""})
    assignments = names_in_use(settings, "model") | {
        "text": chosen(settings, "ptext", first["text"]),
        "other": chosen(settings, "pother", first["other"]),
    }
    return NotebookRecipe(shows, assignments, (OPEN, _EXPECTED, _SURPRISAL, _VERSIONS))


_EXPECTED = """\
import pandas as pd

from core.analysis import expectation
from core.elmo.models import open_language_model

language_model = open_language_model(model)
read = expectation.read(language_model, expectation.sentences_of(text))
after, before = (expectation.expected_next(language_model, read, backward=backward) for backward in (False, True))
pd.concat([pd.DataFrame([(p.word, p.probability) for p in found.likeliest]) for found in (before, after)], axis=1, keys=["before", "after"])
"""
_SURPRISAL = """\
pd.DataFrame({"word": read.tokens, "from the left, bits": read.forward, "from the right, bits": read.backward}).round(2)
"""
_VERSIONS = """\
from core.figures.expectation import versions_figure

old = expectation.read(language_model, expectation.sentences_of(other))
pairs = expectation.aligned(old.tokens, read.tokens)


def along(values, places):
    return [float("nan") if k is None else float(values[k]) for k in places]


lines = [
    [along(values, [pair[side] for pair in pairs]) for values in (reading.forward, reading.backward)]
    for side, reading in ((0, old), (1, read))
]
versions_figure([(None if i is None else old.tokens[i], None if j is None else read.tokens[j]) for i, j in pairs], *lines)
"""


def spelling(settings: Settings) -> NotebookRecipe:
    shows = t("How the char-CNN reads a spelling: letter windows, neighbors, cosines.")
    among = chosen(settings, "spell_among", "10000")
    assignments = names_in_use(settings, "model", "vectors") | {
        "text": chosen(settings, "spell", next(iter(languages.in_use().examples.get("spelling", {}).values()), "")),
        "among": None if among == "all" else int(among),  # of the vocabulary, the most frequent; None: all
    }
    return NotebookRecipe(shows, assignments, (OPEN, _WINDOWS, _SPELLED, _COSINES))


_WINDOWS = """\
from core.figures.spelling import cosine_table, windows_figure
from core.analysis import spelling

words, _ = spelling.split_words(text, 8)
fired = [spelling.firing(model.encoder.model.characters, word) for word in words]
windows_figure(fired[0])
"""
_SPELLED = """\
import numpy as np

from core.common.directions import unit
from core.static.vectors import open_vectors

vectors = open_vectors(vectors_name)
rows = model.encoder.word_vectors(list(words))  # layer 0: one vector per spelling
known = spelling.list_words(model.folder, vectors)[0][:among]
cosines = unit(rows) @ unit(model.encoder.word_vectors(known)).T
nearest = [[k for k in np.argsort(-row, kind="stable") if known[k] != word][:10] for word, row in zip(words, cosines)]
{word: [(known[k], round(float(row[k]), 4)) for k in near] for word, near, row in zip(words, nearest, cosines)}
"""
_COSINES = """\
from core.figures.style import LAYER_COLORS

cosine_table(words, spelling.cosine_matrix(list(rows)), LAYER_COLORS["1"], key="cosines")
"""


def found(settings: Settings) -> NotebookRecipe:
    shows = t("A word’s sentences in groups, compared with labels if there are any.")
    number, usual = chosen(settings, "found_k", "auto"), languages.in_use().examples.get("grouped", "")
    assignments = names_in_use(settings, "model", "corpus") | {
        "word": str(chosen(settings, "found_word", word(settings) if "a" in settings else usual)).strip().casefold(),
        "layer": chosen(settings, "found_layer", "senses"),
        "number": int(number) if str(number).isdecimal() and len(str(number)) < 5 else None,  # None: as suggested
    }
    return NotebookRecipe(shows, assignments, (_GROUPS, _TYPICAL, _NUMBER))


_GROUPS = """\
from core.views import induction
from core.workspace import open_workspace

workspace = open_workspace(model_name, corpus=corpus)
result = induction.compute(workspace, induction.InductionRequest(word=word, space=layer, number=number))
occurrences, groups, suggestion = result.occurrences, result.groups, result.occurrences.suggestion
{name: int((groups.of == k).sum()) for k, name in enumerate(groups.names)}  # sentences of each
"""
_TYPICAL = """\
import numpy as np

typical = {  # the three sentences nearest to the middle of each group
    name: [occurrences.items[k].sentence for k in np.argsort(-np.where(groups.of == group, groups.near, -2))[:3]]
    for group, name in enumerate(groups.names)
}
typical, groups.agreement, groups.shares.round(2)  # of each sentence in each group
"""
_NUMBER = """\
from core.figures.spaces import number_figure
from core.senses import clusters

number_figure(clusters.NUMBERS, suggestion.silhouettes, suggestion.limit, number or suggestion.number, suggestion.small)
"""


def compare(settings: Settings) -> NotebookRecipe:
    shows = t("How many neighbors words keep between two spaces, and how similar the spaces are.")
    model, corpus = chosen(settings, "model", "elmo-mini"), chosen(settings, "corpus", "sentences")
    top = model_layers.in_use().top
    usual = chosen(settings, "vectors", "glove-mini"), f"{model} · {top}"
    if (beside := settings.get("beside")) and (folder := registry.place_of(beside, "model")):
        usual = f"{model} · {top}", f"{beside} · {model_layers.of_folder(folder).top}"
    spaces = [(chosen(settings, key, name), corpus) for key, name in zip(("first", "second"), usual, strict=True)]
    if settings.get("cmp") == "corpora":
        spaces = [(f"{model} · {top}", chosen(settings, key, corpus)) for key in ("first_corpus", "second_corpus")]
    return NotebookRecipe(shows, {"model_name": model, "spaces": spaces, "k": 10}, (_SPACES, _KEPT, _CHANGED))


_SPACES = """\
from core.views import compare
from core.views.compare import CompareRequest, space_named
from core.workspace import open_workspace

first, second = (space_named(*space) for space in spaces)  # a vector file, or the mean vectors of a model's words in a corpus, at one layer
result = compare.compute(open_workspace(model_name), CompareRequest(first=first, second=second, k=k))
compared, words = result.comparison, result.comparison.words
result.names, len(words), result.halves
"""
_KEPT = """\
from core.figures.spaces import overlap_histogram

print(float(compared.shared.mean()), "of", k, "on average; linear CKA", result.cka_pair)
overlap_histogram(compared.shared, k, compared.chance)
"""
_CHANGED = """\
changed = compared.most_changed()[:8]
{words[i]: ([words[j] for j in compared.first[i]], [words[j] for j in compared.second[i]]) for i in changed}
"""
