"""Words that a biLM predicts: substitutes for a word, the surprisal of a text's words, and the words before and after it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from ..analysis import expectation
from ..analysis.expectation import Expected, Reading
from ..common.config import NEIGHBORS
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.markup import shorten
from ..elmo.substitutes import ALONE, BOTH, FIRST, GRAMMAR, LAST, NAME, InPlace, in_place
from ..engines.transformer import Masked, MaskedWords
from ..text.readings import WordInContext
from ..text.target_word import words_of
from ..text.tokens import bare
from ..workspace import Workspace, reads_as_model

READS = ("model",)
PLACES = 256  # cached words: while one sentence is typed, the other's stays
COMMON = 150  # most frequent words, which say little about a text's topic
MOST_RANKED = 120  # words whose ranks are computed: two softmaxes over the vocabulary each


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstitutesRequest:
    """Target words, and which substitutes are listed."""

    words: tuple[WordInContext, ...]
    direction: str = BOTH  # both, forward or backward
    k: int = NEIGHBORS
    common: bool = False  # list the most frequent words of the vocabulary as well


def tabulate(answers: Sequence[InPlace]) -> Frame:
    """Return the substitutes of each word as a table, which may be empty. Words count as contexts, from the first."""
    rows = [
        (context, k, answer.word, round(answer.probability, 6))
        for context, place in zip((t("1st"), t("2nd")), answers, strict=False)
        for k, answer in enumerate(place.substitutes, 1)
    ]
    return frame(rows, columns=[t("context"), t("rank"), t("word"), t("probability")])


@reads_as_model
def compute(workspace: Workspace, request: SubstitutesRequest) -> tuple[InPlace, ...]:
    """Return the k likeliest substitutes of each word. Raises MissingArtifact without a softmax, BadInput for a transformer."""
    model = workspace.substitutes

    def answers(keys: list[tuple]) -> tuple[InPlace, ...]:
        words = [word for *_, word in keys]
        read = workspace.layers_of([word.tokens for word in words])
        return in_place(model, words, request.k, direction=request.direction, common=request.common, read=read)

    key = workspace.model.fingerprint, str(workspace.model.folder), request.k, request.direction, request.common
    return tuple(workspace.opener.memo.values("substitutes of a word", [(*key, word) for word in request.words], answers, most=PLACES))


def weakness(word: str, why: str) -> str:
    """Return why substitutes of a word may be uninformative, by a code of core.elmo.substitutes.weakness; "" for no code."""
    word = shorten(bare(word), 24)
    reasons = {
        GRAMMAR: t("“{word}” is not a content word: substitutes say little.", word=word),
        NAME: t("“{word}” is a name: substitutes say little.", word=word),
        FIRST: t("Nothing before “{word}”: less reliable.", word=word),
        LAST: t("Nothing after “{word}”: less reliable.", word=word),
        ALONE: t("“{word}” has no context: not reliable.", word=word),
    }
    return reasons.get(why, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class NextWordsRequest:
    """A text's sentences as tokens, with the direction or the position of a token where the answer needs one."""

    sentences: tuple[tuple[str, ...], ...]
    backward: bool = False
    position: int = 0


@reads_as_model
def next_words(workspace: Workspace, request: NextWordsRequest, reading: Reading) -> Expected:
    """Return the words that may follow a text, or precede it. `reading` is the text as `read_text` returns it."""
    return expectation.expected_next(workspace.language_model, reading, backward=request.backward)


@reads_as_model
def read_text(workspace: Workspace, request: NextWordsRequest) -> Reading:
    """Read the text once. Raises BadInput for one without words."""
    return expectation.read(workspace.language_model, request.sentences)


@reads_as_model
def expected_at(workspace: Workspace, request: NextWordsRequest, reading: Reading) -> tuple[Expected, Expected, Expected]:
    """Return substitutes for the target token: from the left, the right and both sides."""
    return expectation.expected_at(workspace.language_model, reading, request.position, _marginal(workspace))


@reads_as_model
def ranks(workspace: Workspace, request: NextWordsRequest, reading: Reading) -> np.ndarray:
    """Return the ranks (3, n) of the first words of a text: from the left, the right and both sides."""
    return expectation.ranks(workspace.language_model, reading, MOST_RANKED, _marginal(workspace))


@reads_as_model
def masked(workspace: Workspace, request: NextWordsRequest) -> Masked:
    """Return the words that a transformer expects behind a mask over the target token. Raises MissingArtifact without its head."""
    words = workspace.once("masked words", lambda: MaskedWords(workspace.model.folder, workspace.model.encoder), workspace.model)
    starts = list(accumulate(map(len, request.sentences), initial=0))[:-1]
    number = max(k for k, start in enumerate(starts) if start <= request.position)
    return words.predict(list(request.sentences[number]), request.position - starts[number])


@reads_as_model
def opening_place(workspace: Workspace, reading: Reading) -> int:
    """Return the position of the word of a text that is selected at first, one of the first MOST_RANKED."""
    model = workspace.language_model

    def list_common() -> frozenset[str]:
        most_frequent = model.vocabulary.words[:COMMON]  # the vocabulary is in order of frequency
        return words_of(workspace.language).function | {word.casefold() for word in most_frequent}

    common = workspace.once("common words", list_common, model)
    return widest_gap(reading.tokens[:MOST_RANKED], reading.forward[:MOST_RANKED], reading.backward[:MOST_RANKED], common)


def widest_gap(tokens: Sequence[str], forward: np.ndarray, backward: np.ndarray, common: frozenset[str]) -> int:
    """Return the position of the content word whose bits (T,) in the two directions differ most.

    It is in the vocabulary and not one of the `common` words; else any word, else any token.
    """
    gaps = np.abs(np.asarray(forward) - np.asarray(backward))
    gaps = np.where(np.isfinite(gaps), gaps, -1.0)  # NaN outside the vocabulary
    is_expected = gaps >= 0
    is_word = np.array([any(map(str.isalpha, token)) for token in tokens])
    is_content = np.array([token.casefold() not in common for token in tokens]) & is_word
    for candidates in (is_content & is_expected, is_word & is_expected, is_expected, is_content, is_word):
        if candidates.any():
            return int(np.argmax(np.where(candidates, gaps, -2.0)))
    return 0


def _marginal(workspace: Workspace) -> np.ndarray:
    """Return log p (V,) of each word in any context, over the bundled sentences of the model's language."""

    def measure() -> np.ndarray:
        if not (sentences := workspace.language_texts):
            return expectation.prior(workspace.language_model)
        return expectation.marginal(workspace.language_model, sentences)

    return workspace.once("marginal", measure, workspace.language_model)
