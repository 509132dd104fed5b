"""The Classify page: a task, a text, all variants' answers, what spoke for them, and how good they were on unseen texts."""

from __future__ import annotations

from collections import Counter
from html import escape

import pandas as pd
import streamlit as st

from core import figures, heads
from core.classify.head import Answer
from core.classify.model import VARIANTS, variant_descriptions, variant_titles
from core.errors import MissingArtifact
from core.limits import limits
from core.texts import t
from pages._shared import classify_store, lists, markup
from pages._shared.as_you_type import as_you_type
from pages._shared.charts import draw
from pages._shared.classify_scores import show_scores
from pages._shared.classify_why import show_reasons
from pages._shared.frame import notice
from pages._shared.in_use import InUse
from pages._shared.markup import shown_errors

EXAMPLES = {
    "news-title": (
        "Apple shares slide after chip supplier cuts forecast",
        "Striking workers reject the club's offer",
        "Minister resigns over bank bailout",
        "Giants beat Jets in the rain",
        "Jets bomb rebel camp in the north",
        "Court blocks merger of two phone makers",
    ),
    "news": (
        "Oil falls below forty dollars. Crude prices dropped on Tuesday as producers said they would pump more this winter.",
        "Late goal sends hosts through. A header in the last minute took the home side into the final of the cup on Sunday.",
        "New browser blocks trackers. The software maker said the program warns users before a page can read their data.",
    ),
    "spam": (
        "Are we still on for lunch at one? I'm running a bit late",
        "WINNER! You have been chosen for a 1000 pound prize. Call now to claim your reward",
        "Your parcel could not be delivered, pay the fee at this link today",
        "Free tonight? The new cinema has two seats for one",
    ),
    "sentiment": (
        "A film as slow as it is beautiful.",
        "Not a bad film, but hardly a good one either.",
        "Two hours I will never get back.",
        "It is the kind of comedy that makes you forget to check your watch.",
    ),
}
EXAMPLES["sentiment2"] = EXAMPLES["sentiment"]


def show(in_use: InUse) -> None:
    task = _task()
    text = _text(task)
    with shown_errors():
        opened = classify_store.opened(task, in_use)
        if not text.strip():
            st.info(t("Type a text here, or take one of the examples above."), icon=":material/edit:")
            return
        _answers(in_use, task, opened, text)
        show_reasons(in_use, task, opened, text)
        show_scores(task, opened)


def _task() -> str:
    mine = list(classify_store.trained_here())
    trained = [name for name in heads.TASKS if any(heads.head_folders(name).values())]
    if not trained and not mine:
        raise MissingArtifact(
            t("No classifier has been trained yet. Train some on the Train page, or: python -m core train-heads --data FOLDER")
        )
    names = [*trained, *mine]
    default, titles = "news-title" if "news-title" in names else names[0], heads.task_titles()
    return st.segmented_control(
        t("What to tell apart"), names, default=default, format_func=lambda n: markup.plain(titles.get(n, n)), key="task",
        bind="query-params", persist_state="session",
    ) or default  # fmt: skip


def _text(task: str) -> str:
    mine = classify_store.trained_here().get(task)
    known = mine.opened.task.name if mine else task
    key, examples, label = f"text_{known if known in EXAMPLES else 'own'}", EXAMPLES.get(known, ()), t("A text of your own")
    if examples:
        offer_examples(examples, key=f"{key}_example", into=key)
    text = st.text_area(
        label, examples[0] if examples else "", key=key, bind="query-params", persist_state="session", max_chars=limits().max_passage, height=80,
        placeholder=t("Type a headline or a message; all classifiers answer as you type"),
    )  # fmt: skip
    as_you_type(label)
    return text


def offer_examples(texts: tuple[str, ...], *, key: str, into: str) -> None:
    """Texts to tap on, under `key`; the chosen one stands in the text box `into`."""
    st.pills(
        t("Examples"), texts, key=key, on_change=_take_example, args=(key, into), label_visibility="collapsed",
        format_func=lambda text: ":material/format_quote: " + (text if len(text) < 46 else text[:44] + "…"),
    )  # fmt: skip


def _take_example(key: str, into: str) -> None:
    if chosen := st.session_state[key]:
        st.session_state[into] = chosen


def _answers(in_use: InUse, task: str, opened: heads.OpenHeads, text: str) -> None:
    answers = classify_store.answers(task, in_use, text)
    labels = next(iter(opened.heads.values())).labels
    colours = figures.class_colours(labels, ordered=opened.task.name.startswith("sentiment"))
    st.html('<div class="chips">' + "".join(lists.chip_of(label, colour) for label, colour in colours.items()) + "</div>")
    titles, descriptions = variant_titles(), variant_descriptions()
    named = ", ".join(f"{titles[name]}: {a.label} {a.probabilities[a.label]:.0%}" for name, a in answers.items())
    draw(
        figures.answers_figure([titles[name] for name in answers], [a.probabilities for a in answers.values()], colours),
        key="classify.answers",
        alt=t("Bars of every classifier's probabilities. {named}.", named=named),
    )
    notice(_noticed(opened, answers))
    table = [
        {t("classifier"): titles[name], t("reads"): descriptions[name], t("answer"): a.label}
        | {label: round(p, 4) for label, p in a.probabilities.items()}
        | {t("milliseconds"): round(1000 * (a.seconds + a.shared_seconds), 1)}
        for name, a in answers.items()
    ]
    lists.twin(pd.DataFrame(table), name="answers", key="classify.twin")


def _noticed(opened: heads.OpenHeads, answers: dict[str, Answer]) -> list[str]:
    votes = Counter(a.label for a in answers.values())
    (commonest, n), titles = votes.most_common(1)[0], {name: escape(title) for name, title in variant_titles().items()}
    told = {"n": n, "label": escape(commonest)}
    others = [
        t("{classifier} says {label}", classifier=titles[name], label=escape(a.label))
        for name, a in answers.items()
        if a.label != commonest
    ]
    if others:
        lines = [t("{n} of {all} say <b>{label}</b>; {others}.", all=len(answers), others=", ".join(others), **told)]
    else:
        lines = [t("All {n} say <b>{label}</b>.", **told)]
    for plain, joined in (("glove", "glove+elmo"), ("embedding", "embedding+elmo")):
        if plain in answers and joined in answers:
            a, b = answers[plain], answers[joined]
            before, after = a.probabilities[b.label], b.probabilities[b.label]
            lines.append(
                t(
                    "With ELMo joined to {classifier}, {label} goes from {before:.0%} to {after:.0%}.",
                    classifier=titles[plain],
                    label=escape(b.label),
                    before=before,
                    after=after,
                )
            )
            break
    scores = {name: head.meta["test"]["accuracy"] for name, head in opened.heads.items()}
    best = max(scores, key=scores.get)
    told = {"classifier": titles[best], "accuracy": scores[best]}
    lines.append(t("On texts none of them had seen, {classifier} was right most often ({accuracy:.1%}).", **told))
    if VARIANTS[best].network in ("tfidf", "mean-glove"):
        lines.append(t("A plain baseline is ahead of every network here."))
    seconds = sum(a.seconds for a in answers.values()) + max(a.shared_seconds for a in answers.values())
    return [*lines, t("All answers together took {n:.0f} ms.", n=1000 * seconds)]
