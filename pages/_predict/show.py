"""The Next word page: a text, and the words before and after it, the surprisal of each word, or the effect of an edit; or a masked word."""

from collections.abc import Sequence
from itertools import chain

import streamlit as st

from core.analysis import expectation
from core.analysis.expectation import Expected, Reading
from core.common import model_layers
from core.common.i18n import t
from core.common.markup import plain, shorten
from core.elmo.language_model import Prediction
from core.engines.transformer import Masked, has_head
from core.figures.measures import BACKWARD, FORWARD
from core.figures.walk import BOTH
from core.text import languages, target_word
from core.text.tokens import SENTENCE_BEGIN, SENTENCE_END, write_word
from core.views import substitutes
from core.views.substitutes import NextWordsRequest
from pages._cached import cache
from pages._cached.cache import view, workspace
from pages._frame import language, question
from pages._frame.choices import choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.menu import page_link
from pages._frame.parameters import bound, read_parameter, write_parameter
from pages._predict import passage
from pages._widgets import lists
from pages._widgets.lists import word_buttons

PART = "predict_part"


def show(in_use: InUse) -> None:
    sentences = expectation.sentences_of(passage.ask_text())
    if not sentences:
        st.info(t("Type a few words, or choose an example."), icon=":material/edit:")
        return
    if unread := language.say_unread(chain.from_iterable(sentences)):
        st.caption(plain(unread, 400))
    model = cache.model(in_use.model)
    if not model.is_elmo and has_head(model.folder):
        _show_masked(in_use, sentences)
        return
    if not model.is_elmo:
        _ = model.encoder  # raises the error if it cannot be opened
        notice([t("{model} gives vectors but predicts no words. elmo-mini does.", model=model_layers.in_use().called)])
        page_link("neighbors", t("Its neighbors"), icon=":material/arrow_forward:")
        return
    read = view(substitutes.read_text, workspace(in_use), NextWordsRequest(sentences=sentences))
    parts = {"next": t("Before and after"), "words": t("Word by word"), "edit": t("Two versions")}
    if PART not in st.session_state and read_parameter(PART) is None and read_parameter(passage.AT) is not None:
        write_parameter(PART, "words")  # a link to a word
    match choice(PART, t("Part"), parts, "next", label_visibility="collapsed"):
        case "next":
            _show_next(in_use, read)
        case "words":
            passage.show_words(in_use, read)
        case "edit":
            passage.show_versions(in_use, read)


def _show_next(in_use: InUse, read: Reading) -> None:

    def expect(backward: bool) -> Expected:
        request = NextWordsRequest(sentences=read.sentences, backward=backward)
        return view(substitutes.next_words, workspace(in_use), request, read, most=128)

    before, after = expect(True), expect(False)
    longest = max(p.probability for result in (before, after) for p in result.likeliest)
    first, last = read.tokens[0], read.tokens[-1]
    with st.container(key="both_ways"):
        left, right = st.columns(2, gap="large")
    with left:
        lists.heading(t("Before “{word}”", word=shorten(first, 24)), BACKWARD, t("backward, from the right"))
        _draw_buttons(in_use, read, backward=True)
        word_buttons("before", before, BACKWARD, longest, _join, True)
    with right:
        lists.heading(t("After “{word}”", word=shorten(last, 24)), FORWARD, t("forward, from the left"))
        _draw_buttons(in_use, read, backward=False)
        word_buttons("after", after, FORWARD, longest, _join, False)
    with st.popover(t("How words are drawn"), icon=":material/casino:"):
        about = t("1 draws as the model expects; lower keeps to its top words, 0 always takes the first.")
        st.slider(t("Temperature"), **bound("pheat"), help=about)
        st.number_input(t("Seed"), **bound("pseed"), help=t("Same text, temperature and seed: same words."))
    st.caption(t("Words outside the vocabulary get {before:.1%} before, {after:.1%} after.", before=before.unknown, after=after.unknown))
    notice(_write_notices(first, last, before, after))
    rows = [
        {t("place"): where, t("rank"): k, t("word"): p.word, t("probability"): round(p.probability, 6)}
        for where, result in ((t("before"), before), (t("after"), after))
        for k, p in enumerate(result.likeliest, 1)
    ]
    lists.offer_table(rows, name="next-words", label=t("Show as table"), key="predict.twin")


def _draw_buttons(in_use: InUse, read: Reading, *, backward: bool) -> None:
    name = "before" if backward else "after"
    with st.container(horizontal=True, gap="small"):
        st.button(t("Draw a word"), key=f"predict.{name}.1", on_click=_write, args=(in_use, read, 1, backward))
        st.button(t("Write five words"), key=f"predict.{name}.5", on_click=_write, args=(in_use, read, 5, backward))
    if st.session_state.get(passage.ENDED) == name:
        end = t("Drew the sentence’s end. Try another seed.")
        st.caption(t("Drew the sentence’s beginning. Try another seed.") if backward else end)


