"""The expander "Model and data" of the sidebar: select, download or name the model, vectors, sentences and engine."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from core.common import i18n, model_layers
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.limits import limits
from core.common.markup import shorten
from core.common.memo import Bounded
from core.engines.allennlp_setup import is_ready
from core.files import published, registry, user_names
from core.files.quotas import VISITS
from core.text import languages
from core.text.corpora import sentences_of
from core.text.languages import Language
from pages._frame import language
from pages._frame.choices import choice, fit_layers, settle_choice, turn_layers
from pages._frame.jobs import hold_turn
from pages._frame.markup import plain, show_errors
from pages._frame.parameters import bound, drop, may_read, read_parameter, write_parameter

OURS, THEIRS = "Elmoscope", "AllenNLP 2.10.1"
FRONT, FIRST, OTHER = "front", "1", "2"  # the parameter, and its values: which of two models a page for one model shows
VECTORS_NOTED: Bounded[str, tuple[str, dict]] = Bounded(256)  # of the vectors opened last, by name: arguments of core.static.formats.notes
TOGETHER = ("home", "neighbors", "compare")  # views that show two models at once
CPU, CUDA, MPS = "cpu", "cuda", "mps"  # as core.common.device names them; that module loads torch
DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # files of a GPU's driver on Linux: NVIDIA, AMD, either under WSL


@dataclass(frozen=True, slots=True)
class InUse:
    """The selection in the sidebar."""

    model: str
    vectors: str
    corpus: str
    engine: str
    other_model: str = ""  # a second model, for pages that compare two


def english(in_use: InUse) -> InUse:
    """Return the selection for a page that reads only English: the bundled English model and vectors in place of others. Show a notice."""
    if languages.in_use().code == i18n.ENGLISH:
        return replace(in_use, other_model="")
    english = languages.get_language(i18n.ENGLISH)
    st.caption(t("These classifiers are English. Using {model} and {vectors}.", model=plain(english.model), vectors=plain(english.vectors)))
    fit_model(english.model)
    return InUse(english.model, english.vectors, english.sentences, in_use.engine)


def choose(content: Language) -> InUse:
    """Draw the expander, and below it the names of the model and the sentences."""
    with st.expander(t("Model and data"), expanded=False, icon=":material/settings:"):
        model = _choose(t("Model"), "model", content, t("Choose, or type a folder’s path or a Hugging Face name (OWNER/NAME)."))
        vectors = _choose(t("Static vectors"), "vectors", content, t("Choose, or type a path: GloVe or word2vec."))
        other_model = _choose_second_model(model)
        language.read_as(model)  # before sentences are read as that language
        name_corpus("corpus")
        corpus = _choose(t("Sentences"), "corpus", content, t("Choose, or type a path: text, CSV or JSONL."))
        title = t("Labeled words")
        if (reads := sentences_of(corpus)) and st.button(title, key="corpus.words", icon=":material/menu_book:", width="stretch"):
            st.dialog(title, width="large")(_words)(reads)
        about = t("AllenNLP is the slower reference, compared with Elmoscope.")
        engine = st.selectbox(t("Engine"), [OURS, THEIRS], **bound("engine"), help=about)
        choose_device()
        if engine == THEIRS and not is_ready():
            st.warning(t("AllenNLP is not installed. In a terminal: `python -m core allennlp setup`"), icon=":material/terminal:")
    st.caption(plain(" · ".join([*(short_name(name) for name in (model, other_model) if name), *user_names.corpus_titles([corpus])])))
    if properties := VECTORS_NOTED.get(vectors):
        for note in import_module("core.static.formats").notes(*properties):
            st.caption(plain(note))
    return InUse(model, vectors, corpus, engine, other_model)


def _choose_second_model(model: str) -> str:
    """Draw the choice of a second model of the same language. Return its name or path, or "" without one."""
    others = [name for name in registry.available("model") if name != model]
    others += _add_typed("beside", others)
    nothing = t("none")
    options = {"accept_new_options": True, "on_change": _forget_compared, "format_func": lambda name: name or nothing}
    about = t("Both appear on Home, Neighbors and Compare, one elsewhere.")
    chosen = st.selectbox(t("Second model"), ["", *others], **bound("beside"), help=about, **options)
    if not chosen or chosen in (model, st.session_state.get("model")) or _offer_published(chosen):
        return ""
    with show_errors():
        reads = languages.of_model(registry.resolve(chosen, "model"))
        first = registry.place_of(model, "model")
        if first is None or reads.code == languages.of_model(first).code:
            return chosen
        st.caption(t("{model} reads {language}. Choose two models of one language.", model=plain(chosen), language=reads.name))
    return ""


def _forget_compared() -> None:
    for key in ("first", "second"):
        st.session_state.pop(key, None)
        drop(key)


def in_front(in_use: InUse, view: str) -> InUse:
    """Return the selection for a page that shows one model at a time: the one of the two that the user chose."""
    if not in_use.other_model or view in TOGETHER or settle_choice(FRONT, (FIRST, OTHER), FIRST) == FIRST:
        return in_use
    return replace(in_use, model=in_use.other_model, other_model=in_use.model)


def switch(in_use: InUse, view: str) -> None:
    """Draw the choice between two models on a page that shows one at a time."""
    if in_use.other_model and view not in TOGETHER:
        pair = in_use.model, in_use.other_model
        titles = dict(zip((FIRST, OTHER) if st.session_state[FRONT] == FIRST else (OTHER, FIRST), map(short_name, pair), strict=True))
        options = {"on_change": turn_layers, "args": tuple(map(layers_of, pair)), "label_visibility": "collapsed"}
        choice(FRONT, t("Model shown"), dict(sorted(titles.items())), FIRST, **options)


def layers_of(model: str) -> model_layers.Layers:
    """Return the layers of a model without opening it, or those of the bundled model if it is missing."""
    folder = registry.place_of(model, "model")
    return model_layers.of_folder(folder) if folder else model_layers.Layers()


def short_name(model: str) -> str:
    folder = registry.place_of(model, "model")
    return model_layers.name_of(folder) if folder else shorten(Path(model).name)


def fit_model(model: str) -> None:
    """Fit all widgets to the layers of a model, or silently to those of the bundled model if it is missing."""
    fit_layers(model if registry.place_of(model, "model") else "", layers_of(model))


def name_corpus(key: str) -> None:
    """Replace a text's path by the name of a copy, so that no page shows it. The path of an index or of an unreadable text stays."""
    value = st.session_state.get(key) or _read_parameter(key)
    if not value or not ("/" in value or "\\" in value or value.startswith("~")):
        return
    # Streamlit writes the value of a box that is bound to the parameter into the address, and raises an error here.
    with suppress(ElmoscopeError, OSError, ValueError, StreamlitAPIException):
        path = registry.resolve(value, "corpus")
        name = user_names.corpus_name(path) or (_keep_file(path) if path.is_file() else value)
        if name != value:
            st.session_state[key] = name
            if read_parameter(key) is not None:
                write_parameter(key, name)
                st.rerun()  # the box reads the address as it was when the run began


