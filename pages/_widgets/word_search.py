"""One of hundreds of labeled words: a box that filters as one types, by theme, or a random word; the address carries it."""

import random
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

import streamlit as st

from core.common.i18n import t, tn
from core.text.labeled_words import Labeled
from pages._frame.links import readable
from pages._frame.question import follow, gone_through_history

ALL = "all"


def word_search(
    place,
    key: str,
    words: Sequence[str],
    usual: str,
    *,
    known: Mapping[str, Labeled],
    separability: Mapping[str, float],
    titles: Mapping[str, str],
    help: str,
) -> str:
    """The word chosen, of `words` or any other that is typed; `usual` is chosen when others come into question.

    `known` says of labeled words their themes and how many senses, `separability` how well the model parts them, 0 to 1, where that was
    measured; `titles` is what stands for words that have a title of their own.
    """
    _of_address(key, usual)
    with place:
        row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
        theme = _theme(row, key, known)
        shown = [word for word in words if theme == ALL or (word in known and theme in known[word].themes)]
        chosen = st.session_state[key]
        options = list(dict.fromkeys([*([] if chosen in shown else [chosen]), *shown]))
        result = row.selectbox(
            t("Word"),
            options,
            key=key,
            persist_state="session",
            accept_new_options=True,
            help=help,
            format_func=lambda word: titles.get(word) or _line(word, known, separability),
        )
        drawn = [word for word in shown if word in known and word != chosen]
        row.button(
            t("Surprise me"),
            icon=":material/casino:",
            key=f"{key}.surprise",
            on_click=_draw,
            args=(key, drawn),
            disabled=not drawn,
            help=t("A random labeled word"),
        )
    result = readable(result or "").strip() or usual
    if result != usual:
        st.query_params[key] = result
    elif key in st.query_params:
        del st.query_params[key]
    st.session_state[f"{key}.seen"] = None if result == usual else result
    return result


def themes() -> dict[str, str]:
    """What the themes of assets/words-*.json are called."""
    return {
        "animals": t("animals"),
        "body": t("body"),
        "books and press": t("books and press"),
        "clothes": t("clothes"),
        "computing": t("computing"),
        "doing things": t("doing things"),
        "house": t("house"),
        "how things are": t("how things are"),
        "kitchen": t("kitchen"),
        "law": t("law"),
        "money": t("money"),
        "music and film": t("music and film"),
        "nature": t("nature"),
        "people": t("people"),
        "power and state": t("power and state"),
        "school": t("school"),
        "science": t("science"),
        "shapes and places": t("shapes and places"),
        "sport and games": t("sport and games"),
        "time": t("time"),
        "travel": t("travel"),
        "work": t("work"),
    }


def _line(word: str, known: Mapping[str, Labeled], facts: Mapping[str, float]) -> str:
    """What the box searches, such as "python · 2 meanings · 93% · animals, computing"."""
    if word not in known:
        return word
    item = known[word]
    names = themes()
    share = [f"{facts[word]:.0%}"] if word in facts else []
    return " · ".join(
        [word, tn("{n} meaning", "{n} meanings", item.senses), *share, ", ".join(names.get(theme, theme) for theme in item.themes)]
    )


def _theme(row, key: str, known: Mapping[str, Labeled]) -> str:
    if not known:
        return ALL
    there = {theme for item in known.values() for theme in item.themes}
    names = {ALL: t("all themes")} | dict(sorted(((code, name) for code, name in themes().items() if code in there), key=itemgetter(1)))
    return row.selectbox(t("Theme"), list(names), format_func=names.get, key=f"{key}.theme", persist_state="session", width=180)


def _of_address(key: str, usual: str) -> None:
    """What the address newly says counts before what was chosen earlier, and that before `usual`."""
    state = st.session_state
    given = st.query_params.get(key)
    follow(key, usual)
    if given is not None and (key not in state or gone_through_history() or given != state.get(f"{key}.seen", usual)):
        state[key] = given
    if not state.get(key):
        state[key] = usual


def _draw(key: str, words: Sequence[str], draw: Callable[[Sequence[str]], str] = random.choice) -> None:
    st.session_state[key] = draw(words)
