"""How often Home's picture puts a sentence with its sense, and agrees with the verdict: `python -m tests.bench.scenes [--language ko]`.

First the share of a word's labeled sentences that lie nearest the mean of their own sense's others, in each space: over a language's own
words. Then pairs of labeled sentences of WORDS words, own and further ones, drawn by SEED, half of one meaning and half of two. Both
sentences are left out of votes, dots and axes. The calibration is learned from the other nine tenths of the words, and the map of the
sense space has not seen the word. The picture agrees where the clouds nearest the two stars are different for two meanings, and the same
for one. `--record` prints the called pairs of own words as tests/core/senses/test_scene.py lists them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from core.common.model_layers import SENSES
from core.elmo.encoder import Encoder
from core.elmo.models import Model, open_model
from core.index.rows import Query
from core.index.sense_space import SenseSpace, open_space
from core.index.table import OccurrenceTable
from core.index.tables import open_table
from core.lab.verdicts import FOLDS, pairs_of
from core.senses import evidence, scene, verdict
from core.senses.calibration import USUAL
from core.senses.evaluate import static_vectors
from core.senses.evidence import fit
from core.senses.scene import Scene
from core.senses.verdict import CLOSE, ONE, Verdict
from core.text import languages
from tests.bench.measure import options

WORDS, SEED = 60, 51


@dataclass(frozen=True, slots=True)
class Drawn:
    """Two labeled sentences of a word, by their rows."""

    lemma: str
    rows: tuple[int, int]
    same: bool  # whether both have one sense


@dataclass(frozen=True, slots=True)
class Parts:
    """The model, table and sense space with which pairs are judged and drawn."""

    encoder: Encoder
    table: OccurrenceTable
    space: SenseSpace

    def encode(self, words: list[str]) -> np.ndarray:
        """(n, L, D) of spellings as sentences of their own."""
        alone = evidence.standing_alone(self.encoder, list(dict.fromkeys(words)))
        return np.stack([alone[word] for word in words])


def draw_pairs(table: OccurrenceTable, words: list[str], n: int, seed: int) -> list[Drawn]:
    """Draw n words, and of each two sentences: of one sense for every other word."""
    random = np.random.default_rng(seed)
    drawn = []
    for number, lemma in enumerate(random.choice(sorted(words), n, replace=False).tolist()):
        rows = table.labeled_rows(lemma)
        senses, same = table.sense[rows], number % 2 == 0
        pairs = np.stack(np.triu_indices(len(rows), 1), axis=1)
        pairs = pairs[(senses[pairs[:, 0]] == senses[pairs[:, 1]]) == same]
        # A sense first, then a pair: the sense with the most sentences would else be drawn most often
        kinds = np.sort(senses[pairs], axis=1)
        kind = random.choice(np.unique(kinds, axis=0))
        first, second = rows[random.choice(pairs[(kinds == kind).all(axis=1)])]
        drawn.append(Drawn(lemma, (int(first), int(second)), same))
    return drawn


def picture_of(parts: Parts, pair: Drawn) -> Scene:
    """Draw the scene of a pair without its two sentences."""
    table, rows = parts.table, np.array(pair.rows)
    others = np.setdiff1d(table.labeled_rows(pair.lemma), rows)
    dots = scene.draw_labeled(table, pair.lemma, others, parts.encode, parts.space)
    written = [each.tokens[each.position] for each in map(table.occurrence, pair.rows)]
    typed = scene.layer_vectors(table.rows.take(rows), parts.encode(written))
    typed[SENSES] = parts.space.place(parts.space.of_rows(table, rows), dots.mean, pair.lemma)
    return scene.add_stars(dots, typed)


def verdict_on(parts: Parts, pair: Drawn, votes: tuple[float, ...]) -> Verdict:
    """Judge a pair by coefficients; both sentences vote on neither."""
    table = parts.table
    read = [(table.occurrence(row), table.rows.take(np.array([row]))[0].astype(np.float32)) for row in pair.rows]
    queries = [Query(each.tokens, each.position, layers) for each, layers in read]
    ground = replace(USUAL, votes=votes)
    return verdict.of_labeled(table, pair.lemma, *queries, ground, parts.space.vectors, parts.space)


def agrees(says: str, nearest: tuple[int, int]) -> bool:
    """Return whether the clouds of a picture agree with a verdict that is called."""
    return (nearest[0] == nearest[1]) == (says == ONE)


def votes_by_word(model: Model, table: OccurrenceTable, groups: list[list[str]]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Each word with the coefficients that the other nine tenths of its group teach."""
    for words in groups:
        pairs = pairs_of(model, table, words)
        folds = np.random.default_rng(0).permutation(len(words)) % FOLDS
        for fold in range(FOLDS):
            votes = fit([each for each, of in zip(pairs, folds, strict=True) if of != fold])[0]
            yield from ((word, votes) for word, of in zip(words, folds, strict=True) if of == fold)


def main() -> None:
    parser = options(__doc__, language="en", seed=SEED)
    parser.add_argument("--record", action="store_true", help="print the called pairs of own words")
    args = parser.parse_args()
    language = languages.get_language(args.language)
    model = open_model(language.model)
    table = open_table(language.sentences, model, targets_only=True)
    own = table.basic
    space = open_space(model, static_vectors(model))
    bundled = [word for word in own.lemmas if own.has_senses(word)]
    further = [word for word in table.lemmas if word not in own.lemmas and table.has_senses(word)]
    of_own = Parts(model.encoder, own, space)
    dots = [scene.draw_labeled(own, word, own.labeled_rows(word), of_own.encode, space) for word in bundled]
    in_own, n_dots = np.array([each.scene.in_own for each in dots]), np.array([len(each.rows) for each in dots])
    by_word = (in_own / n_dots[:, None]).mean(axis=0)
    for name, share, mean in zip(dots[0].scene.spaces, in_own.sum(axis=0) / n_dots.sum(), by_word, strict=True):
        print(f"{len(dots)} words, {name}: {share:.1%} of the dots in the cloud of their own sense (words alike: {mean:.1%})")
    parts = Parts(model.encoder, table, space)
    drawn = draw_pairs(table, [*bundled, *further], min(WORDS, len(bundled) + len(further)), args.seed)
    votes = dict(votes_by_word(model, table, [bundled, further]))
    results = []
    for pair in drawn:
        says, nearest = verdict_on(parts, pair, votes[pair.lemma]).says, picture_of(parts, pair).nearest[-1]
        results.append((says != CLOSE, says != CLOSE and (says == ONE) == pair.same, says != CLOSE and agrees(says, nearest)))
        if args.record and says != CLOSE and pair.lemma in bundled:
            print(f"    Drawn({pair.lemma!r}, {pair.rows}, {pair.same}),")
    called, right, agree = np.sum(results, axis=0)
    print(f"{len(drawn)} pairs: {called} called, {right} of these right; the picture agrees in {agree} ({agree / called:.1%})")


if __name__ == "__main__":
    main()
