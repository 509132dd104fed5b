"""The Your labels part: label a few sentences, see the likeliest sense of the others, and label the most doubtful next."""

import json
from dataclasses import replace
from functools import partial, reduce

import numpy as np
import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import t, tn
from core.common.markup import CITED, html, plain
from core.common.model_layers import SENSES
from core.corpus.label_files import Token, numbered, read_senses, tokens_of
from core.corpus.spread import FEWEST_SENSES, MOST_CHARACTERS, MOST_SENSES, Labels, SpreadLabels
from core.figures.maps import selected_rows
from core.figures.spaces import label_map
from core.figures.style import MAP_CONFIG, mark, sense_color
from core.text import own_corpus
from core.views import induction
from core.views.induction import InductionRequest, Occurrences
from pages._cached import label_store
from pages._cached.cache import view_when_read
from pages._cached.label_store import Key
from pages._frame.choices import text_box
from pages._frame.frame import notice, picture_first
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._senses import word
from pages._senses.labels import show_files
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.components import counted_button

OFFERED = 3  # most doubtful sentences offered
DOUBTFUL = 0.6  # probability below which a sentence counts as doubtful
UNSURE = " ?"  # no sense’s name begins with a blank, but one may be a question mark
ROWS = "spread.rows"  # in the session: the order of the table and the sentences offered
ORDERS = "spread.orders"  # in the session: how often the user has requested the next sentences
DESELECT = "spread.deselect"  # in the session: whether to clear the table’s selection, because those rows have been labeled


def show(in_use: InUse) -> None:
    inputs, picture = picture_first()
    chosen = word.choose(in_use, inputs, groups=False)
    if chosen is None:
        return
    over = chosen.over
    request = InductionRequest(word=chosen.word, space=chosen.layer)
    with st.spinner(t("Reading its sentences…"), show_time=True):
        occurrences = view_when_read(induction.compute, over, request).occurrences
    key = over.corpus, chosen.word
    stored = label_store.current(key)
    labels = numbered(stored.given, tokens_of(occurrences.items))
    result = view_when_read(induction.compute, over, replace(request, given=labels.given)).spread
    elsewhere = dict(labels.elsewhere)
    rows_given = [json.dumps([*token, sense], ensure_ascii=False) for token, sense in stored.given if token not in elsewhere]
    st.session_state["spread.given"] = rows_given  # for the notebook
    if fault := st.session_state.pop(label_store.FAULT, ""):
        st.error(plain(fault), icon=":material/error:")
    _show_set_aside(key)
    order, offered = _order_rows(key, occurrences, result)
    table = _table_key(key)
    if st.session_state.get(DESELECT):
        st.session_state[table] = {"selection": {"rows": [], "columns": [], "cells": []}}
    with picture:
        left, right = st.columns([3, 2], gap="large")
        with left:
            _draw_map(occurrences, labels, result)
        with right:
            _ask_senses(key, occurrences, labels, result, offered)
    above_table = st.container()
    _show_sentences(table, occurrences, labels, result, order)
    st.session_state.pop(DESELECT, None)
    # Drawn after the table, so that Label cannot be pressed earlier: the browser would ignore the request to clear the selection.
    with above_table:
        _label_selection(key, occurrences, stored)
        notice(_write_notices(occurrences, labels, result, chosen.layer))
        if notes := _describe_use(over.corpus, occurrences, labels):
            st.caption(" ".join(notes))
    _edit_senses(key, labels, stored, result)
    show_files(key, occurrences, labels, result)


def _show_set_aside(key: Key) -> None:
    """Show files of labels that could not be read, with their errors, to download and remove."""
    for path in label_store.find_set_aside(key):
        reason = ""
        try:
            content = path.read_bytes()
            read_senses(path)
        except ElmoscopeError as error:
            reason = str(error)
        except OSError:  # another tab has removed it
            continue
        message = t("Saved labels of “{word}” could not all be read. The file was set aside; its readable labels are in use.", word=key[1])
        st.warning(plain(f"{message} {reason}".strip()), icon=":material/warning:")
        with st.container(horizontal=True, gap="small"):
            st.download_button(t("Download the file"), content, path.name, key=f"spread.aside.{path.name}", on_click="ignore")
            st.button(t("Remove the file"), key=f"spread.remove.{path.name}", on_click=path.unlink, kwargs={"missing_ok": True})


def _order_rows(key: Key, occurrences: Occurrences, result: SpreadLabels | None) -> tuple[list[int], list[int]]:
    """Return the order of the table and the offered sentences. Both stay until the user requests the next ones."""
    state = st.session_state
    sentences = tokens_of(occurrences.items)
    scope, order, offered = state.get(ROWS, (None, [], []))
    if scope != (key, sentences):
        order, offered = [], []
    doubtful = result.doubtful.tolist() if result else []
    if not order:
        order = [*doubtful, *sorted(set(range(len(sentences))) - set(doubtful))]
    if not offered:
        put_off = label_store.unsure(key)
        offered = [k for k in doubtful if sentences[k] not in put_off][:OFFERED]
    state[ROWS] = (key, sentences), order, offered
    return order, offered


