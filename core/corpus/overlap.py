"""Find the sentences that two texts share: a text compared with itself, a copy or a part of it has no two independent sides."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .encoded import EncodedCorpus

SAME_TEXT = 0.8  # of the smaller text's sentences, from which on the two are one text; common phrases and boilerplate are fewer
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def sentence_keys(corpus: EncodedCorpus) -> np.ndarray:
    """(S,) uint64: a number for each sentence, the same for the same tokens."""
    return _keys(corpus.spelling, corpus.spelling_list, corpus.starts)


def list_keys(sentences: pa.ListArray | pa.ChunkedArray) -> np.ndarray:
    """(S,) uint64: the same of the sentences of a table."""
    whole = sentences.combine_chunks() if isinstance(sentences, pa.ChunkedArray) else sentences
    coded = pc.dictionary_encode(whole.flatten())
    starts = np.concatenate([[0], np.cumsum(pc.list_value_length(whole).fill_null(0).to_numpy(zero_copy_only=False))])
    return _keys(coded.indices.to_numpy(zero_copy_only=False), coded.dictionary.to_pylist(), starts)


def intersect_keys(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the sentences that two texts share, by their keys, where they are so many that one text is the other or a part of it; else none."""
    shared = np.intersect1d(first, second)
    smaller = min(first, second, key=len)
    return shared if len(smaller) and np.isin(smaller, shared).mean() >= SAME_TEXT else shared[:0]


def _keys(codes: np.ndarray, spellings: Sequence[str], starts: np.ndarray) -> np.ndarray:
    if not len(codes):
        return np.zeros(len(starts) - 1, np.uint64)
    digests = b"".join(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest() for name in spellings)
    lengths = np.diff(starts)
    places = (np.arange(len(codes)) - np.repeat(starts[:-1], lengths)).astype(np.uint64)
    with np.errstate(over="ignore"):
        mixed = (np.frombuffer(digests, np.uint64)[codes] ^ (places * _FACTOR)) * (2 * places + np.uint64(1)) * _FACTOR
        mixed ^= mixed >> np.uint64(29)
        sums = np.concatenate([[np.uint64(0)], np.cumsum(mixed * _FACTOR, dtype=np.uint64)])
        return sums[starts[1:]] - sums[starts[:-1]]
