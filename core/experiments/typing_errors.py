"""Typing errors on purpose: texts with some of their letters disturbed, and what each head then answers.

A disturbed letter is swapped with its neighbor, dropped, replaced or doubled, each as likely (the kinds of Belinkov & Bisk
2018, section 4, and Pruthi et al. 2019). Which letters and how is drawn from seed and text alone, and a larger share disturbs
the letters of a smaller one and more.
"""

import hashlib
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.classify.data import MAX_TOKENS, Dataset, LabelledText
from core.classify.head import TextHead
from core.classify.inputs import live_layers
from core.classify.tasks import OpenHeads
from core.common.config import ASSETS
from core.common.errors import BadInput, CorruptArtifact
from core.common.i18n import t
from core.elmo.encoder import Encoder
from core.elmo.models import Model
from core.files.artifacts import read_json
from core.static.vectors import StaticVectors
from core.text.tokens import tokenize

SHARES = (0.0, 0.05, 0.1, 0.2, 0.4)  # of the letters
SEEDS = (0, 1, 2, 3, 4)
RESULTS = ASSETS / "results" / "noise.json"
TEXTS_AT_ONCE = 64  # whose layers are in memory together
Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoisyAnswer:
    """A head's answer on a text, and the probability it keeps as letters are disturbed."""

    label: str  # on the clean text
    kept: np.ndarray  # (shares, seeds) probability of that label
    same: np.ndarray  # (shares, seeds) bool: it is still the answer


def disturbed(text: str, share: float, seed: int) -> str:
    """`text` with that share of its letters disturbed, rounded to whole letters; blanks, digits and marks stay. A letter alone in its word
    is never dropped, and swapped with none: it is doubled. Letters outside a-z are replaced by others of the same text."""
    if not 0 <= share <= 1:
        raise BadInput(t("Share of changed letters: 0 to 1, not {share}.", share=share))
    letters = [k for k, character in enumerate(text) if character.isalpha()]
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    random = np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
    order = random.permutation(len(letters))
    kinds = random.integers(4, size=len(letters))
    others = random.random(len(letters))
    cells = list(text)
    result = set(letters)
    for number in sorted(order[: round(share * len(letters))]):
        k = letters[number]
        beside = k + 1 if k + 1 in result else k - 1 if k - 1 in result else None
        if kinds[number] == 0 and beside is not None:
            cells[k], cells[beside] = cells[beside], cells[k]
        elif kinds[number] == 1 and beside is not None:
            cells[k] = ""
        elif kinds[number] == 2 and (choices := _others(text, k, letters)):
            cells[k] = choices[int(others[number] * len(choices))]
        else:
            cells[k] += text[k]
    return "".join(cells)


def _others(text: str, place: int, letters: Sequence[int]) -> list[str]:
    """What may stand for a letter: another of a-z in the same case, or for any other letter those of the text."""
    letter = text[place]
    if letter.isascii():
        return [c for c in (string.ascii_uppercase if letter.isupper() else string.ascii_lowercase) if c != letter]
    return sorted({text[k] for k in letters} - {letter})


def noisy_tokens(text: str, share: float, seed: int) -> Tokens:
    """The tokens that a head is given of a cleaned text after disturbing it."""
    return tuple(tokenize(disturbed(text, share, seed)))[:MAX_TOKENS]


def answers_under_noise(
    heads: dict[str, TextHead],
    text: str,
    *,
    vectors: StaticVectors | None,
    encoder: Encoder | None,
    shares: Sequence[float] = SHARES,
    seeds: Sequence[int] = SEEDS,
) -> dict[str, NoisyAnswer]:
    """Every head's answers on one cleaned text and its disturbed forms, all of them in one batch."""
    clean = tuple(tokenize(text))[:MAX_TOKENS]
    forms = [noisy_tokens(text, share, seed) for share in shares for seed in seeds]
    answers = {}
    for name, rows in _probabilities(heads, [clean, *forms], vectors, encoder).items():
        label = int(rows[0].argmax())
        table = rows[1:].reshape(len(shares), len(seeds), -1)
        answers[name] = NoisyAnswer(heads[name].labels[label], table[:, :, label], table.argmax(axis=2) == label)
    return answers


