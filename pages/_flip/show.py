"""The Flip page: a path of edits, guessed at and then shown: the sense at every step, the way across the map, the leads."""

import numpy as np
import streamlit as st

from core.analysis import maps
from core.analysis.word_maps import NEIGHBOURS_TO_PLACE, map_rows
from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import html
from core.elmo.mix import layer_weights
from core.figures.edits import add_path, margin_figure
from core.figures.maps import map_figure, shared_limits
from core.figures.style import layer_colour, mark
from core.senses import edits
from core.senses.separation import TIE
from core.text.tokens import as_written, bare
from pages._cached import opened
from pages._flip import notices
from pages._flip.notices import ShownPath
from pages._flip.order import asked_guess, choices, shared_lemma
from pages._frame.frame import notice, picture_first
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._frame.menu import page_link
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen, sentence_pair
from pages._word import verdict
from pages._word.store import encoded


def show(in_use: InUse) -> None:
    inputs, picture = picture_first()
    with inputs:
        first, second = sentence_pair()
        order, layer = choices(in_use)
    if first.position is None or second.position is None:
        return
    in_use = opened.about(in_use, first.looked_up, second.looked_up)
    table = opened.targets(in_use.corpus, in_use.model) if opened.is_labelled(in_use.corpus) else None
    lemma = shared_lemma(table, first, second)
    alignment = edits.align(first.tokens, first.position, second.tokens, second.position)
    if not alignment.changes:
        raise BadInput(t("The two sentences are the same. Change a word in one of them."))
    rows = map_rows(table, lemma) if lemma else None
    found = _centroids(table, rows, (first, second)) if lemma else _ends(in_use, alignment, (first, second))
    path = edits.steps(alignment, _edits(in_use, alignment, order, found[layer], layer))
    layers = encoded(in_use.model, [(s.tokens, s.position) for s in path])
    read = {name: edits.readings(layers, found[name], layer_weights(name, layers.shape[1])) for name in model_layers.in_use().spaces}
    start, goal = edits.ends(read[layer])
    names = found[layer].senses
    margins = {name: each[:, goal] - each[:, start] for name, each in read.items()}
    pieces = (as_written(first.tokens, first.text), as_written(second.tokens, second.text))
    shown = ShownPath(
        path,
        [names[k] for k in read[layer].argmax(axis=1)],
        {name: np.where(np.abs(each) < TIE, 0.0, each) for name, each in margins.items()},
        (names[start], names[goal]),
        layer,
        table.senses_of(lemma) if lemma else list(names),
        lemma or "",
        [edits.written(alignment, step, *pieces) for step in path],
        alignment.target,
        verdict.on(in_use, first, second),
    )
    with picture:
        if not lemma:
            show_html('<p class="small">{}</p>', notices.why_by_sentences(table, bare(first.word), bare(second.word), shown.verdict))
        lists.legend(shown.senses, word=lemma or "")
        left, right = st.columns([2, 3], gap="large")
    with left:
        guess, revealed = asked_guess(path, (first.tokens, second.tokens, order), labelled=bool(lemma))
        show_html("{}", [_line(shown, k, revealed) for k in range(len(path))])
    with right, st.container(key="flip_picture"):
        if lemma:
            _picture(in_use, lemma, rows, layers, shown, revealed)
        if revealed or not lemma:
            _leads(shown, revealed)
    moves = alignment.target in alignment.changes
    notice(notices.noticed(shown, guess) if revealed else notices.asked(path, first.word, moves))
    if revealed:
        lists.twin(notices.path_table(shown), name="edits", key="flip.table")
    page_link("guess", t("Guess the machine: a quiz of readings"), icon=":material/quiz:", width="content")


def _centroids(table, rows: np.ndarray, chosen: tuple[Chosen, Chosen]) -> dict[str, edits.Centroids]:
    """A word's centroids by space; a labelled sentence that the user typed is left out, or it would judge itself."""
    labels = [table.senses[k] for k in table.sense[rows]]
    layers = table.rows.take(rows)
    own = np.any([table.same_sentence(rows, c.tokens, c.position) for c in chosen], axis=0)
    return {s: edits.centroids(layers, labels, layer_weights(s, layers.shape[1]), own) for s in model_layers.in_use().spaces}


def _ends(in_use: InUse, alignment, chosen: tuple[Chosen, Chosen]) -> dict[str, edits.Centroids]:
    """Without labelled senses: the two sentences' own vectors, which every step is nearer to the one or the other of."""
    layers = encoded(in_use.model, [c.asked for c in chosen])
    names = t("as in the first sentence"), t("as in the second")
    return {s: edits.between(layers, layer_weights(s, layers.shape[1]), names) for s in model_layers.in_use().spaces}


