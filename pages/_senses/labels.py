"""Labels of sentences: the editable names of groups, and label files to download, open, compare and use on every page."""

import numpy as np
import pandas as pd
import streamlit as st

from core.common import reports
from core.common.errors import ElmoscopeError
from core.common.i18n import format_number, t, tn
from core.common.limits import limits
from core.corpus import label_files
from core.corpus.spread import MOST_CHARACTERS, Labels, SpreadLabels, clean
from core.text import own_corpus
from core.text.sentences import Sentence, Target
from core.views.induction import Groups, Occurrences
from pages._cached import label_store
from pages._frame.markup import plain
from pages._frame.uploads import Upload, upload_box, uploads
from pages._widgets import lists

KEPT = "found.labels"  # in the session: view -> labels
IN_TABLE = 5  # substitutes of a sentence in the table
MOST_MB = 20


def current(view: str, suggested: list[str]) -> list[str]:
    """Return the labels that the user typed for this view, else the suggested names. They are never blank."""
    edits = st.session_state.get(f"found.edit.{view}", {}).get("edited_rows", {})
    base = st.session_state.setdefault(KEPT, {}).setdefault(view, [None] * len(suggested))
    typed = [edits.get(k, {}).get("label", base[k]) for k in range(len(suggested))]
    st.session_state[KEPT][view] = typed
    return [
        clean(str(item or "")) or name or (t("group {n}", n=k + 1) if len(typed) > 1 else t("all sentences"))
        for k, (item, name) in enumerate(zip(typed, suggested, strict=True))
    ]


def suggested_names(groups: Groups) -> list[str]:
    """Return a name for each group; one with too few sentences is called no sense."""
    return [
        t("group {n}: too few for a sense", n=k) if is_few else name
        for k, (name, is_few) in enumerate(zip(groups.names, groups.few, strict=True), 1)
    ]


def editor(view: str, groups: Groups) -> None:
    """Draw a table with a row for each group. Only the label can be edited."""
    key = f"found.edit.{view}"
    bases = st.session_state.setdefault("found.bases", {})
    names = current(view, suggested_names(groups))
    if key not in st.session_state:  # the table under an editor must not change while it is edited
        bases[view] = names
    frame = {"label": bases.get(view, names), "sentences": np.bincount(groups.numbers, minlength=len(names))}
    if any(groups.substitutes):
        frame["substitutes"] = list(map(_join_words, groups.substitutes))
    if len(names) > 1 and any(groups.words):  # typical words need another group to compare with
        frame["words"] = list(map(_join_words, groups.words))
    text = st.column_config.TextColumn
    about = t("Expected here more than in other groups (log-odds, standard deviations).")
    columns = {
        "label": text(t("Label"), max_chars=MOST_CHARACTERS, required=True),
        "sentences": st.column_config.NumberColumn(t("Sentences")),
        "substitutes": text(t("Typical substitutes"), help=about),
        "words": text(t("Typical words nearby"), help=t("Nearby here more than in other groups (log-odds, standard deviations).")),
    }
    st.markdown(t("**What are they?** Type your labels."))
    try:
        disabled = ["sentences", "substitutes", "words"]
        st.data_editor(pd.DataFrame(frame), key=key, hide_index=True, width="stretch", disabled=disabled, column_config=columns)
    except (IndexError, KeyError):  # a client edited a missing row or column
        st.session_state.pop(key, None)
        st.rerun()


def downloads(word: str, occurrences: Occurrences, groups: Groups, names: list[str]) -> None:
    """Offer the sentences with their labels as JSON lines, which the app reads as a labeled corpus, and as a table with CSV."""
    labels = [names[item] for item in groups.numbers]
    suggested = suggested_names(groups)
    rows = [k for k, item in enumerate(groups.numbers) if not groups.few[item] or names[item] != suggested[item]]
    expected = [", ".join(answer.word for answer in words[:IN_TABLE]) for words in occurrences.substitutes]
    tokens = label_files.tokens_of(occurrences.items)
    written = label_files.format_rows(word, ((tokens[k], labels[k]) for k in rows), is_given=False).encode()
    about = t("Add it under Your texts to see the groups on Map: faint, as guesses, not measured.")
    lists.download(t("Labeled sentences (JSONL)"), written, f"{word}-senses.jsonl", "application/jsonl", key="found.jsonl", help=about)
    columns = {
        t("group"): groups.numbers + 1,
        t("label"): labels,
        **{t("share, group {n}", n=k): share.round(3) for k, share in enumerate(groups.shares.T, 1)},
        **({t("substitutes"): expected} if any(expected) else {}),
        t("word"): [o.tokens[o.position] for o in occurrences.items],
        t("corpus label"): [o.sense or "" for o in occurrences.items],
        t("sentence"): [o.sentence for o in occurrences.items],
    }
    lists.offer_table(columns, name=f"{word}-senses", label=t("Show as table"), key="found.twin")


def _join_words(words: list[tuple[str, float]]) -> str:
    return ", ".join(f"{word} {z:.1f}" for word, z in words)


