"""Sentences to layers: our engine against AllenNLP 2.10.1, against its own matrix products, and against text length.

Both engines read the same weights.hdf5 (drawn at random: times do not depend on what was learned) and answer with all
layers of all sentences, which must be equal. Loading is not counted; character ids, and ours the packing, are. Every
round starts with an encoder that knows no word. AllenNLP's time is taken inside its process.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

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
from tests.bench.measure import Bound, Check, Pair, Row, Setting, difference, figure, paired, quotient, rate, timed

SMALL, ORIGINAL = ModelShape(), ModelShape(hidden=4096, projection=512, n_highway=2)
TINY = ModelShape(filters=((1, 8), (2, 8), (3, 16)), hidden=48, projection=16)
BATCH = 32  # sentences, on AllenNLP's side
LIMIT_S = 3600.0  # for one call of AllenNLP
WAITING = {"sleeping": "0", "spinning": "300000"}  # GOMP_SPINCOUNT: what our worker does, and libgomp's own default
# shape, sentences, sentences one at a time, rounds, bounds: times AllenNLP, share of torch.mm, times AllenNLP one by one
SHAPES = {"small": (SMALL, 2000, 100, 5, 18, 0.60, 8), "original": (ORIGINAL, 300, 30, 3, 4.5, 0.65, 3)}
LENGTHS, LENGTH_ROUNDS = (1_000, 10_000, 100_000, 1_000_000), 3
GROWTH_MB = 64


def rows(setting: Setting) -> Iterator[Row]:
    """Speed, share of the products' rate and single sentences for both shapes; then length and memory."""
    with contextlib.ExitStack() as stack:
        engine = None
        for name, (shape, *sizes, bound, share, single) in SHAPES.items():
            shape, sizes = (_tiny(shape), (24, 3, 1)) if setting.quick else (shape, sizes)
            n_sentences, n_single, rounds = sizes
            files = Files.made(setting.folder / f"engine-{name}", shape)
            if is_ready() and engine is None:
                engine = stack.enter_context(contextlib.closing(_start(setting, files)))
            yield _batches(setting, engine, name, files, texts.sentences(n_sentences), rounds, bound)
            yield _share(setting, name, files, texts.sentences(n_sentences), max(3, rounds), share)
            yield _one_by_one(setting, engine, name, files, texts.sentences(n_single), rounds, single)
    yield from _lengths(setting)


class Files:
    """A model folder in AllenNLP's format, and the model read from it."""

    def __init__(self, folder: Path) -> None:
        self.options, self.weights = folder / "options.json", folder / "weights.hdf5"
        self.model = load_bilm(folder)

    @classmethod
    def made(cls, folder: Path, shape: ModelShape) -> Files:
        torch.manual_seed(1)
        save_hdf5(BiLM(shape), folder)
        return cls(folder)

    def fresh(self) -> tuple[Encoder]:
        """An encoder that has seen no word yet."""
        return (Encoder(self.model),)


class _Engine:
    """AllenNLP as a Timed side, with the waiting of its threads that is faster on this machine."""

    def __init__(self, waiting: str, threads: int) -> None:
        self.waiting, self.threads, self.engine = waiting, threads, AllenNLPEngine()
        before = os.environ.get("GOMP_SPINCOUNT")
        os.environ["GOMP_SPINCOUNT"] = WAITING[waiting]  # read when the worker starts, which the first call does
        try:
            self.title = f"AllenNLP {self.engine.ping()['allennlp']}"
        finally:
            os.environ.pop("GOMP_SPINCOUNT")
            if before is not None:
                os.environ["GOMP_SPINCOUNT"] = before

    def embed(self, files: Files, sentences: list[list[str]], batch: int) -> tuple[float, list[np.ndarray]]:
        """(seconds of character ids and model in the worker, layers)."""
        settings = {"batch_size": batch, "threads": self.threads, "timeout_s": LIMIT_S}
        result = self.engine.embed(sentences, files.options, files.weights, **settings)
        return result.seconds, result.layers

    def close(self) -> None:
        self.engine.close()


