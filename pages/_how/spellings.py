"""Step 4 of How it works: the spelling vectors of any words, their neighbors next to GloVe's, the active windows, and the cosines."""

import time
from collections.abc import Iterable

import numpy as np
import streamlit as st

from core.analysis.spelling import Firing, Spellings, cosine_matrix, firing, list_words, split_words
from core.common.i18n import t
from core.common.limits import limits
from core.common.markup import html, plain, shorten
from core.figures.style import GLOVE, LAYER_COLORS
from core.figures.walk import cosine_table, letter_marks, windows_figure
from core.static.vectors import StaticNeighbor, StaticVectors
from core.text.tokens import write_word
from core.workspace import Workspace
from pages._cached import shared_jobs
from pages._cached.cache import keep, view_part, workspace
from pages._frame import examples
from pages._frame.choices import choice, text_box
from pages._frame.in_use import InUse
from pages._frame.jobs import Job
from pages._frame.markup import fragment, show_errors, show_html
from pages._how.texts import Rows
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import offer_examples

MOST_WORDS = 8
NEIGHBORS = 6
ENOUGH = 1_000  # words that a page reads itself, before it shows the nearest of them


def draw_spellings(in_use: InUse) -> tuple[list[str], Rows]:
    """Draw the windows, both models' neighbors and the cosines of the typed words."""
    text, among = _inputs()
    words, left_out = split_words(text, MOST_WORDS)
    if not words:
        st.info(t("Type a word or choose an example."), icon=":material/edit:")
        return [t("No spelling is typed.")], []
    if left_out:
        st.caption(t("First {n} words only ({left_out:,} left out).", n=MOST_WORDS, left_out=left_out))
    over = workspace(in_use)
    vectors = over.vectors
    spellings, is_own = vocabulary(over)
    upto = min(among or len(spellings.words), len(spellings.words))
    if spellings.read < upto:
        with show_errors():  # of too many jobs, for example: the neighbors among the words read so far are shown
            read_words(over, spellings, upto)
    results = [view_part("model.encoder.model.characters", firing, over, word, most=512) for word in words]
    rows = over.model.encoder.word_vectors(list(words))
    n = min(spellings.read, upto)
    neighbors = spellings.nearest(rows, NEIGHBORS, among=upto, exclude=words)
    static = [vectors.neighbors(word, NEIGHBORS) if word in vectors else None for word in words]
    _show_word(results, neighbors, static, vectors)
    marks = [html('<span style="display:inline-block;margin-right:1.2rem">{}</span>', letter_marks(firing)) for firing in results]
    show_html('<div style="overflow-wrap:anywhere;line-height:2.2">{}</div>', marks)
    ours, theirs = cosine_matrix(list(rows)), cosine_matrix([vectors.vector(word) for word in words])
    key = spellings.file, upto
    if n < upto and shared_jobs.find_job("spellings", key) is not None:
        shared_jobs.show_state("spellings", key, _describe_progress, widget="spell", stopped=t("Reading stopped."), again=t("Continue"))
    values = {"n": n, "all": len(spellings.words), "source": t("the model’s vocabulary") if is_own else t("words of the static vectors")}
    st.caption(t("Layer 0 neighbors: among the {n:,} most frequent of {all:,} words ({source}).", **values))
    lower = tuple(word for word in words if vectors.spelling(word) not in (None, word))
    usual = spellings.usual_cosine(max(2, sum(not firing.is_unread for firing in results)))
    if len(words) > 1:
        _show_cosines(words, ours, theirs, vectors.name)
    table = []
    for word, of_layer_0, of_glove in zip(words, neighbors, static, strict=True):
        for source, listed in ((t("layer 0"), of_layer_0), (t("GloVe"), of_glove or ())):
            for rank, item in enumerate(listed, 1):
                row = {t("word"): word, t("model"): source, t("rank"): rank}
                table.append(row | {t("neighbor"): write_word(item.word), t("cosine"): round(item.cosine, 4)})
    return write_notices(results, neighbors, static, ours, usual, lower), table


