"""The frame of every screen: page settings, menu, what is in use, house style. Each script starts with `frame(...)`.

There is no st.navigation: beside a folder called pages/ a cold deep link would run a page without app.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import streamlit as st

from core import languages, registry, texts
from core.config import ASSETS
from core.elmo import allennlp
from core.errors import ElmoscopeError
from core.languages import Language
from core.limits import limits
from core.texts import t
from pages._shared import spoken, taken, teaching
from pages._shared.jobs import in_turn
from pages._shared.markup import plain
from pages._shared.style import STYLE


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the menu: a subject, and the pages on it, each with a question of its own and an address of its own."""

    label: str
    icon: str
    pages: tuple[tuple[str, str], ...]  # (file, label among its like)


def menu() -> tuple[Entry, ...]:
    """The menu in the reader's language."""
    return (
        Entry(t("Home"), ":material/home:", (("app.py", t("Home")),)),
        Entry(
            t("Neighbours"),
            ":material/hub:",
            (
                ("pages/neighbours.py", t("Neighbours")),
                ("pages/cloud.py", t("One dot, a cloud")),
                ("pages/decided.py", t("What decided it")),
                ("pages/flip.py", t("Edit until it flips")),
            ),
        ),
        Entry(t("Map"), ":material/scatter_plot:", (("pages/map.py", t("Map")),)),
        Entry(t("Mix"), ":material/tune:", (("pages/mix.py", t("Mix")),)),
        Entry(
            t("Classify"),
            ":material/category:",
            (("pages/classify.py", t("Ask")), ("pages/train.py", t("Train")), ("pages/results.py", t("Results"))),
        ),
        Entry(
            t("Language model"),
            ":material/school:",
            (
                ("pages/predict.py", t("Next word")),
                ("pages/spelling.py", t("Spelling")),
                ("pages/state.py", t("Memory")),
                ("pages/model.py", t("What it knows")),
                ("pages/speed.py", t("Speed")),
            ),
        ),
        Entry(
            t("Your corpus"),
            ":material/library_books:",
            (("pages/corpus.py", t("Texts")), ("pages/found.py", t("Senses found")), ("pages/compare.py", t("Compare"))),
        ),
        Entry(
            t("How it works"), ":material/account_tree:", (("pages/how.py", t("How it works")), ("pages/teach.py", t("Slides")))
        ),
    )


OURS, THEIRS = "Elmoscope", "AllenNLP 2.10.1"
ENGLISH_ONLY = ("pages/classify.py", "pages/train.py", "pages/results.py")


@dataclass(frozen=True, slots=True)
class InUse:
    """What the sidebar says is in use."""

    model: str
    vectors: str
    corpus: str
    engine: str


def frame(file: str) -> InUse:
    """Begin a screen: must be its first Streamlit call. `file` is the page's, as the menu names it."""
    spoken.follow()
    entry, title = next((entry, label) for entry in menu() for path, label in entry.pages if path == file)
    large = teaching.begin(file)
    st.set_page_config(
        page_title=f"{title} · Elmoscope",
        page_icon=str(ASSETS / "icon.png"),
        layout="wide",
        initial_sidebar_state="collapsed" if large else "auto",
    )
    st.html(STYLE + taken.STYLE + (teaching.STYLE if large else ""))
    with st.sidebar:
        st.markdown("### :material/biotech: Elmoscope")
        for one in menu():
            st.page_link(one.pages[0][0], label=f"**{one.label}**" if one == entry else one.label, icon=one.icon, width="stretch")
        content = spoken.choose()
        teaching.toggle()
        in_use = _settings(content)
    if large:
        teaching.link(file)
    elif len(entry.pages) > 1:
        with st.container(horizontal=True, gap="small", key="siblings"):
            for path, label in entry.pages:
                st.page_link(path, label=f"**{label}**" if path == file else label, width="content")
    spoken.say_if_missing(content)
    if file in ENGLISH_ONLY:
        in_use = english(in_use)
    taken.begin("home" if file == "app.py" else Path(file).stem, title, in_use)
    return in_use


def english(in_use: InUse) -> InUse:
    """What a page uses that reads English alone: the bundled English model and vectors, where others are in use; it says so."""
    if languages.in_use().code == texts.ENGLISH:
        return in_use
    own = languages.named(texts.ENGLISH)
    st.info(
        t(
            "The classifiers learned from English texts: here {model} and {vectors} are in use.",
            model=plain(own.model),
            vectors=plain(own.vectors),
        )
    )
    return InUse(own.model, own.vectors, own.sentences, in_use.engine)


