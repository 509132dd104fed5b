"""The Map page: the map with a choice of word, layer and layout, and below it the measures and the words whose senses are worst separated."""

from collections.abc import Callable, Mapping
from html import unescape

import streamlit as st

from core.analysis import axes
from core.analysis.word_maps import ALL_WORDS
from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import BOX
from core.common.markup import shorten
from core.common.model_layers import SENSES
from core.figures.lessons import ranking_figure, words_figure
from core.figures.maps import selected_data
from core.figures.style import layer_title
from core.senses.separation import WordGain, count_significant
from core.text.corpora import Labeled, list_words_in
from core.text.normalization import fold_case
from core.text.tokens import bare
from core.views import layouts
from core.views.layouts import PCA, POLES, REST, SOLID, UMAP, Layout, LayoutRequest, ends_of, offers_senses, open_gains, word_gains
from core.views.neighbors import BETWEEN, SPREAD, frequent_words
from core.workspace import Workspace
from pages._cached import cache
from pages._cached.cache import view_part, view_when_read, workspace
from pages._frame.choices import choice, layer_name
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.language import foreign
from pages._frame.markup import plain
from pages._frame.parameters import bound, read_parameter
from pages._map import around, drawing, measures
from pages._widgets import lists, verdict
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen, sentence_pair, word_search

OFFERED = 12  # inconclusive words offered as buttons
ENDS = ("right", "left", "up", "down")  # URL parameters


def show(in_use: InUse) -> None:
    picture = st.container()  # above the sentences, which it depends on
    with st.expander(t("Your two sentences"), icon=":material/star:", expanded=False, key="map.own"):
        chosen = sentence_pair(notices=picture)
    words = tuple(item for item in chosen if item.position is not None)
    over = workspace(in_use)
    with picture:
        with st.container(key="picture_first"):  # on a phone, the inputs are below the map
            chosen_by = st.columns([3, 1], gap="medium", vertical_alignment="bottom")
            place = st.container()
        word = _choose_word(in_use, over, words, chosen_by[0])
        table = over.targets
        word = word and (table.lemma_of(word) or word)
        result = None
        if table.lemmas and word in (*table.lemmas, ALL_WORDS):
            result = _show_labeled(in_use, over, word, chosen, place, chosen_by[1])
        elif word:
            _show_around(in_use, over, word, words, place, chosen_by[1])
        else:
            place.info(t("Type two sentences below to start."), icon=":material/edit:")
    if result:
        _show_measures(in_use, word, st.session_state.get("view") or model_layers.in_use().top, result)


def _choose_word(in_use: InUse, over: Workspace, sentences: tuple[Chosen, ...], place) -> str | None:
    """Draw the choice of the word: those of the user's sentences, labeled words, or frequent words of a corpus without labels."""
    table = over.targets
    targets = [item.lemma_in(table) or bare(item.word).casefold() for item in sentences]
    labeled_words = {word: value for word, value in list_words_in(in_use.corpus).items() if word in table.lemmas}
    others = [ALL_WORDS, *sorted(table.lemmas)] if table.lemmas else frequent_words(over)
    words = list(dict.fromkeys([*targets, *others]))
    if not words:
        return None
    unread = foreign(*targets)  # words in another script, which occur in no sentence
    is_example = st.session_state.get("example") is not None  # the user chose none of its words, so one of the corpus is better
    candidates = [name for name in targets if not is_example or name in table.lemmas or table.same_word(name).any()]
    usual = [*(name for name in candidates if name not in unread), *table.lemmas, *others, *words][0]
    titles = {ALL_WORDS: t("all {n} bundled words", n=len(table.basic.lemmas)) if labeled_words else t("all words")}
    options = {"titles": titles, "separability": {w: gains["mix"].one_nn for w, gains in open_gains(over).items()}}
    about = t("Search by word or theme; unlabeled words work too.")
    result = word_search(place, "map_word", words, usual, labeled=labeled_words, help=about, **options)
    return result if result in words else fold_case(result)