def _inputs() -> tuple[str, int | None]:
    """Draw the inputs. Return the words and how many of the most frequent words to search, None for all."""
    titles = {
        "family": t("Related words"),
        "typos": t("Typos"),
        "inflections": t("Inflections"),
        "invented": t("Invented words"),
        "names": t("Names"),
        "scripts": t("Korean, emoji, accents"),
    }
    texts = examples.spelling()
    labels = {name: f":material/format_quote: {titles[name]}" for name in texts}
    offer_examples(list(texts), "spell_example", lambda name: st.session_state.update(spell=texts[name]), format_func=labels.get)
    columns = st.columns([5, 3], vertical_alignment="bottom")
    hint = t("Type real or invented words")
    text = text_box("spell", t("Words"), next(iter(texts.values())), limits().max_text, place=columns[0], placeholder=hint)
    amounts = {"10000": t("the 10,000 most frequent"), "all": t("all of its words")}
    about = t("Read once and kept on disk. 10,000 words take seconds.")
    among = choice("spell_among", t("Neighbors from"), amounts, "10000", place=columns[1], widget="selectbox", help=about)
    return text or "", None if among == "all" else int(among)


@fragment
def _show_word(firings: list[Firing], neighbors: list, static: list, vectors: StaticVectors) -> None:
    names = {str(k): plain(firing.word, 24) for k, firing in enumerate(firings)}
    options = {"format_func": names.get, "key": "spell_word", "label_visibility": "collapsed"}
    chosen = st.segmented_control(t("Word"), list(names), default="0", **options)
    k = int(chosen) if chosen in names else 0
    item = firings[k]
    left, right = st.columns([5, 3], gap="large")
    with left:
        alt = t("Letters of “{word}” and the windows that make its vector.", word=shorten(item.word))
        draw(windows_figure(item), key="spelling.windows", alt=alt)
        st.caption(reading_guide(item))
    with right:
        _show_neighbors(item, neighbors[k], static[k], vectors)


def _show_neighbors(firing: Firing, neighbors: list[StaticNeighbor], static: list[StaticNeighbor] | None, vectors: StaticVectors) -> None:
    unread = t("no known letter sequence: meaningless")
    lists.heading(t("Layer 0"), LAYER_COLORS["0"], unread if firing.is_unread else t("from the letters alone"))
    if neighbors:
        lists.word_lines([(write_word(n.word), n.cosine, "") for n in neighbors])
    else:
        show_html('<p class="small">{}</p>', t("Reading the vocabulary…"))
    spelling = vectors.spelling(firing.word)
    read_as = t("read as “{word}”", word=spelling) if spelling not in (None, firing.word) else t("one vector per spelling")
    lists.heading(t("GloVe"), GLOVE, read_as if spelling else t("no vector"))
    if static:
        lists.word_lines([(write_word(n.word), n.cosine, "") for n in static])


def _show_cosines(words: tuple[str, ...], ours: np.ndarray, theirs: np.ndarray, name: str) -> None:
    tables = (t("Layer 0"), ours, LAYER_COLORS["1"], "ours"), (name, theirs, GLOVE, "theirs")
    place = st.expander(t("How similar are your words?"), icon=":material/grid_on:", key="spelling.cosines")
    for column, (title, matrix, color, key) in zip(place.columns(2, gap="large"), tables, strict=True):
        with column:
            lists.heading(title, color)
            alt = t("{title}: {words}.", title=title, words=", ".join(words))
            draw(cosine_table(words, matrix, color, key=key), key=f"spelling.{key}", alt=alt)


def write_notices(
    firings: list[Firing], neighbors: list, static: list, cosines: np.ndarray, usual: float | None, lower: tuple[str, ...]
) -> list[str]:
    """State which words GloVe lacks or reads in lower case (`lower`), the nearest pair with chance (`usual`), and unread words."""
    rows = [k for k, firing in enumerate(firings) if not firing.is_unread]
    pair = _describe_pair([firings[k] for k in rows], cosines[np.ix_(rows, rows)], usual)
    unread = _quoted(firing.word for firing in firings if firing.is_unread)
    last = [t("The model knows no sequence of letters in {words}.", words=unread)] if unread else []
    return [*_describe_unknown(firings, neighbors, static, lower), *pair, *last]


