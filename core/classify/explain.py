"""Explain why a head predicts a class: the contributions of each token, its context and the order of the words.

Every contribution is a difference of the calibrated log-odds of the predicted class, log p / (1 - p), between the original text and a
changed one. Changed texts are read in groups of at most TOKENS_AT_ONCE tokens.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax, logsumexp

from ..elmo.mix import mean_lengths
from ..learning.features import Layers
from ..static.vectors import StaticVectors
from .data import Dataset
from .head import TextHead
from .model import Tokens
from .scores import softmax_rows

N_SHUFFLES = 8
TOKENS_AT_ONCE = 2_048  # tokens of changed texts that the encoder and the head read together; bounds memory


@dataclass(frozen=True, slots=True)
class Explanation:
    """Contributions to `label` in log-odds (nats), positive if they support it, and probabilities."""

    tokens: Tokens
    label: str
    probability: float  # calibrated probability of the label
    occlusion: tuple[float, ...]  # for each token, the drop without it
    context: tuple[float, ...] | None  # for each token, the drop if its layers are those it has without context; ELMo only
    context_total: float | None  # the same for all tokens at once
    shuffled_probability: float  # mean over N_SHUFFLES seeded word orders
    mix: dict | None  # {"s": [...], "gamma": ...} as learned; ELMo only
    lengths: tuple[float, ...] | None = None  # mean length of the text's vectors in each layer; ELMo only


def explain(head: TextHead, tokens: Tokens, *, vectors: StaticVectors | None, layers: Layers | None) -> Explanation:
    """Explain a head's answer on one text of at least one token."""
    random = np.random.default_rng(0)
    shuffles = [tuple(tokens[k] for k in random.permutation(len(tokens))) for _ in range(N_SHUFFLES)]
    texts = [tokens, *(tokens[:k] + tokens[k + 1 :] for k in range(len(tokens))), *shuffles]
    logits = np.concatenate([head.logits(texts[group], vectors=vectors, layers=layers) for group in _groups(len(texts), len(tokens))])
    probabilities = softmax_rows(logits, head.temperature)
    named = int(logits[0].argmax())
    odds = log_odds(logits / head.temperature, named)
    context = _context(head, tokens, named, vectors, layers) if head.variant.elmo else None
    return Explanation(
        tokens=tokens,
        label=head.labels[named],
        probability=float(probabilities[0, named]),
        occlusion=tuple((odds[0] - odds[1 : len(tokens) + 1]).tolist()),
        context=tuple(context[:-1].tolist()) if context is not None else None,
        context_total=float(context[-1]) if context is not None else None,
        shuffled_probability=float(probabilities[len(tokens) + 1 :, named].mean()),
        mix=head.meta.get("mix"),
        lengths=tuple(mean_lengths(layers([tokens])[0].transpose(1, 0, 2)).tolist()) if head.variant.elmo else None,
    )


def log_odds(logits: np.ndarray, k: int) -> np.ndarray:
    """Return log p_k / (1 - p_k) = z_k - log sum over the others of exp z, (N,), from logits (N, C)."""
    logits = np.asarray(logits, np.float64)
    return logits[:, k] - logsumexp(np.delete(logits, k, axis=1), axis=1)


def near_texts(
    head: TextHead,
    tokens: Tokens,
    pooled: np.ndarray,
    dataset: Dataset,
    *,
    vectors: StaticVectors | None,
    layers: Layers | None,
    k: int = 5,
) -> list[tuple[float, str, str]]:
    """Return the cosine, text and label of the k training texts nearest by their vectors before the last linear layer, `pooled` (N, E)."""
    query = head.pooled([tokens], vectors=vectors, layers=layers)[0]
    lengths = np.linalg.norm(pooled, axis=1) * np.linalg.norm(query)
    cosines = np.divide(pooled @ query, lengths, out=np.zeros(len(pooled), np.float32), where=lengths > 0)
    rows = np.argsort(-cosines, kind="stable")[:k]
    return [(float(cosines[row]), dataset.train[row].text, dataset.labels[dataset.train[row].label]) for row in rows]


def _context(head: TextHead, tokens: Tokens, named: int, vectors: StaticVectors | None, layers: Layers) -> np.ndarray:
    """Return the log-odds (T + 1,) lost when one token's layers, and last all tokens', are those without a sentence around it.

    Replacing the other layers by layer 0 would also remove the context, but gives a vector that the classifier has never seen.
    """
    n = len(tokens)
    network = head.network
    exact = layers([tokens])[0]  # (L, T, D)
    lone = np.concatenate(layers([(token,) for token in tokens]), axis=1)  # (L, T, D)
    is_lone = np.concatenate([np.zeros((1, n)), np.eye(n), np.ones((1, n))]).astype(bool)  # (T + 2, T): none, one, or all tokens
    answers = []
    for group in _groups(n + 2, n):
        mixed = list(np.where(is_lone[group, None, :, None], lone, exact))  # each (L, T, D)
        answers.append(network.logits([tokens] * len(mixed), vectors=vectors, layers=lambda _, mixed=mixed: mixed))
    logits = np.concatenate(answers)
    if network is not head:  # the other members' answers do not change
        logits = log_softmax(logits / network.temperature, axis=1)
        logits = logits + head.logits([tokens], vectors=vectors, layers=layers) - logits[:1]
    odds = log_odds(logits / head.temperature, named)
    return odds[0] - odds[1:]


def _groups(n_texts: int, n_tokens: int) -> list[slice]:
    """Return slices that split texts of at most `n_tokens` tokens each into groups of at most TOKENS_AT_ONCE tokens."""
    size = max(1, TOKENS_AT_ONCE // n_tokens)
    return [slice(first, first + size) for first in range(0, n_texts, size)]
