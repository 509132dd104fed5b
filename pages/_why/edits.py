"""The game: guess at which edit the sense flips, then see the sense at every step, the path on the map, and the leads."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import html, shorten
from core.figures.influence import add_path, margin_figure
from core.figures.maps import find_limits, word_map
from core.figures.style import layer_color, mark, sense_color
from core.senses import edits
from core.senses.edits import EditStep, write_step
from core.senses.verdict import ONE, TWO, Verdict
from core.text.tokens import as_in_text, bare
from core.views.why import FIRST, SECOND, EditPath, EditsRequest, MapPath, compute_edits
from pages._cached.cache import view, workspace
from pages._frame.choices import choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._frame.parameters import bound
from pages._widgets import lists, verdict
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen
from pages._widgets.verdict import say_verdict

NEVER = 0  # number of edits if the sense does not flip
CLEAR = 0.005  # a smaller lead is 0.00 to two digits


def show_game(in_use: InUse, first: Chosen, second: Chosen, picture: DeltaGenerator) -> None:
    """Draw the path from the first sentence to the second in `picture`: the edits and the guess left, the map right."""
    with picture:
        senses = st.container()
        left, right = st.columns([2, 3], gap="large")
    question = left.container()
    with left, st.popover(t("More"), icon=":material/tune:", key="flip.more"):
        orders = dict(zip(edits.ORDERS, (t("left to right"), t("nearest the word first"), t("greedy: what moves most")), strict=True))
        about = t("Greedy takes the edit that moves the sense most until it flips: few edits, not always the fewest.")
        order = choice("order", t("Order of the edits"), orders, edits.LEFT_TO_RIGHT, help=about)
        spaces = (*model_layers.in_use().reading, *[model_layers.SENSES] * (workspace(in_use).sense_space is not None))
        about = t("Layer 0 moves only if the word itself changes. The layer mix weights all layers equally.")
        space = verdict.choose_layer("flip_layer", in_use, spaces=spaces, help=about)
    request = EditsRequest(first=first.in_context, second=second.in_context, order=order, space=space)
    with picture, st.spinner(t("Fitting the map…")):
        path = name_senses(view(compute_edits, workspace(in_use), request))
    judgment = verdict.judge(in_use, first, second).verdict
    with senses:
        if not path.lemma:
            why = explain_reference(workspace(in_use).is_labeled, bare(first.word), bare(second.word), judgment)
            show_html('<p class="small">{}</p>', why)
        lists.legend(path.senses, word=path.lemma)
    pieces = as_in_text(first.tokens, first.text), as_in_text(second.tokens, second.text)
    with question:
        guess, revealed = choose_guess(path.steps, (first.in_context, second.in_context, order), labeled=bool(path.lemma))
    with left:
        show_html("{}", [_line(path, k, pieces, revealed) for k in range(len(path.steps))])
    with right, st.container(key="flip_picture"):
        if path.map_path:
            _picture(path, path.map_path, revealed)
        if revealed or not path.lemma:
            _leads(path, revealed)
    moves = path.alignment.target in path.alignment.changes
    notice(describe_path(path, judgment, guess) if revealed else describe_task(path.steps, first.word, moves))
    if revealed:
        lists.offer_table(path.table(), name="edits", key="flip.table")


def _line(path: EditPath, k: int, pieces: tuple, revealed: bool) -> str:
    """Return a step as a line: its number, the sentence with the new, the old and the target word marked, and after the answer the sense."""
    step = path.steps[k]
    parts = []
    for column, piece, stands in write_step(path.alignment, step, *pieces):
        blank, text = piece[: len(piece) - len(piece.lstrip())], shorten(piece.strip())
        if column == path.alignment.target:
            text = html('<b class="target">{}</b>', text)
        if not stands:
            text = html('<s class="small">{}</s>', text)
        elif column == step.column:
            text = html('<span style="background:rgba(66,146,198,0.28);border-radius:0.2rem">{}</span>', text)
        parts.append(blank + text)
    sense = path.read[k]
    chip = lists.chip_of(sense, sense_color(path.senses.index(sense))) if revealed else ""
    return html('<div class="kwic"><span class="small">{}</span>&ensp;{}{}</div>', k, parts, chip)


def _picture(path: EditPath, route: MapPath, revealed: bool) -> None:
    word = path.lemma
    n = len(route.occurrences)
    visible = range(len(path.steps)) if revealed else [0, -1]
    steps, points = [path.steps[k] for k in visible], route.places[list(visible)]
    title = t("Path on the map of “{word}”", word=word) if revealed else t("Start and end on the map of “{word}”", word=word)
    lists.heading(title, layer_color(path.space), t("dots: labeled sentences; yellow star: first, pink star: second"))
    look = {"layer": path.space, "key": f"flip.map.{word}", "height": 316, "name_senses": False}
    look["limits"] = find_limits(route.coordinates, points)
    figure = word_map(route.occurrences, route.coordinates, path.senses, word, **look)
    hovers = [html("{}<br>{}", edit_name(s), mark(s.tokens, s.position)) for s in steps]
    add_path(figure, points, hovers, numbered=revealed).update_layout(dragmode=False)
    values = {"n": n, "word": word, "steps": len(steps) - 1}
    alt = t("Map of {n} sentences with “{word}”; stars: your two sentences.", **values)
    if revealed:
        alt = t("Map of {n} sentences with “{word}”; a line of {steps} edits runs from the first sentence to the second.", **values)
    draw(figure, key="flip.map", alt=alt)


def _leads(path: EditPath, revealed: bool) -> None:
    st.markdown(t("**How much nearer is the second sense?**") if path.lemma else t("**How much nearer is the second sentence?**"))
    margins = path.margins
    flips = path.flips
    ends = dict(zip(("first", "second"), path.ends, strict=True))
    if not revealed:
        is_inner = np.arange(len(path.steps)) % (len(path.steps) - 1) > 0
        margins = {name: np.where(is_inner, np.nan, values) for name, values in margins.items()}
        flips = dict.fromkeys(margins)
    hovers = [html("{}: {}<br>{}", k, edit_name(s), mark(s.tokens, s.position)) for k, s in enumerate(path.steps)]
    alt = t("How much nearer “{second}” is than “{first}” before the first edit and after the last.", **ends)
    if revealed:
        alt = t("How much nearer “{second}” is than “{first}” after each edit, per layer.", **ends)
    draw(margin_figure(margins, flips, path.ends, hovers, chosen=path.space), key="flip.margins", alt=alt)
    if path.steps[0].tokens[path.steps[0].position] == path.steps[-1].tokens[path.steps[-1].position]:
        st.caption(t("Layer 0 does not move: it reads only the spelling."))


def choose_guess(steps: Sequence[EditStep], path_key: tuple, *, labeled: bool) -> tuple[int | None, bool]:
    """Return the user's guess (NEVER, the number of an edit, or None), and whether to show the answer."""
    if st.session_state.get("flip_of", path_key) != path_key:  # another path: a new guess, the answer hidden again
        st.session_state.reveal, st.session_state.guess = False, ""
    st.session_state.flip_of = path_key
    titles = {"": t("Your guess")} | {str(k): t("edit {k}", k=k) for k in range(1, len(steps))} | {str(NEVER): t("it never flips")}
    label = t("At which edit does the sense flip?") if labeled else t("At which edit is it nearer to the second sentence?")
    guess = choice("guess", label, titles, "", widget="selectbox")
    return int(guess) if guess else None, st.toggle(t("Reveal"), **bound("reveal"))


