"""How often Home's verdict is right on the many further words, none of which it was calibrated by: `python -m tests.bench.verdicts`.

All pairs of a word's labelled sentences, both left out of each other's votes, pairs of one meaning and of two weighed alike, words
alike. Beside the bundled calibration (verdict.json, of the 55 bundled words) one learnt from the further words themselves, each
tenth of them judged by what the other nine teach. The sentences are encoded first where they are not yet (a minute on two cores).

By the bundled one 80 % of the pairs are called and 85 % of these rightly, 87 % claimed; by their own 79 % and 86 %, as
claimed (62 % and 82 % by ELMo's vectors alone, without the words around). So the latter judges them
(assets/verdict-more-words.json, which --write FILE makes anew for another model), the former the 55.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from core.elmo.models import open_model
from core.evaluation.layer_scores import static_vectors
from core.index.tables import open_table
from core.senses import verdict
from core.senses.calibration import fitted, probability_of, weights_of
from core.senses.verdict import SURE
from core.text.labelled_words import with_all

FOLDS = 10


def figures(probability: np.ndarray, same: np.ndarray, weights: np.ndarray) -> dict[str, float]:
    """Share called (at SURE or more), how often rightly, what was claimed of those, and how often either answer is right."""
    certainty, right = np.maximum(probability, 1 - probability), (probability > 0.5) == same
    called = certainty >= SURE
    return {
        "called": float(weights[called].sum() / weights.sum()),
        "right of these": float(np.average(right[called], weights=weights[called])),
        "claimed of these": float(np.average(certainty[called], weights=weights[called])),
        "right of all": float(np.average(right, weights=weights)),
    }


def _by(pairs: list, votes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    parts = [(probability_of(inputs, votes), same, weights_of(same)) for inputs, same in pairs]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--write",
        type=Path,
        metavar="FILE",
        help="keep the coefficients learnt from the further words, such as assets/verdict-more-words.json",
    )
    args = parser.parse_args()
    model = open_model("elmo-mini")
    own = open_table(model.language.sentences, model, targets_only=True)
    table = open_table(with_all(model.language.sentences), model, targets_only=True)
    words = [word for word in table.lemmas if word not in own.lemmas and verdict.has_senses(table, word)]
    vectors = static_vectors(model)
    pairs = []
    for word in words:
        around = verdict.around_of(table, word, vectors)
        pairs.append(verdict.pairs_by_votes(table, word, verdict.trust_of(table, word), around))
    bundled = verdict.read(own.folder).votes
    print(f"{len(words)} words, {sum(len(same) for _, same in pairs):,} pairs")
    print("by the bundled calibration:", {name: round(value, 4) for name, value in figures(*_by(pairs, bundled)).items()})
    folds = np.random.default_rng(0).permutation(len(words)) % FOLDS
    parts = []
    for fold in range(FOLDS):
        learnt = fitted([pair for pair, of in zip(pairs, folds, strict=True) if of != fold])[0]
        parts.append(_by([pair for pair, of in zip(pairs, folds, strict=True) if of == fold], learnt))
    own_figures = figures(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    print("by one of their own:", {name: round(value, 4) for name, value in own_figures.items()})
    if args.write:
        votes = [round(value, 4) for value in fitted(pairs)[0]]
        args.write.write_text(json.dumps({"model": model.fingerprint, "words": len(words), "votes": votes}) + "\n", encoding="utf-8")
        print("kept:", votes)


if __name__ == "__main__":
    main()
