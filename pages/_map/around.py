"""The map of a word that nobody labelled: its occurrences and the nearest words of both sentences, by which of the two they lean to."""

from collections import Counter
from dataclasses import dataclass
from itertools import starmap

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.analysis import surroundings
from core.analysis.surroundings import Surroundings
from core.common import model_layers
from core.common.directions import unit_rows
from core.common.i18n import language, t, tn
from core.common.markup import html
from core.elmo.mix import layer_weights, mixed
from core.figures.maps import Star, shared_limits
from core.figures.style import layer_colour, layer_title, mark, sense_colour
from core.figures.surroundings import SIDES, lean_map, named
from core.index.neighbours import Query
from core.index.table import OccurrenceTable
from core.senses import clusters
from core.senses.trust import links
from core.text.readings import WordInContext
from core.text.tokens import bare
from core.views import levels
from pages._cached import opened
from pages._cached.kept import kept
from pages._cached.views import bench
from pages._frame.choices import ALL, TOKENS, choice, layer_name
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_html
from pages._map import brush, every_token, lines, map_view, notices
from pages._widgets import lists, static
from pages._widgets.charts import draw, note
from pages._widgets.inputs import Chosen
from pages._word import atlas, more_sentences, pair_layer, verdict

PCA, BETWEEN, UMAP = "spread", "between", "umap"
OFFERED = 200  # words of a corpus without labels that can be chosen


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """Points and stars in every space, in one layout."""

    points: Surroundings
    queries: tuple[Query, ...]
    everything: int  # occurrences there are, drawn or not
    plan: str
    coordinates: np.ndarray  # (K, N, 2)
    places: np.ndarray  # (K, S, 2) of the stars
    shares: tuple[float, ...]  # (K,) of the spread that the plane holds; () for UMAP, and of one point, which has none


def plan_titles(n_stars: int) -> dict[str, str]:
    """The layouts there are; an axis between two sentences needs two."""
    titles = {PCA: t("Largest spread (PCA)"), UMAP: t("Neighbours kept (UMAP)")}
    return titles | ({BETWEEN: t("Between your sentences")} if n_stars == 2 else {})


def choose_plan(n_stars: int) -> str:
    titles = plan_titles(n_stars)
    if st.session_state.get("around") not in (None, *titles):
        del st.session_state["around"]
    told = t(
        "PCA shows the plane in which the points differ most; UMAP keeps near points near; between your sentences: one axis runs from one star to the other."
    )
    return choice("around", t("Layout"), titles, PCA, help=told)


@kept(8)
def frequent_words(_table: OccurrenceTable, key: str) -> list[str]:
    """The commonest words of a corpus that can tell something; of any kind where none can."""
    counts = np.bincount(_table.word, minlength=len(_table.words))
    order = [_table.words[code] for code in np.argsort(-counts, kind="stable") if any(c.isalpha() for c in _table.words[code])]
    return ([word for word in order if clusters.tells(word) or not word.isascii()] or order)[:OFFERED]


