"""What the tests of core.classify build on: a tiny random biLM, tiny vectors, and sentences whose label is in a word."""

from collections.abc import Iterable

import numpy as np
import torch

from core.classify.data import Dataset, SplitConfig, make_dataset
from core.classify.head import TextHead
from core.classify.inputs import live_layers
from core.classify.model import VARIANTS, NetworkConfig
from core.classify.tables import ScoreRow, Table
from core.classify.train import TrainConfig, make_text_fit
from core.common.config import ModelShape
from core.elmo.encoder import Encoder
from core.elmo.model import BiLM
from core.learning.features import Frozen
from core.static.vectors import StaticVectors

SHAPE = ModelShape(filters=((1, 8), (2, 16), (3, 16)), hidden=16, projection=8)
TOPICS = {"sport": ["goal", "match", "team", "cup"], "money": ["bank", "stock", "price", "loan"], "sky": ["moon", "star", "comet", "orbit"]}
FILLERS = ["the", "a", "of", "new", "old", "big", "on", "Monday", "says", "again"]
NETWORK = NetworkConfig(word_dim=6, hidden=5, mean_hidden=8, dropout=0.2, elmo_dropout=0.2, word_dropout=0.05)
CONFIG = TrainConfig(network=NETWORK, epochs=8, batch_size=16, learning_rate=0.02, patience=8, max_words=60)


def tiny_encoder(seed: int = 0) -> Encoder:
    """A random biLM whose filters are strong enough that two spellings differ."""
    torch.manual_seed(seed)
    model = BiLM(SHAPE)
    with torch.no_grad():
        for convolution in model.characters.convolutions:
            convolution.weight.mul_(20)
    return Encoder(model, name="tiny")


def tiny_vectors(dim: int = 7, seed: int = 0) -> StaticVectors:
    """Vectors of all words but two, a topic's words near each other."""
    random = np.random.default_rng(seed)
    center = {word: random.normal(size=dim) for words in TOPICS.values() for word in words[:1]}
    vectors = [0.3 * random.normal(size=dim) + center[words[0]] for words in TOPICS.values() for _ in words]
    vectors += [0.5 * random.normal(size=dim) for _ in FILLERS[:-2]]
    names = [word for words in TOPICS.values() for word in words] + [word.lower() for word in FILLERS[:-2]]
    return StaticVectors(names, np.array(vectors, np.float32), name="tiny vectors", provenance={})


def table(n: int = 240, *, labels=tuple(TOPICS), seed: int = 0) -> Table:
    """Sentences of 3 to 8 words; one of them says the topic."""
    random = np.random.default_rng(seed)
    rows = []
    for k in range(n):
        label = labels[k % len(labels)]
        words = [str(random.choice(FILLERS)) for _ in range(random.integers(2, 8))]
        words.insert(int(random.integers(len(words) + 1)), str(random.choice(TOPICS[label])))
        rows.append(ScoreRow(" ".join([*words, f"n{k}"]), label))
    return Table("tiny.csv", tuple(rows), ("text",), "label")


def dataset(n: int = 240, **options) -> Dataset:
    return make_dataset("topics", table(n, **options), SplitConfig())


def frozen(encoder: Encoder | None = None, vectors: StaticVectors | None = None) -> Frozen:
    encoder, vectors = encoder or tiny_encoder(), vectors or tiny_vectors()
    facts = {"model": "f" * 16, "model_name": "tiny", "vectors": "e" * 16, "vectors_name": "tiny vectors"}
    return Frozen(vectors, live_layers(encoder), facts, encoder.n_layers, encoder.dim)


def trained_heads(names: Iterable[str], data: Dataset, parts: Frozen) -> dict[str, TextHead]:
    heads = {}
    for name in names:
        fit = make_text_fit(VARIANTS[name], data, CONFIG, parts)
        list(fit.run())
        heads[name] = fit.finish()
    return heads
