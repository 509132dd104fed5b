"""The words that a biLM expects in a word's place, and how each word around it changes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..common.config import NEIGHBORS
from ..common.i18n import t
from ..common.markup import shorten
from ..elmo import in_place
from ..elmo.in_place import InPlace
from ..elmo.substitutes import BOTH, Change
from ..senses import influence
from ..text.readings import WordInContext
from ..text.tokens import bare
from ..workspace import Workspace, reads_as_model

if TYPE_CHECKING:  # imported when a table is made: the first paint must not wait for it
    import pandas as pd

READS = ("model",)
PLACES = 256  # that are kept: of two sentences, while one is typed, the other


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstitutesRequest:
    """Target words. `common`: the most frequent words of the vocabulary count as well."""

    words: tuple[WordInContext, ...]
    direction: str = BOTH  # both, forward or backward
    k: int = NEIGHBORS
    common: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesRequest:
    """A word in question, and what is done to the others: core.senses.influence.variants."""

    word: WordInContext
    how: str
    swap: str = ""


def tabulate(answers: Sequence[InPlace]) -> "pd.DataFrame":
    """Return the substitutes of each word as a table, which may be empty. Words count as contexts, from the first."""
    import pandas as pd

    rows = [
        (context, k, answer.word, round(answer.probability, 6))
        for context, of in zip((t("1st"), t("2nd")), answers, strict=False)
        for k, answer in enumerate(of.substitutes, 1)
    ]
    return pd.DataFrame(rows, columns=[t("context"), t("rank"), t("word"), t("probability")])


@reads_as_model
def compute(workspace: Workspace, request: SubstitutesRequest) -> tuple[InPlace, ...]:
    """Return the k likeliest substitutes of each word. Raises MissingArtifact without a softmax, BadInput for a transformer."""
    model, options = workspace.substitutes, {"direction": request.direction, "common": request.common}

    def answers(keys: list[tuple]) -> tuple[InPlace, ...]:
        words = [word for *_, word in keys]
        return in_place.in_place(model, words, request.k, read=workspace.layers_of([word.tokens for word in words]), **options)

    known = workspace.model.fingerprint, str(workspace.model.folder), request.k, *options.values()
    return tuple(workspace.opener.memo.values("substitutes of a word", [(*known, word) for word in request.words], answers, most=PLACES))


@reads_as_model
def changes(workspace: Workspace, request: ChangesRequest) -> dict[int, Change]:
    """Return, by its position, how each other word, dropped, masked or swapped, changes the expected words."""
    word = request.word
    return influence.expectations(workspace.substitutes, word.tokens, word.position, how=request.how, swap=request.swap)


def weak_texts(word: str) -> dict[str, str]:
    """Return the reasons why substitutes may be uninformative, by code of core.elmo.in_place.weakness."""
    return {
        in_place.GRAMMAR: t("“{word}” is a function word: substitutes say little.", word=word),
        in_place.NAME: t("“{word}” is a name: substitutes say little.", word=word),
        in_place.FIRST: t("Nothing before “{word}”: less reliable.", word=word),
        in_place.LAST: t("Nothing after “{word}”: less reliable.", word=word),
        in_place.ALONE: t("“{word}” has no context: not reliable.", word=word),
    }


def weakness(word: str, why: str) -> str:
    """Return the reason of one code, "" for none."""
    return weak_texts(shorten(bare(word), 24)).get(why, "")
