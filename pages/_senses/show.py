"""The page of senses found: a word, its groups on the map, their sentences, labels to edit and to export."""

from dataclasses import replace

import numpy as np
import streamlit as st

from core.common import model_layers
from core.common.i18n import t, tn
from core.common.markup import html, plain
from core.common.model_layers import SENSES
from core.figures.spaces import found_map, number_figure, shape_names
from core.figures.style import MAP_CONFIG, mark
from core.files import registry
from core.index.table import OccurrenceTable
from core.senses import clusters
from core.text.composed import folded
from core.text.corpora import sentences_of
from core.text.readings import WordInContext
from core.text.tokens import bare
from core.views import induction
from core.views.induction import Groups, InductionRequest, Occurrences
from core.workbench import Bench
from pages._cached import opened
from pages._cached.views import bench, view
from pages._frame import examples, question
from pages._frame.choices import BOUND, layer_choice
from pages._frame.frame import notice, picture_first
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._frame.menu import page_link
from pages._senses import labels
from pages._senses.notices import measures, noticed, sentences
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.word_search import word_search
from pages._word import more_sentences, reading

AUTO = "auto"
WORD, CORPUS = "found_word", "found.corpus"  # in the session: the box, and the corpus that it was last drawn for


def show(in_use: InUse) -> None:
    """Inputs, answer, map, what to notice, labels, sentences, table twin."""
    over = bench(in_use).about(WordInContext((question.word(),), 0))
    if (table := _table(over)) is None:
        return
    words = induction.words_of(over, table)
    inputs, picture = picture_first()
    with inputs:
        word, layer, chosen = _inputs(over, table, words)
    over = over.about(WordInContext((word,), 0))
    word = induction.lemma_of(over, word)
    if (table := _table(over, word)) is None:
        return
    rows = induction.rows_of(table, word)
    if len(rows) < clusters.FEWEST:
        if words or len(rows):
            _few(replace(in_use, corpus=over.corpus), table, word, rows)
        else:
            _none(table)
        return
    with st.spinner(t("Looking for groups…"), show_time=True):
        request = InductionRequest(word=word, space=layer, number=None if chosen == AUTO else int(chosen))
        result = view(induction.compute, over, request)
    found, groups = result.occurrences, result.groups
    number = found.suggestion.number if chosen == AUTO else int(chosen)
    shown = f"{over.corpus}|{over.names.model}|{word}|{layer}|{number}"
    names = labels.current(shown, groups.names)
    with picture:
        _pictures(found, groups, names, number, layer, shown)
    notice(noticed(found, number, groups.agreement, groups.words))
    sentences(groups, names, found)
    labels.editor(shown, groups)
    labels.downloads(word, found, groups, names)


def _table(over: Bench, word: str = "") -> OccurrenceTable | None:
    """What has the word, or any: the labelled sentences, else every token; None while these are being read, which the page then says."""
    registry.resolve(over.corpus, "corpus")  # a wrong path is said at once
    table = induction.labelled_with(over, word)
    if table is None and (table := reading.every_token(over)) is None:
        reading.show_state(over)
    return table


def _inputs(over: Bench, table: OccurrenceTable, words: list[str]) -> tuple[str, str, str]:
    """The word, by itself the one in question whether or not it has enough sentences; the layer; how many groups."""
    usual = _usual(over, table)
    known = opened.labelled_words(over.corpus)
    offered = list(dict.fromkeys([usual, *sorted({*known, *table.lemmas}), *words]))
    word = word_search(
        st.container(), WORD, offered, usual, known=known, told={}, titles={}, help=t("Any word in at least 10 sentences of your corpus.")
    )
    places = st.columns([3, 6], vertical_alignment="bottom")
    reading = model_layers.in_use().reading
    with_senses = induction.space_of(over) is not None
    layer = layer_choice(
        "found_layer",
        spaces=(SENSES, *reading) if with_senses else reading,
        default=SENSES if with_senses else "",
        place=places[0],
        help=(t("Sense space: layer 1 + topic + substitutes.") + " " if with_senses else "") + t("Layer 0 does not read the sentence."),
    )
    numbers = [AUTO, "1", *map(str, clusters.NUMBERS)]
    chosen = places[1].select_slider(
        t("Number of groups"),
        numbers,
        value=AUTO,
        format_func=lambda n: t("auto") if n == AUTO else n,
        key="found_k",
        **BOUND,
        help=t("auto: suggested from the vectors."),
    )
    return folded((word or "").strip()) or usual, layer, chosen


