"""The control task for probes: does a probe read a tag from the vectors, or memorize it for each word? (Hewitt and Liang 2019)

The control assigns a random tag to every type, drawn from the same distribution. A sentence gives no evidence for it, so a probe can only
memorize it. Selectivity is the accuracy on the tags minus that on the control, on tokens whose type occurs in training. A probe of low rank
uses few directions.

English tags of the bundled sentences are in `assets/tags-en.json`, from a tagger that uses spellings and no vectors (core.lab.tags). Korean
tags come from the morphological analyzer (core.text.morphemes).
"""

from collections.abc import Callable, Sequence

import numpy as np

from ..common.config import ASSETS
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.significance import compare_pairs, facts_of
from ..elmo.encoder import encoded
from ..elmo.models import Model
from ..files.artifacts import read_json
from ..text.corpora import open_corpus
from ..text.morphemes import analyzed
from ..text.tokens import bare
from .probes import commonest_tags, learned_mix_probe

RANKS = (1, 2, 4, 8, 16, 64)
SENTENCES = 1_200  # drawn at random, four fifths to train on
CONTROLS = 3  # draws of random tags
FILE = ASSETS / "tags-en.json"
KOREAN = {"N": "noun", "V": "verb", "M": "modifier", "J": "particle", "E": "ending", "X": "affix", "I": "interjection"}  # Sejong tags


def tagged(model: Model) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return the language's bundled sentences and a tag for each token; BadInput if the language has no tags."""
    if model.language.code not in ("en", "ko"):
        raise BadInput(t("No tagged sentences in {language}. Choose another model.", language=model.language.name))
    sentences = [tuple(sentence.tokens) for sentence in open_corpus(model.language.sentences, model.language)]
    if model.language.code == "en":
        kept = read_json(FILE, expect=dict)
        tags = [tuple(kept["tags"][sign] for sign in line) for line in kept["sentences"]]
    else:
        tags = [tuple(_korean(token, item) for token, item in zip(tokens, analyzed(tokens), strict=True)) for tokens in sentences]
    if [len(tokens) for tokens in sentences] != [len(line) for line in tags]:
        raise BadInput(t("{path} is damaged. Download it again.", path=FILE))
    return sentences, tags


def random_tags(types: Sequence[str], tags: Sequence[str], rng) -> list[str]:
    """Return a random tag for each token, the same for all tokens of a type, drawn from the tokens' tags."""
    names, codes = np.unique(np.asarray(types, str), return_inverse=True)
    return np.asarray(tags, str)[rng.integers(len(tags), size=len(names))][codes].tolist()


def measure_control(model: Model, *, seed: int = 0, report: Callable | None = None) -> dict:
    """Return accuracies on tags and control and their difference, by layer and rank. "type" is each type's most frequent tag."""
    sentences, tags = tagged(model)
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(sentences))[:SENTENCES]
    cut = 4 * len(chosen) // 5
    train, test = (Tokens(sentences, tags, part) for part in (chosen[:cut], chosen[cut:]))
    vectors = [np.concatenate(list(encoded(model.encoder, part.sentences, report)), axis=1) for part in (train, test)]  # (L, N, D)
    seen = np.isin(test.types, train.types)
    known = np.flatnonzero(seen)
    controls = []
    for _ in range(CONTROLS):
        both = random_tags([*train.types, *test.types], [*train.tags, *test.tags], rng)
        controls.append((both[: len(train.types)], [both[len(train.types) + k] for k in known]))
    gold = [test.tags[k] for k in known]
    result: dict = {"n_train": len(train.tags), "n": len(known), "unseen": int((~seen).sum())}
    result |= {"tags": len(set(train.tags)), "types": len(set(train.types))}
    result["type"] = commonest_tags(train.types, train.tags, [test.types[k] for k in known], gold)
    result["layers"] = {}
    for layer in range(model.encoder.n_layers):
        a, b = vectors[0][layer : layer + 1], vectors[1][layer : layer + 1, known]
        rows = {}
        for rank in RANKS:
            right = learned_mix_probe(a, train.tags, b, gold, seed=seed, rank=rank).right
            heart = np.mean([learned_mix_probe(a, first, b, second, seed=seed, rank=rank).right for first, second in controls], axis=0)
            difference = compare_pairs(right, heart, [int(k) for k in test.numbers[known]])
            rows[str(rank)] = {"tags": float(right.mean()), "control": float(heart.mean()), "selectivity": facts_of(difference)}
            if report:
                report(layer * len(RANKS) + len(rows), model.encoder.n_layers * len(RANKS))
        result["layers"][str(layer)] = rows
    return result


class Tokens:
    """The tokens of some sentences, in order."""

    def __init__(self, sentences: Sequence[tuple[str, ...]], tags: Sequence[tuple[str, ...]], chosen: Sequence[int]) -> None:
        self.sentences = [sentences[k] for k in chosen]
        self.types = [bare(token).casefold() for tokens in self.sentences for token in tokens]
        self.tags = [tag for k in chosen for tag in tags[k]]
        self.numbers = np.array([k for k in chosen for _ in tags[k]])


def _korean(token: str, morpheme) -> str:
    """Return the tag of a token's first morpheme, from the first letter of its Sejong tag; without Hangul it is a mark or a number."""
    if morpheme is None:
        return "other" if any(map(str.isalnum, token)) else "mark"
    return KOREAN.get(morpheme.tags[0][:1], "other")