def _start(setting: Setting, files: Files) -> _Engine:
    """AllenNLP's worker, its threads spinning or sleeping between products: whichever does a sample sooner."""
    if setting.quick or setting.threads == 1:
        return _Engine("sleeping", setting.threads)
    sample, times = texts.sentences(3 * BATCH), {}
    for waiting in WAITING:
        with contextlib.closing(_Engine(waiting, setting.threads)) as engine:
            times[waiting] = min(engine.embed(files, sample, BATCH)[0] for _ in range(3))
    return _Engine(min(times, key=times.get), setting.threads)


def _tiny(shape: ModelShape) -> ModelShape:
    return replace(TINY, n_highway=shape.n_highway)


def _batches(setting, engine, name, files, sentences, rounds, times) -> Row:
    what, bound = f"sentences to layers, {name}", Bound(text=f"at least {times:g} x", number=times)
    if engine is None:
        return setting.not_run("engine", what, missing(), bound)
    ours = timed(lambda encoder: encoder.encode(sentences), files.fresh)
    pair = paired(ours, lambda: engine.embed(files, sentences, BATCH), rounds)
    return _against(setting, engine, what, pair, sentences, bound, f"batches of {BATCH} on AllenNLP's side")


def _one_by_one(setting, engine, name, files, sentences, rounds, times) -> Row:
    what, bound = f"one sentence at a time, {name}", Bound(text=f"at least {times:g} x", number=times)
    if engine is None:
        return setting.not_run("engine", what, missing(), bound)
    ours = timed(lambda encoder: [encoder.encode([tokens])[0] for tokens in sentences], files.fresh)
    pair = paired(ours, lambda: engine.embed(files, sentences, 1), rounds)
    how = "one after the other, our cache of spellings filling as they pass"
    return _against(setting, engine, what, pair, sentences, bound, how)


def _against(setting, engine, what: str, pair: Pair, sentences, bound: Bound, how: str) -> Row:
    """A row of tokens a second on both sides, whose layers must be equal."""
    tokens = sum(map(len, sentences))
    result = Check(what="all layers of all sentences", difference=difference(pair.ours_result, pair.peer_result))
    return setting.row(
        "engine",
        what,
        ours=rate("ours", tokens, pair.ours, "tokens/s"),
        peer=rate(engine.title, tokens, pair.peer, "tokens/s"),
        ratio=pair.times_faster(),
        bound=bound,
        checks=[result],
        sizes=f"{len(sentences):,} sentences, {tokens:,} tokens; {how}",
        allennlp_threads=engine.waiting,
        ms_per_sentence=1000 * float(np.median(pair.ours)) / len(sentences),
    )


def missing() -> str:
    return f"not run here: AllenNLP's environment is not set up; run: {SETUP}"


def _share(setting, name, files, sentences, rounds, share) -> Row:
    """The LSTM stacks as the encoder runs them, beside nothing but their products."""
    (encoder,) = files.fresh()
    runs = [_Run(encoder, [sentences[k] for k in numbers]) for numbers in encoder._batches(sentences)]
    shape, n_tokens = files.model.shape, sum(len(run.x) for run in runs)
    # each token, direction and layer: input (P, 4H), state (P, 4H) and output (H, P) products, 2 operations a weight
    operations = n_tokens * 2 * shape.n_layers * 2 * 9 * shape.hidden * shape.projection
    with ThreadPoolExecutor(1) as pool:

        def stacks() -> None:
            for run in runs:
                run.both()

        def products() -> None:
            for run in runs:
                _products_of_both(run, pool, setting.threads)

        pair = paired(timed(stacks), timed(products), rounds)
    return setting.row(
        "engine",
        f"share of torch.mm's rate, {name}",
        ours=rate("our LSTM stacks", operations / 1e9, pair.ours, "Gflop/s"),
        peer=rate("torch.mm on the same shapes", operations / 1e9, pair.peer, "Gflop/s"),
        ratio=quotient("ours / torch.mm's", pair.peer, pair.ours, "of its rate"),
        bound=Bound(text=f"at least {share:.0%}", number=share),
        sizes=f"input, state and output products of {n_tokens:,} tokens (boundaries too) in {len(runs)} batches, both directions",
    )


