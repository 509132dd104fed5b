"""Tag the bundled English sentences with parts of speech by a tagger that uses spellings only: assets/tags-en.json.

A logistic regression on a token's spelling, its affixes and shape, and the neighboring spellings, trained on CoNLL-2000. It uses no
vectors: tags that probe ELMo must not be made by ELMo.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import SGDClassifier

from ..cli.options import Answer
from ..files import sums
from ..files.artifacts import provenance, write_json
from ..text.corpora import BUNDLED_CORPUS, open_corpus
from .datasets import read_tags
from .lessons import TAGS

LETTERS = {
    "noun": "N",
    "name": "P",
    "verb": "V",
    "adjective": "A",
    "adverb": "R",
    "pronoun": "O",
    "determiner": "D",
    "preposition": "I",
    "conjunction": "C",
    "number": "#",
    "modal": "M",
    "particle": "T",
    "mark": ".",
    "other": "X",
}
PENN = {  # beginnings of the Penn Treebank's tags, the longest first
    "NNP": "name",
    "NN": "noun",
    "VB": "verb",
    "JJ": "adjective",
    "RB": "adverb",
    "WRB": "adverb",
    "PRP": "pronoun",
    "WP": "pronoun",
    "EX": "pronoun",
    "DT": "determiner",
    "PDT": "determiner",
    "WDT": "determiner",
    "IN": "preposition",
    "TO": "particle",
    "RP": "particle",
    "POS": "particle",
    "CC": "conjunction",
    "CD": "number",
    "MD": "modal",
}


def coarse(tag: str) -> str:
    """Return the part of speech of a Penn Treebank tag."""
    result = next((name for start, name in sorted(PENN.items(), key=lambda item: -len(item[0])) if tag.startswith(start)), None)
    return result or ("other" if tag[:1].isalpha() else "mark")


def features(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield the features of each token: spelling, shape, affixes and neighbors."""
    padded = ["<s>", "<s>", *(token.lower() for token in tokens), "</s>", "</s>"]
    for k, token in enumerate(tokens, 2):
        previous, low, following = padded[k - 1 : k + 2]
        form = "".join("A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c for c in token[:4])
        neighbors = [f"{d}:{padded[k + d]}" for d in (-2, -1, 1, 2)]
        ends = [f"e{n}:{low[-n:]}" for n in (1, 2, 3, 4)]
        ends += [f"n{n}:{following[-n:]}" for n in (2, 3)] + [f"b{n}:{previous[-n:]}" for n in (2, 3)]
        itself = [f"w:{low}", f"f:{form}", f"p:{low[:2]}", f"i:{k == 2}", f"t:{token}"]
        yield [*itself, f"wb:{previous} {low}", f"wn:{low} {following}", *neighbors, *ends]


def sign(token: str, tag: str) -> str:
    """Return a tag's letter; a token without letter or digit is a mark."""
    return LETTERS[tag if any(map(str.isalnum, token)) else "mark"]


def tag_bundled(train: str, test: str) -> Answer:
    """Learn the tagger, write the tags of the bundled sentences, and return its accuracy on the test sentences."""
    hasher = FeatureHasher(1 << 20, input_type="string", alternate_sign=False)

    def encode(sentences: Iterable[Sequence[str]]):
        return hasher.transform(names for tokens in sentences for names in features(tokens))

    train_rows, test_rows = (read_tags(path) for path in (train, test))
    train_tags, test_tags = ([coarse(tag) for row in rows for tag in row.tags] for rows in (train_rows, test_rows))
    tagger = SGDClassifier(loss="modified_huber", alpha=1e-6, max_iter=8, tol=None, random_state=0)
    tagger.fit(encode(row.tokens for row in train_rows), train_tags)
    right = tagger.predict(encode(row.tokens for row in test_rows)) == test_tags
    sentences = [item.tokens for item in open_corpus(BUNDLED_CORPUS)]
    result = iter(tagger.predict(encode(sentences)))
    lines = ["".join(sign(token, next(result)) for token in tokens) for tokens in sentences]
    facts = {"tags": {sign: name for name, sign in LETTERS.items()}, "accuracy": round(float(np.mean(right)), 4), "sentences": lines}
    write_json(TAGS, {"command": "python -m core.lab tag-sentences conll2000/train.txt.xz conll2000/test.txt.xz", **provenance(**facts)})
    sums.renew(TAGS)
    return {"accuracy": facts["accuracy"], "n": len(right)}, f"CoNLL-2000's test: {np.mean(right):.2%} of {len(right):,} -> {TAGS}"