@st.fragment
def show(in_use: InUse, table: OccurrenceTable, word: str, asked: tuple[Chosen, ...], plan: str) -> None:
    """Maps, what to notice, the table twin. `asked`: the reader's sentences that are drawn; `table` is of all tokens."""
    with st.container(key="map_layers"):
        spaces = model_layers.in_use().spaces
        best = verdict.layer_of(in_use, WordInContext((word,), 0))
        view = pair_layer.choose("view", in_use, spaces=(*spaces, ALL, TOKENS), best=best, label_visibility="collapsed")
        live = map_view.glides(view, spaces)
        if live:
            map_view.hide_controls()
    if view == TOKENS:
        every_token.show(in_use, word)
        return
    tokens = tuple(c.asked for c in asked)
    with st.spinner(t("Laying out the map…")):
        found = _laid(table, in_use.corpus, in_use.model, word, tokens, plan)
    if not len(found.points) and not asked:
        told = t(
            "“{word}” stands in no sentence of the corpus in use, so there is nothing to draw. Type it into one of your two "
            "sentences, or choose another word.",
            word=plain(bare(word)[:40]),
        )
        st.info(told, icon=":material/search_off:")
        more_sentences.offer(in_use, word, key="around")
        return
    names = [view] if view in spaces else list(model_layers.in_use().some)
    stars = [
        Star(
            t("yours, {number}", number=k),
            mark(c.tokens, c.position),
            {name: tuple(map(float, found.places[j][k - 1])) for j, name in enumerate(spaces)},
        )
        for k, c in enumerate(asked, 1)
    ]
    chosen = view if view in spaces else model_layers.in_use().top
    groups, chips, strength = _groups(found, table, list(spaces) if live else names)
    if live:
        _live(in_use, found, table, word, stars, asked, groups, chips, strength)
    else:
        _multiples(found, table, word, stars, names, groups, chips, strength)
    unknown = static.unknown(opened.vectors(in_use.vectors), [bare(word)])
    notice([*_noticed(in_use, found, word, chosen, groups[chosen], chips), *unknown])
    if found.everything < clusters.FEWEST:
        more_sentences.offer(in_use, word, key="around")
    st.caption(_about(found, chosen))
    _twin(found, word)


