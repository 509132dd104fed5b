"""Measure whether ELMo helps with few labels, and whether the context is the reason.

One network is trained on subsets of the news texts with every set of parts, and tested on the same texts. A tenth of each subset is for
validation. Differences to GloVe alone are paired by subset and by test text (core.common.significance). Layers are computed once per text and
stored. Finished runs in the results file are not repeated.

The alternatives to ELMo's layers are its layer 0 alone (no context), its layers for the shuffled sentence (no word order), the layers of a
biLM with shuffled LSTM weights (nothing learned; the char-CNN stays trained, as in Tenney et al. 2019, section 4), and the static context: the
sum of the other words' vectors. Each number of a part is standardized over the training tokens, and averaged over the tokens of a text. A part
of several layers is mixed by learned weights (Peters et al. 2018, eq. 1). All parts are projected to the same width, followed by ReLU, dropout
and classes. During training, words are dropped from the mean (deep averaging network, Iyyer et al. 2015). The dropout rate is chosen from the
same values for all, on validation texts.
"""

import copy
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn

from ..classify import tasks
from ..classify.data import Dataset, subset
from ..classify.experiments import CONTEXT_RUNS, PARTS, RECIPE_NUMBER, SUBSETS, add_line, done_runs
from ..classify.scores import evaluate, nll, pack_bits, softmax_rows
from ..classify.train import texts_of, truth_of
from ..common.device import Dropout, initialize, seeded
from ..elmo.encoder import Encoder
from ..elmo.mix import ScalarMix
from ..elmo.models import Model
from ..files.artifacts import provenance, text_fingerprint
from ..files.disk_space import layers_folder
from ..learning.features import FeatureStore, open_features
from ..learning.fit import learned_mixes
from ..static.vectors import COMMONEST, StaticVectors, static_contexts

TESTED = 2_000  # of the official 7,600 test texts, always the same
WITHOUT_ELMO = ("glove", "glove+static")  # of PARTS: another model changes nothing of their runs
Tokens = tuple[str, ...]

Part = Callable[[Tokens], np.ndarray]  # from a text to its tokens' numbers (L, T, D) float32, NaN for tokens without any


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualConfig:
    """Settings shared by every set of parts."""

    width: int = 64  # numbers to which the parts are projected
    dropouts: tuple[float, ...] = (0.2, 0.5)  # of the parts' and of the projected numbers; the best on validation is taken
    word_dropout: float = 0.3  # share of tokens that are left out of a text's mean while training
    learning_rate: float = 5e-3
    smallest_batch: int = 16  # texts; a twentieth of the training texts where that is more, but not more than ...
    largest_batch: int = 64
    epochs: int = 40  # at most
    patience: int = 5  # epochs without a lower validation loss, then training ends
    clip_norm: float = 5.0


class EqualNetwork(nn.Module):
    """A network from text means (B, F), all parts' layers concatenated, to logits (B, C)."""

    def __init__(self, shapes: Sequence[tuple[int, int]], config: EqualConfig, *, dropout: float, classes: int, seed: int) -> None:
        """Build the network for `shapes`: (layers, numbers) of each part."""
        super().__init__()
        self.shapes = list(shapes)
        generator = seeded(seed)
        self.mixes = nn.ModuleList(ScalarMix(n) if n > 1 else nn.Identity() for n, _ in shapes)
        self.project = nn.Linear(sum(dim for _, dim in shapes), config.width)
        self.output = nn.Linear(config.width, classes)
        self.dropout = Dropout(dropout, generator)
        initialize(self, generator)

    def forward(self, means: Tensor) -> Tensor:
        """Return logits (B, C) for text means (B, F)."""
        pieces = self.dropout(means).split([n * dim for n, dim in self.shapes], dim=1)
        parts = [
            mix(piece.unflatten(1, shape).movedim(1, 0)) if shape[0] > 1 else piece
            for mix, shape, piece in zip(self.mixes, self.shapes, pieces, strict=True)
        ]
        return self.output(self.dropout(torch.relu(self.project(torch.cat(parts, dim=1)))))


