"""The page of one dot and a cloud: GloVe's dot, ELMo's map, the senses around each, and how far they can be trusted."""

import numpy as np
import streamlit as st

from core.analysis.word_maps import map_rows
from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import html
from core.elmo.mix import layer_weights
from core.figures.cloud import dot_figure, share_bars
from core.figures.maps import map_figure, shared_limits
from core.figures.style import GLOVE, layer_colour, layer_title, mark
from core.index import neighbours
from core.index.table import OccurrenceTable
from core.senses import cloud
from core.text.tokens import bare
from core.views import levels
from pages._cached import opened
from pages._cached.views import bench
from pages._cloud import notices, unlabelled
from pages._frame import markup
from pages._frame.choices import what_layers_read
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen
from pages._word import atlas, pair_layer, verdict_words
from pages._word.store import static_side

HEIGHT = 370


def show(in_use: InUse, first: Chosen, second: Chosen, picture) -> None:
    """Legend and two panels in the container `picture`; bars, what to notice, table twin; of a word without labels by `pages._cloud.unlabelled`."""
    in_use = opened.about(in_use, first.looked_up, second.looked_up)
    table = opened.targets(in_use.corpus, in_use.model) if opened.is_labelled(in_use.corpus) else None
    lemma = labelled_word(table, first, second)
    layer = pair_layer.choose(
        "cloud_layer",
        in_use,
        label=t("Layer of {model}", model=model_layers.in_use().called),
        place=picture,
        help=f"{what_layers_read()} {t('The mix gives all layers the same weight; one with longer vectors counts more in it.')}",
    )
    pair_layer.note(in_use, layer)
    if lemma is None:
        one = first.word or second.word
        if first.position is not None and second.position is not None:
            unlabelled.show(in_use, first, second, layer, why_own(table, first, second), HEIGHT, picture)
        elif one:
            told = t(
                "Nobody labelled the meanings of “{word}” here, so its cloud takes two sentences: type the other one below.",
                word=markup.plain(bare(one)[:40]),
            )
            picture.info(told, icon=":material/edit:")
        else:
            picture.info(t("Type two sentences below to see the dot and the cloud of a word."), icon=":material/edit:")
        return
    senses = table.senses_of(lemma)
    with picture:
        lists.legend(senses, undecided=True, word=lemma)
        left, right = st.columns(2, gap="large")
    shares: list[tuple[str, dict]] = []
    placed, trust = None, None
    with left:
        lists.heading(
            t("GloVe: one dot"),
            GLOVE,
            t("“{word}” and its 50 nearest words; nearer the middle is more alike, rings are cosines", word=lemma),
        )
        try:
            placed, trust = static_side(in_use.corpus, in_use.model, in_use.vectors, lemma)
        except BadInput as error:
            st.info(markup.plain(error), icon=":material/search_off:")
        else:
            numbers = [senses.index(p.sense) if p.sense else -1 for p in placed]
            figure = dot_figure(
                lemma, [p.word for p in placed], [p.cosine for p in placed], numbers, senses, height=HEIGHT, key=f"cloud.{lemma}"
            )
            alt = t(
                "GloVe's one dot of “{word}” in the middle, its {n} nearest words round it, each in the colour of the meaning it goes with.",
                word=lemma,
                n=len(placed),
            )
            draw(figure, key="cloud.dot", alt=alt)
            shares.append((t("GloVe"), cloud.word_shares(placed, senses)))
    rows = map_rows(table, lemma)
    with right:
        _map(in_use, table, lemma, rows, senses, layer, (first, second))
    found = [_context(in_use, table, lemma, rows, senses, layer, chosen) for chosen in (first, second)]
    for label, one in zip((t("First sentence"), t("Second sentence")), found, strict=True):
        if one:
            shares.append((label, one[0]))
    st.markdown(t("**Which meanings stand around each dot?**"))
    if shares:
        named = "; ".join(f"{label}: {notices.in_plain_words(each)}" for label, each in shares)
        draw(share_bars(shares, senses), key="cloud.shares", alt=t("Bars of the meanings around each dot. {named}.", named=named))
    trusted = notices.trusted(placed, trust, senses) if placed else ""
    st.caption(
        t(
            "GloVe: its 50 neighbours, each counted for the meaning whose labelled sentences use words most like it. {model}: the {k} labelled "
            "sentences nearest to yours, itself left out, each meaning weighed as if it had equally many sentences; ties are shared.",
            k=cloud.NEAREST,
            model=model_layers.in_use().called,
        )
        + f" {trusted} {verdict_words.random_sentence(level, layer) if (level := levels.level(bench(in_use), layer)) else ''}".rstrip()
    )
    notice(notices.noticed(lemma, senses, layer, placed, [one and one[0] for one in found]))
    lists.twin(notices.shares_table(table, placed, shares, found), name=f"cloud-{lemma}", key="cloud.table")


