"""Labeled words and spans: names (WNUT-17, Wikigold), chunks and parts of speech (CoNLL-2000), and what their scores and networks need.

Names (Derczynski et al. 2017; Balasuriya et al. 2009) and chunks (Tjong Kim Sang & Buchholz 2000) are scored by the F1 of spans, parts of
speech by accuracy. A span is right if its first token, last token and label are. An I- tag that continues nothing begins a span, as in
conlleval; IOB1 is read the same way. The network is the paper's in small: a bidirectional LSTM, with a CRF if tags form spans (Peters et al.
2017). The CRF (Lafferty et al. 2001) is a custom implementation, since pytorch-crf was last released in 2019.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Generator, Tensor, nn

from ..common.device import initialize
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from .inputs import PassageBatch, Reader
from .task import PARTS, Example, Shape, Task, TaskRecipe, sentences_in

BETWEEN_DOCUMENTS = "-DOCSTART-"
N_DEV = 936  # last sentences of CoNLL-2000's training file, by which the epoch is chosen
FORBIDDEN = -1e4  # added to the score of a step that BIO does not allow
Labeled = tuple[int, int, str]  # first token, last token, label


def spans_of(tags: Sequence[str]) -> list[Labeled]:
    """Return the spans of BIO or IOB1 tags, in order.

    >>> spans_of(["B-person", "I-person", "O", "I-place"])
    [(0, 1, 'person'), (3, 3, 'place')]
    """
    spans: list[Labeled] = []
    inside = False
    for k, tag in enumerate(tags):
        kind, _, label = tag.partition("-")
        if kind == "O":
            inside = False
        elif kind == "I" and inside and spans[-1][2] == label:
            spans[-1] = (spans[-1][0], k, label)
        else:
            spans.append((k, k, label))
            inside = True
    return spans


def tags_of(spans: Iterable[Labeled], length: int) -> list[str]:
    """Return the BIO tags of a sentence of `length` tokens for spans that do not overlap."""
    tags = ["O"] * length
    for first, last, label in spans:
        tags[first : last + 1] = [f"B-{label}", *[f"I-{label}"] * (last - first)]
    return tags


def spans_of_brackets(column: Sequence[str]) -> list[Labeled]:
    """Return the spans of one predicate's column of CoNLL-2005 ("(ARG0*", "*", "*)"). Raises ValueError for an unmatched bracket.

    >>> spans_of_brackets(["(ARG0*", "*)", "(V*)", "*"])
    [(0, 1, 'ARG0'), (2, 2, 'V')]
    """
    results = []
    opened = None
    for k, cell in enumerate(column):
        match = re.fullmatch(r"(?:\(([^(*]+))?\*(\))?", cell)
        if not match or (match[1] and opened) or (match[2] and not (match[1] or opened)):
            raise ValueError(f"{cell!r} does not fit here: (ARG0* opens an argument, *) closes the open one, * does neither")
        if match[1]:
            opened = k, match[1]
        if match[2]:
            results.append((opened[0], k, opened[1]))
            opened = None
    if opened is not None:
        raise ValueError(f"{opened[1]} is not closed")
    return results


def join_arguments(spans: Iterable[Labeled]) -> list[tuple]:
    """Prepare arguments as CoNLL-2005's scorer does: without the verb, a C- part joined to the last argument of its role before it.

    Each is (role, (first, last), (first, last) of its continuation, ...).
    """
    rows: list[tuple] = []
    for first, last, label in sorted(spans):
        if label == "V" or label == "C-V":
            continue
        role = label.removeprefix("C-")
        earlier = None
        if label != role:
            earlier = next((k for k in reversed(range(len(rows))) if rows[k][0] == role), None)
        if earlier is None:
            rows.append((role, (first, last)))
        else:
            rows[earlier] = (*rows[earlier], (first, last))
    return rows


def span_f1(gold: Iterable[Iterable], predicted: Iterable[Iterable]) -> dict[str, float]:
    """Return precision, recall and F1 over the spans of all sentences, each counted as often as it occurs."""
    right = n_gold = n_predicted = 0
    for gold_spans, predicted_spans in zip(gold, predicted, strict=True):
        gold_counts, predicted_counts = Counter(gold_spans), Counter(predicted_spans)
        right += (gold_counts & predicted_counts).total()
        n_gold += gold_counts.total()
        n_predicted += predicted_counts.total()
    return f1(right, n_predicted, n_gold) | {"gold": n_gold, "predicted": n_predicted, "right": right}


def f1(right: int, predicted: int, gold: int) -> dict[str, float]:
    """Return precision, recall and F1 of counts."""
    precision, recall = right / max(predicted, 1), right / max(gold, 1)
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / max(precision + recall, 1e-12)}


def bio_tags(labels: Sequence[str]) -> list[str]:
    """Return the K = 1 + 2 * labels tags."""
    return ["O", *(f"{begin}-{label}" for label in labels for begin in "BI")]


def true_tags(examples: Sequence[Example], tags: Sequence[str], width: int) -> Tensor:
    """Return tag numbers (B, T) of one-sentence examples whose targets are spans. Labels without a tag become O; padding is -1."""
    number = {tag: k for k, tag in enumerate(tags)}
    rows = torch.full((len(examples), width), -1)
    for row, example in zip(rows, examples, strict=True):
        sentence = tags_of(example.target, len(example.passages[0][0]))
        row[: len(sentence)] = torch.tensor([number.get(tag, 0) for tag in sentence])
    return rows


def bio_rules(tags: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Return (K, K) for steps and (K,) for the first tag: 0 where BIO allows it, FORBIDDEN where an I- tag would continue nothing."""
    steps, first = torch.zeros(len(tags), len(tags)), torch.zeros(len(tags))
    for k, tag in enumerate(tags):
        if tag.startswith("I-"):
            first[k] = FORBIDDEN
            for j, before in enumerate(tags):
                if before[2:] != tag[2:] or before == "O":
                    steps[j, k] = FORBIDDEN
    return steps, first