def _edits(in_use: InUse, alignment, order: str, found: edits.Centroids, layer: str) -> list[int]:
    if order != edits.GREEDY or len(alignment.changes) > edits.MAX_EDITS:  # too many are refused by `steps`, in its words
        return edits.ordered(alignment, order if order != edits.GREEDY else edits.LEFT_TO_RIGHT)
    weights = layer_weights(layer, opened.model(in_use.model).encoder.n_layers)
    both = (alignment.sentence(frozenset()), alignment.sentence(frozenset(alignment.changes)))
    start, goal = edits.ends(edits.readings(encoded(in_use.model, both), found, weights))

    def margins_of(sentences: list) -> np.ndarray:
        read = edits.readings(encoded(in_use.model, sentences), found, weights)
        return read[:, goal] - read[:, start]

    return edits.greedy(alignment, margins_of)


def _line(shown: ShownPath, k: int, revealed: bool) -> str:
    """A step as a line: its number, the sentence as it was typed, what is new marked, what went out struck where it stood, the word in
    question bold; its sense once revealed."""
    step = shown.steps[k]
    parts = []
    for column, piece, stands in shown.written[k]:
        blank = piece[: len(piece) - len(piece.lstrip())]
        text = piece.strip()[:40]
        if column == shown.target:
            text = html('<b class="target">{}</b>', text)
        if not stands:
            text = html('<s class="small">{}</s>', text)
        elif column == step.column:
            text = html('<span style="background:rgba(66,146,198,0.28);border-radius:0.2rem">{}</span>', text)
        parts.append(blank + text)
    chip = notices.sense_chip(shown.read[k], shown.senses) if revealed else ""
    return html('<div class="kwic"><span class="small">{}</span>&ensp;{}{}</div>', k, parts, chip)


def _picture(in_use: InUse, lemma: str, rows, layers, shown: ShownPath, revealed: bool) -> None:
    """The word's frozen map with the path (before the answer: its two ends)."""
    table = opened.targets(in_use.corpus, in_use.model)
    frozen = opened.maps(in_use.corpus, in_use.model, lemma)
    weights = layer_weights(shown.layer, layers.shape[1])
    coordinates = frozen.coordinates[frozen.names.index(shown.layer)]
    steps = layers if revealed else layers[[0, -1]]
    cosines = edits.unit_mixes(steps, weights) @ edits.unit_mixes(table.rows.take(rows), weights).T
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :NEIGHBOURS_TO_PLACE]
    points = maps.insert(coordinates, best, np.take_along_axis(cosines, best, axis=1))
    occurrences = [table.occurrence(int(row)) for row in rows]
    lists.heading(
        t("The way across the map of “{word}”", word=lemma)
        if revealed
        else t("Where the way begins and ends on the map of “{word}”", word=lemma),
        layer_colour(shown.layer),
        t("each dot is a labelled sentence; yellow star: first sentence, pink star: second"),
    )
    figure = map_figure(
        coordinates,
        [o.sense for o in occurrences],
        [mark(o.tokens, o.position) + html("<br><i>{}</i>", o.sense) for o in occurrences],
        rows.tolist(),
        shown.senses,
        layer=shown.layer,
        key=f"flip.map.{lemma}",
        limits=shared_limits(np.concatenate([coordinates, points])),
        height=316,
        name_senses=False,
    )
    path = shown.steps if revealed else [shown.steps[0], shown.steps[-1]]
    hovers = [html("{}<br>{}", notices.edit_name(s), mark(s.tokens, s.position)) for s in path]
    add_path(figure, points, hovers, numbered=revealed).update_layout(dragmode=False)
    told = {"word": lemma, "n": len(rows), "steps": len(path) - 1}
    alt = (
        t("A map of {n} sentences with “{word}”; a line of {steps} edits leads across it from the first sentence to the second.", **told)
        if revealed
        else t("A map of {n} sentences with “{word}”; two stars are the first sentence and the second.", n=len(rows), word=lemma)
    )
    draw(figure, key="flip.map", alt=alt)


def _leads(shown: ShownPath, revealed: bool) -> None:
    """The leads by step; before the answer those of the two ends alone."""
    st.markdown(t("**How much nearer is the second meaning?**") if shown.lemma else t("**How much nearer is the second sentence?**"))
    first, second = shown.pair
    margins, flips = shown.margins, shown.first
    if not revealed:
        inner = np.arange(len(shown.steps)) % (len(shown.steps) - 1) > 0
        margins, flips = {name: np.where(inner, np.nan, each) for name, each in margins.items()}, dict.fromkeys(margins)
    hovers = [html("{}: {}<br>{}", k, notices.edit_name(s), mark(s.tokens, s.position)) for k, s in enumerate(shown.steps)]
    alt = (
        t("A line a layer: by how much “{second}” is nearer than “{first}” after each edit.", first=first, second=second)
        if revealed
        else t("By how much “{second}” is nearer than “{first}” before the first edit and after the last.", first=first, second=second)
    )
    draw(margin_figure(margins, flips, shown.pair, hovers, chosen=shown.layer), key="flip.margins", alt=alt)
    if shown.steps[0].tokens[shown.steps[0].position] == shown.steps[-1].tokens[shown.steps[-1].position]:
        st.caption(t("Layer 0 does not move: it reads the spelling of the word and nothing around it."))
