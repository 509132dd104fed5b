"""Home: the verdict on the word, the picture that shows the reason, and the words that ELMo expects."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common import i18n, model_layers
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import html
from core.common.model_layers import MIX, Layers
from core.senses.scene import Scene
from core.senses.verdict import CLOSE, ONE, Verdict, is_word
from core.text import languages
from core.text.tokens import bare
from core.views import substitutes
from core.views.pair import Angles, angles
from pages._cached import shared_jobs
from pages._cached.cache import version, workspace, workspace_of
from pages._export import record
from pages._frame import language
from pages._frame.frame import notice
from pages._frame.in_use import InUse, short_name
from pages._frame.jobs import Job
from pages._frame.markup import plain, show_errors, show_html
from pages._home import picture
from pages._widgets import lists, verdict
from pages._widgets.inputs import Chosen

AT_STOP = 0.02  # a position nearer than this to a layer is the layer itself


@dataclass(frozen=True, slots=True, eq=False)
class SecondModel:
    """A second model's angles of the same two words, at the same depth."""

    name: str
    angles: Angles

    @property
    def layers(self) -> Layers:
        return self.angles.layers

    def place(self, space: str, first: Layers) -> float:
        """Return the position among this model's layers of a space of the first model, at the same depth."""
        top = self.layers.n - 1
        return top + 1.0 if space == MIX else int(space) * top / max(1, first.n - 1)

    def where(self, place: float) -> str:
        """Return the name of the space at a position, or of the two next to it."""
        low = int(place)
        share = place % 1
        spaces = self.layers.spaces
        if share < AT_STOP or share > 1 - AT_STOP:
            return self.layers.title(spaces[round(place)])
        a, b = (self.layers.title(spaces[k]) for k in (low, low + 1))
        return t("between {a} and {b}", a=a, b=b)


def show(in_use: InUse, first: Chosen, second: Chosen, chips: DeltaGenerator, place: DeltaGenerator) -> None:
    """Show the expected words and the verdict in their containers, and the picture here."""
    with suppress(
        ElmoscopeError
    ):  # computed before anything is drawn, so that all old elements are replaced at once; errors are shown there
        verdict.compare_pair(in_use, first, second)
        picture.expect_words(in_use, first, second)
    with place:
        _verdict(in_use, first, second)
    _picture(in_use, {1: first, 2: second}, chips)


