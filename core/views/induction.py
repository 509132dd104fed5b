"""The senses of an unlabeled word: its occurrences in one space, their clusters with names, and a few labels spread to all."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..analysis.aligned_umap import pca
from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..common.model_layers import SENSES
from ..corpus.spread import FEWEST_SENSES, Labels, SpreadLabels, spread
from ..elmo.language_model import Prediction
from ..elmo.mix import layer_weights, mixed
from ..elmo.substitutes import weakness
from ..index.rows import Occurrence
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..senses import clusters
from ..senses.clusters import Agreement, Suggestion
from ..static.vectors import static_contexts
from ..text.corpora import DictionarySense, dictionary_senses, sentences_of
from ..text.normalization import fold_case
from ..text.readings import WordInContext
from ..workspace import Workspace, reads_as_model, table_key
from .layouts import maps_of

READS = ("model", "corpus")
MOST = 2_000  # occurrences of a word that are clustered
MOST_LOOKED_AT = 300  # occurrences on which the share of uninformative substitutes is measured
OFFERED = 400  # words to choose from; any other can be typed
EARLIER = 0.1  # penalty per unit of the logarithm of a sense's place, because dictionaries list frequent senses first


@dataclass(frozen=True, slots=True, kw_only=True)
class InductionRequest:
    """A word, a layer, "mix" or "senses", and the number of clusters.

    Without a number it is suggested by the vectors. `given` holds the labels of a person: the number of an occurrence and its sense.
    """

    word: str
    space: str = SENSES
    number: int | None = None
    given: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrences:
    """A word's rows in the corpus in one space."""

    word: str
    everything: int  # all occurrences; `items` may be a sample
    items: list[Occurrence]
    rows: np.ndarray  # (n, D) directions minus what a spelling shares
    suggestion: Suggestion
    coordinates: np.ndarray  # (n, 2)
    frozen: bool  # whether the map is the Map page's
    substitutes: Sequence[tuple[Prediction, ...]] = ()  # for each occurrence; () without a softmax
    weak: float = 0.0  # share of occurrences with uninformative substitutes (core.elmo.substitutes.weakness)


@dataclass(frozen=True, slots=True)
class Groups:
    """The clusters of a word's rows."""

    numbers: np.ndarray  # (n,) the cluster of each
    substitutes: list[list[tuple[str, float]]]  # the most typical of each cluster; none without a softmax
    words: list[list[tuple[str, float]]]  # the most typical context words of each cluster
    names: list[str]
    few: list[bool]  # whether each has too few sentences to be a sense
    shares: np.ndarray  # (n, clusters)
    closeness: np.ndarray  # (n,) to its cluster
    margin: np.ndarray  # (n,)
    agreement: Agreement | None  # with gold labels


@dataclass(frozen=True, slots=True, eq=False)
class Induction:
    """A word's occurrences, their groups, and the labels spread to all of them."""

    occurrences: Occurrences
    groups: Groups
    spread: SpreadLabels | None = None  # labels spread to all occurrences; None with fewer than two senses


@dataclass(frozen=True, slots=True, eq=False)
class GroupGlosses:
    """A dictionary's senses, scored for each group of a word."""

    lexicon: str
    senses: tuple[DictionarySense, ...]
    scores: np.ndarray  # (groups, senses), higher is likelier

    def likeliest(self, group: int, n: int = 1) -> list[DictionarySense]:
        """Return the n likeliest senses of a group, best first."""
        return [self.senses[k] for k in np.argsort(-self.scores[group], kind="stable")[:n]]


