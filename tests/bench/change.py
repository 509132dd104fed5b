"""Measure change of meaning and label spreading against known answers: `python -m tests.bench.change [what]`.

- `halves`: the sentences of a word divided at random, 1,000 times over 55 words: how often they are called changed, by the p that decides
  (of the gap and the neighbors together) and by each measure.
- `swapped`: sentences of word A on one side; on the other, sentences of B with A in B's place, encoded after the swap, alone or mixed with
  more sentences of A. The bench counts how often the swap is detected.
- `spellings`: the base form of a word against its other forms, where each has six sentences: how often that is called changed.
- `spread`: `--labels` of each sense drawn at random: how many of the others are right, and the mean of their probabilities.
- `doubtful`: two labels per sense and `--more`, each time of the most doubtful sentence or of any: how many of the others are right.
"""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from core.common.significance import LEVEL, compare_pairs
from core.corpus import change
from core.corpus.spread import shares_of
from core.elmo.models import open_model
from core.index.sense_space import SenseSpace, open_space
from core.index.table import OccurrenceTable
from core.index.tables import open_table
from core.senses import clusters
from core.senses.evaluate import static_vectors
from tests.bench.measure import options, say

DRAWS, PAIRS, SPREAD_DRAWS, RANDOM_DRAWS = 1_000, 60, 6, 3
FEWEST_OF_A_FORM = 6
MEASURES = ("both", "the gap", "neighbors", "APD", "PRT", "JSD")


def called(result: change.UseChange) -> tuple[bool, ...]:
    p_values = (result.measures[name].p for name in ("gap", "neighbors", "apd", "prt", "jsd"))
    return tuple(p <= LEVEL for p in (result.p, *p_values))


def report(what: str, results: list[tuple[bool, ...]], measures: Sequence[str] = MEASURES) -> None:
    shares = zip(measures, np.mean(results, axis=0), strict=False)
    say(f"{what}: called changed by {', '.join(f'{measure} {share:.1%}' for measure, share in shares)}")


def grouped(space: SenseSpace, views: np.ndarray, spellings: np.ndarray, word: str) -> tuple[np.ndarray, np.ndarray]:
    """Return (n, D) as the view places a word's sentences, and the groups it finds in them."""
    placed = space.place(views, word=word)
    suggestion = clusters.suggest(clusters.directions(space.place(views, views.mean(axis=0), word, mapped=False), spellings))
    number = suggestion.number if suggestion.number > 1 else suggestion.best
    return change.evened(placed, spellings), clusters.clusters(clusters.directions(placed, spellings), number)


def words_of(table: OccurrenceTable) -> list[str]:
    return [word for word in table.lemmas if table.has_senses(word)]


