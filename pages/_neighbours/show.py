"""The Neighbours page's three lists: GloVe's one and ELMo's two, each neighbour in its sentence."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis.anisotropy import Level
from core.common import model_layers
from core.common.config import NEIGHBOURS
from core.common.i18n import t
from core.common.model_layers import SENSES
from core.elmo.mix import layer_weights
from core.figures.style import BESIDE, OWN
from core.index import neighbours, sense_index
from core.index.neighbours import Occurrence, Query
from core.index.sense_index import MOST_READ, SenseIndex
from core.index.sense_space import LAYER, SenseSpace
from core.index.table import OccurrenceTable
from core.text.tokens import bare
from pages._cached import opened
from pages._cached.kept import kept
from pages._cached.progress import show_progress
from pages._frame.choices import BOUND, choice, mix_weights, what_layers_read
from pages._frame.frame import notice
from pages._frame.in_use import InUse, short_name
from pages._frame.markup import plain, show_html, shown_errors
from pages._neighbours import notices, requery
from pages._widgets import lists, static
from pages._widgets.inputs import Choice, Chosen
from pages._word import more_sentences, pair_layer, random_levels, share_card, verdict
from pages._word.engines import compare_engines
from pages._word.nearest import around

TYPES = "types"
LAYER_KEY = "nlayer"  # of the control, in the address
FEW = 5  # other sentences with the word, below which they make no list: then words are looked for
EQUAL = 0.005  # weights that differ less are equal
BY_HAND = "among.by_hand"  # whether the reader, or the address, chose what is looked among


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """One context's list: words with the nearest sentence of each, or occurrences."""

    types: list[neighbours.TypeNeighbour] | None
    occurrences: list[neighbours.Neighbour]
    sentences: list[Occurrence]  # of the types
    narrowed: bool = False  # in the sense space: to those nearest at layer 1

    @property
    def items(self) -> list:
        return self.occurrences if self.types is None else self.types

    def table(self, context: str) -> pd.DataFrame:
        if self.types is None:
            return lists.neighbour_table(self.occurrences, context)
        return lists.type_table(self.types, context)


