"""One dot or a cloud for a word without labelled senses: every sentence with it, or else the words around, by which of yours it is nearer to."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import t, tn
from core.elmo.mix import layer_weights
from core.figures.cloud import UNDECIDED, dot_figure, lean_figure, share_bars
from core.figures.style import GLOVE, layer_colour, layer_title, mark, sense_colour
from core.index import neighbours
from core.senses import cloud
from core.text import languages, word_in_question
from core.text.tokens import JOINER, bare
from core.views import levels
from pages._cached import opened
from pages._cached.progress import show_state
from pages._cached.views import bench
from pages._cloud import notices
from pages._frame import markup
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen
from pages._word import verdict_words

ENOUGH = 8  # sentences with the word, from which on they are the cloud; below, the words around each sentence's vector are
AROUND, LOOKED_AT = 14, 80  # words shown of each side, and of how many nearest they are chosen


@dataclass(frozen=True, slots=True)
class Cloud:
    """What stands around the two sentences' vectors: sentences with the word, or words."""

    labels: list[str]  # words; [] where the dots are sentences
    texts: list[str]  # of each dot: a sentence, or a word with how many sentences it is the mean of
    hovers: list[str]  # HTML
    first: np.ndarray  # (n,) cosines with the word in the first sentence
    second: np.ndarray
    occurrences: int  # sentences with the word there are, the visitor's own left out

    @property
    def sides(self) -> np.ndarray:
        return cloud.sides(self.first, self.second)


def show(in_use: InUse, first: Chosen, second: Chosen, layer: str, why: str, height: int, picture) -> None:
    """Why, legend and two panels in the container `picture`; bars, what to notice, table twin; both sentences have a word."""
    names = [t("your first sentence"), t("your second sentence")]
    words = (bare(first.word), bare(second.word))
    with picture:
        chips = [lists.chip_of(name, sense_colour(k)) for k, name in enumerate(names)] + [lists.chip_of(t("too close to call"), UNDECIDED)]
        show_html('<div class="chips"><span class="small">{}</span> {}</div>', why, chips)
        left, right = st.columns(2, gap="large")
    shares: list[tuple[str, dict]] = []
    with right:
        found = _cloud(in_use, first, second, layer, names, height)
    with left:
        static = _static(in_use, first, second, names, height)
    if static is not None:
        shares.append((t("GloVe"), cloud.side_shares(static[1], names)))
    if found is not None and not found.labels and len(found.first):
        shares.append((model_layers.in_use().called, cloud.side_shares(found.sides, names)))
    if shares:
        named = "; ".join(f"{label}: {notices.in_plain_words(each, t('too close to call'))}" for label, each in shares)
        draw(share_bars(shares, names), key="cloud.shares", alt=t("Bars of what each dot's surroundings lean to. {named}.", named=named))
    if level := levels.level(bench(in_use), layer):
        st.caption(verdict_words.random_sentence(level, layer))
    if found is None:
        notice([t("The cloud of “{word}” appears as soon as every word of these sentences is read.", word=notices.in_question(*words))])
        return
    notice(notices.noticed_own(words, layer, found, static[1] if static else None))
    lists.twin(notices.own_table(found, static, names), name="cloud", key="cloud.table")


def _static(in_use: InUse, first: Chosen, second: Chosen, names: list[str], height: int):
    """GloVe's dot and its neighbours by what the two sentences speak of; (neighbours, sides), None where it has no such word."""
    word = first.word.casefold()
    lists.heading(t("GloVe: one dot"), GLOVE, t("“{word}” and its 50 nearest words, by what your sentences speak of", word=bare(word)))
    vectors = opened.vectors(in_use.vectors)
    try:
        near = vectors.neighbours(word, 50)
    except BadInput as error:
        st.info(markup.plain(error), icon=":material/search_off:")
        return None
    own = {first.word.casefold(), second.word.casefold()}
    topics = [[w for w in content(c.tokens) if w not in own] for c in (first, second)]
    sides = cloud.topic_sides([n.word for n in near], *topics, vectors)
    told = sides if sides is not None else np.full(len(near), -1)
    figure = dot_figure(
        bare(word), [bare(n.word) for n in near], [n.cosine for n in near], told.tolist(), names, height=height, key=f"cloud.{word}"
    )
    alt = t("GloVe's one dot of “{word}” in the middle, its {n} nearest words round it.", word=bare(word), n=len(near))
    draw(figure, key="cloud.dot", alt=alt)
    if sides is None:
        st.caption(
            t(
                "One of your sentences has no other word that GloVe knows and that says more than grammar, so its neighbours are not coloured."
            )
        )
        return None
    return near, sides