def under_noise(opened: OpenHeads, text: str, *, model: Model, vectors: StaticVectors) -> dict[str, NoisyAnswer]:
    """The same of all heads of a task."""
    return answers_under_noise(opened.heads, text, vectors=vectors, encoder=model.encoder)


def accuracy_under_noise(
    heads: dict[str, TextHead],
    dataset: Dataset,
    *,
    vectors: StaticVectors | None,
    encoder: Encoder | None,
    shares: Sequence[float] = SHARES,
    seeds: Sequence[int] = (0, 1, 2),
    limit: int | None = None,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> dict:
    """Accuracy of heads on a data set's test texts (the first `limit`) as letters are disturbed: what noise.json holds.

    {"n", "shares", "seeds", "data", "accuracy": {variant: [[one a seed] a share]}}. `report(texts answered, in all)`. BadInput if
    a head was trained on other data: its training texts could be among these.
    """
    for name, head in heads.items():
        if head.meta.get("data") != dataset.fingerprint:
            raise BadInput(t("{name} may have seen these {task} texts in training.", name=name, task=dataset.name))
    examples = dataset.test[:limit]
    right = {name: np.zeros((len(shares), len(seeds))) for name in heads}
    total = len(examples) * (1 + len(seeds) * sum(share > 0 for share in shares))
    done = 0
    for row, share in enumerate(shares):
        for column, seed in enumerate(seeds):
            if share == 0 and column:  # the same texts for every seed
                for table in right.values():
                    table[row, column] = table[row, 0]
                continue
            for start in range(0, len(examples), TEXTS_AT_ONCE):
                some = examples[start : start + TEXTS_AT_ONCE]
                for name, hits in _right(heads, some, share, seed, vectors, encoder).items():
                    right[name][row, column] += hits
                done += len(some)
                report(done, total)
    accuracy = {name: (table / len(examples)).round(6).tolist() for name, table in right.items()}
    facts = {"n": len(examples), "shares": list(shares), "seeds": list(seeds), "data": dataset.fingerprint}
    return {**facts, "accuracy": accuracy}


def read_accuracy(path: str | Path = RESULTS) -> dict[str, dict]:
    """Task -> table of `accuracy_under_noise` with its facts, as a command left them; {} if there is none, CorruptArtifact if it is not so."""
    path = Path(path)
    if not path.is_file():
        return {}
    tables = read_json(path, expect=dict)
    if not all(_is_whole(table) for table in tables.values()):
        raise CorruptArtifact(t("{path} has no noise results. Measure again.", path=path))
    return tables


def _is_whole(table: object) -> bool:
    if not isinstance(table, dict):
        return False
    shape = (len(table.get("shares") or ()), len(table.get("seeds") or ()))
    rows = table.get("accuracy")
    whole = isinstance(rows, dict) and rows and min(shape) > 0 and {"n", "model", "data"} <= table.keys()
    return bool(whole) and all(np.shape(row) == shape for row in rows.values())


def _right(heads: dict[str, TextHead], examples: Sequence[LabelledText], share: float, seed: int, vectors, encoder) -> dict[str, int]:
    """How many of these examples each head gets right."""
    labels = np.array([example.label for example in examples])
    rows = _probabilities(heads, [noisy_tokens(example.text, share, seed) for example in examples], vectors, encoder)
    return {name: int((probabilities.argmax(axis=1) == labels).sum()) for name, probabilities in rows.items()}


def _probabilities(heads: dict[str, TextHead], texts: Sequence[Tokens], vectors, encoder) -> dict[str, np.ndarray]:
    """(N, C) of each head; the layers that heads share are computed once."""
    layers = live_layers(encoder) if encoder is not None else None
    if layers is not None and any(head.variant.elmo for head in heads.values()):
        layers(list(dict.fromkeys(text or ("",) for text in texts)))
    return {name: head.probabilities(texts, vectors=vectors, layers=layers) for name, head in heads.items()}