def show(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """Lists, what to notice, table twin; the second engine's answer if it is chosen."""
    in_use = opened.about(in_use, first.looked_up, second.looked_up)
    targets = opened.targets(in_use.corpus, in_use.model)
    job = opened.table_job(in_use.corpus, in_use.model)
    everything = opened.everything(in_use.corpus, in_use.model, job)  # asked once: the job may end meanwhile
    table = targets if everything is None else everything
    requery.listen(table)
    asked = [c for c in (first, second) if c.position is not None]
    queries = dict(zip(asked, opened.queries_for(in_use.model, [c.in_context for c in asked]), strict=True))
    few = [query.word for query in queries.values() if _others(table, query) < FEW]
    space = verdict.judge_of(in_use.model).space
    labelled = any(one.lemma_in(targets) is not None for one in asked)
    choice = _choose(in_use, bool(few), has_senses=space is not None, labelled=labelled)
    if job.running:
        show_progress(job, meanwhile=t("Until that is done the labelled words are searched."))
    elif job.error:
        st.warning(plain(job.error))
    requery.show_back()
    asked_by = _asked_by(choice, table, space)
    columns = st.columns(3, gap="large")
    tables = []
    listed = []
    with columns[0]:
        static.glove_column(opened.vectors(in_use.vectors), first, second, choice.k, tables)
    for column, side, chosen, name, colour in zip(columns[1:], "ab", (first, second), _names(), OWN, strict=True):
        with column:
            if chosen.position is None:
                show_html('<p class="small">{}</p>', t("There is no sentence yet whose word could have neighbours."))
                continue
            lists.heading(_title(model_layers.in_use().called, chosen, side), colour, chosen.text.strip()[:140])
            found = _found_for(choice, queries[chosen], asked_by, table, everything=everything is not None)
            if found is None:
                show_html('<p class="small">{}</p>', t("Every word of the sentences is read first, once; then this list comes by itself."))
                continue
            if found.items and found.types is None and (level := _by_lot(in_use, choice, asked_by)):
                told = t("Cosine; two random words have {mean:.2f} on average here.", mean=level.mean)
                show_html('<p class="small">{}</p>', told)
            if found.narrowed:
                told = t("Only the {n} occurrences nearest at layer {layer} are ranked here.", n=MOST_READ, layer=LAYER)
                show_html('<p class="small">{}</p>', told)
            _list(found, choice, chosen, side, targets.senses_of(chosen.lemma_in(targets) or ""))
            tables.append(found.table(name))
            listed.append(notices.Listed(*chosen.asked, found.items, chosen.lemma_in(targets)))
    beside = _beside(in_use, choice, (first, second), listed, tables) if in_use.beside else []
    unknown = static.unknown(opened.vectors(in_use.vectors), [bare(one.word) for one in (first, second) if one.position is not None])
    if len(listed) == 2:
        share_card.note(in_use, first, second, choice.layer, choice.weights or None, lambda: tuple(map(_card_lines, listed)))
        has = opened.vectors(in_use.vectors).vector(first.word) is not None
        notice(notices.about(*listed, choice.layer, static_has=has) + unknown + beside)
    elif len(asked) < 2:
        notice([t("Two sentences are needed to compare their lists; one of them is empty."), *unknown])
    else:
        notice([t("The lists are compared when every word has been read."), *unknown])
    pair_layer.note(in_use, choice.layer)
    if few:
        more_sentences.offer(in_use, *few, key="neighbours")
    if tables:
        lists.twin(pd.concat(tables, ignore_index=True), name="neighbours", key="neighbours.table")
    compare_engines(in_use, [first, second])


def _names() -> tuple[str, str]:
    return t("First sentence"), t("Second sentence")


def _title(model: str, chosen: Chosen, side: str) -> str:
    told = {"model": model, "word": bare(chosen.word)[:24]}
    return t("{model}, “{word}” in the first sentence", **told) if side == "a" else t("{model}, “{word}” in the second sentence", **told)


def _beside(
    in_use: InUse, choice: Choice, asked: tuple[Chosen, Chosen], first: list[notices.Listed], tables: list[pd.DataFrame]
) -> list[str]:
    """A second model's two lists at the same depth, under the first one's; what to notice of both."""
    told = t("The lists of {model} come when it has read the sentences.", model=short_name(in_use.beside))
    with shown_errors():  # the first model's lists stand whatever becomes of the second's
        known = opened.model(in_use.beside).layers
        name = short_name(in_use.beside)
        layer = model_layers.in_use().at_depth(choice.layer, known)
        space = verdict.judge_of(in_use.beside).space if layer == SENSES else None
        if layer == SENSES and space is None:
            st.caption(t("{model} has no sense space.", model=plain(name)))
            return []
        in_use = replace(in_use, model=in_use.beside, beside="")
        in_use = opened.about(in_use, *(one.looked_up for one in asked))
        targets = opened.targets(in_use.corpus, in_use.model)
        everything = None
        if choice.among == TYPES or any(one.position is not None and one.lemma_in(targets) is None for one in asked):
            job = opened.table_job(in_use.corpus, in_use.model)
            if job.running:
                show_progress(job, meanwhile=plain(told))
            elif job.error:
                st.warning(plain(job.error))
            everything = opened.everything(in_use.corpus, in_use.model, job)
        typed = choice.weights if choice.weights.count(",") == known.n - 1 else ""
        choice = Choice(layer, typed, choice.among, choice.k)
        listed = []
        table = targets if everything is None else everything
        asked_by = _asked_by(choice, table, space)
        columns = st.columns(3, gap="large")
        columns[0].caption(t("{model}: {where}, the same sentences at the same depth", model=plain(name), where=known.title(layer)))
        there = [(*one, c) for *one, c in zip(columns[1:], "ab", _names(), asked, strict=True) if c.position is not None]
        queries = opened.queries_for(in_use.model, [chosen.in_context for *_, chosen in there])
        for (column, side, sentence, chosen), query in zip(there, queries, strict=True):
            with column:
                lists.heading(_title(name[:24], chosen, side), BESIDE, chosen.text.strip()[:140])
                found = _found_for(choice, query, asked_by, table, everything=everything is not None)
                if found is None:
                    show_html('<p class="small">{}</p>', told)
                    continue
                _list(found, choice, chosen, "", targets.senses_of(chosen.lemma_in(targets) or ""))
                tables.append(found.table(f"{name}: {sentence}"))
                listed.append(notices.Listed(*chosen.asked, found.items, chosen.lemma_in(targets)))
        with model_layers.speaking_of(known):
            return notices.beside(name, tuple(first), tuple(listed), layer)
    return []


def _card_lines(listed: notices.Listed) -> list[tuple[str, str, str]]:
    """A list's first entries as lines of the share card: words, or sentences around their word."""
    few = listed.found[: share_card.NEIGHBOURS]
    if few and isinstance(few[0], neighbours.TypeNeighbour):
        return [("", bare(one.word), "") for one in few]
    return [around(one.occurrence.tokens, one.occurrence.position, share_card.LINE) for one in few]


def _by_lot(in_use: InUse, choice: Choice, asked_by: np.ndarray | SenseIndex) -> Level | None:
    """What a cosine of two occurrences is held against; known of single layers and of the mix with equal weights."""
    if isinstance(asked_by, SenseIndex):
        return None
    return random_levels.level(in_use, choice.layer) if choice.layer != "mix" or np.ptp(asked_by) < EQUAL else None


def _others(table: OccurrenceTable, query: Query) -> int:
    """How many other sentences have the word of this one."""
    return int((table.same_word(query.word, read_as=query.read_as) & ~table.own_row(query)).sum())


def _choose(in_use: InUse, few: bool, *, has_senses: bool, labelled: bool) -> Choice:
    """Layer or sense space, which words without labels are shown in; what is looked among, how many, and the weights of a mix."""
    known = model_layers.in_use()
    if not has_senses and SENSES in (st.query_params.get(LAYER_KEY), st.session_state.get(LAYER_KEY)):
        st.query_params.pop(LAYER_KEY, None)
        st.session_state.pop(LAYER_KEY, None)
        st.info(t("{model} has no sense space: a layer is shown.", model=plain(in_use.model)))
    tools = st.columns([8, 10, 4], vertical_alignment="bottom")
    told = [what_layers_read(), t("The mix weighs them all; set it on the Mix page.")]
    told += [t("The sense space joins layer 1, the words around and the words that ELMo expects in the place.")] * has_senses
    layer = pair_layer.choose(
        LAYER_KEY,
        in_use,
        spaces=(*known.spaces, SENSES) if has_senses else known.spaces,
        best=SENSES if has_senses and not (labelled or few) else "",
        place=tools[0],
        help=" ".join(told),
    )
    titles = {neighbours.OTHER: t("other words"), neighbours.SAME: t("same word"), neighbours.ANY: t("any word"), TYPES: t("types")}
    more = TYPES
    if layer == SENSES:  # spellings have no place in it
        more = neighbours.OTHER
        del titles[TYPES]
        if st.session_state.get("among") == TYPES:
            st.session_state.among = more
    usual = follow_word(st.session_state, st.query_params.get("among"), more if few else neighbours.SAME, titles)
    which = choice(
        "among",
        t("Look among"),
        titles,
        usual,
        place=tools[1],
        on_change=_chosen_by_hand,
        help=t("Same word: other sentences with this word. Other words: what could stand in its place. Types: one mean vector a spelling."),
    )
    k = tools[2].slider(t("How many"), 3, 30, NEIGHBOURS, key="k", **BOUND)
    weights = ""
    if layer == "mix":
        weights = mix_weights()
    return Choice(layer, weights, which, k)


def follow_word(state, given: str | None, usual: str, titles: dict[str, str]) -> str:
    """Let what is looked among follow the word, unless the reader chose it, or the address `given` says something else than usual."""
    if BY_HAND not in state:
        state[BY_HAND] = given in titles.values() and given != titles[usual]
    if not state[BY_HAND] and state.get("among", usual) != usual:
        state["among"] = usual
    return usual


def _chosen_by_hand() -> None:
    st.session_state[BY_HAND] = True


def _look_among(which: str) -> None:
    st.session_state.among = which
    _chosen_by_hand()


def _asked_by(choice: Choice, table: OccurrenceTable, space: SenseSpace | None) -> np.ndarray | SenseIndex:
    """The weights by which a table is asked, or its occurrences in the sense space."""
    if choice.layer == SENSES:
        return SenseIndex(table, space)
    return layer_weights(choice.layer, table.meta["layers"], choice.weights or None)


@kept(64)
def _in_senses(_index: SenseIndex, _query: Query, key: str, tokens: tuple, position: int, read_as: str, among: str, k: int) -> Found:
    with st.spinner(t("Reading sentences with the word…")):
        near = _index.nearest(_query, sense_index.WEIGHTS, k=k, which=among)
    return Found(None, near, [], _index.narrows(_query, among))


def _found_for(
    choice: Choice, query: Query, asked_by: np.ndarray | SenseIndex, table: OccurrenceTable, *, everything: bool
) -> Found | None:
    """The list of one context; None while what it needs is still being read."""
    if not everything and (choice.among == TYPES or not table.same_word(query.word, read_as=query.read_as).any()):
        return None
    if isinstance(asked_by, SenseIndex):
        return _in_senses(asked_by, query, opened.table_key(table), query.tokens, query.position, query.read_as, choice.among, choice.k)
    found = opened.query_products(table, query, types=choice.among == TYPES)
    if choice.among == TYPES:
        types = table.nearest_types(found, asked_by, k=choice.k)
        return Found(types, [], table.nearest_of_types(query, [one.word for one in types], asked_by))
    return Found(None, table.nearest(found, asked_by, k=choice.k, which=choice.among), [])


def _list(found: Found, choice: Choice, chosen: Chosen, side: str, senses: list[str]) -> None:
    """The lines; where there is none, why, and the choice that has some. With a `side` each can become that sentence."""
    if found.types:
        lists.type_lines(found.types, found.sentences, side)
    elif found.occurrences:
        lists.keyword_lines(found.occurrences, senses, taken_as=side)
    elif choice.among == neighbours.SAME:
        st.markdown(t("No other sentence in use has “{word}”.", word=plain(bare(chosen.word)[:40])))
        if side:
            more = neighbours.OTHER if choice.layer == SENSES else TYPES
            st.button(t("Show the nearest words"), icon=":material/arrow_forward:", key=f"among.{side}", on_click=_look_among, args=(more,))
    else:
        st.markdown(t("The sentences in use hold no other word. Choose a larger corpus under In use."))
