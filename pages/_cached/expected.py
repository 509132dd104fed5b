"""A model's softmax, read when the first page asks for it, and the words that it expects in the places of others."""

from collections.abc import Sequence

from core.elmo import in_place
from core.elmo.in_place import InPlace
from core.elmo.language_model import LanguageModel
from core.elmo.models import open_language_model
from core.elmo.substitutes import Substitutes
from core.text import languages
from core.text.concordance import Concordance, Hits
from core.text.readings import WordInContext
from pages._cached import opened
from pages._cached.kept import KEPT, kept, version

PLACES = 256  # that are kept


@kept(3, weighed=False, name="model")
def language_model(name: str) -> LanguageModel:
    """A model with its softmax; MissingArtifact where it came without one, BadInput where it is a transformer."""
    return open_language_model(opened.model(name))


@kept(3, weighed=False, name="model")
def _substitutes(name: str) -> Substitutes:
    return Substitutes(language_model(name))


@kept(16)
def by_substitutes(corpus: str, model_name: str, first: bytes, _concordance: Concordance, _hits: Hits) -> Hits:
    """The finds of a search in a corpus, that begin at `first`, sorted by what stands for each."""
    return in_place.by_substitutes(_substitutes(model_name), _concordance, _hits)


def in_places(model_name: str, words: Sequence[WordInContext], direction: str) -> list[InPlace]:
    """What stands for each word, read from one direction or both; of two sentences, while one is typed, the other is kept."""
    substitutes = _substitutes(model_name)
    of = version(model_name, "model"), languages.in_use().code

    def compute(new: list[tuple]) -> tuple[InPlace, ...]:
        each = [word for *_, word in new]
        return in_place.in_place(substitutes, each, direction=direction, read=opened.sentences(model_name, [word.tokens for word in each]))

    return KEPT.values("in_places", [(model_name, of, direction, word) for word in words], compute, most=PLACES)