def _settings(content: Language) -> InUse:
    with st.expander(t("In use"), expanded=False, icon=":material/settings:"):
        model = _choose(
            t("Model"), "model", spoken.own("model", content),
            t("Choose, or type a path on this machine. A folder with options.json and one weights file."),
        )  # fmt: skip
        vectors = _choose(
            t("Static vectors"), "vectors", spoken.own("vectors", content),
            t("Choose, or type a path on this machine. A GloVe or word2vec file."),
        )  # fmt: skip
        corpus = _choose(
            t("Sentences"), "corpus", spoken.own("corpus", content),
            t("Choose, or type a path on this machine. A text, CSV or JSONL file of sentences."),
        )  # fmt: skip
        engine = st.selectbox(
            t("Engine"),
            [OURS, THEIRS],
            key="engine",
            bind="query-params",
            persist_state="session",
            help=t(
                "Who computes ELMo's layers. AllenNLP is the reference: slower, in a process of its own; both answers are compared."
            ),
        )
        if engine == THEIRS and not allennlp.is_ready():
            st.warning(
                t("AllenNLP's own environment is not set up here. In a terminal: `python -m core allennlp setup`"),
                icon=":material/terminal:",
            )
    spoken.read_as(model)
    return InUse(model, vectors, corpus, engine)


def _choose(label: str, kind: str, default: str, told: str) -> str:
    """A bundled or downloadable artifact, or a path of the user's own."""
    names = {entry.name: entry for entry in registry.entries(kind) if entry.available or entry.source != "bundled"}
    others = [name for name in names if name != default]
    chosen = st.selectbox(
        label,
        [default, *others],  # first: what stands there is the default, which another language may replace
        key=kind,
        bind="query-params",
        persist_state="session",
        accept_new_options=True,
        help=told,
    )
    chosen = chosen or default
    entry = names.get(chosen)
    if entry is None:
        return chosen
    st.caption(plain(entry.title))
    if not entry.available:
        _offer_download(entry, kind)
        return default
    return chosen


def _offer_download(entry, kind: str) -> None:
    """A download happens only when asked for; until then the bundled one stays in use."""
    told = t(
        "Not on this machine yet ({size:,.0f} MB from its publisher). Until then the bundled one is used.", size=entry.size_mb
    )
    st.caption(f"{told} {entry.note}")
    if not limits().downloads:
        st.caption(t("Downloads are switched off on this server (ELMOSCOPE_DOWNLOADS). Choose what is here already."))
    elif st.button(t("Download {name}", name=entry.name), key=f"get.{entry.name}", width="stretch"):
        bar = st.progress(0.0, text=t("Asking the server…"))

        def report(event) -> None:
            if isinstance(event, str):  # gensim tells its progress in words
                bar.progress(0.5, text=event[-80:])
                return
            share = min(1.0, event.done / event.total) if event.total else 0.0
            sizes = {"done": event.done / 1e6, "total": (event.total or 0) / 1e6, "speed": event.bytes_per_s / 1e6}
            bar.progress(share, text=t("{done:,.0f} of {total:,.0f} MB, {speed:.1f} MB/s", **sizes))

        with shown_errors(), in_turn(bar) as turn:
            if kind == "vectors":
                import_module("core.workbench").open_vectors(entry.name, allow_download=True, report=report)
            else:
                registry.resolve(entry.name, kind, allow_download=True, report=report, stop=turn.is_over)
            st.rerun()


@contextmanager
def shown_errors() -> Iterator[None]:
    """Show a user's error where it arose and leave the rest of the page working."""
    try:
        yield
    except ElmoscopeError as error:
        st.error(plain(error), icon=":material/error:")


def show(module: str, *args) -> None:
    """Run `show` of a module of this package: imported only now, so that title and inputs stand before torch is loaded."""
    with shown_errors():
        import_module(f"pages._shared.{module}").show(*args)
        import_module("pages._shared.take").show()
        import_module("pages._shared.store").warm_up()


def question(text: str) -> None:
    """The title of a page: what it answers."""
    taken.now().question = text
    st.title(text)


def lede(text: str) -> None:
    """The one sentence of answer under a title (our own HTML, no user text)."""
    taken.now().lede = text
    st.html(f'<p class="lede">{text}</p>')


def notice(lines: list[str]) -> None:
    """What to notice: sentences computed from the result on screen; user text in them must be escaped."""
    taken.now().note("notice", " ".join(lines))
    st.html(f'<div class="notice"><b>{t("What to notice.")}</b> ' + " ".join(lines) + "</div>")
