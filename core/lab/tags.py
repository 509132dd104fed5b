"""Tag the bundled English sentences with parts of speech by a tagger that uses spellings only: assets/tags-en.json.

A logistic regression on a token's spelling, its affixes and shape, and the neighboring spellings, trained on CoNLL-2000. It uses no
vectors: tags that probe ELMo must not be made by ELMo.
"""

from collections.abc import Iterator, Sequence

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
    result = next((name for start, name in sorted(PENN.items(), key=lambda item: -len(item[0])) if tag.startswith(start)), None)
    return result or ("other" if tag[:1].isalpha() else "mark")


def features(tokens: Sequence[str]) -> Iterator[list[str]]:
    padded = ["<s>", "<s>", *(token.lower() for token in tokens), "</s>", "</s>"]
    for k, token in enumerate(tokens, 2):
        low, form = (
            padded[k],
            "".join("A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c for c in tokens[k - 2][:4]),
        )
        near = [f"{d}:{padded[k + d]}" for d in (-2, -1, 1, 2)]
        ends = [f"e{n}:{low[-n:]}" for n in (1, 2, 3, 4)]
        after = [f"n{n}:{padded[k + 1][-n:]}" for n in (2, 3)] + [f"b{n}:{padded[k - 1][-n:]}" for n in (2, 3)]
        yield [
            f"w:{low}",
            f"f:{form}",
            f"p:{low[:2]}",
            f"i:{k == 2}",
            f"wb:{padded[k - 1]} {low}",
            f"wn:{low} {padded[k + 1]}",
            f"t:{token}",
            *near,
            *ends,
            *after,
        ]


def sign(token: str, tag: str) -> str:
    """Return a tag's letter; a token without letter or digit is a mark."""
    return LETTERS[tag if any(map(str.isalnum, token)) else "mark"]


def tag_bundled(train: str, test: str) -> Answer:
    """Learn the tagger, write the tags of the bundled sentences, and return its accuracy on the test sentences."""
    hasher = FeatureHasher(1 << 20, input_type="string", alternate_sign=False)
    given, request = ([(s.tokens, [coarse(tag) for tag in s.tags]) for s in read_tags(path)] for path in (train, test))
    tagger = SGDClassifier(loss="modified_huber", alpha=1e-6, max_iter=8, tol=None, random_state=0)
    tagger.fit(hasher.transform(f for tokens, _ in given for f in features(tokens)), [tag for _, tags in given for tag in tags])
    right = tagger.predict(hasher.transform(f for tokens, _ in request for f in features(tokens))) == [
        tag for _, tags in request for tag in tags
    ]
    sentences = [item.tokens for item in open_corpus(BUNDLED_CORPUS)]
    result = iter(tagger.predict(hasher.transform(f for tokens in sentences for f in features(tokens))))
    lines = ["".join(sign(token, next(result)) for token in tokens) for tokens in sentences]
    facts = {"tags": {sign: name for name, sign in LETTERS.items()}, "accuracy": round(float(np.mean(right)), 4), "sentences": lines}
    write_json(TAGS, {"command": "python -m core.lab tag-sentences conll2000/train.txt.xz conll2000/test.txt.xz", **provenance(**facts)})
    sums.renew(TAGS)
    return {"accuracy": facts["accuracy"], "n": len(right)}, f"CoNLL-2000's test: {np.mean(right):.2%} of {len(right):,} -> {TAGS}"
