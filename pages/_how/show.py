"""How it works: the overview, then nine steps of one token. The number of the step is a URL parameter."""

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from core.analysis.walk import Walk, walk
from core.common.config import ModelShape
from core.common.i18n import t
from pages._cached.views import of, workspace
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._how import angle, layers, mix, network, spelling, spellings, states, vector
from pages._how.parts import Rows
from pages._how.words import Step, steps
from pages._widgets import lists
from pages._widgets.inputs import Chosen
from pages._widgets.steps import stepper
from pages._word import of_elmo_alone

NUMBERS = ("1", "2", "3", "4", "5", "6", "7", "8", "9")
Draw = Callable[[Walk, ModelShape], tuple[list[str], Rows]]


@st.fragment
def show(in_use: InUse, chosen: Chosen) -> None:
    with show_errors():  # inside: an error in a fragment does not reach its caller
        if of_elmo_alone.is_another(in_use, of_elmo_alone.HOW):
            return
        over = workspace(in_use)
        way = of("model.encoder", walk, over, chosen.tokens, chosen.position)
        shape = over.model.encoder.model.shape
        all_steps = steps(shape)
        whole = st.container()
        number = _stepper(all_steps)
        with whole:
            network.show(way, all_steps, number)
        step = all_steps[number]
        st.subheader(t("{number} of {n}: {title}", number=number + 1, n=len(all_steps), title=step.title), anchor=False)
        left, right = st.columns([3, 2], gap="large")
        show_html('<p class="lede" style="margin:0">{}</p>', step.words, place=left)
        with right:
            st.markdown(f"`{step.shape}`")
            for equation in step.equations:
                st.latex(equation)
            if step.source:
                st.caption(step.source)
        lines, table = _drawings(in_use, chosen)[number](way, shape)
        notice(lines)
        lists.twin(pd.DataFrame(table), name=f"step-{number + 1}", key=f"how.table.{number + 1}")


def _drawings(in_use: InUse, chosen: Chosen) -> tuple[Draw, ...]:
    """Return what draws each step, and says what to notice of it and what its table holds."""
    return (
        spelling.characters,
        spelling.filters,
        vector.projection,
        partial(spellings.show, in_use),
        partial(states.direction, backward=False),
        partial(states.direction, backward=True),
        layers.layers,
        partial(angle.show, in_use, chosen),
        mix.mix,
    )


def _stepper(all_steps: tuple[Step, ...]) -> int:
    """Draw Back, the numbers of the steps, and Next. Return the number from 0."""

    def following(number: int) -> str:
        last = number == len(all_steps) - 1
        return t("Last step") if last else t("Next: {title}", title=all_steps[number + 1].title)

    icons = ":material/arrow_back:", ":material/arrow_forward:"
    return stepper("step", t("Step"), NUMBERS, buttons="how", following=following, icons=icons)
