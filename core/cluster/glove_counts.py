"""GloVe's co-occurrence counts on a cluster: a chunk of the corpus a job, joined in the chunks' order.

What each chunk counts lies in the store until it is removed, under the fingerprint of the chunk: counting that was cut off
goes on. The sums are rounded as on one machine, since the same chunks are joined in the same order.
"""

import hashlib
import io
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from distributed import Client

from ..static.glove import Cooccurrences, count_chunk, join_counts
from .jobs import ShardJob, run_jobs
from .store import Store, open_store

Chunks = Iterable[tuple[np.ndarray, np.ndarray]]


def counter(client: Client, where: str) -> Callable[..., Cooccurrences]:
    """As core.static.glove.count_pairs, for `train_glove(count=...)`, with the chunks and their counts in the store `where`."""
    store = open_store(where)

    def count(chunks: Chunks, *, n_words: int, window: int) -> Cooccurrences:
        there = store.names("")
        names = []
        for _ in run_jobs(client, _jobs(store, chunks, n_words, window, there, names)):
            pass
        return join_counts((tuple(_arrays(store.read(f"{name}.counts.npz"))) for name in names), n_words)

    return count


def count_stored(where: str, name: str, n_words: int, window: int) -> None:
    """One worker's job: the counts of a stored chunk, into the store."""
    store = open_store(where)
    if not store.has(f"{name}.counts.npz"):
        tokens, sentences = _arrays(store.read(f"{name}.chunk.npz"))
        store.write(f"{name}.counts.npz", _bytes(*count_chunk(tokens, sentences, n_words, window)))
    store.remove(f"{name}.chunk.npz")


def _jobs(store: Store, chunks: Chunks, n_words: int, window: int, there: set[str], names: list[str]) -> Iterator[ShardJob]:
    for number, (tokens, sentences) in enumerate(chunks):
        made_of = hashlib.sha256(np.ascontiguousarray(tokens).tobytes() + np.ascontiguousarray(sentences).tobytes())
        made_of.update(f"{n_words} {window}".encode())
        names.append(f"{number:06}-{made_of.hexdigest()[:16]}")
        if f"{names[-1]}.counts.npz" not in there:
            store.write(f"{names[-1]}.chunk.npz", _bytes(tokens, sentences))
            yield ShardJob(names[-1], count_stored, (store.url, names[-1], n_words, window), len(tokens))


def _bytes(*arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, *arrays)
    return stream.getvalue()


def _arrays(data: bytes) -> list[np.ndarray]:
    with np.load(io.BytesIO(data), allow_pickle=False) as kept:
        return [kept[name] for name in kept.files]
