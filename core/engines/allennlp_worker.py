"""AllenNLP's biLM behind a pipe: one JSON request a line on stdin, one JSON answer a line on stdout.

Runs alone in the Python 3.10 environment of `allennlp_requirements.txt`, as `python -I allennlp_worker.py`, and imports
nothing of ours. `core.engines.allennlp_engine` starts it and speaks to it.

    {"op": "ping"} -> {"ok": true, "allennlp": "2.10.1", "torch": "1.12.1", "python": "3.10.13"}
    {"op": "embed", "options": path, "weights": path, "sentences": path of a .json, "output": path of an .npz,
     "stateful": false, "batch_size": 32, "threads": n or null}
        -> {"ok": true, "seconds": s, "load_seconds": s}

The .json holds sentences: [[token, ...], ...]. The .npz holds key "i" -> float32 (L, T, D) for sentence i. With "stateful", the .json is
a list of equally long streams of sentences; batch k holds the k-th sentence of every stream, the LSTM states carry over from batch to
batch, and the key is "stream/k". The "id" is sent back. Every failure is answered with
{"ok": false, "error": one sentence, "importing": true if AllenNLP itself cannot be imported}.
"""

import json
import os
import platform
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path


class ImportFailed(Exception):
    """An error for AllenNLP, or a package it needs, missing from this environment."""


class Worker:
    """A worker with the model that was loaded last."""

    def __init__(self) -> None:
        self.key: tuple = ()  # path, time of change and size of the two files
        self.model = None  # allennlp's _ElmoBiLm
        self.n_threads: int | None = None  # torch's default

    def answer(self, request: dict) -> dict:
        """Return the answer to one request. Never raises."""
        try:
            operations = {"ping": lambda _: versions(), "embed": self.embed}
            return {"ok": True, **operations[request["op"]](request)}
        except Exception as error:
            return {"ok": False, "error": one_sentence(error), "importing": isinstance(error, ImportFailed)}

    def embed(self, request: dict) -> dict:
        """Embed `sentences` and write `output`. `seconds` covers character ids and biLM, not loading or writing."""
        versions()  # raises ImportFailed
        import numpy as np
        import torch

        self.n_threads = self.n_threads or torch.get_num_threads()
        torch.set_num_threads(request["threads"] or self.n_threads)
        start = time.perf_counter()
        model = self.load(request["options"], request["weights"])
        loaded = time.perf_counter()
        sentences = json.loads(Path(request["sentences"]).read_text("utf-8"))
        with torch.no_grad():
            if request["stateful"]:
                arrays = dict(embed_streams(model, sentences))
            else:
                arrays = dict(embed_sentences(model, sentences, request["batch_size"]))
        done = time.perf_counter()
        np.savez(request["output"], **arrays)
        return {"seconds": done - loaded, "load_seconds": loaded - start}

    def load(self, options: str, weights: str):
        """Return the biLM of the two files in eval mode. They are read again only if they have changed."""
        from allennlp.modules.elmo import _ElmoBiLm

        states = [os.stat(path) for path in (options, weights)]
        key = (options, weights, *((state.st_mtime_ns, state.st_size) for state in states))
        if key != self.key:
            self.key, self.model = (), None  # first forget: two large models need not fit into memory
            self.model = _ElmoBiLm(options, weights).eval()
            self.key = key
        return self.model


def embed_sentences(model, sentences: list[list[str]], batch_size: int) -> Iterator[tuple[str, object]]:
    """Yield ("i", float32 (L, T, D)) in batches of `batch_size`, every batch from a state of zeros."""
    import numpy as np

    model._elmo_lstm.stateful = False  # AllenNLP's default is True: the same sentence then differs each time
    filled = [i for i, sentence in enumerate(sentences) if sentence]
    for i, sentence in enumerate(sentences):
        if not sentence:
            yield str(i), np.zeros((model.num_layers, 0, model.get_output_dim()), dtype=np.float32)
    for first in range(0, len(filled), batch_size):
        rows = filled[first : first + batch_size]
        model._elmo_lstm.reset_states()  # not read while stateful is False, but updated, and of another batch's size
        yield from zip(map(str, rows), forward(model, [sentences[i] for i in rows]), strict=True)
    model._elmo_lstm.reset_states()


def embed_streams(model, streams: list[list[list[str]]]) -> Iterator[tuple[str, object]]:
    """Yield ("stream/k", float32 (L, T, D)); zero states at the first batch, then carried over."""
    model._elmo_lstm.stateful = True
    model._elmo_lstm.reset_states()
    for k, batch in enumerate(zip(*streams, strict=True)):
        for stream, layers in enumerate(forward(model, list(batch))):
            yield f"{stream}/{k}", layers
    model._elmo_lstm.reset_states()


def forward(model, batch: list[list[str]]) -> list:
    """Return AllenNLP's activations (L, T, D) of B token lists without the two sentence boundaries."""
    import torch
    from allennlp.modules.elmo import batch_to_ids

    empty = torch.zeros((len(batch), 1, 50), dtype=torch.long)  # batch_to_ids gives (B, 0) where no sentence has a token
    character_ids = batch_to_ids(batch) if any(batch) else empty  # (B, T, 50)
    layers = torch.stack(model(character_ids)["activations"])  # (L, B, T + 2, D): <S> is row 0, </S> row T_b + 1
    return [layers[:, b, 1 : 1 + len(tokens)].numpy().copy() for b, tokens in enumerate(batch)]


def versions() -> dict:
    """Return the versions of the packages; the first import takes seconds. Raises ImportFailed."""
    try:
        import_module("allennlp.modules.elmo")
        import torch
        from allennlp.version import VERSION
    except Exception as error:  # a broken package raises more than ImportError
        raise ImportFailed(one_sentence(error)) from error
    return {"allennlp": VERSION, "torch": str(torch.__version__), "python": platform.python_version()}


def one_sentence(error: Exception) -> str:
    """Return the error's kind and text on one line of at most 300 characters."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def main() -> None:
    """Answer requests until stdin ends. Only answers reach stdout: everything else printed goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # also what C libraries print
    sys.stdout = sys.stderr
    os.environ.setdefault("ALLENNLP_CACHE_ROOT", str(Path(sys.prefix) / "cache"))  # else ~/.allennlp is made
    warnings.simplefilter("ignore")  # its packages warn of Python 3.10, which would be reported as the worker's last error
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # torch's threads else spin: 20 times slower on busy cores
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    worker = Worker()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        answers.write(json.dumps(worker.answer(request) | {"id": request.get("id")}) + "\n")
        answers.flush()


def _end_with_parent(parent: int) -> None:
    """End at once when the parent has died, even during a long request (the end of stdin is read only after it)."""
    while os.name == "posix" and os.getppid() == parent:
        time.sleep(0.5)
    if os.name == "posix":
        os._exit(1)


if __name__ == "__main__":
    main()