@reads_as_model
def compute(workspace: Workspace, request: InductionRequest) -> Induction | None:
    """Return the clusters, or None while the table is being read. Raises BadInput for a word with too few sentences."""
    word = lemma_of(workspace, request.word)
    if (table := labeled_with(workspace, word) or workspace.every_token) is None:
        return None
    space = workspace.sense_space
    layer = workspace.layers.top if request.space == SENSES and space is None else request.space
    key = table_key(table), word, layer
    memo = workspace.opener.memo
    occurrences = memo.value("occurrences of a word", key, lambda: _occurrences(workspace, table, word, layer, space), most=64)
    number = occurrences.suggestion.number if request.number is None else request.number
    groups = _make_groups(workspace, occurrences, number, table)
    labels = Labels(request.given)
    if wrong := [k for k, _ in labels.given if not 0 <= k < len(occurrences.items)]:
        values = {"k": wrong[0], "word": shorten(occurrences.word), "n": len(occurrences.items)}
        raise BadInput(t("Sentence {k} is labeled, but “{word}” has {n}, from 0.", **values))
    if len(labels.senses) < FEWEST_SENSES:
        return Induction(occurrences, groups)
    return Induction(occurrences, groups, spread(occurrences.rows, labels, [(o.tokens, o.position) for o in occurrences.items]))


@reads_as_model
def glosses(workspace: Workspace, result: Induction) -> GroupGlosses:
    """Return a WordNet's senses of the word, and guess the likeliest of each group.

    Glosses and groups are compared by their words: sums of static vectors (core.static.vectors), minus what the word's glosses, or its
    groups, have in common. Raises MissingArtifact without a WordNet, BadInput if it lacks the word, or the model word vectors.
    """
    occurrences, groups = result.occurrences, result.groups
    lexicon, senses = dictionary_senses(occurrences.word, workspace.language.code)
    if not senses:
        raise BadInput(t("{lexicon} does not have “{word}”. Choose another word.", lexicon=lexicon, word=shorten(occurrences.word)))
    if (vectors := workspace.language_vectors) is None:
        raise BadInput(t("Glosses are compared by the words in them, and there are no vectors of this language’s words here."))
    tokenized = [workspace.language.tokenize(" ".join((sense.gloss, *sense.words, *sense.examples))) for sense in senses]
    texts = [[occurrences.word, *(token for token in tokens if fold_case(token) != occurrences.word)] for tokens in tokenized]
    gloss_vectors = unit(static_contexts(vectors, texts, [(0, 1)] * len(texts)))
    spans = [(o.position, o.position + 1) for o in occurrences.items]
    around = unit(static_contexts(vectors, [list(o.tokens) for o in occurrences.items], spans))
    number = int(groups.numbers.max()) + 1
    middles = np.stack([around[groups.numbers == k].mean(axis=0) for k in range(number)])
    if number > 1:
        middles -= around.mean(axis=0)
    if len(senses) > 1:
        gloss_vectors -= gloss_vectors.mean(axis=0)
    scores = unit(middles) @ unit(gloss_vectors).T
    scores -= EARLIER * np.log1p(np.arange(len(senses)))
    return GroupGlosses(lexicon, senses, scores)


@reads_as_model
def lemma_of(workspace: Workspace, word: str) -> str:
    """Return the labeled word of a form, so that its other forms are included, else the form."""
    lemma = workspace.targets.lemma_of(word) if workspace.is_labeled else None
    return lemma or fold_case(word.strip())


@reads_as_model
def labeled_with(workspace: Workspace, word: str = "") -> OccurrenceTable | None:
    """Return the table of a language's bundled sentences, which opens at once, if it has this word or none is given, else None."""
    if not sentences_of(workspace.corpus):
        return None
    return workspace.targets if not word or word in workspace.targets.lemmas else None


@reads_as_model
def words_of(workspace: Workspace, table: OccurrenceTable) -> list[str]:
    """Return words with enough basic occurrences in a table: labeled ones first, then others by frequency, without stop words."""
    table = table.basic

    def choose() -> list[str]:
        in_lemmas = np.bincount(table.lemma[table.lemma >= 0])
        labeled = [word for word, n in zip(table.lemmas, in_lemmas, strict=True) if n >= clusters.FEWEST]
        counts = np.bincount(table.word, minlength=len(table.words))
        often = (table.words[code] for code in np.argsort(-counts, kind="stable") if counts[code] >= clusters.FEWEST)
        forms = {*labeled, *(table.words[code] for code in np.unique(table.word[table.lemma >= 0]))}  # "banks" is found under "bank"
        return [*labeled, *(word for word in often if clusters.is_telling(word) and word not in forms)][:OFFERED]

    return workspace.opener.memo.value("words with groups", table_key(table), choose, most=8)


