"""The quiz: eight sentences, the sense that the model reads in each, the score."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from core import editing
from core.errors import BadInput
from core.text import join_tokens
from core.texts import t
from pages._shared import lists
from pages._shared.cloud import plain
from pages._shared.frame import notice
from pages._shared.in_use import InUse
from pages._shared.word_store import questions


def show(in_use: InUse) -> None:
    """The question in turn, its answer, or the score."""
    seed = int(
        st.columns([1, 2])[0].number_input(
        t("Quiz number (in the link; the same asks the same)"), 0, 99_999, 1, key="quiz", bind="query-params", persist_state="session"
    ))  # fmt: skip
    with st.spinner(t("Making the questions…")):
        asked = questions(in_use.corpus, in_use.model, seed)
    if not asked:
        raise BadInput(t("This corpus has too few labelled sentences for a quiz. Choose “sentences” under In use."))
    of = (in_use.corpus, in_use.model, seed)
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
            st.button(plain(sense), key=f"quiz.{seed}.{at}.{k}", disabled=answered, on_click=_answer, args=(at, sense))
    if not answered:
        notice([_hint(question)])
        return
    notice(_told(question, answers[at]))
    st.button(
        t("Next question") if at + 1 < len(asked) else t("See the score"),
        key=f"quiz.next.{seed}.{at}",  # of this question: one that is still to be taken away cannot be pressed for the next
        type="primary",
        on_click=_go_on,
        args=(at + 1,),
    )


def _answer(at: int, sense: str) -> None:
    if len(st.session_state.quiz_answers) == at:  # a double click answers once
        st.session_state.quiz_answers.append(sense)


def _go_on(at: int) -> None:
    st.session_state.quiz_at = at


def _again() -> None:
    st.session_state.quiz = (int(st.session_state.quiz) + 1) % 100_000


def _sentence(question: editing.Question) -> str:
    at = question.edit[0] if question.edit else None
    parts = []
    for k, token in enumerate(question.tokens):
        text = f"<b>{escape(token)}</b>" if k == question.position else escape(token)
        parts.append(f'<span class="token" style="background:rgba(66,146,198,0.28)">{text}</span>' if k == at else text)
    return " ".join(parts)


def _hint(question: editing.Question) -> str:
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


def _told(question: editing.Question, answer: str) -> list[str]:
    """After an answer: whether it was the model's, the label, the margin, and where the model fails."""
    model, gold = escape(question.model), escape(question.gold)
    lines = [
        t("Yes: the model reads “{sense}”.", sense=model)
        if answer == question.model
        else t("No: the model reads “{sense}”.", sense=model)
    ]
    lines.append(t("It leads the next sense by {margin:.3f} in cosine.", margin=question.margin))
    if question.edit:
        told = {"gold": escape(question.gold_before), "before": escape(question.before)}
        lines.append(t("Before the edit a person reads “{gold}”, and the model read “{before}”.", **told))
        lines.append(t("One word turned it.") if question.before != question.model else t("The edit did not turn it."))
        lines.append(
            t("A person now reads the same.")
            if gold == model
            else t("A person now reads “{gold}”: here the model is wrong.", gold=gold)
        )
    elif question.gold == question.model:
        lines.append(t("The label says the same."))
    else:
        lines.append(t("The label says “{gold}”: here the model is wrong.", gold=gold))
    return lines


def _score(asked: list[editing.Question], answers: list[str]) -> None:
    right = sum(a == q.model for a, q in zip(answers, asked, strict=True))
    st.markdown(t("#### {right} of {n} as the model reads them", right=right, n=len(asked)))
    plain = [q for q in asked if not q.edit]
    wrong = sum(q.model != q.gold for q in plain)
    turned = sum(q.edit is not None and q.model != q.before for q in asked)
    notice([
        t("Of the {n} sentences as written the model read {wrong} otherwise than their label.", n=len(plain), wrong=wrong),
        t("Of the {n} edited ones one word turned {turned}.", n=len(asked) - len(plain), turned=turned),
        t("Edited ones that the model reads as a person does: {right}.", right=sum(q.edit is not None and q.model == q.gold for q in asked)),
        t("Guessing at random would give {chance:.1f} on average.", chance=sum(1 / len(q.senses) for q in asked)),
        t("Of the sentences as written you followed the label in {label}.", label=sum(a == q.gold for a, q in zip(answers, asked, strict=True) if not q.edit)),
    ])  # fmt: skip
    st.button(t("Again"), key="quiz.again", type="primary", icon=":material/refresh:", on_click=_again)
    table = pd.DataFrame(
        [
            {t("sentence"): join_tokens(list(q.tokens)), t("word"): q.lemma, t("your answer"): a, t("the model"): q.model}
            | {t("lead"): round(q.margin, 4), t("label"): q.gold, t("edit"): f"{q.edit[1]} → {q.edit[2]}" if q.edit else ""}
            for q, a in zip(asked, answers, strict=True)
        ]
    )  # fmt: skip
    lists.twin(table, name="quiz", key="quiz.table")
