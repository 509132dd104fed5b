"""The page of one dot and a cloud: GloVe's dot, ELMo's map, the senses around each, and how far they can be trusted."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from core import cloud, figures, neighbours, workbench
from core.errors import BadInput
from core.figures import map_figure, mark, shared_limits
from core.figures.cloud import UNDECIDED, dot_figure, share_bars
from core.occurrences import OccurrenceTable
from core.text import bare
from core.texts import t
from core.workbench import layer_weights
from pages._shared import atlas, cloud_own, cloud_says, levels, lists, markup, notices, store
from pages._shared.charts import draw
from pages._shared.frame import notice
from pages._shared.in_use import InUse
from pages._shared.inputs import Chosen
from pages._shared.word_store import static_side

HEIGHT = 370


def show(in_use: InUse, first: Chosen, second: Chosen, layer: str, picture) -> None:
    """Legend and two panels in the container `picture`; bars, what to notice, table twin; of a word without labels by `pages._shared.cloud_own`."""
    table = store.targets(in_use.corpus, in_use.model) if store.is_labelled(in_use.corpus) else None
    lemma = labelled_word(table, first, second)
    if lemma is None:
        if first.position is not None and second.position is not None:
            cloud_own.show(in_use, first, second, layer, why_own(table, first, second), HEIGHT, picture)
        return
    senses = notices.senses_of(table, lemma)
    with picture:
        legend(senses, undecided=True)
        left, right = st.columns(2, gap="large")
    shares: list[tuple[str, dict]] = []
    placed, trust = None, None
    with left:
        lists.heading(
            t("GloVe: one dot"),
            figures.GLOVE,
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
            )  # fmt: skip
            alt = t(
                "GloVe's one dot of “{word}” in the middle, its {n} nearest words round it, each in the colour of the meaning it goes with.",
                word=lemma, n=len(placed),
            )  # fmt: skip
            draw(figure, key="cloud.dot", alt=alt)
            shares.append((t("GloVe"), cloud.word_shares(placed, senses)))
    rows = workbench.map_rows(table, lemma)
    with right:
        _map(in_use, table, lemma, rows, senses, layer, (first, second))
    found = [_context(in_use, table, lemma, rows, senses, layer, chosen) for chosen in (first, second)]
    for label, one in zip((t("First sentence"), t("Second sentence")), found, strict=True):
        if one:
            shares.append((label, one[0]))
    st.markdown(t("**Which meanings stand around each dot?**"))
    if shares:
        named = "; ".join(f"{label}: {cloud_says.in_plain_words(each)}" for label, each in shares)
        draw(share_bars(shares, senses), key="cloud.shares", alt=t("Bars of the meanings around each dot. {named}.", named=named))
    trusted = cloud_says.trusted(placed, trust, senses) if placed else ""
    st.caption(
        t(
            "GloVe: its 50 neighbours, each counted for the meaning whose labelled sentences use words most like it. ELMo: the {k} labelled "
            "sentences nearest to yours, itself left out, each meaning weighed as if it had equally many sentences; ties are shared.",
            k=cloud.NEAREST,
        )
        + f" {trusted} {levels.sentence(level, layer) if (level := levels.level(in_use, layer)) else ''}".rstrip()
    )
    notice(cloud_says.noticed(lemma, senses, layer, placed, [one and one[0] for one in found]))
    lists.twin(cloud_says.shares_table(table, placed, shares, found), name=f"cloud-{lemma}", key="cloud.table")


def labelled_word(table: OccurrenceTable | None, first: Chosen, second: Chosen) -> str | None:
    """The word in question where one of the sentences has it with two labelled senses; None where neither has."""
    for chosen in (first, second) if table is not None else ():
        if chosen.word and (lemma := notices.lemma_of(table, chosen.word)) and len(notices.senses_of(table, lemma)) > 1:
            return lemma
    return None


def why_own(table: OccurrenceTable | None, first: Chosen, second: Chosen) -> str:
    """One line: why no labelled senses are shown, as HTML."""
    if table is None:
        return t("These texts have no labelled senses: what stands around is coloured by which sentence it is nearer to.")
    words = " · ".join(dict.fromkeys(f"“{escape(bare(c.word)[:40])}”" for c in (first, second)))
    return t(
        "{words} without labelled senses here: what stands around is coloured by which sentence it is nearer to.", words=words
    )


def legend(senses: list[str], *, undecided: bool = False) -> None:
    """The senses' colours, once for everything below."""
    chips = "".join(lists.chip_of(sense, figures.sense_colour(k)) for k, sense in enumerate(senses))
    grey = lists.chip_of(t("undecided"), UNDECIDED) if undecided else ""
    st.html(f'<div class="chips">{chips}{grey}</div>')


def _map(in_use: InUse, table, lemma: str, rows, senses: list[str], layer: str, chosen: tuple[Chosen, Chosen]) -> None:
    maps = store.maps(in_use.corpus, in_use.model, lemma)
    stars = atlas.stars(in_use, lemma, maps, rows, chosen)
    where = t("the mix") if layer == "mix" else t("layer {layer}", layer=layer)
    lists.heading(
        t("ELMo: a cloud"), figures.LAYER_COLOURS[layer],
        t("“{word}” in {n} labelled sentences at {where}; yours are the stars", word=lemma, n=len(rows), where=where),
    )  # fmt: skip
    occurrences = [table.occurrence(int(row)) for row in rows]
    figure = map_figure(
        maps.coordinates[maps.names.index(layer)], [o.sense for o in occurrences],
        [mark(o.tokens, o.position) + f"<br><i>{escape(o.sense)}</i>" for o in occurrences], rows.tolist(), senses,
        layer=layer, stars=stars, height=HEIGHT, key=f"cloud.map.{lemma}", limits=shared_limits(maps.coordinates, stars), name_senses=False,
    )  # fmt: skip
    figure.update_layout(dragmode=False)
    alt = t(
        "A map of {n} sentences with “{word}” at {where}, coloured by meaning, with your own as stars ({stars}).",
        n=len(rows), word=lemma, where=where, stars=len(stars),
    )  # fmt: skip
    draw(figure, key="cloud.map", alt=alt)


def _context(in_use: InUse, table, lemma: str, rows, senses: list[str], layer: str, chosen: Chosen):
    """(shares, the nearest labelled occurrences with cosines) of one sentence; None where it has not the word."""
    if chosen.position is None or notices.lemma_of(table, chosen.word) != lemma:
        return None
    products = store.query_products(in_use.corpus, in_use.model, "targets", chosen.tokens, chosen.position)
    others = rows[~neighbours.same_sentence(table, rows, chosen.tokens, chosen.position)]
    cosines = neighbours.cosines(table.rows, products, layer_weights(layer, table.meta["layers"]))[others]
    labels = [table.senses[k] for k in table.sense[others]]
    nearest = np.argsort(-cosines, kind="stable")[: cloud.NEAREST]
    listed = [neighbours.Neighbour(table.occurrence(int(others[k])), float(cosines[k])) for k in nearest]
    return cloud.occurrence_shares(cosines, labels, senses), listed
