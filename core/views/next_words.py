"""A model's expectations of a text: the words before and after it, the surprisal of its words, and substitutes for one of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from ..analysis import expectation
from ..analysis.expectation import Expected, Reading
from ..common.errors import ElmoscopeError
from ..elmo.models import masked_words
from ..text.corpora import open_corpus
from ..text.target_word import words_of
from ..workspace import Workspace, reads_as_model

READS = ("model",)
COMMON = 150  # words of the list that tell little of what a text is about
MOST_RANKED = 120  # words whose ranks are asked for: two softmaxes of the whole list each


@dataclass(frozen=True, slots=True, kw_only=True)
class NextWordsRequest:
    """A text's sentences as tokens; a direction, or the position of one of its tokens, where the answer hangs on it."""

    sentences: tuple[tuple[str, ...], ...]
    backward: bool = False
    position: int = 0


@reads_as_model
def compute(workspace: Workspace, request: NextWordsRequest, reading: Reading) -> Expected:
    """Return the words that may follow a text, or precede it. `reading` is the text as `read` returns it."""
    return expectation.expected_next(workspace.language_model, reading, backward=request.backward)


@reads_as_model
def read(workspace: Workspace, request: NextWordsRequest) -> Reading:
    """Read the text once. Raises BadInput for one without words."""
    return expectation.read(workspace.language_model, request.sentences)


@reads_as_model
def in_place(workspace: Workspace, request: NextWordsRequest, reading: Reading) -> tuple[Expected, Expected, Expected]:
    """Return substitutes for the target token: from the left, the right and both sides."""
    return expectation.expected_at(workspace.language_model, reading, request.position, _marginal(workspace))


@reads_as_model
def ranks(workspace: Workspace, request: NextWordsRequest, reading: Reading) -> np.ndarray:
    """Return the ranks (3, n) of the first words of a text: from the left, the right and both sides."""
    return expectation.ranks(workspace.language_model, reading, MOST_RANKED, _marginal(workspace))


@reads_as_model
def masked(workspace: Workspace, request: NextWordsRequest):
    """Return what a transformer expects behind a mask over the target token. Raises MissingArtifact without its head."""
    words = workspace.once("masked words", lambda: masked_words(workspace.model), workspace.model)
    starts = list(accumulate(map(len, request.sentences), initial=0))[:-1]
    number = max(k for k, start in enumerate(starts) if start <= request.position)
    return words.at(list(request.sentences[number]), request.position - starts[number])


@reads_as_model
def opening(workspace: Workspace, reading: Reading, most: int = MOST_RANKED) -> int:
    """Return which of the first words of a text to show first."""
    return widest_gap(reading.tokens[:most], reading.forward[:most], reading.backward[:most], _common_words(workspace))


def widest_gap(tokens: Sequence[str], forward: np.ndarray, backward: np.ndarray, common: frozenset[str]) -> int:
    """Return the content word that the two directions expected most differently, by (T,) bits of each.

    It is in the vocabulary and not one of the most frequent words; else any word, else any token.
    """
    apart = np.abs(np.asarray(forward) - np.asarray(backward))
    apart = np.where(np.isfinite(apart), apart, -1.0)
    words = np.array([any(map(str.isalpha, token)) for token in tokens])
    content = np.array([token.casefold() not in common for token in tokens]) & words
    for candidates in (content & (apart >= 0), words & (apart >= 0), apart >= 0, content, words):
        if candidates.any():
            return int(np.argmax(np.where(candidates, apart, -2.0)))
    return 0


def _common_words(workspace: Workspace) -> frozenset[str]:
    """Return the most frequent words of the vocabulary, which is in order of frequency, and the language's function words."""

    def collect() -> frozenset[str]:
        commonest = frozenset(word.casefold() for word in workspace.language_model.vocabulary.words[:COMMON])
        return commonest | words_of(workspace.language).function

    return workspace.once("common words", collect, workspace.language_model)


def _marginal(workspace: Workspace) -> np.ndarray:
    """Return log p (V,) of each word in any context, over the bundled sentences of the model's language."""

    def measure() -> np.ndarray:
        try:
            sentences = open_corpus(workspace.language.sentences, workspace.language)
        except ElmoscopeError:  # a language without sentences of its own
            return expectation.prior(workspace.language_model)
        return expectation.marginal(workspace.language_model, [sentence.tokens for sentence in sentences])

    return workspace.once("marginal", measure, workspace.language_model)