def _offer_next() -> None:
    st.session_state.pop(ROWS, None)
    st.session_state[ORDERS] = st.session_state.get(ORDERS, 0) + 1


def _table_key(key: Key) -> str:
    """Return the key of the table. Each word and each order has its own, so that no selection carries over."""
    return ".".join((f"spread.table.{st.session_state.get(ORDERS, 0)}", *key))


def _draw_map(occurrences: Occurrences, labels: Labels, result: SpreadLabels | None) -> None:
    by_user = dict(labels.given)
    names = labels.senses
    n = len(occurrences.items)
    senses = result.sense_of if result else np.array([names.index(by_user[k]) if k in by_user else -1 for k in range(n)])
    sure = result.shares[np.arange(n), senses] if result else np.ones(n)
    hovers = [mark(o.tokens, o.position) for o in occurrences.items]
    for k in range(n):
        if k in by_user:
            hovers[k] += html("<br><b>{}</b>", by_user[k])
        elif result:
            hovers[k] += html("<br>{} {:.0%}", names[senses[k]], sure[k])
    labeled = np.isin(np.arange(n), list(by_user))
    figure = label_map(occurrences.coordinates, senses, sure, labeled, names, hovers, key="spread")
    alt = t("Map of {n} sentences; {labeled} labeled: {names}.", n=n, labeled=len(by_user), names=", ".join(names) or "–")
    draw(figure, key=_map_key(), alt=alt, config=MAP_CONFIG, on_select="rerun", selection_mode=("points", "box", "lasso"))
    show_html('<p class="small">{}</p>', t("Click a dot, or draw around several. Rim: labeled by you. Faint: uncertain."))


def _map_key() -> str:
    return f"spread.map.{label_store.turn()}"