def _show_labeled(in_use: InUse, over: Workspace, word: str, chosen: tuple[Chosen, Chosen], left, right) -> Layout:
    """Show the map of a labeled word with its dots colored by sense."""
    table = over.targets
    target = next(filter(None, (item.lemma_in(table) for item in chosen)), None)
    # On the map of all words, the target word has the colors of its senses; the others are gray.
    lemma = word if word != ALL_WORDS else target
    offered = {UMAP: t("UMAP"), PCA: t("PCA"), POLES: t("Your own axes"), SOLID: t("3D")}
    about = t("UMAP keeps near dots near; PCA shows the most variance; your own axes run between senses or words.")
    with right, st.popover(t("More"), icon=":material/tune:", key="map.more.layout", width="stretch"):
        plan = choice("layout", t("Layout"), offered, UMAP, help=about)
    with left:
        ends = _choose_ends(over, lemma or table.lemmas[0]) if plan == POLES else ()
        stars = {n: item for n, item in enumerate(chosen, 1) if item.lemma_in(table) and word in (item.lemma_in(table), ALL_WORDS)}
        state = st.session_state
        space = state.get("view") or read_parameter("view") or state.get(verdict.CHOSEN_LAYER) or SENSES
        senses = space == SENSES and offers_senses(over, word, plan)
        request = LayoutRequest(word=word, contexts=tuple(item.in_context for item in stars.values()), plan=plan, ends=ends, senses=senses)
        with st.spinner(t("Drawing the map…")):
            result = view_when_read(layouts.compute, over, request)
        drawing.show(in_use, result, lemma, stars)
    return result


def _show_around(in_use: InUse, over: Workspace, word: str, sentences: tuple[Chosen, ...], left, right) -> None:
    """Show the map of a word without labels, which needs every token."""
    visible = sentences if any(bare(item.word).casefold() == word for item in sentences) else ()
    with right, st.popover(t("More"), icon=":material/tune:", key="map.more.around", width="stretch"):
        titles = {SPREAD: t("PCA"), UMAP: t("UMAP")} | ({BETWEEN: t("Between your sentences")} if len(visible) == 2 else {})
        about = t("PCA shows the most variance; UMAP keeps near points near; “between” runs from star to star.")
        plan = choice("around", t("Layout"), titles, SPREAD, help=about)
    with left:
        if cache.wait_for_tokens(over) is None:
            notice([t("“{word}” has no labels, so all sentences are read first, once.", word=shorten(word))])
            cache.show_reading(over)
            return
        around.show(in_use, over, word, visible, plan)


def _show_measures(in_use: InUse, word: str, space: str, layout: Layout) -> None:
    with measures.show_measures(word, layout) if layout.reports else st.container():
        lists.offer_table(layout.table(), name=f"map-{layout.word}", label=t("Table of {n:,} dots", n=len(layout.rows)), key="map.points")
    options = {"icon": ":material/format_list_numbered:", "key": "map.all", "on_change": "rerun", "bind": "query-params"}
    everything = st.expander(t("Which words are inconclusive?"), **options)
    if everything.open:
        with everything:
            _show_ranking(in_use, word, space)
            _show_every_word(in_use, word, space if space in model_layers.in_use().spaces else "mix")


def _choose_ends(over: Workspace, lemma: str) -> tuple[str, ...]:
    """Return the two or four ends of the axes that the user chose or typed.

    Show an error for one that cannot be used, and use the senses.
    """
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
    outside = [word for text in used for word in axes.outside(table, text)]
    every_token = None
    try:
        if outside and (every_token := cache.wait_for_tokens(over)) is None:
            cache.show_meanwhile(over, "")
            raise BadInput(t("“{word}” has no labels, so all sentences are read first, once.", word=shorten(outside[0])))
        for text in used:
            axes.pole(table, text, every_token)
    except BadInput as error:
        st.error(plain(error), icon=":material/error:")
        return options[0], options[1]
    return tuple(used)


