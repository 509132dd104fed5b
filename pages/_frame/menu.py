"""The menu: pages under three headings, and the views of each page."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.common.i18n import t

HOME = "home"  # the view of app.py


@dataclass(frozen=True, slots=True)
class Page:
    """A page with its own address. Its views share a switch on the page; the first is the default."""

    file: str
    label: str
    icon: str
    parts: tuple[tuple[str, str], ...] = ()  # (view, label)

    @property
    def views(self) -> tuple[str, ...]:
        if self.parts:
            return tuple(view for view, _ in self.parts)
        return (HOME,) if self.file == "app.py" else (Path(self.file).stem,)

    @property
    def control(self) -> str:
        """The key of the page's switch, which is also its URL parameter."""
        return f"{Path(self.file).stem}_view"


def _page(name: str, label: str, icon: str, **parts: str) -> Page:
    return Page(f"pages/{name}.py", label, f":material/{icon}:", tuple(parts.items()))


def menu() -> dict[str, tuple[Page, ...]]:
    of_classify = {"classify": t("Try it"), "tasks": t("The paper’s tasks"), "train": t("Train"), "results": t("Results")}
    of_texts = {
        "texts": t("Texts"),
        "search": t("Search"),
        "collocates": t("Collocates"),
        "keyness": t("Keywords"),
        "change": t("Change over time"),
    }
    return {
        t("Explore"): (
            Page("app.py", t("Home"), ":material/home:"),
            _page("neighbors", t("Neighbors"), "hub"),
            _page("map", t("Map"), "scatter_plot"),
            _page("mix", t("Mix"), "tune"),
            _page("why", t("Why"), "content_cut"),
            _page("senses", t("Senses"), "workspaces", found=t("Groups"), spread=t("Your labels")),
        ),
        t("Apply"): (
            _page("classify", t("Classify"), "category", **of_classify),
            _page("predict", t("Next word"), "edit_note"),
            _page("texts", t("Your texts"), "library_books", **of_texts),
        ),
        t("Understand"): (
            _page("how", t("How it works"), "account_tree"),
            _page("learn", t("Learn"), "school", slides=t("Slides"), lessons=t("Lessons"), guess=t("Guess the machine")),
            _page("models", t("Models"), "layers", about=t("About"), compare=t("Compare")),
        ),
    }


def list_pages() -> tuple[Page, ...]:
    return tuple(page for pages in menu().values() for page in pages)


def list_views() -> tuple[str, ...]:
    """Return the views of all pages in the order of the menu."""
    return tuple(view for page in list_pages() for view in page.views)


def has_switch(view: str) -> bool:
    return any(view in page.views for page in list_pages() if len(page.parts) > 1)


def page_address(view: str) -> tuple[str, dict[str, str]]:
    """Return the file of a view's page, and the URL parameters that open the view."""
    page = next(page for page in list_pages() if view in page.views)
    return page.file, {page.control: view} if len(page.parts) > 1 else {}


def page_link(view: str, label: str, *, place=st, query_params: Mapping[str, str] | None = None, **options: Any) -> None:
    """Draw a link to a view, with additional URL parameters."""
    file, parameters = page_address(view)
    place.page_link(file, label=label, query_params={**parameters, **(query_params or {})} or None, **options)
