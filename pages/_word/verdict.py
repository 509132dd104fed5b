"""One meaning or two: the verdict on the word in question, the same on every page that shows it (core.senses.judge).

`on(in_use, first, second)` is that verdict, whatever layer a page shows: it is always read where this word's meanings are told apart
best; `layer(...)` is that layer, at which pictures of the word open (pair_layer.py). `verdict_words` puts it in words.
"""

import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import plain
from core.senses import judge
from core.senses.judge import Judge, Judgment
from core.senses.verdict import Verdict
from core.static.vectors import StaticVectors
from core.text.readings import WordInContext
from pages._cached import opened
from pages._cached.kept import kept, within_run
from pages._frame import question
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen


def on(in_use: InUse, first: Chosen, second: Chosen) -> Verdict | None:
    """The verdict on both sentences' words in question; None where they are not one word, or none that has letters."""
    return judged(in_use, first, second).verdict


def layer(in_use: InUse, first: Chosen, second: Chosen) -> str:
    """The layer, or the mix, that tells the meanings of the word in question apart best: of the first sentence's, else the second's."""
    return judged(in_use, first, second).layer


def layer_in_question(in_use: InUse) -> str:
    """The same of the two sentences that the visitor typed, on whichever page; of a word without a second sentence, its own best layer."""
    words = question.words()
    if len(words) == 2:
        return _judged(in_use.model, _labels(in_use), *words).layer
    return layer_of(in_use, *words)


@within_run
def layer_of(in_use: InUse, *words: WordInContext) -> str:
    """The layer that tells the meanings of the first of these words with labels apart best; else the best of all words."""
    return judge_of(in_use.model).layer(words, _labels(in_use))


def of_one_word(in_use: InUse, first: Chosen, second: Chosen) -> bool:
    """Whether both are the same word, letter case and inflection aside."""
    return judged(in_use, first, second).one_word


def is_word(chosen: Chosen) -> bool:
    """Whether what is in question has letters of the language that is read."""
    return judge.is_word(chosen.in_context)


def judged(in_use: InUse, first: Chosen, second: Chosen) -> Judgment:
    """All that is said of both words."""
    return _judged(in_use.model, _labels(in_use), first.in_context, second.in_context)


def _labels(in_use: InUse) -> str:
    """The corpus in use, where it has labels."""
    return in_use.corpus if opened.is_labelled(in_use.corpus) else ""


@within_run
def _judged(model_name: str, corpus: str, first: WordInContext, second: WordInContext) -> Judgment:
    asked = judge_of(model_name)
    if not asked.is_ready:
        with st.spinner(t("Measuring, once, how well {model} tells meanings apart…", model=plain(asked.model.layers.called))):
            asked.ground()
    return asked.judge(first, second, corpus)


@kept(3, weighed=False)
def judge_of(model_name: str) -> Judge:
    """The judge that answers by a model, over what the pages keep open."""
    return Judge(
        opened.model(model_name),
        _static(model_name),
        table=lambda corpus: opened.targets(corpus, model_name),
        encode=lambda sentences: opened.sentences(model_name, sentences),
    )


def _static(model_name: str) -> StaticVectors | None:
    """The static vectors of the model's language; None where it has none here."""
    name = opened.model(model_name).language.vectors
    try:
        return opened.vectors(name) if name else None
    except ElmoscopeError:
        return None