@reads_as_model
def opening_word(workspace: Workspace, table: OccurrenceTable) -> str:
    """Return the most ambiguous frequent word of a corpus, "" if none is frequent enough."""
    words = words_of(workspace, table)
    return workspace.opener.memo.value("opening word", table_key(table), lambda: clusters.most_ambiguous(table, words), most=32)


def rows_of(table: OccurrenceTable, word: str) -> np.ndarray:
    """Return the rows of a labeled word with its inflected forms, or of a spelling (of a Korean verb, its other forms as well)."""
    wanted = word if word in table.lemmas else fold_case(word.strip())
    if wanted in table.lemmas:
        return np.flatnonzero(table.lemma == table.lemmas.index(wanted))
    return np.flatnonzero(table.same_word(wanted))


def spread_evenly(rows: np.ndarray, limit: int) -> np.ndarray:
    """Return at most `limit` of the rows, evenly spaced."""
    return rows if len(rows) <= limit else rows[np.linspace(0, len(rows) - 1, limit).astype(int)]


def _occurrences(workspace: Workspace, table: OccurrenceTable, word: str, layer: str, space: SenseSpace | None) -> Occurrences:
    every = rows_of(table, word)
    if not len(every):
        raise BadInput(t("“{word}” does not occur in your corpus. Choose another word.", word=shorten(word)))
    rows = spread_evenly(every, MOST)
    if layer == SENSES:
        vectors = space.of_word(table, rows, word)
    else:
        layers = table.rows.take(rows)  # (n, L, D)
        vectors = mixed(layers, layer_weights(layer, layers.shape[1], senses=True), axis=1)
    directions = unmapped = clusters.directions(vectors, table.word[rows])
    if layer == SENSES:  # the number is suggested before the map, which divides any cloud
        unmapped = clusters.directions(space.of_word(table, rows, word, mapped=False), table.word[rows])
    suggestion = clusters.suggest(unmapped, directions)
    maps = maps_of(workspace, word) if sentences_of(workspace.corpus) and word in table.lemmas else None
    frozen = maps is not None and layer in maps.names and len(maps.coordinates[0]) == len(rows)
    points = maps.coordinates[maps.names.index(layer)] if frozen else pca(directions)
    substitutes = space.likeliest(table, rows, clusters.NAMED_BY) if space else [()] * len(rows)
    items = [table.occurrence(int(row)) for row in rows]
    sample = [items[k] for k in spread_evenly(np.arange(len(items)), MOST_LOOKED_AT)]
    weak = float(np.mean([bool(weakness(WordInContext(o.tokens, o.position))) for o in sample])) if space else 0.0
    return Occurrences(word, len(every), items, directions, suggestion, points, frozen, substitutes, weak)


def _make_groups(workspace: Workspace, occurrences: Occurrences, number: int, table: OccurrenceTable) -> Groups:
    numbers = clusters.clusters(occurrences.rows, number)
    forms = {o.word for o in occurrences.items} | {occurrences.word}
    contexts = [clusters.content_words(o.tokens, o.position, without=forms) for o in occurrences.items]

    def count_words() -> Counter[str]:
        tokens = Counter(token.casefold() for token in table.sentences.flatten().to_pylist())
        return Counter({word: n for word, n in tokens.items() if clusters.is_telling(word)})

    background = workspace.opener.memo.value("background", table_key(table), count_words, most=4)
    words = clusters.telling_words(contexts, numbers, background)
    closeness, margin = clusters.closeness(occurrences.rows, numbers)
    labeled = [k for k, o in enumerate(occurrences.items) if o.sense]
    labels = [occurrences.items[k].sense for k in labeled]
    agreement = clusters.agreement(labels, numbers[labeled]) if len(set(labels)) > 1 else None
    substitutes = clusters.telling_substitutes(occurrences.substitutes, numbers)
    few = [len(substitutes) > 1 and size < clusters.PER_GROUP for size in np.bincount(numbers).tolist()]
    names = [clusters.name_of(*telling) for telling in zip(substitutes, words, strict=True)]
    return Groups(numbers, substitutes, words, names, few, clusters.shares(occurrences.rows, numbers), closeness, margin, agreement)
