"""Time the LSTMs' weights in fewer bits against float32 on the same sentences, and measure how near the vectors stay.

Speed is of random weights in ELMo "small"'s and the original shape. Nearness is of the bundled model on our own labeled sentences:
the mean cosine of every token's vector to float32's, and how many of the ten nearest labeled tokens stay the same.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.common.config import FLOAT16, INT8
from core.common.directions import unit
from core.common.errors import BadInput
from core.elmo.encoder import Encoder
from core.elmo.models import BUNDLED_MODEL, open_model
from core.index.tables import open_table
from core.text.corpora import BUNDLED_CORPUS
from tests.bench import texts
from tests.bench.engine import ORIGINAL, SMALL, TINY, Files
from tests.bench.measure import Pair, Row, Setting, check, paired, rate, timed

COSINE, OVERLAP, NEAREST = 0.999, 0.98, 10
# shape, sentences at once, sentences one at a time, rounds
SHAPES = {"small": (SMALL, 600, 60, 5), "original": (ORIGINAL, 60, 8, 3)}
SENTENCES = 400  # whose vectors are compared


def rows(setting: Setting) -> Iterator[Row]:
    """Yield each precision and shape, in batches and one by one, every spelling known."""
    for precision in (INT8, FLOAT16):
        try:
            near = _near(precision, setting.pick(SENTENCES, 20))
        except BadInput as error:
            yield setting.row(f"{precision} weights", not_run=str(error))
            continue
        checks = [
            check("mean cosine to float32, short of 1", 1 - near["cosine"], 1 - COSINE),
            check(f"overlap of the {NEAREST} nearest, short of 1", 1 - near["overlap"], 1 - OVERLAP),
        ]
        for name, (shape, *sizes) in SHAPES.items():
            shape, sizes = (replace(TINY, n_highway=shape.n_highway), (12, 3, 1)) if setting.quick else (shape, sizes)
            files = Files(setting.folder / f"precision-{name}", shape)
            for n, how in zip(sizes, ("batches", "one at a time"), strict=False):
                sentences = texts.sentences(n)
                parts = [sentences] if how == "batches" else [[tokens] for tokens in sentences]
                pair, tokens = _measured(files, precision, parts, sizes[-1]), sum(map(len, sentences))
                yield setting.row(
                    f"{precision} weights, {name}, {how}",
                    ours=rate(precision, tokens, pair.ours, "tokens/s"),
                    peer=rate("float32", tokens, pair.peer, "tokens/s"),
                    ratio=pair.times_faster(),
                    checks=checks,
                    sizes=f"{len(sentences):,} sentences, {tokens:,} tokens, every spelling known; nearness: {BUNDLED_MODEL}, "
                    f"{near['sentences']} labeled sentences",
                    details={"nearness": near},
                )


def _measured(files: Files, precision: str, parts: list[list[list[str]]], rounds: int) -> Pair:
    (exact,) = files.fresh()
    sides = (Encoder(exact.model, precision=precision), exact)
    for encoder in sides:
        encoder.word_vectors(sorted({token for part in parts for tokens in part for token in tokens}))
    return paired(*(timed(lambda side=side: deque(map(side.encode, parts), maxlen=0)) for side in sides), rounds)


def _near(precision: str, n: int) -> dict[str, float]:
    """Return the mean and lowest cosine to float32's vectors, and the overlap of nearest tokens, for the bundled model."""
    model, labeled = open_model(BUNDLED_MODEL), texts.labeled()
    sentences = [labeled[k] for k in np.random.default_rng(0).permutation(len(labeled))[:n]]
    own = [list(sentence.tokens) for sentence in sentences]
    places = [sentence.targets[0].position if sentence.targets else 0 for sentence in sentences]
    exact = model.encoder.encode(own)
    result = Encoder(model.encoder.model, precision=precision).encode(own)
    cosines = np.concatenate([(unit(a) * unit(b)).sum(axis=-1) for a, b in zip(exact, result, strict=True)], axis=1)[1:]  # (L - 1, tokens)
    table = open_table(BUNDLED_CORPUS, model, targets_only=True).basic
    stored = unit(table.rows.take(np.arange(len(table))))  # (N, L, D)
    shared = []
    for layer in range(1, stored.shape[1]):
        lists = [np.stack([layers[layer, p] for layers, p in zip(side, places, strict=True)]) for side in (exact, result)]
        item, other = (np.argsort(-(queries @ stored[:, layer].T), axis=1, kind="stable")[:, :NEAREST] for queries in lists)
        shared += [len(np.intersect1d(a, b)) / NEAREST for a, b in zip(item, other, strict=True)]
    return {"cosine": float(cosines.mean()), "lowest": float(cosines.min()), "overlap": float(np.mean(shared)), "sentences": n}
