"""Time the neighbors of a word: a slider move, a first query, and opening, on drawn tables of 30,000 and 1,000,000 occurrences.

The tables are built by core.index.build itself from an encoder that draws (a center for each spelling, and noise); the
words follow Zipf's law. Peers are numpy on the same memory-mapped float16: every mix computed for each query, and one pass over all bytes.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import softmax

from core.cli.shared import note
from core.index import neighbors
from core.index.build import build_index
from core.index.rows import Query, warm_up
from core.index.table import OccurrenceTable
from core.text.sentences import Sentence
from tests.bench.measure import Row, Setting, alone, check, milliseconds, paired, quotient, timed

SIZES = {30_000: 31, 1_000_000: 7}  # occurrences: rounds
N_TYPES, TOKENS, K = 50_000, 20, 20  # spellings there are, tokens a sentence, neighbors asked for
RANK = 200  # of the query's word by frequency
PIECE = 256  # rows the peer widens at a time: they stay in the processor's cache


def rows(setting: Setting) -> Iterator[Row]:
    """Yield a slider move for each size; for the larger one also the first query and opening."""
    warm_up()  # as a server that has been up for a while
    for n, rounds in setting.pick(SIZES, {2_000: 3, 6_000: 3}).items():
        note(f"neighbors: making a table of {n:,} occurrences")
        table, query = _made(setting, n)
        yield _slider(setting, table, query, rounds)
    yield _first_query(setting, table, query, setting.pick(5, 2))
    yield setting.row(
        f"opening a table, {len(table):,} occurrences",
        ours=milliseconds("ours", alone(timed(lambda: OccurrenceTable(table.folder)), setting.pick(15, 3))),
        sizes=f"{len(table):,} occurrences of {len(table.words):,} spellings, in the page cache",
    )


class Drawn:
    """An encoder whose layers of a token are its spelling's center and noise, more in the upper layers."""

    n_layers, dim = 3, 256

    def __init__(self, n_types: int, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self.centers = self.random.standard_normal((n_types, self.dim), np.float32)

    def encode(self, sentences: list[list[str]]) -> list[np.ndarray]:
        codes = np.array([int(token[1:]) for tokens in sentences for token in tokens])
        layers = self.random.standard_normal((self.n_layers, len(codes), self.dim), np.float32)
        layers *= np.array([0.0, 0.7, 1.4], np.float32)[:, None, None]
        layers += self.centers[codes]
        return np.split(layers, np.cumsum([len(tokens) for tokens in sentences])[:-1], axis=1)


def _made(setting: Setting, n: int) -> tuple[OccurrenceTable, Query]:
    """Return a table of n occurrences, and a token of a sentence that is not in it."""
    random, encoder = np.random.default_rng(1), Drawn(N_TYPES)
    chances = 1 / (np.arange(N_TYPES) + 2.7)
    codes = random.choice(N_TYPES, n, p=chances / chances.sum())
    words = np.array([f"w{code}" for code in range(N_TYPES)])[codes].tolist()
    sentences = [Sentence(tuple(words[k : k + TOKENS])) for k in range(0, n, TOKENS)]
    table = build_index(sentences, encoder, setting.folder / f"neighbors-{n}", model="drawn")
    tokens = (f"w{RANK}",)
    return table, Query(tokens, 0, encoder.encode([list(tokens)])[0][:, 0].astype(np.float16).astype(np.float32))


def recomputed(table: OccurrenceTable, query: Query, weights: np.ndarray) -> np.ndarray:
    """Mix the float16 layers of every row, as the peer does, and return the cosine of each mix with the query's, (N,)."""
    weights = weights.astype(np.float32)
    wanted = weights @ query.layers
    wanted /= np.linalg.norm(wanted)
    result = np.empty(len(table), np.float32)
    for start, block in zip(table.rows.starts[:-1], table.rows.layers, strict=True):
        for k in range(0, len(block), PIECE):
            mixes = np.matmul(weights, block[k : k + PIECE].astype(np.float32))  # (rows, D)
            result[start + k : start + k + len(mixes)] = mixes @ wanted / np.linalg.norm(mixes, axis=1)
    return result


def best(values: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the k highest values, highest first, and all values."""
    top = np.argpartition(-values, k)[:k]
    return top[np.argsort(-values[top])], values


def _slider(setting: Setting, table: OccurrenceTable, query: Query, rounds: int) -> Row:
    """Time other weights for the same query: our products are there; the peer begins with the vectors."""
    result, random = neighbors.products(table.rows, query), np.random.default_rng(2)
    moves = [softmax(random.normal(size=3)) for _ in range(rounds + 1)]
    turns = [zip(moves) for _ in range(2)]
    ours = timed(lambda weights: table.nearest(result, weights, k=K), lambda: next(turns[0]))
    pair = paired(ours, timed(lambda weights: best(recomputed(table, query, weights), K), lambda: next(turns[1])), rounds)
    return setting.row(
        f"slider move, {len(table):,} occurrences",
        ours=milliseconds("ours", pair.ours),
        peer=milliseconds("numpy, every mix computed", pair.peer),
        ratio=pair.times_faster(),
        checks=_same(pair.ours_result, *pair.peer_result),
        sizes=f"{len(table):,} occurrences x 3 layers x 256 float16, {K} neighbors of any word",
    )


def _same(ours: list[neighbors.Neighbor], rows: np.ndarray, values: np.ndarray) -> list[dict]:
    """Check that cosines are equal, and rows except for ties: a row that only we return is as near as the peer's last."""
    own, apart, missing = np.array([neighbor.occurrence.row for neighbor in ours]), float("inf"), float("inf")
    if len(own) == len(rows):
        apart = float(np.abs(np.array([neighbor.cosine for neighbor in ours]) - values[own]).max())
        missing = float(np.maximum(values[rows[-1]] - values[own], 0).max())
    return [
        check(f"cosines of the {K} nearest", apart),
        check(f"same {K} nearest: cosine a row of ours falls short of the peer's last", missing),
    ]


def _first_query(setting: Setting, table: OccurrenceTable, query: Query, rounds: int) -> Row:
    """Time one pass over all vectors, each side on a mapping of its own, just opened, the file in the page cache."""

    def opened() -> tuple[OccurrenceTable]:
        return (OccurrenceTable(table.folder),)

    pair = paired(timed(lambda t: neighbors.products(t.rows, query), opened), timed(_read, opened), rounds)
    expected = table.rows.take(np.arange(min(len(table), 1000))) @ query.layers.T  # (n, L of the row, L of the query)
    exact = np.abs(pair.ours_result.cross[: len(expected)] - expected.transpose(0, 2, 1)).max()
    n_bytes = sum(block.nbytes for block in table.rows.layers)
    return setting.row(
        f"first query, {len(table):,} occurrences",
        ours=milliseconds("ours, all layer products", pair.ours),
        peer=milliseconds("numpy, sum of the same bytes", pair.peer),
        ratio=quotient("our time / reading", pair.ours, pair.peer, "x"),
        checks=[check("products of the first rows, relative to 256 terms", float(exact) / 256)],
        sizes=f"{n_bytes / 1e6:,.0f} MB of float16, memory-mapped, in the page cache; the loop compiled beforehand",
    )


def _read(table: OccurrenceTable) -> int:
    return sum(int(np.add.reduce(block.reshape(-1).view(np.uint64))) for block in table.rows.layers)