def _products_of_both(run: _Run, pool: ThreadPoolExecutor, threads: int) -> None:
    """As _Run.both: the two directions side by side."""

    def forward() -> None:
        limit(threads)
        _products(run, backward=False)

    ahead = pool.submit(forward)
    _products(run, backward=True)
    ahead.result()


@torch.inference_mode()
def _products(run: _Run, *, backward: bool) -> None:
    """Every matrix product of one direction, in order, and nothing between them."""
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
    """Tokens a second and peak memory as the text grows, layers dropped as they come (core.elmo.encoder.encoded)."""
    lengths = setting.pick(LENGTHS, (100, 200, 400))
    files = Files.made(setting.folder / "engine-lengths", setting.pick(SMALL, TINY))
    stream = {n: texts.text_of(n) for n in lengths}
    (encoder,) = files.fresh()
    encoder.word_vectors(sorted({token for text in stream.values() for tokens in text for token in tokens}))

    def run(n: int, using: Encoder) -> None:
        for _ in encoded(using, stream[n]):
            pass

    seconds: dict[int, list[float]] = {n: [] for n in lengths}
    peaks: dict[int, float] = {}
    run(lengths[0], encoder)
    for number in range(setting.pick(LENGTH_ROUNDS, 1)):
        for n in lengths if number % 2 == 0 else reversed(lengths):
            _reset_peak()
            seconds[n].append(timed(run, lambda n=n: (n, encoder))()[0])
            peaks.setdefault(n, _peak_mb() or 0.0)  # of the first round, short texts first: memory is not given back
    rates = {n: rate(f"{n:,} tokens", n, seconds[n], "tokens/s") for n in lengths}
    slowest, fastest = (choose(lengths, key=lambda n: rates[n].value) for choose in (min, max))
    cold = {n: timed(run, lambda n=n: (n, *files.fresh()))()[0] for n in lengths if n <= 100_000}
    per_token = [[s / n for s in seconds[n]] for n in (fastest, slowest)]
    yield setting.row(
        "engine",
        "cost against text length",
        ours=rates[slowest],
        peer=replace(rates[fastest], what=f"the fastest length, {fastest:,} tokens"),
        ratio=quotient("slowest / fastest", *per_token, "of the fastest"),
        bound=Bound(text="at least 0.8 of the fastest", number=0.8),
        sizes=f"small; {', '.join(f'{n:,}' for n in lengths)} tokens of our own sentences, every spelling known beforehand",
        tokens_per_second={str(n): rates[n].value for n in lengths},
        tokens_per_second_from_no_word_known={str(n): n / s for n, s in cold.items()},
    )
    yield _memory(setting, peaks, lengths)


def _memory(setting: Setting, peaks: dict[int, float], lengths: tuple[int, ...]) -> Row:
    bound = Bound(text=f"at most {GROWTH_MB} MB more for ten times the text", number=GROWTH_MB, of="ours", at_least=False)
    before, longest = lengths[-2:]
    what = f"peak memory, {longest:,} tokens over {before:,}"
    if _peak_mb() is None:
        return setting.not_run("engine", what, "not run here: this system does not tell a process's peak memory", bound)
    return setting.row(
        "engine",
        what,
        ours=figure("ours", [peaks[longest] - peaks[before]], "MB"),
        bound=bound,
        sizes="bound: layers of a chunk of 1,024 sentences, gates of a batch of 4,096 tokens, 100,000 spellings (known before)",
        peak_mb={str(n): round(peaks[n], 1) for n in lengths},
    )


def _reset_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_mb() -> float | None:
    """The process's largest resident size since `_reset_peak`; None where /proc does not say."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024
    return None