def _verdict(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """Show the answer in large type, and a button for the language of a foreign word."""
    judgment = verdict.judge(in_use, first, second).verdict
    if foreign := language.foreign(bare(first.word), second.word):
        title, reason = t("Another language"), language.say_foreign(foreign[0])
    elif judgment is not None:
        title, reason = verdict.title_with_senses(judgment), judgment.say_certainty()
    elif all(is_word(item.in_context, languages.in_use()) for item in (first, second)):
        title, reason = t("Two different words"), t("Tap the same word in both sentences.")
    else:
        title, reason = t("Not a word"), t("Tap a word in each sentence.")
    show_html('<p class="verdict" role="status"><b>{}</b> <span>{}</span></p>', title, reason)
    record.now().note("notice", html("<b>{}</b> {}", title, reason), "verdict")
    for word in foreign[:1]:
        language.offer_its_language(word, "home.read")


def _picture(in_use: InUse, chosen: Mapping[int, Chosen], chips: DeltaGenerator) -> None:
    first, second = chosen.values()
    pair = verdict.compare_pair(in_use, first, second)
    spellings = [bare(first.word), bare(second.word)]
    are_words = all(is_word(item.in_context, languages.in_use()) for item in (first, second)) and not language.foreign(*spellings)
    scene = pair.scene if are_words else None
    space = picture.show(in_use, pair, scene, chosen) if scene else ""
    words = []
    with show_errors():  # after the picture, which waits for no softmax
        words = picture.show_expected(in_use, first, second, chips)
    second_model = None
    if in_use.other_model:
        with show_errors():  # the first model's answer is there whatever becomes of the second's
            second_model = SecondModel(
                short_name(in_use.other_model), angles(workspace(in_use).beside(in_use.other_model), first.in_context, second.in_context)
            )
    unknown = lists.unknown(workspace(in_use).vectors, spellings) if are_words else []
    if lines := [*write_notices(scene, space, pair.judgment.verdict, second_model), *unknown]:
        notice(lines)
    rows = [(name_of(k), round(v, 4)) for k, v in pair.bars.items()]
    if second_model:
        name, layers = second_model.name, second_model.layers
        rows += [(t("{model}, {layer}", model=name, layer=layers.short(k)), round(v, 4)) for k, v in second_model.angles.cosines.items()]
    lists.offer_table(pd.DataFrame(rows, columns=[t("vectors"), t("cosine")]), name="cosines", label=t("Cosines"), key="home.table")
    if words:
        lists.offer_table(substitutes.tabulate(words), name="substitutes", label=t("Substitutes"), key="home.expected.table")
    if scene:
        lists.offer_table(scene.table(space), name="scene", label=t("Picture"), key="home.scene.table")


def write_notices(scene: Scene | None, space: str, verdict: Verdict | None, second: SecondModel | None) -> list[str]:
    """Return one sentence on what the picture shows in a space, and one on the second model where there is one."""
    lines = [say_picture(scene, space, verdict)] if scene else []
    return lines + ([describe_second_model(second, space or MIX)] if second else [])


def say_picture(scene: Scene, space: str, verdict: Verdict | None) -> str:
    """Return what the picture shows of both stars, in at most 15 words."""
    place = scene.spaces.index(space)
    if not scene.stars[place].any() and not scene.points[place].any():
        return t("Before ELMo reads the sentence, all sentences share one point.")
    if not scene.labeled:
        if scene.ring is not None and scene.distance is not None and scene.distance > scene.ring:
            return t("The stars are farther apart than most sentences with one meaning.")
        return t("The stars are as near as sentences with one meaning.")
    first, second = (scene.senses[k] for k in scene.nearest[place])
    if verdict is not None and verdict.says != CLOSE and (first == second) != (verdict.says == ONE):
        return t("Here the picture and the verdict disagree.")
    if first == second:
        return t("Both stars are nearest to “{sense}”.", sense=first)
    return t("The stars are nearest to “{first}” and to “{second}”.", first=first, second=second)


def describe_second_model(second: SecondModel, space: str) -> str:
    """State the cosine of the second model at the same depth."""
    layers = model_layers.in_use()
    place = second.place(space if space in layers.spaces else MIX, layers)
    values = {"model": second.name, "where": second.where(place), "cosine": second.angles.cosine(place)}
    return t("{model} at the same depth ({where}): {cosine:.2f}.", **values)


def name_of(vectors: str) -> str:
    """Return GloVe, a layer or the mix, as in a list of both networks' numbers."""
    return vectors if vectors == "GloVe" else model_layers.in_use().of_model(vectors)


ALONE_JOB, ALONE, STEPS = "live page", "home.alone", 100  # the job and the widgets of the HTML file


def offer_html_file(in_use: InUse) -> None:
    """Offer a page that runs without this server: the selected model in one HTML file. A job makes it on request, once for all users."""
    opened = st.expander(t("A page that runs without this server"), icon=":material/flight_takeoff:", key=ALONE, on_change="rerun")
    if not opened.open:
        return
    key = in_use.model, version(in_use.model, "model"), i18n.language()  # which the page opens in
    with opened:
        name = plain(short_name(in_use.model))
        st.caption(t("One HTML file with {model} in it. It opens from disk in any browser, without a network.", model=name))
        if shared_jobs.find_job(ALONE_JOB, key) is None:
            if st.button(t("Make the page"), key=f"{ALONE}.make", icon=":material/build:"):
                _make_html_file(in_use.model, key)
                st.rerun()
            return
        page_job = _make_html_file(in_use.model, key)
        if page_job.result is None:
            shared_jobs.show_state(
                ALONE_JOB, key, lambda job, left: job.stage or t("Starting…"), widget=ALONE, stopped=t("Stopped."), again=t("Make the page")
            )
            return
        label = t("Download, {mb:.0f} MB", mb=len(page_job.result) / 1e6)
        lists.download(label, page_job.result, "elmoscope.html", "text/html", key=f"{ALONE}.file")


def _make_html_file(model: str, key: tuple) -> Job:
    def work(job: Job) -> bytes:
        from core.live.page import page_of

        def report(share: float, what: str) -> None:
            job.count(what, round(STEPS * share), STEPS)

        return page_of(workspace_of(model), report=report).encode("utf-8")

    return shared_jobs.job(ALONE_JOB, key, work, failed=t("The page could not be made. Try again."), most=1)