def _show_ranking(in_use: InUse, word: str, view: str) -> None:
    """Show the ranking at the visible layer, or for the layer mix if all layers are visible."""
    result = view_part("targets", word_gains, workspace(in_use), most=8)
    if len(result) < 2:
        return
    layer = view if view in model_layers.in_use().spaces else "mix"
    order = sorted(result, key=lambda w: -result[w][layer].gain)
    unshown = [w for w in reversed(order) if not result[w][layer].shown]
    about = t("1-NN accuracy in {where} above chance, with 95% intervals. Hollow: within 95% of shuffles.", where=layer_title(layer))
    st.caption(f"{about} {t('Small dots: other layers. Bars: maximum. Click a dot to open its word.')}")
    middle = (len(order) + 1) // 2
    halves = [(t("Best separated"), order[:middle], "best"), (t("Worst separated"), order[middle:], "worst")]
    for column, (title, words, half) in zip(st.columns(2, gap="medium"), halves, strict=True):
        with column:
            st.markdown(f"**{title}**")
            key = f"map.ranking.{half}"
            figure = ranking_figure({w: _above_chance(result[w]) for w in words}, layer=layer, word=word if word in words else "", key=key)
            values = {"first": words[0], "last": words[-1], "where": layer_title(layer)}
            alt = t("Words from {first} to {last} by accuracy above chance in {where}.", **values)
            draw(figure, key=key, on_select=_opener(key), selection_mode="points", alt=alt)
    notice(_describe_ranking(result, order, unshown, layer))
    about = t("Inconclusive: shuffled senses do as well in over 5% of cases, which proves no failure.")
    paper = t(
        "[Wiedemann et al. 2019](https://arxiv.org/abs/1909.10430) saw few sense regions for “bank” in the published ELMo, without a significance test."
    )
    st.caption(f"{about} {paper}")
    if unshown and layer != "0":
        st.pills(t("Open an inconclusive word"), unshown[:OFFERED], key="map.unshown", format_func=plain, on_change=_open_unshown)
    lists.offer_table(_tabulate_ranking(result, order), name="words-ranked", label=t("Table of {n} words", n=len(order)), key="map.ranking")


def _above_chance(gains: Mapping[str, WordGain]) -> dict[str, tuple[float, float, float, float, bool]]:
    """Return by space the gain over chance, its interval, its maximum, and whether it is significant."""
    return {name: (g.gain, g.low - g.null_mean, g.high - g.null_mean, 1 - g.null_mean, g.shown) for name, g in gains.items()}


def _opener(key: str) -> Callable[[], None]:
    """Return a callback that opens the word of the dot that the user clicked in the chart `key`."""

    def open_it() -> None:
        data = next(iter(selected_data(st.session_state[key])), None)
        if isinstance(data, str):
            st.session_state.map_word = unescape(data)[: BOX["word"]]

    return open_it


def _open_unshown() -> None:
    if word := st.session_state["map.unshown"]:
        st.session_state.map_word, st.session_state["map.unshown"] = word, None


def _describe_ranking(result: dict, order: list[str], unshown: list[str], layer: str) -> list[str]:
    if layer == "0":
        return [t("Layer 0 sees only spelling: choose another layer.")]
    holm, discovered = count_significant([result[w][layer] for w in order])
    best = order[0]
    lines = [
        t(
            "{at}, {good} of {n} words beat chance (expected by luck: 5%), “{best}” most ({gain:+.0%}).",
            best=best,
            gain=result[best][layer].gain,
            at=model_layers.in_use().at(layer, begins=True),
            good=len(order) - len(unshown),
            n=len(order),
        ),
        t("Corrected for {n} tests: {discovered} (Benjamini–Hochberg) or {holm} (Holm).", n=len(order), discovered=discovered, holm=holm),
    ]
    return [*lines, t("Inconclusive: {words}.", words=", ".join(f"“{w}”" for w in unshown))] if unshown else lines


def _tabulate_ranking(result: dict, order: list[str]) -> list[dict]:
    lines = []
    for word in order:
        first = next(iter(result[word].values()))
        line = {t("word"): word, t("senses"): first.senses, t("sentences"): first.n}
        for name, gain in result[word].items():
            layer = layer_name(name)
            line[t("above chance, layer {layer}", layer=layer)] = round(gain.gain, 4)
            interval = t("{low:.1%} to {high:.1%}", low=gain.low - gain.null_mean, high=gain.high - gain.null_mean)
            line[t("95% interval, layer {layer}", layer=layer)] = f"[{interval}]"
            line[t("p, layer {layer}", layer=layer)] = round(gain.p, 4)
            line[t("result, layer {layer}", layer=layer)] = "" if gain.shown else t("inconclusive")
        lines.append(line)
    return lines