def fit(parts: Sequence[Part], dataset: Dataset, config: EqualConfig, seed: int) -> dict:
    """Train a network on these parts with each dropout rate; return what a line records of the one with the lowest validation loss."""
    started = time.perf_counter()
    texts = texts_of(dataset.train)
    shapes, numbers = _standardized(parts, texts)
    means = _words_left_out([numbers(text) for text in texts], config, seed)
    truth = torch.from_numpy(truth_of(dataset.train))
    true_valid, true_test = truth_of(dataset.valid), truth_of(dataset.test)
    valid, test = _means(numbers, texts_of(dataset.valid)), _means(numbers, texts_of(dataset.test))
    size = min(config.largest_batch, max(config.smallest_batch, len(truth) // 20))

    def train_once(dropout: float) -> tuple[float, int, EqualNetwork]:
        """Train until the validation loss stops falling; return that loss, its epoch, and the network at that time."""
        network = EqualNetwork(shapes, config, dropout=dropout, classes=len(dataset.labels), seed=seed)
        optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
        best, best_epoch, best_weights = np.inf, 0, {}
        for epoch in range(1, config.epochs + 1):
            network.train()
            for batch in torch.from_numpy(np.random.default_rng([seed, 2, epoch]).permutation(len(truth))).split(size):
                optimizer.zero_grad(set_to_none=True)
                nn.functional.cross_entropy(network(means(epoch)[batch]), truth[batch]).backward()
                nn.utils.clip_grad_norm_(network.parameters(), config.clip_norm)
                optimizer.step()
            loss = nll(_logits(network, valid), true_valid)
            if loss < best:
                best, best_epoch, best_weights = loss, epoch, {name: x.clone() for name, x in network.state_dict().items()}
            elif epoch - best_epoch >= config.patience:
                break
        network.load_state_dict(best_weights)
        return best, best_epoch, network

    tried = [train_once(dropout) for dropout in config.dropouts]
    best = min(range(len(tried)), key=lambda k: tried[k][0])
    _, epochs, network = tried[best]
    logits = _logits(network, test)
    scores = evaluate(softmax_rows(logits), true_test, dataset.labels)
    return {
        **{key: scores[key] for key in ("accuracy", "macro_f1", "n")},
        "right": pack_bits(logits.argmax(axis=1) == true_test),
        "sizes": {part: len(getattr(dataset, part)) for part in ("train", "valid", "test")},
        "dropout": config.dropouts[best],
        "valid_losses": [round(loss, 4) for loss, *_ in tried],
        "epochs": epochs,
        "seconds": round(time.perf_counter() - started, 2),
        "mix": next(iter(learned_mixes(network).values()), None),
        "data": dataset.fingerprint,
        "date": provenance()["date"],
    }


def _standardized(parts: Sequence[Part], texts: Sequence[Tokens]) -> tuple[list[tuple[int, int]], Callable[[Tokens], np.ndarray]]:
    """Return the shape (L, D) of each part, and a function from a text to its standardized numbers (T, F) float32.

    Means and deviations are over the tokens of the training texts that have numbers. Tokens without have zeros.
    """
    scales = []
    for part in parts:
        numbers = np.concatenate([part(text) for text in texts], axis=1)
        mean = np.nan_to_num(np.nanmean(numbers, axis=1, dtype=np.float64, keepdims=True))  # (L, 1, D)
        spread = np.nan_to_num(np.nanstd(numbers, axis=1, dtype=np.float64, keepdims=True))
        scales.append((mean.astype(np.float32), np.where(spread > 1e-6, spread, 1.0).astype(np.float32)))

    def standardize(text: Tokens) -> np.ndarray:
        rows = (np.nan_to_num((part(text) - mean) / spread) for part, (mean, spread) in zip(parts, scales, strict=True))
        return np.concatenate([row.transpose(1, 0, 2).reshape(len(text), -1) for row in rows], axis=1)

    return [mean.shape[::2] for mean, _ in scales], standardize


def _words_left_out(rows: Sequence[np.ndarray], config: EqualConfig, seed: int) -> Callable[[int], Tensor]:
    """Return a function from epoch to text means (N, F) without the words dropped in it, the same for every dropout rate.

    `rows` are each text's numbers (T, F). A text that would lose all words is averaged completely.
    """
    tokens = np.concatenate(rows)  # (all tokens, F)
    row = np.repeat(np.arange(len(rows)), list(map(len, rows)))

    @cache
    def means(epoch: int) -> Tensor:
        is_used = np.random.default_rng([seed, 1, epoch]).random(len(tokens)) >= config.word_dropout
        is_used |= (np.bincount(row[is_used], minlength=len(rows)) == 0)[row]
        weights = 1 / np.bincount(row[is_used], minlength=len(rows))[row[is_used]]
        places = weights.astype(np.float32), (row[is_used], np.flatnonzero(is_used))
        return torch.from_numpy(csr_array(places, shape=(len(rows), len(tokens))) @ tokens)

    return means


def _means(numbers: Callable[[Tokens], np.ndarray], texts: Sequence[Tokens]) -> Tensor:
    """Return text means (N, F) over all words."""
    return torch.from_numpy(np.stack([numbers(text).mean(axis=0) for text in texts]))


def _logits(network: EqualNetwork, means: Tensor) -> np.ndarray:
    network.eval()
    with torch.inference_mode():
        return network(means).numpy()


def static_part(vectors: StaticVectors) -> Part:
    """Return the part of each token's static vector, (1, T, D)."""

    def part(tokens: Tokens) -> np.ndarray:
        rows = np.full((1, len(tokens), vectors.dim), np.nan, np.float32)
        places, there = vectors.vectors_of(tokens)
        rows[0, places] = there
        return rows

    return part


def context_part(vectors: StaticVectors, *, commonest: int = COMMONEST) -> Part:
    """Return the part of each token's static context, (1, T, D): the sum of the other tokens' vectors (core.static.vectors)."""

    def part(tokens: Tokens) -> np.ndarray:
        places = [(k, k + 1) for k in range(len(tokens))]
        return static_contexts(vectors, [tokens] * len(tokens), places, commonest=commonest)[None]

    return part


class ShuffledOrder:
    """An encoder that reads each text with shuffled words. Every token keeps its place in the result."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.n_layers = encoder.n_layers
        self.dim = encoder.dim

    def encode(self, sentences: list[list[str]]) -> list[np.ndarray]:
        """Return layers (L, T, D) float32 for each token list."""
        orders = [shuffled_order(tokens) for tokens in sentences]
        result = self.encoder.encode([[tokens[k] for k in order] for tokens, order in zip(sentences, orders, strict=True)])
        return [layers[:, np.argsort(order)] for layers, order in zip(result, orders, strict=True)]


def shuffled_lstms(encoder: Encoder) -> Encoder:
    """Return an encoder with the same char-CNN and shuffled LSTM weights."""
    model = copy.deepcopy(encoder.model)
    generator = seeded(0)
    for stack in (model.forward_layers, model.backward_layers):
        for weights in stack.parameters():
            flat = weights.data.reshape(-1)
            weights.data = flat[torch.randperm(len(flat), generator=generator)].reshape(weights.shape)
    return Encoder(model, name=f"{encoder.name}, LSTMs shuffled")


def shuffled_order(tokens: Sequence[str]) -> np.ndarray:
    """Return a random order (T,) of a text's positions that depends only on the text."""
    digest = hashlib.sha256("\0".join(tokens).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big")).permutation(len(tokens))


class StoredLayers:
    """The part of a biLM's layers (L, T, D), read from disk, for every added text."""

    def __init__(self, encoder, name: str) -> None:
        self.encoder, self.name = encoder, name  # a fingerprint
        self._stores: dict[Tokens, FeatureStore] = {}

    def add(self, texts: Sequence[Tokens]) -> None:
        """Compute and store the layers of new texts."""
        if new := sorted(set(texts) - self._stores.keys()):
            self._stores.update(dict.fromkeys(new, open_features(new, self.encoder, self.name, layers_folder())))

    def __call__(self, tokens: Tokens) -> np.ndarray:
        """Return the layers (L, T, D) of a text."""
        return self._stores[tokens]([tokens])[0]


def run_contexts(
    names: Sequence[str],
    folder: str | Path,
    model: Model,
    vectors: StaticVectors,
    *,
    output: str | Path,
    config: EqualConfig | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> Iterator[dict]:
    """Run what has no line in `output` yet, one subset at a time with every set of parts. Yield each line as it is written."""
    config = config or EqualConfig()
    output = Path(output)
    task = tasks.task_named("news")
    every = tasks.open_data(task, **tasks.task_files(task, folder))
    stored = {
        "elmo": StoredLayers(model.encoder, model.fingerprint),
        "shuffled": StoredLayers(ShuffledOrder(model.encoder), text_fingerprint([model.fingerprint, "shuffled order"])),
        "random": StoredLayers(shuffled_lstms(model.encoder), text_fingerprint([model.fingerprint, "shuffled LSTMs"])),
    }

    def layer_0(tokens: Tokens) -> np.ndarray:
        """Return layer 0 (1, T, D / 2) of a text without its repetition."""
        return stored["elmo"](tokens)[:1, :, : model.encoder.dim // 2]

    parts = {"glove": static_part(vectors), "static": context_part(vectors), "layer0": layer_0, **stored}
    with_elmo = {"model": model.fingerprint, "vectors": tasks.vectors_fingerprint(vectors)}
    sources = {kind: with_elmo | ({"model": None} if kind in WITHOUT_ELMO else {}) for kind in PARTS}
    for name in names:
        for number in range(SUBSETS[CONTEXT_RUNS[name]]):
            dataset = subset(every, CONTEXT_RUNS[name], number, n_test=TESTED)
            done = done_runs(output, name, number, **with_elmo, data=dataset.fingerprint)
            facts = {kind: [dataset.fingerprint, kind, number, asdict(config), sources[kind]] for kind in PARTS}
            keys = {kind: f"{name}/{text_fingerprint([json.dumps(facts[kind], sort_keys=True)])[:16]}" for kind in PARTS}
            missing = [kind for kind in PARTS if keys[kind] not in done]
            for layers in stored.values() if set(missing) - set(WITHOUT_ELMO) else ():
                layers.add(dataset.texts_in_use)
            for kind in missing:
                line = {
                    "run": keys[kind],
                    "recipe_number": RECIPE_NUMBER,
                    "experiment": name,
                    "variant": kind,
                    "seed": number,
                    "fold": number,
                    **fit([parts[part] for part in kind.split("+")], dataset, config, number),
                    **sources[kind],
                }
                add_line(output, line)
                report(f"{name}, {kind}, subset {number}: {line['accuracy']:.2%}, {line['seconds']:.0f} s")
                yield line
