"""The examples of every page in the selected language: those of its description, else sentences with labels."""

from dataclasses import dataclass
from typing import Any

from core.common.errors import ElmoscopeError
from core.common.i18n import ENGLISH
from core.files import registry
from core.text import languages
from core.text.languages import Language
from core.text.sentences import read_sentences
from core.text.tokens import join_tokens

WRONG = "wrong"  # in an example that ELMo gets wrong: True, or the right answer of a task of the paper
FIRST = 8  # words, where a language names none


@dataclass(frozen=True, slots=True)
class Decided:
    """A sentence, its target word, and the sense that a person reads there."""

    text: str
    word: str
    sense: str = ""
    shows: str = ""  # "past", "future", "apart" if the halves disagree, or "wrong", at the model's default layer; "" if unknown


@dataclass(frozen=True, slots=True)
class Predict:
    """A text to continue, another version of it, and the number of the token to look at."""

    text: str
    other: str
    at: int
    kind: str = ""  # a key of the page's labels for kinds of examples


def pairs(language: Language | None = None) -> dict[str, tuple[str, str]]:
    """Return two sentences with different meanings for each example word."""
    language = language or languages.in_use()
    stored = language.examples.get("pairs")
    return {word: (a, b) for word, (a, b) in stored.items()} if stored else _from_corpus(language)


def first_word(language: Language | None = None) -> str:
    """Return the word of the first example, which pages show until the user types another."""
    return next(iter(pairs(language)), "")


def decided(language: Language | None = None) -> tuple[Decided, ...]:
    language = language or languages.in_use()
    stored = language.examples.get("decided")
    return tuple(Decided(**item) for item in stored) if stored else tuple(Decided(a, word) for word, (a, _) in pairs(language).items())


def predict(language: Language | None = None) -> tuple[Predict, ...]:
    language = language or languages.in_use()
    if stored := language.examples.get("predict"):
        return tuple(Predict(**item) for item in stored)
    return tuple(Predict(a, b, 0) for a, b in pairs(language).values()) or (Predict("", "", 0),)


def spelling(language: Language | None = None) -> dict[str, str]:
    language = language or languages.in_use()
    return language.examples.get("spelling") or {"family": " ".join(list(pairs(language))[:3])}


def invented() -> str:
    """Return a word that does not exist, made of familiar parts."""
    words = spelling()
    return words.get("invented", next(iter(words.values()))).partition(" ")[0]


def classify() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the examples of each classifier's task by their text ("text", "label", WRONG), in English, which the classifiers read."""
    stored = languages.get_language(ENGLISH).examples["classify"]
    return {task: {item["text"]: item for item in items} for task, items in stored.items()}


def tasks() -> dict[str, list[dict[str, str]]]:
    """Return the examples of each task of the paper: the texts of its boxes by their keys, and WRONG, in English, which its heads read."""
    return languages.get_language(ENGLISH).examples["tasks"]


def texts_of(example: dict[str, str]) -> dict[str, str]:
    """Return the texts of a task's example by the keys of their boxes."""
    return {key: text for key, text in example.items() if key != WRONG}


def initial_texts(language: Language) -> dict[str, str]:
    """Return the initial texts of the boxes, by key."""
    first = predict(language)[0]
    word = first_word(language)
    a, b = pairs(language).get(word, ("", ""))
    result = {"a": a, "b": b, "w": word, "ptext": first.text, "pother": first.other}
    return result | {"spell": next(iter(spelling(language).values()))}


def every_text(language: Language) -> set[str]:
    """Return all texts of the examples. Any other text was typed by the user."""
    texts = {text for pair in pairs(language).values() for text in pair} | set(pairs(language))
    texts |= {item.text for item in decided(language)} | {item.word for item in decided(language)}
    texts |= {text for item in predict(language) for text in (item.text, item.other)}
    return texts | set(spelling(language).values())


def _from_corpus(language: Language) -> dict[str, tuple[str, str]]:
    """Return the first labeled words with two senses, with a sentence of each sense."""
    try:
        sentences = read_sentences(registry.resolve(language.sentences, "corpus"))
    except ElmoscopeError:
        return {}
    of_word: dict[str, dict[str, str]] = {}
    for sentence in sentences:
        for target in sentence.targets:
            of_word.setdefault(target.lemma or target.word, {}).setdefault(target.sense or "", join_tokens(sentence.tokens))
    two = {word: tuple(list(texts.values())[:2]) for word, texts in of_word.items() if len(texts) > 1}
    return dict(list(two.items())[:FIRST])
