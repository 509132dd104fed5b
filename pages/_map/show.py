"""The Map page: the map with a choice of word, layer and layout, and below it the measures and the model's failures."""

import streamlit as st

from core.analysis import axes
from core.analysis.word_maps import ALL_WORDS
from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import shorten
from core.common.model_layers import SENSES
from core.text.corpora import list_words_in
from core.text.normalization import fold_case
from core.text.tokens import bare
from core.views import layouts
from core.views.layouts import PCA, POLES, REST, SOLID, UMAP, Layout, LayoutRequest, ends_of, offers_senses, open_gains
from core.views.neighbors import frequent_words
from core.workspace import Workspace
from pages._cached.cache import workspace
from pages._frame.choices import coded_choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.language import foreign
from pages._frame.markup import plain
from pages._frame.parameters import bound, read_parameter
from pages._map import around, drawing, measures, ranking
from pages._widgets import charts, lists, reading, verdict
from pages._widgets.inputs import Chosen, sentence_pair, word_search
from pages._widgets.reading import view_when_read

ENDS = ("right", "left", "up", "down")  # URL parameters


def show(in_use: InUse) -> None:
    """Show the inputs, maps, what to notice, lists, measures, ranking and data tables."""
    picture = st.container()  # above the sentences, which it depends on
    with st.expander(t("Your two sentences"), icon=":material/star:", expanded=False, key="map.own"):
        chosen = sentence_pair(notices=picture)
    words = tuple(item for item in chosen if item.position is not None)
    over = workspace(in_use)
    with picture:
        with st.container(key="picture_first"):  # on a phone, the inputs are below the map
            chosen_by = st.columns([3, 1], gap="medium", vertical_alignment="bottom")
            place = st.container()
        word = _word(in_use, over, words, chosen_by[0])
        table = over.targets
        word = word and (table.lemma_of(word) or word)
        result = None
        if table.lemmas and word in (*table.lemmas, ALL_WORDS):
            result = _labeled(in_use, over, word, chosen, place, chosen_by[1])
        elif word:
            _show_around(in_use, over, word, words, place, chosen_by[1])
        else:
            place.info(t("Type two sentences below to start."), icon=":material/edit:")
    if result:
        _measures(in_use, word, st.session_state.get("view") or model_layers.in_use().top, result)


def _word(in_use: InUse, over: Workspace, sentences: tuple[Chosen, ...], place) -> str | None:
    """Draw the choice of the word: those of the user's sentences, labeled words, or frequent words of a corpus without labels."""
    table = over.targets
    targets = [item.lemma_in(table) or bare(item.word).casefold() for item in sentences]
    labeled_words = {word: value for word, value in list_words_in(in_use.corpus).items() if word in table.lemmas}
    others = [ALL_WORDS, *sorted(table.lemmas)] if table.lemmas else frequent_words(over)
    words = list(dict.fromkeys([*targets, *others]))
    if not words:
        return None
    unread = foreign(*targets)  # of other letters: all sentences would be searched in vain for them
    usual = [*(name for name in targets if name not in unread), *table.lemmas, *words][0]
    titles = {ALL_WORDS: t("all {n} bundled words", n=len(table.basic.lemmas)) if labeled_words else t("all words")}
    options = {"titles": titles, "separability": {w: gains["mix"].one_nn for w, gains in open_gains(over).items()}}
    about = t("Search by word or theme; unlabeled words work too.")
    result = word_search(place, "map_word", words, usual, labeled=labeled_words, help=about, **options)
    return result if result in words else fold_case(result)


def _labeled(in_use: InUse, over: Workspace, word: str, chosen: tuple[Chosen, Chosen], left, right) -> Layout:
    """Show the map of a labeled word with its dots colored by sense."""
    table = over.targets
    target = next(filter(None, (item.lemma_in(table) for item in chosen)), None)
    # On the map of all words, the target word has the colors of its senses; the others are gray.
    lemma = word if word != ALL_WORDS else target
    with right, _more("layout"):
        plan = _choose_layout()
    with left:
        ends = _choose_ends(over, lemma or table.lemmas[0]) if plan == POLES else ()
        stars, state = charts.place_sentences(table, word, chosen), st.session_state
        space = state.get("view") or read_parameter("view") or state.get(verdict.CHOSEN_LAYER) or SENSES
        senses, contexts = space == SENSES and offers_senses(over, word, plan), tuple(item.in_context for item in stars.values())
        request = LayoutRequest(word=word, contexts=contexts, plan=plan, ends=ends, senses=senses)
        with st.spinner(t("Drawing the map…")):
            result = view_when_read(layouts.compute, over, request)
        drawing.show(in_use, result, lemma, stars)
    return result


