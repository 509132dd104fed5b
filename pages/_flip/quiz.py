"""The quiz: eight sentences, the sense that the model reads in each, the score."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import plain
from core.senses import edits
from core.text import languages
from core.text.corpora import BUNDLED_CORPUS
from core.text.tokens import join_tokens, pieces
from pages._cached import opened
from pages._frame.choices import BOUND
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._widgets import lists
from pages._word.store import questions


def show(in_use: InUse) -> None:
    """The question in turn, its answer, or the score."""
    seed = int(
        st.columns([1, 2])[0].number_input(
        t("Quiz number (in the link; the same asks the same)"), 0, 99_999, 1, key="quiz", **BOUND
    ))  # fmt: skip
    corpus = in_use.corpus
    with st.spinner(t("Making the questions…")):
        asked = questions(corpus, in_use.model, seed) if opened.is_labelled(corpus) else []
        if not asked:
            corpus = languages.in_use().sentences or BUNDLED_CORPUS
            st.caption(t("Your texts have too few labelled sentences to ask about: these questions are about ours."))
            asked = questions(corpus, in_use.model, seed)
    if not asked:
        raise BadInput(
            t("With this model none of our sentences is read clearly enough for a quiz. Choose another model under In use.")
        )
    of = (corpus, in_use.model, seed)
    if st.session_state.get("quiz_of") != of:
        st.session_state.quiz_of, st.session_state.quiz_answers, st.session_state.quiz_at = of, [], 0
    answers, at = st.session_state.quiz_answers, st.session_state.quiz_at
    if at >= len(asked):
        _score(asked, answers)
        return
    question = asked[at]
    right = sum(a == q.model for a, q in zip(answers, asked, strict=False))
    st.html(
        f'<p class="small">{t("Question {k} of {n}. Score: {right} of {answered}.", k=at + 1, n=len(asked), right=right, answered=len(answers))}</p>'
    )
    st.markdown(t("#### Which sense does the model see here?"))
    st.html(f'<p class="lede" style="margin:0">{_sentence(question)}</p>')
    answered = len(answers) > at
    with st.container(horizontal=True, gap="small"):
        for k, sense in enumerate(question.senses):
            st.button(
                plain(sense, 40), key=f"quiz.{seed}.{at}.{k}", disabled=answered, on_click=_answer, args=(at, sense),
                icon=_sign(sense, question.model, answers[at]) if answered else None,
            )  # fmt: skip
    if not answered:
        notice([_hint(question)])
        return
    st.html(_verdict(question, answers[at]))
    notice(told(question, answers[at]))
    st.button(
        t("Next question") if at + 1 < len(asked) else t("See the score"),
        key=f"quiz.next.{seed}.{at}",  # of this question: one that is still to be taken away cannot be pressed for the next
        type="primary",
        on_click=_go_on,
        args=(at + 1,),
    )


def _sign(sense: str, right: str, answer: str) -> str | None:
    """On the buttons, once answered: what was right, and what was chosen wrongly."""
    return ":material/check:" if sense == right else ":material/close:" if sense == answer else None


def _verdict(question: edits.Question, answer: str) -> str:
    """The answer given and the right one, each marked right or wrong, as HTML."""
    right = answer == question.model
    lines = [
        (
            "✓" if right else "✗",
            t("You chose “{sense}”: right.", sense=escape(answer))
            if right
            else t("You chose “{sense}”: wrong.", sense=escape(answer)),
        )
    ]
    if not right:
        lines.append(("✓", t("Right is “{sense}”.", sense=escape(question.model))))
    colours = {"✓": "#007A5A", "✗": "#C4400B"}
    return "".join(
        f'<div class="kwic"><span class="chip" style="margin:0 0.5rem 0 0;color:#fff;background:{colours[sign]}">{sign}</span>{text}</div>'
        for sign, text in lines
    )


def _answer(at: int, sense: str) -> None:
    if len(st.session_state.quiz_answers) == at:  # a double click answers once
        st.session_state.quiz_answers.append(sense)


def _go_on(at: int) -> None:
    st.session_state.quiz_at = at


def _again() -> None:
    st.session_state.quiz = (int(st.session_state.quiz) + 1) % 100_000


def _sentence(question: edits.Question) -> str:
    at = question.edit[0] if question.edit else None
    parts = []
    for k, piece in enumerate(pieces(question.tokens)):
        blank, text = piece[: len(piece) - len(piece.lstrip())], escape(piece.strip())
        text = f"<b>{text}</b>" if k == question.position else text
        parts.append(
            blank + (f'<span style="background:rgba(66,146,198,0.28);border-radius:0.2rem">{text}</span>' if k == at else text)
        )
    return "".join(parts).strip()


def _hint(question: edits.Question) -> str:
    if question.edit:
        _, old, new = question.edit
        return t(
            "This sentence was edited: “{old}” was replaced by “{new}”. The model's reading is asked for, not the label's.",
            old=escape(old),
            new=escape(new),
        )
    return t(
        "The model's reading is asked for, and it is not always right: the sense whose labelled sentences are nearest on average, in the mix of layers."
    )


def told(question: edits.Question, answer: str) -> list[str]:
    """After an answer: how clearly the model reads it, and what a person says: two sentences."""
    names = {"sense": escape(question.model), "margin": f"{question.margin:.2f}", "gold": escape(question.gold)}
    lead = t("The model reads “{sense}”, which leads the next sense by {margin} in cosine.", **names)
    if not question.edit:
        return [
            lead,
            t("The label says the same.")
            if question.gold == question.model
            else t("The label says “{gold}”: here the model is wrong.", **names),
        ]
    names |= {"before": escape(question.before)}
    turned = question.before != question.model
    if question.gold == question.model:
        now = (
            t("Before the edit it read “{before}”: one word turned it, as it does for a person.", **names)
            if turned
            else t("The edit did not turn it, and a person reads the same.", **names)
        )
    elif turned:
        now = t("Before the edit it read “{before}”; a person now reads “{gold}”: here the model is wrong.", **names)
    else:
        now = t("The edit did not turn it, but a person now reads “{gold}”: here the model is wrong.", **names)
    return [lead, now]


def _score(asked: list[edits.Question], answers: list[str]) -> None:
    right = sum(a == q.model for a, q in zip(answers, asked, strict=True))
    st.markdown(t("#### {right} of {n} as the model reads them", right=right, n=len(asked)))
    notice(scored(asked, answers))
    st.button(t("Again"), key="quiz.again", type="primary", icon=":material/refresh:", on_click=_again)
    table = pd.DataFrame(
        [
            {t("sentence"): join_tokens(list(q.tokens)), t("word"): q.lemma, t("your answer"): a, t("the model"): q.model}
            | {t("lead"): round(q.margin, 4), t("label"): q.gold, t("edit"): f"{q.edit[1]} → {q.edit[2]}" if q.edit else ""}
            for q, a in zip(asked, answers, strict=True)
        ]
    )  # fmt: skip
    lists.twin(table, name="quiz", key="quiz.table")


def scored(asked: list[edits.Question], answers: list[str]) -> list[str]:
    """What the score compares with, and where the model itself failed: two sentences."""
    chance = sum(1 / len(q.senses) for q in asked)
    wrong = sum(q.model != q.gold for q in asked)
    followed = sum(a == q.gold for a, q in zip(answers, asked, strict=True))
    return [
        t("Guessing at random would give {chance:.1f} on average.", chance=chance),
        t("A person reads {wrong} of the {n} otherwise than the model; you answered as a person in {followed}.", n=len(asked), wrong=wrong, followed=followed),
    ]  # fmt: skip
