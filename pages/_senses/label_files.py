"""Label files: download them, open them, compare them with a second annotator's, and use them on every page."""

import pandas as pd
import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import format_number, t, tn
from core.common.limits import limits
from core.corpus import label_files
from core.corpus.spread import Labels, SpreadLabels
from core.files.uploaded import clean_name
from core.text import own_corpus
from core.text.sentences import Sentence, Target
from core.views.induction import Occurrences
from pages._cached import label_store
from pages._frame.in_use import InUse
from pages._frame.markup import plain
from pages._frame.uploads import upload_box, uploads
from pages._widgets import lists

MOST_MB = 20


def show(key: tuple[str, str], in_use: InUse, occurrences: Occurrences, labels: Labels, result: SpreadLabels | None) -> None:
    """Show the downloads and the upload boxes."""
    row = st.container(horizontal=True, gap="small")
    written = label_files.format_labels(
        occurrences.word, label_files.tokens_of(occurrences.items), labels, result, [o.text for o in occurrences.items]
    )
    row.download_button(
        t("Labeled sentences (JSONL)"),
        written.encode(),
        clean_name(f"{occurrences.word}-labels.jsonl"),
        "application/jsonl",
        key="spread.jsonl",
        icon=":material/download:",
        on_click="ignore",
        disabled=not (labels.given or labels.elsewhere),
        help=t("Open it here to continue, or give it to a second annotator."),
    )
    row.button(
        t("Use these labels everywhere"),
        icon=":material/done_all:",
        key="spread.use",
        disabled=result is None,
        on_click=lambda: _use(key, occurrences, labels, result),
        help=t(
            "As labeled sentences: Home’s verdict, Map and the measures then know your senses. The model’s guesses are drawn faintly and not measured."
        ),
    )
    if limits().uploads:
        brought = any(uploads(_box(name, key)) for name in ("spread.file", "spread.second"))
        with st.expander(t("Open labels, or a second annotator’s"), key="spread.open", expanded=brought):
            first, second = st.columns(2, gap="large")
            _open(first, key, occurrences)
            _second(second, key, occurrences, labels)
    st.caption(t("Labels stay on this machine.") if limits().paths else t("Labels are gone when you leave: download them."))
    if result is not None:
        _twin(occurrences, labels, result)


def _open(place, key: tuple[str, str], occurrences: Occurrences) -> None:
    """Open a file of labels, once for a word. Show its error while the file is in the box."""
    files = upload_box(_box("spread.file", key), t("Continue with saved labels (.jsonl, up to {mb} MB)", mb=MOST_MB), MOST_MB, place=place)
    if not files:
        return
    file = files[-1]
    faults = st.session_state.setdefault("spread.read", {})
    this = file.number
    if this not in faults:
        faults[this] = ""
        try:
            read = label_files.read_upload(file.name, file.read(), label_files.tokens_of(occurrences.items), MOST_MB)
        except ElmoscopeError as error:
            faults[this] = str(error)
        else:
            label_store.change(key, lambda now: now.join(read.given))
            st.session_state["spread.missing"] = read.missing
            st.rerun()
    if faults[this]:
        place.error(plain(faults[this]), icon=":material/error:")


def _box(name: str, key: tuple[str, str]) -> str:
    """Return the key of an upload box for files of a corpus and a word."""
    return ".".join((name, *key))


def _second(place, key: tuple[str, str], occurrences: Occurrences, labels: Labels) -> None:
    """Show Krippendorff's alpha with a second annotator's file."""
    if missing := st.session_state.pop("spread.missing", 0):
        place.info(tn("{n} labeled sentence is not in this corpus.", "{n} labeled sentences are not in this corpus.", missing))
    files = upload_box(_box("spread.second", key), t("A second annotator’s (.jsonl, up to {mb} MB)", mb=MOST_MB), MOST_MB, place=place)
    if not files:
        return
    file = files[-1]
    try:
        read = label_files.read_upload(file.name, file.read(), label_files.tokens_of(occurrences.items), MOST_MB)
    except ElmoscopeError as error:
        place.error(plain(str(error)), icon=":material/error:")
        return
    try:
        alpha, n = label_files.agreement(labels, read.labels)
    except ElmoscopeError as error:
        place.info(plain(str(error)), icon=":material/info:")
        return
    place.metric(t("Krippendorff’s alpha"), format_number(alpha, ".2f"), help=t("1: full agreement, 0: chance."))
    place.caption(tn("On {n} sentence that both labeled.", "On {n} sentences that both labeled.", n))


def _use(key: tuple[str, str], occurrences: Occurrences, labels: Labels, result: SpreadLabels) -> None:
    """Select all sentences with their senses as a corpus: the user's labels, and the others as guesses."""
    document, given = t("{word}, labeled", word=occurrences.word), dict(labels.given)
    sentences = []
    for k, (o, sense) in enumerate(zip(occurrences.items, result.of.tolist(), strict=True)):
        guess = None if k in given else result.senses[sense]
        target = Target(o.position, o.tokens[o.position], given.get(k), occurrences.word, guess=guess)
        sentences.append(Sentence(o.tokens, (target,), document, o.text))
    name = own_corpus.keep_sentences(sentences).name
    label_store.copy((name, occurrences.word), label_store.current(key))
    st.session_state.corpus = name


def _twin(occurrences: Occurrences, labels: Labels, result: SpreadLabels) -> None:
    given = {k for k, _ in labels.given}
    table = pd.DataFrame(
        {
            t("sense"): [result.senses[sense] for sense in result.of.tolist()],
            t("probability"): result.shares.max(axis=1).round(3),
            t("by you"): [k in given for k in range(len(result.of))],
            t("word"): [o.tokens[o.position] for o in occurrences.items],
            t("sentence"): [o.sentence for o in occurrences.items],
        }
    )
    lists.twin(table, name=f"{occurrences.word}-labels", label=t("Show as table"), key="spread.twin")
