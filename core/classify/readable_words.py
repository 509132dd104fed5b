"""Find the words of a text that classifiers can read: those in letters that appear in their training data.

ELMo gives a vector to any spelling and a linear layer an answer to any vector. Without this check an emoji would be called Sports with 60%.
"""

from collections.abc import Iterable

from ..static.vectors import StaticVectors
from .baselines import Baseline, grams
from .head import Committee, TextHead

FREQUENT = 20_000  # of the static vectors' words, where no head has words of its own
Tokens = tuple[str, ...]


def letters_of(heads: Iterable[TextHead], vectors: StaticVectors | None) -> frozenset[str]:
    """Return the lowercase letters and digits of all words that the heads learned, or of the vectors' words if they learned none.

    An empty set means that any letter counts as readable.
    """
    words = [word for head in _single(heads) for word in (*head.vocabulary.words, *getattr(head.classifier, "terms", ()))]
    if not words and vectors is not None:
        words = vectors.words[:FREQUENT]
    return frozenset(sign for sign in set().union(*words) if sign.isalnum())


def read_and_unread(tokens: Tokens, letters: frozenset[str]) -> tuple[Tokens, Tokens]:
    """Return the words with a letter or digit in `letters`, and the words in other letters only. Marks and emoji are neither."""
    words = [token for token in tokens if any(map(str.isalnum, token))]
    read = [word for word in words if not letters or any(sign in letters for sign in word.lower())]
    readable = set(read)
    return tuple(read), tuple(dict.fromkeys(word for word in words if word not in readable))


def without_a_word(heads: dict[str, TextHead], tokens: Tokens, vectors: StaticVectors | None) -> list[str]:
    """Return the heads that know no word of a text; they answer as for any text of that length."""
    return [name for name, head in heads.items() if not any(_knows(item, tokens, vectors) for item in _single([head]))]


def _single(heads: Iterable[TextHead]) -> list[TextHead]:
    """Return heads with committees replaced by their members."""
    return [item for head in heads for item in (head.classifier.members.values() if isinstance(head.classifier, Committee) else [head])]


def _knows(head: TextHead, tokens: Tokens, vectors: StaticVectors | None) -> bool:
    if head.variant.elmo:
        return True  # letter by letter
    if isinstance(head.classifier, Baseline) and head.classifier.terms:
        return not set(grams(tokens, head.classifier.analyzer)).isdisjoint(head.classifier.terms)
    in_vectors = head.variant.glove and vectors is not None and any(token in vectors for token in tokens)
    return bool(in_vectors) or any(head.vocabulary.number(token) for token in tokens)
