"""The model of a worker, loaded once per process, and an encoder that distributes its batches over workers."""

import copy
import hashlib
import io
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from distributed import Client
from scipy.sparse import coo_array, csr_array

from ..common.errors import BadInput
from ..common.i18n import t
from ..elmo.encoder import Encoder
from ..elmo.models import Model, open_language_model, open_model
from ..elmo.substitutes import Substitutes
from ..files.artifacts import text_fingerprint
from ..files.registry import is_bundled
from ..training.glove import count_chunk, join_counts
from .jobs import ShardJob, run_jobs
from .store import Store, open_store

_LOADING = threading.Lock()


def held(name: str, fingerprint: str) -> Encoder:
    """Return the worker's encoder of a model, replacing another model. Raises BadInput if the name means other weights here."""
    return _loaded(name, fingerprint).encoder


def _loaded(name: str, fingerprint: str) -> Model:
    with _LOADING:  # threads of one worker wait for one load
        return _load(name, fingerprint)


@lru_cache(maxsize=1)
def _load(name: str, fingerprint: str) -> Model:
    model = open_model(name)
    if model.fingerprint != fingerprint:
        values = {"name": name, "found": model.fingerprint, "fingerprint": fingerprint}
        raise BadInput(t("Worker weights of '{name}' differ: {found}, not {fingerprint}.", **values))
    return model


@lru_cache(maxsize=1)
def held_substitutes(name: str, fingerprint: str) -> Substitutes:
    """Return the substitutes of the worker's model, for the sense space. Raises MissingArtifact without a softmax."""
    return Substitutes(open_language_model(_loaded(name, fingerprint)))


def name_for_worker(name: str) -> str:
    """Return a model's name for a worker: a registry name as it is, a folder as an absolute path."""
    return str(Path(name).absolute()) if not is_bundled(name, "model") and Path(name).is_dir() else name


class SpreadEncoder(Encoder):
    """An encoder whose `encode` gives each batch to a worker. Batches are those of one machine.

    Vectors are the same up to 1e-4 (see core.cluster.shards on new spellings). With `store`, each batch is stored under the fingerprint of
    its sentences until the caller removes it, so an interrupted encoding continues.
    """

    def __init__(self, encoder: Encoder, client: Client, fingerprint: str, *, store: str | None = None) -> None:
        super().__init__(encoder.model, name=encoder.name, batch_tokens=encoder.batch_tokens)
        self.client, self.fingerprint, self.store = client, fingerprint, store

    def encode(self, sentences: list[list[str]], *, report: Callable[[int, int], None] | None = None) -> list[np.ndarray]:
        """Encode on the cluster like Encoder.encode."""
        results: list[np.ndarray] = [np.empty((self.n_layers, 0, self.dim), np.float32) for _ in sentences]
        groups = list(self._batches(sentences))
        total = sum(map(len, sentences))
        done = 0
        for job, result in run_jobs(self.client, self._jobs(sentences, groups)):
            numbers = groups[int(job.name)]
            if self.store:
                result = _arrays(open_store(self.store).read(result))[0]
            ends = np.cumsum([len(sentences[n]) for n in numbers])
            for number, layers in zip(numbers, np.split(result, ends[:-1], axis=1), strict=True):
                results[number] = layers
            done += job.tokens
            if report:
                report(done, total)
        return results

    def alone(self, sentences: list[list[str]], positions: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Encode like Encoder.alone; complete sentences go to the workers."""
        read = self.encode(sentences)
        layers = np.stack([sentence[:, position] for sentence, position in zip(read, positions, strict=True)])
        return layers, self.around(sentences, positions, read)

    def _jobs(self, sentences: list[list[str]], groups: list[list[int]]) -> Iterator[ShardJob]:
        for k, numbers in enumerate(groups):
            part = [sentences[n] for n in numbers]
            arguments = (name_for_worker(self.name), self.fingerprint, part, self.batch_tokens, self.store)
            yield ShardJob(str(k), encode_batch, arguments, sum(map(len, part)))


def encode_batch(model: str, fingerprint: str, sentences: list[list[str]], batch_tokens: int, store: str | None) -> np.ndarray | str:
    """Return the layers (L, tokens, D) of a batch's sentences, or their name in the store (a worker's job)."""
    name = f"{text_fingerprint([fingerprint, *(part for s in sentences for part in (str(len(s)), *s))])}.npz"
    if store and open_store(store).has(name):
        return name
    encoder = copy.copy(held(model, fingerprint))  # the same model and word cache, the caller's size of a batch
    encoder.batch_tokens = batch_tokens
    result = np.concatenate(encoder.encode(sentences), axis=1)
    if not store:
        return result
    open_store(store).write(name, _bytes(result))
    return name


Chunks = Iterable[tuple[np.ndarray, np.ndarray]]


def counter(client: Client, where: str) -> Callable[..., coo_array]:
    """Return a function like core.training.glove.count_pairs, for `train_glove(count=...)`, with chunks and counts in the store `where`."""
    store = open_store(where)

    def count(chunks: Chunks, *, n_words: int, window: int) -> coo_array:
        names: list[str] = []  # of all chunks in order, filled as the jobs begin
        for _ in run_jobs(client, _jobs(store, chunks, n_words, window, names)):
            pass
        counts = (csr_array(tuple(_arrays(store.read(f"{name}.counts.npz"))), shape=(n_words, n_words)) for name in names)
        return join_counts(counts, n_words)

    return count


def count_stored(where: str, name: str, n_words: int, window: int) -> None:
    """Write the counts of a stored chunk into the store (a worker's job)."""
    store = open_store(where)
    if not store.has(f"{name}.counts.npz"):
        tokens, sentences = _arrays(store.read(f"{name}.chunk.npz"))
        counts = count_chunk(tokens, sentences, n_words, window)
        store.write(f"{name}.counts.npz", _bytes(counts.data, counts.indices, counts.indptr))
    store.remove(f"{name}.chunk.npz")


def _jobs(store: Store, chunks: Chunks, n_words: int, window: int, names: list[str]) -> Iterator[ShardJob]:
    """Yield a job for each chunk without stored counts, and add every chunk's name to `names`."""
    stored = store.names("")
    for number, (tokens, sentences) in enumerate(chunks):
        made_of = hashlib.sha256(np.ascontiguousarray(tokens).tobytes() + np.ascontiguousarray(sentences).tobytes())
        made_of.update(f"{n_words} {window} csr".encode())
        name = f"{number:06}-{made_of.hexdigest()[:16]}"
        names.append(name)
        if f"{name}.counts.npz" not in stored:
            store.write(f"{name}.chunk.npz", _bytes(tokens, sentences))
            yield ShardJob(name, count_stored, (store.url, name, n_words, window), len(tokens))


def _bytes(*arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, *arrays)
    return stream.getvalue()


def _arrays(data: bytes) -> list[np.ndarray]:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return [file[name] for name in file.files]
