"""Encode sentences into layers, without state from previous text.

The char-CNN runs once per distinct spelling (with a bounded cache), sentences of similar length share a batch, a token budget bounds
memory, and the two directions run in parallel. The state starts at zero for every sentence, so a sentence has the same vectors alone, in
any batch, and after any other text.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ..common.config import FLOAT32
from ..common.device import device_of
from ..common.errors import BadInput, CorruptArtifact
from ..common.i18n import t
from ..common.memo import Bounded
from ..files.artifacts import check_fits, replacing
from ..text.sentences import LabeledRow, check_tokenized
from ..text.tokens import SENTENCE_BEGIN, SENTENCE_END
from .model import BiLM, pack, stacks
from .recurrence import State, side_by_side

MAX_CACHED_WORDS = 100_000
SPELLED_FILE = "spelled.npz"  # char-CNN vectors of the most frequent words, in the model's folder
MAX_SPELLED_BYTES = 256 << 20
WORDS_PER_PRODUCT = 512  # distinct spellings through the char-CNN at a time


class Encoder:
    """A biLM in evaluation mode with a word cache. Threads and users may share it.

    `precision` applies to the LSTMs' weights (core.elmo.model). With `device` the model moves there, otherwise it stays where it
    is. Arguments and results are in the processor's memory.
    """

    def __init__(
        self, model: BiLM, *, name: str = "biLM", batch_tokens: int = 4096, precision: str = FLOAT32, device: torch.device | None = None
    ) -> None:
        self.model = model.eval().requires_grad_(False)
        if device is not None:
            self.model.to(device)
        self.device = device_of(model)
        self.model.characters.anchor()
        self.stacks, self.precision = stacks(model, precision), precision
        self.name, self.batch_tokens = name, batch_tokens
        self.n_layers, self.dim = model.shape.n_layers + 1, model.shape.dim  # L, layer 0 included; D
        self._words: Bounded[str, np.ndarray] = Bounded(MAX_CACHED_WORDS)

    def know(self, words: list[str], vectors: np.ndarray) -> None:
        """Add char-CNN vectors (n, P) of n spellings that this model computed before."""
        for word, vector in zip(words, vectors, strict=True):
            self._words.put(word, vector)

    def encode(self, sentences: list[list[str]], *, report: Callable[[int, int], None] | None = None) -> list[np.ndarray]:
        """Return one float32 array (L, T, D) per sentence, in order; (L, 0, D) for an empty one. Calls `report(tokens done, total)`."""
        check_tokenized(sentences)
        results: list[np.ndarray] = [np.empty((self.n_layers, 0, self.dim), np.float32) for _ in sentences]
        total = sum(map(len, sentences))
        done = 0
        for numbers in self._batches(sentences):
            run = self._run([sentences[n] for n in numbers])
            for number, layers in zip(numbers, run.layers(*run.both()), strict=True):
                results[number] = layers
            done += sum(len(sentences[n]) for n in numbers)
            if report:
                report(done, total)
        return results

    def alone(self, sentences: list[list[str]], positions: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return the layers (n, L, D) of one token of each sentence and its `around` vectors (n, 2P), up to rounding, at half the cost."""
        layers = np.empty((len(sentences), self.n_layers, self.dim), np.float32)
        around = np.empty((len(sentences), self.dim), np.float32)
        for numbers in self._batches(sentences):
            bounded = [[SENTENCE_BEGIN, *sentences[n], SENTENCE_END] for n in numbers]
            ends = [positions[n] + 1 for n in numbers]  # the tokens' places among the bounded ones
            runs = (
                _Run(self, [tokens[: end + 1] for tokens, end in zip(bounded, ends, strict=True)]),
                _Run(self, [tokens[end:] for tokens, end in zip(bounded, ends, strict=True)]),
            )
            ahead, behind = side_by_side(lambda backward, runs=runs: runs[backward].last(backward), _DIRECTIONS, self.device)
            words = self.word_vectors([sentences[n][positions[n]] for n in numbers])
            layers[numbers, 0] = np.concatenate([words, words], axis=1)
            for layer, (a, b) in enumerate(zip(ahead[0], behind[0], strict=True), 1):
                layers[numbers, layer] = np.concatenate([a, b], axis=1)
            around[numbers] = np.concatenate([ahead[1], behind[1]], axis=1)
        return layers, around

    def word_vectors(self, words: list[str]) -> np.ndarray:
        """Return the char-CNN vectors (n, P) float32 of spellings, from the cache if possible."""
        if not words:
            return np.empty((0, self.model.shape.projection), np.float32)
        vectors = {word: vector for word in dict.fromkeys(words) if (vector := self._words.get(word)) is not None}
        inputs = {word: self._input_of(word) for word in dict.fromkeys(words) if word not in vectors}
        representatives = {model_input: word for word, model_input in inputs.items()}
        to_compute = sorted(representatives.values(), key=lambda word: len(inputs[word]))
        for start in range(0, len(to_compute), WORDS_PER_PRODUCT):
            part = to_compute[start : start + WORDS_PER_PRODUCT]
            with torch.inference_mode():
                computed = self.model.characters(self.model.characters.ids(part)).cpu().numpy()
            vectors.update(zip(part, computed, strict=True))
        for word, model_input in inputs.items():
            vectors[word] = vectors[representatives[model_input]]
            self._words.put(word, vectors[word].copy())
        return np.stack([vectors[word] for word in words])

    def _input_of(self, word: str) -> str | bytes:
        """Return what the char-CNN reads of a word: a boundary token itself, else the first bytes. Words with the same have one vector."""
        if word in (SENTENCE_BEGIN, SENTENCE_END):
            return word
        return word.encode("utf-8", "ignore")[: self.model.shape.max_characters - 2]

    def directions(self, sentences: list[list[str]]) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield (sentence number, forward, backward) top-layer outputs with boundaries, each (T + 2, P), for language modeling."""
        for numbers in self._batches(sentences):
            run = self._run([sentences[n] for n in numbers])
            ahead, behind = run.both()
            for number, rows in zip((numbers[k] for k in run.order), run.rows(), strict=True):
                yield number, ahead[-1][rows].numpy(), behind[-1][run.reverse][rows].numpy()

    def around(self, sentences: list[list[str]], positions: list[int], read: Sequence[np.ndarray] = ()) -> np.ndarray:
        """Return both directions' states (n, 2P) just before they read a token of each sentence. `read` has known layers (L, T, D)."""
        layers = read or encoded(self, sentences)
        places = [self.places_in(item)[position] for item, position in zip(layers, positions, strict=True)]
        return np.array(places, np.float32).reshape(len(sentences), self.dim)

    def places_in(self, layers: np.ndarray) -> np.ndarray:
        """Return the `around` vectors (T, 2P) of all tokens of a sentence from its layers (L, T, D)."""
        half = self.dim // 2
        ahead = np.vstack([self._edges[0], layers[-1, :, :half]])
        behind = np.vstack([layers[-1, :, half:], self._edges[1]])
        return np.concatenate([ahead[:-1], behind[1:]], axis=1)

    @cached_property
    def _edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the forward state (P,) before any first token and the backward state (P,) after any last one."""
        _, ahead, behind = next(self.directions([["."]]))
        return ahead[0], behind[-1]

    def encode_streams(self, streams: list[list[list[str]]]) -> list[list[np.ndarray]]:
        """Encode equally long streams, carrying the LSTM states over; batch k is sentence k of every stream, as in the golden files."""
        if len({len(stream) for stream in streams}) > 1:
            raise BadInput(f"Streams must be equally long; these have {', '.join(str(len(s)) for s in streams)} sentences.")
        states: list[list[State]] | None = None
        results: list[list[np.ndarray]] = [[] for _ in streams]
        for batch in zip(*streams, strict=True):
            layers, states = self._run(batch).stateful(states)
            for stream, array in zip(results, layers, strict=True):
                stream.append(array)
        return results

    def _run(self, sentences: Sequence[list[str]]) -> _Run:
        return _Run(self, [[SENTENCE_BEGIN, *sentence, SENTENCE_END] for sentence in sentences])

    def _batches(self, sentences: list[list[str]]) -> Iterator[list[int]]:
        """Group sentence numbers by similar length, each group at most `batch_tokens` with boundaries (or one sentence)."""
        group = []
        tokens = 0
        for number in sorted((n for n, s in enumerate(sentences) if s), key=lambda n: len(sentences[n])):
            size = len(sentences[number]) + 2
            if group and tokens + size > self.batch_tokens:
                yield group
                group = []
                tokens = 0
            group.append(number)
            tokens += size
        if group:
            yield group


class _Run:
    """One batch: packed sentences with boundaries (see core.elmo.model), their word vectors, and the inverse order."""

    def __init__(self, encoder: Encoder, bounded: list[list[str]]) -> None:
        self.stacks, self.device = encoder.stacks, encoder.device
        words = list(dict.fromkeys(word for sentence in bounded for word in sentence))
        number = {word: k for k, word in enumerate(words)}
        batch, self.order = pack([np.array([number[w] for w in sentence]) for sentence in bounded])
        self.batch_sizes = batch.batch_sizes
        self.reverse = torch.from_numpy(batch.reverse)
        self.lengths = [len(bounded[n]) for n in self.order]
        self.x = torch.from_numpy(encoder.word_vectors(words))[torch.from_numpy(batch.ids)]  # (N, P)

    def rows(self) -> Iterator[Tensor]:
        """Return the packed rows of each sentence in reading order, longest sentence first."""
        starts = torch.tensor([0, *self.batch_sizes]).cumsum(0)
        for rank, length in enumerate(self.lengths):
            yield starts[:length] + rank

    def both(self) -> tuple[list[Tensor], list[Tensor]]:
        """Return the outputs of the forward and the backward stack, each in its own reading order."""
        (ahead, _), (behind, _) = side_by_side(self._direction, _DIRECTIONS, self.device)
        return ahead, behind

    def _direction(self, backward: bool, states: list[State] | None = None) -> tuple[list[Tensor], list[State]]:
        with torch.inference_mode():
            x = (self.x[self.reverse] if backward else self.x).to(self.device)
            outputs, last = self.stacks.run_direction(x, self.batch_sizes, backward=backward, states=states)
            return [layer.cpu() for layer in outputs], last

    def last(self, backward: bool) -> tuple[list[np.ndarray], np.ndarray]:
        """Return each layer's outputs (n, P) at the sequences' ends, and the top layer's one step before, in input order."""
        outputs, _ = self._direction(backward)
        starts = np.cumsum([0, *self.batch_sizes])
        lengths = np.array(self.lengths)
        back = np.argsort(self.order)
        ends, before = ((starts[lengths - step] + np.arange(len(lengths)))[back] for step in (1, 2))
        return [layer.numpy()[ends] for layer in outputs], outputs[-1].numpy()[before]

    def layers(self, ahead: list[Tensor], behind: list[Tensor]) -> list[np.ndarray]:
        """Return the layers (L, T, D) of each sentence without boundaries, in input order."""
        behind = [layer[self.reverse] for layer in behind]
        results: list[np.ndarray] = [np.empty(0)] * len(self.lengths)
        for rank, rows in enumerate(self.rows()):
            inner = rows[1:-1]
            stack = [torch.cat([self.x[inner]] * 2, dim=1)]
            stack += [torch.cat([a[inner], b[inner]], dim=1) for a, b in zip(ahead, behind, strict=True)]
            results[self.order[rank]] = torch.stack(stack).numpy()
        return results

    def stateful(self, states: list[list[State]] | None) -> tuple[list[np.ndarray], list[list[State]]]:
        """Run like AllenNLP's ElmoLstm with stateful=True, from `states` per direction and layer, in stream order."""
        order, back = torch.from_numpy(self.order.copy()), torch.from_numpy(np.argsort(self.order))

        def read(backward: bool) -> tuple[list[Tensor], list[State]]:
            initial = [tuple(part[order].to(self.device) for part in state) for state in states[backward]] if states else None
            outputs, last = self._direction(backward, initial)
            return outputs, [tuple(part.cpu()[back] for part in state) for state in last]

        (ahead, after_last), (behind, before_first) = side_by_side(read, _DIRECTIONS, self.device)
        return self.layers(ahead, behind), [after_last, before_first]