def _show_every_word(in_use: InUse, word: str, layer: str) -> None:
    """Show the chart of all words, what to notice and the table; nothing for a table that was not bundled."""
    result = open_gains(workspace(in_use))
    words = list_words_in(in_use.corpus)
    if not result or not words:
        return
    st.subheader(t("All {n} labeled words", n=len(words)))
    names = {"noun": t("noun"), "verb": t("verb"), "adjective": t("adjective"), "adverb": t("adverb"), "several": t("several")}
    visible_words = _select_words(words, names, result, layer)
    if not visible_words:
        st.info(t("No word matches the filters."), icon=":material/filter_alt_off:")
        return
    gains = {w: result[w][layer] for w in visible_words}
    n = len(visible_words)
    points = {w: (g.null_mean, g.one_nn, g.senses, words[w].part_of_speech) for w, g in gains.items()}
    key = "map.every.picture"
    alt = t("{n} words: 1-NN accuracy in {where} against chance.", n=n, where=layer_title(layer))
    draw(words_figure(points, names, layer=layer, word=word, key=key), key=key, on_select=_opener(key), selection_mode="points", alt=alt)
    notice(_describe_words(gains, words, names, layer))
    rows = [
        {t("word"): w, t("part of speech"): names[words[w].part_of_speech], t("senses"): g.senses, t("sentences"): g.n}
        | {t("1-NN accuracy"): round(g.one_nn, 3), t("shuffled labels"): round(g.null_mean, 3), t("above chance"): round(g.gain, 3)}
        | {t("95% interval"): t("{low:.1%} to {high:.1%}", low=g.low, high=g.high), "p": round(g.p, 4)}
        | {t("result"): "" if g.shown else t("inconclusive")}
        for w, g in gains.items()
    ]
    lists.offer_table(rows, name="all-words", label=t("Table of {n} words", n=n), key="map.every.table")


def _select_words(labeled_words: dict[str, Labeled], names: dict[str, str], result: dict, layer: str) -> list[str]:
    """Return the words that pass the filters, those with the least separated senses first."""
    row = st.columns([4, 3, 3], vertical_alignment="bottom")
    pos = row[0].pills(t("Part of speech"), list(names), format_func=names.get, selection_mode="multi", key="map.every.pos")
    numbers = sorted({fact.senses for fact in labeled_words.values()})
    senses = row[1].pills(t("Senses"), numbers, selection_mode="multi", key="map.every.senses")
    only = row[2].toggle(t("Only inconclusive"), key="map.every.only")

    def passes(w: str, value: Labeled) -> bool:
        return (not pos or value.part_of_speech in pos) and (not senses or value.senses in senses) and not (only and result[w][layer].shown)

    words = [w for w, value in labeled_words.items() if w in result and passes(w, value)]
    return sorted(words, key=lambda w: result[w][layer].gain)


def _describe_words(gains: dict[str, WordGain], words: dict[str, Labeled], names: dict[str, str], layer: str) -> list[str]:
    _, discovered = count_significant(list(gains.values()))
    mean = sum(gain.one_nn for gain in gains.values()) / len(gains)
    chance = sum(gain.null_mean for gain in gains.values()) / len(gains)
    values = {"at": model_layers.in_use().at(layer, begins=True), "mean": mean, "n": len(gains), "chance": chance}
    lines = [
        t("{at}, 1-NN accuracy averages {mean:.0%} over {n} words (chance {chance:.0%}).", **values),
        t("After Benjamini–Hochberg correction, {discovered} beat chance.", discovered=discovered),
    ]
    by_pos = {name: [g.gain for w, g in gains.items() if words[w].part_of_speech == pos] for pos, name in names.items()}
    means = {name: sum(values) / len(values) for name, values in by_pos.items() if len(values) >= 5}
    if len(means) > 1:
        said = ", ".join(t("{name} {gain:+.0%}", name=name, gain=gain) for name, gain in sorted(means.items(), key=lambda x: -x[1]))
        lines.append(t("Above chance by part of speech: {said}.", said=said))
    return lines
