"""Labeled words and spans: names (WNUT-17, Wikigold), chunks and parts of speech (CoNLL-2000).

Names (Derczynski et al. 2017; Balasuriya et al. 2009) and chunks (Tjong Kim Sang & Buchholz 2000) are scored by the F1 of spans, parts of
speech by accuracy. The network is the paper's in small: a bidirectional LSTM, with a CRF if tags form spans (Peters et al. 2017).
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Generator, Tensor, nn

from ..common.device import first_weights
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from .inputs import PassageBatch, Reader
from .spans import CRF, bio_tags, span_f1, spans_of, true_tags
from .task import PARTS, Example, Shape, Task, TaskRecipe, sentences_in

BETWEEN_DOCUMENTS = "-DOCSTART-"
N_DEV = 936  # last sentences of CoNLL-2000's training file, by which the epoch is chosen


class Tagger(nn.Module):
    """A network from one sentence to labeled spans. `shape.labels` are the kinds of names."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.tags = bio_tags(shape.labels)
        self.reader = Reader(shape, recipe, generator)
        self.scores = nn.Linear(self.reader.dim, len(self.tags))
        self.crf = CRF(self.tags)
        first_weights(self, generator)

    def forward(self, texts: Sequence[PassageBatch]) -> tuple[Tensor, Tensor]:
        """Return scores of tags (B, T, K) and the mask (B, T)."""
        return self.scores(self.reader(texts[0]))[texts[0].rows], texts[0].mask[texts[0].rows]

    def loss(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> Tensor:
        """Return the CRF's negative log-likelihood, a scalar."""
        scores, mask = self(texts)
        return self.crf.loss(scores, true_tags(examples, self.tags, mask.shape[1]).clamp(min=0), mask)

    def predictions(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[list]:
        """Return each sentence's labeled spans."""
        scores, mask = self(texts)
        paths = [self.crf.best(row[:n]) for row, n in zip(scores, mask.sum(dim=1).tolist(), strict=True)]
        return [spans_of([self.tags[k] for k in path]) for path in paths]


class WordTagger(nn.Module):
    """A network from one sentence to a label for each word, as spans of one word. `shape.labels` are the parts of speech."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.labels = shape.labels
        self.reader = Reader(shape, recipe, generator)
        self.scores = nn.Linear(self.reader.dim, len(self.labels))
        first_weights(self, generator)

    def loss(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> Tensor:
        """Return the cross entropy over the words, a scalar."""
        scores = self.scores(self.reader(texts[0]))  # (U, T, K)
        rows = texts[0].rows
        wanted = torch.full((len(rows), scores.shape[1]), -1)
        for row, example in enumerate(examples):
            wanted[row, : len(example.target)] = torch.tensor([self.labels.index(label) for _, _, label in example.target])
        return nn.functional.cross_entropy(scores[rows].flatten(0, 1), wanted.flatten(), ignore_index=-1)

    def predictions(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[list]:
        """Return each sentence's labels, as spans of one word."""
        best = self.scores(self.reader(texts[0])).argmax(dim=2)[texts[0].rows].tolist()
        lengths = texts[0].lengths[texts[0].rows].tolist()
        return [[(k, k, self.labels[label]) for k, label in enumerate(row[:n])] for row, n in zip(best, lengths, strict=True)]


def read(path: Path) -> list[Example]:
    """Read sentences of `word TAB tag` lines (BIO, or IOB1 with a space), separated by blank lines."""
    return [Example(((tuple(words),),), tuple(spans_of(tags))) for words, tags in _sentences(path, 2)]


def read_documents(path: Path) -> list[Example]:
    """Read Wikigold's sentences (IOB1). `facts` is the number of the document; each ends at a line -DOCSTART-."""
    examples = []
    document = 0
    for words, tags in _sentences(path, 2):
        if words == [BETWEEN_DOCUMENTS]:
            document += 1
        else:
            examples.append(Example(((tuple(words),),), tuple(spans_of(tags)), document))
    return examples


def _columns(column: int, part: str):
    """Return the reader of one column of CoNLL-2000 (1: part of speech, 2: chunk). Dev is the end of the training file."""

    def read_column(path: Path) -> list[Example]:
        rows = _sentences(path, 3, column)
        rows = {"train": rows[:-N_DEV], "dev": rows[-N_DEV:]}.get(part, rows)
        if column == 2:
            return [Example(((tuple(words),),), tuple(spans_of(tags))) for words, tags in rows]
        return [Example(((tuple(words),),), tuple((k, k, tag) for k, tag in enumerate(tags))) for words, tags in rows]

    return read_column


def _sentences(path: Path, n_cells: int, column: int = 1) -> list[tuple[list[str], list[str]]]:
    """Yield the words and tags of each sentence; cells are separated by tabs or single spaces."""
    sentences: list[tuple[list[str], list[str]]] = []
    for lines in sentences_in(path):
        rows = [line.split("\t" if "\t" in line else " ") for _, line in lines]
        for (number, line), cells in zip(lines, rows, strict=True):
            if len(cells) != n_cells:
                values = {"file": path.name, "n": number, "line": shorten(line)}
                raise BadInput(t("{file}, line {n}: a word and a tag are expected, got {line!r}.", **values))
        sentences.append(([cells[0] for cells in rows], [cells[column] for cells in rows]))
    return sentences


def labels(examples: Sequence[Example]) -> tuple[str, ...]:
    """Return the kinds of names, sorted."""
    return tuple(sorted({label for example in examples for _, _, label in example.target}))


def score(examples: Sequence[Example], predictions: Sequence) -> dict[str, float]:
    """Return precision, recall and F1 of the spans."""
    return span_f1([example.target for example in examples], predictions)


def accuracy(examples: Sequence[Example], predictions: Sequence) -> dict[str, float]:
    """Return the share of words with the right label."""
    pairs = [(a, b) for e, predicted in zip(examples, predictions, strict=True) for a, b in zip(e.target, predicted, strict=True)]
    right = sum(tuple(a) == tuple(b) for a, b in pairs)
    return {"accuracy": right / max(len(pairs), 1), "right": right, "gold": len(pairs)}


def dealt(examples: Sequence[Example], random: np.random.Generator) -> list[Example]:
    """Shuffle the labels over all words."""
    every = [label for e in examples for _, _, label in e.target]
    labels = iter([every[k] for k in random.permutation(len(every)).tolist()])
    return [Example(e.passages, tuple((k, k, next(labels)) for k, _, _ in e.target), e.facts) for e in examples]


def scrambled(examples: Sequence[Example], random: np.random.Generator) -> list[Example]:
    """Draw place and kind of each name at random, with the same number and lengths."""
    kinds = labels(examples)
    return [Example(e.passages, _place_at_random(e.target, len(e.passages[0][0]), kinds, random), e.facts) for e in examples]


def _place_at_random(spans: Sequence, length: int, kinds: Sequence[str], random: np.random.Generator) -> tuple:
    free = np.ones(length, bool)
    results = []
    for first, last, _ in spans:
        size = last - first + 1
        starts = [k for k in range(length - size + 1) if free[k : k + size].all()]
        if starts:
            start = int(random.choice(starts))
            free[start : start + size] = False
            results.append((start, start + size - 1, str(random.choice(kinds))))
    return tuple(sorted(results))


TASK = Task(
    name="names",
    title="Names",
    files={part: f"ner/wnut17_{part}.conll.xz" for part in PARTS},
    readers=dict.fromkeys(PARTS, read),
    labels=labels,
    network=Tagger,
    score=score,
    scrambled=scrambled,
    measure="f1",
    recipe=TaskRecipe(hidden=64, epochs=6, batch_size=32, learning_rate=3e-3, dropout=0.4),
)

WIKIGOLD = replace(
    TASK,
    name="wikigold",
    title="Names in Wikipedia",
    files=dict.fromkeys(PARTS, "ner/wikigold.conll.xz"),
    readers=dict.fromkeys(PARTS, read_documents),
    folds=5,
)

_CONLL = {part: f"conll2000/{'test' if part == 'test' else 'train'}.txt.xz" for part in PARTS}

CHUNKS = replace(
    TASK,
    name="chunks",
    title="Chunks",
    files=_CONLL,
    readers={part: _columns(2, part) for part in PARTS},
    recipe=replace(TASK.recipe, epochs=5, dropout=0.3, train_limit=2_500, dev_limit=400),
)

SPEECH = replace(
    CHUNKS,
    name="speech",
    title="Parts of speech",
    readers={part: _columns(1, part) for part in PARTS},
    network=WordTagger,
    score=accuracy,
    scrambled=dealt,
    measure="accuracy",
)
