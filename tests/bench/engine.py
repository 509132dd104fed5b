"""Time sentences to layers: our engine against AllenNLP 2.10.1, against its own matrix products, and against text length.

Both engines read the same weights.hdf5 (drawn at random: times do not depend on what was learned) and answer with all
layers of all sentences, which must be equal. Loading is not counted; character ids, and ours the packing, are. Every
round starts with an encoder that knows no word. AllenNLP's time is taken inside its process.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import torch

from core.common.config import ModelShape
from core.common.device import limit
from core.elmo.encoder import Encoder, _Run, encoded
from core.elmo.model import BiLM
from core.elmo.recurrence import BLOCK_BYTES
from core.elmo.weights import load_bilm, save_hdf5
from core.engines.allennlp_engine import AllenNLPEngine
from core.engines.allennlp_setup import SETUP, is_ready
from tests.bench import texts
from tests.bench.measure import Row, Setting, check, difference, figure, paired, peak_mb, quotient, rate, reset_peak, timed

SMALL, ORIGINAL = ModelShape(), ModelShape(hidden=4096, projection=512, n_highway=2)
TINY = ModelShape(filters=((1, 8), (2, 8), (3, 16)), hidden=48, projection=16)
BATCH = 32  # sentences, on AllenNLP's side
LIMIT_S = 3600.0  # for one call of AllenNLP
WAITING = {"sleeping": "0", "spinning": "300000"}  # GOMP_SPINCOUNT: what our worker does, and libgomp's own default
# shape, sentences, sentences one at a time, rounds
SHAPES = {"small": (SMALL, 2000, 100, 5), "original": (ORIGINAL, 300, 30, 3)}
LENGTHS, LENGTH_ROUNDS = (1_000, 10_000, 100_000, 1_000_000), 3
MISSING = f"AllenNLP's environment is not set up; run: {SETUP}"


def rows(setting: Setting) -> Iterator[Row]:
    """Yield speed, share of the products' rate and single sentences for both shapes; then length and memory."""
    with contextlib.ExitStack() as stack:
        engine = None
        for name, (shape, *sizes) in SHAPES.items():
            shape, sizes = (replace(TINY, n_highway=shape.n_highway), (24, 3, 1)) if setting.quick else (shape, sizes)
            n_sentences, n_single, rounds = sizes
            files = Files(setting.folder / f"engine-{name}", shape)
            if is_ready() and engine is None:
                engine = stack.enter_context(contextlib.closing(_start(setting, files)))
            sentences, single = texts.sentences(n_sentences), texts.sentences(n_single)
            yield _against(setting, engine, f"sentences to layers, {name}", files, sentences, rounds, BATCH)
            yield _share(setting, name, files, sentences, max(3, rounds))
            yield _against(setting, engine, f"one sentence at a time, {name}", files, single, rounds, 1)
    yield from _lengths(setting)


class Files:
    """A model folder in AllenNLP's format with random weights, and the model read from it."""

    def __init__(self, folder: Path, shape: ModelShape) -> None:
        torch.manual_seed(1)
        save_hdf5(BiLM(shape), folder)
        self.options, self.weights = folder / "options.json", folder / "weights.hdf5"
        self.model = load_bilm(folder)

    def fresh(self) -> tuple[Encoder]:
        """Return an encoder that has seen no word yet."""
        return (Encoder(self.model),)


class _Engine:
    """AllenNLP as a Timed side, with one way for its threads to wait."""

    def __init__(self, waiting: str, threads: int) -> None:
        self.waiting, self.threads, self.engine = waiting, threads, AllenNLPEngine()
        with mock.patch.dict(os.environ, GOMP_SPINCOUNT=WAITING[waiting]):  # read when the worker starts, which the first call does
            self.title = f"AllenNLP {self.engine.ping()['allennlp']}"
        self.close = self.engine.close

    def embed(self, files: Files, sentences: list[list[str]], batch: int) -> tuple[float, list[np.ndarray]]:
        """Return the seconds of character ids and model in the worker, and the layers."""
        settings = {"batch_size": batch, "threads": self.threads, "timeout_s": LIMIT_S}
        result = self.engine.embed(sentences, files.options, files.weights, **settings)
        return result.seconds, result.layers


def _start(setting: Setting, files: Files) -> _Engine:
    """Start AllenNLP's worker. Between products its threads wait as is faster on this machine."""
    if setting.quick or setting.threads == 1:
        return _Engine("sleeping", setting.threads)
    sample, times = texts.sentences(3 * BATCH), {}
    for waiting in WAITING:
        with contextlib.closing(_Engine(waiting, setting.threads)) as engine:
            times[waiting] = min(engine.embed(files, sample, BATCH)[0] for _ in range(3))
    return _Engine(min(times, key=times.get), setting.threads)


def _against(setting: Setting, engine: _Engine | None, what: str, files: Files, sentences, rounds: int, batch: int) -> Row:
    """Compare tokens a second with AllenNLP, which reads `batch` sentences at a time; one is ours, too. The layers must be equal."""
    if engine is None:
        return setting.row(what, not_run=MISSING)
    parts = [[tokens] for tokens in sentences] if batch == 1 else [sentences]
    how = "one after the other, our cache of spellings filling as they pass" if batch == 1 else f"batches of {batch} on AllenNLP's side"
    ours = timed(lambda encoder: [layers for part in parts for layers in encoder.encode(part)], files.fresh)
    pair, tokens = paired(ours, lambda: engine.embed(files, sentences, batch), rounds), sum(map(len, sentences))
    return setting.row(
        what,
        ours=rate("ours", tokens, pair.ours, "tokens/s"),
        peer=rate(engine.title, tokens, pair.peer, "tokens/s"),
        ratio=pair.times_faster(),
        checks=[check("all layers of all sentences", difference(pair.ours_result, pair.peer_result))],
        sizes=f"{len(sentences):,} sentences, {tokens:,} tokens; {how}",
        details={"allennlp_threads": engine.waiting, "ms_per_sentence": 1000 * float(np.median(pair.ours)) / len(sentences)},
    )


