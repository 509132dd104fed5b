"""What the sidebar says is in use: model, vectors, sentences, engine; chosen, given by a path, or downloaded when asked for."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import streamlit as st

from core.common import i18n, model_layers
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.limits import limits
from core.engines.allennlp_engine import is_ready
from core.files import own_names, registry
from core.text import languages
from core.text.labelled_words import parts, sentences_of, with_all
from core.text.languages import Language
from pages._frame import devices, language
from pages._frame.choices import BOUND, fit_layers
from pages._frame.markup import plain, shown_errors
from pages._frame.server_jobs import in_turn

OURS, THEIRS = "Elmoscope", "AllenNLP 2.10.1"


@dataclass(frozen=True, slots=True)
class InUse:
    """What the sidebar says is in use."""

    model: str
    vectors: str
    corpus: str
    engine: str


def english(in_use: InUse) -> InUse:
    """What a page uses that reads English alone: the bundled English model and vectors, where others are in use; it says so."""
    if languages.in_use().code == i18n.ENGLISH:
        return in_use
    english = languages.named(i18n.ENGLISH)
    st.info(
        t(
            "The classifiers learned from English texts: here {model} and {vectors} are in use.",
            model=plain(english.model),
            vectors=plain(english.vectors),
        )
    )
    fit_model(english.model)
    return InUse(english.model, english.vectors, english.sentences, in_use.engine)


def choose(content: Language) -> InUse:
    """The expander with all that can be chosen."""
    with st.expander(t("In use"), expanded=False, icon=":material/settings:"):
        model = _choose(
            t("Model"), "model", language.own("model", content),
            t("Choose, or type a path on this machine. A folder with options.json and one weights file."),
        )  # fmt: skip
        vectors = _choose(
            t("Static vectors"), "vectors", language.own("vectors", content),
            t("Choose, or type a path on this machine. A GloVe or word2vec file."),
        )  # fmt: skip
        language.read_as(model)  # before sentences are read as that language
        name_corpus("corpus")
        corpus = _choose(
            t("Sentences"), "corpus", language.own("corpus", content),
            t("Choose, or type a path on this machine. A text, CSV or JSONL file of sentences."),
        )  # fmt: skip
        if (reads := sentences_of(corpus)) and st.button(
            t("The labelled words and their meanings"), key="corpus.words", icon=":material/menu_book:", width="stretch"
        ):
            st.dialog(t("The labelled words and their meanings"), width="large")(_words)(reads)
        engine = st.selectbox(
            t("Engine"),
            [OURS, THEIRS],
            key="engine",
            **BOUND,
            help=t(
                "Who computes ELMo's layers. AllenNLP is the reference: slower, in a process of its own; both answers are compared."
            ),
        )
        devices.choose()
        if engine == THEIRS and not is_ready():
            st.warning(
                t("AllenNLP's own environment is not set up here. In a terminal: `python -m core allennlp setup`"),
                icon=":material/terminal:",
            )
    return InUse(model, vectors, corpus, engine)


def fit_model(model: str) -> None:
    """Let every control follow the layers of a model; one that is not there has those of the bundled one."""
    folder = registry.place_of(model, "model")
    fit_layers(model, model_layers.of_folder(folder) if folder else model_layers.Layers())


def name_corpus(key: str) -> None:
    """Sentences given by a path, typed or in an older link, get a name: a copy is kept as an own corpus, and the path is shown nowhere.

    What cannot be read stays as it was given, so that the page can say why; so does an index, which is a folder.
    """
    given = st.session_state.get(key) or st.query_params.get(key)
    if not given or not ("/" in given or "\\" in given or given.startswith("~")):
        return
    with suppress(ElmoscopeError, OSError, ValueError):
        path = registry.resolve(given, "corpus")
        name = own_names.name_of(path) or (_kept(path) if path.is_file() else given)
        if name != given:
            st.session_state[key] = name
            if key in st.query_params:
                st.query_params[key] = name
                st.rerun()  # the box reads the address as it was when the run began


def _kept(path: Path) -> str:
    library = import_module("core.text.own_corpus")
    return library.keep_files([library.Source(path.name, path)]).name


def _words(language: Language) -> None:
    """Every labelled word of a language with its meanings; the table is searched and sorted by its own tools."""
    told = import_module("core.text.definitions").every(language)
    st.caption(
        t(
            "{words:,} words with {n:,} meanings, each with sentences of its own.",
            words=len({word for word, *_ in told}),
            n=len(told),
        )
    )
    columns = dict(zip((t("word"), t("meaning"), t("what it means")), zip(*told, strict=True), strict=True))
    st.dataframe(columns, hide_index=True, width="stretch", height=520)


def _brought() -> list[str]:
    """The own corpora that this visitor has used, by name, so that they can be chosen again."""
    known, given = st.session_state.setdefault("corpus.own", []), st.session_state.get("corpus") or st.query_params.get("corpus")
    with suppress(ElmoscopeError):
        if given and given not in known and own_names.path_of(given):
            known.append(given)
    return [name for name in known if own_names.is_kept(name)]


def _choose(label: str, kind: str, default: str, told: str) -> str:
    """A bundled or downloadable artifact, or a path of the user's own."""
    names = {entry.name: entry for entry in registry.entries(kind) if entry.available or entry.source != "bundled"}
    others = [name for name in names if name != default] + (_brought() if kind == "corpus" else [])
    everything = with_all(default) if kind == "corpus" else default
    if everything != default:  # the further words' sentences are searched beside the language's own, not without them
        others = [everything, *(name for name in others if name not in parts(everything)[1])]
    chosen = st.selectbox(
        label,
        [default, *others],  # first: what stands there is the default, which another language may replace
        key=kind,
        **BOUND,
        accept_new_options=True,
        help=told,
    )
    chosen = chosen or default
    if chosen == everything != default:
        st.caption(
            t(
                "The bundled sentences and those of all further labelled words: each word is read once, in a minute or two, and kept (300 MB)."
            )
        )
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
            share = min(1.0, event.done / event.total) if event.total else 0.0
            sizes = {"done": event.done / 1e6, "total": (event.total or 0) / 1e6, "speed": event.bytes_per_s / 1e6}
            bar.progress(share, text=t("{done:,.0f} of {total:,.0f} MB, {speed:.1f} MB/s", **sizes))

        with shown_errors(), in_turn(bar) as turn:
            registry.resolve(entry.name, kind, allow_download=True, report=report, stop=turn.is_over)
            st.rerun()
