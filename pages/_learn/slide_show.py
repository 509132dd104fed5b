"""A slide below its question: the picture, its control (a word or a text), and a link to the complete page."""

import streamlit as st

from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import BOX
from core.common.markup import plain, shorten
from core.text import languages
from core.text.corpora import labeled_of
from core.text.labeled_words import list_words_in, sentences_of
from core.text.readings import TwoContexts, WordInContext
from core.text.tokens import bare, join_tokens
from pages._cached.opened import workspace
from pages._export import record
from pages._frame import examples, question
from pages._frame.choices import text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.menu import page_link
from pages._learn.slide_pictures import DRAW
from pages._learn.slides import HEADLINE, SPELLING, WORD, Slide, all_slides
from pages._widgets.inputs import word_search

LENGTH = 9  # preferred tokens of a sentence, because a slide is read from a distance


def show(in_use: InUse, number: int) -> None:
    """Show a slide below its question: picture, sentence, control, the speaker's notes, and the link to the page."""
    slide = all_slides()[number]
    place = st.container(gap="small")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text = _choose_word(in_use) if slide.control == WORD else _type_text(slide.control)
        link = st.container(width="content")
    with place:
        with st.container(key="slide_picture", gap="small", vertical_alignment="center"):
            if slide.control == WORD:
                contexts = _find_sentences(in_use, text, needs_senses=slide.needs_senses)
                line = DRAW[slide.name](in_use, contexts)
            else:
                contexts, line = None, DRAW[slide.name](in_use, text)
        notice([line])
    if contexts is None:
        address = {"step": "4", "spell": text} if slide.control == SPELLING else {"text_news-title": text}
    else:
        address = _note_sentences(slide, contexts)
    page_link(slide.page, t("Open full page"), place=link, icon=":material/open_in_full:", query_params=address)


def _note_sentences(slide: Slide, contexts: TwoContexts) -> dict[str, str]:
    """Record the sentences of a slide for its file. Return the URL parameters of the page that shows the same."""
    if slide.one_sentence:
        sentences = [("a", t("Sentence"), join_tokens(list(contexts.single.tokens)), contexts.single)]
    else:
        labels = t("First sentence"), t("Second sentence")
        sentences = list(zip("ab", labels, contexts.texts, contexts.sentences, strict=False))
    address = {"map_word": contexts.word}
    for key, label, text, word in sentences:
        record.now().note("typed", (label, text), key)
        address |= {key: text, f"{key}i": question.token_labels(word.tokens)[word.position]}
    return address


def _type_text(control: str) -> str:
    """Draw the box of a slide about a text: an invented word or a headline."""
    if control == HEADLINE:
        key, label, default = "headline", t("Today’s headline"), examples.headline()
    else:
        key, label, default = "invented", t("Invent a word"), examples.invented()
    text = text_box(f"slide_{key}", label, default, BOX[key], label_visibility="collapsed", placeholder=label)
    return text.strip() or default


def _choose_word(in_use: InUse) -> str:
    """Draw the box of words: the target word first, the examples, then every labeled word. The user can type any other."""
    labeled, target = list_words_in(in_use.corpus), question.word()
    words = list(dict.fromkeys([target, *examples.pairs(), *(example.word for example in examples.decided()), *labeled]))
    if not words[0] and len(words) < 2:
        raise BadInput(t("No examples in this language. Choose another model under “Model and data”."))
    options = {"labeled": labeled, "separability": {}, "titles": {}, "help": t("Search by word or theme.")}
    return word_search(st.container(), "slide_word", words, target, **options).casefold()


def _find_sentences(in_use: InUse, word: str, *, needs_senses: bool) -> TwoContexts:
    """Return the word's sentences: the user's, else an example's, else two with different labels.

    On a slide about labeled senses, a word without two of them is replaced by the first example, and the slide states this.
    """
    if needs_senses and not _has_senses(in_use, word):
        replacement = next((pair for pair in examples.pairs() if pair != word and _has_senses(in_use, pair)), None)
        if replacement is None:
            raise BadInput(t("“{word}” lacks two labeled senses here. Choose another word.", word=shorten(word)))
        st.caption(t("“{word}” lacks two labeled senses: showing “{other}”.", word=plain(word, 40), other=replacement))
        word = replacement
    return _user_sentences(word) or _example(word) or _labeled_sentences(in_use, word)


def _has_senses(in_use: InUse, word: str) -> bool:
    over = workspace(in_use)
    return over.is_labeled and len(over.targets.senses_of(word)) > 1


def _user_sentences(word: str) -> TwoContexts | None:
    """Return the user's two sentences if the word is the target in both."""
    typed = question.now()
    if word != question.word() or None in typed.positions or typed.texts in examples.pairs().values():
        return None
    sentences = tuple(map(WordInContext, typed.tokens, typed.positions))
    return TwoContexts(word, typed.texts, sentences, sentences[0])


def _example(word: str) -> TwoContexts | None:
    """Return an example of Home, of Why, or both."""
    pair = examples.pairs().get(word)
    single = next((example for example in examples.decided() if example.word == word and example.shows != "wrong"), None)
    if not pair:
        return None
    texts = [tuple(languages.tokenize(text)) for text in (*pair, *([single.text] if single else []))]
    first, second, *rest = (WordInContext(tokens, question.place_of(tokens, word)) for tokens in texts)
    return TwoContexts(word, pair, (first, second), rest[0] if rest else first, single.sense if single else "")


def _labeled_sentences(in_use: InUse, word: str) -> TwoContexts:
    """Return two sentences of different senses with one spelling if possible, short enough for a slide."""
    language = sentences_of(in_use.corpus) or languages.in_use()
    over = workspace(in_use)
    lemma = over.is_labeled and over.targets.lemma_of(word)
    by_sense: dict[str, list[WordInContext]] = {}
    for sentence in labeled_of(language, lemma) if lemma else ():
        for target in sentence.targets:
            if target.lemma == lemma and target.sense:
                by_sense.setdefault(target.sense, []).append(WordInContext(sentence.tokens, target.position))
    if len(by_sense) < 2:
        raise BadInput(t("“{word}” has no labeled sentences. Type two on Home or choose another word.", word=shorten(word)))
    (sense, first), (_, second) = sorted(by_sense.items(), key=lambda item: -len(item[1]))[:2]

    def cost(pair: tuple[WordInContext, WordInContext]) -> tuple[bool, int]:
        a, b = pair
        return bare(a.word) != bare(b.word), sum(abs(len(item.tokens) - LENGTH) for item in pair)

    sentences = min(((a, b) for a in first for b in second), key=cost)
    texts = tuple(join_tokens(list(item.tokens)) for item in sentences)
    return TwoContexts(lemma, texts, sentences, sentences[0], sense)
