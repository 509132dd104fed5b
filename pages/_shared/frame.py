"""The frame of every screen: page settings, menu, what is in use, house style. Each script starts with `frame(...)`.

There is no st.navigation: beside a folder called pages/ a cold deep link would run a page without app.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module

import streamlit as st

from core import registry
from core.config import ASSETS
from core.elmo import allennlp
from core.errors import ElmoscopeError

MENU = (
    ("app.py", "Home", ":material/home:"),
    ("pages/neighbours.py", "Neighbours", ":material/hub:"),
    ("pages/map.py", "Map", ":material/scatter_plot:"),
    ("pages/mix.py", "Mix", ":material/tune:"),
    ("pages/model.py", "Model", ":material/school:"),
)
OURS, THEIRS = "Elmoscope", "AllenNLP 2.10.1"

STYLE = """
<style>
  .stMainBlockContainer {max-width: 1240px; padding-top: 3.2rem; padding-bottom: 4rem;}
  .lede {font-size: 1.12rem; line-height: 1.55; max-width: 62rem; margin: -0.4rem 0 0.6rem 0;}
  .small {font-size: 0.86rem; opacity: 0.75; line-height: 1.5;}
  .notice {border-left: 4px solid #2171B5; padding: 0.35rem 0 0.35rem 0.9rem; margin: 0.4rem 0; line-height: 1.55;}
  .kwic {padding: 0.42rem 0; border-bottom: 1px solid rgba(128,128,140,0.22); line-height: 1.45; overflow-wrap: anywhere;}
  .kwic b.target {font-weight: 700;}
  .kwic .cosine {float: right; font-variant-numeric: tabular-nums; font-size: 0.86rem; opacity: 0.8; margin-left: 0.6rem;}
  .chip {display: inline-block; font-size: 0.76rem; font-weight: 600; color: #fff; border-radius: 0.6rem;
         padding: 0.02rem 0.5rem; margin-left: 0.4rem; white-space: nowrap;}
  .colhead {font-weight: 650; font-size: 1.05rem; border-top: 5px solid; padding-top: 0.45rem; margin-bottom: 0.2rem;}
  .tokens {line-height: 2.1; margin: 0.1rem 0 0.2rem 0;}
  .token {padding: 0.16rem 0.34rem; border-radius: 0.3rem; overflow-wrap: anywhere;}
  table.card {border-collapse: collapse; font-size: 0.95rem; line-height: 1.5;}
  table.card th, table.card td {text-align: left; vertical-align: top; padding: 0.4rem 1.2rem 0.4rem 0; border-bottom: 1px solid rgba(128,128,140,0.22);}
  table.card th {font-weight: 600; white-space: nowrap;}
  table.card td {overflow-wrap: anywhere;}
  [data-testid="stPlotlyChart"] {overflow: visible;}
  [data-testid="stButtonGroup"] [role="radiogroup"], [data-testid="stButtonGroup"] > div {flex-wrap: wrap; overflow: visible; row-gap: 0.3rem;}
  @media (max-width: 640px), (pointer: coarse) {
    .stMainBlockContainer {padding-left: 1rem; padding-right: 1rem; padding-top: 3.4rem;}
    [data-testid="stBaseButton-pills"], [data-testid="stBaseButton-pillsActive"],
    [data-testid="stBaseButton-segmented_control"], [data-testid="stBaseButton-segmented_controlActive"],
    [data-testid="stPageLink"] a {min-height: 44px;}
  }
</style>
"""


@dataclass(frozen=True, slots=True)
class InUse:
    """What the sidebar says is in use."""

    model: str
    vectors: str
    corpus: str
    engine: str


def frame(title: str) -> InUse:
    """Begin a screen: must be its first Streamlit call."""
    st.set_page_config(page_title=f"{title} · Elmoscope", page_icon=str(ASSETS / "icon.png"), layout="wide")
    st.html(STYLE)
    with st.sidebar:
        st.markdown("### :material/biotech: Elmoscope")
        for path, label, icon in MENU:
            st.page_link(path, label=label, icon=icon, width="stretch")
        in_use = _settings()
    return in_use


def _settings() -> InUse:
    with st.expander("In use", expanded=False, icon=":material/settings:"):
        model = _choose("Model", "model", "elmo-mini", "A folder with options.json and one weights file")
        vectors = _choose("Static vectors", "vectors", "glove-mini", "A GloVe or word2vec file")
        corpus = _choose("Sentences", "corpus", "sentences", "A text, CSV or JSONL file of sentences")
        engine = st.selectbox(
            "Engine",
            [OURS, THEIRS],
            key="engine",
            bind="query-params",
            persist_state="session",
            help="Who computes ELMo's layers. AllenNLP is the reference: slower, in a process of its own; both answers are compared.",
        )
        if engine == THEIRS and not allennlp.is_ready():
            st.warning(
                "AllenNLP's own environment is not set up here. In a terminal: `python -m core allennlp setup`",
                icon=":material/terminal:",
            )
    return InUse(model, vectors, corpus, engine)


def _choose(label: str, kind: str, default: str, other: str) -> str:
    """A bundled or downloadable artifact, or a path of the user's own."""
    names = {entry.name: entry for entry in registry.entries(kind)}
    chosen = st.selectbox(
        label,
        list(names),
        index=list(names).index(default),
        key=kind,
        bind="query-params",
        persist_state="session",
        accept_new_options=True,
        help=f"Choose, or type a path on this machine. {other}.",
    )
    chosen = chosen or default
    entry = names.get(chosen)
    if entry is None:
        return chosen
    st.caption(entry.title)
    if not entry.available:
        _offer_download(entry, kind)
        return default
    return chosen


def _offer_download(entry, kind: str) -> None:
    """A download happens only when asked for; until then the bundled one stays in use."""
    st.caption(
        f"Not on this machine yet ({entry.size_mb:,.0f} MB from its publisher). Until then the bundled one is used. {entry.note}"
    )
    if st.button(f"Download {entry.name}", key=f"get.{entry.name}", width="stretch"):
        bar = st.progress(0.0, text="Asking the server…")

        def report(event) -> None:
            if isinstance(event, str):  # gensim tells its progress in words
                bar.progress(0.5, text=event[-80:])
                return
            share = min(1.0, event.done / event.total) if event.total else 0.0
            bar.progress(
                share, text=f"{event.done / 1e6:,.0f} of {(event.total or 0) / 1e6:,.0f} MB, {event.bytes_per_s / 1e6:.1f} MB/s"
            )

        with shown_errors():
            if kind == "vectors":
                import_module("core.workbench").open_vectors(entry.name, allow_download=True, report=report)
            else:
                registry.resolve(entry.name, kind, allow_download=True, report=report)
            st.rerun()


@contextmanager
def shown_errors() -> Iterator[None]:
    """Show a user's error where it arose and leave the rest of the page working."""
    try:
        yield
    except ElmoscopeError as error:
        st.error(str(error), icon=":material/error:")


def show(module: str, *args) -> None:
    """Run `show` of a module of this package: imported only now, so that title and inputs stand before torch is loaded."""
    with shown_errors():
        import_module(f"pages._shared.{module}").show(*args)
        import_module("pages._shared.store").warm_up()


def lede(text: str) -> None:
    """The one sentence of answer under a title (our own HTML, no user text)."""
    st.html(f'<p class="lede">{text}</p>')


def notice(lines: list[str]) -> None:
    """What to notice: sentences computed from the result on screen; user text in them must be escaped."""
    st.html('<div class="notice"><b>What to notice.</b> ' + " ".join(lines) + "</div>")
