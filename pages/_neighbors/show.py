"""The lists of Neighbors, one of GloVe and two of ELMo, and the sentences about them."""

from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pandas as pd
import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import shorten
from core.common.model_layers import SENSES
from core.figures.style import OTHER_MODEL, OWN, layer_title
from core.index.neighbors import ANY, OTHER, SAME, Neighbor
from core.index.rows import Occurrence
from core.index.sense_space import LAYER
from core.index.table import OccurrenceTable
from core.text import languages
from core.text.readings import WordInContext, as_typed
from core.text.target_word import same_word
from core.text.tokens import bare
from core.views import neighbors
from core.views.neighbors import TYPES, Neighbors, NeighborsRequest, tabulate_words
from core.workspace import Workspace
from pages._cached import cache
from pages._cached.cache import view, workspace
from pages._frame import question
from pages._frame.choices import choice, mix_weights, what_layers_read
from pages._frame.frame import notice, picture_first
from pages._frame.in_use import InUse, short_name
from pages._frame.markup import component, plain, show_errors, show_html
from pages._frame.parameters import bound, read_parameter, write_parameter
from pages._widgets import lists, verdict
from pages._widgets.inputs import Chosen

LAYER_KEY = "nlayer"  # key of the control, and URL parameter
COLUMNS = (2, 4, 4)  # widths: words alone, then sentences
FEW = 5  # with fewer other sentences of the word, other words are searched by default
BY_HAND = "among.by_hand"  # whether the user or the address chose what is searched
KEY, BEFORE = "requery", "before"
KEPT = 20  # steps back
# The listener handles the click before the browser does. It is on the document, because the page may redraw its lines at any time.
# The buttons stay hidden until this script listens, which on a busy machine is later than the lines appear (requery.js).
_listen = component("elmoscope_requery", Path(__file__).with_name("requery"))


def show(in_use: InUse, first: Chosen, second: Chosen) -> None:
    words = [c for c in (first, second) if c.position is not None]
    over = workspace(in_use)
    everything = over.every_token  # read once, because the job may end meanwhile
    table = over.targets if everything is None else everything
    listen(table)
    others = [table.same_word(q.word, read_as=q.read_as) & ~table.own_row(q) for q in over.queries([c.in_context for c in words])]
    inputs, picture = picture_first()
    with inputs:
        choice = _choose(in_use, any(rows.sum() < FEW for rows in others), has_senses=over.sense_space is not None)
    with picture:
        cache.show_meanwhile(over, t("Until then, only labeled words are searched."))
        show_back()
        columns = st.columns(COLUMNS, gap="medium")
    tables = []
    with columns[0].container(key="static_list"):
        lists.glove_column(over.vectors, first, second, choice.k, tables)
    for column, chosen in zip(columns[1:], (first, second), strict=True):
        if chosen.position is None:
            with column:
                show_html('<p class="small">{}</p>', t("Type a sentence."))
    waiting = t("All sentences are read once; then this list appears.")
    sides = list(zip(columns[1:], "ab", _names(), OWN, (first, second), strict=True))
    choice = replace(choice, every_token=everything is not None)
    listed = _show_lists(over, choice, sides, model_layers.in_use().called, tables, waiting)
    other_lines = _show_second_model(in_use, choice, (first, second), listed, tables) if in_use.other_model else []
    unknown = lists.unknown(over.vectors, [bare(word.word) for word in words])
    if len(listed) == 2:
        has = over.vectors.vector(first.word) is not None
        notice(write_notices(*listed, choice.space, static_has=has) + unknown + other_lines)
    elif len(words) < 2:
        notice([t("Type a second sentence to compare."), *unknown])
    else:
        notice([t("Lists are compared once all sentences are read."), *unknown])
    if listed and (level := listed[0].level):
        st.caption(t("Cosines; random pairs: {mean:.2f} on average.", mean=level.mean))
    if tables:
        lists.offer_table(pd.concat(tables, ignore_index=True), name="neighbors", key="neighbors.table")


def _names() -> tuple[str, str]:
    return t("First sentence"), t("Second sentence")