def corpus_box(key: str, label: str, names: Sequence[str], default: str | None, *, place=st, **options: Any) -> str:
    """Let the user choose or type a corpus. Return its full name, which the address holds, or "". The box shows its file name.

    A box that shows its default follows a new default.
    """
    state = st.session_state
    if state.get(key) == state.get(f"{key}.default", default) != default:
        state[key] = default
    state[f"{key}.default"] = default
    name_corpus(key)
    value = _read_parameter(key) or st.session_state.get(key)
    offered = list(dict.fromkeys([*names, *filter(None, [st.session_state.get(key), value])]))
    titles = {name: user_names.corpus_title(name, offered) for name in offered}
    index = offered.index(default) if default in offered else None
    chosen = choice(key, label, titles, default, place=place, widget="selectbox", index=index, accept_new_options=True, **options)
    return (chosen or "").strip() or default or ""


def _read_parameter(key: str) -> str:
    """Return a parameter of the address, or "" for a path that the user has not allowed. Runs of a fragment may still have such a path."""
    value = read_parameter(key) or ""
    return value if may_read(key, value) else ""


def _keep_file(path: Path) -> str:
    library = import_module("core.text.own_corpus")
    sources = [library.Source(path.name, path)]
    if library.is_quick(sources):
        stored = library.keep_files(sources)
    else:
        bar = st.progress(0.0, text=t("Reading texts…"))
        with hold_turn(bar) as job:  # the turn ends when the page is closed or runs again

            def report(done: int, total: int, _: float) -> None:
                job.check()
                bar.progress(done / total, text=t("Reading texts…"))

            stored = library.keep_files(sources, report=report)
        bar.empty()
    for skipped in stored.skipped:  # toasts stay when the page runs again
        st.toast(plain(skipped.why), icon=":material/warning:", duration="long")
    return stored.name


def _words(language: Language) -> None:
    senses = import_module("core.text.corpora").list_definitions(language)
    st.caption(t("{words:,} words, {n:,} senses, each with sentences.", words=len({word for word, *_ in senses}), n=len(senses)))
    columns = dict(zip((t("word"), t("sense"), t("definition")), zip(*senses, strict=True), strict=True))
    st.dataframe(columns, hide_index=True, width="stretch", height=520)


