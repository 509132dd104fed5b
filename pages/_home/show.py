"""Home: the verdict on the word, the picture that shows the reason, and the words that ELMo expects in place of each target word."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common import i18n, model_layers
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.limits import limits
from core.common.markup import html, shorten
from core.common.model_layers import MIX, SENSES, Layers
from core.elmo.substitutes import BOTH, InPlace, put_in
from core.figures.influence import curves_figure
from core.figures.maps import scene_figure
from core.figures.style import OWN, layer_title
from core.live.texts import expected_texts, scene_texts
from core.live.widgets import NONE, curves_data, decisive_rows, describe, occurrences, plain_rows, say_probability, scene_data
from core.senses.scene import Scene
from core.senses.verdict import CLOSE, ONE, Verdict, is_word
from core.text import languages
from core.text.tokens import bare
from core.views import substitutes
from core.views.pair import Pair, space_cosines
from core.views.substitutes import SubstitutesRequest
from pages._cached import shared_jobs
from pages._cached.cache import version, view, workspace, workspace_of
from pages._export import record
from pages._frame import language, question
from pages._frame.frame import notice
from pages._frame.in_use import InUse, short_name
from pages._frame.jobs import Job
from pages._frame.markup import plain, show_errors, show_html
from pages._frame.parameters import gone_through_history, read_parameter, write_parameter
from pages._widgets import lists, verdict
from pages._widgets.charts import note
from pages._widgets.components import get_settings, make_component, map_widget, sequence
from pages._widgets.inputs import Chosen

KEY, CURVES, EXPECTED = "home.live", "home.curves", "home.expected"  # keys of the components
_curves = make_component("curves", Path(__file__).parent)
_chips = make_component("expected", Path(__file__).parent)
SPACE, DRAWN, OPENED = "layer", "home.drawn", "home.opened"  # in the session; the first is in the address too
ALONE_JOB, ALONE, STEPS = "live page", "home.alone", 100  # the job and the widgets of the HTML file


@dataclass(frozen=True, slots=True, eq=False)
class SecondModel:
    """A second model's cosines of the same two words."""

    name: str
    layers: Layers
    cosines: Mapping[str, float]  # by layer, last the mix


def show(in_use: InUse, first: Chosen, second: Chosen, chips: DeltaGenerator, place: DeltaGenerator) -> None:
    """Show the expected words and the verdict in their containers, and the picture here."""
    with suppress(ElmoscopeError):  # before anything is drawn, so that all old elements are replaced at once; errors are shown there
        verdict.compare_pair(in_use, first, second)
        expect_words(in_use, first, second)
    with place:
        _show_verdict(in_use, first, second)
    _show_picture(in_use, {1: first, 2: second}, chips)


def _show_verdict(in_use: InUse, first: Chosen, second: Chosen) -> None:
    judgment = verdict.judge(in_use, first, second).verdict
    if foreign := language.foreign(first.word, second.word):
        title, reason = t("Another language"), language.say_foreign(foreign[0])
    elif judgment is not None:
        title, reason = verdict.title_with_senses(judgment), judgment.say_certainty()
    elif _are_words(first, second):
        title, reason = t("Two different words"), t("Tap or type the same word in both sentences.")
    else:
        title, reason = t("Not a word"), t("Tap a word in each sentence.")
    show_html('<p class="verdict" role="status"><b>{}</b> <span>{}</span></p>', title, reason)
    record.now().note("notice", html("<b>{}</b> {}", title, reason), "verdict")
    for word in foreign[:1]:
        language.offer_its_language(word, "home.read")


def _are_words(first: Chosen, second: Chosen) -> bool:
    """Return whether both targets are words of the language that text is read as."""
    reads = languages.in_use()
    return not language.foreign(first.word, second.word) and all(is_word(item.in_context, reads) for item in (first, second))


def _show_picture(in_use: InUse, chosen: Mapping[int, Chosen], chips: DeltaGenerator) -> None:
    first, second = chosen.values()
    over = workspace(in_use)
    pair = verdict.compare_pair(in_use, first, second)
    scene = pair.scene if _are_words(first, second) else None
    space = ""
    if scene:
        space = _choose_space(scene)
        with st.container(key="home_picture"):
            left, right = st.columns([2, 1], gap="medium")
            with left:
                _draw_scene(scene, chosen, space)
            with right:
                _show_evidence(in_use, pair, scene, space)
    words = []
    with show_errors():  # after the picture, which waits for no softmax
        words = show_expected(in_use, first, second, chips)
    second_model = None
    if in_use.other_model:
        with show_errors():  # the first model's answer stays if the second model fails
            other = over.with_model(in_use.other_model)
            cosines = space_cosines(other, first.in_context, second.in_context)
            second_model = SecondModel(short_name(in_use.other_model), other.layers, cosines)
    unknown = lists.unknown(over.vectors, [bare(first.word), bare(second.word)]) if _are_words(first, second) else []
    if lines := [*write_notices(scene, space, pair.judgment.verdict, second_model), *unknown]:
        notice(lines)
    layers_in_use = model_layers.in_use()
    titles = {k: t("{model}, {layer}", model=layers_in_use.called, layer=layers_in_use.short(k)) for k in pair.bars if k != "GloVe"}
    rows = [(titles.get(k, k), round(v, 4)) for k, v in pair.bars.items()]
    if second_model:
        name, layers = second_model.name, second_model.layers
        rows += [(t("{model}, {layer}", model=name, layer=layers.short(k)), round(v, 4)) for k, v in second_model.cosines.items()]
    lists.offer_table(pd.DataFrame(rows, columns=[t("vectors"), t("cosine")]), name="cosines", label=t("Cosines"), key="home.table")
    if words:
        lists.offer_table(substitutes.tabulate(words), name="substitutes", label=t("Substitutes"), key="home.expected.table")
    if scene:
        lists.offer_table(scene.table(space), name="scene", label=t("Picture"), key="home.scene.table")