def content(tokens: tuple[str, ...]) -> list[str]:
    """The words of a sentence that carry more than grammar, in lower case, as the vectors spell them."""
    return [tokens[one.position].casefold() for one in word_in_question.candidates(tokens, languages.in_use())]


def _cloud(in_use: InUse, first: Chosen, second: Chosen, layer: str, names: list[str], height: int) -> Cloud | None:
    where = layer_title(layer)
    job = opened.table_job(in_use.corpus, in_use.model)
    job.wait(1.0)
    if job.result is None:
        lists.heading(
            t("{model}: a cloud", model=model_layers.in_use().called), layer_colour(layer), t("every word of the sentences is read once")
        )
        show_state(job, lambda: opened.go_on(in_use.corpus, in_use.model))
        return None
    found = _found(in_use, first, second, layer)
    told = {"word": notices.in_question(bare(first.word), bare(second.word)), "n": found.occurrences, "where": where}
    if not found.labels:
        note = tn("{n} sentence with “{word}” at {where}", "{n} sentences with “{word}” at {where}", found.occurrences, **told)
    elif found.occurrences:
        note = tn(
            "one other sentence here holds “{word}”, so: the words nearest to it at {where}",
            "“{word}” stands in {n} other sentences here, so: the words nearest to it at {where}",
            found.occurrences,
            **told,
        )
    else:
        note = t("no other sentence here holds “{word}”, so: the words nearest to it at {where}", word=told["word"], where=where)
    if not len(found.first):  # said below, where there is no picture
        return found
    lists.heading(t("{model}: a cloud", model=model_layers.in_use().called), layer_colour(layer), note)
    figure = lean_figure(
        found.first, found.second, found.sides, found.hovers, (names[0], names[1]), labels=found.labels, height=height, key="cloud.lean"
    )
    counts = {"first": int((found.sides == 0).sum()), "second": int((found.sides == 1).sum())}
    alt = tn(
        "{n} dot by which of your sentences it is nearer to: {first} to the first, {second} to the second.",
        "{n} dots by which of your sentences they are nearer to: {first} to the first, {second} to the second.",
        len(found.first),
        **counts,
    )
    draw(figure, key="cloud.map", alt=alt)
    return found


def _found(in_use: InUse, first: Chosen, second: Chosen, layer: str) -> Cloud:
    """The sentences with the word where there are ENOUGH, else the words nearest to either sentence's vector."""
    table = opened.table_job(in_use.corpus, in_use.model).result
    weights = layer_weights(layer, table.meta["layers"])
    here = np.zeros(len(table), bool)
    for one in (first, second):
        here |= table.same_word(one.word, read_as=one.read_as)
    queries = opened.queries(in_use.model, (first.asked, second.asked))
    for query in queries:
        here &= ~table.own_row(query)
    rows = np.flatnonzero(here)
    if len(rows) >= ENOUGH:
        cosines = [neighbours.cosines(table.rows, opened.query_products(table, query), weights)[rows] for query in queries]
        occurrences = [table.occurrence(int(row)) for row in rows]
        texts = [o.sentence for o in occurrences]
        return Cloud([], texts, [mark(o.tokens, o.position) for o in occurrences], *cosines, len(rows))
    cosines = [neighbours.cosines(table.types, opened.query_products(table, query, types=True), weights) for query in queries]
    words = _around(table, cosines, {first.word.casefold(), second.word.casefold()})
    counts = np.bincount(table.word, minlength=len(table.words))
    labels = [bare(table.words[k]) for k in words]
    texts = [
        tn("{word}, in {n} sentence", "{word}, in {n} sentences", int(counts[k]), word=label)
        for label, k in zip(labels, words, strict=True)
    ]
    return Cloud(labels, texts, texts, cosines[0][words], cosines[1][words], len(rows))


def _around(table, cosines: list[np.ndarray], own: set[str]) -> list[int]:
    """Numbers of the words nearest to either vector that carry more than grammar; nobody twice."""
    function = word_in_question.words_of(languages.in_use()).function
    found = dict[int, None]()
    for each in cosines:
        near = (int(k) for k in np.argsort(-each, kind="stable")[:LOOKED_AT])
        telling = [k for k in near if _tells(table.words[k], function) and table.words[k] not in own]
        found |= dict.fromkeys(telling[:AROUND])
    return list(found)


def _tells(word: str, function: frozenset[str]) -> bool:
    """Whether a spelling carries more than grammar: no mark, no particle or ending, on no list of such words."""
    return any(map(str.isalpha, word)) and not word.startswith(JOINER) and bare(word) not in function
