"""The scene of a word in two sentences: its labeled sentences, or the words nearest to either, around the two in every space."""

from collections.abc import Sequence

import numpy as np

from core.common.errors import ElmoscopeError
from core.common.model_layers import SENSES
from core.index.sense_space import SenseSpace
from core.index.table import OccurrenceTable
from core.index.tables import token_folder
from core.senses import scene
from core.senses.scene import LabeledDots, NearWords, Scene
from core.text.dictionary_forms import dictionary_forms
from core.text.readings import WordInContext
from core.views.levels import judge, labels
from core.workbench import Bench, reads_as_model, table_key

MOST_WORDS, MOST_VIEWS = 32, 64  # labeled words, and typed sentences, that are remembered


@reads_as_model
def compute(bench: Bench, first: WordInContext, second: WordInContext) -> Scene | None:
    """Return the scene of two words; None where no labeled sentence has both, and the model has no sense space."""
    both = first, second
    space = judge(bench).sense_space
    queries = bench.queries(both)
    vectors = scene.layer_vectors(np.stack([query.layers for query in queries]), encode_alone(bench, [word.word for word in both]))
    table, lemma = judge(bench).labelled(first, labels(bench))
    if table is not None and second.lemma_in(table) == lemma:
        dots = labeled_dots(bench, table, lemma)
        if space:
            vectors[SENSES] = space.place(_views(bench, space, both), dots.mean, lemma)
        own = [np.flatnonzero(table.same_sentence(dots.rows, word.tokens, word.position)) for word in both]
        return scene.add_stars(dots, vectors, [int(rows[0]) if len(rows) else None for rows in own])
    table = _table_of_words(bench)
    if space is None or table is None:
        return None
    vectors[SENSES] = space.place(_views(bench, space, both))
    places = bench.once("words in the sense space", lambda: _place_rows(table, space), table_key(table), space.mark, most=2)
    near = _near_words(bench, table, both, places @ vectors[SENSES].T)
    return scene.draw_unlabeled(near, _vectors_of(bench, table, near, places), vectors, judge(bench).ground().ring)


@reads_as_model
def labeled_dots(bench: Bench, table: OccurrenceTable, lemma: str) -> LabeledDots:
    """Return all of a scene that depends on the labeled word alone, computed once."""

    def make() -> LabeledDots:
        return scene.draw_labeled(
            table, lemma, table.labelled_rows(lemma), lambda words: encode_alone(bench, words), judge(bench).sense_space
        )

    return bench.once("scene", make, table_key(table), lemma, most=MOST_WORDS)


@reads_as_model
def encode_alone(bench: Bench, words: Sequence[str]) -> np.ndarray:
    """(n, L, D) of each spelling as a sentence of its own."""
    spellings = list(dict.fromkeys(words))
    alone = dict(zip(spellings, bench.layers_of([(spelling,) for spelling in spellings]), strict=True))
    return np.stack([alone[word][:, 0] for word in words])


def _views(bench: Bench, space: SenseSpace, words: Sequence[WordInContext]) -> np.ndarray:
    """(n, V): typed words as the sense space sees them, each computed once."""

    def make(word: WordInContext) -> np.ndarray:
        [query], [layers] = bench.queries([word]), bench.layers_of([word.tokens])
        return space.views([(word.tokens, word.position)], query.layers[None], [layers])[0]

    return np.stack([bench.once("views", lambda word=word: make(word), word.tokens, word.position, most=MOST_VIEWS) for word in words])


def _table_of_words(bench: Bench) -> OccurrenceTable | None:
    """Every token of the language's own sentences where they are encoded, else the labeled ones; None where the language has none.

    Not `bench.every_token`: a page would begin to encode them.
    """
    own = bench.over(bench.language.sentences)
    try:
        folder = bench.once("token folder", lambda: token_folder(own.corpus, bench.model), own.corpus)
        if (folder / "meta.json").is_file():
            return bench.once("token table", lambda: OccurrenceTable(folder), own.corpus)
        return own.targets
    except ElmoscopeError:
        return None


def _place_rows(table: OccurrenceTable, space: SenseSpace) -> np.ndarray:
    """(N, D): all rows in the sense space, by the map of all words."""
    pieces = np.array_split(np.arange(len(table)), max(1, len(table) // 4096))
    return np.concatenate([space.place(space.of_rows(table, rows)) for rows in pieces])


def _near_words(bench: Bench, table: OccurrenceTable, both: Sequence[WordInContext], cosines: np.ndarray) -> NearWords:
    """The other words near both sentences, (N, 2) cosines; words that carry grammar tell nothing."""
    may_answer = bench.once("content words", lambda: _content_words(bench, table), table_key(table), most=2)
    for word in both:
        lemma = word.lemma_in(table)
        may_answer = may_answer & ~table.same_word(word.word, (lemma,) if lemma else (), word.read_as)

    def name(row: int) -> str:
        word = table.words[table.word[row]]
        return table.lemmas[table.lemma[row]] if table.lemma[row] >= 0 else next(iter(dictionary_forms(word)), word)

    return scene.find_near_words(table, cosines.T, may_answer, name)


def _content_words(bench: Bench, table: OccurrenceTable) -> np.ndarray:
    """(N,) bool: rows of words of three letters or two syllables that carry no grammar; a piece of a Korean word begins with a joiner."""
    function = bench.word_lists.function
    codes = [code for code, word in enumerate(table.words) if len(word) > word.isascii() + 1 and word.isalpha() and word not in function]
    return np.isin(table.word, codes)


def _vectors_of(bench: Bench, table: OccurrenceTable, near: NearWords, places: np.ndarray) -> dict[str, np.ndarray]:
    """The rows of the words in every space."""
    written = [occurrence.tokens[occurrence.position] for occurrence in map(table.occurrence, near.rows.tolist())]
    return scene.layer_vectors(table.rows.take(near.rows), encode_alone(bench, written)) | {SENSES: places[near.rows]}
