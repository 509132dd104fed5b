"""The page in a notebook: `elmoscope.live("We sat on the bank.", "The bank lent money.")`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from core.common.markup import Markup, html
from core.live.page import page_of, read_examples, write
from core.workbench import open_bench


@dataclass(frozen=True, slots=True)
class LivePage:
    """A written page, as a notebook shows it: in a frame that reads the file beside the notebook."""

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
    model: str = "elmo-mini",
    examples: Mapping[str, Sequence[str]] | None = None,
    path: str = "elmoscope.html",
    height: int = 1100,
) -> LivePage:
    """The page of a model, opened at two sentences; written to `path` beside the notebook unless it lies there. 27 MB, no server."""
    place = Path(path)
    if examples or not place.is_file():
        own = read_examples({word: list(pair) for word, pair in (examples or {}).items()}, "examples") if examples else ()
        write(place, page_of(open_bench(model), own))
    facts = {"a": first, "b": second} if first and second else {}
    facts |= {"layer": layer} if layer else {}
    return LivePage(place, f"#{urlencode(facts, quote_via=quote)}" if facts else "", height)