def _multiples(found: Around, table: OccurrenceTable, word: str, stars: list[Star], names: list[str], groups, chips, strength) -> None:
    """One map, or one of each space beside each other, drawn by Streamlit."""
    show_html('<div class="chips">{}</div>', starmap(lists.chip_of, chips)) if chips else None
    columns = [st.container()] if len(names) == 1 else [c for _ in range((len(names) + 1) // 2) for c in st.columns(2, gap="small")]
    cards = _cards(found, table)
    for column, name in zip(columns, names, strict=False):
        with column:
            if len(names) > 1:
                lists.heading(model_layers.in_use().heading(name), layer_colour(name))
            figure = _figure(found, cards, word, stars, name, groups[name], strength[name], alone=len(names) == 1)
            draw(figure, key=f"around.map.{name}", alt=_alt(found, word, layer_title(name), len(stars)))


def _figure(found: Around, cards: list[str], word: str, stars: list[Star], name: str, groups, strength, *, alone: bool) -> go.Figure:
    spaces = model_layers.in_use().spaces
    j = spaces.index(name)
    return lean_map(
        found.coordinates[j],
        [bare(w) for w in found.points.words],
        cards,
        groups,
        _colours(found),
        strength,
        occurrences=found.points.occurrences,
        stars=stars,
        layer=name,
        limits=_limits(found, [j] if alone else range(len(spaces))),
        width=560 if alone else 340,
        height=470 if alone else 340,
        key=f"around.{word}.{found.plan}.{name}",
        titles=_titles(found),
    )


def _colours(found: Around) -> tuple[str, ...]:
    return SIDES if len(found.queries) == 2 else (SIDES[0], *(sense_colour(k) for k in range(8)))


def _titles(found: Around) -> tuple[str, str] | None:
    return (t("← second sentence · first sentence →"), t("largest spread left over")) if found.plan == BETWEEN else None


def _alt(found: Around, word: str, where: str, stars: int) -> str:
    told = {"n": len(found.points), "word": bare(word), "where": where, "stars": stars}
    return t("A map of {n} words and sentences around “{word}” at {where}, with your sentences as stars ({stars}).", **told)


def _live(
    in_use: InUse, found: Around, table: OccurrenceTable, word: str, stars: list[Star], asked: tuple[Chosen, ...], groups, chips, strength
) -> None:
    """The layers under the reader's hand; the map on screen is noted for what is taken along."""
    spaces = model_layers.in_use().spaces
    placed = dict(enumerate(asked, 1))
    rows = found.points.rows
    view = st.session_state["view"]
    with st.container(key="map_whose"):
        name = lines.choose(placed, table, rows)
    state = brush.brush(("around", in_use.corpus, in_use.model, word))
    texts, asked_for = tuple(c.readable for c in asked), tuple(c.asked for c in asked)
    data = _sent(found, table, stars, groups, chips, strength, in_use.corpus, in_use.model, word, texts, asked_for, found.plan, language())
    map_view.live(data, spaces, rows)
    map_view.told(data, view, name, state.picked, {})
    figure = _figure(found, _cards(found, table), word, stars, view, groups[view], strength[view], alone=True)
    note(figure, key="around.map", alt=_alt(found, word, layer_title(view), len(stars)))
    if state.picked:
        n = len(rows)
        sentences = [table.occurrence(int(row)).sentence for row in rows]
        brush.show_table(atlas.Dots([""] * n, [bare(w) for w in found.points.words], [""] * n, sentences, [""] * n), rows.tolist(), state)


@kept(16)
def _sent(
    _found: Around,
    _table: OccurrenceTable,
    _stars: list[Star],
    _groups,
    _chips,
    _strength,
    corpus: str,
    model: str,
    word: str,
    texts: tuple[str, ...],
    asked: tuple,
    plan: str,
    code: str,
) -> dict:
    """What the instrument shows; `code`: the reader's language."""
    points = _found.points
    n_layers = _table.meta["layers"]
    spaces = model_layers.in_use().spaces
    mixes = [layer_weights(name, n_layers) for name in spaces]
    dots = [unit_rows(mixed(np.moveaxis(points.layers, 1, 0), weights), np.float64) for weights in mixes] if len(points) else []
    near = [
        [links((rows @ rows[k]), flat, flat[k], own=k) for rows, flat in zip(dots, _found.coordinates, strict=True)]
        for k in range(len(points))
    ]
    own = [_cosines(_found, name) for name in spaces]
    near += [
        [links(cosines[s], flat, at[s]) for cosines, flat, at in zip(own, _found.coordinates, _found.places, strict=True)]
        for s in range(len(_stars))
    ]
    limits = _limits(_found, range(len(spaces)))
    words, occurrences = [bare(w) for w in points.words], [_table.occurrence(int(row)) for row in points.rows]
    shown = map_view.Points(
        names=spaces,
        coordinates=_found.coordinates,
        rows=points.rows.tolist(),
        groups=[_groups[name] for name in spaces],
        colours=[map_view.NEUTRAL, *_colours(_found)[1:]],
        chips=[(label, _colours(_found).index(colour) if colour in _colours(_found) else 0, 0) for label, colour in _chips],
        shapes=[int(k < points.occurrences) for k in range(len(points))],
        lines=[map_view.line(o.tokens, o.position) for o in occurrences],
        notes=[
            "" if k < points.occurrences else t("one sentence") if count == 1 else t("mean of {n}", n=count)
            for k, count in enumerate(points.counts)
        ],
        stars=_stars,
        texts=dict(enumerate(texts, 1)),
        links=near,
        axes=_titles(_found),
        words=[
            sorted(
                named(
                    flat,
                    words,
                    np.asarray(_groups[name]),
                    np.asarray(_strength[name], float),
                    _stars,
                    name,
                    limits,
                    points.occurrences,
                    560,
                    470,
                )
            )
            for name, flat in zip(spaces, _found.coordinates, strict=True)
        ],
        under=[t("{share:.0%} of the spread", share=share) for share in _found.shares],
    )
    title = t("The map of “{word}”, layer by layer", word=bare(word))
    alt = _alt(_found, word, "{where}", len(_stars))
    tied = t("no true neighbours: {tied} points are equally near", tied="{tied}")
    return map_view.data(shown, title=title, alt=alt, tied=tied)


def _groups(found: Around, table: OccurrenceTable, names: list[str]) -> tuple[dict, list[tuple[str, str]], dict]:
    """Each point's group and strength by space, and the chips that say what the colours are."""
    if len(found.queries) == 2:
        leans = {name: _leans(found, name) for name in [*names, model_layers.in_use().top]}
        groups = {name: surroundings.sides(values) for name, values in leans.items()}
        chips = [(t("nearer to the first sentence"), SIDES[1]), (t("nearer to the second"), SIDES[2]), (t("neither"), "#6b7280")]
        kinds = {int(k) for name in names for k in groups[name]}
        strength = {name: np.max(_cosines(found, name), axis=0) for name in leans}
        return groups, [chip for number, chip in ((1, chips[0]), (2, chips[1]), (0, chips[2])) if number in kinds], strength
    n = len(found.points)
    number = np.zeros(n, int)
    chips: list[tuple[str, str]] = []
    if not found.queries and found.points.occurrences >= clusters.FEWEST:
        number, chips = _clusters(found, table)
    everywhere = [*names, model_layers.in_use().top]
    return dict.fromkeys(everywhere, number), chips, dict.fromkeys(everywhere, np.arange(n, 0, -1.0))


def _clusters(found: Around, table: OccurrenceTable) -> tuple[np.ndarray, list[tuple[str, str]]]:
    """Groups of the occurrences at the top layer, numbered from 1, named by their telling words; zeros where there seems to be one."""
    rows = clusters.directions(found.points.layers[:, -1], np.array(found.points.words))
    number = clusters.suggest(rows).number
    if number < 2:
        return np.zeros(len(rows), int), []
    groups = clusters.clusters(rows, number)
    items = [table.occurrence(int(row)) for row in found.points.rows]
    contexts = [clusters.content_words(o.tokens, o.position, without={o.word}) for o in items]
    telling = clusters.telling_words(contexts, groups, Counter(word for one in contexts for word in one))
    names = [" · ".join(word for word, _ in words[:3]) or t("group {number}", number=k) for k, words in enumerate(telling, 1)]
    return groups + 1, [(name, sense_colour(k)) for k, name in enumerate(names)]


def _leans(found: Around, name: str) -> np.ndarray:
    first, second = (query.layers for query in found.queries)
    return surroundings.leans(found.points.layers, first, second, layer_weights(name, len(first)))


def _cosines(found: Around, name: str) -> np.ndarray:
    """(S, N): of each star with every point."""
    weights = layer_weights(name, found.points.layers.shape[1])
    return np.array(
        [surroundings.leans(found.points.layers, query.layers, np.zeros_like(query.layers), weights) for query in found.queries]
    )


def _limits(found: Around, spaces) -> tuple[float, float, float, float]:
    """What the map of some of the spaces shows: all points and stars."""
    places = np.concatenate([found.coordinates[list(spaces)], found.places[list(spaces)]], axis=1)
    return shared_limits(places) if places.shape[1] > 1 else (-1.0, 1.0, -1.0, 1.0)


def _noticed(in_use: InUse, found: Around, word: str, layer: str, groups: np.ndarray, chips: list) -> list[str]:
    points = found.points
    if len(found.queries) == 2:
        weights = layer_weights(layer, points.layers.shape[1])
        cosine = surroundings.cosine(*(query.layers for query in found.queries), weights)
        here = slice(points.occurrences, None)
        level = levels.level(bench(in_use), layer)
        random = None if level is None else level.mean
        return notices.of_leans([bare(w) for w in points.words[here]], _cosines(found, layer)[:, here], layer, cosine, random)
    if len(found.queries) == 1:
        return [t("One sentence is a star; type a second one to see which of the two each word leans to.")]
    sizes = Counter(groups.tolist())
    named = [(name, sizes[k]) for k, (name, _) in enumerate(chips, 1)] if points.occurrences >= clusters.FEWEST else None
    return notices.of_occurrences(bare(word), points.occurrences, found.everything, named, model_layers.in_use().top)


def _about(found: Around, layer: str) -> str:
    n = len(found.points)
    own = found.points.occurrences
    where = layer_title(model_layers.in_use().top)
    words = tn(
        "{n} word nearest to your sentences at {where} (a dot, the mean of its occurrences)",
        "{n} words nearest to your sentences at {where} (dots, each the mean of its occurrences)",
        n - own,
        where=where,
    )
    with_word = tn("{n} sentence with the word (a diamond)", "{n} sentences with the word (diamonds)", own)
    drawn = {
        (True, True): lambda: t("{sentences} and {words}", sentences=with_word, words=words),
        (True, False): lambda: with_word,
        (False, True): lambda: words,
        (False, False): lambda: t("your sentences alone"),
    }[own > 0, n > own]()
    if found.plan == UMAP:
        shown = t("UMAP keeps who is near whom, not how far the far ones are.")
    elif not found.shares:
        shown = ""
    else:
        share = found.shares[model_layers.in_use().spaces.index(layer)]
        shown = t(
            "This plane holds {share:.0%} of the spread at {where}: dots that lie on each other can be far apart in the rest.",
            share=share,
            where=layer_title(layer),
        )
    if len(found.queries) == 2:
        shown += " " + t("Colours are measured in all dimensions: nearer is a cosine higher by at least {close}.", close=surroundings.CLOSE)
    return t("Drawn: {drawn}. {shown}", drawn=drawn, shown=shown).rstrip()


def _cards(found: Around, table: OccurrenceTable) -> list[str]:
    """Hover cards: the word, how often it stands in the corpus, a sentence with it."""
    cards = []
    for k, (row, count) in enumerate(zip(found.points.rows, found.points.counts, strict=True)):
        o = table.occurrence(int(row))
        sentence = mark(o.tokens, o.position)
        few = t("one sentence") if count == 1 else t("mean of {n}", n=count)
        cards.append(sentence if k < found.points.occurrences else html("<b>{}</b>, {}<br>{}", bare(found.points.words[k]), few, sentence))
    return cards


def _twin(found: Around, word: str) -> None:
    table = {t("word"): [bare(w) for w in found.points.words], t("occurrences"): found.points.counts}
    points = found.points
    for j, name in enumerate(model_layers.in_use().spaces):
        layer = layer_name(name)
        if len(found.queries) == 2 and len(points):
            table[t("lean, layer {layer}", layer=layer)] = _leans(found, name).round(3)
        table[t("x, layer {layer}", layer=layer)] = found.coordinates[j][:, 0].round(3)
        table[t("y, layer {layer}", layer=layer)] = found.coordinates[j][:, 1].round(3)
    label = t("All {n} points as a table", n=len(points))
    lists.twin(pd.DataFrame(table), name=f"around-{bare(word)}", label=label, key="around.points")


@kept(16)
def _laid(_table: OccurrenceTable, corpus: str, model: str, word: str, asked: tuple[tuple[tuple[str, ...], int], ...], plan: str) -> Around:
    queries = tuple(opened.queries(model, asked))
    n_layers = _table.meta["layers"]
    words = list(dict.fromkeys([word, *(query.word.casefold() for query in queries)]))
    points = surroundings.surroundings(_table, words, queries, np.eye(n_layers)[-1])
    everything = int(np.any([_table.same_word(each) for each in words], axis=0).sum())
    stars = np.stack([query.layers for query in queries]) if queries else np.empty((0, *points.layers.shape[1:]), np.float32)
    spaces = model_layers.Layers(n_layers).spaces
    mixes = [layer_weights(name, n_layers) for name in spaces]
    n = len(points)
    if n + len(stars) < 2:
        flat = np.zeros((len(spaces), n + len(stars), 2), np.float32)
        shares = ()
    elif plan == UMAP:
        flat = surroundings.by_umap(points.layers, stars, spaces, mixes).coordinates
        shares = ()
    else:
        views = (surroundings.by_sentences if plan == BETWEEN else surroundings.by_spread)(points.layers, stars, mixes)
        flat = np.stack([view.coordinates for view in views])
        shares = tuple(view.plane.together for view in views)
    return Around(points, queries, everything, plan, flat[:, :n], flat[:, n:], shares)