def write_notices(scene: Scene | None, space: str, verdict: Verdict | None, second: SecondModel | None) -> list[str]:
    """Return one sentence on what the picture shows in a space, and one on the second model where there is one.

    A picture without labels says nothing about two different words, which have no verdict.
    """
    lines = [say_picture(scene, space, verdict)] if scene and (scene.labeled or verdict) else []
    if second:
        layers = model_layers.in_use()
        layer = layers.at_depth(space if space in layers.spaces else MIX, second.layers)
        values = {"model": second.name, "where": second.layers.title(layer), "cosine": second.cosines[layer]}
        lines.append(t("{model} at the same depth ({where}): {cosine:.2f}.", **values))
    return lines


def say_picture(scene: Scene, space: str, verdict: Verdict | None) -> str:
    """Return what the picture shows of both stars, in at most 15 words."""
    place = scene.spaces.index(space)
    if not scene.stars[place].any() and not scene.points[place].any():
        return t("Before ELMo reads the sentence, all sentences share one point.")
    if not scene.labeled:
        if scene.ring is not None and scene.distance is not None and scene.distance > scene.ring:
            return t("The stars are farther apart than most sentences with one meaning.")
        return t("The stars are as near as sentences with one meaning.")
    first, second = ([scene.senses[k] for k in senses] for senses in scene.nearest[place])
    if len(first) == len(second) == 2:
        return t("Both stars are about as near to one sense as to another.")
    if len(first) == 2:
        return t("The first star is about as near to “{one}” as to “{other}”.", one=first[0], other=first[1])
    if len(second) == 2:
        return t("The second star is about as near to “{one}” as to “{other}”.", one=second[0], other=second[1])
    disagrees = verdict is not None and verdict.says != CLOSE and (first == second) != (verdict.says == ONE)
    if first == second and disagrees:
        return t("The picture disagrees with the verdict: both stars are nearest to “{sense}”.", sense=first[0])
    if first == second:
        return t("Both stars are nearest to “{sense}”.", sense=first[0])
    values = {"first": first[0], "second": second[0]}
    if disagrees:
        return t("The picture disagrees with the verdict: the stars are nearest to “{first}” and to “{second}”.", **values)
    return t("The stars are nearest to “{first}” and to “{second}”.", **values)


def offer_html_file(in_use: InUse) -> None:
    """Offer a page that runs without this server: the selected model in one HTML file. A job makes it on request, once for all users."""
    opened = st.expander(t("A page that runs without this server"), icon=":material/flight_takeoff:", key=ALONE, on_change="rerun")
    if not opened.open:
        return
    key = in_use.model, version(in_use.model, "model"), i18n.language()  # the page opens in this language
    options = {"failed": t("The page could not be made. Try again."), "most": 1}

    def work(job: Job) -> bytes:
        from core.live.page import page_of

        def report(share: float, what: str) -> None:
            job.count(what, round(STEPS * share), STEPS)

        return page_of(workspace_of(in_use.model), report=report).encode("utf-8")

    with opened:
        name = plain(short_name(in_use.model))
        make = t("Make the page")
        st.caption(t("One HTML file with {model} in it. It opens from disk in any browser, without a network.", model=name))
        if shared_jobs.find_job(ALONE_JOB, key) is None:
            if st.button(make, key=f"{ALONE}.make", icon=":material/build:"):
                shared_jobs.job(ALONE_JOB, key, work, **options)
                st.rerun()
        elif page := shared_jobs.result_or_progress(
            ALONE_JOB, key, work, lambda job, left: job.stage or t("Starting…"), widget=ALONE, again=make, **options
        ):
            lists.download(t("Download, {mb:.0f} MB", mb=len(page) / 1e6), page, "elmoscope.html", "text/html", key=f"{ALONE}.file")


