"""One dot and a cloud: GloVe's dot, the model's map or, of a word without labels, what leans to which sentence; shares, and how far to trust them."""

from dataclasses import replace

import streamlit as st

from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import t, tn
from core.common.markup import shorten
from core.common.model_layers import SENSES
from core.figures.cloud import UNDECIDED, dot_figure, lean_figure, share_bars
from core.figures.maps import find_limits
from core.figures.style import GLOVE, layer_colour, layer_title, mark, sense_colour
from core.senses.cloud import NEAREST, side_shares
from core.text.tokens import bare
from core.views import cloud, layouts, levels
from core.views.cloud import CloudRequest, SenseCloud, SideCloud, Static, StaticRequest
from core.views.layouts import LayoutRequest
from core.views.levels import has_senses
from core.workbench import Bench
from pages._cached.views import bench, view
from pages._frame import markup
from pages._frame.choices import what_layers_read
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._neighbours import cloud_notices
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen
from pages._word import atlas, pair_layer, reading, verdict_words
from pages._word.reading import view_when_read

HEIGHT = 370


def show(in_use: InUse, first: Chosen, second: Chosen, picture) -> None:
    """Legend and two panels in the container `picture`; bars, what to notice, table twin."""
    words = [chosen.in_context if chosen.position is not None else None for chosen in (first, second)]
    request = StaticRequest(first=words[0], second=words[1])
    over = bench(in_use).about(*request.words)
    in_use = replace(in_use, corpus=over.corpus)
    lemma = cloud.labelled_word(over, request)
    layer = pair_layer.choose(
        "cloud_layer",
        in_use,
        spaces=(*model_layers.in_use().spaces, *[SENSES] * (lemma is not None and has_senses(over))),
        label=t("Layer of {model}", model=model_layers.in_use().called),
        place=picture,
        help=f"{what_layers_read()} {t('The layer mix weights all layers equally; longer vectors count more.')}",
    )
    if lemma is None and len(request.words) < 2:
        picture.info(_missing(request), icon=":material/edit:")
        return
    of_layer = CloudRequest(first=request.first, second=request.second, space=layer)
    with picture:
        if lemma:
            names = over.targets.senses_of(lemma)
            lists.legend(names, undecided=True, word=lemma)
        else:
            names = [t("your first sentence"), t("your second sentence")]
            chips = [lists.chip_of(name, sense_colour(k)) for k, name in enumerate(names)]
            chips.append(lists.chip_of(t("too close to call"), UNDECIDED))
            show_html('<div class="chips"><span class="small">{}</span> {}</div>', _why(over, request), chips)
        left, right = st.columns(2, gap="large")
    with left:
        static = _static(over, request, lemma, names)
    if lemma:
        _senses(over, view_when_read(cloud.compute, over, of_layer), static, layer, (first, second), right)
    else:
        _sides(over, of_layer, static, names, right)


def _missing(request: StaticRequest) -> str:
    if not request.words:
        return t("Type two sentences below.")
    return t("“{word}” has no labeled senses here. Type a second sentence below.", word=markup.plain(shorten(bare(request.words[0].word))))


def _why(over: Bench, request: StaticRequest) -> str:
    """Why no labeled senses are shown."""
    if not over.is_labelled:
        return t("No labeled senses here: color shows the nearer sentence.")
    words = " · ".join(dict.fromkeys(f"“{shorten(bare(word.word))}”" for word in request.words))
    return t("{words}: no labeled senses, so color shows the nearer sentence.", words=words)


def _static(over: Bench, request: StaticRequest, lemma: str | None, names: list[str]) -> Static | None:
    """GloVe's dot among its neighbors; None where it has no such word, or nothing tells which sentence they go with."""
    word = lemma or bare(request.words[0].word.casefold())
    note = (
        t("“{word}” and its 50 nearest words; rings are cosines", word=word)
        if lemma
        else t("“{word}” and its 50 nearest words, by your sentences", word=word)
    )
    lists.heading(t("GloVe: one dot"), GLOVE, note)
    try:
        static = view(cloud.static, over, request)
    except BadInput as error:
        st.info(markup.plain(error), icon=":material/search_off:")
        return None
    numbers = [-1] * len(static.near) if static.sides is None else static.sides.tolist()
    cosines = [near.cosine for near in static.near]
    figure = dot_figure(word, [bare(near.word) for near in static.near], cosines, numbers, names, height=HEIGHT, key=f"cloud.{word}")
    values = {"word": word, "n": len(numbers)}
    alt = (
        t("GloVe’s “{word}” in the middle, its {n} nearest words around it, colored by sense.", **values)
        if lemma
        else t("GloVe’s “{word}” in the middle, its {n} nearest words around it.", **values)
    )
    draw(figure, key="cloud.dot", alt=alt)
    if static.sides is not None:
        return static
    st.caption(t("One sentence has no other content word in GloVe, so neighbors have no color."))
    return None