def viterbi(scores: Tensor, steps: Tensor, first: Tensor) -> list[int]:
    """Return the best path of T tags for scores (T, K), steps (K, K) and first tags (K,)."""
    best = scores[0] + first
    back = []
    for row in scores[1:]:
        through, which = (best[:, None] + steps).max(dim=0)
        best = through + row
        back.append(which)
    path = [int(best.argmax())]
    for which in reversed(back):
        path.append(int(which[path[-1]]))
    return path[::-1]


class CRF(nn.Module):
    """Learned scores of steps between tags, with steps that BIO forbids."""

    def __init__(self, tags: Sequence[str]) -> None:
        super().__init__()
        self.steps = nn.Parameter(torch.zeros(len(tags), len(tags)))
        self.first = nn.Parameter(torch.zeros(len(tags)))
        rules = bio_rules(tags)
        self.register_buffer("step_rules", rules[0], persistent=False)
        self.register_buffer("first_rules", rules[1], persistent=False)

    def loss(self, scores: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Return the mean negative log-likelihood of the paths `tags` (B, T) given scores (B, T, K). Padding is at the end of each row."""
        return (self._log_partition(scores, mask) - self._path_score(scores, tags, mask)).mean()

    def best(self, scores: Tensor) -> list[int]:
        """Return the best path of one text, T tags for scores (T, K)."""
        return viterbi(scores, self.steps + self.step_rules, self.first + self.first_rules)

    def _log_partition(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Return the log of the sum over all paths (B,)."""
        total = scores[:, 0] + self.first + self.first_rules
        steps = self.steps + self.step_rules
        for k in range(1, scores.shape[1]):
            longer = torch.logsumexp(total[:, :, None] + steps, dim=1) + scores[:, k]  # (B, K)
            total = torch.where(mask[:, k, None], longer, total)
        return torch.logsumexp(total, dim=1)

    def _path_score(self, scores: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Return the score of each given path (B,)."""
        emitted = (scores.gather(2, tags[..., None])[..., 0] * mask).sum(dim=1)
        steps = ((self.steps + self.step_rules)[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]).sum(dim=1)
        return emitted + steps + (self.first + self.first_rules)[tags[:, 0]]


class Tagger(nn.Module):
    """A network from one sentence to labeled spans. `shape.labels` are the kinds of names."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.tags = bio_tags(shape.labels)
        self.reader = Reader(shape, recipe, generator)
        self.scores = nn.Linear(self.reader.dim, len(self.tags))
        self.crf = CRF(self.tags)
        initialize(self, generator)

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
        initialize(self, generator)

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
    """Read sentences of `word TAB tag` lines (BIO, or IOB1 with a space). `facts` is the number of the document, ended by -DOCSTART-."""
    examples = []
    document = 0
    for words, tags in tagged_sentences(path, (2,)):
        if words == [BETWEEN_DOCUMENTS]:
            document += 1
        else:
            examples.append(Example(((tuple(words),),), tuple(spans_of(tags)), document))
    return examples


def read_column(path: Path, *, column: int, part: str) -> list[Example]:
    """Read one column of CoNLL-2000 (1: part of speech, 2: chunk). Dev is the end of the training file."""
    rows = list(tagged_sentences(path, (3,), column))
    rows = {"train": rows[:-N_DEV], "dev": rows[-N_DEV:]}.get(part, rows)
    targets = [spans_of(tags) if column == 2 else [(k, k, tag) for k, tag in enumerate(tags)] for _, tags in rows]
    return [Example(((tuple(words),),), tuple(target)) for (words, _), target in zip(rows, targets, strict=True)]


def tagged_sentences(path: Path, n_cells: Sequence[int], column: int = 1) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words and tags of each sentence; a line has one of these numbers of cells, separated by tabs or single spaces."""
    for lines in sentences_in(path):
        rows = [line.split("\t" if "\t" in line else " ") for _, line in lines]
        for (number, line), cells in zip(lines, rows, strict=True):
            if len(cells) not in n_cells or not all(cells):
                values = {"file": path.name, "n": number, "line": shorten(line), "cells": " / ".join(map(str, n_cells))}
                raise BadInput(t("{file}, line {n}: {cells} cells are expected, a word and its tags, got {line!r}.", **values))
        yield [cells[0] for cells in rows], [cells[column] for cells in rows]


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
    labels = (every[k] for k in random.permutation(len(every)).tolist())
    return [Example(e.passages, tuple((k, k, next(labels)) for k, _, _ in e.target), e.facts) for e in examples]


def scrambled(examples: Sequence[Example], random: np.random.Generator) -> list[Example]:
    """Draw place and kind of each name at random, with the same length. A name that no longer fits between the others is left out."""
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


NAMES = Task(
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

WIKIGOLD = replace(NAMES, name="wikigold", title="Names in Wikipedia", files=dict.fromkeys(PARTS, "ner/wikigold.conll.xz"), folds=5)

_CONLL = {part: f"conll2000/{'test' if part == 'test' else 'train'}.txt.xz" for part in PARTS}

CHUNKS = replace(
    NAMES,
    name="chunks",
    title="Chunks",
    files=_CONLL,
    readers={part: partial(read_column, column=2, part=part) for part in PARTS},
    recipe=replace(NAMES.recipe, epochs=5, dropout=0.3, train_limit=2_500, dev_limit=400),
)

SPEECH = replace(
    CHUNKS,
    name="speech",
    title="Parts of speech",
    readers={part: partial(read_column, column=1, part=part) for part in PARTS},
    network=WordTagger,
    score=accuracy,
    scrambled=dealt,
    measure="accuracy",
)