def _draw_scene(scene: Scene, chosen: Mapping[int, Chosen], space: str) -> None:
    state = st.session_state
    word = chosen[1].word
    data = scene_data(scene, word, chosen)
    news = {"key": data["key"], "view": space, "dot": NONE, "picked": [], "seq": sequence(KEY)}
    opens = space == SENSES and not state.get(OPENED)
    state[OPENED], state[DRAWN] = True, scene
    map_widget(key=KEY, data=data | {"news": news, "opens": opens}, on_set_change=_take_set)
    sentences = [(item.tokens, item.position) for item in chosen.values()]
    alt = scene_texts(labeled=scene.labeled)["alt"].format(word=shorten(word), n=len(scene.texts), where=layer_title(space))
    note(lambda: scene_figure(scene, space, sentences), key="scene", alt=alt)


def _show_evidence(in_use: InUse, pair: Pair, scene: Scene, space: str) -> None:
    judgment = pair.judgment
    usual = verdict.usual_layer(in_use)
    densities = verdict.densities(in_use, pair.judgment)
    rows = decisive_rows(densities, judgment)
    plain = plain_rows(densities, pair.cosines)
    sure = say_probability(judgment)
    _curves(key=CURVES, data=curves_data(rows, plain, scene.spaces, usual, sure))
    if every_row := [*rows, *filter(None, [plain.get(space, plain.get(usual))])]:
        note(lambda: curves_figure(every_row), key="curves", alt=describe(rows, sure))


def _choose_space(scene: Scene) -> str:
    """Return the visible space: that of the address or of the user's drag, else the last one, the sense space."""
    state = st.session_state
    if SPACE not in state or gone_through_history():
        state[SPACE] = read_parameter(SPACE)
        if state[SPACE] in scene.spaces:
            verdict.keep_layer(state[SPACE])
    last = scene.spaces[-1]
    space = state[SPACE] if state[SPACE] in scene.spaces else last
    write_parameter(SPACE, None if space == last else space)
    return space


def _take_set() -> None:
    """Select the space that the user dragged to, or put the sentence of a clicked dot into the second box. This is a callback."""
    scene = st.session_state.get(DRAWN)
    settings = get_settings(KEY)
    if scene is None:
        return
    if (space := settings.get("view")) in scene.spaces:
        st.session_state[SPACE] = space
        verdict.keep_layer(space)
    if scene.labeled and type(row := settings.get("taken")) is int and 0 <= row < len(scene.texts):
        sentence = occurrences(scene)[row]
        question.put(b=sentence.sentence, word=sentence.word)
        st.session_state["bi"] = sentence.position


def show_expected(in_use: InUse, first: Chosen, second: Chosen, place: DeltaGenerator) -> list[InPlace]:
    """Draw the chips in their place, where the model can name words; return what they hold."""
    with place:
        try:
            places = expect_words(in_use, first, second)
        except ElmoscopeError as error:  # a transformer, or published weights without a softmax
            st.caption(plain(str(error)))
            return []
        if places is not None:
            _chips(key=EXPECTED, data=_chip_data(places), on_put_change=_take_put)
    return places or []


def expect_words(in_use: InUse, first: Chosen, second: Chosen) -> list[InPlace] | None:
    """Return the words expected in both places; None for what is no word of the language."""
    if not _are_words(first, second):
        return None
    request = SubstitutesRequest(words=(first.in_context, second.in_context), direction=BOTH)
    return view(substitutes.compute, workspace(in_use), request)


def put(side: str, word: str) -> None:
    """Replace the selected word of a sentence in a callback. The other sentence keeps its selection."""
    current = question.settle()  # including text typed since the chips were drawn
    number = question.SIDES.index(side)
    if current.positions[number] is None:
        return
    for key, tokens, position in zip(question.SIDES, current.tokens, current.positions, strict=True):
        if position is not None and key != side:
            st.session_state[f"{key}i"] = position
            st.session_state[f"{key}.tapped"] = tokens[position]
    text, position = put_in(current.texts[number], current.tokens[number], current.positions[number], word)
    question.put(**{side: text[: limits().max_text]}, word=word)
    st.session_state[f"{side}i"] = position


def _take_put() -> None:
    side, _, word = str((st.session_state.get(EXPECTED) or {}).get("put") or "").partition(":")
    if side in question.SIDES and 0 < len(word) <= question.LONGEST:
        put(side, word)


def _chip_data(places: Sequence[InPlace]) -> dict:
    largest = max((answer.probability for place in places for answer in place.substitutes), default=1.0)
    words = [
        [
            {"word": answer.word, "size": round((answer.probability / largest) ** 0.5, 3)}
            | {"label": t("{word}, {p:.1%}: insert", word=answer.word, p=answer.probability)}
            for answer in (place.substitutes if place.is_good else ())
        ]
        for place in places
    ]
    sides = zip(question.SIDES, (t("1st"), t("2nd")), OWN, words, strict=True)
    return expected_texts() | {
        "sides": [{"side": side, "which": which, "color": color, "words": listed} for side, which, color, listed in sides]
    }
