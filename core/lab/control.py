"""A control task: is a tag read off the vectors, or did the probe learn by heart which word has which (Hewitt and Liang 2019)?

The control gives every type a random tag, drawn from the same distribution: nothing of a sentence can tell it, so whatever a probe
gets right of it, it has learned by heart. Selectivity is the accuracy on the tags minus that on the control, on the same tokens: those
whose type stands in training, as no other could have been learned by heart. A probe of low rank reads few directions only.

The sentences are our own, bundled. English tags are those of `assets/tags-en.json`, given by a tagger that reads spellings alone and
knows no vectors (core.lab.tags); Korean ones are the analyzer's that cuts the text (core.text.morphemes).
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
    """The language's own sentences, and a tag for each of their tokens; BadInput where the language has no tags here."""
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
    """Types and tags of tokens (N,) -> a tag for each token, the same for all of a type, drawn from the tokens' own tags."""
    names, codes = np.unique(np.asarray(types, str), return_inverse=True)
    return np.asarray(tags, str)[rng.integers(len(tags), size=len(names))][codes].tolist()


def measure_control(model: Model, *, seed: int = 0, report: Callable | None = None) -> dict:
    """Accuracies on tags and control and their difference, by layer and rank; "type": each type's most frequent tag, no vectors."""
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
    """The tokens of some sentences, one after the other."""

    def __init__(self, sentences: Sequence[tuple[str, ...]], tags: Sequence[tuple[str, ...]], chosen: Sequence[int]) -> None:
        self.sentences = [sentences[k] for k in chosen]
        self.types = [bare(token).casefold() for tokens in self.sentences for token in tokens]
        self.tags = [tag for k in chosen for tag in tags[k]]
        self.numbers = np.array([k for k in chosen for _ in tags[k]])


def _korean(token: str, morpheme) -> str:
    """The first of a token's morphemes, by the first sign of its Sejong tag; what has no Hangul is a mark or a number."""
    if morpheme is None:
        return "other" if any(map(str.isalnum, token)) else "mark"
    return KOREAN.get(morpheme.tags[0][:1], "other")
