"""The Texts part: what was brought is read and kept; what reading it for every page takes, and the button that does it."""

import hashlib
from contextlib import nullcontext

import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import t, tn
from core.common.limits import check_allowed
from core.common.turns import TooManyJobs
from core.files import own_names, registry
from core.text import own_corpus
from core.text.own_corpus import KeptCorpus, Source
from pages._cached import jobs
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_errors
from pages._frame.server_jobs import ServerJob
from pages._texts import reading, store
from pages._texts.inputs import Brought

READING = "own texts"  # a kind of jobs
QUICK_CHARACTERS = 200_000  # a shorter pasted text is read within a second


def show(in_use: InUse, brought: Brought) -> None:
    """What was brought, what reading it takes, and which texts the pages use."""
    kept = _keep(brought)
    st.session_state[store.SEARCHED] = kept.name if kept else None
    corpus = store.bench_over(in_use).corpus
    registry.resolve(corpus, "corpus")  # what is not there is said once
    use = st.container()
    reading.offer_deletion(corpus)
    with show_errors():
        reading.show_plan(in_use, corpus, kept)
        with use:
            reading.show_use(in_use, corpus)
        n = store.plan(corpus, in_use.model).sentences
        if corpus == in_use.corpus:
            notice([tn("Every page uses this {n:,} sentence.", "Every page uses these {n:,} sentences.", n)])
        else:
            used = own_names.title_of(in_use.corpus)
            notice(
                [
                    tn(
                        "This page searches {n:,} sentence, the others {used}.",
                        "This page searches {n:,} sentences, the others {used}.",
                        n,
                        used=used,
                    )
                ]
            )


def _keep(brought: Brought) -> KeptCorpus | None:
    """What the inputs hold, read and kept once; None while they are empty, or cannot be read (and the page says why)."""
    given = brought.given
    if not given or (isinstance(given, str) and not given.strip()):
        return None
    given_text = given if isinstance(given, str) else " ".join(str(file.number) for file in given)
    parts = (brought.way, brought.text_column, brought.date_column, brought.lines, given_text)
    key = hashlib.sha256("\n".join(parts).encode("utf-8", "ignore")).hexdigest()
    known, outcome = st.session_state.get("corpus.kept", ("", None))
    if known != key or (
        isinstance(outcome, KeptCorpus) and not own_names.is_kept(outcome.name)
    ):  # forgotten meanwhile, by whoever has it too
        try:
            outcome = _read_or_wait(brought, key)
        except TooManyJobs as error:  # not stored as the outcome, so that the next run tries again
            st.error(plain(str(error)), icon=":material/error:")
            return None
        except ElmoscopeError as error:
            outcome = str(error)
        if outcome is None:
            st.stop()
        st.session_state["corpus.kept"] = key, outcome
    outcome = st.session_state["corpus.kept"][1]
    if isinstance(outcome, str):
        st.error(plain(outcome), icon=":material/error:")
        return None
    return outcome


def _read_or_wait(brought: Brought, key: str) -> KeptCorpus | None:
    """Read the user's texts, in a job if that may take long. Return None while the job runs and the page shows its progress."""
    if brought.way == "files":
        check_allowed("uploads")
        sources = [Source(file.name, file.path) for file in brought.given]
    else:
        sources = own_corpus.files_in(brought.given) if brought.way == "folder" else []
    is_quick = len(brought.given) < QUICK_CHARACTERS if brought.way == "paste" else own_corpus.is_quick(sources)
    if is_quick:
        with st.spinner(t("Reading texts…")):
            return _read(brought, sources)
    return jobs.read_in_job(
        READING, key, lambda job: _read(brought, sources, job), failed=t("Reading these texts failed. Try other files.")
    )


def _read(brought: Brought, sources: list[Source], job: ServerJob | None = None) -> KeptCorpus:
    report = job.report if job else None
    columns = {"text_column": brought.text_column or None, "date_column": brought.date_column or None}
    if brought.way == "paste":
        with job.watch_reading(len(brought.given)) if job else nullcontext():
            return own_corpus.keep_text(brought.given, t("Pasted text"), lines=brought.lines)
    return own_corpus.keep_files(sources, lines=brought.lines, **columns, report=report)
