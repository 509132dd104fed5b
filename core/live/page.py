"""The page as one HTML file, for any browser and for notebooks: texts in every language, the app's widgets, the engine and the model's pack."""

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import quote, urlencode

from babel import Locale
from jinja2 import Environment, StrictUndefined

from ..common import i18n, model_layers
from ..common.config import ASSETS, ROOT
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import Markup, html, shorten
from ..figures.style import DIFFERENT, OWN, SAME, SENSE_COLORS, layer_color
from ..files.atomic import replacing
from ..senses.densities import densities_of
from ..text.languages import Language
from ..text.sentences import as_text
from ..text.target_word import find_forms
from ..text.tokens import find_word
from ..workspace import BUNDLED_MODEL, Workspace, open_workspace, reads_as_model
from .pack import check_size, pack_workspace
from .texts import texts

FOLDER = Path(__file__).parent
# In the worker, in this order
ENGINE = ("numbers", "pack", "kernel", "network", "text", "substitutes", "senses", "labeled", "reader", "worker")
SHARED = "pages/_widgets/instrument.js"
INSTRUMENTS = {  # the app's widgets, which follow SHARED: scripts, styles, HTML
    "curves": (("pages/_home/curves.js",), ("pages/_home/curves.css",), ""),
    "expected": (("pages/_home/expected.js",), ("pages/_home/expected.css",), ""),
    "mix": (("pages/_map/live.js", "pages/_map/mix.js"), ("pages/_map/live.css", "pages/_map/mix.css"), "pages/_map/mix.html"),
    "map": (("pages/_map/live.js", "pages/_map/map.js"), ("pages/_map/live.css", "pages/_map/map.css"), "pages/_map/map.html"),
}
# Controls of the widgets that need the app's server: another normalization of all vectors, views of other tables
HIDDEN = ".switch, .mix select, .views button:not(.rope) { display: none !important; }"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data:"
)
MOST_EXAMPLES, LONGEST = 40, 2_000
MOST_HEAD = 1_000  # characters of a page in which its mark is looked for
_MARK = '<meta name="elmoscope" content="%s">'
Examples = Sequence[tuple[str, str, str]]  # word, first sentence, second sentence


@reads_as_model
def page_of(workspace: Workspace, examples: Examples = (), report: Callable[[float, str], None] = lambda share, what: None) -> str:
    """Return the complete file for a workspace's model. Raises BadInput or MissingArtifact for a model that no page can hold."""
    examples = examples_of(workspace, examples)
    pack, page_facts = pack_workspace(workspace, report)
    report(0.9, t("Writing"))
    with model_layers.speaking_of(workspace.layers):
        layers = [layer_color(name) for name in (*workspace.layers.spaces, model_layers.SENSES)]
        data = {
            "texts": _in_every_language(workspace),
            "examples": [[word, *pair, [_form(text, word, workspace.language) for text in pair]] for word, *pair in examples],
            "language": "" if workspace.language.code == i18n.ENGLISH else workspace.language.code,
            "densities": {kind: density.as_lists for kind, density in densities_of(workspace, labeled=True).items()},
            "colors": {"layers": layers, "senses": SENSE_COLORS, "own": OWN, "curves": (SAME, DIFFERENT)},
            "model": workspace.model.name,
            "pack_facts": page_facts,
            "instruments": {name: _look(name) for name in INSTRUMENTS},
        }
    parts = {
        "data": _json(data),
        "instruments": _instruments(),
        "script": _read("page.js"),
        "engine": "\n".join(_read(f"{name}.js") for name in ENGINE),
        "style": _read("page.css"),
    }
    page = _PAGE.render(
        {name: Markup(part) for name, part in parts.items()},  # noqa: S704
        language=i18n.language(),
        policy=POLICY,
        mark="",
        icon="data:image/png;base64," + b64encode((ASSETS / "icon.png").read_bytes()).decode("ascii"),
        no_script=t("This page computes in your browser: allow JavaScript."),
        pack=b64encode(pack).decode("ascii"),
    )
    mark = json.dumps({"made_of": made_of(workspace, examples), "sha256": _sha256(page)})
    return page.replace(_MARK % "", _MARK % html("{}", mark), 1)


def examples_of(workspace: Workspace, examples: Examples = ()) -> Examples:
    """Return the given examples, or those of the model's language whose words have labeled sentences in the page, if any.

    Raises BadInput for a word that is in neither of its sentences.
    """
    if not examples:
        check_size(workspace.substitutes.model.encoder.model.shape)  # raises before labeled sentences are encoded
        lemmas = workspace.targets.basic.lemmas
        bundled = [(word, *pair) for word, pair in workspace.language.examples.get("pairs", {}).items()]
        examples = [example for example in bundled if example[0] in lemmas] or bundled
    if not examples:
        raise BadInput(t("{language} has no examples. Name a file of your own: --examples mine.json", language=workspace.language.name))
    for word, *pair in examples:
        if not any(_form(text, word, workspace.language) for text in pair):
            values = {"word": shorten(word), "first": shorten(pair[0]), "second": shorten(pair[1])}
            raise BadInput(
                t("Examples: “{word}” is in neither of its sentences (“{first}”, “{second}”). Correct the word or a sentence.", **values)
            )
    return examples