_DIRECTIONS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="direction")


def encoded(
    encoder: Encoder, sentences: Sequence[Sequence[str]], report: Callable[[int, int], None] | None = None, *, chunk: int = 1024
) -> Iterator[np.ndarray]:
    """Return the layers (L, T, D) of each sentence, `chunk` sentences at a time to bound memory. Calls `report(tokens done, total)`."""
    total = sum(map(len, sentences))
    done = 0
    for start in range(0, len(sentences), chunk):
        part = [list(tokens) for tokens in sentences[start : start + chunk]]
        yield from encoder.encode(part)
        done += sum(map(len, part))
        if report:
            report(done, total)


def vectors_of_rows(encoder: Encoder, rows: list[LabeledRow], report: Callable[[int, int], None] | None = None) -> np.ndarray:
    """Return the vectors (n, L, D) of labeled tokens. A sentence with several of them is encoded once."""
    wanted: dict[tuple[str, ...], list[int]] = {}
    for k, row in enumerate(rows):
        wanted.setdefault(tuple(row.tokens), []).append(k)
    vectors = np.empty((len(rows), encoder.n_layers, encoder.dim), np.float32)
    for numbers, layers in zip(wanted.values(), encoded(encoder, list(wanted), report), strict=True):
        vectors[numbers] = layers[:, [rows[k].position for k in numbers]].transpose(1, 0, 2)
    return vectors


