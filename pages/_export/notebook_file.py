"""The Jupyter notebook of a view."""

from core import __version__
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import plain, shorten
from core.notebooks.build import build_notebook
from pages._export.notebook_values import VIEWS, NotebookRecipe, Settings


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
