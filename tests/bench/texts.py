"""Sentences for the benchmarks: our own labeled ones, recombined where more are wanted."""

import numpy as np

from core.text.corpora import BUNDLED_CORPUS, open_corpus
from core.text.sentences import Sentence


def labeled() -> list[Sentence]:
    """The bundled sentences, as they stand in the file."""
    return open_corpus(BUNDLED_CORPUS)


def sentences(n: int) -> list[list[str]]:
    """n token lists: the bundled ones, then drawn again from them."""
    own = [list(sentence.tokens) for sentence in labeled()]
    drawn = np.random.default_rng(0).integers(0, len(own), max(0, n - len(own)))
    return [*own[:n], *(own[k] for k in drawn)]


def text_of(n_tokens: int, seed: int = 0) -> list[list[str]]:
    """Token lists of n_tokens tokens in all, drawn from the bundled sentences; the last is cut to fit."""
    own, random = [list(sentence.tokens) for sentence in labeled()], np.random.default_rng(seed)
    result: list[list[str]] = []
    left = n_tokens
    while left > 0:
        tokens = own[random.integers(len(own))]
        result.append(tokens[:left])
        left -= len(result[-1])
    return result