def _share(setting: Setting, name: str, files: Files, sentences, rounds: int) -> Row:
    """Compare the LSTM stacks as the encoder runs them with their products alone."""
    (encoder,) = files.fresh()
    runs = [encoder._run([sentences[k] for k in numbers]) for numbers in encoder._batches(sentences)]
    shape, n_tokens = files.model.shape, sum(len(run.x) for run in runs)
    # each token, direction and layer: input (P, 4H), state (P, 4H) and output (H, P) products, 2 operations a weight
    operations = n_tokens * 2 * shape.n_layers * 2 * 9 * shape.hidden * shape.projection
    with ThreadPoolExecutor(1) as pool:

        def both(run: _Run) -> None:
            """Compute the products of the two directions in parallel, as _Run.both does."""
            ahead = pool.submit(_products, run, backward=False, threads=setting.threads)
            _products(run, backward=True)
            ahead.result()

        pair = paired(timed(lambda: deque(map(_Run.both, runs), maxlen=0)), timed(lambda: deque(map(both, runs), maxlen=0)), rounds)
    return setting.row(
        f"share of torch.mm's rate, {name}",
        ours=rate("our LSTM stacks", operations / 1e9, pair.ours, "Gflop/s"),
        peer=rate("torch.mm on the same shapes", operations / 1e9, pair.peer, "Gflop/s"),
        ratio=quotient("ours / torch.mm's", pair.peer, pair.ours, "of its rate"),
        sizes=f"input, state and output products of {n_tokens:,} tokens (boundaries too) in {len(runs)} batches, both directions",
    )


@torch.inference_mode()
def _products(run: _Run, *, backward: bool, threads: int | None = None) -> None:
    """Compute every matrix product of one direction, in order, and nothing between them. A new thread has a limit of threads."""
    if threads:
        limit(threads)
    shape, widest = run.stacks.shape, run.batch_sizes[0]
    ahead = max(1, BLOCK_BYTES // (16 * shape.hidden))  # rows of an input product, as the recurrence cuts them
    gates = torch.empty(min(len(run.x), max(ahead, widest)), 4 * shape.hidden)
    outputs, cells, projected = run.x[:widest], torch.ones(widest, shape.hidden), torch.empty(widest, shape.projection)
    for layer in run.stacks.backward_layers if backward else run.stacks.forward_layers:
        w_x, w_h, w_p = layer.input_weight.t(), layer.state_weight.t(), layer.projection.t()
        for start in range(0, len(run.x), ahead):
            x = run.x[start : start + ahead]
            torch.mm(x, w_x, out=gates[: len(x)])
        for n in run.batch_sizes:
            torch.mm(outputs[:n], w_h, out=gates[:n])
            torch.mm(cells[:n], w_p, out=projected[:n])


def _lengths(setting: Setting) -> Iterator[Row]:
    """Yield tokens a second and peak memory as the text grows, layers dropped as they come (core.elmo.encoder.encoded)."""
    lengths = setting.pick(LENGTHS, (100, 200, 400))
    files = Files(setting.folder / "engine-lengths", setting.pick(SMALL, TINY))
    stream = {n: texts.text_of(n) for n in lengths}
    (encoder,) = files.fresh()
    encoder.word_vectors(sorted({token for text in stream.values() for tokens in text for token in tokens}))

    def run(n: int) -> None:
        deque(encoded(encoder, stream[n]), maxlen=0)

    seconds: dict[int, list[float]] = {n: [] for n in lengths}
    peaks: dict[int, float] = {}
    run(lengths[0])
    for number in range(setting.pick(LENGTH_ROUNDS, 1)):
        for n in lengths if number % 2 == 0 else reversed(lengths):
            reset_peak()
            seconds[n].append(timed(lambda n=n: run(n))()[0])
            peaks.setdefault(n, peak_mb())  # of the first round, short texts first: memory is not given back
    rates = {n: rate(f"{n:,} tokens", n, seconds[n], "tokens/s") for n in lengths}
    slowest, fastest = (choose(lengths, key=lambda n: rates[n]["value"]) for choose in (min, max))
    per_token = [[s / n for s in seconds[n]] for n in (fastest, slowest)]
    yield setting.row(
        "cost against text length",
        ours=rates[slowest],
        peer=rates[fastest] | {"what": f"the fastest length, {fastest:,} tokens"},
        ratio=quotient("slowest / fastest", *per_token, "of the fastest"),
        sizes=f"small; {', '.join(f'{n:,}' for n in lengths)} tokens of our own sentences, every spelling known beforehand",
        details={"tokens_per_second": {str(n): rates[n]["value"] for n in lengths}},
    )
    before, longest = lengths[-2:]
    yield setting.row(
        f"peak memory, {longest:,} tokens over {before:,}",
        ours=figure("ours", [peaks[longest] - peaks[before]], "MB"),
        sizes="bound: layers of a chunk of 1,024 sentences, gates of a batch of 4,096 tokens, 100,000 spellings (known before)",
        details={"peak_mb": {str(n): round(peaks[n], 1) for n in lengths}},
    )
