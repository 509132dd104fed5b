"""Sentences for the benchmarks: our own labeled ones, recombined where more are wanted."""

from functools import cache

import numpy as np

from core.text.corpora import BUNDLED_CORPUS, open_corpus
from core.text.sentences import Sentence


@cache
def labeled() -> list[Sentence]:
    return open_corpus(BUNDLED_CORPUS)


def sentences(n: int) -> list[list[str]]:
    """Return n token lists: the bundled ones, then drawn again from them."""
    own = [list(sentence.tokens) for sentence in labeled()]
    return [*own[:n], *(own[k] for k in np.random.default_rng(0).integers(0, len(own), max(0, n - len(own))))]


def text_of(n_tokens: int) -> list[list[str]]:
    """Return token lists of n_tokens tokens in all, drawn from the bundled sentences; the last is cut to fit."""
    random = np.random.default_rng(0)
    result: list[list[str]] = []
    while n_tokens > 0:
        result.append(list(labeled()[random.integers(len(labeled()))].tokens[:n_tokens]))
        n_tokens -= len(result[-1])
    return result
