"""The menu: pages under three headings, and the views of each page."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.common.i18n import t


@dataclass(frozen=True, slots=True)
class Page:
    """A page with its own address. Its views share a switch on the page; the first is the default."""

    file: str
    label: str
    icon: str
    parts: tuple[tuple[str, str], ...] = ()  # (view, label)

    @property
    def views(self) -> tuple[str, ...]:
        return tuple(view for view, _ in self.parts) or (HOME if self.file == "app.py" else Path(self.file).stem,)

    @property
    def control(self) -> str:
        """The key of the page's switch, which is also its URL parameter."""
        return f"{Path(self.file).stem}_view"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the menu and its pages."""

    label: str
    pages: tuple[Page, ...]


HOME = "home"


def menu() -> tuple[Heading, ...]:
    """Return the menu in the language of the interface."""
    return (
        Heading(
            t("Explore"),
            (
                Page("app.py", t("Home"), ":material/home:"),
                Page("pages/neighbors.py", t("Neighbors"), ":material/hub:"),
                Page("pages/map.py", t("Map"), ":material/scatter_plot:"),
                Page("pages/mix.py", t("Mix"), ":material/tune:"),
                Page("pages/why.py", t("Why"), ":material/content_cut:"),
                Page("pages/senses.py", t("Senses"), ":material/workspaces:", (("found", t("Groups")), ("spread", t("Your labels")))),
            ),
        ),
        Heading(
            t("Apply"),
            (
                Page(
                    "pages/classify.py",
                    t("Classify"),
                    ":material/category:",
                    (("classify", t("Try it")), ("tasks", t("The paper’s tasks")), ("train", t("Train")), ("results", t("Results"))),
                ),
                Page("pages/predict.py", t("Next word"), ":material/edit_note:"),
                Page(
                    "pages/texts.py",
                    t("Your texts"),
                    ":material/library_books:",
                    (
                        ("texts", t("Texts")),
                        ("search", t("Search")),
                        ("collocates", t("Collocates")),
                        ("keyness", t("Keywords")),
                        ("change", t("Change over time")),
                    ),
                ),
            ),
        ),
        Heading(
            t("Understand"),
            (
                Page("pages/how.py", t("How it works"), ":material/account_tree:"),
                Page(
                    "pages/learn.py",
                    t("Learn"),
                    ":material/school:",
                    (("slides", t("Slides")), ("lessons", t("Lessons")), ("guess", t("Guess the machine"))),
                ),
                Page("pages/models.py", t("Models"), ":material/layers:", (("about", t("About")), ("compare", t("Compare")))),
            ),
        ),
    )


def list_pages() -> tuple[Page, ...]:
    """Return all pages in the order of the menu."""
    return tuple(page for heading in menu() for page in heading.pages)


def list_views() -> tuple[str, ...]:
    """Return the views of all pages in the order of the menu."""
    return tuple(view for page in list_pages() for view in page.views)


def has_switch(view: str) -> bool:
    """Return whether the page of a view has a switch between its views."""
    return any(view in page.views for page in list_pages() if len(page.parts) > 1)


def door(view: str) -> tuple[str, dict[str, str]]:
    """Return the file of a view's page, and the URL parameters that open the view."""
    page = next(page for page in list_pages() if view in page.views)
    return page.file, {page.control: view} if len(page.parts) > 1 else {}


def page_link(view: str, label: str, *, place=st, query_params: Mapping[str, str] | None = None, **options: Any) -> None:
    """Draw a link to a view, with additional URL parameters."""
    file, parameters = door(view)
    place.page_link(file, label=label, query_params={**parameters, **(query_params or {})} or None, **options)
