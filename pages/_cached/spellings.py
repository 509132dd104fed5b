"""The char-CNN vectors of a vocabulary, computed in a thread and shared by all pages."""

import atexit
import threading
import time

import numpy as np
import streamlit as st

from core.analysis.spelling import Spellings, list_words
from core.common.i18n import t
from core.common.turns import Shared
from core.elmo.encoder import Encoder
from core.static.vectors import StaticNeighbor
from core.workspace import Workspace
from pages._cached.kept import keep
from pages._frame.markup import plain
from pages._frame.server_jobs import TURNS, Background, visitor

NEIGHBORS = 6
ENOUGH = 1_000  # words read, before the nearest of them are shown
WAITED_S = 1.5  # for the reading, before a page is drawn without it


class SpellingReading(Background):
    """A vocabulary that is being encoded, with its progress, speed and error."""

    def __init__(self, encoder: Encoder, spellings: Spellings, own: bool) -> None:
        self.encoder, self.spellings, self.own = encoder, spellings, own
        self.upto, self.speed = 0, 0.0
        self.share = Shared()
        self._ends, self._lock = threading.Event(), threading.Lock()
        atexit.register(self._end)  # compiled code must not be cut off

    @property
    def stopped(self) -> bool:
        """Whether this visitor stopped it; it may go on for others."""
        return self.share.has_stopped(visitor())

    def start(self, upto: int) -> None:
        """Read as far as word number `upto`, unless that is done or under way, or this visitor stopped it."""
        self.share.join(visitor())
        with self._lock:
            if self.running or self.spellings.read >= upto or self.error or self.stopped:
                return
            self.upto = upto
            self.speed = 0.0
            self.begin(self._read, failed=t("Reading failed."), name="spellings")

    def go_on(self, upto: int) -> None:
        """Read on after a stop."""
        self.share.resume(visitor())
        self.start(upto)

    def nearest(self, words: tuple[str, ...], rows: np.ndarray, among: int | None) -> list[list[StaticNeighbor]]:
        """Return the nearest words for each word, or none while too few are encoded."""
        upto = min(among or len(self.spellings.words), len(self.spellings.words))
        self.start(upto)
        if self.spellings.read < min(ENOUGH, upto):
            self.wait(WAITED_S)
        if self.spellings.read < min(ENOUGH, upto):
            return [[] for _ in words]
        return self.spellings.nearest(rows, NEIGHBORS, among=upto, exclude=words)

    def stop(self) -> None:
        """Stop the job for this user. It continues while another user with an open page wants it."""
        self.share.stop(visitor())

    def _is_over(self) -> bool:
        return self._ends.is_set() or not self.share.is_wanted_by(TURNS.is_there)

    def _end(self) -> None:
        self._ends.set()
        self.wait(60)

    def _read(self) -> None:
        started = time.monotonic()
        before = self.spellings.read

        def report(done: int, total: int) -> None:
            self.speed = (done - before) / (time.monotonic() - started)

        self.spellings.extend(self.encoder, self.upto, report=report, stop=self._is_over)


def reading(over: Workspace) -> SpellingReading:
    """Return the job for the model's vocabulary, or for that of the static vectors if the model has none."""

    def begin() -> SpellingReading:
        model = over.model
        words, own = list_words(model.folder, over.vectors)
        return SpellingReading(model.encoder, Spellings(words, model.fingerprint, model.encoder.model.shape.projection), own)

    return keep("spellings", over.reads("model", "vectors"), None, begin, most=3, weighed=False)


def show_reading(read: SpellingReading, among: int | None, shown: bool) -> None:
    """State how many words were searched, and show the progress. `shown` is true if there were enough words to list neighbors."""
    upto = min(among or len(read.spellings.words), len(read.spellings.words))
    n = min(read.spellings.read, upto)
    if not shown and n == upto:  # it came to its end while the page was drawn
        st.rerun()
    if read.error:
        st.warning(plain(read.error))
    elif n < upto and read.running and not read.stopped:
        _ticking(read, n < ENOUGH)
        return
    elif n < upto:
        st.button(t("Continue"), icon=":material/play_arrow:", key="spell_on", on_click=read.go_on, args=(upto,))
    source = t("the model’s vocabulary") if read.own else t("words of the static vectors")
    st.caption(
        t(
            "Layer 0 neighbors: among the {n:,} most frequent of {all:,} words ({source}).",
            n=n,
            all=len(read.spellings.words),
            source=source,
        )
    )


@st.fragment(run_every=1.0)
def _ticking(read: SpellingReading, waiting: bool) -> None:
    """Show the progress. Run the page again when there are enough words, and at the end."""
    n = read.spellings.read
    if not read.running or read.stopped or (waiting and n >= ENOUGH):
        st.rerun()
    left = (read.upto - n) / read.speed if read.speed else 0.0
    bar, button = st.columns([6, 1], vertical_alignment="center")
    text = t(
        "Reading the vocabulary: {n:,} of {upto:,} words, {speed:,.0f} per second, {left:.0f} s left. Neighbors come from those read.",
        n=n,
        upto=read.upto,
        speed=read.speed,
        left=left,
    )
    bar.progress(min(1.0, n / read.upto), text=text)
    button.button(t("Stop"), key="spell_stop", on_click=read.stop, icon=":material/stop:")
