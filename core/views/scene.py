"""The scene of a word in two sentences: its labeled sentences, or the words nearest to either, around both in every space."""

from collections.abc import Sequence

import numpy as np

from ..common.errors import ElmoscopeError
from ..common.model_layers import SENSES
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..index.tables import token_folder
from ..senses import scene
from ..senses.calibration import calibration_of
from ..senses.scene import LabeledDots, NearWords, Scene
from ..text.readings import WordInContext, dictionary_forms
from ..workspace import Word, Workspace, reads_as_model, table_key

MOST_WORDS, MOST_VIEWS = 32, 64  # labeled words, and typed sentences, that are remembered


@reads_as_model
def compute(workspace: Workspace, first: WordInContext, second: WordInContext) -> Scene | None:
    """Return the scene of two words; None where no labeled sentence has both, and the model has no sense space."""
    both = first, second
    space = workspace.sense_space
    queries = workspace.queries(both)
    vectors = scene.layer_vectors(np.stack([query.layers for query in queries]), encode_alone(workspace, [word.word for word in both]))
    word = Word(workspace, first)
    table, lemma = word.table, word.lemma
    if table is not None and second.lemma_in(table) == lemma:
        dots = labeled_dots(workspace, table, lemma)
        if space:
            vectors[SENSES] = space.place(_views(workspace, space, both), dots.mean, lemma)
        own = [np.flatnonzero(table.same_sentence(dots.rows, word.tokens, word.position)) for word in both]
        return scene.add_stars(dots, vectors, [int(rows[0]) if len(rows) else None for rows in own])
    table = _table_of_words(workspace)
    if space is None or table is None:
        return None
    vectors[SENSES] = space.place(_views(workspace, space, both))
    places = workspace.once("words in the sense space", lambda: _place_rows(table, space), table_key(table), space.mark, most=2)
    near = _near_words(workspace, table, both, places @ vectors[SENSES].T)
    return scene.draw_unlabeled(near, _vectors_of(workspace, table, near, places), vectors, calibration_of(workspace).ring)


@reads_as_model
def labeled_dots(workspace: Workspace, table: OccurrenceTable, lemma: str) -> LabeledDots:
    """Return all of a scene that depends on the labeled word alone, computed once."""

    def make() -> LabeledDots:
        return scene.draw_labeled(
            table, lemma, table.labeled_rows(lemma), lambda words: encode_alone(workspace, words), workspace.sense_space
        )

    return workspace.once("scene", make, table_key(table), lemma, most=MOST_WORDS)


@reads_as_model
def encode_alone(workspace: Workspace, words: Sequence[str]) -> np.ndarray:
    """Encode each spelling as a sentence of its own, (n, L, D)."""
    spellings = list(dict.fromkeys(words))
    alone = dict(zip(spellings, workspace.layers_of([(spelling,) for spelling in spellings]), strict=True))
    return np.stack([alone[word][:, 0] for word in words])


def _views(workspace: Workspace, space: SenseSpace, words: Sequence[WordInContext]) -> np.ndarray:
    """Return the typed words (n, V) as the sense space sees them, each computed once."""

    def make(word: WordInContext) -> np.ndarray:
        [query], [layers] = workspace.queries([word]), workspace.layers_of([word.tokens])
        return space.views([(word.tokens, word.position)], query.layers[None], [layers])[0]

    return np.stack([workspace.once("views", lambda word=word: make(word), word.tokens, word.position, most=MOST_VIEWS) for word in words])


def _table_of_words(workspace: Workspace) -> OccurrenceTable | None:
    """Return every token of the language's own sentences if they are encoded, else the labeled ones, or None.

    `workspace.every_token` would make a page start to encode them.
    """
    own = workspace.over(workspace.language.sentences)
    try:
        folder = workspace.once("token folder", lambda: token_folder(own.corpus, workspace.model), own.corpus)
        if (folder / "meta.json").is_file():
            return workspace.once("token table", lambda: OccurrenceTable(folder).basic, own.corpus)
        return own.targets.basic
    except ElmoscopeError:
        return None


def _place_rows(table: OccurrenceTable, space: SenseSpace) -> np.ndarray:
    """Return all rows (N, D) in the sense space, by the map of all words."""
    pieces = np.array_split(np.arange(len(table)), max(1, len(table) // 4096))
    return np.concatenate([space.place(space.of_rows(table, rows)) for rows in pieces])


def _near_words(workspace: Workspace, table: OccurrenceTable, both: Sequence[WordInContext], cosines: np.ndarray) -> NearWords:
    """Return the content words near both sentences, with (N, 2) cosines."""
    may_answer = workspace.once("content words", lambda: _content_words(workspace, table), table_key(table), most=2)
    for word in both:
        lemma = word.lemma_in(table)
        may_answer = may_answer & ~table.same_word(word.word, (lemma,) if lemma else (), word.read_as)

    def name(row: int) -> str:
        word = table.words[table.word[row]]
        return table.lemmas[table.lemma[row]] if table.lemma[row] >= 0 else next(iter(dictionary_forms(word)), word)

    return scene.find_near_words(table, cosines.T, may_answer, name)


def _content_words(workspace: Workspace, table: OccurrenceTable) -> np.ndarray:
    """Return which rows (N,) are content words of three letters or two syllables. A piece of a Korean word begins with a joiner."""
    function = workspace.word_lists.function
    codes = [code for code, word in enumerate(table.words) if len(word) > word.isascii() + 1 and word.isalpha() and word not in function]
    return np.isin(table.word, codes)


def _vectors_of(workspace: Workspace, table: OccurrenceTable, near: NearWords, places: np.ndarray) -> dict[str, np.ndarray]:
    """Return the rows of the words in every space."""
    written = [occurrence.tokens[occurrence.position] for occurrence in map(table.occurrence, near.rows.tolist())]
    return scene.layer_vectors(table.rows.take(near.rows), encode_alone(workspace, written)) | {SENSES: places[near.rows]}
