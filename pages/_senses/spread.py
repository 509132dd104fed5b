"""A few labels that spread: sentences named by a press or a lasso, the likeliest sense of the rest, the most doubtful offered next."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.common.i18n import t, tn
from core.common.markup import CITED, html, plain
from core.common.model_layers import SENSES
from core.corpus.spread import FEWEST_SENSES, MOST_CHARACTERS, MOST_SENSES, Labels, SpreadLabels
from core.figures.maps import selected_rows
from core.figures.spaces import label_map
from core.figures.style import MAP_CONFIG, mark, sense_colour
from core.views import induction
from core.views.induction import InductionRequest, Occurrences
from pages._frame.choices import text_box
from pages._frame.frame import notice, picture_first
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._senses import label_files, label_store, word
from pages._widgets import lists, presses
from pages._widgets.charts import draw
from pages._word.reading import view_when_read

OFFERED = 3  # of the most doubtful
DOUBTFUL = 0.6  # probability below which a sentence counts as doubtful
UNSURE = " ?"  # no sense’s name begins with a blank, but one may be a question mark
Key = tuple[str, str]


def show(in_use: InUse) -> None:
    """Inputs, map beside what is chosen next, the name for a selection, what to notice, senses, sentences, files."""
    inputs, picture = picture_first()
    chosen = word.choose(in_use, inputs, groups=False)
    if chosen is None:
        return
    over, request = chosen.over, InductionRequest(word=chosen.word, space=chosen.layer)
    with st.spinner(t("Reading its sentences…"), show_time=True):
        occurrences = view_when_read(induction.compute, over, request).occurrences
    key = over.corpus, chosen.word
    labels = label_store.current(key, occurrences.items)
    result = view_when_read(induction.compute, over, InductionRequest(word=chosen.word, space=chosen.layer, given=labels.given)).spread
    numbers, names = zip(*labels.given, strict=True) if labels.given else ((), ())
    st.session_state.update({"spread.word": chosen.word, "spread.numbers": numbers, "spread.names": names})  # as the notebook asks for them
    if fault := st.session_state.pop(label_store.FAULT, ""):
        st.error(plain(fault), icon=":material/error:")
    with picture:
        left, right = st.columns([3, 2], gap="large")
        with left:
            _map(occurrences, labels, result)
        with right:
            _ask(key, occurrences, labels, result)
    _name(key, occurrences, labels)
    notice(_write_notices(occurrences, labels, result, chosen.layer))
    _sentences(occurrences, labels, result)
    _senses(key, occurrences, labels, result)
    label_files.show(key, replace(in_use, corpus=over.corpus), occurrences, labels, result)


def _map(occurrences: Occurrences, labels: Labels, result: SpreadLabels | None) -> None:
    given = dict(labels.given)
    names = labels.senses
    n = len(occurrences.items)
    of = result.of if result else np.array([names.index(given[k]) if k in given else -1 for k in range(n)])
    sure = result.shares[np.arange(n), of] if result else np.ones(n)
    hovers = [_hover(occurrences, labels, result, k) for k in range(n)]
    labeled = np.isin(np.arange(n), list(given))
    figure = label_map(occurrences.coordinates, of, sure, labeled, names, hovers, key="spread")
    alt = t("Map of {n} sentences; {labeled} labeled: {names}.", n=n, labeled=len(given), names=", ".join(names) or "–")
    draw(figure, key=_map_key(), alt=alt, config=MAP_CONFIG, on_select="rerun", selection_mode=("points", "box", "lasso"))
    show_html('<p class="small">{}</p>', t("Click a dot, or draw around several. Rim: labeled by you. Faint: uncertain."))


def _hover(occurrences: Occurrences, labels: Labels, result: SpreadLabels | None, k: int) -> str:
    o, given = occurrences.items[k], dict(labels.given)
    sentence = mark(o.tokens, o.position)
    if k in given:
        return sentence + html("<br><b>{}</b>", given[k])
    return sentence + (html("<br>{} {:.0%}", result.senses[result.of[k]], result.shares[k, result.of[k]]) if result else "")


def _map_key() -> str:
    return f"spread.map.{label_store.turn()}"


def _table_key() -> str:
    return f"spread.table.{label_store.turn()}"


def _ask(key: Key, occurrences: Occurrences, labels: Labels, result: SpreadLabels | None) -> None:
    """The most doubtful sentences, each with the senses to choose from."""
    if result is None:
        st.markdown(t("**Steps**"))
        steps = (
            t("Select sentences of one sense, on the map or in the table."),
            t("Name their sense, then label those of another."),
            t("About five labels per sense are enough."),
        )
        st.markdown("\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)))
        return
    st.markdown(t("**Which sense?** The most doubtful first"))
    put_off = label_store.unsure(key)
    for k in [k for k in result.doubtful.tolist() if k not in put_off][:OFFERED]:
        o = occurrences.items[k]
        show_html("{}", lists.keyword_line(o.tokens, o.position, "", text=o.text, shortened=True))
        shares = zip(result.senses, result.shares[k], strict=True)
        titles = {sense: f"{plain(sense, CITED)} {share:.0%}" for sense, share in shares} | {UNSURE: "?"}
        box = f"spread.ask.{k}.{label_store.turn()}"
        st.pills(
            t("Sense"),
            list(titles),
            key=box,
            label_visibility="collapsed",
            on_change=partial(_answered, key, occurrences, k, box),
            format_func=titles.get,
        )


def _answered(key: Key, occurrences: Occurrences, k: int, box: str) -> None:
    sense = st.session_state.get(box)
    if sense == UNSURE:
        label_store.unsure(key).add(k)
    elif sense:
        label_store.change(key, occurrences.items, lambda labels: labels.label([k], sense))


def _selected(occurrences: Occurrences) -> list[int]:
    """What is selected on the map, and what in the table."""
    state = st.session_state
    on_map = selected_rows(state.get(_map_key()))
    in_table = (state.get(_table_key()) or {}).get("selection", {}).get("rows", [])
    order = state.get("spread.order") or list(range(len(occurrences.items)))
    return sorted({*on_map, *(order[k] for k in in_table if k < len(order))})


def _name(key: Key, occurrences: Occurrences, labels: Labels) -> None:
    """The name for what is selected; labels taken away, and the last step undone."""
    selected = _selected(occurrences)
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    sense = row.selectbox(
        t("Sense"),
        labels.senses,
        index=None,
        key="spread.sense",
        width=280,
        accept_new_options=True,
        placeholder=t("Choose, or type a new one"),
        help=t("{few} to {most} senses, {n} characters each.", few=FEWEST_SENSES, most=MOST_SENSES, n=MOST_CHARACTERS),
    )
    # A press comes with what the boxes hold then, which this run may not have seen yet.
    step, state = partial(label_store.change, key, occurrences.items), st.session_state
    row.button(
        tn("Label {n} sentence", "Label {n} sentences", len(selected)),
        type="primary",
        icon=":material/label:",
        key="spread.label",
        disabled=not (selected and sense),
        on_click=lambda: step(lambda now: now.label(_selected(occurrences), state["spread.sense"] or sense)),
    )
    row.button(
        t("Remove labels"),
        key="spread.remove",
        disabled=not {k for k, _ in labels.given} & set(selected),
        on_click=lambda: step(lambda now: now.label(_selected(occurrences), "")),
    )
    presses.button(
        t("Undo"), "spread.undo", lambda n: step(partial(_undo, steps=n)), place=row, icon=":material/undo:", disabled=not labels.before
    )


def _undo(labels: Labels, steps: int) -> Labels:
    for _ in range(steps):
        labels = labels.undo()
    return labels


def _write_notices(occurrences: Occurrences, labels: Labels, result: SpreadLabels | None, layer: str) -> list[str]:
    n, given = len(occurrences.items), len(labels.given)
    if result is None:
        return [t("{given} of {n} sentences of “{word}” labeled; label two senses to start.", given=given, n=n, word=occurrences.word)]
    counts = np.bincount(result.of, minlength=len(result.senses))
    named = ", ".join(f"{sense} {count}" for sense, count in zip(result.senses, counts.tolist(), strict=True))
    doubtful = int((result.shares.max(axis=1) < DOUBTFUL).sum())
    facts = [t("{given} labels spread to {n} sentences: {counts}.", given=given, n=n, counts=named)]
    facts.append(tn("{n} is below {limit:.0%}.", "{n} are below {limit:.0%}.", doubtful, limit=DOUBTFUL))
    if layer != SENSES:
        facts.append(t("Probabilities are calibrated for the sense space."))
    return facts


def _senses(key: Key, occurrences: Occurrences, labels: Labels, result: SpreadLabels | None) -> None:
    """Each sense with its counts; renamed, or put into another."""
    if not labels.senses:
        return
    step, state, n = partial(label_store.change, key, occurrences.items), st.session_state, label_store.turn()
    with st.expander(t("Rename, merge, split"), key="spread.edit"):
        first, second, third = st.columns([3, 3, 2], vertical_alignment="bottom")
        old = first.selectbox(t("Sense"), labels.senses, key=f"spread.old.{n}")
        new = text_box(f"spread.new.{n}", t("New name"), "", MOST_CHARACTERS, place=second, bind=None)
        third.button(
            t("Rename"),
            key="spread.rename",
            width="stretch",
            disabled=not new.strip(),
            on_click=lambda: step(lambda now: now.rename(state[f"spread.old.{n}"], state[f"spread.new.{n}"])),
        )
        others = [name for name in labels.senses if name != old]
        into = second.selectbox(t("Merge into"), others, index=None, key=f"spread.into.{n}", placeholder="–")
        third.button(
            t("Merge"),
            key="spread.merge",
            width="stretch",
            disabled=not into,
            on_click=lambda: step(lambda now: now.merge({state[f"spread.old.{n}"]: state[f"spread.into.{n}"]})),
        )
        st.caption(t("To split a sense, select some of its labeled sentences and label them with a new name."))
    chips = []
    for number, sense in enumerate(labels.senses):
        given = len(labels.sentences(sense))
        message = t("{given} labeled, {n} in all", given=given, n=int((result.of == number).sum())) if result else str(given)
        chips.append(html("{} <span class='small'>{}</span> ", lists.chip_of(sense, sense_colour(number)), message))
    show_html('<div class="chips">{}</div>', chips)


def _sentences(occurrences: Occurrences, labels: Labels, result: SpreadLabels | None) -> None:
    """All sentences, to be ticked: the labeled ones last, the doubtful first."""
    n, given = len(occurrences.items), dict(labels.given)
    order = [*result.doubtful.tolist(), *(k for k in range(n) if k in given)] if result else list(range(n))
    st.session_state["spread.order"] = order
    rows = []
    for k in order:
        row = {t("sentence"): occurrences.items[k].sentence}
        row |= {t("sense"): given.get(k) or (result.senses[result.of[k]] if result else "")}
        share = "" if k in given or not result else f"{result.shares[k].max():.0%}"  # a number's column would say None
        rows.append(row | {t("probability"): share, t("by you"): k in given})
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        width="stretch",
        height=320,
        key=_table_key(),
        on_select="rerun",
        selection_mode="multi-row",
        column_config={t("sentence"): st.column_config.TextColumn(width="large")},
    )
