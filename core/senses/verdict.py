"""Compare a word in two sentences: one meaning or two, with a calibrated probability.

A logistic regression (core.senses.calibration) computes the probability from the evidence of both sentences (core.senses.evidence): the
votes of labeled sentences and the cosines of the two, or four cosines for a word without labels. At SURE or more the answer is one or two
meanings, else too close to call. The sense named for each sentence is that of the nearest mean, in the sense space if the model has one.
README.md has the rates and the command that measures them.

The layer is the one in which most of a word's nearest have their own sense; for words without labels the best over all words. Layer 0 is
never used, because it does not depend on the sentence. Sentences are encoded as they are written, except for a capital that says nothing
of the meaning (`_read_alike`). Their order does not matter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..common.directions import unit
from ..common.i18n import t
from ..common.model_layers import SENSES
from ..elmo.mix import layer_weights, mixed
from ..index.rows import Query
from ..index.sense_space import MOST_READ, SenseSpace
from ..index.table import OccurrenceTable
from ..static.vectors import StaticVectors, topics
from ..text.languages import Language
from ..text.readings import WordInContext
from ..text.target_word import same_word
from ..text.tokens import bare
from ..workspace import Word
from . import evidence
from .calibration import Calibration, calibration_for, calibration_of, choose_rows, trust_of
from .evidence import AROUND, EXPECTED, LABELED_COLUMNS, NEAREST, TOKEN, UNLABELED_COLUMNS, Evidence

# Below this probability it is too close to call. Of the other pairs nine in ten are right for labeled words, four in five for others.
SURE = 0.64
# A sense is named if its share leads by this much. Below, it is right in 57% of 4,600 labeled sentences, above in 94%.
CLEAR = 0.4
ONE, TWO, CLOSE = "one meaning", "two meanings", "too close to call"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to "same meaning?" for one word in two sentences."""

    probability: float  # probability that both mean the same, if both answers are equally likely beforehand
    layer: str  # the layer whose vectors were compared
    shares: tuple[dict[str, float], dict[str, float]] | None = None  # share of each sense in each sentence by the senses' means, sum 1
    named_in: str = ""  # the layer, "mix" or "senses" of these means
    evidence: Mapping[str, float] = field(default_factory=dict)  # the values that counted, by kind
    name: bool = False  # whether one of both is written as a name: the rates were measured on common words
    lemma: str = ""  # the labeled word whose sentences vote; "" where none has labels

    @property
    def certainty(self) -> float:
        """Return the probability of the likelier answer, 0.5 to 1."""
        return max(self.probability, 1 - self.probability)

    @property
    def says(self) -> str:
        """Return the answer: ONE, TWO or CLOSE."""
        if self.certainty < SURE:
            return CLOSE
        return ONE if self.probability > 0.5 else TWO

    @property
    def right_of_100(self) -> int:
        """Return in how many of 100 pairs like this the likelier answer is right, at most 99."""
        return min(99, round(100 * self.certainty))

    def say_certainty(self) -> str:
        """Return the certainty as a sentence."""
        if self.probability >= 1:
            return t("Same sentence, same word.")
        if self.says != CLOSE:
            certainty = t("Right for {n} of 100 such pairs.", n=self.right_of_100)
        else:
            two = min(99, max(1, round(100 * (1 - self.probability))))
            certainty = t("Of 100 such pairs, {two} have two meanings, {one} have one.", two=two, one=100 - two)
        return f"{certainty} {t('Measured on common words, not names.')}" if self.name else certainty

    @property
    def outvoted(self) -> bool:
        """Return whether the named senses contradict the answer."""
        if self.says == CLOSE or self.senses is None or None in self.senses:
            return False
        return (self.senses[0] == self.senses[1]) != (self.says == ONE)

    @property
    def senses(self) -> tuple[str | None, str | None] | None:
        """Return the nearest sense of each sentence, None if it leads by less than CLEAR."""
        return None if self.shares is None else (_leader(self.shares[0]), _leader(self.shares[1]))


