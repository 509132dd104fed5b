"""The vectors of an occurrence table as they lie on disk: blocks of an Arrow IPC file, mapped and never copied whole."""

import mmap
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..common.errors import CorruptArtifact
from ..common.i18n import t
from ..elmo import mix
from ..elmo.mix import widen


class Rows:
    """Blocks of an Arrow file as numpy views: `layers` (n, L, D) float16 and `gram` (n, L(L+1)/2) per block."""

    def __init__(self, path: Path, n_layers: int, dim: int) -> None:
        try:
            with path.open("rb") as file:
                self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            reader = pa.ipc.open_file(pa.py_buffer(self._mapped))
            if reader.schema != schema_of(n_layers, dim):
                raise pa.ArrowInvalid(t("columns do not match {n} layers of {size}", n=n_layers, size=dim))
            batches = [reader.get_batch(k) for k in range(reader.num_record_batches)]
        except (pa.ArrowInvalid, OSError, ValueError) as error:  # ValueError: nothing can be mapped of an empty file
            message = t("Cannot read {path} ({error}). Rebuild the index.", path=path, error=error)
            raise CorruptArtifact(message) from None
        self.batches, self.dim = batches, dim
        self.layers = [_matrix(batch, "layers").reshape(-1, n_layers, dim) for batch in batches]
        self.grams = [_matrix(batch, "gram") for batch in batches]
        self.starts = np.cumsum([0, *(batch.num_rows for batch in batches)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def let_go(self) -> None:
        """Leave what was read to the system's cache: until it is read again, none of it counts as this process's memory."""
        if hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            self._mapped.madvise(mmap.MADV_DONTNEED)

    @cached_property
    def gram(self) -> np.ndarray:
        """(N, L(L+1)/2), each product's numbers of all rows side by side in memory, for core.elmo.mix.mix_cosines."""
        return np.array(np.concatenate(self.grams), order="F") if self.grams else np.empty((0, 0), np.float32)

    @cached_property
    def spread(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation (N, L) of every layer's numbers: what layer normalization needs, read once."""
        if not self.layers:
            return np.empty((0, 0)), np.empty((0, 0))
        means = np.concatenate([mix.means_of(block) for block in self.layers])
        return means, mix.gram_deviations(self.gram, means, self.dim)

    @cached_property
    def normalized_gram(self) -> np.ndarray:
        """`gram` of the layers after layer normalization."""
        return mix.normalized_gram(self.gram, *self.spread, self.dim)

    def numbers(self, name: str) -> np.ndarray:
        """A column of integers, or a dictionary column's codes (-1 where there is none)."""
        columns = []
        for batch in self.batches:
            column = batch.column(name)
            columns.append(_codes(column.indices) if isinstance(column, pa.DictionaryArray) else _view(column))
        return np.concatenate(columns) if columns else np.empty(0, np.int32)

    def names(self, name: str) -> list[str]:
        """The dictionary of a dictionary column."""
        return self.batches[0].column(name).dictionary.to_pylist() if self.batches else []

    def take(self, rows: np.ndarray) -> np.ndarray:
        """(n,) row numbers -> (n, L, D) float32."""
        blocks = np.searchsorted(self.starts, rows, side="right") - 1
        shape = self.layers[0].shape[1:] if self.layers else (0, 0)
        out = np.empty((len(rows), *shape), np.float32)
        for block in np.unique(blocks):
            here = blocks == block
            out[here] = widen(self.layers[block][np.asarray(rows)[here] - self.starts[block]])
        return out


def schema_of(n_layers: int, dim: int) -> pa.Schema:
    """Columns of an occurrence table of L layers of size D."""
    name = pa.dictionary(pa.int32(), pa.string())
    columns = [("word", name), ("sense", name), ("lemma", name), ("sentence", pa.int32()), ("position", pa.int32())]
    columns += [("layers", pa.list_(pa.float16(), n_layers * dim)), ("gram", pa.list_(pa.float32(), n_layers * (n_layers + 1) // 2))]
    return pa.schema(columns)


def _matrix(batch: pa.RecordBatch, name: str) -> np.ndarray:
    """A fixed-size-list column as (n, size), without a copy."""
    column = batch.column(name)
    return _view(column.flatten()).reshape(len(column), -1)


def _view(column: pa.Array) -> np.ndarray:
    """The numbers of a column without nulls, not copied. Arrow's own `to_numpy` and `fill_null` import pandas, a second of processor time."""
    if column.null_count:
        raise pa.ArrowInvalid(t("{n} values are missing", n=column.null_count))
    return _numbers(column)


def _codes(column: pa.Array) -> np.ndarray:
    """A dictionary column's codes, -1 where there is none."""
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
