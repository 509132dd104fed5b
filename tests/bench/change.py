"""Change of meaning and labels that spread, against what is known: `python -m tests.bench.change [what]`.

`halves`: the sentences of a word dealt out at random on two sides, 1,000 times over our 55 words: how often they are called changed, by the
p that decides (of the gap and the neighbors together) and by each. `swapped`: pairs of labeled words, A's sentences on one side, on the other
B's with A's spelling in B's place, read anew, alone or beside A's: how often that is found. `spellings`: a word's base form on one side, its
other forms on the other, where each has six sentences: how often that is called changed, though it need not be. `text`: as `swapped`, of
frequent words of a million tokens of novels and Wikipedia (shared data), by the sentences of a side and the share of the second's that is B's
(`--pairs N`). `spread`: five labels of each sense drawn at random (`--labels N`): the others right, and what is said with a probability held
against how often it is right. `doubtful`: from two labels a sense on, one more at a time, the most doubtful or any: right of the others at
the same number. `speed`: a word and a list of words of two texts (`--texts A B`).
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from core.common.config import data_folder
from core.common.significance import LEVEL, compare_pairs, ratios
from core.corpus import change
from core.corpus.spread import shares_of
from core.elmo.models import open_model
from core.index.sense_space import SenseSpace, open_space
from core.index.table import OccurrenceTable
from core.index.tables import open_table
from core.senses import clusters
from core.senses.evaluate import static_vectors
from core.views import change as view
from core.views.sides import Side
from core.workspace import open_workspace
from tests.bench.corpus import sentences

DRAWS = 1_000
PAIRS = 60
FEWEST_OF_A_FORM = 6
MEASURES = ("both", "the gap", "neighbors", "APD", "PRT", "JSD")
TEXT_PAIRS, OFTEN = 46, (320, 1_500)  # words of running text, and how often each occurs
SIDES, SHARES = (16, 32, 75, 150), (0.0, 0.1, 0.25, 0.5, 1.0)
SPREAD_DRAWS = 6
BINS = ((0.0, 0.5), (0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.01))


def called(result: change.UseChange) -> tuple[bool, ...]:
    """Return whether each p indicates change."""
    return tuple(p <= LEVEL for p in (result.p, result.gap.p, result.neighbors.p, result.apd.p, result.prt.p, result.jsd.p))


def grouped(space: SenseSpace, views: np.ndarray, spellings: np.ndarray, word: str) -> tuple[np.ndarray, np.ndarray]:
    """(n, D) as the view places a word's sentences, and the groups it finds in them."""
    placed = space.place(views, word=word)
    suggestion = clusters.suggest(clusters.directions(space.place(views, views.mean(axis=0), word, mapped=False), spellings))
    number = suggestion.number if suggestion.number > 1 else suggestion.best
    return change.evened(placed, spellings), clusters.clusters(clusters.directions(placed, spellings), number)


def words_of(table: OccurrenceTable) -> list[str]:
    return [word for word in table.lemmas if table.has_senses(word)]


