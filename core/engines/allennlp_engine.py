"""AllenNLP 2.10.1 as a second engine: the reference implementation of ELMo, in a process of its own.

`allennlp_worker.py` runs in the Python 3.10 environment that `allennlp_setup` makes. `AllenNLPEngine` communicates with it through pipes
(see the worker's docstring for the protocol). Every call has a time limit.
"""

from __future__ import annotations

import json
import queue
import subprocess
import tempfile
import threading
import weakref
import zipfile
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from ..common.errors import BadInput, EngineUnavailable
from ..common.markup import shorten
from .allennlp_setup import SETUP, kill, worker_command

MAX_ANSWER = 1 << 20  # bytes; an answer is one short line
AGAIN = f"If it stays so, remove the environment's folder and run: {SETUP}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineResult:
    """The layers that AllenNLP returned, and how long it took."""

    layers: list  # float32 (L, T, D) for each sentence; with stateful, a list of them for each stream
    seconds: float  # character ids and biLM only
    load_seconds: float  # reading the weights; about 0 where the worker still had them


class AllenNLPEngine:
    """AllenNLP's biLM in a worker process, started at the first call and again after a stop. Calls from threads wait for each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._n_requests = 0

    def __enter__(self) -> AllenNLPEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ping(self) -> dict[str, str]:
        """Return the versions of allennlp, torch and python in the worker. Raises EngineUnavailable."""
        answer = self._ask({"op": "ping"}, timeout_s=120.0)
        return {name: str(answer.get(name)) for name in ("allennlp", "torch", "python")}

    def embed(
        self,
        sentences: Sequence,
        options_path: Path | str,
        weights_path: Path | str,
        *,
        stateful: bool = False,
        batch_size: int = 32,  # sentences; with stateful, a batch is one sentence of every stream
        threads: int | None = None,  # of torch; None leaves it to torch
        timeout_s: float = 120.0,  # for the complete call: starting, loading, embedding
    ) -> EngineResult:
        """Return the layers of token lists or, with `stateful`, of equally long streams of token lists.

        Raises BadInput if sentences, options or weights cannot be used, EngineUnavailable if AllenNLP is not installed, ends, or does not
        answer in time.
        """
        _check(sentences, stateful=stateful, batch_size=batch_size)
        paths = {"options": _existing(options_path), "weights": _existing(weights_path)}
        with tempfile.TemporaryDirectory(prefix="elmoscope-", ignore_cleanup_errors=True) as folder:
            output, texts = Path(folder, "layers.npz"), Path(folder, "sentences.json")
            texts.write_bytes(json.dumps(sentences).encode())  # a long request in the pipe would wait for the worker to read it
            request = paths | {"op": "embed", "sentences": str(texts), "output": str(output)}
            request |= {"stateful": stateful, "batch_size": batch_size, "threads": threads}
            answer = self._ask(request, timeout_s=timeout_s)
            try:
                layers = _read(output, sentences, stateful=stateful)
                return EngineResult(layers=layers, seconds=answer["seconds"], load_seconds=answer["load_seconds"])
            except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
                raise EngineUnavailable(f"AllenNLP's worker left no readable result ({error}). {AGAIN}") from None

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            self._stop()

    def _ask(self, request: dict, *, timeout_s: float) -> dict:
        """Return the answer to a request. The worker is stopped unless it answered correctly and can continue."""
        with self._lock:
            if self._worker is None:
                self._worker = _Worker(worker_command())
                weakref.finalize(self, self._worker.stop)  # also at exit
            self._n_requests += 1
            try:
                answer = self._worker.exchange({**request, "id": self._n_requests}, timeout_s=timeout_s)
                if answer.get("importing"):
                    raise EngineUnavailable(f"AllenNLP cannot be imported ({answer.get('error')}). {AGAIN}")
            except BaseException:  # after an interrupt, too, the next call would read this call's answer
                self._stop()
                raise
        if not answer["ok"]:
            raise BadInput(f"AllenNLP could not {request['op']} this: {answer.get('error')}")
        return answer

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.stop()
        self._worker = None


class _Worker:
    """A started worker. Two threads read what it writes, so that a full or silent pipe cannot block a caller."""

    def __init__(self, command: Sequence[str]) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        try:
            self.process = subprocess.Popen(command, start_new_session=True, **pipes)
        except OSError as error:
            raise EngineUnavailable(f"AllenNLP's worker does not start ({error}). {AGAIN}") from None
        self.answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()  # None: the worker closed its stdout
        self.errors: deque[str] = deque(maxlen=20)  # the last lines of stderr that are not blank
        self.threads = [
            threading.Thread(target=_drain, args=(self.process.stdout, self.answers.put), daemon=True),
            threading.Thread(target=_drain, args=(self.process.stderr, self._add_error), daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def exchange(self, request: dict, *, timeout_s: float) -> dict:
        """Send a request and return its answer. After EngineUnavailable the caller must stop the worker."""
        with suppress(OSError):  # of a worker that has ended
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        try:
            line = self.answers.get(timeout=max(timeout_s, 0.0))
        except queue.Empty:
            raise EngineUnavailable(
                f"AllenNLP did not {request['op']} within {timeout_s:g} s and was stopped{self._last_error()}. "
                "Give it fewer sentences or a longer time limit."
            ) from None
        if line is None:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=2.0)
            self.threads[1].join(timeout=2.0)
            raise EngineUnavailable(
                f"AllenNLP's worker ended (exit status {self.process.returncode}) before it answered "
                f"'{request['op']}'{self._last_error()}. Try again, with fewer sentences if memory ran out. {AGAIN}"
            )
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            answer = json.loads(line)
            if isinstance(answer["ok"], bool) and answer.get("id") == request["id"]:
                return answer
        start = line[:60].decode("utf-8", "replace").strip()
        raise EngineUnavailable(f"AllenNLP's worker answered '{request['op']}' with '{start}'{self._last_error()}. {AGAIN}")

    def stop(self) -> None:
        """End the worker at once. Repeated calls do no harm."""
        kill(self.process)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5.0)
        with suppress(OSError):
            self.process.stdin.close()
        for thread in self.threads:
            thread.join(timeout=1.0)

    def _add_error(self, line: bytes | None) -> None:
        if text := (line or b"").decode("utf-8", "replace").strip():
            self.errors.append(text)

    def _last_error(self) -> str:
        return f"; its last error: '{shorten(self.errors[-1], 200)}'" if self.errors else ""


def _drain(stream: IO[bytes], take: Callable[[bytes | None], None]) -> None:
    """Pass each line to `take`, and None at the end."""
    with stream:
        for line in iter(lambda: stream.readline(MAX_ANSWER), b""):
            take(line)
    take(None)


def _read(output: Path, sentences: Sequence, *, stateful: bool) -> list:
    """Return the worker's arrays, nested like `sentences`."""
    with np.load(output, allow_pickle=False) as arrays:
        if stateful:
            return [[arrays[f"{s}/{k}"] for k in range(len(stream))] for s, stream in enumerate(sentences)]
        return [arrays[str(i)] for i in range(len(sentences))]


def _check(sentences: Sequence, *, stateful: bool, batch_size: int) -> None:
    """Raise BadInput unless `sentences` is a list of token lists or, with `stateful`, of equally long lists of them."""
    if batch_size < 1:
        raise BadInput(f"batch_size must be at least 1, got {batch_size}.")
    streams = sentences if stateful else [sentences]
    if not all(isinstance(item, (list, tuple)) for item in (sentences, *streams)):
        raise BadInput("AllenNLP takes a list of token lists or, with stateful, a list of streams of token lists.")
    if len({len(stream) for stream in streams}) > 1:
        raise BadInput(f"Streams must be equally long; these have {[len(stream) for stream in streams]} sentences.")
    for sentence in (sentence for stream in streams for sentence in stream):
        if not isinstance(sentence, (list, tuple)) or not all(isinstance(token, str) for token in sentence):
            raise BadInput(f"A sentence must be a list of tokens, got {shorten(sentence)!r}.")


def _existing(path: Path | str) -> str:
    if not Path(path).is_file():
        raise BadInput(f"There is no file {path}. AllenNLP needs a model's options.json and its weights.hdf5.")
    return str(Path(path).absolute())
