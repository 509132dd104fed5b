"""Arrays in one file for the browser: a line of JSON with their positions, then the arrays, gzipped (pack.js reads it)."""

import gzip
import json
from typing import Any

import numpy as np

WIDE = 16  # columns of a matrix are padded to a multiple (kernel.js)
KINDS = {"int8": "i8", "uint8": "u8", "int16": "i16", "int32": "i32", "float32": "f32", "float16": "f16"}


class Pack:
    """A pack that is filled array by array and then written with its facts."""

    def __init__(self) -> None:
        self._arrays: dict[str, dict[str, Any]] = {}
        self._parts: list[bytes] = []
        self._end = 0

    def add(self, name: str, numbers: np.ndarray, **facts: int) -> None:
        """Add an array unchanged. Its type is one of KINDS."""
        data = np.ascontiguousarray(numbers).astype(numbers.dtype.newbyteorder("<")).tobytes()
        self._arrays[name] = {"kind": KINDS[numbers.dtype.name], "at": self._end, "size": numbers.size, **facts}
        self._parts.append(data + bytes(-len(data) % 8))
        self._end += len(self._parts[-1])

    def add_rows(self, name: str, matrix: np.ndarray) -> None:
        """Add rows (n, d) in 8 bits with a scale each, padded with zero columns."""
        integers, scales = quantize(matrix)
        padded = np.pad(integers, ((0, 0), (0, -integers.shape[1] % WIDE)))
        self.add(name, padded, rows=padded.shape[0], columns=padded.shape[1])
        self.add(f"{name}.scales", scales)

    def add_lines(self, name: str, lines: list[str]) -> None:
        """Add words or sentences without line breaks."""
        self.add(name, np.frombuffer("\n".join(lines).encode("utf-8"), np.uint8))

    def to_bytes(self, facts: dict) -> bytes:
        """Return the content of the file."""
        head = json.dumps({"facts": facts, "arrays": self._arrays}, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        head += b" " * (-(len(head) + 4) % 8)
        return gzip.compress(len(head).to_bytes(4, "little") + head + b"".join(self._parts), 9, mtime=0)


def quantize(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round rows (n, d) to int8 with a scale each, float32 (n,): steps of a 127th of the row's largest number."""
    rows = np.asarray(matrix, np.float32)
    scales = np.maximum(np.abs(rows).max(axis=1, initial=0.0), 1e-12) / 127
    return np.round(rows / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def as_packed(matrix: np.ndarray) -> np.ndarray:
    """Return rows (n, d) as the page reads them after rounding."""
    integers, scales = quantize(matrix)
    return integers * scales[:, None]
