"""The reasons for a classifier's answer: the part of each word, of context and of word order, and the layer weights."""

import numpy as np
import pandas as pd
import streamlit as st

from core.classify import tasks
from core.classify.explain import Explanation, near_texts
from core.classify.inputs import live_layers
from core.classify.model import variant_titles
from core.common.i18n import t
from core.common.markup import Markup, shorten
from core.elmo.mix import pulls
from core.figures.classifiers import token_marks
from pages._cached import classifiers
from pages._frame.choices import choice
from pages._frame.in_use import InUse
from pages._frame.markup import fragment, plain, show_html
from pages._widgets import lists
from pages._widgets.charts import weight_bars


@fragment
def show_reasons(in_use: InUse, task: str, names: list[str], text: str) -> None:
    """Show the reasons of one of the named classifiers."""
    st.markdown(t("#### Why?"))
    default = next((name for name in ("glove+elmo", "elmo") if name in names), names[0])
    name = choice("why", t("Explain"), names, default, format_func=variant_titles().get)
    result = classifiers.ask(tasks.reasons, task, in_use, text, name, meanwhile=t("Rereading without each word…"))
    _words(result)
    _context(result)
    if (mine := classifiers.own_heads().get(task)) and name in mine.pooled:
        reads = {"vectors": mine.workspace.vectors, "layers": live_layers(mine.workspace.model.encoder)}
        _near(near_texts(mine.opened.heads[name], mine.opened.tokens(text), mine.pooled[name], mine.dataset, **reads))
    _layers(name, result)
    parts = {t("word"): result.tokens, t("change if removed"): result.occlusion} | (
        {t("without its context"): result.context} if result.context else {}
    )
    lists.twin(pd.DataFrame(parts).round(3), name=f"reasons-{name}", key="why.twin")


def _words(explanation: Explanation) -> None:
    show_html(
        "{}{}{}",
        t("<p>Which words supported {label} ({share:.0%})?</p>", label=explanation.label, share=explanation.probability),
        token_marks(explanation.tokens, explanation.occlusion, title=t("for {label}", label=explanation.label)),
        t(
            '<p class="small">Removing a blue word makes the prediction less likely, an orange word more likely. Hover for the change in log-odds.</p>'
        ),
    )


def _context(explanation: Explanation) -> None:
    lines = []
    if explanation.context is not None:
        show_html(
            "{}{}{}",
            t("<p>What did context add?</p>"),
            token_marks(explanation.tokens, explanation.context, title=t("for {label}, by its context", label=explanation.label)),
            t('<p class="small">Each word’s ELMo vector is replaced by its vector without a sentence.</p>'),
        )
        change = explanation.context_total
        if change > 0.05:
            lines.append(t("Context supported the prediction ({change:+.2f} log-odds).", change=change))
        elif change < -0.05:
            lines.append(t("Context weakened the prediction ({change:+.2f} log-odds).", change=change))
        else:
            lines.append(t("Context changed little ({change:+.2f} log-odds).", change=change))
    lines.append(
        t(
            "With its words shuffled, {label} gets {share:.0%} on average.",
            label=plain(explanation.label),
            share=explanation.shuffled_probability,
        )
    )
    st.caption(" ".join(lines))


def _near(rows: list) -> None:
    if not rows:
        return
    line = Markup('<div class="kwic"><span class="cosine">{:.3f}</span>{} <b>{}</b></div>')
    show_html(
        "{}{}", t("<p>Most similar training rows</p>"), [line.format(row.cosine, shorten(text, 300), label) for row, text, label in rows]
    )


def _layers(name: str, explanation: Explanation) -> None:
    if not explanation.mix:
        return
    left, right = st.columns([2, 3], gap="large", vertical_alignment="center")
    with left:
        weight_bars(explanation.mix["s"], key=f"why.mix.{name}")
    weights = ", ".join(f"s{k} = {w:.2f}" for k, w in enumerate(explanation.mix["s"]))
    right.caption(
        t(
            "Learned layer weights s_j of {classifier}: {weights}, γ = {gamma:.2f}. Weighted by vector length, the layers contribute {pulls}. Try them on Mix.",
            classifier=variant_titles()[name],
            weights=weights,
            gamma=explanation.mix["gamma"],
            pulls=", ".join(f"{part:.0%}" for part in pulls(np.array(explanation.mix["s"]), np.array(explanation.lengths))),
        )
    )
