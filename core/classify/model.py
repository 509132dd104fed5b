"""The networks of the comparison and their padded batches: an embedding part, a bidirectional LSTM, pooling, classes.

The embedding part joins any of: word vectors learned here, GloVe (frozen or fine-tuned), and ELMo, a learned mix of
frozen layers, gamma * sum_j softmax(w)_j h_j (Peters et al. 2018, eq. 1). The rest is the same, but variants differ in more than
their parts: the LSTM's input has 32 to about 360 numbers, dropout is 0.5 for learned and static vectors and 0.75 for ELMo's, and words
are dropped only from the first two. core.lab.context_curve compares variants that differ in the parts alone.

A function supplies ELMo's layers: training reads them from disk (core.learning.features), a live answer computes them with the encoder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..common.device import PROCESSOR, Dropout, initialize
from ..common.i18n import say, t
from ..common.markup import check_choice
from ..elmo.encoder import Encoder
from ..elmo.mix import ScalarMix
from ..elmo.recurrence import bidirectional
from ..learning.features import Layers
from ..static.vectors import StaticVectors

UNKNOWN = 0  # number of every word that the vocabulary lacks
Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """A combination of embedding parts."""

    name: str
    title: str
    description: str
    learned: bool = False  # word vectors from nothing but the training data
    glove: str = ""  # "frozen", "trained" or "" (none)
    elmo: bool = False
    network: str = "lstm"  # "lstm", "mean", a baseline of scikit-learn ("tfidf", "mean-glove"), or "committee"
    members: tuple[str, ...] = ()  # a committee's members


def _committee(title: str, *members: str, elmo: bool = False) -> Variant:
    description = "Two combined: the product of their probabilities"
    return Variant("+".join(members), title, description, glove="trained", elmo=elmo, network="committee", members=members)


VARIANTS = {
    v.name: v
    for v in (
        Variant("embedding", "nn.Embedding", "Word vectors learned from the training rows alone", learned=True),
        Variant("glove", "GloVe, frozen", "One ready vector for each spelling, left as it is", glove="frozen"),
        Variant("glove-unfrozen", "GloVe, unfrozen", "GloVe as a start, trained on with the task", glove="trained"),
        Variant("elmo", "ELMo", "Vectors in context: a learned mix of frozen layers", elmo=True),
        Variant("embedding+elmo", "nn.Embedding + ELMo", "Learned word vectors joined to vectors in context", learned=True, elmo=True),
        Variant("glove+elmo", "GloVe + ELMo", "GloVe joined to vectors in context", glove="frozen", elmo=True),
        Variant("glove-unfrozen+elmo", "GloVe unfrozen + ELMo", "Tuned GloVe joined to vectors in context", glove="trained", elmo=True),
        Variant("mean-elmo", "mean ELMo", "The spam tutorials' network: ELMo's mean, 256 relu units, no LSTM", elmo=True, network="mean"),
        Variant("tfidf", "TF-IDF", "Plain baseline: counts of words or letters and a logistic regression", network="tfidf"),
        Variant("mean-glove", "mean GloVe", "Plain baseline: logistic regression on mean GloVe", glove="frozen", network="mean-glove"),
        _committee("GloVe unfrozen and TF-IDF", "glove-unfrozen", "tfidf"),
        _committee("GloVe unfrozen + ELMo and TF-IDF", "glove-unfrozen+elmo", "tfidf", elmo=True),
    )
}


def variant_titles() -> dict[str, str]:
    """Return the titles of VARIANTS in the selected language."""
    return {name: say(variant.title) for name, variant in VARIANTS.items()}


def variant_descriptions() -> dict[str, str]:
    """Return the descriptions of VARIANTS in the selected language."""
    return {name: say(variant.description) for name, variant in VARIANTS.items()}


def variant_named(name: str) -> Variant:
    """Return a variant by name. Raises BadInput for an unknown name."""
    check_choice(t("variant"), name, VARIANTS)
    return VARIANTS[name]


@dataclass(frozen=True, slots=True)
class Batch:
    """B texts of at most T tokens. Parts that a network does not use may be None."""

    mask: Tensor  # (B, T) bool, False where there is padding
    words: Tensor  # (B, T) int64, numbers in the vocabulary
    static: Tensor | None = None  # (B, T, S) float32, zeros where there is no vector
    has_static: Tensor | None = None  # (B, T) bool: there is a static vector
    layers: Tensor | None = None  # (L, B, T, D) float32

    @property
    def lengths(self) -> Tensor:
        """Return the number of tokens in each text, (B,), in the processor's memory."""
        return self.mask.sum(dim=1).cpu()  # packing needs it there