def labelled_word(table: OccurrenceTable | None, first: Chosen, second: Chosen) -> str | None:
    """The word in question where one of the sentences has it with two labelled senses; None where neither has."""
    for chosen in (first, second) if table is not None else ():
        if chosen.word and (lemma := chosen.lemma_in(table)) and len(table.senses_of(lemma)) > 1:
            return lemma
    return None


def why_own(table: OccurrenceTable | None, first: Chosen, second: Chosen) -> str:
    """One line: why no labelled senses are shown."""
    if table is None:
        return t("These texts have no labelled senses: what stands around is coloured by which sentence it is nearer to.")
    words = " · ".join(dict.fromkeys(f"“{bare(c.word)[:40]}”" for c in (first, second)))
    return t("{words} without labelled senses here: what stands around is coloured by which sentence it is nearer to.", words=words)


def _map(in_use: InUse, table, lemma: str, rows, senses: list[str], layer: str, chosen: tuple[Chosen, Chosen]) -> None:
    maps = opened.maps(in_use.corpus, in_use.model, lemma)
    stars = atlas.stars(in_use, lemma, maps, rows, chosen)
    where = layer_title(layer)
    lists.heading(
        t("{model}: a cloud", model=model_layers.in_use().called),
        layer_colour(layer),
        t("“{word}” in {n} labelled sentences at {where}; yours are the stars", word=lemma, n=len(rows), where=where),
    )
    occurrences = [table.occurrence(int(row)) for row in rows]
    figure = map_figure(
        maps.coordinates[maps.names.index(layer)],
        [o.sense for o in occurrences],
        [mark(o.tokens, o.position) + html("<br><i>{}</i>", o.sense) for o in occurrences],
        rows.tolist(),
        senses,
        layer=layer,
        stars=stars,
        height=HEIGHT,
        key=f"cloud.map.{lemma}",
        limits=shared_limits(maps.coordinates, stars),
        name_senses=False,
    )
    figure.update_layout(dragmode=False)
    alt = t(
        "A map of {n} sentences with “{word}” at {where}, coloured by meaning, with your own as stars ({stars}).",
        n=len(rows),
        word=lemma,
        where=where,
        stars=len(stars),
    )
    draw(figure, key="cloud.map", alt=alt)
    if len(stars) < len(chosen):
        st.caption(
            t("Only one of your sentences has “{word}” in question: type or tap it in the other to compare.", word=markup.plain(lemma))
        )


def _context(in_use: InUse, table, lemma: str, rows, senses: list[str], layer: str, chosen: Chosen):
    """(shares, the nearest labelled occurrences with cosines) of one sentence; None where it has not the word."""
    if chosen.position is None or chosen.lemma_in(table) != lemma:
        return None
    products = opened.query_products(table, opened.query(in_use.model, *chosen.asked))
    others = rows[~table.same_sentence(rows, chosen.tokens, chosen.position)]
    cosines = neighbours.cosines(table.rows, products, layer_weights(layer, table.meta["layers"]))[others]
    labels = [table.senses[k] for k in table.sense[others]]
    nearest = np.argsort(-cosines, kind="stable")[: cloud.NEAREST]
    listed = [neighbours.Neighbour(table.occurrence(int(others[k])), float(cosines[k])) for k in nearest]
    return cloud.occurrence_shares(cosines, labels, senses), listed