def made_of(workspace: Workspace, examples: Examples) -> str:
    """Return a sum of a page's model and examples."""
    return _sha256(json.dumps([workspace.model.fingerprint, *map(list, examples)]))


def page_made_of(path: Path) -> str | None:
    """Return `made_of` of the page in a file; None if the file is not a page, or was changed after it was written."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        page = path.read_bytes().decode("utf-8")
        if match := re.search(_MARK % '([^"]*)', page[:MOST_HEAD]):
            mark = json.loads(unescape(match[1]))
            return mark["made_of"] if mark["sha256"] == _sha256(page.replace(match[0], _MARK % "", 1)) else None
    return None


def _form(text: str, word: str, language: Language) -> str | None:
    """Return the first token of a text that is a word or a form of it; None if the text has none."""
    tokens = language.tokenize(text)
    places = find_word(tokens, word) or find_forms(tokens, word, language)
    return tokens[places[0]] if places else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def write(path: Path, page: str) -> int:
    """Write the file atomically and return its size in bytes. Raises BadInput if it cannot be written."""
    if path.is_dir():
        raise BadInput(t("{path} is a folder. Name a file: --output {path}/elmoscope.html", path=path))
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    return path.stat().st_size


def read_examples(value: object, name: str) -> Examples:
    """Read examples from JSON: {"bank": ["We sat on the bank.", "The bank lent money."]}. Raises BadInput with the error."""
    shape = '{"bank": ["We sat on the bank.", "The bank lent money."]}'
    if not isinstance(value, Mapping) or not value or len(value) > MOST_EXAMPLES:
        values = {"name": name, "most": MOST_EXAMPLES, "shape": shape}
        raise BadInput(t("{name} must hold 1 to {most} words, each with two sentences: {shape}", **values))
    for word, pair in value.items():
        is_pair = isinstance(pair, list | tuple) and len(pair) == 2
        if not is_pair or not all(isinstance(text, str) and 0 < len(text.strip()) <= LONGEST for text in pair):
            values = {"name": name, "word": shorten(word), "most": LONGEST, "shape": shape}
            raise BadInput(t("{name}: “{word}” needs two sentences of 1 to {most:,} characters, as in {shape}", **values))
        for text in (word, *pair):
            as_text(text, name)  # raises BadInput for half a character, which no file can hold
    return [(str(word), *pair) for word, pair in value.items()]


def _in_every_language(workspace: Workspace) -> dict[str, dict]:
    """Return the texts by language code, with the language's own name. The selected language stays the same."""
    result = {}
    for code in i18n.languages():
        with i18n.within(code):
            name = Locale.parse(code).get_display_name(code) or code
            result[code] = texts(workspace.layers, workspace.model.name, workspace.language) | {"name": name}
    return result


def _look(name: str) -> dict[str, str]:
    _, styles, frame = INSTRUMENTS[name]
    css = "\n".join([*((ROOT / path).read_text("utf-8") for path in styles), HIDDEN])
    return {"css": css, "html": (ROOT / frame).read_text("utf-8") if frame else str(html('<div class="{}"></div>', name))}


def _instruments() -> str:
    """Return each of the app's scripts as its exports, because inline modules cannot be imported within one file."""
    results = []
    for name, (scripts, _, _) in INSTRUMENTS.items():
        module = "\n".join((ROOT / path).read_text("utf-8") for path in (SHARED, *scripts))
        module = re.sub(r"^export default ", "return ", module, flags=re.M)
        module = re.sub(r"^export (?=const |function |class )", "", module, flags=re.M)
        results.append(f"{name}: (() => {{\n{module}\n}})()")
    return "const INSTRUMENTS = {\n" + ",\n".join(results) + "\n};"


def _json(data: object) -> str:
    """Return JSON with `<` escaped, so that no text can end the script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c").replace("\u2028", "\\u2028")


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


_PAGE = Environment(autoescape=True, undefined=StrictUndefined).from_string(_read("page.html"))


@dataclass(frozen=True, slots=True)
class LivePage:
    """A written page, displayed in a frame that reads the file next to the notebook."""

    path: Path
    address: str  # behind the file's name: sentences, word, layer
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
    existing page of the same model and examples stays. Raises BadInput if the file is not a page of Elmoscope, or was edited.
    """
    pairs = read_examples(examples, "examples") if examples else ()
    workspace = open_workspace(model)
    name = "" if model == BUNDLED_MODEL else "-" + re.sub(r"[^\w.-]+", "-", workspace.model.name).strip("-.")
    place = Path(path or f"elmoscope{name}.html")
    chosen = examples_of(workspace, pairs)
    present = page_made_of(place)
    if present is None and place.exists():
        raise BadInput(f"{place} is not a page that elmoscope wrote, or was changed since. Name another file: path='my-page.html'.")
    if present != made_of(workspace, chosen):
        write(place, page_of(workspace, chosen))
    parameters = {name: value for name, value in (("a", first), ("b", second), ("layer", layer)) if value}
    address = urlencode(parameters, quote_via=quote, errors="replace")
    return LivePage(place, f"#{address}" if parameters else "", height)
