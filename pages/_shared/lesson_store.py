"""What the lessons compute, kept; and which labelled sentences they read."""

from __future__ import annotations

import streamlit as st

from core.errors import BadInput
from core.lessons import apart, cone
from core.lessons.apart import Spread
from core.lessons.cone import Cone
from core.occurrences import OccurrenceTable
from core.texts import t
from core.workbench import SPACES
from pages._shared import store
from pages._shared.in_use import InUse
from pages._shared.kept import kept
from pages._shared.markup import plain


def labelled(in_use: InUse) -> str:
    """The corpus in use where its words have labelled senses; else the model's own language's, which the page says."""
    if store.is_labelled(in_use.corpus) and len(store.targets(in_use.corpus, in_use.model).labelled_rows()):
        return in_use.corpus
    own = store.model(in_use.model).language.sentences
    if not own:
        raise BadInput(t("This lesson needs sentences whose words' senses are labelled. Choose some under “In use”."))
    told = {"corpus": plain(in_use.corpus), "own": plain(own)}
    st.caption(
        t("{corpus} has no labelled senses: the lesson is on {own}, the labelled sentences of the model's language.", **told)
    )
    return own


def spaces(table: OccurrenceTable) -> list[str]:
    """Layers and the mix, by name."""
    n = table.meta["layers"]
    return list(SPACES) if n == 3 else [*map(str, range(n)), "mix"]


@kept(4)
def cones(corpus: str, model_name: str) -> Cone:
    return cone.cone(cone.sample(store.targets(corpus, model_name)))


@kept(16)
def spread(corpus: str, model_name: str, layer: str) -> Spread:
    return apart.spread(store.targets(corpus, model_name), layer)


@kept(64)
def shuffled_p(corpus: str, model_name: str, word: str, layer: str) -> float:
    return apart.shuffled_p(store.targets(corpus, model_name), word, layer)