def compare(a: Word, b: Word) -> Verdict | None:
    """Return the verdict on two words, by labeled sentences if there are any, or None if the words differ."""
    if not is_one_word(a, b):
        return None
    is_name = a.context.is_name or b.context.is_name or _are_spelled_as_names(a, b)
    has_table = a.table is not None and b.context.lemma_in(a.table) == a.lemma
    if not has_table or len(np.unique(a.table.sense[_voters(a.table, a.lemma, a.context, b.context)])) < 2:
        return replace(_without_labels(*_read_alike(a, b)), name=is_name)
    by_case = is_also_a_name(a.table, a.lemma)
    first, second = _read_alike(a, b, by_case=by_case)
    workspace = a.workspace
    read = workspace.layers_of([first.tokens, second.tokens])
    result = of_labeled(
        a.table, a.lemma, first.query, second.query, calibration_for(a), workspace.language_vectors, workspace.sense_space, read
    )
    return replace(result, name=not by_case and is_name, lemma=a.lemma)


def _without_labels(a: Word, b: Word) -> Verdict:
    a.workspace.layers_of([a.tokens, b.tokens, (a.context.word,), (b.context.word,)])  # in one batch
    return of_unlabeled(a.query, b.query, evidence.of_words((a, b)), calibration_of(a.workspace))


def is_also_a_name(table: OccurrenceTable, lemma: str) -> bool:
    """Return whether a labeled sense is written with a capital within sentences, as the company Apple is: case distinguishes meanings."""
    written: dict[str | None, list[int]] = {}  # sense -> occurrences without a capital, and with one
    for item in table.occurrences(table.labeled_rows(lemma)):
        if item.position and bare(item.tokens[item.position - 1]):
            written.setdefault(item.sense, [0, 0])[item.tokens[item.position][:1].isupper()] += 1
    return any(capital > small for small, capital in written.values())


def _are_spelled_as_names(a: Word, b: Word) -> bool:
    """Return whether both words have a capital and the model's vocabulary has them only so, as "Paris"."""
    if a.workspace.sense_space is None:  # a model without a vocabulary
        return False
    vocabulary = a.workspace.language_model.vocabulary.ids
    return all(word in vocabulary and word.lower() not in vocabulary for word in (bare(a.context.word), bare(b.context.word)))


def is_one_word(a: Word, b: Word) -> bool:
    """Return whether two words are the same word, ignoring letter case and inflection."""
    first, second, language = a.context, b.context, a.workspace.language
    if not all(is_word(word, language) for word in (first, second)):
        return False
    if first.spelling == second.spelling:
        return True
    if any(word.read_as for word in (first, second)):
        if (first.read_as or first.spelling) == (second.read_as or second.spelling):
            return True
    elif same_word(first.tokens, first.position, second.tokens, second.position, language):
        return True
    return a.table is not None and second.lemma_in(a.table) == a.lemma


def is_word(word: WordInContext, language: Language) -> bool:
    """Return whether a token has letters of a language."""
    return any(map(str.isalpha, word.word)) and language.writes(word.word)


def _read_alike(a: Word, b: Word, *, by_case: bool = False) -> tuple[Word, Word]:
    """Return both words in small letters where a capital has nothing to do with their meaning.

    This applies to words that are spelled alike but for case, at the start of a sentence or in capitals. With `by_case`, where one meaning
    is a name (Turkey, turkey), it applies to words in capitals only.
    """
    both = a.context, b.context
    if both[0].word == both[1].word or both[0].spelling != both[1].spelling:
        return a, b
    in_capitals = any(len(bare(word.word)) > 1 and bare(word.word).isupper() for word in both)
    opens = any(not any(map(str.isalnum, "".join(word.tokens[: word.position]))) for word in both)
    if not in_capitals and (by_case or not opens):
        return a, b
    small = []
    for word in both:
        tokens = list(word.tokens)
        tokens[word.position] = word.word.replace(bare(word.word), word.spelling)
        small.append(Word(a.workspace, replace(word, tokens=tuple(tokens))))
    return tuple(small)


