"""How often Home's picture puts a labeled sentence with its sense: `python -m tests.bench.scenes [--language ko]`.

Printed is the share of a word's labeled sentences that lie nearest the mean of their own sense's others, in each space: over a language's
basic words. tests/core/senses/test_scene.py draws pairs of such sentences, left out of votes, dots and axes, and compares the picture with the
verdict: they agree where the clouds nearest the two stars are different for two meanings, and the same for one.
"""

from dataclasses import dataclass, replace

import numpy as np

from core.common.model_layers import SENSES
from core.elmo.encoder import Encoder
from core.elmo.models import open_model
from core.index.rows import Query
from core.index.sense_space import SenseSpace, open_space
from core.index.table import OccurrenceTable
from core.index.tables import open_table
from core.senses import evidence, scene, verdict
from core.senses.calibration import USUAL
from core.senses.evaluate import static_vectors
from core.senses.scene import Scene
from core.senses.verdict import ONE, Verdict
from core.text import languages
from tests.bench.measure import options


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
    """Return whether the clouds of a picture agree with a verdict."""
    return (nearest[0] == nearest[1]) == (says == ONE)


def main() -> None:
    language = languages.get_language(options(__doc__, language="en").parse_args().language)
    model = open_model(language.model)
    table = open_table(language.sentences, model, targets_only=True).basic
    parts = Parts(model.encoder, table, open_space(model, static_vectors(model)))
    words = [word for word in table.lemmas if table.has_senses(word)]
    dots = [scene.draw_labeled(table, word, table.labeled_rows(word), parts.encode, parts.space) for word in words]
    in_own, n_dots = np.array([each.scene.in_own for each in dots]), np.array([len(each.rows) for each in dots])
    by_word = (in_own / n_dots[:, None]).mean(axis=0)
    for name, share, mean in zip(dots[0].scene.spaces, in_own.sum(axis=0) / n_dots.sum(), by_word, strict=True):
        print(f"{len(dots)} words, {name}: {share:.1%} of the dots in the cloud of their own sense (words alike: {mean:.1%})")


if __name__ == "__main__":
    main()
