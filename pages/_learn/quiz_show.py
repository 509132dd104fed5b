"""Guess the machine: a question, its answer and the score.

The page appears before the model is opened; ELMo reads while the user thinks.
"""

import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from core.common.errors import BadInput, ElmoscopeError
from core.common.i18n import t
from core.common.markup import Markup, html, plain
from core.figures.style import ink, layer_title, sense_color
from core.senses import quiz
from core.senses.quiz import Game, QuizQuestion, QuizReading
from core.text import languages
from core.text.corpora import definition, sentences_of
from core.text.readings import WordInContext
from core.views import substitutes
from core.views.substitutes import SubstitutesRequest, weakness
from pages._cached.cache import keep, view, workspace
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import component, fragment, show_html
from pages._frame.menu import page_address, page_link
from pages._frame.parameters import gone_through_history, read_parameter, write_parameter
from pages._frame.question import token_labels
from pages._widgets import lists

ADDRESS = "quiz"  # the parameter of the number, unless it is the quiz of the day
NUMBER, SEEN, GAMES = "guess.number", f"{ADDRESS}.seen", "guess.games"  # keys of the session
SHOWN = 3  # sentences shown of those that voted
EXPECTED = 5  # words
STYLE = "<style>\n" + Path(__file__).with_suffix(".css").read_text("utf-8") + "</style>"
CARRIED = ("lang", "model")  # URL parameters that select the sentences and the model
# The result as a line to share, with a button that copies it. A browser that forbids copying selects the line instead.
HTML = '<div class="share"><p></p><button type="button"></button><span role="status"></span></div>'
_share_widget = component("guess_share", Path(__file__).with_name("quiz_share"), html=HTML)


def current_number() -> int:
    """Return the number of the quiz: a new one in the URL, else the last played, else today's. Warn of an invalid one in the URL."""
    state = st.session_state
    in_url = read_parameter(ADDRESS)
    if NUMBER not in state or gone_through_history() or (in_url is not None and in_url != state.get(SEEN)):
        state[NUMBER] = quiz.today()
        if in_url is not None:
            try:
                state[NUMBER] = quiz.number_from(in_url)
            except BadInput as error:
                st.warning(t("{fault} Showing today’s quiz.", fault=plain(str(error))), icon=":material/error:")
                return state[NUMBER]
    elif in_url is None and state.get(SEEN) is None and state[NUMBER] < quiz.OTHERS:
        games = state.get(GAMES, {}).items()
        if not any(game.answers for (number, *_), game in games if number == state[NUMBER]):
            state[NUMBER] = quiz.today()  # a new day, and the current quiz has no answer yet
    _set_number(state[NUMBER])
    return state[NUMBER]


def _set_number(number: int) -> None:
    st.session_state[NUMBER] = number
    write_parameter(ADDRESS, None if number == quiz.today() else str(number))


def read_question(in_use: InUse, question: QuizQuestion) -> QuizReading:
    """Return the model's reading of a question. The sentences of the word are encoded once and stored on disk."""
    over = workspace(in_use)
    space = over.sense_space
    options = {"most": 1024, "meanwhile": t("ELMo is reading…")}
    return keep("quiz readings", over.reads("model"), question, lambda: quiz.reading(over.model, question, space), **options)


def describe_answer(quiz_question: QuizQuestion, reading: QuizReading, answer: str) -> list[str]:
    """State in one sentence whether the answer is the model's sense, and whether that is the label's."""
    values = {"read": reading.sense, "label": quiz_question.label}
    is_right = reading.sense == quiz_question.label
    if answer == reading.sense:
        if is_right:
            return [t("<b>1 point:</b> ELMo also chose “{read}”, and is right.", **values)]
        return [t("<b>1 point:</b> ELMo also chose “{read}”, but the label is “{label}”.", **values)]
    if is_right:
        return [t("<b>0 points:</b> ELMo chose “{read}”, and is right.", **values)]
    if answer == quiz_question.label:
        return [t("<b>0 points:</b> ELMo chose “{read}”, and is wrong; you are right.", **values)]
    return [t("<b>0 points:</b> ELMo chose “{read}”; the label is “{label}”.", **values)]


def compare_scores(quiz_questions: Sequence[QuizQuestion], readings: Sequence[QuizReading], answers: Sequence[str]) -> list[str]:
    n = len(quiz_questions)
    mine = sum(answer == quiz_question.label for quiz_question, answer in zip(quiz_questions, answers, strict=True))
    right = sum(reading.sense == quiz_question.label for quiz_question, reading in zip(quiz_questions, readings, strict=True))
    values = {"n": n, "mine": mine, "right": right}
    if mine == right:
        both = t("You tie with ELMo: {right} of {n} right.", **values)
    elif mine > right:
        both = t("You beat ELMo: {mine} of {n} right, ELMo {right}.", **values)
    else:
        both = t("ELMo beats you: {right} of {n} right, you {mine}.", **values)
    return [both, t("Chance: {chance:.1f} points.", chance=sum(1 / len(item.senses) for item in quiz_questions))]


