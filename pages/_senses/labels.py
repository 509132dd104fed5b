"""The labels of groups: edit them, store them for the view, and export them with their sentences."""

import numpy as np
import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.corpus.spread import clean
from core.files.uploaded import clean_name
from core.senses import clusters
from core.views.induction import Groups, Occurrences
from pages._widgets import lists

KEPT = "found.labels"  # in the session: view -> labels
MOST_CHARACTERS = 80
IN_TABLE = 5  # substitutes of a sentence in the table


def current(view: str, suggested: list[str]) -> list[str]:
    """Return the labels that the user typed for this view, else the suggested names. They are never blank and never equal."""
    edits = st.session_state.get(f"found.edit.{view}", {}).get("edited_rows", {})
    base = st.session_state.setdefault(KEPT, {}).setdefault(view, [None] * len(suggested))
    typed = [edits.get(k, {}).get("label", base[k]) for k in range(len(suggested))]
    st.session_state[KEPT][view] = typed
    names = [
        clean(str(item or "")) or two or (t("group {n}", n=k + 1) if len(typed) > 1 else t("all sentences"))
        for k, (item, two) in enumerate(zip(typed, suggested, strict=True))
    ]
    return names


def suggested_names(groups: Groups) -> list[str]:
    """Return a name for each group; one with too few sentences is called no sense."""
    return [
        t("group {n}: too few for a sense", n=k) if is_few else name
        for k, (name, is_few) in enumerate(zip(groups.names, groups.few, strict=True), 1)
    ]


def editor(view: str, groups: Groups) -> None:
    """Draw a table with a row for each group. Only the label can be edited."""
    key = f"found.edit.{view}"
    bases = st.session_state.setdefault("found.bases", {})
    names = current(view, suggested_names(groups))
    if key not in st.session_state:  # the table under an editor must not change while it is edited
        bases[view] = names
    frame = pd.DataFrame(
        {
            "label": bases.get(view, names),
            "sentences": np.bincount(groups.of, minlength=len(names)),
            "substitutes": [_join_words(words) for words in groups.substitutes],
            "words": [_join_words(words) for words in groups.words],
        }
    )
    if not any(groups.substitutes):
        frame = frame.drop(columns="substitutes")
    if len(names) < 2 or not any(groups.words):  # no other group lacks them
        frame = frame.drop(columns="words")
    st.markdown(t("**What are they?** Type your labels."))
    try:
        st.data_editor(
            frame,
            key=key,
            hide_index=True,
            width="stretch",
            disabled=["sentences", "substitutes", "words"],
            column_config={
                "label": st.column_config.TextColumn(t("Label"), max_chars=MOST_CHARACTERS, required=True),
                "sentences": st.column_config.NumberColumn(t("Sentences")),
                "substitutes": st.column_config.TextColumn(
                    t("Typical substitutes"), help=t("Expected here more than in other groups (log-odds, standard deviations).")
                ),
                "words": st.column_config.TextColumn(
                    t("Typical words nearby"), help=t("Nearby here more than in other groups (log-odds, standard deviations).")
                ),
            },
        )
    except (IndexError, KeyError):  # a client edited a missing row or column
        st.session_state.pop(key, None)
        st.rerun()


def downloads(word: str, occurrences: Occurrences, groups: Groups, names: list[str]) -> None:
    """Offer the sentences with their labels as JSON lines, which the app reads as a labeled corpus, and as a table with CSV."""
    labels = [names[item] for item in groups.of]
    suggested = suggested_names(groups)
    senses = [k for k, item in enumerate(groups.of) if not groups.few[item] or names[item] != suggested[item]]
    expected = [", ".join(answer.word for answer in of[:IN_TABLE]) for of in occurrences.substitutes]
    st.download_button(
        t("Labeled sentences (JSONL)"),
        clusters.labeled_jsonl([occurrences.items[k] for k in senses], [labels[k] for k in senses], word).encode(),
        clean_name(f"{word}-senses.jsonl"),
        "application/jsonl",
        key="found.jsonl",
        icon=":material/download:",
        on_click="ignore",
        help=t("Add it under Your texts to see the groups on Map: faint, as guesses, not measured."),
    )
    table = pd.DataFrame(
        {
            t("group"): groups.of + 1,
            t("label"): labels,
            **{t("share, group {n}", n=k): share.round(3) for k, share in enumerate(groups.shares.T, 1)},
            **({t("substitutes"): expected} if any(expected) else {}),
            t("word"): [o.tokens[o.position] for o in occurrences.items],
            t("corpus label"): [o.sense or "" for o in occurrences.items],
            t("sentence"): [o.sentence for o in occurrences.items],
        }
    )
    lists.twin(table, name=f"{word}-senses", label=t("Show as table"), key="found.twin")


def _join_words(words: list[tuple[str, float]]) -> str:
    return ", ".join(f"{word} {z:.1f}" for word, z in words)
