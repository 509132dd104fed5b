"""Train GloVe: global vectors from weighted co-occurrence counts (Pennington, Socher and Manning 2014).

    J = sum over i, j of f(X_ij) (w_i . w~_j + b_i + b~_j - log X_ij)^2,   f(x) = min(1, (x / x_max)^0.75)   (eq. 8, 9)

X_ij adds 1/d for each pair of lowercase words i and j at a distance of d tokens in one sentence; unknown words keep their place.
The vectors are w + w~. AdaGrad visits pairs in an order that `seed` determines. As in the authors' glove.c, the factor
2 of the gradient is dropped and the learning rate is inside the root: a step is lr g / sqrt(1 + sum (lr g)^2).
"""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from safetensors.numpy import save
from scipy.sparse import coo_array, csr_array

from .. import __version__
from ..common.errors import BadInput, CorruptArtifact
from ..common.libraries import import_library
from ..files import atomic
from ..files.artifacts import describe_differences, read_checkpoint, write_checkpoint
from ..files.atomic import replacing
from ..text import languages
from .data import Corpus

PUNCTUATION = {*".,;:!?'\"()[]-…–—/&%$£€+=*#@°", "--", "...", "``", "''"}  # included in the vocabulary
FILES = r"vectors\.safetensors|words\.txt|meta\.json"  # of a folder of vectors, as core.files.atomic names them
FORMAT = "elmoscope-vectors"
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class GloveConfig:
    """Parameters of GloVe training."""

    dim: int = 100  # size of a vector
    window: int = 10  # tokens to either side
    x_max: float = 20.0  # counts from here on weigh 1; log-log from the demo (10 at 17 M tokens) to the paper (100 at 6 G)
    epochs: int = 20
    lr: float = 0.05
    seed: int = 0  # first values and the order of the pairs
    min_count: int = 8  # occurrences below which a word is left out
    max_types: int = 80_000  # words at most, the most frequent

    def __post_init__(self) -> None:
        least = {"dim": 1, "window": 1, "x_max": 1e-6, "epochs": 1, "lr": 1e-6, "seed": 0, "min_count": 1, "max_types": 1}
        for name, low in least.items():
            if not low <= getattr(self, name) <= 1_000_000:
                raise BadInput(f"GloVe's {name} must be from {low} to 1,000,000, got {getattr(self, name)}.")


@dataclass(slots=True)
class GloveState:
    """The parameters that training changes in place: [0] is w and b, [1] is w~ and b~, the bias after the D entries of its vector."""

    values: np.ndarray  # (2, V, D + 1) float32
    squares: np.ndarray  # (2, V, D + 1) float32, 1 + sum (lr g)^2 of each value
    losses: list[float] = field(default_factory=list)  # per epoch, as in GloveProgress
    seconds: float = 0.0  # of training up to here


@dataclass(frozen=True, slots=True)
class GloveProgress:
    """Progress after a block of pairs."""

    epoch: int  # from 1
    share: float  # of this epoch's pairs, 1.0 when it ends
    loss: float  # this epoch's so far: the terms of eq. 8 visited, each just before its step, over their number
    pairs_per_s: float  # terms of eq. 8 a second
    seconds_left: float


def choose_words(types: list[str], counts: np.ndarray, config: GloveConfig) -> tuple[list[str], np.ndarray]:
    """Return the vocabulary, most frequent first, and each type's word number or -1, (types,) int32.

    Type k of the corpus occurs counts[k] times; types 0 and 1 are boundaries.
    """
    total: Counter[str] = Counter()
    for word, n in zip(types[2:], counts.tolist()[2:], strict=True):
        total[word.lower()] += n
    candidates = [w for w, n in total.items() if n >= config.min_count and (w in PUNCTUATION or any(map(str.isalnum, w)))]
    words = sorted(candidates, key=lambda word: (-total[word], word))[: config.max_types]
    number = {word: k for k, word in enumerate(words)}
    return words, np.array([-1, -1, *(number.get(word.lower(), -1) for word in types[2:])], np.int32)


def count_pairs(chunks: Iterable[tuple[np.ndarray, np.ndarray]], *, n_words: int, window: int) -> coo_array:
    """Count X of a corpus in chunks of (word number or -1, sentence number) per token; return what `join_counts` returns."""
    return join_counts((count_chunk(tokens, sentences, n_words, window) for tokens, sentences in chunks), n_words)


def join_counts(counted: Iterable[csr_array], n_words: int) -> coo_array:
    """Add the results of `count_chunk`. Return the nonzero entries of X (V, V): each unordered pair once, row <= column, in order."""
    counts = sum(counted, csr_array((n_words, n_words), dtype=np.float32)).tocoo()
    counts.data[counts.row == counts.col] *= 2  # a word next to itself counts in both directions
    return counts


