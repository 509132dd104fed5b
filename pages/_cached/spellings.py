"""The char-CNN vectors of a vocabulary, computed in a job and shared by all pages."""

import threading
import time

import numpy as np
import streamlit as st

from core.analysis.spelling import Spellings, list_words
from core.common.i18n import t
from core.elmo.encoder import Encoder
from core.static.vectors import StaticNeighbor
from core.workspace import Workspace
from pages._cached import jobs
from pages._cached.opened import keep
from pages._frame.jobs import QUEUE, Job, current_user
from pages._frame.markup import plain

NEIGHBORS = 6
ENOUGH = 1_000  # words read, before the nearest of them are shown
WAITED_S = 1.5  # for the reading, before a page is drawn without it


class SpellingReading:
    """A vocabulary that is being encoded, as far as the pages need it, each time by a light job."""

    def __init__(self, encoder: Encoder, spellings: Spellings, is_own: bool) -> None:
        self.encoder, self.spellings, self.is_own = encoder, spellings, is_own
        self.job = Job(QUEUE, is_light=True)
        self._is_started, self._lock = False, threading.Lock()

    @property
    def is_running(self) -> bool:
        """Whether the words are being read for the current user."""
        return self._is_started and self.job.is_running

    def start(self, upto: int) -> None:
        """Read as far as word number `upto`, unless that is done or under way, or the current user stopped it."""
        user = current_user()
        self.job.join(user)
        with self._lock:
            is_under_way = self._is_started and self.job.is_active
            if is_under_way or self.spellings.read >= upto or self.job.error or self.job.has_stopped(user):
                return
            job = Job(QUEUE, is_light=True)
            for owner in {user, *self.job.owners}:
                job.join(owner)
            job.take_over(self.job)
            self.job, self._is_started = job, True
            job.start(lambda job: self._read(job, upto), failed=t("Reading failed."))

    def go_on(self, upto: int) -> None:
        """Continue after a stop."""
        self.job.resume(current_user())
        self.start(upto)

    def nearest(self, words: tuple[str, ...], rows: np.ndarray, among: int | None) -> list[list[StaticNeighbor]]:
        """Return the nearest words for each word, or none while too few are encoded."""
        upto = min(among or len(self.spellings.words), len(self.spellings.words))
        self.start(upto)
        if self.spellings.read < min(ENOUGH, upto):
            self.job.wait(WAITED_S)
        if self.spellings.read < min(ENOUGH, upto):
            return [[] for _ in words]
        return self.spellings.nearest(rows, NEIGHBORS, among=upto, exclude=words)

    def _read(self, job: Job, upto: int) -> int:
        started, before = time.monotonic(), self.spellings.read

        def report(done: int, total: int) -> None:
            job.done, job.total, job.speed = done, total, (done - before) / max(time.monotonic() - started, 1e-9)

        job.done, job.total = before, upto
        self.spellings.extend(self.encoder, upto, report=report, stop=job.is_over)
        job.check()
        return self.spellings.read


def reading(over: Workspace) -> SpellingReading:
    """Return the reading of the model's vocabulary, or of that of the static vectors if the model has none."""

    def begin() -> SpellingReading:
        model = over.model
        words, is_own = list_words(model.folder, over.vectors)
        return SpellingReading(model.encoder, Spellings(words, model.fingerprint, model.encoder.model.shape.projection), is_own)

    return keep("spellings", over.reads("model", "vectors"), None, begin, most=3, weighed=False)


def show_reading(read: SpellingReading, among: int | None, is_shown: bool) -> None:
    """State how many words were searched, and show the progress. `is_shown` is true if there were enough words to list neighbors."""
    upto = min(among or len(read.spellings.words), len(read.spellings.words))
    n = min(read.spellings.read, upto)
    if not is_shown and n == upto:  # it has ended since the page was drawn
        st.rerun()
    if read.job.error:
        st.warning(plain(read.job.error))
    elif n < upto and read.is_running:
        jobs.follow(read.job, _describe, "spell_stop", is_enough=lambda: n < ENOUGH <= read.spellings.read)
        return
    elif n < upto:
        st.button(t("Continue"), icon=":material/play_arrow:", key="spell_on", on_click=read.go_on, args=(upto,))
    source = t("the model’s vocabulary") if read.is_own else t("words of the static vectors")
    values = {"n": n, "all": len(read.spellings.words), "source": source}
    st.caption(t("Layer 0 neighbors: among the {n:,} most frequent of {all:,} words ({source}).", **values))


def _describe(job: Job, _: str) -> str:
    return t(
        "Reading the vocabulary: {n:,} of {upto:,} words, {speed:,.0f} per second, {left:.0f} s left. Neighbors come from those read.",
        n=job.done,
        upto=job.total,
        speed=job.speed,
        left=(job.total - job.done) / job.speed if job.speed else 0.0,
    )
