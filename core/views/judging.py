"""The judge of one word in two sentences, and the sense space that it reads: opened once for a bench."""

from core.common.errors import BadInput
from core.common.i18n import t
from core.index.sense_space import SenseSpace
from core.senses.judge import Judge
from core.workbench import Bench


def judge(bench: Bench) -> Judge:
    """The judge by the bench's model; `is_ready` says whether its first verdict waits for a measuring."""
    opener, model = bench.opener, bench.names.model

    def make() -> Judge:
        return Judge(
            bench.model,
            bench.language_vectors,
            table=lambda corpus: opener.targets(corpus, model),
            encode=lambda sentences: opener.sentences(model, sentences),
        )

    return bench.once("judge", make, bench.model)  # anew for a model whose files changed


def sense_space(bench: Bench) -> SenseSpace:
    """The model's sense space. BadInput where it has none."""
    if (space := judge(bench).space) is None:
        raise BadInput(t("{model} has no sense space: a layer is shown.", model=bench.names.model))
    return space


def labels(bench: Bench) -> str:
    """The corpus in use, where it has labels."""
    return bench.corpus if bench.is_labelled else ""
