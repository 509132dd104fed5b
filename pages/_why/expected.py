"""Which words change the words that ELMo expects in place of the target: the sentence in color, and which words come and go."""

import pandas as pd
import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import shorten
from core.elmo import in_place
from core.elmo.substitutes import Change
from core.figures.influence import influence_marks
from core.figures.style import LAYER_COLORS
from core.senses import influence
from core.text.tokens import bare
from core.views import substitutes
from core.views.substitutes import ChangesRequest, weakness
from pages._cached.views import view, workspace
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_html
from pages._why.inputs import Options
from pages._widgets import lists
from pages._widgets.inputs import Chosen


def show(in_use: InUse, chosen: Chosen, options: Options, content: frozenset[int]) -> None:
    """Show the changes for a sentence of several words. `content` holds the positions of the content words."""
    blue = LAYER_COLORS["2"]
    note = t("change of substitutes, 0 to 1 (1 − Σ√(p·q))")
    lists.heading(t("Substitutes for “{word}”", word=shorten(bare(chosen.word))), blue, note)
    try:
        changes = view(substitutes.changes, workspace(in_use), ChangesRequest(word=chosen.in_context, how=options.how, swap=options.swap))
    except ElmoscopeError as error:  # a transformer, or published weights without a softmax
        st.caption(plain(str(error)))
        return
    hovers = {k: f"{_way(options)}: {_come_and_go(change)}" for k, change in changes.items()}
    sizes = {k: change.size for k, change in changes.items()}
    show_html("{}", influence_marks(chosen.tokens, chosen.position, sizes, hovers, (blue, blue), write="{:.2f}".format))
    why = in_place.weakness(chosen.in_context)
    show_html("<p>{} {}</p>", write_notice(chosen.tokens, changes, options, content), weakness(chosen.word, why))
    rows = [
        {t("place"): k + 1, t("word"): chosen.tokens[k], t("change"): round(change.size, 4)}
        | {t("come in"): ", ".join(change.come), t("go"): ", ".join(change.go)}
        for k, change in changes.items()
    ]
    label = t("Substitutes as table")
    lists.twin(pd.DataFrame(rows), name="expectations", label=label, key="decided.expected.table")


def write_notice(tokens: tuple[str, ...], changes: dict[int, Change], options: Options, content: frozenset[int]) -> str:
    """State which content word changes the expected words most, and how."""
    most = max(content & changes.keys(), key=lambda k: changes[k].size, default=None)
    if most is None or changes[most].size < influence.CLEAR:
        return t("No content word changes the substitutes.")
    values = {
        "word": shorten(bare(tokens[most])),
        "size": f"{changes[most].size:.2f}",
        "way": _way(options),
        "change": _come_and_go(changes[most]),
    }
    return t("Of the content words, “{word}” changes substitutes most ({size}); {way}: {change}.", **values)


def _way(options: Options) -> str:
    if options.how == influence.SWAP:
        return t("with “{swap}” in its place", swap=options.swap)
    return t("without it") if options.how == influence.DROP else t("with it masked")


def _come_and_go(change: Change) -> str:
    """Return for example "company, house come in; shore, hill go"."""
    come, go = ", ".join(change.come), ", ".join(change.go)
    parts = [t("{words} come in", words=come) if come else "", t("{words} go", words=go) if go else ""]
    return "; ".join(filter(None, parts)) or t("nothing changes")