class TextVocabulary:
    """The training data's lowercase words, most frequent first. Number 0 is every other word."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._number = {word: k for k, word in enumerate(self.words, start=1)}

    def __len__(self) -> int:
        return len(self.words) + 1  # counting UNKNOWN

    def number(self, word: str) -> int:
        """Return a word's number, 0 for an unknown word."""
        return self._number.get(word.lower(), UNKNOWN)

    def numbers(self, text: Tokens) -> np.ndarray:
        """Return word numbers (T,) int64."""
        return np.array([self.number(token) for token in text], np.int64)

    @classmethod
    def of(cls, texts: Iterable[Tokens], *, min_count: int, max_words: int) -> TextVocabulary:
        """Build the vocabulary of the words that occur at least `min_count` times."""
        counts = Counter(token.lower() for text in texts for token in text)
        ranked = sorted((word for word, n in counts.items() if n >= min_count), key=lambda word: (-counts[word], word))
        return cls(ranked[:max_words])


def make_batch(
    texts: Sequence[Tokens],
    vocabulary: TextVocabulary,
    *,
    vectors: StaticVectors | None = None,
    layers: Layers | None = None,
    device: torch.device = PROCESSOR,
) -> Batch:
    """Return the padded batch of some texts on a device. An empty text is one unknown token, so that every row has a length."""
    texts = [text or ("",) for text in texts]
    shape = len(texts), max(map(len, texts))
    mask = torch.zeros(shape, dtype=torch.bool)
    words = torch.zeros(shape, dtype=torch.long)
    for row, text in enumerate(texts):
        mask[row, : len(text)] = True
        words[row, : len(text)] = torch.from_numpy(vocabulary.numbers(text))
    static, has_static = _static(texts, shape, vectors) if vectors is not None else (None, None)
    padded_layers = pad(layers(texts), shape[1]) if layers is not None else None
    parts = (mask, words, static, has_static, padded_layers)
    return Batch(*(None if part is None else part.to(device) for part in parts))


def pad(arrays: Sequence[np.ndarray], width: int) -> Tensor:
    """Stack layers (L, T_b, D) into (L, B, T, D) float32 with zeros after each text's end."""
    n_layers, _, dim = arrays[0].shape
    stack = np.zeros((n_layers, len(arrays), width, dim), np.float32)
    for row, array in enumerate(arrays):
        stack[:, row, : array.shape[1]] = array
    return torch.from_numpy(stack)


def live_layers(encoder: Encoder) -> Layers:
    """Return a function that computes the layers of texts, each text once."""
    computed: dict[Tokens, np.ndarray] = {}

    def layers(texts: Sequence[Tokens]) -> list[np.ndarray]:
        missing = [text for text in dict.fromkeys(texts) if text not in computed]
        if missing:
            computed.update(zip(missing, encoder.encode([list(text) for text in missing]), strict=True))
        return [computed[text] for text in texts]

    return layers


def _static(texts: Sequence[Tokens], shape: tuple[int, int], vectors: StaticVectors) -> tuple[Tensor, Tensor]:
    """Return GloVe rows (B, T, S), of the lowercase spelling if only that exists, and which tokens have one (B, T)."""
    static = np.zeros((*shape, vectors.dim), np.float32)
    has_vector = np.zeros(shape, bool)
    for row, text in enumerate(texts):
        places, rows = vectors.vectors_of(text)
        static[row, places] = rows
        has_vector[row, places] = True
    return torch.from_numpy(static), torch.from_numpy(has_vector)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkConfig:
    """Sizes and dropout. With the variant and the data they determine the network's shape."""

    word_dim: int = 32  # numbers in a learned word vector
    hidden: int = 64  # LSTM cells in each direction
    mean_hidden: int = 256  # relu units of the network without an LSTM
    dropout: float = 0.5  # for learned and static vectors, and for the pooled ones
    elmo_dropout: float = 0.75  # for the layer mix: at 0.5 its numbers are memorized within five epochs
    word_dropout: float = 0.3  # share of tokens whose learned or static vector is the unknown word's while training