def of_labeled(
    table: OccurrenceTable,
    lemma: str,
    a: Query,
    b: Query,
    calibration: Calibration,
    vectors: StaticVectors | None = None,
    space: SenseSpace | None = None,
    read: Sequence[np.ndarray] = (),
) -> Verdict:
    """Compare two occurrences of a word with at least two labeled senses in the table.

    The surrounding words count by their static `vectors`, and the sense space if it is given. `read` are the layers (L, T, D) of both
    sentences, if they are encoded already.
    """
    trust = calibration.words.get(lemma) or trust_of(table, lemma)
    names = table.senses_of(lemma)
    rows = choose_rows(table, _voters(table, lemma, a, b), MOST_READ)
    labels = np.array([names.index(table.senses[k]) for k in table.sense[rows]])
    weights = layer_weights(trust.layer, len(a.layers))
    mixes = mixed(table.rows.take(rows), weights, axis=1, unit=True)
    pos = table.pos_of(rows)
    token = evidence.shares_of(mixes, labels, mixed(np.stack([a.layers, b.layers]), weights, axis=1, unit=True), len(names), pos)
    occurrences = [(q.tokens, q.position) for q in (a, b)]
    around = topics(vectors, occurrences)
    topic = None if vectors is None else evidence.shares_of(topics(vectors, table.places(rows)), labels, around, len(names), pos)
    in_senses = None
    if space:
        parts = space.views(occurrences, np.stack([a.layers, b.layers]), read)
        in_senses = evidence.places_in(space, space.of_rows(table, rows), labels, parts, len(names), lemma, pos)
    middles = (in_senses.shares if in_senses else token).middles
    shares = tuple({name: float(share) for name, share in zip(names, sense_shares, strict=True)} for sense_shares in middles)
    named_in = SENSES if space else trust.layer
    if _same_place(a, b):
        return Verdict(1.0, trust.layer, shares, named_in)
    inputs = evidence.inputs_of_pairs(np.array([0]), np.array([1]), trust.above_chance, token, topic, in_senses)
    kinds = {TOKEN}
    if _are_there(around):
        kinds.add(AROUND)
    if space:
        kinds |= {SENSES, EXPECTED, NEAREST}
    values = {kind: float(inputs[0, column]) for kind, column in LABELED_COLUMNS.items() if kind in kinds}
    return Verdict(float(evidence.probability_of(inputs, calibration.votes)[0]), trust.layer, shares, named_in, evidence=values)


def of_unlabeled(a: Query, b: Query, seen: Evidence, calibration: Calibration) -> Verdict:
    """Compare two occurrences of any word by the evidence of both."""
    if _same_place(a, b):
        return Verdict(1.0, calibration.layer)
    views = seen.views(calibration.layer)
    kinds = {TOKEN}
    if calibration.centers:
        inputs = evidence.cosines(views, calibration.centers, np.array([0]), np.array([1]))
        kinds |= {kind for kind, column in UNLABELED_COLUMNS.items() if _are_there(views[evidence.VIEWS[column]])}
    else:
        x, y = unit(views["token"])
        inputs = np.array([[x @ y]])
    values = {kind: float(inputs[0, column]) for kind, column in UNLABELED_COLUMNS.items() if kind in kinds}
    return Verdict(float(evidence.probability_of(inputs, calibration.alone)[0]), calibration.layer, evidence=values)


def _are_there(views: np.ndarray) -> bool:
    """Return whether no row (n, d) is empty, as that of a sentence without other words with a vector is."""
    return bool((np.linalg.norm(views, axis=1) > 1e-9).all())


def _voters(table: OccurrenceTable, lemma: str, *words: Query | WordInContext) -> np.ndarray:
    """Return a word's labeled rows without those of the sentences that are compared."""
    rows = table.labeled_rows(lemma)
    return rows[~np.any([_are_same_token(table, rows, word) for word in words], axis=0)]


def _are_same_token(table: OccurrenceTable, rows: np.ndarray, query: Query | WordInContext) -> np.ndarray:
    """Return which rows (n,) are the query's token in the query's sentence, ignoring case. They do not vote on it."""
    result = table.position[rows] == query.position
    for k in np.flatnonzero(result):
        result[k] = _same_tokens(query.tokens, table.occurrence(int(rows[k])).tokens)
    return result


def _same_place(a: Query, b: Query) -> bool:
    """Return whether both are the same token of the same sentence. In other letter case the token may be another word (Turkey, turkey)."""
    return a.position == b.position and a.word == b.word and _same_tokens(a.tokens, b.tokens)


def _same_tokens(first: Sequence[str], second: Sequence[str]) -> bool:
    return list(map(str.casefold, first)) == list(map(str.casefold, second))


def _leader(shares: Mapping[str, float]) -> str | None:
    first, second, *_ = sorted(shares, key=shares.get, reverse=True)
    return first if shares[first] - shares[second] >= CLEAR else None
