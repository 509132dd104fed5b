"""The Model page: measures per layer, the training as it went, and the model's card."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from core import figures
from core.modelcard import STAGES, ModelCard, TrainingLog, knowledge_panels, measure_rows, read_card
from pages._shared import lists, store
from pages._shared.frame import InUse, notice

QUANTITIES = {"perplexity": "Perplexity", "loss": "Loss", "learning_rate": "Learning rate", "tokens_per_second": "Speed"}


def show(in_use: InUse) -> None:
    model = store.model(in_use.model)
    card = read_card(model.folder, model.fingerprint)
    _knowledge(model.name, card)
    if card.log:
        _training(card.log)
    _card(model.name, card)


def _knowledge(name: str, card: ModelCard) -> None:
    st.markdown("#### Syntax below, meaning above?")
    if not card.measures:
        why = "were taken of other weights than these" if card.stale else "have not been taken yet"
        st.info(
            f"The measures of {name} {why}. In a terminal, with the data sets in a folder: `python -m core evaluate card --model {name} --data FOLDER`",
            icon=":material/terminal:",
        )
        notice([f"The measures of {escape(name)} {why}: nothing is claimed about its layers here."])
        return
    st.html(
        '<p class="small">Peters et al. (2018, tables 5 and 6) found that their biLM\'s layer 1 knows parts of speech best and its layer 2 word '
        "senses. Each panel shows one task, read off one layer alone; all panels span equally many points, the dotted line is what one gets "
        "without any context.</p>"
    )
    panels = knowledge_panels(card.measures)
    span = figures.shared_span(panels)
    for column, panel in zip(st.columns(len(panels), gap="medium"), panels, strict=True):
        with column:
            lists.heading(panel.title, figures.LAYER_COLOURS["2"], panel.data)
            st.plotly_chart(figures.panel_figure(panel, span=span), key=f"panel.{panel.title}", config=figures.CONFIG)
    notice(_noticed(panels))
    table = pd.DataFrame(measure_rows(card.measures))
    lists.twin(table, name=f"{name}-measures", label="Every measure, with the command that makes it", key="model.measures")


def _noticed(panels: list[figures.Panel]) -> list[str]:
    lines = []
    for panel in panels:
        best, worst = (pick(panel.accuracy, key=panel.accuracy.get) for pick in (max, min))
        above = panel.accuracy[best] - panel.baseline
        how = f"{abs(above) * 100:.1f} points {'above' if above >= 0 else 'below'} {'' if panel.baseline_name == 'chance' else 'the '}{panel.baseline_name}"
        lines.append(f"<b>{panel.title}</b>: best at layer {best} ({panel.accuracy[best]:.1%}, {how}), weakest at layer {worst}.")
    tags = [max(p.accuracy, key=p.accuracy.get) for p in panels if p.title.startswith("Parts of speech")]
    senses = [max(p.accuracy, key=p.accuracy.get) for p in panels if not p.title.startswith("Parts of speech")]
    if tags and senses:
        holds = all(int(s) > int(tags[0]) for s in senses)
        verdict = (
            "holds here" if holds else "does not hold here on every task: this model is smaller and was trained on far less text"
        )
        lines.append(f"So the paper's order, syntax below and meaning above, {verdict}.")
    return lines


def _training(log: TrainingLog) -> None:
    st.markdown("#### How it learned")
    named = [name for name in QUANTITIES if name != "perplexity" or log.validations]
    chosen = st.segmented_control(
        "What to draw", named, default=named[0], format_func=QUANTITIES.get, key="curve", bind="query-params",
        persist_state="session", label_visibility="collapsed",
    ) or named[0]  # fmt: skip
    ends = {STAGES[stage]: end for stage, end in log.ends().items()}
    st.plotly_chart(
        figures.training_figure(log.steps, log.validations, ends, quantity=chosen), key=f"curve.{chosen}", config=figures.CONFIG
    )
    st.html(
        '<p class="small"><b>Perplexity</b> says between how many equally likely words the model still wavers at each guess: lower is better, '
        "1 would be certainty. In the first stage the LSTMs read words from an embedding table, which is cheap; in the second the char-CNN, "
        "which spells every word from its letters, takes the table's place, and all of it learns together. The step up between the two is "
        "what spelling costs.</p>"
    )
    table = pd.DataFrame([*log.steps, *log.validations]).sort_values("tokens", kind="stable")
    lists.twin(table, name="training-log", label="The training log", key="model.log")


def _card(name: str, card: ModelCard) -> None:
    st.markdown("#### Its card")
    s, parameters = card.shape, card.parameters
    shape = f"char-CNN of {s.n_filters:,} filters, {s.n_highway} highway layers; {s.n_layers} LSTM layers of {s.hidden:,} cells in each direction, projected to {s.projection}"
    facts = {
        "Model": f"{name}, in ELMo's format",
        "Shape": shape,
        "Trained numbers": f"{parameters['char-CNN'] / 1e6:.1f} million in the char-CNN, {parameters['LSTMs'] / 1e6:.1f} million in the LSTMs",
        "Vectors": f"{s.n_layers + 1} layers of {s.dim} numbers for every token: {s.projection} from each direction",
        "File": f"{card.megabytes:.0f} MB",
        **{str(label): str(text) for label, text in (card.meta.get("card") or {}).items()},
        "Licence": card.meta.get("licence", "as its publisher says"),
    }
    if "date" in card.meta:
        facts["Made"] = f"{card.meta['date'][:10]}, Elmoscope {card.meta.get('code_version', '')}"
    rows = "".join(f"<tr><th>{escape(label)}</th><td>{escape(text)}</td></tr>" for label, text in facts.items())
    st.html(f'<table class="card">{rows}</table>')