def count_chunk(tokens: np.ndarray, sentences: np.ndarray, n_words: int, window: int) -> csr_array:
    """Return the sums (V, V) of 1/d float32 of a chunk's pairs, row <= column."""
    rows, columns, values = [], [], []
    for d in range(1, window + 1):
        a, b = tokens[:-d], tokens[d:]
        is_pair = (sentences[:-d] == sentences[d:]) & (a >= 0) & (b >= 0)
        a, b = a[is_pair], b[is_pair]
        rows.append(np.minimum(a, b))
        columns.append(np.maximum(a, b))
        values.append(np.full(len(a), 1 / d))
    places = np.concatenate(rows), np.concatenate(columns)
    return coo_array((np.concatenate(values), places), shape=(n_words, n_words)).tocsr().astype(np.float32)  # adds what repeats


def initial_state(n_words: int, config: GloveConfig) -> GloveState:
    """Return the initial state: vectors uniform in +-0.5/D, biases 0."""
    values = np.random.default_rng((config.seed, 0)).random((2, n_words, config.dim + 1), dtype=np.float32)
    values = (values - 0.5) / config.dim
    values[:, :, -1] = 0
    return GloveState(values, np.ones_like(values))


def fit(pairs: coo_array, config: GloveConfig, state: GloveState, *, block: int = 1 << 23) -> Iterator[GloveProgress]:
    """Train `state` in place up to config.epochs, from the epoch it has reached. Yields progress after each block of pairs."""
    sweep = _compiled_sweep()
    began = time.perf_counter()
    earlier = state.seconds
    n = pairs.nnz
    first = len(state.losses) + 1
    for epoch in range(first, config.epochs + 1):
        order = np.random.default_rng((config.seed, epoch)).permutation(n).astype(np.uint32)
        loss = terms = 0
        for start in range(0, n, block):
            chosen = order[start : start + block]
            rows, columns, x = pairs.row[chosen], pairs.col[chosen], pairs.data[chosen]
            weights = np.minimum(1, (x / config.x_max) ** 0.75).astype(np.float32)  # f(X), (block,)
            loss += sweep(rows, columns, np.log(x), weights, state.values, state.squares, np.float32(config.lr))
            terms += len(chosen) + int((rows != columns).sum())
            if not np.isfinite(loss):
                raise BadInput(f"GloVe's loss is no longer a number in epoch {epoch}: lower lr ({config.lr}).")
            elapsed = time.perf_counter() - began
            share = min(1.0, (start + block) / n)
            done = epoch - first + share  # epochs of this call
            if share == 1.0:
                state.losses.append(loss / terms)
                state.seconds = earlier + elapsed
            left = config.epochs + 1 - first - done
            yield GloveProgress(epoch, share, loss / terms, 2 * n * done / elapsed, elapsed / done * left)


def train_glove(
    prepared: Path, output: Path, config: GloveConfig, report: Report, *, work: Path, count: Callable[..., coo_array] = count_pairs
) -> Path:
    """Train GloVe on a folder of core.training.data and write the vectors to `output`.

    The folder `work` stores a checkpoint per epoch, from which the same call continues after an interruption. `count` counts the pairs
    (core.cluster.worker_model: on several machines). Raises MissingArtifact, CorruptArtifact or BadInput.
    """
    import torch

    checkpoint = work / "checkpoint.pt"
    corpus = Corpus(prepared)
    meta, ids, types = corpus.meta, corpus.ids, corpus.types
    if ids.max(initial=0) >= len(types):
        raise CorruptArtifact(f"{prepared} is damaged: its ids.npy and types.txt do not fit together. Delete it; it will be rebuilt.")
    words, numbers = choose_words(types, np.bincount(ids, minlength=len(types)), config)
    run = json.dumps({"corpus": meta, "words": len(words), **asdict(config), "epochs": None}, sort_keys=True)
    resumed = _resume(checkpoint, run)
    pairs = count(_chunks(ids, corpus.starts, numbers, report), n_words=len(words), window=config.window)
    if not pairs.nnz:
        raise BadInput(f"No two words that occur at least {config.min_count} times occur together in {prepared}.")
    state = resumed or initial_state(len(words), config)
    for step in fit(pairs, config, state):
        if step.share == 1.0:
            tensors = {name: torch.from_numpy(getattr(state, name)) for name in ("values", "squares")}
            write_checkpoint(checkpoint, {"run": run, "losses": state.losses, "seconds": state.seconds, **tensors})
        pace = f"{step.pairs_per_s / 1e6:.2f} M terms/s, {step.seconds_left / 60:.1f} min left"
        report(f"epoch {step.epoch} of {config.epochs}, {step.share:.0%}: loss {step.loss:.5f}, {pace}")
    language = languages.get_language(meta.get("language", "en"))
    facts = {
        "corpus": meta,
        "config": asdict(config),
        "losses": state.losses,
        "training_seconds": round(state.seconds),
        "language": language.code,
        "license": language.license,
    }
    save_glove(output, words, state.values[:, :, :-1].sum(axis=0), facts)  # w + w~, (V, D)
    return output


