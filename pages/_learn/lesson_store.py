"""What the lessons compute, kept; and which labelled sentences they read."""

from collections.abc import Callable

import streamlit as st

from core.common import model_layers
from core.common.errors import BadInput, MissingArtifact
from core.common.i18n import t
from core.common.markup import code, command
from core.common.significance import FEWEST
from core.evaluation import anisotropy, apart, lessons, relations
from core.evaluation.anisotropy import Anisotropy
from core.evaluation.apart import Spread
from core.evaluation.relations import Pairs, Rank
from core.index.table import OccurrenceTable
from pages._cached import opened
from pages._cached.kept import kept
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, shown_errors


def labelled(in_use: InUse) -> str:
    """The corpus in use where its words have labelled senses; else the model's own language's, which the page says."""
    if opened.is_labelled(in_use.corpus) and len(opened.targets(in_use.corpus, in_use.model).labelled_rows()):
        return in_use.corpus
    own = own_sentences(in_use.model)
    if not own:
        raise BadInput(t("This lesson needs sense-labeled sentences. Choose some under “In use”."))
    values = {"corpus": plain(in_use.corpus), "own": plain(own)}
    st.caption(t("{corpus} has no labeled senses, so this lesson uses {own}.", **values))
    return own


def own(in_use: InUse) -> str:
    """The labelled sentences of the model's language, whatever is in use, which the page says where that is another corpus."""
    result = own_sentences(in_use.model)
    if not result or not relations.read(opened.model(in_use.model).language.code):
        raise BadInput(t("Sense relations are not labeled in this language. Choose another model under “In use”."))
    if in_use.corpus != result:
        st.caption(t("This lesson uses {own}, the language's labeled sentences.", own=plain(result)))
    return result


def own_sentences(model_name: str) -> str:
    return opened.model(model_name).language.sentences


def spaces(table: OccurrenceTable) -> list[str]:
    """Layers and the mix, by name."""
    return list(model_layers.Layers(table.meta["layers"]).spaces)


@kept(4)
def crowd(corpus: str, model_name: str) -> Anisotropy:
    return anisotropy.measure(anisotropy.sample(opened.targets(corpus, model_name)))


@kept(16)
def spread(corpus: str, model_name: str, layer: str) -> Spread:
    return apart.spread(opened.targets(corpus, model_name), layer)


@kept(64)
def shuffled_p(corpus: str, model_name: str, word: str, layer: str) -> float:
    return apart.shuffled_p(opened.targets(corpus, model_name), word, layer)


@kept(16)
def sense_pairs(corpus: str, model_name: str, layer: str) -> Pairs:
    return relations.pairs(opened.targets(corpus, model_name), relations.read(opened.model(model_name).language.code), layer)


@kept(16)
def likeness(model_name: str, layer: str) -> dict[str, tuple[list[float], list[float], list[str], Rank | None]]:
    """By "frequency" and "senses": that of each word, the word's self-similarity, the words, and the rank correlation of both."""
    corpus = own_sentences(model_name)
    language = opened.model(model_name).language
    table = opened.targets(corpus, model_name)
    alike = sense_pairs(corpus, model_name, layer).alike
    senses = {word: float(len(set(table.sense[rows]))) for word, rows in apart.words_of(table).items()}
    try:
        vectors = opened.vectors(language.vectors) if language.vectors else None
    except (MissingArtifact, BadInput):
        vectors = None
    places = {word: relations.frequency_rank(vectors, word) if vectors else None for word in alike}
    result = {}
    for name, values in (("frequency", {word: float(place) for word, place in places.items() if place}), ("senses", senses)):
        words = list(values)
        xs, ys = [values[word] for word in words], [alike[word] for word in words]
        result[name] = xs, ys, words, relations.ranks(ys, xs) if len(words) >= FEWEST else None
    return result


def kept_part(model_name: str, part: str) -> dict | None:
    """What was measured of the model for a lesson; None, with what to do said on the page, where nothing was."""
    model = opened.model(model_name)
    result = lessons.read(model.folder, model.fingerprint).get(part)
    if result is None:
        offered = command("python", "-m", "core", "evaluate", "lessons", "--model", model.name)
        st.info(t("Not computed for {model} yet. In a terminal (minutes): {command}", model=plain(model.name), command=code(offered)))
        notice([t("No measurements of this model yet.")])
    return result


def draw_kept(model_name: str, part: str, draw: Callable[[dict], None]) -> None:
    """Draws what was measured of the model for a lesson, where it was; inside a fragment, whose errors do not reach its caller."""
    with shown_errors():
        if result := kept_part(model_name, part):
            draw(result)
