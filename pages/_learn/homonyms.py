"""The lesson on homonymy and polysemy: how well senses separate by their relation, and self-similarity by frequency."""

import pandas as pd
import streamlit as st

from core.common import model_layers
from core.common.i18n import format_number, t
from core.common.significance import FEWEST
from core.evaluation import relations
from core.evaluation.relations import HOMONYM, KINDS, METAPHOR, METONYMY, OTHER, RELATED, Likeness, Pairs, Rank
from core.figures.lessons import Dots, interval_dots, word_dots
from core.figures.style import SENSE_COLORS, layer_color, layer_title
from pages._cached.kept import keep
from pages._cached.views import of
from pages._frame.choices import coded_choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors
from pages._learn import lesson_store
from pages._learn.lessons import Lesson, certainty, details, exercise
from pages._widgets import lists
from pages._widgets.charts import draw


@st.fragment
def show(in_use: InUse, lesson: Lesson) -> None:
    with show_errors():  # inside: an error in a fragment does not reach its caller
        over = lesson_store.own(in_use)
        spaces = over.layers.spaces
        picture = st.container()
        titles = {name: model_layers.in_use().short(name) for name in spaces}
        layer = coded_choice("relation_layer", t("Layer"), titles, spaces[-2])
        result = of("targets", relations.pairs_of, over, over.language.code, layer, most=16)
        reads = over.reads("model", "vectors", "corpus")
        ranks = keep("likeness", reads, layer, lambda: relations.likeness(over.targets, over.language_vectors, result), most=16)
        _page(result, ranks, layer, lesson, picture)


def _titles() -> dict[str, str]:
    return {
        HOMONYM: t("homonyms, unrelated"),
        METAPHOR: t("metaphor, by similarity"),
        METONYMY: t("metonymy, by association"),
        OTHER: t("otherwise related"),
    }


def _page(pairs: Pairs, ranks: dict[str, Likeness], layer: str, lesson: Lesson, picture) -> None:
    titles = _titles()
    rows = []
    for number, kind in enumerate(KINDS):
        if kind in pairs.kinds:
            item = pairs.kinds[kind]
            dots = {r.name: float(a) for r, a in zip(pairs.relations, pairs.auc, strict=True) if r.kind == kind}
            name = f"{titles[kind]} ({len(dots)})"
            rows.append(Dots(name, item.mean, item.low, item.high, dots, SENSE_COLORS[number]))
    with picture:
        message = ", ".join(f"{row.name} {row.mean:.0%}" for row in rows)
        alt = t("How often the same-sense pair is closer at {layer}, by relation: {kinds}.", layer=layer_title(layer), kinds=message)
        title = t("same-sense pair is closer")
        draw(interval_dots(rows, title=title, zero=0.5, key="homonyms"), key="lesson.homonyms", alt=alt)
    notice([_write_notices(pairs, layer), *_describe_ranks(ranks)])
    st.markdown(t("**Self-similarity**: a word’s mean cosine across sentences, minus any two labeled words’"))
    left, right = st.columns(2, gap="medium")
    for column, name, axis in ((left, "frequency", t("frequency rank")), (right, "senses", t("labeled senses"))):
        with column:
            axes = {"across": axis, "up": t("self-similarity"), "log": name == "frequency", "key": f"like.{name}"}
            figure = word_dots(ranks[name].values, ranks[name].alike, ranks[name].words, color=layer_color(layer), **axes)
            alt = t("Self-similarity of each word by {axis}.", axis=axis)
            draw(figure, key=f"lesson.homonyms.{name}", alt=alt)
    exercise(lesson)
    details(_how(len({r.word for r in pairs.relations})))
    label = t("Pairs, relations, reasons")
    lists.twin(_table(pairs, titles), name="homonyms", label=label, key="lesson.homonyms.table")


def _write_notices(pairs: Pairs, layer: str) -> str:
    values = {"layer": layer_title(layer)}
    if HOMONYM not in pairs.kinds or RELATED not in pairs.ahead:
        return t("Only one relation is labeled: nothing to compare at {layer}.", **values)
    ahead = pairs.ahead[RELATED]
    if ahead.low is None:
        related, homonyms = (len({r.word for r in pairs.relations if (r.kind == HOMONYM) == kind}) for kind in (False, True))
        return t(
            "Labeled homonyms: {homonyms} words; related senses: {related}. Comparing them at {layer} needs {least} each.",
            homonyms=homonyms,
            related=related,
            least=FEWEST,
            **values,
        )
    values |= {
        "one": pairs.kinds[HOMONYM].in_percent,
        "other": pairs.kinds[RELATED].in_percent,
        "more": format_number(100 * ahead.mean, "+.1f"),
        "low": format_number(100 * ahead.low, "+.1f"),
        "high": format_number(100 * ahead.high, "+.1f"),
    }
    return t(
        "At {layer}, the same-sense pair is closer in {one} of cases for homonyms, {other} for related "
        "senses: {more} points ({low} to {high}), {certain}.",
        **values,
        certain=certainty(ahead.low > 0 or ahead.high < 0),
    )


def _describe_ranks(ranks: dict[str, Likeness]) -> list[str]:
    if any(each.rank is None for each in ranks.values()):
        return []
    frequency, senses = (_rank(ranks[name].rank) for name in ("frequency", "senses"))
    return [t("Self-similarity and frequency rank: {frequency}; and number of senses: {senses}.", frequency=frequency, senses=senses)]


def _rank(rank: Rank) -> str:
    values = {"rho": rank.rho, "low": rank.low, "high": rank.high, "certain": certainty(rank.low > 0 or rank.high < 0)}
    return t("ρ = {rho:+.2f} ({low:+.2f} to {high:+.2f}), {certain}", **values)


def _how(words: int) -> str:
    return t(
        "The relations are our own judgment; the table gives reasons. 95% intervals resample the {words} "
        "words. Senses have equally many sentences, so more senses lower self-similarity by design.",
        words=words,
    )


def _table(pairs: Pairs, titles: dict[str, str]) -> pd.DataFrame:
    rows = zip(pairs.relations, pairs.auc, strict=True)
    return pd.DataFrame(
        [
            {
                t("word"): r.word,
                t("sense"): r.senses[0],
                t("other sense"): r.senses[1],
                t("relation"): titles[r.kind],
                "AUC": round(float(a), 3),
                t("reason"): r.reason,
            }
            for r, a in rows
        ]
    )
