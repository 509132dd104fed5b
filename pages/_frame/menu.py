"""The menu: subjects, the pages on each, and the parts of a page; the door of every part, and of addresses that older links hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.common.i18n import t


@dataclass(frozen=True, slots=True)
class Page:
    """A page: a file with an address. Its parts are views between which the reader switches on the page; the first opens with it."""

    file: str
    label: str
    parts: tuple[tuple[str, str], ...] = ()  # (view, label)

    @property
    def views(self) -> tuple[str, ...]:
        return tuple(view for view, _ in self.parts) or (HOME if self.file == "app.py" else Path(self.file).stem,)

    @property
    def control(self) -> str:
        """The key of the switch between its parts, in the address too."""
        return f"{Path(self.file).stem}_view"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the menu: a subject, and the pages on it, each with a question of its own and an address of its own."""

    label: str
    icon: str
    pages: tuple[Page, ...]


HOME = "home"
# Addresses of views by their name, most once pages of their own; that of Speed is where its page was named.
NAMED = (
    *("cloud", "decided", "flip", "found", "spread", "tasks", "spelling", "state", "lessons", "teach", "guess"),
    *("collocates", "keyness", "change"),
)
MOVED = {name: name for name in NAMED} | {"speed": "model"}


def menu() -> tuple[Entry, ...]:
    """The menu in the reader's language."""
    return (
        Entry(t("Home"), ":material/home:", (Page("app.py", t("Home")),)),
        Entry(
            t("Neighbors"),
            ":material/hub:",
            (
                Page("pages/neighbours.py", t("Neighbors"), (("neighbours", t("Lists")), ("cloud", t("Cloud")))),
                Page("pages/why.py", t("Why this sense?"), (("decided", t("Which words decide")), ("flip", t("Edit until it flips")))),
            ),
        ),
        Entry(t("Map"), ":material/scatter_plot:", (Page("pages/map.py", t("Map")),)),
        Entry(t("Mix"), ":material/tune:", (Page("pages/mix.py", t("Mix")),)),
        Entry(
            t("Senses"),
            ":material/workspaces:",
            (Page("pages/senses.py", t("Senses"), (("found", t("Groups found")), ("spread", t("Your labels")))),),
        ),
        Entry(
            t("Classify"),
            ":material/category:",
            (
                Page("pages/classify.py", t("Try it"), (("classify", t("Classifiers")), ("tasks", t("The paper’s tasks")))),
                Page("pages/train.py", t("Train")),
                Page("pages/results.py", t("Results")),
            ),
        ),
        Entry(
            t("Language model"),
            ":material/school:",
            (Page("pages/predict.py", t("Next word")), Page("pages/model.py", t("About the model"))),
        ),
        Entry(
            t("Corpus"),
            ":material/library_books:",
            (
                Page("pages/corpus.py", t("Texts"), (("corpus", t("Search")), ("collocates", t("Collocates")), ("keyness", t("Keywords")))),
                Page("pages/compare.py", t("Compare"), (("compare", t("Spaces")), ("change", t("Change of meaning")))),
            ),
        ),
        Entry(
            t("Learn"),
            ":material/account_tree:",
            (
                Page("pages/how.py", t("How it works"), (("how", t("Step by step")), ("spelling", t("Spelling")), ("state", t("Memory")))),
                Page(
                    "pages/learn.py", t("Lessons"), (("lessons", t("Lessons")), ("teach", t("Slides")), ("guess", t("Guess the machine")))
                ),
            ),
        ),
    )


def door(view: str) -> tuple[str, dict[str, str]]:
    """The file of the page on which a view is, and what its address says to open it there."""
    page = next(page for entry in menu() for page in entry.pages if view in page.views)
    return page.file, {page.control: view} if len(page.parts) > 1 else {}


def page_link(view: str, label: str, *, place=st, query_params: Mapping[str, str] | None = None, **options: Any) -> None:
    """A link to a view; with `query_params`, what its address says besides."""
    file, parameters = door(view)
    place.page_link(file, label=label, query_params={**parameters, **(query_params or {})} or None, **options)
