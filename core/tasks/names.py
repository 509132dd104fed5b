"""Names (NER): which words are a person, a place, a group and so on; WNUT-17 (Derczynski et al. 2017), span F1.

The network is the paper's in small: a bidirectional LSTM under a CRF (Peters et al. 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
import torch
from torch import Generator, Tensor, nn

from core.common.draws import first_weights
from core.common.errors import BadInput
from core.common.i18n import t
from core.tasks.chains import CRF
from core.tasks.inputs import Texts
from core.tasks.reader import Reader
from core.tasks.spans import span_f1, spans_of, tags_of
from core.tasks.task import Example, Recipe, Shape, Task, alike, lines_in


class Tagger(nn.Module):
    """Texts of one sentence -> spans with labels; `shape.labels` are the kinds of names."""

    def __init__(self, shape: Shape, recipe: Recipe, generator: Generator | None) -> None:
        super().__init__()
        self.tags = ["O", *(f"{begin}-{label}" for label in shape.labels for begin in "BI")]
        self.number = {tag: k for k, tag in enumerate(self.tags)}
        self.reader = Reader(shape, recipe, generator)
        self.scores = nn.Linear(self.reader.dim, len(self.tags))
        self.crf = CRF(self.tags)
        first_weights(self, generator)

    def forward(self, texts: Sequence[Texts]) -> tuple[Tensor, Tensor]:
        """(B, T, K) scores of tags, and (B, T) the mask."""
        return self.scores(self.reader(texts[0]))[texts[0].rows], texts[0].mask[texts[0].rows]

    def loss(self, texts: Sequence[Texts], examples: Sequence[Example]) -> Tensor:
        scores, mask = self(texts)
        tags = torch.zeros(mask.shape, dtype=torch.long)
        for row, example in enumerate(examples):
            sentence = tags_of(example.target, len(example.passages[0][0]))
            tags[row, : len(sentence)] = torch.tensor([self.number.get(tag, 0) for tag in sentence])
        return self.crf.loss(scores, tags, mask)

    def predictions(self, texts: Sequence[Texts], examples: Sequence[Example]) -> list[list]:
        scores, mask = self(texts)
        paths = [self.crf.best(row[:n]) for row, n in zip(scores, mask.sum(dim=1).tolist(), strict=True)]
        return [spans_of([self.tags[k] for k in path]) for path in paths]


def read(path: Path) -> list[Example]:
    """Sentences of `word TAB tag` lines (BIO, or IOB1 with a space between), blank lines between them."""
    examples, words, tags = [], [], []
    for number, line in lines_in(path, end=""):
        if line.strip():
            cells = line.split("\t") if "\t" in line else line.split(" ")
            if len(cells) != 2:
                raise BadInput(
                    t("{file}, line {n}: a word and a tag are expected, got {line!r}.", file=path.name, n=number, line=line[:60])
                )
            words.append(cells[0])
            tags.append(cells[1])
        elif words:
            examples.append(Example(((tuple(words),),), tuple(spans_of(tags))))
            words, tags = [], []
    return examples


def labels(examples: Sequence[Example]) -> tuple[str, ...]:
    """The kinds of names, sorted."""
    return tuple(sorted({label for example in examples for _, _, label in example.target}))


def score(examples: Sequence[Example], predictions: Sequence) -> dict[str, float]:
    return span_f1([example.target for example in examples], predictions)


def scrambled(examples: Sequence[Example], random: np.random.Generator) -> list[Example]:
    """The same names by number and length, each at a place and of a kind drawn by chance."""
    kinds = labels(examples)
    return [Example(e.passages, _placed(e.target, len(e.passages[0][0]), kinds, random), e.facts) for e in examples]


def _placed(spans: Sequence, length: int, kinds: Sequence[str], random: np.random.Generator) -> tuple:
    free, found = np.ones(length, bool), []
    for first, last, _ in spans:
        size = last - first + 1
        starts = [k for k in range(length - size + 1) if free[k : k + size].all()]
        if starts:
            at = int(random.choice(starts))
            free[at : at + size] = False
            found.append((at, at + size - 1, str(random.choice(kinds))))
    return tuple(sorted(found))


TASK = Task(
    name="names",
    title="Names",
    files=MappingProxyType({part: f"ner/wnut17_{part}.conll.xz" for part in ("train", "dev", "test")}),
    readers=alike(read),
    labels=labels,
    network=Tagger,
    score=score,
    scrambled=scrambled,
    measure="f1",
    recipe=Recipe(hidden=64, epochs=6, batch_size=32, learning_rate=3e-3, dropout=0.4),
)
