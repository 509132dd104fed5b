"""Tokens in context and their vectors: the rows of an occurrence table on disk, an occurrence as a person reads it, a query.

The vectors are memory-mapped blocks of an Arrow IPC file.

Layer 0 depends on the spelling alone. A compact table stores it once for each spelling, in `spellings.npy`; its blocks hold the other
layers.
"""

import mmap
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..common.errors import BadInput, CorruptArtifact
from ..common.i18n import t
from ..common.libraries import import_library
from ..elmo import mix
from ..elmo.mix import widen
from ..text.tokens import around, join_tokens

SPELLINGS = "spellings.npy"  # (S, D) float16, next to the rows of a compact table
Multiply = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
SHIFT = 13  # moves a float16's exponent and fraction to their place in float32; its sign, extended to 32 bits, moves along
SIGN_AND_FRACTION = np.int32(np.uint32(0x8FFFE000).view(np.int32))  # the mask that removes the copies of the sign
BIAS = np.float32(2.0**112)  # the difference between the exponents' biases; it scales a float16 below 2^-14 correctly, too
_compiled: list[Multiply] = []


@dataclass(frozen=True, slots=True)
class Query:
    """A token in its sentence, with its layers as they would be stored: float16 and back, (L, D)."""

    tokens: tuple[str, ...]
    position: int
    layers: np.ndarray
    read_as: str = ""  # the word that it is, where its spelling leaves that open (core.text.readings)

    @property
    def word(self) -> str:
        """Return the token."""
        return self.tokens[self.position]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A token in context, as a person reads it."""

    row: int
    word: str
    tokens: tuple[str, ...]
    position: int
    sense: str | None
    lemma: str | None
    text: str | None = None  # its sentence as written, where that is not how `join_tokens` writes it
    guess: str | None = None  # the sense that a model, not a person, gave it: no evidence

    @property
    def sentence(self) -> str:
        """Return the sentence as it is written."""
        return self.text or join_tokens(list(self.tokens))

    def around(self) -> tuple[str, str, str]:
        """Return its sentence before it, itself, and its sentence after it."""
        return around(self.tokens, self.position)


class Rows:
    """Blocks of an Arrow file as numpy views: `layers` (n, L, D) float16 and `gram` (n, L(L+1)/2) per block.

    In a compact table `layers` are (n, L - 1, D), and `spellings[spelling]` is layer 0 of all rows.
    """

    def __init__(self, path: Path, n_layers: int, dim: int) -> None:
        try:
            with path.open("rb") as file:
                self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            reader = pa.ipc.open_file(pa.py_buffer(self._mapped))
            is_compact = "spelling" in reader.schema.names
            if reader.schema != schema_of(n_layers, dim, is_compact=is_compact):
                raise pa.ArrowInvalid(t("columns do not match {n} layers of {size}", n=n_layers, size=dim))
            self.spellings = np.load(path.with_name(SPELLINGS), mmap_mode="r") if is_compact else None
            batches = [reader.get_batch(k) for k in range(reader.num_record_batches)]
        except (pa.ArrowInvalid, OSError, ValueError) as error:  # ValueError: nothing can be mapped of an empty file
            raise CorruptArtifact(t("Cannot read {path} ({error}). Rebuild the index.", path=path, error=error)) from None
        self.batches, self.n_layers, self.dim = batches, n_layers, dim
        self.layers = [_matrix(batch, "layers").reshape(-1, n_layers - is_compact, dim) for batch in batches]
        self.spelling = self.numbers("spelling") if is_compact else None
        self.grams = [_matrix(batch, "gram") for batch in batches]
        self.starts = np.cumsum([0, *(batch.num_rows for batch in batches)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def first(self, n: int) -> "Rows":
        """Return the first n rows; nothing is copied."""
        part = copy(self)
        for name in ("gram", "spread", "normalized_gram"):
            part.__dict__.pop(name, None)
        part.starts = np.minimum(self.starts, n)
        sizes = np.diff(part.starts)
        part.layers = [block[:size] for block, size in zip(self.layers, sizes, strict=True)]
        part.grams = [block[:size] for block, size in zip(self.grams, sizes, strict=True)]
        part.spelling = self.spelling[:n] if self.spellings is not None else None
        return part

    def release(self) -> None:
        """Release what was read to the system's cache: until it is read again, none of it counts as this process's memory."""
        if hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            self._mapped.madvise(mmap.MADV_DONTNEED)

    @cached_property
    def gram(self) -> np.ndarray:
        """Return (N, L(L+1)/2), each product of all rows contiguous in memory, for core.elmo.mix.mix_cosines."""
        return np.array(np.concatenate(self.grams), order="F") if self.grams else np.empty((0, 0), np.float32)

    @cached_property
    def spread(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean and standard deviation (N, L) of every layer's numbers, which layer normalization needs, read once."""
        if not self.layers:
            return np.empty((0, 0)), np.empty((0, 0))
        means = np.concatenate([mix.means_of(block) for block in self.layers])
        if self.spellings is not None:
            means = np.concatenate([mix.means_of(self.spellings[:, None])[self.spelling], means], axis=1)
        return means, mix.gram_deviations(self.gram, means, self.dim)

    @cached_property
    def normalized_gram(self) -> np.ndarray:
        """Return `gram` of the layers after layer normalization."""
        return mix.normalized_gram(self.gram, *self.spread, self.dim)

    def numbers(self, name: str) -> np.ndarray:
        """Return a column of integers, or the codes of a dictionary column (-1 for null)."""
        columns = (batch.column(name) for batch in self.batches)
        parts = [_codes(column.indices) if isinstance(column, pa.DictionaryArray) else _view(column) for column in columns]
        return np.concatenate(parts) if parts else np.empty(0, np.int32)

    def names(self, name: str) -> list[str]:
        """Return the dictionary of a dictionary column."""
        return self.batches[0].column(name).dictionary.to_pylist() if self.batches else []

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Return the layers (n, L, D) float32 of rows."""
        rows = np.asarray(rows)
        blocks = np.searchsorted(self.starts, rows, side="right") - 1
        out = np.empty((len(rows), self.n_layers, self.dim) if self.layers else (len(rows), 0, 0), np.float32)
        n_shared = int(self.spellings is not None)
        for block in np.unique(blocks):
            chosen = blocks == block
            out[chosen, n_shared:] = widen(self.layers[block][rows[chosen] - self.starts[block]])
        if n_shared:
            out[:, 0] = widen(self.spellings[self.spelling[rows]])
        return out


def make_query(encoder, tokens: Sequence[str], position: int) -> Query:
    """Encode a sentence and take the token at `position`."""
    return query_of(encoder.encode([list(tokens)])[0], tokens, position)


def query_of(layers: np.ndarray, tokens: Sequence[str], position: int) -> Query:
    """Return the token at `position` of an encoded sentence (L, T, D) as a query."""
    check_place_in(tokens, position)
    return Query(tuple(tokens), position, layers[:, position].astype(np.float16).astype(np.float32))


def check_place_in(tokens: Sequence[str], position: int) -> None:
    """Raise BadInput for an empty sentence or a position outside it."""
    if not tokens:
        raise BadInput(t("Empty sentence. Type one with the word."))
    if not 0 <= position < len(tokens):
        places = {"position": position, "last": len(tokens) - 1}
        raise BadInput(t("Position {position} is outside the sentence (0 to {last}). Choose another.", **places))


def schema_of(n_layers: int, dim: int, *, is_compact: bool = False) -> pa.Schema:
    """Return the columns of an occurrence table of L layers of size D."""
    name = pa.dictionary(pa.int32(), pa.string())
    columns = [("word", name), ("sense", name), ("lemma", name), ("sentence", pa.int32()), ("position", pa.int32())]
    columns += [("spelling", pa.int32())] if is_compact else []
    layers, products = pa.list_(pa.float16(), (n_layers - is_compact) * dim), pa.list_(pa.float32(), n_layers * (n_layers + 1) // 2)
    return pa.schema([*columns, ("layers", layers), ("gram", products)])


def _matrix(batch: pa.RecordBatch, name: str) -> np.ndarray:
    """Return a fixed-size-list column as (n, size), without a copy."""
    column = batch.column(name)
    return _view(column.flatten()).reshape(len(column), -1)


def _view(column: pa.Array) -> np.ndarray:
    """Return the numbers of a column without nulls, not copied. Arrow's own `to_numpy` and `fill_null` import pandas, a second slower."""
    if column.null_count:
        raise pa.ArrowInvalid(t("{n} values are missing", n=column.null_count))
    return _numbers(column)


