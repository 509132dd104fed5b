"""The examples of every page in the selected language: those of its description, else sentences with labels."""

from dataclasses import dataclass
from itertools import chain
from typing import Any

from core.common.errors import ElmoscopeError
from core.common.i18n import ENGLISH
from core.files import registry
from core.text import languages
from core.text.sentences import read_sentences
from core.text.tokens import join_tokens

WRONG = "wrong"  # in an example that ELMo gets wrong: True, or the right answer of a task of the paper
FIRST = 8  # words, if the language's description has no pairs


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


def pairs() -> dict[str, tuple[str, str]]:
    """Return two sentences with different meanings for each example word."""
    stored = languages.in_use().examples.get("pairs")
    return {word: (a, b) for word, (a, b) in stored.items()} if stored else _from_corpus()


def first_word() -> str:
    """Return the word of the first example, which pages show until the user types another."""
    return next(iter(pairs()), "")


def decided() -> tuple[Decided, ...]:
    stored = languages.in_use().examples.get("decided")
    return tuple(Decided(**item) for item in stored) if stored else tuple(Decided(a, word) for word, (a, _) in pairs().items())


def predict() -> tuple[Predict, ...]:
    if stored := languages.in_use().examples.get("predict"):
        return tuple(Predict(**item) for item in stored)
    return tuple(Predict(a, b, 0) for a, b in pairs().values()) or (Predict("", "", 0),)


def spelling() -> dict[str, str]:
    return languages.in_use().examples.get("spelling") or {"family": " ".join(list(pairs())[:3])}


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


def initial_texts() -> dict[str, str]:
    """Return the initial texts of the boxes, by key."""
    first = predict()[0]
    word = first_word()
    a, b = pairs().get(word, ("", ""))
    return {"a": a, "b": b, "w": word, "ptext": first.text, "pother": first.other, "spell": next(iter(spelling().values()))}


def every_text() -> set[str]:
    """Return all texts of the examples. Any other text was typed by the user."""
    groups = [*pairs().values(), pairs(), *((item.text, item.word) for item in decided()), *((item.text, item.other) for item in predict())]
    return {*chain.from_iterable(groups), *spelling().values()}


def _from_corpus() -> dict[str, tuple[str, str]]:
    """Return the first labeled words with two senses, with a sentence of each sense."""
    try:
        sentences = read_sentences(registry.resolve(languages.in_use().sentences, "corpus"))
    except ElmoscopeError:
        return {}
    of_word: dict[str, dict[str, str]] = {}
    for sentence in sentences:
        for target in sentence.targets:
            of_word.setdefault(target.lemma or target.word, {}).setdefault(target.sense or "", join_tokens(sentence.tokens))
    two = {word: tuple(list(texts.values())[:2]) for word, texts in of_word.items() if len(texts) > 1}
    return dict(list(two.items())[:FIRST])