def _show_lists(
    over: Workspace, choice: NeighborsRequest, sides: list[tuple], model: str, tables: list, waiting: str, other_model: str = ""
) -> list[Neighbors]:
    """Show a model's list in each column, with its table.

    `waiting` is shown until every token is encoded. `other_model` is the name of a second model.
    """
    listed = []
    for column, side, name, color, chosen in sides:
        if chosen.position is None:
            continue
        with column:
            request = replace(choice, word=chosen.in_context)
            with st.spinner(t("Reading sentences with the word…")) if choice.space == SENSES else nullcontext():
                result = view(neighbors.compute, over, request)
            title = t("{model}, first sentence", model=model) if side == "a" else t("{model}, second sentence", model=model)
            lists.heading(title, color)
            if result is None:
                show_html('<p class="small">{}</p>', waiting)
                continue
            named = f"{other_model}: {name}" if other_model else name
            if choice.among != TYPES:
                with st.spinner(t("Finding the nearest words…")) if choice.space == SENSES else nullcontext():
                    words = view(neighbors.nearest_words, over, request)
                if words:
                    lists.nearest_words(words)
                    tables.append(tabulate_words(words, t("{name}, words", name=named)))
            if result.narrowed:
                few = t("Ranked among the {n} nearest occurrences at layer {layer}.", n=f"{result.narrowed:,}", layer=LAYER)
                show_html('<p class="small">{}</p>', few)
            _show_list(result, choice, "" if other_model else side, over.targets.senses_of(result.lemma or ""))
            tables.append(result.table(named))
            listed.append(result)
    return listed


def _show_second_model(
    in_use: InUse, choice: NeighborsRequest, both: tuple[Chosen, Chosen], first: list[Neighbors], tables: list[pd.DataFrame]
) -> list[str]:
    """Show the two lists of a second model at the same depth, and what to notice in all four."""
    waiting = t("{model}’s lists appear once it has read the sentences.", model=short_name(in_use.other_model))
    with show_errors():  # the first model's lists stay if the second model fails
        over = workspace(in_use).with_model(in_use.other_model)
        name = short_name(in_use.other_model)
        layers = over.layers
        layer = model_layers.in_use().at_depth(choice.space, layers)
        if layer == SENSES and over.sense_space is None:
            st.caption(t("{model} has no sense space.", model=plain(name)))
            return []
        everything = None
        if choice.among == TYPES or any(item.position is not None and item.lemma_in(over.targets) is None for item in both):
            everything = over.every_token
            cache.show_meanwhile(over, plain(waiting))
        is_same_search = choice.every_token == (everything is not None)
        typed = choice.weights if choice.weights.count(",") == layers.n - 1 else ""
        choice = replace(choice, space=layer, weights=typed, every_token=everything is not None)
        columns = st.columns(COLUMNS, gap="medium")
        columns[0].caption(t("{model}: {where}, same depth", model=plain(name), where=layers.title(layer)))
        sides = list(zip(columns[1:], "ab", _names(), (OTHER_MODEL, OTHER_MODEL), both, strict=True))
        listed = _show_lists(over, choice, sides, shorten(name, 24), tables, waiting, name)
        with model_layers.speaking_of(layers):
            return compare_with_second_model(name, tuple(first), tuple(listed), layer, is_same_search=is_same_search)
    return []