def _ask_senses(key: Key, occurrences: Occurrences, labels: Labels, result: SpreadLabels | None, offered: list[int]) -> None:
    """Show the most doubtful sentences, each with the senses to choose from."""
    if result is None:
        steps = [t("Select sentences of one sense, on the map or in the table."), t("Name their sense, then label those of another.")]
        steps.append(t("About five labels per sense are enough."))
        st.markdown("\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)))
        return
    st.markdown(t("**Which sense?** The most doubtful first"))
    put_off = label_store.unsure(key)
    by_user = dict(labels.given)
    for k in offered:
        occurrence = occurrences.items[k]
        token = occurrence.tokens, occurrence.position
        show_html("{}", lists.keyword_line(occurrence.tokens, occurrence.position, "", text=occurrence.text, shortened=True))
        shares = zip(result.senses, result.shares[k], strict=True)
        titles = {sense: f"{plain(sense, CITED)} {share:.0%}" for sense, share in shares} | {UNSURE: "?"}
        box = ".".join((f"spread.ask.{k}.{label_store.turn()}", *key))
        options = {"default": by_user.get(k) or (UNSURE if token in put_off else None), "on_change": partial(_answered, key, token, box)}
        st.pills(t("Sense"), list(titles), key=box, label_visibility="collapsed", format_func=titles.get, **options)
    st.button(t("Next sentences"), key="spread.next", icon=":material/arrow_forward:", on_click=_offer_next)


def _answered(key: Key, token: Token, box: str) -> None:
    sense = st.session_state.get(box)
    put_off = label_store.unsure(key)
    if sense == UNSURE:
        put_off.add(token)
    else:
        put_off.discard(token)
    if sense != UNSURE or token in dict(label_store.current(key).given):
        label_store.change(key, lambda labels: labels.label([token], "" if sense in (None, UNSURE) else sense))


def _selected(key: Key, occurrences: Occurrences) -> list[Token]:
    """Return the rows that are selected on the map and in the table."""
    state = st.session_state
    sentences = tokens_of(occurrences.items)
    on_map = selected_rows(state.get(_map_key()))
    in_table = (state.get(_table_key(key)) or {}).get("selection", {}).get("rows", [])
    scope, order, _ = state.get(ROWS, (None, [], []))
    order = order if scope and scope[1] == sentences else range(len(sentences))
    numbers = sorted({*on_map, *(order[k] for k in in_table if k < len(order))})
    return [sentences[k] for k in numbers if k < len(sentences)]


def _label_selection(key: Key, occurrences: Occurrences, stored: Labels) -> None:
    """Draw the box that labels the selection, and the buttons that remove labels and undo the last step."""
    selected = _selected(key, occurrences)
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    about = t("{few} to {most} senses, {n} characters each.", few=FEWEST_SENSES, most=MOST_SENSES, n=MOST_CHARACTERS)
    options = {"width": 280, "accept_new_options": True, "placeholder": t("Choose, or type a new one"), "help": about}
    sense = row.selectbox(t("Sense"), stored.senses, index=None, key="spread.sense", **options)
    # The values of the boxes arrive with the click, so this run may not have seen them.
    state = st.session_state

    def label_selected(chosen_sense: str) -> None:
        turn = label_store.turn()
        tokens = _selected(key, occurrences)
        label_store.change(key, lambda latest: latest.label(tokens, chosen_sense))
        state[DESELECT] = label_store.turn() != turn

    def add() -> None:
        label_selected(state["spread.sense"] or sense)

    def undo(n: int) -> None:
        label_store.change(key, lambda latest: reduce(lambda labels, _: labels.undo(), range(n), latest))

    options = {"type": "primary", "icon": ":material/label:", "disabled": not (selected and sense)}
    row.button(tn("Label {n} sentence", "Label {n} sentences", len(selected)), key="spread.label", on_click=add, **options)
    has_labels = bool({token for token, _ in stored.given} & set(selected))
    row.button(t("Remove labels"), key="spread.remove", disabled=not has_labels, on_click=label_selected, args=("",))
    counted_button(t("Undo"), "spread.undo", undo, place=row, icon=":material/undo:", disabled=not stored.steps)


def _write_notices(occurrences: Occurrences, labels: Labels, result: SpreadLabels | None, layer: str) -> list[str]:
    n = len(occurrences.items)
    n_given = len(set(tokens_of(occurrences.items[k] for k, _ in labels.given)))
    if result is None:
        return [t("{given} of {n} sentences of “{word}” labeled; label two senses to start.", given=n_given, n=n, word=occurrences.word)]
    counts = np.bincount(result.sense_of, minlength=len(result.senses))
    named = ", ".join(f"{sense} {count}" for sense, count in zip(result.senses, counts.tolist(), strict=True))
    doubtful = int((result.shares.max(axis=1) < DOUBTFUL).sum())
    notes = [t("{given} labels spread to {n} sentences: {counts}.", given=n_given, n=n, counts=named)]
    notes.append(tn("{n} is below {limit:.0%}.", "{n} are below {limit:.0%}.", doubtful, limit=DOUBTFUL))
    if layer != SENSES:
        notes.append(t("Probabilities are calibrated for the sense space."))
    return notes


def _describe_use(corpus: str, occurrences: Occurrences, labels: Labels) -> list[str]:
    """State how many labels all pages use, and how many belong to sentences that are not in the corpus."""
    sentences = tokens_of(occurrences.items)
    is_used = {sentences[k]: occurrences.items[k].sense == sense for k, sense in labels.given}
    notes = []
    n_given = len(is_used)
    used = sum(is_used.values()) if own_corpus.is_own(corpus) else 0
    if used == n_given > 0:
        notes.append(tn("{n} label is used everywhere.", "{n} labels are used everywhere.", used))
    elif used:
        notes.append(t("{n} of {given} labels are used everywhere. Press “Use these labels everywhere” to use all.", n=used, given=n_given))
    if missing := len(labels.elsewhere):
        notes.append(t("Labels of sentences not in this corpus, kept: {n}.", n=missing))
    return notes


def _edit_senses(key: Key, labels: Labels, stored: Labels, result: SpreadLabels | None) -> None:
    if not stored.senses:
        return
    change = partial(label_store.change, key)
    state = st.session_state
    n = label_store.turn()
    with st.expander(t("Rename, merge, split"), key="spread.edit"):
        first, second, third = st.columns([3, 3, 2], vertical_alignment="bottom")
        old = first.selectbox(t("Sense"), stored.senses, key=f"spread.old.{n}")
        new = text_box(f"spread.new.{n}", t("New name"), "", MOST_CHARACTERS, place=second, bind=None)
        rename = partial(change, lambda latest: latest.rename(state[f"spread.old.{n}"], state[f"spread.new.{n}"]))
        third.button(t("Rename"), key="spread.rename", width="stretch", disabled=not new.strip(), on_click=rename)
        others = [name for name in stored.senses if name != old]
        into = second.selectbox(t("Merge into"), others, index=None, key=f"spread.into.{n}", placeholder="–")
        merge = partial(change, lambda latest: latest.merge({state[f"spread.old.{n}"]: state[f"spread.into.{n}"]}))
        third.button(t("Merge"), key="spread.merge", width="stretch", disabled=not into, on_click=merge)
        st.caption(t("To split a sense, select some of its labeled sentences and label them with a new name."))
    chips = []
    for number, sense in enumerate(labels.senses):
        n_given = len(labels.sentences(sense))
        message = t("{given} labeled, {n} in all", given=n_given, n=int((result.sense_of == number).sum())) if result else str(n_given)
        chips.append(html("{} <span class='small'>{}</span> ", lists.chip_of(sense, sense_color(number)), message))
    show_html('<div class="chips">{}</div>', chips)


def _show_sentences(key: str, occurrences: Occurrences, labels: Labels, result: SpreadLabels | None, order: list[int]) -> None:
    by_user = dict(labels.given)
    rows = []
    for k in order:
        likeliest = result.senses[result.sense_of[k]] if result else ""
        rows.append(
            {
                t("sentence"): occurrences.items[k].sentence,
                t("sense"): by_user.get(k) or likeliest,
                # A numeric column would show None
                t("probability"): "" if k in by_user or not result else f"{result.shares[k].max():.0%}",
                t("by you"): k in by_user,
            }
        )
    columns = {t("sentence"): st.column_config.TextColumn(width="large")}
    lists.grid(rows, height=320, key=key, on_select="rerun", selection_mode="multi-row", column_config=columns)
