"""Store the user's texts as corpora, choose the corpus of each part, measure what encoding it takes, and open word usage graphs."""

import hashlib
from contextlib import nullcontext, suppress
from dataclasses import replace

import streamlit as st

from core.common import i18n, reports
from core.common.errors import BadInput, ElmoscopeError
from core.common.i18n import t
from core.common.limits import check_allowed, limits
from core.corpus import usage_graphs
from core.elmo.models import Model
from core.files import user_names
from core.index.sense_space import substitutes_of
from core.index.tables import Plan, measure_pace, plan_for
from core.text import languages, own_corpus
from core.text.corpora import open_corpus
from core.text.languages import say_unread
from core.text.own_corpus import KeptCorpus, Skipped, Source
from core.workspace import Workspace
from pages._cached import cache, shared_jobs
from pages._cached.cache import keep, workspace
from pages._export import record
from pages._frame.in_use import InUse
from pages._frame.jobs import Job, TooManyJobs
from pages._frame.markup import plain
from pages._frame.uploads import Upload, upload_box, uploads
from pages._texts.inputs import TextInputs, read_inputs

MEASURED_FOR_S = 600  # a machine's speed changes with what else it does
READING = "own texts"  # a kind of jobs
QUICK_CHARACTERS = 200_000  # a shorter pasted text is read within a second
SOURCES = "corpus.sources"  # the key of the session's sources of texts, with the value of their inputs, by the name of the corpus
NOTES = "change.notes"  # the key of the session's notes on rows that were left out of the last files
_REQUESTED = "change.asked"  # the key of the numbers of the files that the user wants to compare
TSV = "text/tab-separated-values"


def workspace_over(in_use: InUse, texts: KeptCorpus | None) -> Workspace:
    """Return the workspace over the user's texts, or without any over the corpus in use."""
    if not texts:
        return workspace(in_use)
    record.now().in_use = replace(in_use, corpus=texts.name)  # exports name the texts
    return workspace(in_use).with_corpus(texts.name)


def own_texts() -> KeptCorpus | None:
    """Return the texts in the inputs, read and stored once, or None after an error.

    While a job reads them, show its progress and end the run.
    """
    inputs = read_inputs()
    value = inputs.value
    if not value or (isinstance(value, str) and not value.strip()):
        return None
    value_text = value if isinstance(value, str) else " ".join(str(file.number) for file in value)
    files = _list_files(value) if inputs.source == "folder" else ""
    read_as = languages.in_use().code, i18n.language()  # tokens and notes depend on them
    parts = (inputs.source, inputs.text_column, inputs.date_column, inputs.lines, value_text, files, *read_as)
    key = hashlib.sha256("\n".join(parts).encode("utf-8", "ignore")).hexdigest()
    stored_key, outcome = st.session_state.get("corpus.kept", ("", None))
    is_deleted = isinstance(outcome, KeptCorpus) and not user_names.corpus_exists(outcome.name)  # by another visit
    if stored_key != key or is_deleted:
        try:
            outcome = _read_or_wait(inputs, key)
        except TooManyJobs as error:  # not stored, so that the next run tries again
            st.error(plain(str(error)), icon=":material/error:")
            return None
        except ElmoscopeError as error:
            outcome = str(error)
        if outcome is None:
            st.stop()
        st.session_state["corpus.kept"] = key, outcome
        if isinstance(outcome, KeptCorpus):
            st.session_state.setdefault(SOURCES, {})[outcome.name] = inputs.source, inputs.value
    if isinstance(outcome, str):
        st.error(plain(outcome), icon=":material/error:")
        return None
    return outcome