def save_spelled(folder: Path, encoder: Encoder, words: Sequence[str], model: str) -> Path:
    """Compute the words' char-CNN vectors and write them into the model's folder. `model` is the fingerprint of its weights."""
    words = list(dict.fromkeys(words))
    with replacing(folder / SPELLED_FILE) as temporary, temporary.open("wb") as stream:
        np.savez(stream, vectors=encoder.word_vectors(words), words=_bytes("\n".join(words)), model=_bytes(model))
    return folder / SPELLED_FILE


def load_spelled(folder: Path, model: str) -> tuple[list[str], np.ndarray] | None:
    """Return n words and their vectors (n, P) float32, or None if missing or of other weights. Raises CorruptArtifact."""
    path = folder / SPELLED_FILE
    if not path.is_file():
        return None
    check_fits(path, MAX_SPELLED_BYTES, error=CorruptArtifact)
    try:
        with np.load(path, allow_pickle=False) as file:
            if file["model"].tobytes().decode("utf-8") != model:
                return None
            words, vectors = file["words"].tobytes().decode("utf-8").split("\n"), file["vectors"]
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise CorruptArtifact(t("{path} cannot be read: {error}. Delete it or get it again.", path=path, error=error)) from None
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != len(words):
        values = {"path": path, "n": len(words), "shape": vectors.shape, "kind": vectors.dtype}
        raise CorruptArtifact(t("{path}: {n} words do not match vectors of shape {shape}, {kind}. Delete it or get it again.", **values))
    return words, vectors


def _bytes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-8"), np.uint8)
