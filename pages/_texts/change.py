"""Change over time: compare the senses of a word, or rank all words, between two corpora or two periods."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from core.common.errors import BadInput
from core.common.i18n import ENGLISH, format_number, t
from core.common.limits import BOX
from core.common.markup import html, shorten
from core.common.significance import LEVEL, format_p
from core.corpus.change import DOCUMENTS, FEWEST, measure_titles
from core.figures.spaces import bands_figure
from core.figures.style import sense_color
from core.files import registry
from core.files.user_names import corpus_title, corpus_titles
from core.text import languages
from core.views import change
from core.views.change import ChangeRequest, Control, RankedWord, WordChange
from core.views.sides import Side, choose, dated_texts, dates_of, keep_news, needs_every_token, split_at
from pages._cached import cache, shared_jobs
from pages._cached.cache import version, view, workspace
from pages._cached.shared_jobs import show_index_state
from pages._frame import examples, question
from pages._frame.choices import choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse, corpus_box
from pages._frame.jobs import Job
from pages._frame.markup import plain, show_errors, show_html
from pages._frame.parameters import read_parameter
from pages._texts import store
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import offer_examples

CORPORA, DATES = "corpora", "dates"
WORD, FIRST, SECOND, SPLIT = "change_word", "change_first", "change_second", "change_split"
SPLIT_CORPUS = "change.split_corpus"  # the session's key of the corpus whose date SPLIT is
TYPICAL = 3  # sentences of a group on a side
JOB, WORD_JOB, LIKE_JOB, MOST_JOBS, AT_LEAST = "changed words", "a changed word", "words of like frequency", 4, 10
RANKED = "change.ranked"  # in the session: the sides whose words are wanted as a list
LIKE = "change.compared"  # in the session: the sides and the word to compare with others
ENGLISH_SENTENCES = languages.get_language(ENGLISH).sentences
EXAMPLE_WORDS = ("court", "spring", "plant")  # used differently in news than in the bundled sentences


def show(in_use: InUse) -> None:
    news = _find_news(in_use)
    sides, word, names = _inputs(in_use, news)
    if sides is None:
        if news:
            title = t("Example: “{word}” in sentences and in news", word=EXAMPLE_WORDS[0])
            values = {WORD: EXAMPLE_WORDS[0], FIRST: ENGLISH_SENTENCES, SECOND: news, "change_by": CORPORA}
            st.button(title, icon=":material/science:", key="change.example", on_click=lambda: st.session_state.update(values))
        store.open_graph(WORD, FIRST, SECOND)
        return
    is_example = bool(news) and sides == (Side(corpus=ENGLISH_SENTENCES), Side(corpus=news))
    for side in sides:
        registry.resolve(side.corpus, "corpus")
    if is_example:
        offer_examples(EXAMPLE_WORDS, "change.word_taken", partial(st.session_state.__setitem__, WORD))
        st.caption(t("No dated corpus ships with Elmoscope. The example compares two genres: example sentences and news."))
    sides_asked = [value for side in sides for value in (side.corpus, side.start, side.end)]
    st.session_state.update({"change.word": word, "change.sides": sides_asked})  # for the notebook
    key = *sides, in_use.model, version(in_use.model, "model"), *(version(side.corpus, "corpus") for side in sides)
    reads_all = bool(word) and any(needs_every_token(workspace(in_use), side, word) for side in sides)
    wanted = st.session_state.get(RANKED) == key or st.session_state.get(LIKE) == (*key, word)
    read = _reading(in_use, sides, wanted=reads_all or wanted)
    if not word:
        st.info(t("No word occurs {n} times on both sides. Add text, or choose another date.", n=FEWEST), icon=":material/library_books:")
    elif read is None or not reads_all:
        with show_errors():  # the list stays if the word fails
            if (result := _compute_change(in_use, sides, word, key)) is not None:
                like = _find_like_job(in_use, sides, word, key) if read is None else None
                _show_word(result, like.result[0] if like and like.result else None, names)
            elif workspace(in_use).sense_space is not None:  # no job reads, so a table was dropped in the meantime
                read = _reading(in_use, sides, wanted=True) or st.rerun()
    _show_others(in_use, sides, word, key, read)
    store.open_graph(WORD, FIRST, SECOND)


def _compute_change(in_use: InUse, sides: tuple[Side, Side], word: str, key: tuple) -> WordChange | None:
    """Compute the change of the word. Return None while a job encodes its sentences."""
    over = workspace(in_use)
    request = ChangeRequest(word=word, first=sides[0], second=sides[1])
    if over.sense_space is not None:  # reads too few sentences to need a turn
        with st.spinner(t("Comparing its sentences…"), show_time=True):
            return view(change.compute, over, request, most=16)

    def work(job: Job) -> WordChange:
        with languages.reading(over.language):
            if (result := change.compute(over, request, job.report)) is None:
                raise BadInput(t("The model has not read this corpus yet. Select it as the corpus first."))
        return result

    options = {"failed": t("The word could not be compared. Try again."), "most": 16, "widget": "change.word", "again": t("Read again")}
    return shared_jobs.result_or_progress(WORD_JOB, (*key, word), work, store.describe_sentences, **options)


def _find_like_job(in_use: InUse, sides: tuple[Side, Side], word: str, key: tuple) -> Job | None:
    """Return the job that compares words of similar frequency, or None if the user has not started it.

    It needs every token of both sides.
    """
    if st.session_state.get(LIKE) != (*key, word) and shared_jobs.find_job(LIKE_JOB, (*key, word)) is None:
        return None
    over = workspace(in_use)
    request = ChangeRequest(word=word, first=sides[0], second=sides[1])
    change.read(over, *sides)  # open the tables here: only the page can show progress

    def work(job: Job) -> tuple[Control | None]:
        with languages.reading(over.language):
            return (change.control(over, request, job.report),)

    job = shared_jobs.job(LIKE_JOB, (*key, word), work, failed=t("The words could not be compared. Try again."), most=MOST_JOBS)
    job.wait(shared_jobs.MAX_WAIT_S)
    return job


def _reading(in_use: InUse, sides: tuple[Side, Side], *, wanted: bool) -> Callable[[], None] | None:
    """Return None if every token of both sides is encoded, else a function that shows the progress. Start the job if `wanted`."""
    find = cache.table_job if wanted else cache.find_table_job
    for side in sides:
        job = find(side.corpus, in_use.model)
        if job is None:
            return lambda: None
        job.wait(shared_jobs.MAX_WAIT_S if wanted else 0)
        if job.result is None:
            return partial(show_index_state, job, partial(cache.go_on, side.corpus, in_use.model))
    return None


def _inputs(in_use: InUse, news: str) -> tuple[tuple[Side, Side] | None, str, tuple[str, str]]:
    """Draw the inputs. Return the two sides (None without two), the word ("" if no word qualifies), and the names of the sides."""
    st.session_state.update(st.session_state.pop("change.filled", {}))  # from the files that the user opened
    places = st.columns([3, 3, 3, 3], vertical_alignment="bottom")
    chosen = [st.session_state.get(key) or read_parameter(key) for key in (FIRST, SECOND, "change_by")]
    is_example = news and all(code in (None, default) for code, default in zip(chosen, (ENGLISH_SENTENCES, news, CORPORA), strict=True))
    usual = EXAMPLE_WORDS[0] if is_example and st.session_state.get("example") == examples.first_word() else question.word()
    what = choice("change_by", t("Between"), {CORPORA: t("corpora"), DATES: t("dates")}, CORPORA, place=places[1])
    sides, names = _sides(in_use, news, what, places)
    if sides is not None:
        with show_errors():
            usual = view(change.opening_word, workspace(in_use), ChangeRequest(word=usual, first=sides[0], second=sides[1]), most=16)
    word = text_box(WORD, t("Word"), "", BOX["word"], place=places[0], placeholder=usual)
    return sides, (word or "").strip() or usual, names


def _sides(in_use: InUse, news: str, what: str, places) -> tuple[tuple[Side, Side] | None, tuple[str, str]]:
    options = list(dict.fromkeys([*registry.available("corpus"), in_use.corpus, *filter(None, [news])]))
    hint = t("Choose, or type a path")
    label = t("First corpus") if what == CORPORA else t("Corpus")
    first = corpus_box(FIRST, label, options, in_use.corpus, place=places[2], placeholder=hint)
    registry.resolve(first, "corpus")  # report a missing corpus before comparing
    if what == CORPORA:
        second = corpus_box(SECOND, t("Second corpus"), options, news or None, place=places[3], placeholder=hint)
        if not second or second == first:
            message = t("Choose a second corpus: add texts of another time or genre, such as news, under Texts.")
            st.info(message, icon=":material/library_books:")
            return None, ("", "")
        names = tuple(shorten(title, 24, end=8) for title in corpus_titles((first, second)))
        return (Side(corpus=first), Side(corpus=second)), names
    texts = dated_texts(workspace(in_use), first)
    dates = dates_of(texts)
    if len(dates) < 2:
        corpus = plain(corpus_title(first))
        if dates:
            message = t("All texts of {corpus} have one date, {date}. Add texts of another.", corpus=corpus, date=dates[0])
        elif example := next(filter(None, texts.dates.names), ""):
            message = t("No date in {corpus} can be read, for example “{date}”.", corpus=corpus, date=plain(shorten(example)))
        else:
            message = t("{corpus} has no dates. Add texts with a date column, or years in their names, under Texts.", corpus=corpus)
        st.info(message, icon=":material/calendar_month:")
        return None, ("", "")
    if st.session_state.get(SPLIT_CORPUS) != first:
        st.session_state.pop(SPLIT, None)  # a date of another corpus
    st.session_state[SPLIT_CORPUS] = first
    split = places[3].select_slider(t("Second side from"), dates[1:], value=dates[len(dates) // 2], key=SPLIT)
    spans = (dates[0], dates[dates.index(split) - 1]), (split, dates[-1])
    return split_at(first, split), tuple(a if a == b else f"{a}–{b}" for a, b in spans)


def _find_news(in_use: InUse) -> str:
    """Return the corpus that the example compares with the bundled English sentences, or "" if other sentences are selected."""
    if in_use.corpus != ENGLISH_SENTENCES:
        return ""
    name = st.session_state.get("change.news", "")
    if not (name and registry.place_of(name, "corpus")):
        name = st.session_state["change.news"] = keep_news()
    return name


def _show_word(result: WordChange, control: Control | None, names: tuple[str, str]) -> None:
    left, right = st.columns([3, 2], gap="large")
    bands = [band.name or names[k] for k, band in enumerate(result.bands)]
    counts = np.array([band.counts for band in result.bands])
    with left:
        st.markdown(t("**Senses on both sides**") if len(bands) == 2 else t("**Senses over time**"))
        listed = [", ".join(f"{n} {group}" for n, group in zip(row, result.names, strict=True)) for row in counts.tolist()]
        shares = "; ".join(f"{name}: {row}" for name, row in zip(bands, listed, strict=True))
        alt = t("Sentences by sense. {shares}.", shares=shares)
        draw(bands_figure(bands, counts, result.names, key="bands"), key="change.bands", alt=alt)
        show_html('<div class="chips">{}</div>', [lists.chip_of(name, sense_color(k)) for k, name in enumerate(result.names)])
    with right:
        st.markdown(t("**How far apart?** Compared with shuffled sentences"))
        rows = [
            {t("distance"): title, t("here"): format_number(measure.value, ".3f"), t("shuffled"): format_number(measure.null, ".3f")}
            | {"p": format_p(measure.p).removeprefix("p ").removeprefix("= ")}
            for title, measure in zip(measure_titles().values(), result.change.measures.values(), strict=True)
        ]
        lists.grid(rows)
        about = t("Shuffled: whole documents, 999 times.")
        if result.change.shuffled != DOCUMENTS:
            about = t("Shuffled: single sentences, 999 times. Those of one document are alike, so p may be too small.")
        st.caption(f"{about} {t('The verdict combines the last two rows.')}")
    notice(_write_notices(result, control))
    if notes := result.left_out.describe():
        st.caption(plain(" ".join(notes)))
    _show_sentences(result, names)
    with st.popover(t("Word usage graph"), icon=":material/download:", help=t("Files as DURel reads them.")):
        for name, text in change.graph_files(result).items():
            st.download_button(name, text.encode(), name, store.TSV, key=f"change.{name}", on_click="ignore")


def _write_notices(result: WordChange, control: Control | None) -> list[str]:
    measured = result.change
    values = {"word": result.word, "p": format_p(measured.p), "n": measured.first, "m": measured.second}
    notes = [t("“{word}”: <b>no difference beyond chance</b> ({p}; {n} and {m} sentences).", **values)]
    if measured.p < LEVEL:
        notes = [t("“{word}” is used <b>differently</b> on the two sides ({p}; {n} and {m} sentences).", **values)]
    if control is not None and control.words:
        notes.append(t("It differs more than {k} of {n} words of similar frequency (APD, layer 1).", k=control.below, n=len(control.words)))
    return [*notes, *filter(None, [change.describe_groups(result)])]


def _show_sentences(result: WordChange, names: tuple[str, str]) -> None:
    on_second = np.arange(len(result.items)) >= result.change.first
    for number, group in enumerate(result.names):
        both = [np.flatnonzero((result.groups == number) & (on_second == side)) for side in (False, True)]
        title = t("{group}: {n} and {m} sentences", group=plain(group), n=len(both[0]), m=len(both[1]))
        with st.expander(title, key=f"change.group.{number}"):
            for column, members, name in zip(st.columns(2, gap="large"), both, names, strict=True):
                nearest = members[np.argsort(-result.closeness[members], kind="stable")][:TYPICAL]
                with column:
                    lists.heading(name, sense_color(number))
                    items = [result.items[k] for k in nearest]
                    lines = [lists.keyword_line(o.tokens, o.position, "", text=o.text, shortened=True) for o in items]
                    show_html("{}", lines or html('<span class="small">{}</span>', t("none")))


def _show_others(in_use: InUse, sides: tuple[Side, Side], word: str, key: tuple, read: Callable[[], None] | None) -> None:
    """Show words of similar frequency and the ranking of all words, each when the user starts it. Both need every token of both sides."""
    st.markdown(t("**Which words differ most?**"))
    places = st.columns([2, 3, 4], vertical_alignment="bottom")
    at_least = int(places[0].number_input(t("On each side at least"), FEWEST, 1_000, AT_LEAST, key="change.least"))
    list_key = (*key, at_least)
    wanted = st.session_state.get(RANKED) == key
    if not wanted and shared_jobs.find_job(JOB, list_key) is None:
        on_click = partial(st.session_state.__setitem__, RANKED, key)
        places[1].button(t("Rank all words"), icon=":material/sort:", key="change.rank", on_click=on_click)
    st.caption(t("Words with {n} or more occurrences on each side, at layer 1; p corrected for their number.", n=at_least))
    is_like = st.session_state.get(LIKE) == (*key, word)
    if word and not is_like and shared_jobs.find_job(LIKE_JOB, (*key, word)) is None:
        on_click = partial(st.session_state.__setitem__, LIKE, (*key, word))
        title = t("Compare “{word}” with others", word=plain(shorten(word, 24)))
        about = t("Does it differ more than {n} words of similar frequency? Reads every word of both sides.", n=change.CONTROLS)
        places[2].button(title, icon=":material/balance:", key="change.like", on_click=on_click, help=about)
    if read is not None:
        read()
        return
    if is_like and (like := shared_jobs.find_job(LIKE_JOB, (*key, word))) is not None and like.result is None:
        shared_jobs.show_state(LIKE_JOB, (*key, word), _progress, widget="change.like", stopped=t("Stopped."), again=t("Compare again"))
    if not wanted and shared_jobs.find_job(JOB, list_key) is None:
        return
    texts = change.read(workspace(in_use), *sides)
    if texts is None:
        return

    def work(job: Job) -> list[RankedWord]:
        return change.rank(texts, job.report, at_least=at_least)

    options = {"failed": t("The words could not be ranked. Try again."), "most": MOST_JOBS, "widget": "change", "again": t("Rank again")}
    if (ranked := shared_jobs.result_or_progress(JOB, list_key, work, _progress, **options)) is None:
        return
    if notes := choose(workspace(in_use), *sides).left_out.describe():
        st.caption(plain(" ".join(notes)))
    table = change.tabulate_ranking(ranked)
    changed = sum(item.corrected < LEVEL for item in ranked)
    st.caption(t("Words that differ beyond chance: {k} of {n}. Select one.", n=len(ranked), k=changed))

    def pressed() -> None:
        if rows := lists.read_selection(st.session_state["change.list"], len(ranked)):
            st.session_state[WORD] = ranked[rows[0]].word

    lists.grid(table, height=320, key="change.list", on_select=pressed, selection_mode="single-row")
    lists.offer_table(table, name="changed-words", key="change.twin")


def _progress(job: Job, left: str) -> str:
    return t("Comparing words: {done:,} of {total:,}, {left} left.", done=job.done, total=job.total, left=left)
