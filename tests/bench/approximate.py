"""Compare the approximate index with exact search, on a real index: recall at 20 and time, for each layer and the mix.

    python -m tests.bench.approximate DIR [--queries 60]

DIR is an index (in shards or not). Recall counts answers whose cosine reaches that of the 20th exact neighbor: in layer 0 all occurrences
of a spelling tie. Prints a table in Markdown.
"""

import sys
from collections.abc import Callable
from itertools import product

import numpy as np

from core.cluster import approximate
from core.cluster import shards as index
from core.index import neighbors
from core.index.rows import Query
from tests.bench.measure import markdown, options, say, timed

K = 20
SHARES = (0.02, 0.04, 0.08, 0.12, 0.2, 0.4)  # of the cells


def main() -> int:
    parser = options(__doc__, queries=60)
    parser.add_argument("folder")
    arguments = parser.parse_args()
    shards = index.open_shards(arguments.folder)
    facts = approximate.build(shards)
    say(f"made in {facts['seconds']:.1f} s: {facts['cells']:,} cells, {facts['bytes'] / 1e6:.1f} MB")
    queries = _queries(shards, arguments.queries)
    n_layers = shards.meta["layers"]
    spaces = {str(k): np.eye(n_layers)[k] for k in range(n_layers)} | {"mix": np.full(n_layers, 1 / n_layers)}
    heads = ["", "", "exact", *(f"{share:.0%} of cells" for share in SHARES)]
    searches = product((neighbors.ANY, neighbors.OTHER), spaces.items())
    rows = [[which, name, *_measured(shards, queries, weights, which)] for which, (name, weights) in searches]
    say(f"{shards.meta['occurrences']:,} rows, {len(queries)} queries, recall at {K} and milliseconds\n\n{markdown(heads, rows)}")
    return 0


def _measured(shards: index.Shards, queries: list[Query], weights: np.ndarray, which: str) -> list[str]:
    every = approximate.ShardedIndex(shards)
    exact, seconds = _timed(lambda q: every.nearest(q, weights, k=K, which=which), queries)
    cells = [f"{1000 * seconds:.0f}"]
    for share in SHARES:
        approximate.PROBED = approximate.PROBED_FILTERED = share
        few = approximate.ApproximateIndex(shards)
        result, seconds = _timed(lambda q, few=few: few.nearest(q, weights, k=K, which=which), queries)
        pairs = zip(result, exact, strict=True)
        recalls = [sum(n.cosine >= e[-1].cosine - 1e-5 for n in a) / len(e) if e else 1.0 for a, e in pairs]
        cells.append(f"{np.mean(recalls):.3f}, {1000 * seconds:.0f}")
    return cells


def _timed(run: Callable, queries: list[Query]) -> tuple[list, float]:
    run(queries[0])
    seconds, answers = zip(*(timed(lambda query=query: run(query))() for query in queries), strict=True)
    return list(answers), float(np.median(seconds))


def _queries(shards: index.Shards, n: int) -> list[Query]:
    """Draw stored occurrences of words: their vectors are at hand, and their own rows are left out."""
    rng, queries = np.random.default_rng(0), []
    while len(queries) < n:
        shard = shards.shards[rng.integers(len(shards.shards))]
        table, row = approximate.open_shard(shards.url, shard), int(rng.integers(shard.rows))
        occurrence = table.occurrence(row)
        if occurrence.word.isalpha():
            queries.append(Query(occurrence.tokens, occurrence.position, table.rows.take(np.array([row]))[0]))
    return queries


if __name__ == "__main__":
    sys.exit(main())