def show_files(key: tuple[str, str], occurrences: Occurrences, labels: Labels, result: SpreadLabels | None) -> None:
    row = st.container(horizontal=True, gap="small")
    tokens = label_files.tokens_of(occurrences.items)
    texts = [o.text for o in occurrences.items]
    written = label_files.format_labels(occurrences.word, tokens, labels, result, texts)
    options = {"key": "spread.jsonl", "place": row, "disabled": not (labels.given or labels.elsewhere)}
    about = t("Open it here to continue, or give it to a second annotator.")
    name = f"{occurrences.word}-labels.jsonl"
    lists.download(t("Labeled sentences (JSONL)"), written.encode(), name, "application/jsonl", help=about, **options)
    about = t("Home’s verdict, Map and the measures then know your senses. The model’s guesses are drawn faintly, not measured.")
    options = {"icon": ":material/done_all:", "disabled": result is None, "help": about}
    row.button(
        t("Use these labels everywhere"), key="spread.use", on_click=lambda: _use_labels(key, occurrences, labels, result), **options
    )
    if limits().uploads:
        brought = any(uploads(_box_key(name, key)) for name in ("spread.file", "spread.second"))
        with st.expander(t("Open labels, or a second annotator’s"), key="spread.open", expanded=brought):
            first, second = st.columns(2, gap="large")
            _open_labels(first, key, occurrences)
            _compare_annotators(second, key, occurrences, labels)
    st.caption(t("Labels stay on this machine.") if limits().paths else t("Labels are gone when you leave: download them."))
    if result is not None:
        table = result.table(occurrences.items)
        lists.offer_table(table, name=f"{occurrences.word}-labels", label=t("Show as table"), key="spread.twin")


def _open_labels(place, key: tuple[str, str], occurrences: Occurrences) -> None:
    """Open a file of labels, once for a word. Show its error while the file is in the box."""
    for text in st.session_state.pop("spread.notes", ()):
        place.info(plain(text))
    files = upload_box(
        _box_key("spread.file", key), t("Continue with saved labels (.jsonl, up to {mb} MB)", mb=MOST_MB), MOST_MB, place=place
    )
    if not files:
        return
    faults = st.session_state.setdefault("spread.read", {})
    number = files[-1].number
    if number not in faults:
        faults[number] = ""
        try:
            with reports.collecting() as notes:
                read = _read_labels(files[-1], occurrences)
        except ElmoscopeError as error:
            faults[number] = str(error)
        else:
            label_store.change(key, lambda labels: labels.join(read.by_sentence))
            if n := len(read.labels.elsewhere):
                notes["missing"] = tn("{n} labeled sentence is not in this corpus.", "{n} labeled sentences are not in this corpus.", n)
            st.session_state["spread.notes"] = list(notes.values())
            st.rerun()
    if faults[number]:
        place.error(plain(faults[number]), icon=":material/error:")


def _read_labels(file: Upload, occurrences: Occurrences) -> label_files.ReadLabels:
    return label_files.read_upload(file.name, file.read(), label_files.tokens_of(occurrences.items), MOST_MB, occurrences.word)


def _box_key(name: str, key: tuple[str, str]) -> str:
    """Return the key of an upload box for files of a corpus and a word."""
    return ".".join((name, *key))


def _compare_annotators(place, key: tuple[str, str], occurrences: Occurrences, labels: Labels) -> None:
    files = upload_box(_box_key("spread.second", key), t("A second annotator’s (.jsonl, up to {mb} MB)", mb=MOST_MB), MOST_MB, place=place)
    if not files:
        return
    try:
        read = _read_labels(files[-1], occurrences)
    except ElmoscopeError as error:
        place.error(plain(str(error)), icon=":material/error:")
        return
    try:
        alpha, n = label_files.agreement(labels, read.labels, label_files.tokens_of(occurrences.items))
    except ElmoscopeError as error:
        place.info(plain(str(error)), icon=":material/info:")
        return
    place.metric(t("Krippendorff’s alpha"), format_number(alpha, ".2f"), help=t("1: full agreement, 0: chance."))
    place.caption(tn("On {n} sentence that both labeled.", "On {n} sentences that both labeled.", n))


def _use_labels(key: tuple[str, str], occurrences: Occurrences, labels: Labels, result: SpreadLabels) -> None:
    """Store all sentences with their senses as a corpus, and select it: the user's labels, and the others as guesses."""
    document = t("{word}, labeled", word=occurrences.word)
    by_user = dict(labels.given)
    sentences = []
    for k, (occurrence, sense) in enumerate(zip(occurrences.items, result.sense_of.tolist(), strict=True)):
        guess = None if k in by_user else result.senses[sense]
        target = Target(occurrence.position, occurrence.tokens[occurrence.position], by_user.get(k), occurrences.word, guess=guess)
        sentences.append(Sentence(occurrence.tokens, (target,), document, occurrence.text))
    try:
        name = own_corpus.keep_sentences(sentences).name
    except ElmoscopeError as error:  # of a limit
        st.session_state[label_store.FAULT] = str(error)
        return
    label_store.copy((name, occurrences.word), label_store.current(key))
    st.session_state.corpus = name
