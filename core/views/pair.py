"""One word in two sentences: the verdict, the scene around both, and the vector products that any layer mix needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..analysis.random_pairs import mean_random_cosines
from ..common.model_layers import SENSES
from ..elmo.mix import gram, mix_cosines, stops
from ..index.sense_space import MOST_READ
from ..index.table import OccurrenceTable
from ..senses import scene, verdict
from ..senses.calibration import calibration_for, calibration_of, choose_rows
from ..senses.scene import LabeledDots, Scene
from ..senses.verdict import Verdict
from ..text.readings import WordInContext, dictionary_forms
from ..text.target_word import words_of
from ..text.tokens import bare
from ..workspace import Word, Workspace, reads_as_model, table_key

READS = ("model", "vectors", "corpus")
MOST_WORDS = 32  # cached labeled words


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRequest:
    """Two words in their sentences."""

    first: WordInContext
    second: WordInContext


@dataclass(frozen=True, slots=True)
class Judgment:
    """The verdict on a word in two sentences, and what it was computed from."""

    verdict: Verdict | None  # None unless both are forms of one word
    lemma: str  # the labeled word whose sentences vote; "" without labels
    layer: str  # the layer that separates the word's meanings best


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pair:
    """All results about two words in their sentences."""

    words: tuple[str, str]  # without punctuation
    judgment: Judgment
    scene: Scene | None  # None for unlabeled words of a model without a sense space
    static: float | None  # GloVe's cosine; None if a word has no vector
    random: Mapping[str, float]  # mean cosine of two random words, by space
    cosines: Mapping[str, float]  # by layer, and last the mix
    bars: Mapping[str, float]  # all cosines, with GloVe's first
    same: bool  # whether both have one spelling, ignoring case, and so one vector in GloVe


@reads_as_model
def compute(workspace: Workspace, request: PairRequest) -> Pair:
    """Return all results of a pair. Raises MissingArtifact without static vectors."""
    both = request.first, request.second
    cosines = space_cosines(workspace, *both)
    static = workspace.vectors.cosine(both[0].word, both[1].word)
    words = bare(both[0].word), bare(both[1].word)
    return Pair(
        words=words,
        judgment=judge(workspace, *both),
        scene=draw_scene(workspace, *both),
        static=static,
        random=mean_random_cosines(workspace, workspace.layers.spaces),
        cosines=cosines,
        bars=cosines if static is None else {"GloVe": static, **cosines},
        same=words[0].casefold() == words[1].casefold(),
    )


@reads_as_model
def judge(workspace: Workspace, first: WordInContext, second: WordInContext) -> Judgment:
    """Return the verdict on both words, by the labels of the selected corpus where it has some."""
    words = [Word(workspace, context) for context in (first, second)]
    if result := verdict.compare(*words):
        return Judgment(result, result.lemma, result.layer)
    labeled = next((word for word in words if word.table is not None), None)
    layer = calibration_for(labeled).words[labeled.lemma].layer if labeled else calibration_of(workspace).layer
    return Judgment(None, "", layer)


@reads_as_model
def space_cosines(workspace: Workspace, first: WordInContext, second: WordInContext) -> dict[str, float]:
    """Return the cosine of both words by layer, last the mix. This needs neither labels nor static vectors."""
    a, b = (query.layers for query in workspace.queries((first, second)))
    gram_a, gram_b = gram(np.stack([a, b]))
    values = mix_cosines((a @ b.T)[None], gram_a, gram_b[None], stops(len(a)))[:, 0]
    return dict(zip(workspace.layers.spaces, map(float, values), strict=True))


@reads_as_model
def draw_scene(workspace: Workspace, first: WordInContext, second: WordInContext) -> Scene | None:
    """Return the scene of two words; None where no labeled sentence has both, and the model has no sense space."""
    workspace.layers_of([first.tokens, second.tokens, (first.word,), (second.word,)])  # in one batch
    a, b = both = [Word(workspace, context) for context in (first, second)]
    space = workspace.sense_space
    vectors = scene.layer_vectors(np.stack([a.layers, b.layers]), np.stack([a.alone, b.alone]))
    parts = np.stack([word.sense_parts for word in both]) if space else None
    if a.table is not None and second.lemma_in(a.table) == a.lemma:
        dots = labeled_dots(workspace, a.table, a.lemma)
        if space:
            vectors[SENSES] = space.place(parts, dots.mean, a.lemma)
        own_rows = [np.flatnonzero(a.table.same_sentence(dots.rows, word.tokens, word.context.position)) for word in both]
        return scene.add_stars(dots, vectors, [int(rows[0]) if len(rows) else None for rows in own_rows])
    table = workspace.language_tokens
    if space is None or table is None:
        return None
    vectors[SENSES] = space.place(parts)

    def place_rows() -> np.ndarray:  # (N, D) by the map of all words
        pieces = np.array_split(np.arange(len(table)), max(1, len(table) // 4096))
        return np.concatenate([space.place(space.of_rows(table, rows)) for rows in pieces])

    places = workspace.once("words in the sense space", place_rows, table_key(table), space.mark, most=2)
    rows, star_of = _near_words(workspace, table, (first, second), places @ vectors[SENSES].T)
    written = [tokens[position] for tokens, position in table.places(rows)]
    points = scene.layer_vectors(table.rows.take(rows), encode_alone(workspace, written)) | {SENSES: places[rows]}
    words = [table.words[code] for code in table.word[rows]]
    return scene.draw_unlabeled(words, star_of, points, vectors, calibration_of(workspace).ring)


@reads_as_model
def labeled_dots(workspace: Workspace, table: OccurrenceTable, lemma: str) -> LabeledDots:
    """Return all of a scene that depends on the labeled word alone, computed once."""

    def make() -> LabeledDots:
        rows = choose_rows(table, table.labeled_rows(lemma), MOST_READ)
        return scene.draw_labeled(table, lemma, rows, lambda words: encode_alone(workspace, words), workspace.sense_space)

    return workspace.once("scene", make, table_key(table), lemma, most=MOST_WORDS)


@reads_as_model
def encode_alone(workspace: Workspace, words: Sequence[str]) -> np.ndarray:
    """Encode each spelling as a one-word sentence, (n, L, D)."""
    spellings = list(dict.fromkeys(words))
    by_spelling = dict(zip(spellings, workspace.layers_of([(spelling,) for spelling in spellings]), strict=True))
    return np.stack([by_spelling[word][:, 0] for word in words])


def _near_words(
    workspace: Workspace, table: OccurrenceTable, both: Sequence[WordInContext], cosines: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Choose the content words near both sentences, by the cosines (N, 2) of all rows with them; the result is that of `find_near_words`."""
    function_words = words_of(workspace.language).function

    def is_content_word(word: str) -> bool:
        least = 3 if word.isascii() else 2  # letters, or syllables
        return len(word) >= least and word.isalpha() and word not in function_words  # a piece of a Korean word begins with a joiner

    def mark_content_words() -> np.ndarray:  # (N,)
        return np.isin(table.word, [code for code, word in enumerate(table.words) if is_content_word(word)])

    may_answer = workspace.once("content words", mark_content_words, table_key(table), most=2)
    for word in both:
        lemma = word.lemma_in(table)
        may_answer = may_answer & ~table.same_word(word.word, (lemma,) if lemma else (), word.read_as)

    def name(row: int) -> str:
        word = table.words[table.word[row]]
        return table.lemmas[table.lemma[row]] if table.lemma[row] >= 0 else next(iter(dictionary_forms(word)), word)

    return scene.find_near_words(cosines.T, may_answer, name)