def _choose(in_use: InUse, few: bool, *, has_senses: bool) -> NeighborsRequest:
    """Draw the inputs: the layer or sense space, what is searched, the number of entries, and the mix weights. The request has no word."""
    layers = model_layers.in_use()
    if not has_senses and SENSES in (read_parameter(LAYER_KEY), st.session_state.get(LAYER_KEY)):
        write_parameter(LAYER_KEY, None)
        st.session_state.pop(LAYER_KEY, None)
        st.info(t("{model} has no sense space; showing a layer.", model=plain(in_use.model)))
    tools = st.columns([10, 5, 4], vertical_alignment="bottom")
    about = " ".join([what_layers_read(), *[t("The sense space joins layer 1, context words and substitutes.")] * has_senses])
    spaces = (*layers.spaces, SENSES) if has_senses else layers.spaces
    layer = verdict.choose_layer(LAYER_KEY, in_use, spaces=spaces, place=tools[0], help=about)
    titles = {OTHER: t("other words"), SAME: t("same word"), ANY: t("any word"), TYPES: t("types")}
    more = TYPES
    if layer == SENSES:  # spellings have no place in it
        more = OTHER
        del titles[TYPES]
        if st.session_state.get("among") == TYPES:
            st.session_state.among = more
    usual = more if few else SAME
    # The kind of neighbors follows the word, unless the user or the address chose another than the usual one.
    state = st.session_state
    in_url = read_parameter("among")
    if BY_HAND not in state:
        state[BY_HAND] = in_url in (*titles, *titles.values()) and in_url not in (usual, titles[usual])
    if not state[BY_HAND] and state.get("among", usual) != usual:
        state["among"] = usual
    about = t("Same word: its other sentences. Other words: possible replacements. Types: one mean vector per spelling.")
    which = choice("among", t("Look among"), titles, usual, place=tools[1], widget="selectbox", on_change=_choose_by_hand, help=about)
    k = tools[2].slider(t("How many"), **bound("k"))
    weights = mix_weights() if layer == "mix" else ""
    return NeighborsRequest(word=WordInContext((), 0), space=layer, weights=weights, among=which, k=k)


def _choose_by_hand(among: str | None = None) -> None:
    if among:
        st.session_state.among = among
    st.session_state[BY_HAND] = True


def _show_list(result: Neighbors, choice: NeighborsRequest, side: str, senses: list[str]) -> None:
    """Show the lines. If the list is empty, show the reason and a choice that has lines. With a `side`, each can become that sentence."""
    if result.examples:
        lists.type_lines(result.entries, result.examples, side)
    elif result.entries:
        lists.keyword_lines(result.entries, senses, taken_as=side)
    elif choice.among == SAME:
        st.markdown(t("No other sentence in use has “{word}”.", word=plain(shorten(bare(result.word.word)))))
        if side:
            options = {"on_click": _choose_by_hand, "kwargs": {"among": OTHER if choice.space == SENSES else TYPES}}
            st.button(t("Show the nearest words"), icon=":material/arrow_forward:", key=f"among.{side}", **options)
    else:
        st.markdown(t("This corpus has no other word. Choose a larger one under Model and data."))


def listen(table: OccurrenceTable) -> None:
    """Receive clicks on the buttons of lines, whose occurrences are rows of `table`.

    Call this at a fixed place before the lines are drawn.
    """

    def on_taken() -> None:
        side, _, row = str(st.session_state[KEY].get("taken") or "").partition(":")
        if side in ("a", "b") and row.isdecimal() and len(row) < 10 and int(row) < len(table):
            take(side, table.occurrence(int(row)))

    _listen(key=KEY, on_taken_change=on_taken)


def take(side: str, occurrence: Occurrence) -> None:
    """Make an occurrence the first ("a") or second ("b") sentence, and store the previous one."""
    state = st.session_state
    text, position = as_typed(occurrence.tokens, occurrence.position)
    state.setdefault(BEFORE, []).append({key: state.get(key) for key in question.KEPT})
    del state[BEFORE][:-KEPT]
    state[side], state[f"{side}i"] = text, position
    state[f"{side}.tapped"] = occurrence.tokens[occurrence.position]


def show_back() -> None:
    def back() -> None:
        if st.session_state.get(BEFORE):
            st.session_state.update(st.session_state[BEFORE].pop())

    if earlier := st.session_state.get(BEFORE):
        side = "a" if earlier[-1]["a"] != st.session_state.get("a") else "b"
        label = t("Back to “{sentence}”", sentence=plain(shorten(str(earlier[-1][side] or ""), 60)))
        st.button(label, icon=":material/undo:", key="back", on_click=back)


