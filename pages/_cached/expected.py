"""A model's softmax, read when the first page asks for it; the words that it expects in the places of others, and what changes them."""

from collections.abc import Sequence

from core.common.i18n import t
from core.elmo import in_place
from core.elmo.in_place import InPlace
from core.elmo.language_model import LanguageModel
from core.elmo.models import open_language_model
from core.elmo.substitutes import Change, Substitutes
from core.senses import influence
from core.text import languages
from core.text.concordance import Concordance, Hits
from core.text.readings import WordInContext
from core.text.tokens import bare
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


@kept(64)
def changes(model_name: str, tokens: tuple[str, ...], position: int, how: str, swap: str) -> dict[int, Change]:
    """By its position: how each other word, dropped, masked or swapped, changes what is expected in a word's place."""
    return influence.expectations(_substitutes(model_name), tokens, position, how=how, swap=swap)


def weakness(word: str, why: str) -> str:
    """Why what stands for a word may say little (core.elmo.in_place.weakness), in a sentence, or ""."""
    word = bare(word)[:24]
    return {
        in_place.GRAMMAR: t("“{word}” carries grammar: these words say little.", word=word),
        in_place.NAME: t("“{word}” is written as a name: these words say little.", word=word),
        in_place.FIRST: t("Nothing stands before “{word}”: these words say less.", word=word),
        in_place.LAST: t("Nothing stands after “{word}”: these words say less.", word=word),
        in_place.ALONE: t("“{word}” stands alone: these words say nothing of it.", word=word),
    }.get(why, "")