def name_senses(path: EditPath) -> EditPath:
    """Return a path with the names of its senses. The two sentences replace them for a word without labels."""
    if path.lemma:
        return path
    names = {FIRST: t("the first sentence"), SECOND: t("the second sentence")}

    def rename(items: Sequence[str]) -> tuple[str, ...]:
        return tuple(names[item] for item in items)

    return replace(path, senses=rename(path.senses), read=rename(path.read), ends=rename(path.ends))


def edit_name(step: EditStep) -> str:
    if step.old is None and step.new is None:
        return t("the first sentence")
    if step.old is None:
        return t("“{new}” is added", new=shorten(step.new))
    if step.new is None:
        return t("“{old}” is removed", old=shorten(step.old))
    return t("“{old}” becomes “{new}”", old=shorten(step.old), new=shorten(step.new))


def describe_task(steps: Sequence[EditStep], word: str, moves: bool) -> list[str]:
    values = {"n": len(steps) - 1, "word": shorten(word)}
    first = t("Edits from the first sentence to the second: {n}. “{word}” itself stays.", **values)
    if moves:
        first = t("Edits from the first sentence to the second: {n}, including “{word}” itself.", **values)
    return [first, t("Guess where the prediction changes, then reveal.")]


def explain_reference(labeled: bool, first: str, second: str, verdict: Verdict | None) -> str:
    """State why the path has no labeled senses, what is measured instead, and its limits, with the verdict on the word if there is one."""
    words = {"first": shorten(first), "second": shorten(second)}
    differ = first.casefold() != second.casefold()
    if not labeled:
        why = t("No labeled senses here:")
    elif verdict is None and differ:
        why = t("Two words, “{first}” and “{second}”:", **words)
    else:
        why = t("“{first}” has no labeled senses:", **words)
    measure = t("each step is compared with the two sentences, so it crosses over somewhere even within one sense.")
    if verdict is None:
        return f"{why} {measure} {t('Tap or type the same word in both sentences.') if differ else ''}".rstrip()
    texts = why, measure, t("The verdict on the word:"), say_verdict(verdict), verdict.say_certainty()
    return html("{} {} {} <b>{}</b>. {}", *texts)