def _senses(over: Bench, result: SenseCloud, static: Static | None, layer: str, chosen: tuple[Chosen, Chosen], right) -> None:
    """Of a labeled word: its map, the meanings around each dot, what to notice."""
    lemma, senses = result.lemma, result.senses
    with right:
        _map(over, result, layer, chosen)
    shares = [(t("GloVe"), side_shares(static.sides, senses))] if static else []
    shares += [(label, each) for label, each in zip((t("First sentence"), t("Second sentence")), result.shares, strict=True) if each]
    st.markdown(t("**Senses around each dot**"))
    if shares:
        named = "; ".join(f"{label}: {cloud_notices.in_plain_words(each)}" for label, each in shares)
        draw(share_bars(shares, senses), key="cloud.shares", alt=t("Senses around each dot. {named}.", named=named))
    st.caption(
        t(
            "GloVe: 50 neighbors, each counted for the sense with the most similar labeled sentences. {model}: the {k} nearest labeled sentences, senses weighted equally.",
            k=NEAREST,
            model=model_layers.in_use().called,
        )
        + f" {cloud_notices.trusted(static, senses) if static else ''} {_level(over, layer)}".rstrip()
    )
    notice(cloud_notices.write_notices(result, layer, static))
    lists.twin(cloud_notices.shares_table(result, shares, static), name=f"cloud-{lemma}", key="cloud.table")


def _level(over: Bench, layer: str) -> str:
    level = levels.level(over, layer)
    return verdict_words.random_sentence(level, layer) if level else ""


def _map(over: Bench, result: SenseCloud, layer: str, chosen: tuple[Chosen, Chosen]) -> None:
    lemma, n, where = result.lemma, len(result.occurrences), layer_title(layer)
    placed = atlas.place_sentences(over.targets, lemma, chosen)
    contexts = tuple(item.in_context for item in placed.values())
    if layer == SENSES:
        layout = view_when_read(layouts.compute, over, LayoutRequest(word=lemma, contexts=contexts, senses=True))
        names, flat, places = (SENSES,), layout.coordinates[-1:], layout.stars[-1:]
    else:
        maps, places = layouts.on_frozen(over, lemma, contexts)
        names, flat = maps.names, maps.coordinates
    _heading(layer, t("“{word}” in {n} labeled sentences, {where}; stars: yours", word=lemma, n=n, where=where))
    figure = atlas.word_map(
        result.occurrences,
        flat[names.index(layer)],
        result.senses,
        lemma,
        layer=layer,
        stars=atlas.stars(placed, names, places),
        height=HEIGHT,
        key=f"cloud.map.{lemma}",
        limits=find_limits(flat, places),
        name_senses=False,
    )
    values = {"n": n, "word": lemma, "where": where, "stars": len(placed)}
    alt = t("Map of {n} sentences with “{word}”, {where}, by sense; stars: yours ({stars}).", **values)
    draw(figure.update_layout(dragmode=False), key="cloud.map", alt=alt)
    if len(placed) < len(chosen):
        st.caption(t("Type or tap “{word}” in both sentences to compare.", word=markup.plain(lemma)))


def _heading(layer: str, note: str) -> None:
    lists.heading(t("{model}: a cloud", model=model_layers.in_use().called), layer_colour(layer), note)


def _sides(over: Bench, request: CloudRequest, static: Static | None, names: list[str], right) -> None:
    """Of a word without labels: sentences, or words, by which of both sentences they are nearer to; shares, what to notice."""
    layer, words = request.space, tuple(bare(word.word) for word in request.words)
    with right:
        result = None
        if reading.every_token(over, 1.0) is None:
            _heading(layer, t("reading all sentences once"))
            reading.show_state(over)
        else:
            result = view_when_read(cloud.compute, over, request)
            _leanings(result, words, layer, names)
    shares = [(t("GloVe"), side_shares(static.sides, names))] if static else []
    if result is not None and result.occurrences:
        shares.append((model_layers.in_use().called, side_shares(result.sides, names)))
    if shares:
        named = "; ".join(f"{label}: {cloud_notices.in_plain_words(each, t('too close to call'))}" for label, each in shares)
        draw(share_bars(shares, names), key="cloud.shares", alt=t("What surrounds each dot. {named}.", named=named))
    if level := _level(over, layer):
        st.caption(level)
    if result is None:
        notice([t("The cloud of “{word}” appears once all sentences are read.", word=cloud_notices.in_question(*words))])
        return
    notice(cloud_notices.describe_sides(words, layer, result, static))
    lists.twin(cloud_notices.sides_table(result, static, names), name="cloud", key="cloud.table")


def _leanings(result: SideCloud, words: tuple[str, str], layer: str, names: list[str]) -> None:
    if not result.items:  # said below, where there is no picture
        return
    values = {"word": cloud_notices.in_question(*words), "n": result.sentences, "where": layer_title(layer)}
    if not result.words:
        note = tn("{n} sentence with “{word}” at {where}", "{n} sentences with “{word}” at {where}", result.sentences, **values)
    elif result.sentences:
        note = tn(
            "1 other sentence has “{word}”; its nearest words, {where}",
            "{n} other sentences have “{word}”; its nearest words, {where}",
            result.sentences,
            **values,
        )
    else:
        note = t("no other sentence has “{word}”; its nearest words, {where}", **values)
    _heading(layer, note)
    hovers = [mark(o.tokens, o.position) for o in result.occurrences] or cloud_notices.word_texts(result)
    figure = lean_figure(*result.cosines, result.sides, hovers, (names[0], names[1]), labels=result.words, height=HEIGHT, key="cloud.lean")
    alt = tn(
        "{n} dot by nearer sentence: {first} first, {second} second.",
        "{n} dots by nearer sentence: {first} first, {second} second.",
        len(result.items),
        first=int((result.sides == 0).sum()),
        second=int((result.sides == 1).sum()),
    )
    draw(figure, key="cloud.map", alt=alt)
