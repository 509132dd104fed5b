"""Show the page in a notebook: `elmoscope.live("We sat on the bank.", "The bank lent money.")`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from ..common.errors import BadInput
from ..common.markup import Markup, html
from ..workspace import BUNDLED_MODEL, open_workspace
from .page import contents, contents_of, examples_of, page_of, read_examples, write


@dataclass(frozen=True, slots=True)
class LivePage:
    """A written page, displayed in a frame that reads the file next to the notebook."""

    path: Path
    address: str  # what stands behind the file's name: sentences, word, layer
    height: int

    def _repr_html_(self) -> Markup:
        source = quote(self.path.as_posix()) + self.address
        return html('<iframe src="{}" width="100%" height="{}" style="border: 0" allow="clipboard-write"></iframe>', source, self.height)


def live(
    first: str = "",
    second: str = "",
    *,
    layer: str = "",
    model: str = BUNDLED_MODEL,
    examples: Mapping[str, Sequence[str]] | None = None,
    path: str = "",
    height: int = 1100,
) -> LivePage:
    """Return the page of a model, opened at two sentences. It needs no server.

    The page is a file of 27 MB next to the notebook: `path`, or else elmoscope.html, with the model's name for any model but elmo-mini. An
    existing page of the same model and examples is kept. Raises BadInput if the file is not a page of Elmoscope, or was edited.
    """
    given = read_examples({word: list(pair) for word, pair in examples.items()}, "examples") if examples else ()
    workspace = open_workspace(model)
    name = "" if model == BUNDLED_MODEL else "-" + re.sub(r"[^\w.-]+", "-", workspace.model.name).strip("-.")
    place = Path(path or f"elmoscope{name}.html")
    chosen = examples_of(workspace, given)
    present = contents_of(place)
    if present is None and place.exists():
        raise BadInput(f"{place} is not a page that elmoscope wrote, or was changed since. Name another file: path='my-page.html'.")
    if present != contents(workspace, chosen):
        write(place, page_of(workspace, chosen))
    parameters = {"a": first, "b": second} if first and second else {}
    parameters |= {"layer": layer} if layer else {}
    return LivePage(place, f"#{urlencode(parameters, quote_via=quote)}" if parameters else "", height)