def halves(space: SenseSpace, own: OccurrenceTable, _: OccurrenceTable) -> None:
    rng, words = np.random.default_rng(0), words_of(own)
    results = []
    for k, word in enumerate(words):
        rows = own.labeled_rows(word)
        placed, groups = grouped(space, space.of_rows(own, rows), own.word[rows], word)
        for draw in range(k, DRAWS, len(words)):
            order = rng.permutation(len(rows))
            first, second = np.split(placed[order], [len(rows) // 2])
            results.append(called(change.change(first, second, groups[order], seed=draw)))
    for name, share in zip(MEASURES, np.mean(results, axis=0), strict=True):
        print(f"random halves, {len(results):,} draws over {len(words)} words: called changed by {name} {share:.1%}", flush=True)


def swapped(space: SenseSpace, own: OccurrenceTable, _: OccurrenceTable) -> None:
    rng, words = np.random.default_rng(0), words_of(own)
    results: dict[str, list[tuple[bool, ...]]] = {"B alone": [], "as many of A as of B": []}
    for _ in range(PAIRS):
        first, other = rng.choice(words, 2, replace=False)
        rows, others = rng.permutation(own.labeled_rows(first)), rng.permutation(own.labeled_rows(other))
        half = len(rows) // 2
        others = others[:half]
        read = [own.occurrence(int(row)) for row in others]
        anew = [(_with(o.tokens, o.position, first), o.position) for o in read]
        added = _views(space, anew)
        views = space.of_rows(own, rows)
        for name, rest in (("B alone", rows[:0]), ("as many of A as of B", rows[half:])):
            every = np.concatenate([views[:half], views[half : half + len(rest)], added])
            spellings = np.array([own.words[code] for code in own.word[[*rows[:half], *rest]]] + [first] * len(added))
            placed, groups = grouped(space, every, spellings, first)
            results[name].append(called(change.change(placed[:half], placed[half:], groups)))
    for name, result in results.items():
        shares = ", ".join(f"{measure} {share:.0%}" for measure, share in zip(MEASURES, np.mean(result, axis=0), strict=True))
        print(f"swapped, {name} on the second side, {len(result)} pairs: found by {shares}", flush=True)


def spellings(space: SenseSpace, _: OccurrenceTable, table: OccurrenceTable) -> None:
    results = []
    for word in words_of(table):
        rows = table.labeled_rows(word)
        written = np.array([table.words[code] for code in table.word[rows]])
        base = np.array([form.casefold() == word for form in written])
        if min(base.sum(), (~base).sum()) >= FEWEST_OF_A_FORM:
            order = np.argsort(~base, kind="stable")
            placed = change.evened(space.place(space.of_rows(table, rows), word=word)[order], written[order])
            results.append(called(change.change(placed[: base.sum()], placed[base.sum() :], np.zeros(len(rows), int))))
    shares = ", ".join(f"{measure} {share:.0%}" for measure, share in zip(MEASURES[:-1], np.mean(results, axis=0), strict=False))
    print(f"base form beside other forms, {len(results)} words: called changed by {shares}", flush=True)


def text(space: SenseSpace, pairs: int) -> None:
    where = defaultdict(list)
    for sentence in sentences(data_folder(), 1_000_000):
        if len(sentence.tokens) <= 80:
            for k, token in enumerate(sentence.tokens):
                where[token.casefold()].append((sentence.tokens, k))
    words = sorted(word for word, places in where.items() if OFTEN[0] <= len(places) <= OFTEN[1] and clusters.is_telling(word))
    rng, deal = np.random.default_rng(0), np.random.default_rng(0)  # of pairs, of their sentences
    results: dict[tuple[int, float], list[tuple[bool, ...]]] = {}
    started = time.monotonic()
    for pair in range(pairs):
        word, other = rng.choice(words, 2, replace=False)
        most = SIDES[-1]
        own = [where[word][k] for k in rng.choice(len(where[word]), 2 * most, replace=False)]
        others = [where[other][k] for k in rng.choice(len(where[other]), most, replace=False)]
        read = [(list(tokens), k) for tokens, k in own] + [(_with(tokens, k, word), k) for tokens, k in others]
        views = _views(space, read)
        spellings = np.array([tokens[k] for tokens, k in read])
        for n, share in product(SIDES, SHARES):
            of_other = round(n * share)
            rows = np.concatenate([deal.permutation(2 * most)[: 2 * n - of_other], 2 * most + deal.permutation(most)[:of_other]])
            placed = change.evened(space.place(views[rows], word=word), spellings[rows])
            results.setdefault((n, share), []).append(called(change.change(placed[:n], placed[n:], np.zeros(2 * n, int))))
        print(f"pair {pair + 1} of {pairs}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    print(f"{len(words)} words of {OFTEN[0]} to {OFTEN[1]:,} occurrences; {pairs} pairs")
    for (n, share), result in results.items():
        parts = ", ".join(f"{measure} {of:.0%}" for measure, of in zip(MEASURES[:-1], np.mean(result, axis=0), strict=False))
        print(f"{n} sentences a side, {share:.0%} of the second swapped: called changed by {parts}", flush=True)


def _views(space: SenseSpace, read: list[tuple[list[str], int]]) -> np.ndarray:
    """(n, V) of a word in each of some sentences, which are read."""
    return space.alone(read)[0]


def _with(tokens: tuple[str, ...], position: int, word: str) -> list[str]:
    """B's sentence with A in B's place, with a capital where B had one."""
    old = tokens[position]
    return [*tokens[:position], word.capitalize() if old[:1].isupper() else word, *tokens[position + 1 :]]


def labeled(space: SenseSpace, own: OccurrenceTable, table: OccurrenceTable) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Set, rows (n, D) as the page has them, senses (n,)."""
    bundled = set(words_of(own))
    for word in words_of(table):
        rows = table.labeled_rows(word)
        placed = clusters.directions(space.of_word(table, rows, word), table.word[rows])
        yield ("55 words" if word in bundled else "420 words"), placed, np.unique(table.sense[rows], return_inverse=True)[1]


def drawn(senses: np.ndarray, labels: int, rng: np.random.Generator) -> np.ndarray:
    """So many sentences of each sense."""
    return np.concatenate([rng.permutation(np.flatnonzero(senses == sense))[:labels] for sense in range(senses.max() + 1)])


def spread(space: SenseSpace, own: OccurrenceTable, table: OccurrenceTable, labels: int) -> None:
    right: dict[str, list[float]] = {}
    said: dict[str, list[np.ndarray]] = {}
    for k, (name, rows, senses) in enumerate(labeled(space, own, table)):
        for seed in range(SPREAD_DRAWS):
            places = drawn(senses, labels, np.random.default_rng([seed, k]))
            shares = shares_of(rows, places, senses[places], senses.max() + 1)
            rest = np.setdiff1d(np.arange(len(rows)), places)
            if not len(rest):
                continue
            hits = shares[rest].argmax(axis=1) == senses[rest]
            for group in (name, "all"):
                right.setdefault(group, []).append(hits.mean())
                said.setdefault(group, []).append(np.stack([shares[rest].max(axis=1), hits, np.full(len(rest), k)]))
    for name, values in right.items():
        sure, hits, words = np.concatenate(said[name], axis=1)
        print(f"{labels} labels a sense, {name}, {SPREAD_DRAWS} draws: {np.mean(values):.1%} of the others right (mean over words)")
        print(f"    said {sure.mean():.1%}, right {hits.mean():.1%}", flush=True)
        for low, high in BINS:
            inside = (sure >= low) & (sure < high)
            if inside.any():
                _bin(sure[inside], hits[inside], words[inside])


def _bin(sure: np.ndarray, hits: np.ndarray, words: np.ndarray) -> None:
    """Print the stated and the true share, with the 95% interval of their difference over words."""
    codes = np.unique(words, return_inverse=True)[1]
    off = ratios(np.bincount(codes, sure - hits), np.bincount(codes).astype(float), np.random.default_rng(0))
    low, high = 100 * np.quantile(off, (0.025, 0.975))
    message = f"    {sure.mean():.0%} said, {hits.mean():.0%} right: {100 * (sure - hits).mean():+.1f} points ({low:+.1f} to {high:+.1f})"
    print(f"{message}, {len(hits):,} answers on {codes.max() + 1} words", flush=True)


def doubtful(space: SenseSpace, own: OccurrenceTable, table: OccurrenceTable, more: int) -> None:
    ahead: dict[str, list[tuple[float, float]]] = {}
    for k, (name, rows, senses) in enumerate(labeled(space, own, table)):
        start = drawn(senses, 2, np.random.default_rng(k))
        if len(rows) - len(start) < more + 4:
            continue
        by_doubt = _asked(rows, senses, start, more, None)
        at_random = [_asked(rows, senses, start, more, np.random.default_rng([seed, k])) for seed in range(3)]
        ahead.setdefault(name, []).append((by_doubt, float(np.mean(at_random))))
    for name, pairs in ahead.items():
        doubt, chance = zip(*pairs, strict=True)
        difference = compare_pairs(doubt, chance)
        message = (
            f"2 labels a sense and {more} more, {name} ({len(pairs)}): of the others {np.mean(doubt):.1%} right asking the most doubtful"
        )
        print(f"{message}, {np.mean(chance):.1%} at random; {100 * difference.mean:+.1f} points ({difference.span()})", flush=True)


def _asked(rows: np.ndarray, senses: np.ndarray, start: np.ndarray, more: int, rng: np.random.Generator | None) -> float:
    """Right of the sentences without a label, after so many more labels; `rng` asks at random."""
    places = list(start)
    for _ in range(more):
        rest = np.setdiff1d(np.arange(len(rows)), places)
        shares = shares_of(rows, np.array(places), senses[places], senses.max() + 1)[rest]
        entropy = -(shares * np.log(np.maximum(shares, 1e-12))).sum(axis=1)
        places.append(rest[entropy.argmax()] if rng is None else rng.choice(rest))
    shares = shares_of(rows, np.array(places), senses[places], senses.max() + 1)
    rest = np.setdiff1d(np.arange(len(rows)), places)
    return float((shares[rest].argmax(axis=1) == senses[rest]).mean())


def speed(texts: list[str]) -> None:
    workspace = open_workspace()
    first, second = (Side(corpus=text) for text in texts)
    texts = view.read(workspace, first, second)
    print(f"{len(texts[0].table):,} and {len(texts[1].table):,} tokens")
    started = time.process_time()
    ranked = view.rank(texts, view.RankRequest(at_least=change.FEWEST))
    seconds = time.process_time() - started
    per = 1000 * seconds / len(ranked)
    print(f"{len(ranked):,} words ranked, {per:.1f} s of one processor for 1,000; {[each.word for each in ranked[:8]]}", flush=True)
    for word in ("state", "form", "world"):
        started, wall = time.process_time(), time.perf_counter()
        result = view.compute(workspace, view.ChangeRequest(word=word, first=first, second=second))
        took = f"{time.process_time() - started:.2f} s of one processor, {time.perf_counter() - wall:.2f} s by the clock"
        print(f"“{word}”, {result.change.first} and {result.change.second} sentences: {took}, p {result.change.p:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what", nargs="?", default="all", choices=("all", "halves", "swapped", "spellings", "text", "spread", "doubtful", "speed")
    )
    parser.add_argument("--labels", type=int, default=5, help="of each sense, for spread")
    parser.add_argument("--more", type=int, default=6, help="labels asked for, for doubtful")
    parser.add_argument("--pairs", type=int, default=TEXT_PAIRS, help="of words, for text: fewer end sooner")
    parser.add_argument("--texts", nargs=2, help="two texts, for speed")
    args = parser.parse_args()
    if args.what == "speed":
        speed([str(Path(text)) for text in args.texts])
        return
    model = open_model("elmo-mini")
    table = open_table("sentences", model, targets_only=True)
    own = table.basic
    space = open_space(model, static_vectors(model))
    if args.what in ("all", "halves"):
        halves(space, own, table)
    if args.what in ("all", "swapped"):
        swapped(space, own, table)
    if args.what in ("all", "spellings"):
        spellings(space, own, table)
    if args.what in ("all", "text"):
        text(space, args.pairs)
    if args.what in ("all", "spread"):
        spread(space, own, table, args.labels)
    if args.what in ("all", "doubtful"):
        doubtful(space, own, table, args.more)


if __name__ == "__main__":
    main()