def _show_around(in_use: InUse, over: Workspace, word: str, sentences: tuple[Chosen, ...], left, right) -> None:
    """Show the map of a word without labels, which needs every token."""
    visible = sentences if any(bare(item.word).casefold() == word for item in sentences) else ()
    with right, _more("around"):
        plan = around.choose_plan(len(visible))
    with left:
        if reading.every_token(over) is None:
            notice([t("“{word}” has no labels, so all sentences are read first, once.", word=shorten(word))])
            reading.show_state(over)
            return
        around.show(in_use, over, word, visible, plan)


def _more(key: str):
    return st.popover(t("More"), icon=":material/tune:", key=f"map.more.{key}", width="stretch")


def _measures(in_use: InUse, word: str, space: str, layout: Layout) -> None:
    """Show the measures of the full space and the model's failures. They are computed when the user opens them."""
    with measures.show_measures(word, layout) if layout.reports else st.container():
        lists.offer_table(layout.table(), name=f"map-{layout.word}", label=t("Table of {n:,} dots", n=len(layout.rows)), key="map.points")
    everything = st.expander(
        t("Which words are inconclusive?"), icon=":material/format_list_numbered:", key="map.all", on_change="rerun", bind="query-params"
    )
    if everything.open:
        with everything:
            ranking.show(in_use, word, space)
            ranking.show_every_word(in_use, word, space if space in model_layers.in_use().spaces else "mix")


def _choose_layout() -> str:
    """Draw the choice of a layout."""
    offered = {UMAP: t("UMAP"), PCA: t("PCA"), POLES: t("Your own axes"), SOLID: t("3D")}
    message = t("UMAP keeps near dots near; PCA shows the most variance; your own axes run between senses or words.")
    return coded_choice("layout", t("Layout"), offered, UMAP, help=message)


def _choose_ends(over: Workspace, lemma: str) -> tuple[str, ...]:
    """Return the two or four ends of the axes that the user chose or typed. Show an error for one that cannot be used, and use the senses."""
    table = over.targets
    options = ends_of(table, lemma)
    firsts = dict(zip(ENDS, (options[0], options[1], REST, REST), strict=True))
    if st.session_state.get("map.axes_of", lemma) != lemma:  # another word: its own two most frequent senses
        st.session_state.update(firsts)
    st.session_state["map.axes_of"] = lemma
    message = t("A sense, or words separated by commas; the end is their mean.")
    labels = (t("Right end"), t("Left end"), t("Upper end"), t("Lower end"))
    settings = {"accept_new_options": True, "help": message, "format_func": lambda name: t("remaining variance") if name == REST else name}
    chosen = []
    for column, key, label in zip(st.columns(4), ENDS, labels, strict=True):
        choices = [REST, *options] if key in ("up", "down") else options
        disabled = key == "down" and chosen[2] == REST
        box = column.selectbox(label, choices, index=choices.index(firsts[key]), disabled=disabled, **bound(key), **settings)
        chosen.append(box or firsts[key])
    right, left, up, down = chosen
    if up != REST and down == REST:
        st.caption(t("Choose a lower end too."))
        up = REST
    used = [right, left] if up == REST else [right, left, up, down]
    outside, every_token = [word for text in used for word in axes.outside(table, text)], None
    try:
        if outside and (every_token := reading.every_token(over)) is None:
            reading.show_meanwhile(over, "")
            raise BadInput(t("“{word}” has no labels, so all sentences are read first, once.", word=shorten(outside[0])))
        for text in used:
            axes.pole(table, text, every_token)
    except BadInput as error:
        st.error(plain(error), icon=":material/error:")
        return options[0], options[1]
    return tuple(used)