@fragment
def show(in_use: InUse) -> None:
    st.html(STYLE)
    number = current_number()
    language = languages.in_use()
    items = keep("quiz", [("corpus", language.sentences)], (number, language.code), lambda: quiz.quiz(number, language), most=32)
    if not items:
        message = t("No words with two labeled senses in {language}. Choose another model under “Model and data”.", language=language.name)
        raise BadInput(message)
    if not sentences_of(in_use.corpus):
        st.caption(t("This quiz uses {own}, the language’s labeled sentences.", own=plain(language.sentences)))
    game = st.session_state.setdefault(GAMES, {}).setdefault((number, in_use.model, language.code), Game(number))
    head, body = st.container(), st.container()
    done = [read_question(in_use, item) for item in items[: len(game.answers)]]
    with head:
        _show_head(items, game, done)
    with body:
        if game.at >= len(items):
            _show_score(items, game, done)
        else:
            _show_question(items[game.at], game, done[game.at] if game.at < len(done) else None, len(items), in_use)
    if len(done) < len(items):
        read_question(in_use, items[len(done)])  # while the user thinks


def _show_head(quiz_questions: tuple[QuizQuestion, ...], game: Game, done: list[QuizReading]) -> None:
    """Show the quiz, a square for each answer, and both scores: the user's against ELMo's readings, and ELMo's against the labels."""
    hits = game.hits(done)
    right = sum(item.sense == question.label for item, question in zip(done, quiz_questions, strict=False))
    name = t("Quiz of the day: {number}", number=game.number) if game.number == quiz.today() else t("Quiz {number}", number=game.number)
    kinds = ["hit" if hit else "miss" for hit in hits] + ["now" if k == game.at else "" for k in range(len(hits), len(quiz_questions))]
    marks = [html('<i class="{}"></i>', kind) for kind in kinds]
    values = {"hits": sum(hits), "right": right, "n": len(hits)}
    points = t("Your points: <b>{hits} of {n}</b>", **values), t("ELMo right: <b>{right} of {n}</b>", **values)
    line = '<div class="guess-head"><b>{}</b><span class="guess-squares" role="img" aria-label="{}">{}</span>{}</div>'
    show_html(line, name, t("{hits} of {n} match ELMo", **values), marks, [html("<span>{}</span>", part) for part in points])


def _show_question(quiz_question: QuizQuestion, game: Game, quiz_reading: QuizReading | None, n: int, in_use: InUse) -> None:
    message = t("Question {k} of {n}", k=game.at + 1, n=n)
    line = lists.mark_word(quiz_question.tokens, quiz_question.position)
    show_html('<p class="small" style="margin:0">{}</p><p class="guess-line">{}</p>', message, line)
    if quiz_reading is None:
        for k, sense in enumerate(quiz_question.senses):
            meaning = definition(languages.in_use(), quiz_question.word, sense)
            label = f"**{plain(sense, 60)}**" + (f": {plain(meaning, 160)}" if meaning else "")
            options = {"width": "stretch", "shortcut": str(k + 1), "on_click": game.choose, "args": (game.at, sense)}
            st.button(label, key=f"guess.choose.{game.number}.{game.at}.{k}", **options)
        chance = t("Chance: 1 in {n}.", n=len(quiz_question.senses))
        notice([t("ELMo chooses the sense of the labeled sentences nearest to this “{word}”.", word=quiz_question.word), chance])
        return
    answer = game.answers[game.at]
    show_html(
        '<div role="status">{}</div>', [_describe_sense(quiz_question, quiz_reading, k, answer) for k in range(len(quiz_question.senses))]
    )
    notice(describe_answer(quiz_question, quiz_reading, answer))
    _show_expected(quiz_question, in_use)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        label = t("Next question") if game.at + 1 < n else t("Show score")
        key = f"guess.next.{game.number}.{game.at}"  # one key per question: a click on a disappearing button must do nothing
        st.button(label, key=key, type="primary", shortcut="right", on_click=game.show, args=(game.at + 1,))
        address = {"a": quiz_question.text, "ai": token_labels(quiz_question.tokens)[quiz_question.position]}
        page_link("why", t("What decided it?"), icon=":material/content_cut:", query_params=address)
    votes = {"votes": max(quiz_reading.votes), "n": sum(quiz_reading.votes)}
    values = {"sense": quiz_reading.sense, "layer": layer_title(quiz_reading.layer)}
    lines = [
        t("{votes} of the {n} nearest labeled sentences mean “{sense}” ({layer}).", **votes, **values),
        t("The vote is right in {right} of the other {others} sentences.", right=quiz_reading.right, others=quiz_reading.others),
        t("Cosines: after subtracting the mean of “{word}”.", word=quiz_question.word),
    ]
    show_html('<p class="small" style="margin:0.4rem 0 0 0">{}</p>', " ".join(lines))
    lists.keyword_lines(list(quiz_reading.nearest[:SHOWN]), list(quiz_question.senses))


