"""Notebooks as Jupyter files (nbformat 4.5). They are JSON of fifteen lines; the package nbformat would add ten others."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from core import __version__
from core.common.errors import BadInput
from core.common.i18n import language, t
from core.common.markup import plain, shorten
from pages._export import (
    notebook_corpus,
    notebook_layers,
    notebook_lessons,
    notebook_measured,
    notebook_senses,
    notebook_tasks,
    notebook_texts,
    notebook_words,
)
from pages._export.recipe import Maker, NotebookRecipe, Settings

SPELLING = "4"  # the step of How it works that has a recipe of its own
VIEWS: dict[str, Maker] = {  # a page's file without its ending; "home" is app.py
    "home": notebook_words.home,
    "neighbors": notebook_words.neighbors,
    "why": notebook_words.why,
    "guess": notebook_words.guess,
    "map": notebook_layers.map_,
    "mix": notebook_layers.mix,
    "classify": notebook_texts.classify,
    "tasks": notebook_tasks.tasks,
    "train": notebook_measured.train,
    "results": notebook_measured.results,
    "predict": notebook_texts.predict,
    "about": notebook_layers.model,
    "search": notebook_corpus.corpus,
    "collocates": notebook_corpus.collocates,
    "keyness": notebook_corpus.keyness,
    "found": notebook_texts.found,
    "spread": notebook_senses.spread,
    "change": notebook_senses.change,
    "compare": notebook_texts.compare,
    "how": lambda settings: (notebook_texts.spelling if str(settings.get("step")) == SPELLING else notebook_layers.how)(settings),
    "lessons": notebook_lessons.lessons,
}

IMPORTS = re.compile(r"^( *(?:from|import) )core\b", re.MULTILINE)  # `core` has this name in the app's process only
LOOK = """\
import plotly.graph_objects as go
import plotly.io as pio

room = go.layout.Template(layout={"xaxis": {"automargin": True}, "yaxis": {"automargin": True}})  # for the words beside the axes
pio.templates["room"], pio.templates.default = room, "plotly_white+room"
"""


def notebook(view: str, settings: Settings, *, question: str = "", address: str = "") -> str:
    """Return the notebook of a view as JSON. Raises BadInput if the view has none.

    `settings` are the page's widgets by URL parameter, and "model", "vectors", "corpus". Missing ones have the page's defaults. `address` is
    written into the text.
    """
    if view not in VIEWS:
        raise BadInput(t("“{view}” has no notebook. Choose another view.", view=shorten(view)))
    recipe = VIEWS[view](settings)
    drawn = [LOOK] if any("figures" in code for code in recipe.cells) else []
    code_cells = [_write_assignments(recipe.assignments), *drawn, *recipe.cells]
    cells = [_cell(0, "markdown", _opening(recipe, question, address))]
    cells += [_cell(number, "code", IMPORTS.sub(r"\1elmoscope.core", code)) for number, code in enumerate(code_cells, 1)]
    known = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "elmoscope": {"view": view, "version": __version__},
    }
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": known, "cells": cells}, ensure_ascii=False, indent=1)


def _opening(recipe: NotebookRecipe, question: str, address: str) -> str:
    where = t("Run this notebook in Jupyter where Elmoscope is installed (`pip install .`), or in its folder, beside `app.py`.")
    link = "".join(address.split()).replace("<", "%3C").replace(">", "%3E")  # as a browser writes it: Markdown ends a link at them
    parts = [
        f"# {plain(question)}" if question else "",
        recipe.shows,
        where,
        (f"<{link}>" if "://" in link else f"`{link}`") if link else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _write_assignments(assignments: Mapping[str, Any]) -> str:
    """Return a cell of assignments, with the language of the page if it is not English."""
    lines = [f"{name} = {value!r}" for name, value in assignments.items()]
    if language() != "en":
        lines = ["from core.common import i18n", "", f"i18n.use({language()!r})  # of titles and labels in figures", *lines]
    return "\n".join(lines) or "# nothing is set by hand here"


def _cell(number: int, kind: str, source: str) -> dict[str, Any]:
    """Return a cell with its source as lines. Equal cells have equal ids."""
    lines = source.rstrip("\n").splitlines(keepends=True)
    name = f"{number}-{hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": lines}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
