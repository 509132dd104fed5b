"""The About part: measures by layer, the training log, the model card, how to cite, and the text for a problem report."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.analysis.random_pairs import random_level
from core.common import i18n, installation
from core.common.i18n import format_number, say, t
from core.common.markup import code, command, html
from core.common.significance import read_back
from core.elmo.models import Model
from core.figures.measures import find_axis, panel_figure, training_figure
from core.figures.style import LAYER_COLORS, layer_title
from core.files.published import catalog
from core.views.card import INTERVAL, STAGES, ModelCard, Panel, TrainingLog, knowledge_panels, measure_rows, read_card
from pages._cached import cache
from pages._cached.cache import workspace
from pages._frame.choices import choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse, short_name
from pages._frame.markup import plain, show_html
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.lists import static_line

SYNTAX = "Parts of speech"  # the title of the panel on grammar
DIRECTIONS = "8"  # directions taken off, of those that were measured


def show(in_use: InUse) -> None:
    model = cache.model(in_use.model)
    card = read_card(model.folder, model.fingerprint)
    _show_knowledge(model.name, card)
    if card.measures:
        _show_anisotropy(card.measures)
    with st.expander(t("Random pairs"), icon=":material/shuffle:", key="model.random"):
        _show_random_pairs(in_use, model.encoder.n_layers)
    if card.log:
        _show_training(card.log)
    _show_card(model, card)
    with st.expander(t("How to cite"), icon=":material/format_quote:", key="model.cite"):
        st.code(installation.ELMOSCOPE, language="bibtex")
        st.code(installation.ELMO, language="bibtex", wrap_lines=True)
    with st.expander(t("Report a problem"), icon=":material/bug_report:", key="model.report"):
        st.caption(t("Say what you did and what you saw, and add this. It has no paths and nothing that you typed."))
        named = {"model": in_use.model, "vectors": in_use.vectors, "corpus": in_use.corpus, "second model": in_use.other_model}
        listed = {entry.name for entry in catalog()}
        names = {key: short_name(name) if name in listed else "custom" for key, name in named.items() if name}
        settings = {**names, "engine": in_use.engine, "language": i18n.language()}
        st.code(installation.describe_installation(settings), language=None)


def _show_knowledge(name: str, card: ModelCard) -> None:
    st.markdown(t("#### Syntax below, meaning above?"))
    if not card.measures:
        offered = code(command("python", "-m", "core.lab", "card", options=[("model", name), ("data", "FOLDER")]))
        message = t("{name} has not been measured. In a terminal, with the data sets: {command}", name=plain(name), command=offered)
        st.info(message, icon=":material/terminal:")
        notice([t("The layers of {name} have not been measured with these weights.", name=name)])
        return
    st.caption(t("Accuracy by layer. Dotted: no context. Orange: the other words' static vectors alone."))
    panels = knowledge_panels(card.measures)
    limits = find_axis(panels)
    for column, panel in zip(st.container(key="panels").columns(len(panels), gap="medium"), panels, strict=True):
        with column:
            translated = replace(panel, baseline_name=say(panel.baseline_name))
            lists.heading(say(panel.title), LAYER_COLORS["2"], say(panel.data))
            named = ", ".join(f"{layer_title(k)} {v:.1%}" for k, v in panel.accuracy.items())
            values = {"task": say(panel.title), "baseline": translated.baseline_name, "level": translated.baseline}
            alt = t("{task}, accuracy by layer: {named}. {baseline}: {level:.1%}.", named=named, **values)
            draw(panel_figure(translated, limits=limits), key=f"panel.{panel.title}", alt=alt)
    lines = _describe_orders(panels) + _describe_failures(panels)
    notice(_compare_with_paper(panels) + lines or _write_notices(panels))
    if lines:
        with st.expander(t("By task"), icon=":material/list:", key="model.tasks"):
            show_html("{}", [html("<p>{}</p>", line) for line in _write_notices(panels)])
    table = pd.DataFrame(measure_rows(card.measures)).map(lambda cell: say(cell) if isinstance(cell, str) else cell)
    table = table.rename(columns=lambda column: say(column.removesuffix(INTERVAL)) + (INTERVAL if column.endswith(INTERVAL) else ""))
    lists.offer_table(table, name=f"{name}-measures", label=t("All measures and commands"), key="model.measures")


def _show_random_pairs(in_use: InUse, n_layers: int) -> None:
    """Show the random pairs of each layer, which any cosine of this model is compared with."""
    results = []
    for k in range(n_layers):
        if level := random_level(workspace(in_use), str(k)):
            span = t("{low} to {high}", low=format_number(level.low, ".2f"), high=format_number(level.high, ".2f"))
            results.append(f"{layer_title(str(k))}: {format_number(level.mean, '.2f')} ({span})")
    if results:
        st.caption(t("Cosine of random pairs (90% range): {values}.", values=", ".join(results)))


def _write_notices(panels: list[Panel]) -> list[str]:
    lines = []
    for panel in panels:
        best = max(panel.accuracy, key=panel.accuracy.get)
        lines.append(_describe_panel(panel))
        if panel.static is not None and best in panel.less_static:
            lines[-1] += " " + static_line(panel.static, layer_title(best), panel.less_static[best])
    return lines


def _compare_with_paper(panels: list[Panel]) -> list[str]:
    """Compare layers 1 and 2 with the paper, in one sentence: syntax at layer 1, senses at layer 2."""
    syntax = [panel.order.verdict > 0 for panel in panels if panel.order and panel.title == SYNTAX]
    senses = [panel.order.verdict < 0 for panel in panels if panel.order and panel.title != SYNTAX]
    if not syntax or not senses:
        return []
    values = {"n": sum(senses), "m": len(senses)}
    if syntax[0]:
        return [t("Grammar is better at layer 1; senses at layer 2 in {n} of {m} tests.", **values)]
    return [t("Grammar is not better at layer 1; senses at layer 2 in {n} of {m} tests.", **values)]


def _describe_orders(panels: list[Panel]) -> list[str]:
    """State for each task whether layer 1 or layer 2 is better, as in the paper, or that it is inconclusive."""
    orders: dict[int, list[str]] = {1: [], -1: [], 0: []}  # as in the paper, opposite, inconclusive
    for panel in panels:
        if panel.order is not None:  # its verdict: whether layer 1 leads
            agrees = panel.order.verdict * (1 if panel.title == SYNTAX else -1)
            orders[agrees].append(f"{say(panel.title)} {panel.order.in_points()}")
    parts = []
    if orders[1]:
        parts.append(t("as in the paper for {tasks}", tasks=", ".join(orders[1])))
    if orders[-1]:
        parts.append(t("opposite for {tasks}", tasks=", ".join(orders[-1])))
    if orders[0]:
        parts.append(t("inconclusive for {tasks}", tasks=", ".join(orders[0])))
    return [t("Layer 1 minus layer 2, in points (95% interval): {each}.", each="; ".join(parts))] if parts else []


def _describe_failures(panels: list[Panel]) -> list[str]:
    """Return the tasks at which a baseline without context or network beats every layer."""
    lines = []
    if failed := [say(panel.title) for panel in panels if max(panel.accuracy.values()) < panel.baseline]:
        lines.append(t("No layer reaches the baseline: {tasks}.", tasks=", ".join(failed)))
    best = {panel.title: panel.less_static.get(max(panel.accuracy, key=panel.accuracy.get)) for panel in panels}
    if behind := [say(title) for title, difference in best.items() if difference and difference.verdict < 0]:
        lines.append(t("Static vectors do better: {tasks}.", tasks=", ".join(behind)))
    return lines


def _describe_panel(panel: Panel) -> str:
    """State the best and the worst layer of a task, as far as the visible digits allow, compared with the baseline."""
    written = {layer: f"{accuracy:.1%}" for layer, accuracy in panel.accuracy.items()}
    highest, lowest = max(panel.accuracy.values()), min(panel.accuracy.values())
    best = ", ".join(layer for layer, accuracy in written.items() if accuracy == f"{highest:.1%}")
    worst = ", ".join(layer for layer, accuracy in written.items() if accuracy == f"{lowest:.1%}")
    values = {"accuracy": highest, "best": best, "worst": worst}
    where = t("best at layer {best} ({accuracy:.1%}), weakest at layer {worst}", **values)
    if len(set(written.values())) == 1:
        where = t("{accuracy:.1%} at layer {best}", **values)
    above = 100 * (highest - panel.baseline)
    name = say(panel.baseline_name)
    values = {"points": abs(above), "baseline": name if panel.baseline_name == "chance" else t("the {baseline}", baseline=name)}
    if f"{abs(above):.1f}" == "0.0":
        comparison = t("no better than {baseline}", **values)
    elif above > 0:
        comparison = t("{points:.1f} points above {baseline}", **values)
    else:
        comparison = t("{points:.1f} points below {baseline}", **values)
    return t("<b>{task}</b>: {where}; {beside}.", task=say(panel.title), where=where, beside=comparison)


def _show_training(log: TrainingLog) -> None:
    titles = {"perplexity": t("Perplexity"), "loss": t("Loss"), "learning_rate": t("Learning rate"), "tokens_per_second": t("Speed")}
    if not log.validations:
        del titles["perplexity"]
    ends = {say(STAGES[stage]): end for stage, end in log.ends().items()}
    about = t("**Perplexity**: the number of equally likely next words (lower is better).")
    about += " " + t("The LSTMs first read an embedding table, then the char-CNN.")
    with st.expander(t("How it learned"), icon=":material/show_chart:", key="model.training"):
        chosen = choice("curve", t("Curve"), titles, next(iter(titles)), label_visibility="collapsed")
        alt = t("{what} by tokens read in training. Stages: {stages}.", what=titles[chosen], stages=", ".join(ends))
        draw(training_figure(log.steps, log.validations, ends, quantity=chosen), key=f"curve.{chosen}", alt=alt)
        st.caption(about)
    table = pd.DataFrame([*log.steps, *log.validations]).sort_values("tokens", kind="stable").rename(columns=say)
    lists.offer_table(table, name="training-log", label=t("The training log"), key="model.log")


def _show_card(model: Model, card: ModelCard) -> None:
    st.markdown(t("#### Model card"))
    labels = {
        "Trained on": t("Trained on"),
        "How": t("How it was trained"),
        "Good for": t("Good for"),
        "Cannot": t("Limits"),
        "License": t("License"),
    }  # labels that a card of ours uses; its texts are the model's own
    rows_by_label = (_describe_elmo(model.name, card) if card.shape else _describe_transformer(model)) | {
        t("File"): t("{n:.0f} MB", n=card.megabytes),
        t("License"): card.meta.get("license", t("see publisher")),
        **{labels.get(label, label): text for label, text in card.papers(i18n.language()).items()},
    }
    if "date" in card.meta:
        rows_by_label[t("Made")] = t("{date}, Elmoscope {version}", date=card.meta["date"][:10], version=card.meta.get("code_version", ""))
    rows = [html("<tr><th>{}</th><td>{}</td></tr>", label, text) for label, text in rows_by_label.items()]
    show_html('<table class="card">{}</table>', rows)


def _describe_elmo(name: str, card: ModelCard) -> dict[str, str]:
    shape = card.shape
    millions = {"spelling": card.parameters["char-CNN"] / 1e6, "lstms": card.parameters["LSTMs"] / 1e6}
    sizes = {
        "filters": shape.n_filters,
        "highway": shape.n_highway,
        "layers": shape.n_layers,
        "cells": shape.hidden,
        "projection": shape.projection,
    }
    described_shape = t(
        "{filters:,} char-CNN filters, {highway} highway layers, {layers} LSTM layers per direction ({cells:,} cells, projected to {projection})",
        **sizes,
    )
    values = {"layers": shape.n_layers + 1, "dim": shape.dim, "projection": shape.projection}
    return {
        t("Model"): t("{name}, in ELMo’s format", name=name),
        t("Shape"): described_shape,
        t("Parameters"): t("char-CNN {spelling:.1f} million, LSTMs {lstms:.1f} million", **millions),
        t("Vectors"): t("{layers} layers of {dim} numbers ({projection} per direction)", **values),
    }


def _describe_transformer(model: Model) -> dict[str, str]:
    encoder = model.encoder
    numbers = {"blocks": encoder.n_layers - 1, "n": encoder.model.num_parameters() / 1e6}
    return {
        t("Model"): t("{name}, a transformer ({kind})", name=model.layers.called, kind=encoder.model.config.model_type),
        t("Shape"): t("{pieces:,} word pieces, {blocks} blocks, {n:.1f} million parameters", pieces=len(encoder.tokenizer), **numbers),
        t("Window"): t("{n:,} pieces, overlapping by half in longer sentences", n=encoder.window),
        t("Vectors"): t("{layers} layers of {dim} numbers", layers=encoder.n_layers, dim=encoder.dim),
    }


def _show_anisotropy(measures: dict) -> None:
    """Show the cosine of two random words and the accuracy before and after. Show nothing if they were not measured."""
    random, senses = measures.get("random", {}), measures.get("sentences", {})
    layers = [name for name in random if name.isdecimal() and "without" in random[name] and "without" in senses.get(name, {})]
    if not layers:
        return
    about = t("Without their mean and main directions, random words are unrelated (Ethayarajh 2019, Mu and Viswanath 2018).")
    about += " " + t("Right-hand columns: change in sense accuracy, in points (95% interval).")
    with st.expander(t("Anisotropy: what all vectors share"), icon=":material/compress:", key="model.anisotropy"):
        st.caption(about)
        lists.grid([_anisotropy_row(name, random[name], senses[name]) for name in layers], key="model.cone")
        notice(_describe_anisotropy(layers, senses))


def _anisotropy_row(layer: str, random: dict, senses: dict) -> dict[str, str]:
    return {
        t("layer"): layer_title(layer),
        t("random pairs"): f"{random['mean']:.2f}",
        t("minus mean"): f"{round(random['without']['0'], 2) + 0.0:.2f}",  # no minus before 0.00
        t("minus 8 directions"): f"{round(random['without'][DIRECTIONS], 2) + 0.0:.2f}",
        t("sense accuracy"): f"{senses['one_nn']:.1%}",
        t("mean removed"): read_back(senses["without"]["0"]).in_points(),
        t("8 directions removed"): read_back(senses["without"][DIRECTIONS]).in_points(),
        t("word mean removed"): read_back(senses["centered_less"]).in_points(),
    }


def _describe_anisotropy(layers: list[str], senses: dict) -> list[str]:
    names = [name for name in layers if name != "0"]  # layer 0 has one vector for all of a word's sentences
    verdicts = {name: read_back(senses[name]["without"][DIRECTIONS]).verdict for name in names}
    helped = ", ".join(layer_title(name) for name in names if verdicts[name] > 0)
    harmed = ", ".join(layer_title(name) for name in names if verdicts[name] < 0)
    by_word = ", ".join(layer_title(name) for name in names if read_back(senses[name]["centered_less"]).verdict > 0)
    no_help = t("Removing what all words share significantly helps at no layer.")
    lines = [t("Removing what all words share helps at {layers}.", layers=helped) if helped else no_help]
    if harmed:
        lines.append(t("Removing 8 directions hurts at {layers}.", layers=harmed))
    if by_word:
        lines.append(t("Removing each word’s mean helps at {layers}: only Home’s verdict and the groups on Senses do so.", layers=by_word))
    return lines
