"""What the Next word page opens once and computes once a text."""

import numpy as np

from core.analysis import expectation
from core.analysis.expectation import Expected, Reading
from core.common.errors import ElmoscopeError
from core.elmo.language_model import LanguageModel
from core.engines.masked import Masked, MaskedWords
from core.text.corpora import open_corpus
from core.text.word_in_question import words_of
from pages._cached import opened
from pages._cached.kept import kept
from pages._cached.views import bench_of

Sentences = tuple[tuple[str, ...], ...]
COMMON = 150  # words of the list that tell little of what a text is about
MOST_RANKED = 120  # words whose ranks are asked for: two softmaxes of the whole list each


def language_model(name: str) -> LanguageModel:
    return bench_of(name).language_model


@kept(3, weighed=False, name="model")
def masked_words(name: str) -> MaskedWords:
    """A transformer with its head for masked words; MissingArtifact where it came without one."""
    model = opened.model(name)
    return MaskedWords(model.folder, model.encoder)


@kept(128)
def masked_at(model_name: str, tokens: tuple[str, ...], position: int) -> Masked:
    return masked_words(model_name).at(list(tokens), position)


@kept(3, name="model")
def common_words(name: str) -> frozenset[str]:
    """The commonest words of a model's list, which is in order of frequency, and those that its language lists as grammar."""
    commonest = frozenset(word.casefold() for word in language_model(name).vocabulary.words[:COMMON])
    return commonest | words_of(opened.model(name).language).function


@kept(64)
def reading(model_name: str, sentences: Sentences) -> Reading:
    return expectation.read(language_model(model_name), sentences)


@kept(128)
def expected_next(model_name: str, sentences: Sentences, backward: bool) -> Expected:
    return expectation.expected_next(language_model(model_name), reading(model_name, sentences), backward=backward)


@kept(256)
def expected_at(model_name: str, sentences: Sentences, position: int) -> tuple[Expected, Expected, Expected]:
    return expectation.expected_at(language_model(model_name), reading(model_name, sentences), position, marginal(model_name))


@kept(3, name="model")
def marginal(name: str) -> np.ndarray:
    """log p (V,) of each word whatever is around it, over the bundled sentences of the model's language."""
    lm = language_model(name)
    language = opened.model(name).language
    try:
        sentences = open_corpus(language.sentences, language)
    except ElmoscopeError:  # a language without sentences of its own
        return expectation.prior(lm)
    return expectation.marginal(lm, [s.tokens for s in sentences])


@kept(64)
def ranks(model_name: str, sentences: Sentences) -> np.ndarray:
    """(3, n) of the first words of a text: from the left, the right, both sides."""
    return expectation.ranks(language_model(model_name), reading(model_name, sentences), MOST_RANKED, marginal(model_name))
