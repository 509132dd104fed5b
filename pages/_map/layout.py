"""The Map page's layouts: where dots and stars lie in each space, and what the axes mean."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.analysis import axes
from core.analysis.maps import FrozenMaps
from core.analysis.word_maps import map_rows
from core.common.errors import BadInput
from core.common.i18n import t
from core.elmo.mix import layer_weights, mixed
from core.figures.maps import Star
from core.views.layouts import SensesMap
from pages._cached import opened, progress
from pages._cached.kept import kept
from pages._frame.choices import BOUND, choice
from pages._frame.in_use import InUse
from pages._frame.markup import plain
from pages._widgets.inputs import Chosen
from pages._word import atlas

UMAP, PCA, POLES, SOLID = "umap", "pca", "poles", "3d"
REST = "–"  # the second axis: the largest spread that the first leaves over
ENDS = ("right", "left", "up", "down")


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """The dots of one word in every space, in one layout."""

    plan: str
    names: tuple[str, ...]  # of the spaces
    coordinates: np.ndarray  # (K, N, d)
    views: tuple[axes.View, ...] = ()  # but for UMAP
    ends: tuple[str, ...] = ()  # of the axes: right, left, up, down
    senses: SensesMap | None = None  # where the last space is the sense space

    def titles(self) -> tuple[str, str] | None:
        """What stands along the axes; None where they mean nothing."""
        if self.plan != POLES:
            return None
        right, left, up, down = (*self.ends, REST, REST)[:4]
        x = t("← {low} · {high} →", low=left, high=right)
        return x, t("← {low} · {high} →", low=down, high=up) if up != REST else t("largest spread left over")


def choose() -> str:
    """Which layout."""
    titles = {UMAP: t("Neighbours kept (UMAP)"), PCA: t("Largest spread (PCA)"), POLES: t("Axes of your own"), SOLID: t("Three dimensions")}
    plan = choice(
        "layout",
        t("Layout"),
        titles,
        UMAP,
        help=t(
            "UMAP keeps near dots near. PCA shows the plane in which the dots differ most. Axes of your own run from one meaning, or one list "
            "of words, to another. Three dimensions are to turn and look at."
        ),
    )
    return plan


def laid(in_use: InUse, word: str, plan: str, maps: FrozenMaps, lemma: str) -> Laid:
    """The layout asked for; draws the inputs of one's own axes, of which `lemma` gives the first ones."""
    if plan == UMAP:
        return Laid(plan, maps.names, maps.coordinates)
    if plan == POLES:
        ends = _ends(in_use, lemma)
        return _by_poles(in_use.corpus, in_use.model, word, maps.names, *ends)
    return _by_spread(in_use.corpus, in_use.model, word, maps.names, 3 if plan == SOLID else 2)


def stars(in_use: InUse, word: str, found: Laid, maps: FrozenMaps, rows: np.ndarray, chosen: tuple[Chosen, ...]) -> list[Star]:
    """The user's sentences in this layout; one that is among the dots lies on its dot."""
    if found.plan == UMAP:
        return atlas.stars(in_use, word, maps, rows, chosen)
    table = opened.targets(in_use.corpus, in_use.model)
    drawn = []
    for number, one in atlas.placed(in_use, word, chosen).items():
        layers = opened.query(in_use.model, *one.asked).layers
        same = np.flatnonzero(table.same_sentence(rows, one.tokens, one.position))
        points = {}
        for name, view in zip(found.names, found.views, strict=True):
            mix = mixed(layers.astype(float), layer_weights(name, len(layers)))
            place = view.coordinates[same[0]] if len(same) else view.plane.place(mix[None])[0]
            points[name] = tuple(map(float, place))
        drawn.append(atlas.star(number, one, points))
    return drawn


@kept(64)
def _by_spread(corpus: str, model: str, word: str, names: tuple[str, ...], dims: int) -> Laid:
    table = opened.targets(corpus, model)
    layers = table.rows.take(map_rows(table, word)).transpose(1, 0, 2)  # (L, N, D)
    spaces = [mixed(layers, layer_weights(name, len(layers))) for name in names]
    views = tuple(axes.spread_views(spaces, dims))
    return Laid(SOLID if dims == 3 else PCA, names, np.stack([v.coordinates for v in views]), views)


@kept(64)
def _by_poles(corpus: str, model: str, word: str, names: tuple[str, ...], right: str, left: str, up: str, down: str) -> Laid:
    table = opened.targets(corpus, model)
    rows = map_rows(opened.targets(corpus, model), word)
    texts = [right, left] if up == REST else [right, left, up, down]
    everything = opened.table_job(corpus, model).result if any(axes.outside(table, text) for text in texts) else None
    ends = [axes.pole(table, text, everything) for text in texts]
    mixes = [layer_weights(name, table.meta["layers"]) for name in names]
    views = axes.pole_views(table.rows.take(rows), rows, tuple(ends[:2]), tuple(ends[2:]) or None, mixes=mixes)
    return Laid(POLES, names, np.stack([v.coordinates for v in views]), tuple(views), tuple(end.name for end in ends))


def _ends(in_use: InUse, lemma: str) -> tuple[str, str, str, str]:
    """The four ends as chosen or typed; where one cannot be used it is said there, and the word's own senses serve."""
    table = opened.targets(in_use.corpus, in_use.model)
    names = axes.sense_names(table)
    own = [name for name in names if name.startswith(f"{lemma}: ")]
    options = [*own, *(name for name in names if name not in own)]
    if len(options) < 2:
        raise BadInput(t("Axes of your own need two labelled senses in the sentences in use; there is one. Choose another layout."))
    firsts = dict(zip(ENDS, (options[0], options[1], REST, REST), strict=True))
    if st.session_state.get("map.axes_of", lemma) != lemma:  # another word: its own two commonest senses
        st.session_state.update(firsts)
    st.session_state["map.axes_of"] = lemma
    told = t("Choose a sense of any word, or type words with commas between them: the end lies at the mean of their sentences.")
    labels = (t("Right end"), t("Left end"), t("Upper end"), t("Lower end"))
    chosen = []
    row = st.columns(4)
    for column, key, label in zip(row, ENDS, labels, strict=True):
        choices = [REST, *options] if key in ("up", "down") else options
        chosen.append(
            column.selectbox(
                label,
                choices,
                index=choices.index(firsts[key]),
                key=key,
                **BOUND,
                accept_new_options=True,
                help=told,
                disabled=key == "down" and chosen[2] == REST,
                format_func=lambda name: t("largest spread left over") if name == REST else name,
            )
            or firsts[key]
        )
    right, left, up, down = chosen
    if up != REST and down == REST:
        st.caption(t("Choose a lower end too; until then the second axis is the largest spread that the first leaves over."))
        up = REST
    used = [right, left] if up == REST else [right, left, up, down]
    try:
        whole = _words_outside(in_use, [word for text in used for word in axes.outside(table, text)])
        for text in used:
            axes.pole(table, text, whole)
    except BadInput as error:
        st.error(plain(error), icon=":material/error:")
        return tuple(firsts.values())
    return right, left, up, down if up != REST else REST


def _words_outside(in_use: InUse, words: list[str]):
    """The table of all tokens where words stand outside the labelled ones; a sentence and its progress while it is made."""
    if not words:
        return None
    job = opened.table_job(in_use.corpus, in_use.model)
    job.wait(progress.AT_MOST_S)
    if job.running:
        progress.show_progress(job)
        raise BadInput(
            t("“{word}” is not among the labelled words: every word is read first, once. Then this axis is drawn.", word=words[0][:40])
        )
    if job.error:
        raise BadInput(job.error)
    return job.result