def halves(space: SenseSpace, own: OccurrenceTable, _: OccurrenceTable) -> None:
    rng, words, results = np.random.default_rng(0), words_of(own), []
    for k, word in enumerate(words):
        rows = own.labeled_rows(word)
        placed, groups = grouped(space, space.of_rows(own, rows), own.word[rows], word)
        for draw in range(k, DRAWS, len(words)):
            order = rng.permutation(len(rows))
            first, second = np.split(placed[order], [len(rows) // 2])
            results.append(called(change.change(first, second, groups[order], seed=draw)))
    report(f"random halves, {len(results):,} draws over {len(words)} words", results)


def swapped(space: SenseSpace, own: OccurrenceTable, _: OccurrenceTable) -> None:
    rng, words = np.random.default_rng(0), words_of(own)
    results: dict[str, list[tuple[bool, ...]]] = {"B alone": [], "as many of A as of B": []}
    for _ in range(PAIRS):
        first, other = rng.choice(words, 2, replace=False)
        rows, others = rng.permutation(own.labeled_rows(first)), rng.permutation(own.labeled_rows(other))
        half = len(rows) // 2
        read = [own.occurrence(int(row)) for row in others[:half]]
        added = space.alone([(_with(o.tokens, o.position, first), o.position) for o in read])[0]
        views = space.of_rows(own, rows)
        for name, rest in (("B alone", rows[:0]), ("as many of A as of B", rows[half:])):
            every = np.concatenate([views[:half], views[half : half + len(rest)], added])
            spellings = np.array([own.words[code] for code in own.word[[*rows[:half], *rest]]] + [first] * len(added))
            placed, groups = grouped(space, every, spellings, first)
            results[name].append(called(change.change(placed[:half], placed[half:], groups)))
    for name, result in results.items():
        report(f"swapped, {name} on the second side, {len(result)} pairs", result)


def _with(tokens: tuple[str, ...], position: int, word: str) -> list[str]:
    """Return B's sentence with A in B's place, with a capital where B had one."""
    old = tokens[position]
    return [*tokens[:position], word.capitalize() if old[:1].isupper() else word, *tokens[position + 1 :]]


def spellings(space: SenseSpace, _: OccurrenceTable, table: OccurrenceTable) -> None:
    results = []
    for word in words_of(table):
        rows = table.labeled_rows(word)
        written = np.array([table.words[code] for code in table.word[rows]])
        is_base = np.array([form.casefold() == word for form in written])
        if min(is_base.sum(), (~is_base).sum()) >= FEWEST_OF_A_FORM:
            order = np.argsort(~is_base, kind="stable")
            placed = change.evened(space.place(space.of_rows(table, rows), word=word)[order], written[order])
            results.append(called(change.change(placed[: is_base.sum()], placed[is_base.sum() :], np.zeros(len(rows), int))))
    report(f"base form against other forms, {len(results)} words", results, MEASURES[:-1])


def labeled(space: SenseSpace, own: OccurrenceTable, table: OccurrenceTable) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield each word's set, its rows (n, D) as the page has them, and their senses (n,)."""
    bundled = set(words_of(own))
    for word in words_of(table):
        rows = table.labeled_rows(word)
        placed = clusters.directions(space.of_word(table, rows, word), table.word[rows])
        yield ("55 words" if word in bundled else "420 words"), placed, np.unique(table.sense[rows], return_inverse=True)[1]


def drawn(senses: np.ndarray, labels: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the same number of sentences for each sense."""
    return np.concatenate([rng.permutation(np.flatnonzero(senses == sense))[:labels] for sense in range(senses.max() + 1)])


def spread(space: SenseSpace, own: OccurrenceTable, table: OccurrenceTable, *, labels: int) -> None:
    results: dict[str, list[np.ndarray]] = {}  # set -> the probability of each answer, and whether it is right
    for k, (name, rows, senses) in enumerate(labeled(space, own, table)):
        for seed in range(SPREAD_DRAWS):
            places = drawn(senses, labels, np.random.default_rng([seed, k]))
            shares = shares_of(rows, places, senses[places], senses.max() + 1)
            if len(rest := np.setdiff1d(np.arange(len(rows)), places)):
                hits = shares[rest].argmax(axis=1) == senses[rest]
                results.setdefault(name, []).append(np.stack([shares[rest].max(axis=1), hits]))
    for name, result in results.items():
        right, (sure, hits) = np.mean([each[1].mean() for each in result]), np.concatenate(result, axis=1)
        say(f"{labels} labels a sense, {name}, {SPREAD_DRAWS} draws: {right:.1%} of the others right (mean over words)")
        say(f"    of all answers {hits.mean():.1%} right, mean probability {sure.mean():.1%}")


def doubtful(space: SenseSpace, own: OccurrenceTable, table: OccurrenceTable, *, more: int) -> None:
    results: dict[str, list[tuple[float, float]]] = {}
    for k, (name, rows, senses) in enumerate(labeled(space, own, table)):
        start = drawn(senses, 2, np.random.default_rng(k))
        if len(rows) - len(start) >= more + 4:
            by_doubt = _labeled_more(rows, senses, start, more, None)
            at_random = [_labeled_more(rows, senses, start, more, np.random.default_rng([seed, k])) for seed in range(RANDOM_DRAWS)]
            results.setdefault(name, []).append((by_doubt, float(np.mean(at_random))))
    for name, pairs in results.items():
        doubt, chance = zip(*pairs, strict=True)
        difference = compare_pairs(doubt, chance)
        say(f"2 labels a sense and {more} more, {name} ({len(pairs)}): of the others {np.mean(doubt):.1%} right with the most doubtful,")
        say(f"    {np.mean(chance):.1%} at random; {100 * difference.mean:+.1f} points ({difference.span()})")


def _labeled_more(rows: np.ndarray, senses: np.ndarray, start: np.ndarray, more: int, rng: np.random.Generator | None) -> float:
    """Return how many unlabeled sentences are right after more labels, chosen at random if there is an `rng`."""
    places = list(start)
    for k in range(more + 1):
        rest = np.setdiff1d(np.arange(len(rows)), places)
        shares = shares_of(rows, np.array(places), senses[places], senses.max() + 1)[rest]
        if k < more:
            entropy = -(shares * np.log(np.maximum(shares, 1e-12))).sum(axis=1)
            places.append(rest[entropy.argmax()] if rng is None else rng.choice(rest))
    return float((shares.argmax(axis=1) == senses[rest]).mean())


def main() -> None:
    parser = options(__doc__, labels=5, more=6)
    parser.add_argument("what", nargs="?", default="all", choices=("all", "halves", "swapped", "spellings", "spread", "doubtful"))
    args = parser.parse_args()
    model = open_model("elmo-mini")
    table = open_table("sentences", model, targets_only=True)
    parts = (open_space(model, static_vectors(model)), table.basic, table)
    measures = {"halves": halves, "swapped": swapped, "spellings": spellings}
    measures |= {"spread": partial(spread, labels=args.labels), "doubtful": partial(doubtful, more=args.more)}
    for name, measure in measures.items():
        if args.what in ("all", name):
            measure(*parts)


if __name__ == "__main__":
    main()