class Network(nn.Module):
    """A network from a batch to logits (B, C)."""

    def __init__(
        self,
        variant: Variant,
        config: NetworkConfig,
        *,
        n_classes: int,
        n_words: int,
        static_dim: int = 0,
        n_layers: int = 0,
        elmo_dim: int = 0,
        generator: torch.Generator | None = None,
    ) -> None:
        """Draw first weights, dropout and dropped words from `generator`; None uses torch's global generator."""
        super().__init__()
        self.variant, self.config, self.generator = variant, config, generator
        self.words = nn.Embedding(n_words, config.word_dim) if variant.learned else None
        self.tuned = nn.Embedding(n_words, static_dim) if variant.glove == "trained" else None
        self.unknown = nn.Parameter(torch.zeros(static_dim)) if variant.glove else None  # for words GloVe lacks
        self.mix = ScalarMix(n_layers) if variant.elmo else None
        width = config.word_dim * variant.learned + static_dim * bool(variant.glove) + elmo_dim * variant.elmo
        self.dropout, self.elmo_dropout = Dropout(config.dropout, generator), Dropout(config.elmo_dropout, generator)
        if variant.network == "mean":
            self.lstm = None
            pooled = config.mean_hidden
            self.relu = nn.Sequential(nn.Linear(width, pooled), nn.ReLU())
        else:
            self.lstm = nn.LSTM(width, config.hidden, batch_first=True, bidirectional=True)
            pooled = 4 * config.hidden
        self.output = nn.Linear(pooled, n_classes)
        initialize(self, generator)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits (B, C)."""
        return self.output(self.dropout(self.pooled(batch)))

    def pooled(self, batch: Batch) -> Tensor:
        """Return each text's vector before the last linear layer: (B, 4H), or (B, 256) for the network without an LSTM."""
        x = self.embedded(batch)  # (B, T, E)
        mask = batch.mask[..., None]  # (B, T, 1)
        if self.lstm is None:
            return self.relu((x * mask).sum(1) / mask.sum(1))  # (B, E) -> (B, 256)
        states = bidirectional(self.lstm, x, batch.lengths)  # (B, T, 2H)
        highest = states.masked_fill(~mask, -torch.inf).amax(dim=1)  # (B, 2H)
        return torch.cat([highest, (states * mask).sum(1) / mask.sum(1)], dim=1)

    def embedded(self, batch: Batch) -> Tensor:
        """Return the parts of this variant (B, T, E), concatenated, each after its dropout."""
        words, has_static = batch.words, batch.has_static
        if self.training and self.config.word_dropout:  # so that unknown words get a learned vector, and no single word decides
            dropped = (torch.rand(words.shape, generator=self.generator) < self.config.word_dropout).to(words.device)
            words = words.masked_fill(dropped, UNKNOWN)
            has_static = has_static & ~dropped if has_static is not None else None
        parts = []
        if self.words is not None:
            parts.append(self.dropout(self.words(words)))  # (B, T, W)
        if self.unknown is not None:
            static = torch.where(has_static[..., None], batch.static, self.unknown)  # (B, T, S)
            if self.tuned is not None:
                static = torch.where((words != UNKNOWN)[..., None], self.tuned(words), static)
            parts.append(self.dropout(static))
        if self.mix is not None:
            parts.append(self.elmo_dropout(self.mix(batch.layers)))  # (L, B, T, D) -> (B, T, D)
        return torch.cat(parts, dim=2)

    def start_from(self, vocabulary: TextVocabulary, vectors: StaticVectors) -> None:
        """Set the trainable vectors of the words that GloVe has to its rows. The others keep a tenth of their first numbers."""
        places, rows = vectors.vectors_of(vocabulary.words)
        with torch.no_grad():
            self.tuned.weight.mul_(0.1)
            self.tuned.weight[torch.from_numpy(places + 1)] = torch.from_numpy(rows)