def _describe_unknown(firings: list[Firing], nearest: list, static: list, lower: tuple[str, ...]) -> list[str]:
    missing = [k for k, neighbors in enumerate(static) if neighbors is None]
    if not missing:
        if lower:
            return [t("GloVe knows every word, but reads {words} in lowercase.", words=_quoted(lower))]
        return [t("GloVe knows every word.")]
    lines = [t("Not in GloVe: {words}.", words=_quoted(firings[k].word for k in missing))]
    if (k := next((k for k in missing if nearest[k] and not firings[k].is_unread), None)) is not None:
        named = {"word": shorten(firings[k].word, 24), "best": shorten(write_word(nearest[k][0].word), 24), "cosine": nearest[k][0].cosine}
        lines.append(t("Layer 0's nearest to “{word}”: “{best}” ({cosine:.2f}).", **named))
    return lines


def _describe_pair(firings: list[Firing], cosines: np.ndarray, usual: float | None) -> list[str]:
    if len(firings) < 2:
        return []
    others = np.where(np.eye(len(firings), dtype=bool), -np.inf, cosines)
    a, b = sorted(np.unravel_index(int(others.argmax()), others.shape))
    named = {"a": shorten(firings[a].word, 24), "b": shorten(firings[b].word, 24), "cosine": float(cosines[a, b])}
    nearest = t("Your closest words: “{a}” and “{b}” ({cosine:.2f}).", **named)
    values = {"n": len(firings), "usual": usual}
    if usual is None:
        return [nearest]
    if round(named["cosine"], 2) > round(usual, 2):
        return [nearest, t("Chance: 95% of sets of {n} random words stay below {usual:.2f}.", **values)]
    return [nearest, t("No closer than chance: 5% of sets of {n} random words have a pair at {usual:.2f} or above.", **values)]


def reading_guide(firing: Firing) -> str:
    """Return Markdown on how to read the picture of the windows, and what it does not show. It has no text of the user."""
    parts = [t("Above: contribution of each letter by window width. Below: the strongest windows. ‹ and › mark the word’s ends.")]
    if firing.exact:
        parts.append(t("Shares plus {rest:+z.0%} from bias and marks make 100%. Orange is negative.", rest=firing.unlettered))
    else:
        parts.append(t("Filter strengths: the highway layer mixes them, so exact shares do not exist."))
    return " ".join([*parts, *([t("Characters past 48 bytes, not read: {n:,}.", n=firing.cut)] if firing.cut else ())])


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"“{shorten(word, 24)}”" for word in words)


def vocabulary(over: Workspace) -> tuple[Spellings, bool]:
    """Return the model's vocabulary, or the words of the static vectors if the model has none, and whether it is the model's."""

    def begin() -> tuple[Spellings, bool]:
        words, is_own = list_words(over.model.folder, over.vectors)
        return Spellings(words, over.model.fingerprint, over.model.encoder.model.shape.projection), is_own

    return keep("spellings", over.reads("model", "vectors"), None, begin, most=3, weighed=False)


def read_words(over: Workspace, spellings: Spellings, upto: int) -> None:
    """Encode the first words here, up to ENOUGH, and the others up to number `upto` in a job."""
    if spellings.read < min(ENOUGH, upto):
        with st.spinner(t("Reading the vocabulary…")):
            spellings.extend(over.model.encoder, min(ENOUGH, upto))
    if spellings.read >= upto:
        return

    def work(job: Job) -> int:
        started = time.monotonic()
        before = spellings.read
        job.report(before, upto, 0.0)

        def report(done: int, total: int) -> None:
            job.report(done, total, (done - before) / max(time.monotonic() - started, 1e-9))

        spellings.extend(over.model.encoder, upto, report=report)
        return spellings.read

    key = spellings.file, upto
    job = shared_jobs.job("spellings", key, work, failed=t("Reading failed."), most=3)
    if job.result is not None:
        shared_jobs.drop("spellings", key)  # it must run again if the vocabulary is opened again and its file is gone


def _describe_progress(job: Job, left: str) -> str:
    values = {"n": job.done, "upto": job.total, "speed": job.speed, "left": left}
    return t("Reading the vocabulary: {n:,} of {upto:,} words, {speed:,.0f} per second, {left} left.", **values)
