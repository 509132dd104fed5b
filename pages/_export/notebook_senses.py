"""The notebooks of Your labels and of Change over time."""

import json

from core.common.i18n import t
from core.text import languages
from pages._export.recipe import NotebookRecipe, Settings, chosen, names_in_use, word

NEWS = ("sentences", "", "", "", "", "")  # of each side its corpus, its first and its last date; "" the example's own news


def spread(settings: Settings) -> NotebookRecipe:
    shows = t("A few labels of a word’s sentences, spread to all of them.")
    usual = word(settings) if "a" in settings else languages.in_use().examples.get("grouped", "")
    assignments = names_in_use(settings, "model", "corpus") | {
        "word": str(chosen(settings, "spread.word", chosen(settings, "found_word", usual))).strip().casefold(),
        "layer": chosen(settings, "found_layer", "senses"),
        "labels": [((tuple(tokens), position), sense) for tokens, position, sense in map(json.loads, settings.get("spread.given") or ())],
    }
    return NotebookRecipe(shows, assignments, (_SPREAD, _SENTENCES, _MAP))


_SPREAD = """\
from core.corpus.label_files import numbered, tokens_of
from core.views import induction
from core.workspace import open_workspace

workspace = open_workspace(model_name, corpus=corpus)
occurrences = induction.compute(workspace, induction.InductionRequest(word=word, space=layer)).occurrences
given = numbered(labels, tokens_of(occurrences.items)).given  # labels stay on their sentences, whatever else the corpus holds
spread = induction.compute(workspace, induction.InductionRequest(word=word, space=layer, given=given)).spread  # None below two senses
spread and [occurrences.items[k].sentence for k in spread.doubtful[:3]]  # to be labeled next
"""
_SENTENCES = """\
import pandas as pd

table = pd.DataFrame({"sentence": [o.sentence for o in occurrences.items], "sense": None, "probability": None})
if spread:
    table["sense"] = [spread.senses[k] for k in spread.of]
    table["probability"] = spread.shares.max(axis=1)
    table["by you"] = spread.labeled
table
"""
_MAP = """\
from core.figures.spaces import label_map

sentences = table["sentence"].tolist()
label_map(
    occurrences.coordinates, spread.of, spread.shares.max(axis=1), spread.labeled, spread.senses, sentences, key="spread"
) if spread else None
"""


def change(settings: Settings) -> NotebookRecipe:
    shows = t("A word between two corpora or spans of dates: how far its use differs, and its senses on both sides.")
    sides = tuple(settings.get("change.sides") or NEWS)
    assignments = names_in_use(settings, "model") | {
        "word": str(chosen(settings, "change.word", chosen(settings, "change_word", "court"))),
        "sides": [sides[:3], sides[3:]],  # corpus, first date, last date
    }
    return NotebookRecipe(shows, assignments, (_CHANGE, _BANDS, _CONTROL))


_CHANGE = """\
import pandas as pd

from core.views import change
from core.views.sides import Side, keep_news
from core.workspace import open_workspace

news = keep_news()  # the example's second side
first, second = (Side(corpus=corpus or news, start=start, end=end) for corpus, start, end in sides)
workspace = open_workspace(model_name, corpus=first.corpus)
result = change.compute(workspace, change.ChangeRequest(word=word, first=first, second=second))
measures = result.change.measures
pd.DataFrame({name: [of.value, of.null, of.p] for name, of in measures.items()}, index=["here", "shuffled", "p"]).T
"""
_BANDS = """\
import numpy as np

from core.figures.spaces import bands_figure

bands = [band.name or ("first", "second")[k] for k, band in enumerate(result.bands)]
bands_figure(bands, np.array([band.counts for band in result.bands]), result.names, key="bands")
"""
_CONTROL = """\
control = change.control(workspace, change.ControlRequest(word=word, first=first, second=second))  # reads every token of both sides
control and f"differs more than {control.below} of {len(control.words)} words of like frequency"
"""