def save_glove(folder: Path, words: list[str], vectors: np.ndarray, provenance: dict) -> None:
    """Write words and their vectors (V, D) atomically, as int8 rows with a float32 scale each, and meta.json.

    Raises BadInput if `folder` holds files that are not our vectors.
    """
    atomic.check_replaceable(folder, FILES, marked=is_glove)
    scales = np.maximum(np.abs(vectors).max(axis=1) / 127, 1e-30).astype(np.float32)  # (V,)
    rows = np.rint(vectors / scales[:, None]).astype(np.int8)
    norms = np.linalg.norm(rows.astype(np.float32), axis=1) * np.linalg.norm(vectors, axis=1)
    agreement = np.divide((rows * vectors).sum(axis=1), norms, out=np.ones_like(norms), where=norms > 0)  # cosine, before to after
    meta = {
        "format": FORMAT,
        "version": 1,
        "name": folder.name,
        "model": "GloVe (Pennington et al. 2014)",
        "code_version": __version__,
        "words": len(words),
        "dim": vectors.shape[1],
        "stored_as": "int8 rows, a float32 scale each",
        **provenance,
        "cosine_kept": {"mean": float(agreement.mean()), "least": float(agreement.min())},
    }
    with replacing(folder) as temporary:
        temporary.mkdir()
        (temporary / "vectors.safetensors").write_bytes(save({"vectors": rows, "scales": scales}))
        (temporary / "words.txt").write_text("\n".join(words), encoding="utf-8", newline="\n")
        meta["sha256"] = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(temporary.iterdir())}
        (temporary / "meta.json").write_text(json.dumps(meta, indent=1, ensure_ascii=False), encoding="utf-8", newline="\n")


def is_glove(folder: Path) -> bool:
    """Return whether a folder holds vectors in our format, or is empty."""
    with suppress(OSError, ValueError, RecursionError):
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        return isinstance(meta, dict) and meta.get("format") == FORMAT
    return not any(folder.iterdir())


def _sweep(rows, columns, targets, weights, values, squares, lr):
    """Take one AdaGrad step for each X_ij and X_ji; targets are log X, weights f(X), (N,). Returns the sum of eq. 8's terms."""
    total = 0.0
    dim = values.shape[2] - 1
    for p in range(len(rows)):
        for turn in range(1 if rows[p] == columns[p] else 2):
            i, j = (rows[p], columns[p]) if turn == 0 else (columns[p], rows[p])
            w, c = values[0, i], values[1, j]  # (D + 1,) each
            w_squares, c_squares = squares[0, i], squares[1, j]
            dot = np.float32(0)
            for d in range(dim):
                dot += w[d] * c[d]
            difference = dot + w[dim] + c[dim] - targets[p]
            total += weights[p] * difference * difference
            step = lr * weights[p] * difference
            for d in range(dim):
                w_step, c_step = step * c[d], step * w[d]
                w[d] -= w_step / np.sqrt(w_squares[d])
                c[d] -= c_step / np.sqrt(c_squares[d])
                w_squares[d] += w_step * w_step
                c_squares[d] += c_step * c_step
            w[dim] -= step / np.sqrt(w_squares[dim])
            c[dim] -= step / np.sqrt(c_squares[dim])
            w_squares[dim] += step * step
            c_squares[dim] += step * step
    return total


@cache
def _compiled_sweep() -> Callable[..., float]:
    return import_library("numba").njit(_sweep, fastmath={"reassoc", "contract", "arcp", "nsz"}, error_model="numpy")


def _chunks(ids, starts, numbers, report: Report, *, size: int = 2_000_000) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    cuts = np.searchsorted(starts, np.arange(0, len(ids), size)).tolist()
    for first, last in pairwise([*cuts, len(starts) - 1]):
        sentences = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
        yield numbers[ids[starts[first] : starts[last]]], sentences
        report(f"{starts[last]:,} of {len(ids):,} tokens counted")


def _resume(path: Path, run: str) -> GloveState | None:
    if not path.exists():
        return None
    with read_checkpoint(path) as stored:
        if stored["run"] != run:
            differences = describe_differences(json.loads(stored["run"]), json.loads(run))
            raise BadInput(f"{path} belongs to another corpus or other settings ({differences}). Delete it, or name another work folder.")
        return GloveState(stored["values"].numpy(), stored["squares"].numpy(), stored["losses"], stored["seconds"])