def _list_files(folder: str) -> str:
    """Return the names, sizes and times of the texts in a folder, "" if it cannot be read."""
    with suppress(ElmoscopeError, OSError):
        stats = [(source.name, source.path.stat()) for source in own_corpus.files_in(folder)]
        return repr([(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats])
    return ""


def _read_or_wait(inputs: TextInputs, key: str) -> KeptCorpus | None:
    """Read the user's texts, in a job if that may take long. Return None while the job runs and the page shows its progress."""
    if inputs.source == "files":
        check_allowed("uploads")
        notes = {}
        sources = [Source(file.name, file.path) for file in inputs.value]
    else:
        with reports.collecting() as notes:
            sources = own_corpus.files_in(inputs.value) if inputs.source == "folder" else []
    is_quick = len(inputs.value) < QUICK_CHARACTERS if inputs.source == "paste" else own_corpus.is_quick(sources)
    if is_quick:
        with st.spinner(t("Reading texts…")):
            return _read(inputs, sources, notes)
    failed = t("Reading these texts failed. Try other files.")
    return shared_jobs.read_in_job(READING, key, lambda job: _read(inputs, sources, notes, job), failed=failed)


def _read(inputs: TextInputs, sources: list[Source], notes: reports.Notes, job: Job | None = None) -> KeptCorpus:
    report = job.report if job else None
    columns = {"text_column": inputs.text_column or None, "date_column": inputs.date_column or None}
    if inputs.source == "paste":
        with job.watch_reading(len(inputs.value)) if job else nullcontext():
            return own_corpus.keep_text(inputs.value, t("Pasted text"), lines=inputs.lines)
    corpus = own_corpus.keep_files(sources, lines=inputs.lines, **columns, report=report)
    return replace(corpus, skipped=(*corpus.skipped, *(Skipped(inputs.value, note) for note in notes.values())))


def plan(corpus: str, model_name: str) -> Plan:
    reads = (("corpus", corpus), ("model", model_name))
    model = cache.model(model_name)
    return keep("plan", reads, None, lambda: plan_for(open_corpus(corpus, model.language), model), most=32)


def unread(in_use: InUse, corpus: str) -> str:
    """State how many tokens of a corpus have letters that the model's language lacks. Return "" for zero."""
    reads = (("corpus", corpus), ("model", in_use.model))
    over = workspace(in_use).with_corpus(corpus)
    return keep("unread", reads, i18n.language(), lambda: say_unread(over.encoded.counts, over.language), most=32)


def pace(model_name: str, corpus: str) -> tuple[float, float]:
    """Return the seconds of a spelling and of a token for a model on the user's device. They do not depend on the corpus."""
    model = cache.model(model_name)
    return _pace(model.fingerprint, str(model.encoder.device), model, corpus)


@st.cache_data(max_entries=4, ttl=MEASURED_FOR_S, show_spinner=False)
def _pace(fingerprint: str, device: str, _model: Model, _corpus: str) -> tuple[float, float]:
    return measure_pace(_model.encoder, open_corpus(_corpus, _model.language), substitutes_of(_model))


def describe_sentences(job: Job, left: str) -> str:
    return t("Reading sentences: {done:,} of {total:,}, {left} left.", done=job.done, total=job.total, left=left)


def open_graph(word: str, first: str, second: str) -> None:
    """Open the user's files as the two sides. The arguments are the keys of the inputs to fill."""
    if not limits().uploads:
        return
    with st.expander(t("Open a word usage graph"), key="change.open", expanded=bool(uploads("change.files"))):
        for text in st.session_state.get(NOTES, ()) if uploads("change.files") else ():
            st.caption(plain(text))
        label = t("DURel’s uses.csv, and clusters.csv if there is one (or .xlsx)")
        files = upload_box("change.files", label, limits().max_file_mb, several=True)
        numbers = tuple(file.number for file in files)
        if files and st.button(t("Compare its two groupings"), key="change.take"):
            st.session_state[_REQUESTED] = numbers
        if not files or st.session_state.get(_REQUESTED) != numbers:
            return
        try:
            outcome = _read_graph(files, numbers)
        except ElmoscopeError as error:
            del st.session_state[_REQUESTED]
            st.error(plain(str(error)), icon=":material/error:")
            return
        if outcome is None:
            return
        del st.session_state[_REQUESTED]
        (lemma, *names), st.session_state[NOTES] = outcome
        st.session_state["change.filled"] = {word: lemma, first: names[0], second: names[1]}
        st.rerun()


def _read_graph(files: list[Upload], numbers: tuple[int, ...]) -> tuple[tuple[str, str, str], list[str]] | None:
    """Read the files, in a job if that may take long. Return None while the job runs and the page shows its progress."""
    sources = [Source(file.name, file.path) for file in files]
    if own_corpus.is_quick(sources):
        return _keep_sides(files)

    def work(job: Job) -> tuple[tuple[str, str, str], list[str]]:
        with job.watch_reading(sum(file.path.stat().st_size for file in files)):
            return _keep_sides(files)

    return shared_jobs.read_in_job("usage graph", numbers, work, failed=t("Reading these files failed. Try others."))


def _keep_sides(files: list[Upload]) -> tuple[tuple[str, str, str], list[str]]:
    """Store the two groupings as corpora. Return the lemma and the names of the corpora, and notes on rows that were left out."""
    paths, notes = {}, []
    for file in files:
        what = usage_graphs.kind_of(file.path)
        if what == "judgments":
            notes.append(t("{name} holds judgments, which this page does not read.", name=file.name))
            continue
        if what in paths:
            raise BadInput(t("{first} and {second} both hold {what}. Keep one.", first=paths[what].name, second=file.path.name, what=what))
        paths[what] = file.path
    if "uses" not in paths:
        raise BadInput(t("No uses.csv among these files: it has a column “context”. Add it."))
    with reports.collecting() as collected:
        sides = usage_graphs.keep_sides(paths["uses"], paths.get("clusters"))
    return sides, [*notes, *collected.values()]
