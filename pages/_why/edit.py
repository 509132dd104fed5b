"""The game: guess at which edit the sense flips, then see the sense at every step, the path on the map, and the leads."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common.i18n import t
from core.common.markup import html, shorten
from core.figures.edits import add_path, margin_figure
from core.figures.maps import find_limits
from core.figures.style import layer_color, mark
from core.senses.edits import write_step
from core.text.tokens import as_written, bare
from core.views.edits import EditPath, EditsRequest, Way, compute
from pages._cached.views import about, view, workspace
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._why import edit_notices
from pages._why.order import choices, choose_guess
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen
from pages._word import atlas, verdict


def show(in_use: InUse, first: Chosen, second: Chosen, picture: DeltaGenerator) -> None:
    """Draw the path from the first sentence to the second in `picture`: the edits and the guess left, the map right."""
    with picture:
        senses = st.container()
        left, right = st.columns([2, 3], gap="large")
    question = left.container()
    with left, st.popover(t("More"), icon=":material/tune:", key="flip.more"):
        order, space = choices(in_use)
    request = EditsRequest(first=first.in_context, second=second.in_context, order=order, space=space)
    with picture, st.spinner(t("Fitting the map…")):
        path = edit_notices.in_words(view(compute, workspace(in_use), request))
    judgment = verdict.on(about(in_use, first.in_context, second.in_context), first.in_context, second.in_context).verdict
    with senses:
        if not path.lemma:
            why = edit_notices.why_by_sentences(workspace(in_use).is_labeled, bare(first.word), bare(second.word), judgment)
            show_html('<p class="small">{}</p>', why)
        lists.legend(path.senses, word=path.lemma)
    pieces = as_written(first.tokens, first.text), as_written(second.tokens, second.text)
    with question:
        guess, revealed = choose_guess(path.steps, (first.tokens, second.tokens, order), labeled=bool(path.lemma))
    with left:
        show_html("{}", [_line(path, k, pieces, revealed) for k in range(len(path.steps))])
    with right, st.container(key="flip_picture"):
        if path.way:
            _picture(path, path.way, revealed)
        if revealed or not path.lemma:
            _leads(path, revealed)
    moves = path.alignment.target in path.alignment.changes
    notice(edit_notices.write_notices(path, judgment, guess) if revealed else edit_notices.before(path.steps, first.word, moves))
    if revealed:
        lists.twin(edit_notices.path_table(path), name="edits", key="flip.table")


def _line(path: EditPath, k: int, pieces: tuple, revealed: bool) -> str:
    """Return a step as a line: its number, and the sentence with the new word marked, the old word struck out and the target word in bold.

    It shows the sense after the answer.
    """
    step = path.steps[k]
    parts = []
    for column, piece, stands in write_step(path.alignment, step, *pieces):
        blank = piece[: len(piece) - len(piece.lstrip())]
        text = shorten(piece.strip())
        if column == path.alignment.target:
            text = html('<b class="target">{}</b>', text)
        if not stands:
            text = html('<s class="small">{}</s>', text)
        elif column == step.column:
            text = html('<span style="background:rgba(66,146,198,0.28);border-radius:0.2rem">{}</span>', text)
        parts.append(blank + text)
    chip = edit_notices.sense_chip(path.read[k], path.senses) if revealed else ""
    return html('<div class="kwic"><span class="small">{}</span>&ensp;{}{}</div>', k, parts, chip)


def _picture(path: EditPath, way: Way, revealed: bool) -> None:
    """Return the word's map with the path, or with its two ends before the answer."""
    word, n = path.lemma, len(way.occurrences)
    at = range(len(path.steps)) if revealed else [0, -1]
    steps, points = [path.steps[k] for k in at], way.places[list(at)]
    lists.heading(
        t("Path on the map of “{word}”", word=word) if revealed else t("Start and end on the map of “{word}”", word=word),
        layer_color(path.space),
        t("dots: labeled sentences; yellow star: first, pink star: second"),
    )
    figure = atlas.word_map(
        way.occurrences,
        way.coordinates,
        path.senses,
        word,
        layer=path.space,
        key=f"flip.map.{word}",
        limits=find_limits(way.coordinates, points),
        height=316,
        name_senses=False,
    )
    hovers = [html("{}<br>{}", edit_notices.edit_name(s), mark(s.tokens, s.position)) for s in steps]
    add_path(figure, points, hovers, numbered=revealed).update_layout(dragmode=False)
    alt = (
        t(
            "Map of {n} sentences with “{word}”; a line of {steps} edits runs from the first sentence to the second.",
            word=word,
            n=n,
            steps=len(steps) - 1,
        )
        if revealed
        else t("Map of {n} sentences with “{word}”; stars: your two sentences.", n=n, word=word)
    )
    draw(figure, key="flip.map", alt=alt)


def _leads(path: EditPath, revealed: bool) -> None:
    """Return the leads by step, or those of the two ends before the answer."""
    st.markdown(t("**How much nearer is the second sense?**") if path.lemma else t("**How much nearer is the second sentence?**"))
    first, second = path.ends
    margins, flips = path.margins, path.flips
    if not revealed:
        inner = np.arange(len(path.steps)) % (len(path.steps) - 1) > 0
        margins, flips = {name: np.where(inner, np.nan, each) for name, each in margins.items()}, dict.fromkeys(margins)
    hovers = [html("{}: {}<br>{}", k, edit_notices.edit_name(s), mark(s.tokens, s.position)) for k, s in enumerate(path.steps)]
    alt = (
        t("How much nearer “{second}” is than “{first}” after each edit, per layer.", first=first, second=second)
        if revealed
        else t("How much nearer “{second}” is than “{first}” before the first edit and after the last.", first=first, second=second)
    )
    draw(margin_figure(margins, flips, path.ends, hovers, chosen=path.space), key="flip.margins", alt=alt)
    if path.steps[0].tokens[path.steps[0].position] == path.steps[-1].tokens[path.steps[-1].position]:
        st.caption(t("Layer 0 does not move: it reads only the spelling."))