def _show_expected(quiz_question: QuizQuestion, in_use: InUse) -> None:
    word = WordInContext(quiz_question.tokens, quiz_question.position)
    with suppress(ElmoscopeError):  # a transformer, or published weights without a softmax
        (place,) = view(substitutes.compute, workspace(in_use), SubstitutesRequest(words=(word,)))
        words = ", ".join(substitute.word for substitute in place.substitutes[:EXPECTED])
        show_html("<p>{} {}. {}</p>", t("ELMo also expects here:"), words, weakness(word.word, place.weak))


def _describe_sense(quiz_question: QuizQuestion, quiz_reading: QuizReading, k: int, answer: str) -> Markup:
    """Show a sense, its definition, its votes, and who chose it: the user, ELMo or the label."""
    sense = quiz_question.senses[k]
    color = sense_color(k)
    n = sum(quiz_reading.votes)
    whose = ((t("you"), answer, ""), (t("ELMo"), quiz_reading.sense, " elmo"), (t("label"), quiz_question.label, ""))
    chips = [html('<span class="chip{}">{}</span>', kind, name) for name, chosen, kind in whose if chosen == sense]
    votes = t("{votes} of {n}", votes=quiz_reading.votes[k], n=n)
    values = {"sense": sense, "gloss": definition(languages.in_use(), quiz_question.word, sense), "votes": votes, "chips": chips}
    return html(
        '<div class="guess-sense"><span><span class="chip" style="margin:0 0.5rem 0 0;border:0;background:{color};color:{ink}">'
        '{sense}</span><span class="small">{gloss}</span></span><span>{votes}{chips}</span>'
        '<span class="bar"><i style="width:{share:.1%};background:{color}"></i></span></div>',
        **values | {"share": quiz_reading.votes[k] / n, "color": color, "ink": ink(color)},
    )


def _show_score(quiz_questions: tuple[QuizQuestion, ...], game: Game, done: list[QuizReading]) -> None:
    hits = game.hits(done)
    right = sum(item.sense == question.label for item, question in zip(done, quiz_questions, strict=True))
    st.subheader(t("You matched ELMo in {hits} of {n}", hits=sum(hits), n=len(hits)), anchor=False)
    notice(compare_scores(quiz_questions, done, game.answers))
    # The link has the model and the language unless they are the default.
    carried = {key: value for key in CARRIED if (value := read_parameter(key)) is not None}
    parameters = {**page_address("guess")[1], ADDRESS: game.number, **carried}
    link = f"{(st.context.url or '').partition('?')[0]}?{urlencode(parameters)}"
    texts = {"copy": t("Copy"), "copied": t("Copied"), "selected": t("Selected: press Ctrl + C")}
    _share_widget(key="guess.share", data=texts | {"line": quiz.line(game.number, hits, right, link)})
    with st.container(horizontal=True, gap="small"):
        options = {"type": "primary", "icon": ":material/casino:"}
        st.button(
            t("Another quiz"), key="guess.other", on_click=lambda: _set_number(random.randrange(quiz.OTHERS, quiz.LAST + 1)), **options
        )
        if game.number != quiz.today():
            st.button(t("Quiz of the day"), key="guess.today", icon=":material/today:", on_click=lambda: _set_number(quiz.today()))
        st.button(t("Repeat this quiz"), key="guess.again", icon=":material/replay:", on_click=game.begin_again)
    rows = [
        {t("sentence"): quiz_question.text, t("word"): quiz_question.word, t("your answer"): answer, t("ELMo’s choice"): result.sense}
        | {t("vote share"): round(result.share, 3), t("layer"): layer_title(result.layer), t("label"): quiz_question.label}
        for quiz_question, result, answer in zip(quiz_questions, done, game.answers, strict=True)
    ]
    lists.offer_table(rows, name=f"guess-{game.number}", key="guess.table")