def _usual(over: Bench, table: OccurrenceTable) -> str:
    """The word that the page opens on: the one in question, or the page's own where nothing was typed or chosen yet.

    Of a visitor's corpus, where the word in question is an example's or stands too seldom, the corpus' own most ambiguous. Where the
    corpus was changed since, the box turns to it, unless what was chosen stands there, too.
    """
    usual, state = table.lemma_of(question.word()) or question.word(), st.session_state
    own = not sentences_of(over.corpus)
    if not own and state.get("example") == examples.first_word():
        usual = examples.grouped() or usual
    if own and (state.get("example") or len(induction.rows_of(table, usual)) < clusters.FEWEST):
        usual = induction.opening_word(over, table) or usual
    before, state[CORPUS] = state.get(CORPUS), over.corpus
    if before not in (None, over.corpus) and not question.gone_through_history():
        chosen = st.query_params.get(WORD)
        if chosen is None or len(induction.rows_of(table, chosen)) < clusters.FEWEST:
            state[WORD] = usual
    return usual


def _none(table: OccurrenceTable) -> None:
    """No word stands often enough: which stands most often, and what to do."""
    counts = np.bincount(table.word, minlength=len(table.words))
    order = (int(k) for k in np.argsort(-counts, kind="stable"))
    most = next((k for k in order if clusters.tells(table.words[k])), None)
    values = {
        "least": clusters.FEWEST,
        "word": plain(bare(table.words[most])) if most is not None else "",
        "n": int(counts[most]) if most is not None else 0,
    }
    if most is None:
        st.info(t("No word to group yet. Add text."), icon=":material/edit:")
    else:
        st.info(
            tn(
                "Groups need {least} sentences per word; “{word}”, the most frequent, has 1. Add text.",
                "Groups need {least} sentences per word; “{word}”, the most frequent, has {n}. Add text.",
                values["n"],
                **values,
            ),
            icon=":material/edit:",
        )
    _ways_on()


def _few(in_use: InUse, table: OccurrenceTable, word: str, rows: np.ndarray) -> None:
    """A word that stands too seldom: how often, its sentences, and what to do."""
    values = {"word": plain(word[:60]), "n": len(rows), "all": len(table.sentences), "least": clusters.FEWEST}
    why = t("“{word}” is in none of {all:,} sentences. Choose another word, or add text.", **values)
    if len(rows):
        why = tn(
            "“{word}” occurs once in {all:,} sentences; groups need {least}. Choose another word, or add text.",
            "“{word}” occurs {n} times in {all:,} sentences; groups need {least}. Choose another word, or add text.",
            len(rows),
            **values,
        )
    st.info(why, icon=":material/search_off:")
    results = [table.occurrence(int(row)) for row in rows]
    if results:
        show_html("{}", [lists.keyword_line(o.tokens, o.position, "", text=o.text) for o in results])
    more_sentences.offer(in_use, word, key="found")
    _ways_on()


def _ways_on() -> None:
    with st.container(horizontal=True, gap="small"):
        page_link("corpus", t("Add text"), icon=":material/menu_book:", width="content")
        page_link("cloud", t("Any word’s cloud"), icon=":material/blur_on:", width="content")


def _pictures(occurrences: Occurrences, groups: Groups, names: list[str], number: int, layer: str, view: str) -> None:
    gold = [o.sense for o in occurrences.items]
    left, right = st.columns([3, 2], gap="large")
    with left:
        hovers = [mark(o.tokens, o.position) + (html("<br><i>{}</i>", o.sense) if o.sense else "") for o in occurrences.items]
        figure = found_map(occurrences.coordinates, groups.of, names, gold, hovers, key=f"found.{view}")
        alt = t("Map of {n} sentences in {groups} groups: {names}.", n=len(occurrences.items), groups=number, names=", ".join(names))
        draw(figure, key="found.map", alt=alt, config=MAP_CONFIG)
        named = shape_names(gold)
        shapes = ", ".join(f"{sign} {label}" for sign, label in named)
        show_html(
            '<p class="small">{}</p>',
            t("Color: group. Shape: corpus label, not used: {shapes}.", shapes=shapes) if shapes else t("Color: group."),
        )
    with right:
        s = occurrences.suggestion
        st.markdown(t("**How many groups?**"))
        values = {"number": number, "first": clusters.NUMBERS[0], "last": clusters.NUMBERS[-1]}
        alt = t("Silhouette for {first} to {last} groups, beside random clouds; {number} shown.", **values)
        draw(number_figure(clusters.NUMBERS, s.silhouettes, s.limit, number), key="found.number", alt=alt)
    with st.expander(t("Details"), key="found.details"):
        kind = t("Positions as on Map.") if occurrences.frozen else t("Positions: 2 main components.")
        before = t("Measured before the sense space’s own map.") if layer == SENSES else ""
        agreement = measures(groups.agreement) if groups.agreement is not None and number > 1 else ""
        st.caption(
            " ".join(
                [
                    kind,
                    t("Groups come from all dimensions."),
                    t("Silhouette: nearness to the own group over the next, −1 to 1; 95 % of random clouds stay below the dotted line."),
                    before,
                    agreement,
                ]
            )
        )
        named = shape_names(gold)
        lists.meanings([label for _, label in named], occurrences.word, [html("{} <b>{}</b>:", sign, label) for sign, label in named])
