"""Home: the verdict on the word, and its picture: the angle between its two vectors in each layer, beside GloVe's."""

from __future__ import annotations

import time
from html import escape

import pandas as pd
import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import ours, plain
from core.elmo.mix import gram, layer_weights, mixed_cosines
from core.figures.maps import angle_figure, cosine_bars
from core.figures.sketch import sketch
from core.figures.style import layer_title
from core.text import languages
from core.text.tokens import bare
from pages._cached import opened
from pages._frame import language
from pages._frame.choices import layer_choice, what_layers_read
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import shown_errors
from pages._home import notices
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen
from pages._word import random_levels, verdict, verdict_words
from pages._word.engines import compare_engines

PAINTING_S = 0.4  # what a browser on two cores takes
BY_HAND = "home.layer_by_hand"  # whether the reader, or the address, chose the layer


@st.fragment
def show(in_use: InUse, first: Chosen, second: Chosen) -> None:
    with shown_errors():  # inside: an error in a fragment does not reach its caller
        in_use = opened.about(in_use, first.word, second.word)
        _verdict(in_use, first, second)
        _picture(in_use, first, second)
        compare_engines(in_use, [first, second])


def _verdict(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """The answer to the page's question, in large type; a click away, the language that a foreign word is of."""
    found = verdict.on(in_use, first, second)
    word = bare(first.word)
    reads = languages.in_use()
    foreign = [w for w in dict.fromkeys((word, bare(second.word))) if not reads.writes(w) and any(map(str.isalpha, w))]
    if foreign:
        said, small = t("Another language"), t("“{word}” is written in letters that {language} is not written in.", word=escape(foreign[0][:40]), language=reads.name)  # fmt: skip
    elif found is not None:
        said = verdict_words.title(found)
        small = f"{verdict_words.certainty(found)} {verdict_words.reason(found, word)}"
    elif verdict.is_word(first) and verdict.is_word(second):
        said, small = t("Two different words"), t("Tap the same word in both sentences.")
    else:
        said, small = t("Not a word"), t("Tap a word in each sentence.")
    st.html(f'<p class="verdict"><b>{said}</b> <span>{ours(small)}</span></p>')
    for other in languages.that_write(foreign[0]) if foreign else ():
        if other.code != reads.code and language.has_model(other):
            label = t("Read it as {language}", language=other.name)
            st.button(
                label, key=f"home.read.{other.code}", icon=":material/translate:", on_click=language.switch, args=(other.code,)
            )


def _picture(in_use: InUse, first: Chosen, second: Chosen) -> None:
    a, b = (opened.query(in_use.model, c.tokens, c.position).layers for c in (first, second))
    spaces = [*map(str, range(len(a))), "mix"]
    product, own_a, own_b = (a @ b.T)[None], gram(a[None])[0], gram(b[None])
    cosine = {name: float(mixed_cosines(product, own_a, own_b, layer_weights(name, len(a)))[0]) for name in spaces}
    vectors, words = opened.vectors(in_use.vectors), (bare(first.word), bare(second.word))
    static = vectors.cosine(first.word, second.word)
    one_word = verdict.of_one_word(in_use, first, second)
    same = words[0].casefold() == words[1].casefold()
    left, right = st.columns([3, 2], gap="large")
    with right:
        layer = _layer(spaces, verdict.layer(in_use, first, second))
    with left, st.container(gap=None, key="home_picture"):
        figure = angle_figure(cosine[layer], (t("1st"), t("2nd")), same_word=same, layer=layer, glove=static)
        told = {"first": words[0][:40], "second": words[1][:40], "where": layer_title(layer), "cosine": cosine[layer]}
        alt = t(
            "Two arrows, “{first}” of the first sentence and “{second}” of the second, at {where}: the cosine of their angle is {cosine:.2f}.",
            **told,
        )
        # The sketch shows until the browser has the chart's code (see style.py).
        st.html(f'<img class="sketch" alt="" src="{sketch(figure, width=600)}">')
        angle = st.container(height="stretch")
    with right:
        st.markdown(
            t("**How alike are the two vectors of “{word}”?**", word=plain(words[0], 18))
            if one_word or same
            else t("**How alike are the two words?**")
        )
        bars = ({} if static is None else {"GloVe": static}) | cosine
        beside = st.container()
        st.caption(
            t(
                "Cosine of the two vectors: 1 is the same direction; a grey line stands where two words drawn by lot stand on average."
            )
        )
    in_glove = tuple(vectors.vector(chosen.word) is not None for chosen in (first, second))
    notice(notices.noticed(notices.Seen(words, one_word, cosine, layer, random_levels.level(in_use, layer), in_glove)))
    if not st.session_state.setdefault("home.sketched", False):
        # Fetching the charts' code keeps a browser from painting anything for a second: all of the above must be painted before.
        time.sleep(PAINTING_S)
        st.session_state["home.sketched"] = True
    with angle:
        draw(figure, key="angle", alt=alt, height="stretch")
    with beside:
        values = ", ".join(f"{_name(k)} {v:.2f}" for k, v in bars.items())
        random = random_levels.means(in_use, cosine)
        alt = t("Bars of the cosine of the two vectors: {values}.", values=values) + random_levels.in_words(random)
        draw(cosine_bars(bars, chosen=layer, random=random), key="bars", alt=alt)
    table = pd.DataFrame([{t("vectors"): _name(k), t("cosine"): round(v, 4)} for k, v in bars.items()])
    lists.twin(table, name="cosines", key="home.table")


def _layer(spaces: list[str], best: str) -> str:
    """The layer shown: the one that tells the word's meanings apart best, unless the reader or the address chose one."""
    state, given = st.session_state, st.query_params.get("layer")
    if BY_HAND not in state:
        state[BY_HAND] = given in spaces
    if not state[BY_HAND] and state.get("layer", best) != best:
        state["layer"] = best
    return layer_choice(
        "layer",
        spaces=spaces,
        default=best,
        label=t("Layer of {model}. {told}", model=model_layers.in_use().called, told=what_layers_read()),
        on_change=_chosen_by_hand,
    )


def _chosen_by_hand() -> None:
    st.session_state[BY_HAND] = True


def _name(vectors: str) -> str:
    return vectors if vectors == "GloVe" else model_layers.in_use().of_model(vectors)
