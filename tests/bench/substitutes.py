"""What the sense space costs: beside the layers it is made of, at building an index, and in a verdict of two sentences."""

import shutil
import time
from collections.abc import Iterator

import numpy as np

from core.elmo.in_place import in_place
from core.elmo.models import BUNDLED_MODEL, Model, open_model
from core.index.build import build_index
from core.index.sense_space import KEPT, open_space, substitutes_of
from core.senses.evaluate import static_vectors
from core.senses.judge import open_judge
from core.text.readings import WordInContext
from core.text.sentences import Sentence
from core.text.tokens import tokenize
from tests.bench import texts
from tests.bench.measure import Bound, Row, Setting, figure, milliseconds, paired, quotient, rate, timed

SHARE, TIMES, BYTES, MORE_MS = 0.6, 1.6, 600, 60
FIRST, SECOND = "We sat on the bank and watched the boats.", "The bank refused to lend him any money."


def rows(setting: Setting) -> Iterator[Row]:
    model = open_model(BUNDLED_MODEL)
    sentences = texts.text_of(setting.pick(20_000, 300))
    yield _space(setting, model, sentences)
    yield _index(setting, model, sentences)
    yield _verdict(setting, model)


def _space(setting: Setting, model: Model, sentences: list[list[str]]) -> Row:
    space = open_space(model, static_vectors(model))
    occurrences = [(tokens, k) for tokens in sentences for k in range(len(tokens))]
    read = model.encoder.encode(sentences)
    each = [layers for layers in read for _ in range(layers.shape[1])]
    rows = np.concatenate(read, axis=1).transpose(1, 0, 2)
    pair = paired(
        timed(lambda: space.place(space.views(occurrences, rows, each))), timed(lambda: model.encoder.encode(sentences)), setting.pick(3, 1)
    )
    return setting.row(
        "substitutes",
        "tokens to the sense space, beside their layers",
        ours=rate("sense space", len(occurrences), pair.ours, "tokens/s"),
        peer=rate("layers", len(occurrences), pair.peer, "tokens/s"),
        ratio=pair.times_faster(),
        bound=Bound(text=f"at least {SHARE} x", number=SHARE),
        sizes=f"{len(occurrences):,} tokens, every spelling known, {BUNDLED_MODEL}",
    )


def _index(setting: Setting, model: Model, sentences: list[list[str]]) -> Row:
    corpus, substitutes = [Sentence(tuple(tokens)) for tokens in sentences], substitutes_of(model)
    folder = setting.folder / "senses"

    def build(with_senses: bool) -> int:
        shutil.rmtree(folder, ignore_errors=True)
        build_index(corpus, model.encoder, folder, model=model.fingerprint, substitutes=substitutes if with_senses else None)
        return (folder / KEPT).stat().st_size if with_senses else 0

    sides = [timed(lambda kept=kept: build(kept), clock=time.process_time) for kept in (True, False)]
    pair = paired(*sides, setting.pick(3, 1))
    tokens = sum(map(len, sentences))
    return setting.row(
        "substitutes",
        "an index with its sense space, beside one without",
        ours=figure("with", pair.ours, "s"),
        peer=figure("without", pair.peer, "s"),
        ratio=quotient("with / without", pair.ours, pair.peer, "x"),
        bound=Bound(text=f"at most {TIMES} x", number=TIMES, at_least=False),
        sizes=f"{tokens:,} tokens, {pair.ours_result / tokens:.0f} bytes each (at most {BYTES})",
    )


def _verdict(setting: Setting, model: Model) -> Row:
    """By judges that are open; the substitutes are read from the layers that the verdict made, as Home reads them."""
    words = [WordInContext(tuple(tokens), tokens.index("bank")) for tokens in map(tokenize, (FIRST, SECOND))]
    substitutes = substitutes_of(model)
    whole, bare = open_judge(model), open_judge(model)
    vars(bare)["space"] = None
    read = model.encoder.encode([list(word.tokens) for word in words])
    pair = paired(
        timed(lambda: (whole.judge(*words), in_place(substitutes, words, read=read))),
        timed(lambda: bare.judge(*words)),
        setting.pick(30, 2),
    )
    return setting.row(
        "substitutes",
        "two sentences' substitutes and sense space, beyond a verdict without",
        ours=milliseconds("more", [ours - peer for ours, peer in zip(pair.ours, pair.peer, strict=True)]),
        peer=milliseconds("verdict without", pair.peer),
        bound=Bound(text=f"at most {MORE_MS} ms", number=MORE_MS, of="ours", at_least=False),
        sizes=f"“{FIRST}” and “{SECOND}”, warm",
    )