def describe_path(path: EditPath, verdict: Verdict | None, guess: int | None) -> list[str]:
    """State where the sense flips, whether the guess was right, and where the other layers flip, in two sentences."""
    layers = model_layers.in_use()
    first = path.flips[path.space]
    margins = path.margins[path.space]
    old, new = path.ends
    values = {"place": layers.at(path.space), "old": old, "new": new, "n": len(margins) - 1}
    if np.abs(margins).max() < CLEAR:
        line = t("{place} every step is too close to call.", **values)
    elif first is None and path.read[-1] == old:
        line = _describe_same(verdict, values)
    elif first is None:
        line = t("{place} it never flips: “{new}” never leads “{old}”.", **values)
    else:
        line = _describe_flip(path, first, values)
    line = line[:1].upper() + line[1:]
    others = [(layers.at(n), k) for n, k in path.flips.items() if n not in ("0", path.space)]
    others = [t("{place} at edit {k}", place=place, k=k) if k else t("{place} never", place=place) for place, k in others]
    elsewhere = t("elsewhere: {places}", places=", ".join(others))
    if guess is None:
        return [line, f"{elsewhere[:1].upper()}{elsewhere[1:]}."]
    if guess == (first or NEVER):
        return [line, t("Your guess was right; {elsewhere}.", elsewhere=elsewhere)]
    name = t("edit {k}", k=guess) if guess else t("it never flips")
    return [line, t("You guessed: {guess}; {elsewhere}.", guess=name, elsewhere=elsewhere)]


def _describe_same(verdict: Verdict | None, values: dict) -> str:
    if verdict is None:
        return t("{place} the model reads “{old}” in both sentences.", **values)
    if verdict.says not in (ONE, TWO):
        return t("{place} the model reads “{old}” in both sentences; the verdict is too close to call.", **values)
    values["sure"] = verdict.right_of_100
    values["verdict"] = t("the verdict agrees") if verdict.says == ONE else t("the verdict is two meanings")
    return t("{place} the model reads “{old}” in both sentences; {verdict}, right in {sure} of 100 such pairs.", **values)


def _describe_flip(path: EditPath, first: int, values: dict) -> str:
    margins = path.margins[path.space]
    values = {**values, "k": first, "edit": edit_name(path.steps[first]), "lead": f"{margins[first]:.2f}"}
    back = ", ".join(map(str, edits.flips(margins)[1:]))
    if margins[first] < CLEAR and back:
        return t("{place} it flips at edit {k} of {n}, where {edit} (too close to call), and again at {back}.", back=back, **values)
    if margins[first] < CLEAR:
        return t("{place} it flips at edit {k} of {n}, where {edit}: too close to call.", **values)
    if back:
        return t("{place} it flips from “{old}” to “{new}” at edit {k} of {n}, where {edit}, and again at {back}.", back=back, **values)
    return t("{place} it flips from “{old}” to “{new}” at edit {k} of {n}, where {edit}, and then leads by {lead}.", **values)