def _codes(column: pa.Array) -> np.ndarray:
    """Return the codes of a dictionary column, -1 for null."""
    codes = _numbers(column)
    if not column.null_count:
        return codes
    valid = np.unpackbits(np.frombuffer(column.buffers()[0], np.uint8), bitorder="little")
    return np.where(valid[column.offset : column.offset + len(column)], codes, codes.dtype.type(-1))


def _numbers(column: pa.Array) -> np.ndarray:
    dtype, buffer = np.dtype(column.type.to_pandas_dtype()), column.buffers()[1]
    if buffer is None or not len(column):
        return np.empty(0, dtype)
    return np.frombuffer(buffer, dtype, len(column), column.offset * dtype.itemsize)


def compiled_products() -> Multiply | None:
    """Return a function (rows (n, L, D) float16, out (L', L, n) float32, wanted (L', D) float32) that fills `out`; None before `warm_up`.

    Rows must be finite. Any thread may call it, and others run meanwhile.
    """
    return _compiled[0] if _compiled else None


def warm_up() -> None:
    """Compile the products of float16 rows, once in a process. Takes seconds, which one search does not pay back.

    The loop reads at about the speed of memory. torch, which has no product of float16 with float32, widens every number into memory first.
    """
    if _compiled:
        return
    numba = import_library("numba")
    types = numba.types
    rows, out = types.Array(types.int16, 3, "C", readonly=True), types.Array(types.float32, 3, "A")
    signature = types.void(rows, out, types.float32[:, ::1])
    multiply = numba.njit(signature, nogil=True, fastmath={"reassoc", "contract"})(_multiply)

    def run(rows: np.ndarray, out: np.ndarray, wanted: np.ndarray) -> None:
        multiply(rows.view(np.int16), out, wanted * BIAS)

    _compiled.append(run)


def _multiply(bits, out, wanted) -> None:
    """Widen one row's layer at a time in the processor's registers, and multiply it with every wanted vector."""
    wide = np.empty(bits.shape[2], np.float32)
    for n in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            for d in range(bits.shape[2]):
                wide[d] = np.int32((np.int32(bits[n, j, d]) << SHIFT) & SIGN_AND_FRACTION).view(np.float32)
            for i in range(len(wanted)):
                total = np.float32(0)
                for d in range(bits.shape[2]):
                    total += wide[d] * wanted[i, d]
                out[i, j, n] = total