def write_notices(first: Neighbors, second: Neighbors, layer: str, *, static_has: bool) -> list[str]:
    """State how far the two lists agree and which senses they hold. `static_has`: whether the static vectors know the word."""
    lines = [_describe_agreement(first, second, layer, static_has)]
    named = {t("first sentence"): _describe_senses(first), t("second sentence"): _describe_senses(second)}
    if senses := "; ".join(f"{which}: {said}" for which, said in named.items() if said):
        lines.append(t("Labeled neighbors, {senses}.", senses=senses))
    return lines


def compare_with_second_model(
    model: str, first: Sequence[Neighbors], second: Sequence[Neighbors], layer: str, *, is_same_search: bool
) -> list[str]:
    """State how far a second model's two lists agree with each other and, if both searched the same tokens, with the first model's.

    Layers are the second model's.
    """
    if len(second) < 2 or len(first) < 2 or not all(item.entries for item in (*first, *second)):
        return []
    theirs = [{n.in_any_table for n in item.entries} for item in second]
    ours = [{n.in_any_table for n in item.entries} for item in first]
    values = {"model": model, "where": layer_title(layer), "shared": len(theirs[0] & theirs[1]), "most": max(map(len, theirs))}
    if not is_same_search:
        return [t("In {model}, {where}, they share {shared} of {most}.", **values)]
    common = {"common": sum(len(a & b) for a, b in zip(theirs, ours, strict=True)), "all": sum(map(len, theirs))}
    line = t(
        "In {model}, {where}, they share {shared} of {most}; {common} of its {all} entries are in the lists above.", **values, **common
    )
    return [line]


def _describe_agreement(first: Neighbors, second: Neighbors, layer: str, static_has: bool) -> str:
    a, b = ([n.in_any_table for n in item.entries] for item in (first, second))
    values = {"where": model_layers.in_use().at(layer, begins=True), "shared": len(set(a) & set(b)), "most": max(len(a), len(b))}
    if not a and not b:
        return t("Both lists are empty.")
    if not a or not b:
        return t("One list is empty.")
    words = bare(first.word.word), bare(second.word.word)
    if words[0].casefold() != words[1].casefold():
        if same_word(first.word.tokens, first.word.position, second.word.tokens, second.word.position, languages.in_use()):
            return t("Two forms of one word. {where} their lists share {shared} of {most}.", **values)
        return t("Two different words. {where} their lists share {shared} of {most}.", **values)
    if (first.word.tokens, first.word.position) == (second.word.tokens, second.word.position):
        return t("Both sentences are the same, so the lists are too.")
    if set(a) == set(b):
        if a != b:
            return t("{where} the two lists have the same {most} in a different order.", **values)
        if layer == "0" and words[0] == words[1] and model_layers.in_use().is_elmo:
            return t("At layer 0 the lists are identical: it reads only the spelling.")
        return t("{where} the two lists are identical.", **values)
    shared = t("{where} the lists share {shared} of {most}", **values)
    if first.entries and isinstance(first.entries[0], Neighbor):  # the words above the sentences are not counted
        shared = t("{where} the lists share {shared} of {most} sentences", **values)
    return t("{shared}; GloVe’s are identical.", shared=shared) if static_has else t("{shared}; the word is not in GloVe.", shared=shared)


def _describe_senses(listed: Neighbors) -> str:
    """State which sense most labeled neighbors of the target word have. Return "" if none is labeled."""
    results = [n.occurrence for n in listed.entries if isinstance(n, Neighbor)]
    counts = Counter(o.sense for o in results if o.sense and listed.lemma is not None and o.lemma == listed.lemma).most_common()
    if not counts:
        return ""
    n = sum(count for _, count in counts)
    top = [sense for sense, count in counts if count == counts[0][1]]
    if n == 1:
        return t("the only neighbor means “{sense}”", sense=top[0])
    if len(top) > 2:
        return t("{number} senses tie", number=len(top))
    if len(top) == 2:
        return t("“{one}” and “{other}” tie, {count} of {n} each", one=top[0], other=top[1], count=counts[0][1], n=n)
    return t("{count} of {n} mean “{sense}”", count=counts[0][1], n=n, sense=top[0])
