"""The word of the slides, labeled or typed, and its sentences."""

import streamlit as st

from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import plain, shorten
from core.text import languages
from core.text.corpora import labeled_of
from core.text.labeled_words import list_words_in, sentences_of
from core.text.readings import TwoContexts, WordInContext
from core.text.tokens import bare, join_tokens
from pages._cached.views import workspace
from pages._frame import examples, question
from pages._frame.in_use import InUse
from pages._widgets.word_search import word_search

KEY = "slide_word"  # of the box, and of the address
USUAL = 9  # tokens of a sentence, where there is a choice: it is read from afar


def choose(in_use: InUse) -> str:
    """Draw the box: the target word first, the examples, then every labeled word. The user can type any other."""
    known = list_words_in(in_use.corpus)
    usual = question.word()
    words = list(dict.fromkeys([usual, *examples.pairs(), *(e.word for e in examples.decided()), *known]))
    if not words[0] and len(words) < 2:
        raise BadInput(t("No examples in this language. Choose another model under “Model and data”."))
    return word_search(
        st.container(), KEY, words, usual, known=known, separability={}, titles={}, help=t("Search by word or theme.")
    ).casefold()


def pick(in_use: InUse, word: str, *, of_senses: bool) -> TwoContexts:
    """Return the word's sentences: the user's, else an example's, else two with different labels.

    On a slide about labeled senses, a word without two of them is replaced by the first example, and the slide states this.
    """
    if of_senses and not _has_senses(in_use, word):
        instead = next((pair for pair in examples.pairs() if pair != word and _has_senses(in_use, pair)), None)
        if instead is None:
            raise BadInput(t("“{word}” lacks two labeled senses here. Choose another word.", word=shorten(word)))
        st.caption(t("“{word}” lacks two labeled senses: showing “{other}”.", word=plain(word, 40), other=instead))
        word = instead
    return _own(word) or _example(word) or _labeled(in_use, word)


def _has_senses(in_use: InUse, word: str) -> bool:
    over = workspace(in_use).about(WordInContext((word,), 0))
    return over.is_labeled and len(over.targets.senses_of(word)) > 1


def _own(word: str) -> TwoContexts | None:
    """Return the user's two sentences if the word is the target in both."""
    current = question.now()
    if word != question.word() or None in current.positions or current.texts in examples.pairs().values():
        return None
    sentences = tuple(map(WordInContext, current.tokens, current.positions))
    return TwoContexts(word, current.texts, sentences, sentences[0])


def _example(word: str) -> TwoContexts | None:
    """Return an example of Home, of Why, or both."""
    pair = examples.pairs().get(word)
    single = next((e for e in examples.decided() if e.word == word and e.shows != "wrong"), None)
    if not pair:
        return None
    first, second, *rest = (_find_word(text, word) for text in (*pair, *([single.text] if single else [])))
    return TwoContexts(word, pair, (first, second), rest[0] if rest else first, single.sense if single else "")


def _find_word(text: str, word: str) -> WordInContext:
    tokens = tuple(languages.tokenize(text))
    return WordInContext(tokens, question.place_of(tokens, word))


def _labeled(in_use: InUse, word: str) -> TwoContexts:
    """Return two sentences of different senses with one spelling if possible, short enough for a slide."""
    language = sentences_of(in_use.corpus) or languages.in_use()
    over, used = workspace(in_use), workspace(in_use).about(WordInContext((word,), 0))
    lemma = over.is_labeled and (over.targets.lemma_of(word) or used.targets.lemma_of(word))
    by_sense: dict[str, list[WordInContext]] = {}
    for sentence in labeled_of(language, lemma) if lemma else ():
        for target in sentence.targets:
            if target.lemma == lemma and target.sense:
                by_sense.setdefault(target.sense, []).append(WordInContext(sentence.tokens, target.position))
    if len(by_sense) < 2:
        message = t("“{word}” has no labeled sentences. Type two on Home or choose another word.", word=shorten(word))
        raise BadInput(message)
    (sense, first), (_, second) = sorted(by_sense.items(), key=lambda item: -len(item[1]))[:2]
    pairs = [(a, b) for a in first for b in second]
    sentences = min(pairs, key=lambda pair: (bare(pair[0].word) != bare(pair[1].word), sum(abs(len(each.tokens) - USUAL) for each in pair)))
    texts = tuple(join_tokens(list(each.tokens)) for each in sentences)
    return TwoContexts(lemma, texts, sentences, sentences[0], sense)