def _write(in_use: InUse, read: Reading, n: int, backward: bool) -> None:
    tokens = list(read.sentences[0 if backward else -1])
    state = st.session_state
    written = expectation.write(workspace(in_use).language_model, tokens, n, backward=backward, temperature=state.pheat, seed=state.pseed)
    side = "before" if backward else "after"
    _put_words(written.words, backward=backward, ended=side if written.ended else None)


def _join(word: str, backward: bool) -> None:
    """Put a word before or after the text. This is the callback of its button."""
    _put_words([word], backward=backward)


def _put_words(words: Sequence[str], *, backward: bool, ended: str | None = None) -> None:
    position = st.session_state.get(passage.AT)
    joined = expectation.prepended if backward else expectation.appended
    moved = position + len(words) if backward and position is not None else position
    passage.put(lambda text: joined(text, words), ended=ended, position=moved)


def _write_notices(first: str, last: str, before: Expected, after: Expected) -> list[str]:
    n, m = (round(result.effective, 1 if result.effective < 10 else None) for result in (after, before))
    names = {"first": shorten(write_word(first), 24), "last": shorten(write_word(last), 24), "n": n, "m": m}
    ends = next((p.probability for p in after.likeliest if p.word == SENTENCE_END), 0.0)
    begins = next((p.probability for p in before.likeliest if p.word == SENTENCE_BEGIN), 0.0)
    if min(ends, begins) > 0.5:
        values = {"begins": begins, "ends": ends}
        return [t("It expects nothing before ({begins:.1%}) or after ({ends:.1%}). Delete words for predictions.", **values)]
    if ends > 0.5:
        lines = [t("It expects the end here ({share:.1%}); before “{first}” its perplexity is {m:,}.", share=ends, **names)]
    elif begins > 0.5:
        lines = [t("It expects the beginning here ({share:.1%}); after “{last}” its perplexity is {n:,}.", share=begins, **names)]
    elif n == m:
        lines = [t("Forward after “{last}” and backward before “{first}” are equally uncertain: perplexity {n:,}.", **names)]
    elif n < m:
        lines = [t("Forward is more certain: perplexity {n:,} after “{last}”, backward {m:,} before “{first}”.", **names)]
    else:
        lines = [t("Backward is more certain: perplexity {m:,} before “{first}”, forward {n:,} after “{last}”.", **names)]
    if after.unknown > 0.05:
        lines.append(t("Forward gives {share:.0%} to words outside its vocabulary, such as rare names.", share=after.unknown))
    return lines


def _show_masked(in_use: InUse, sentences: tuple[tuple[str, ...], ...]) -> None:
    layers = model_layers.in_use()
    st.caption(t("{model} predicts a hidden word from both sides, not the next word.", model=layers.called))
    tokens = [token for sentence in sentences for token in sentence][: substitutes.MOST_RANKED]
    position = _choose_position(tokens)
    word = tokens[position]
    result = view(substitutes.masked, workspace(in_use), NextWordsRequest(sentences=sentences, position=position), most=128)
    lists.heading(t("In place of “{word}”, from both sides", word=shorten(word, 24)), BOTH, t("word masked, sentence read"))
    likeliest = tuple(Prediction(item.text if item.begins_word else f"…{item.text}", item.probability) for item in result.likeliest)
    expected = Expected(likeliest, 0.0, result.probability, result.rank, 0.0)
    word_buttons("masked", expected, BOTH, max(item.probability for item in result.likeliest), _insert, position)
    notice(_describe_masked(word, result))
    rows = [
        {t("rank"): k, t("word"): item.text, t("probability"): round(item.probability, 6), t("whole word"): item.begins_word}
        for k, item in enumerate(result.likeliest, 1)
    ]
    lists.offer_table(rows, name="masked-word", key="predict.masked")


def _choose_position(tokens: list[str]) -> int:
    """Return the position of the masked word: the user's choice or the URL's, else the last content word."""
    state = st.session_state
    usual = max((candidate.position for candidate in target_word.candidates(tokens, languages.in_use())), default=len(tokens) - 1)
    if state.get(passage.AT) not in range(len(tokens)):
        label_in_url = read_parameter(passage.AT)
        state[passage.AT] = next((k for k, label in enumerate(question.token_labels(tokens)) if label == label_in_url), usual)
    position = passage.ask_word(tokens)
    return usual if position is None else position


def _insert(word: str, position: int) -> None:
    passage.put(lambda text: expectation.replaced(text, position, word.removeprefix("…")), position=position)


def _describe_masked(word: str, masked: Masked) -> list[str]:
    best = masked.likeliest[0]
    values = {"word": shorten(word, 24), "best": best.text, "share": best.probability}
    if masked.rank is None:
        return [t("“{word}” is {n} pieces, more than one mask; “{best}” is likeliest ({share:.1%}).", n=masked.pieces, **values)]
    if masked.rank == 1:
        return [t("It predicts “{word}” ({share:.1%}).", **values)]
    return [t("“{word}” ranks {rank:,} ({p:.2%}); “{best}” is likeliest ({share:.1%}).", rank=masked.rank, p=masked.probability, **values)]