def _own_corpora() -> list[str]:
    """Return the names of the user corpora of this session that still exist, and record that they are in use."""
    session_names = st.session_state.setdefault("corpus.own", [])
    current = st.session_state.get("corpus") or _read_parameter("corpus")
    with suppress(ElmoscopeError):
        if current and current not in session_names and user_names.corpus_path(current):
            session_names.append(current)
    names = [name for name in session_names if user_names.corpus_exists(name)]
    for name in names:
        with suppress(ElmoscopeError):  # another visit has just deleted it
            VISITS.use(user_names.corpus_path(name))
    return names


def _add_typed(key: str, choices: list[str]) -> list[str]:
    """Return the value that was typed into a box or is in the address, as a list, unless it is one of the `choices`."""
    value = st.session_state.get(key) or _read_parameter(key)
    return [value] if value and value not in choices else []


def _choose(label: str, kind: str, content: Language, help: str) -> str:
    """Draw the choice of an artifact: bundled, downloadable, or a typed path. The language's own is the default."""
    default = language.own(kind, content)
    names = {entry.name: entry for entry in registry.entries(kind) if entry.available or entry.source != "bundled"}
    others = [name for name in names if name != default] + (_own_corpora() if kind == "corpus" else [])
    others += _add_typed(kind, [default, *others]) if kind == "model" else []
    options = [default, *others]  # the default comes first, because another language may replace it
    chosen = st.selectbox(label, options, **bound(kind), accept_new_options=True, help=help) or default
    entry = names.get(chosen)
    if entry is None:
        return default if kind == "model" and _offer_published(chosen) else chosen
    st.caption(plain(entry.title))
    if entry.available:
        return chosen
    st.caption(f"{t('Not downloaded ({size:,.0f} MB). Using the bundled one.', size=entry.size_mb)} {entry.note}")
    if limits().downloads:
        _offer_download(entry.name, kind)
    else:
        st.caption(t("Downloads are off on this server (ELMOSCOPE_DOWNLOADS)."))
    return default


def _offer_published(name: str) -> bool:
    """Return whether a typed name is a published model that is not downloaded. Look it up and download it only on request."""
    if not published.is_hub_name(name) or not limits().downloads or registry.place_of(name, "model"):
        return False
    key = f"published.{name}"
    if st.session_state.get(key) is None:
        st.caption(t("{name} is not downloaded. Using the bundled one.", name=plain(name)))
        if st.button(t("Get size and license from {host}", host=published.hub_host()), key=f"ask.{name}", width="stretch"):
            with show_errors(), st.spinner(t("Connecting…")):
                st.session_state[key] = published.describe_hub_model(name)
                st.rerun()
        return True
    result = st.session_state[key]
    size = t("{size:,.0f} MB", size=result.size_mb) if result.size_mb is not None else t("size unknown")
    terms = plain(result.license) if result.license else t("unknown")
    values = {"name": plain(name), "size": size, "host": published.hub_host(), "license": terms}
    st.caption(t("{name}: {size} from {host}, safetensors only. License: {license}.", **values))
    _offer_download(name, "model")
    return True


def _offer_download(name: str, kind: str) -> None:
    if st.button(t("Download {name}", name=plain(name)), key=f"get.{name}", width="stretch"):
        show_download(partial(registry.resolve, name, kind, allow_download=True))


def show_download(fetch: Callable[..., object]) -> None:
    """Call `fetch(report=..., stop=...)` when it is its turn, show its progress, and run the page again."""
    bar = st.progress(0.0, text=t("Connecting…"))

    def report(event) -> None:
        values = {"done": event.done / 1e6, "speed": event.bytes_per_s / 1e6}
        if event.total:
            text = t("{done:,.0f} of {total:,.0f} MB, {speed:.1f} MB/s", total=event.total / 1e6, **values)
            bar.progress(min(1.0, event.done / event.total), text=text)
        else:
            bar.progress(0.0, text=t("{done:,.0f} MB, {speed:.1f} MB/s", **values))

    with show_errors(), hold_turn(bar) as job:
        fetch(report=report, stop=job.is_over)
        st.rerun()


def choose_device() -> None:
    if len(there := _present_devices()) == 1:
        return
    names = {CPU: t("CPU"), CUDA: t("GPU (CUDA)"), MPS: t("GPU (Metal)")}
    titles = {name: names.get(name, name) for name in dict.fromkeys((CPU, *there))}
    choice("device", t("Device"), titles, CPU, widget="selectbox", help=t("Results differ only by rounding."))


def selected_device() -> str:
    """Return the selected device (see core.common.device). It is the processor by default, and in threads without a user."""
    there = _present_devices()
    chosen = st.session_state.get("device") if len(there) > 1 else None
    return chosen if chosen in there else CPU


def _present_devices() -> tuple[str, ...]:
    """Return the devices that torch can use. Do not load torch on a machine without a graphics card, so that a page appears sooner."""
    if "torch" not in sys.modules and sys.platform == "linux" and not any(Path(driver).exists() for driver in DRIVERS):
        return (CPU,)
    from core.common import device

    return device.present()
