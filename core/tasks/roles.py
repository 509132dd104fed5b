"""Semantic roles: who did what to whom, where and when. English Web Treebank with PropBank's roles, F1 of arguments, gold predicates.

The network is a small version of He et al. (2017), the paper's baseline: a mark on the predicate, stacked LSTMs, and the best tag path
under BIO's rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Generator, Tensor, nn

from ..common.device import initialize
from ..common.errors import BadInput
from ..common.i18n import t
from .inputs import BiLSTM, PassageBatch, ReaderWords, masked
from .spans import bio_rules, bio_tags, join_arguments, span_f1, spans_of, spans_of_brackets, true_tags, viterbi
from .task import PARTS, Example, Shape, Task, TaskRecipe, sentences_in

MARK_DIM = 16
RARE = 5  # a role with fewer arguments in the training set is not learned


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate of a sentence, and all predicates of that sentence."""

    token: int
    every: tuple[int, ...] = ()  # the tokens of all predicates


class Labeler(nn.Module):
    """A network from one sentence, with its Predicate as `facts`, to the predicate's arguments, and to the words that are predicates.

    The latter is used for typed sentences only. It is learned from the words alone and does not change the roles.
    """

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.tags = bio_tags(shape.labels)
        self.words = ReaderWords(shape, recipe, generator)
        self.marks = nn.Embedding(2, MARK_DIM)
        self.lstm = BiLSTM(self.words.dim + MARK_DIM, recipe.hidden, depth=recipe.depth, dropout=recipe.dropout, generator=generator)
        self.scores = nn.Linear(self.lstm.dim, len(self.tags))
        self.acts = nn.Linear(self.words.dim, 1)
        self.rules = bio_rules(self.tags)
        initialize(self, generator)

    def forward(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> tuple[Tensor, Tensor]:
        """Return scores of tags (B, T, K), and of being a predicate (B, T). A sentence is read once for each of its predicates."""
        rows = texts[0].rows
        marks = torch.zeros(len(rows), texts[0].mask.shape[1], dtype=torch.long)
        marks[torch.arange(len(rows)), torch.tensor([example.facts.token for example in examples])] = 1
        words = self.words(texts[0])  # (U, T, E)
        x = torch.cat([words[rows], self.marks(marks)], dim=2)  # (B, T, E + M)
        return self.scores(self.lstm(x, texts[0].lengths[rows])), self.acts(words.detach())[rows, :, 0]

    def loss(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> Tensor:
        """Return the cross entropy of the tags and of the predicates, a scalar."""
        scores, acts = self(texts, examples)
        tags = true_tags(examples, self.tags, scores.shape[1])
        wanted = torch.zeros(acts.shape)
        for row, example in enumerate(examples):
            wanted[row, list(example.facts.every)] = 1
        acting = nn.functional.binary_cross_entropy_with_logits(acts, wanted, weight=(tags >= 0).float())
        return nn.functional.cross_entropy(scores.flatten(0, 1), tags.flatten(), ignore_index=-1) + acting

    def predictions(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[list]:
        """Return each predicate's arguments as labeled spans."""
        scores = self(texts, examples)[0].log_softmax(dim=2)
        lengths = texts[0].lengths[texts[0].rows].tolist()
        paths = [viterbi(row[:n], *self.rules) for row, n in zip(scores, lengths, strict=True)]
        return [spans_of([self.tags[k] for k in path]) for path in paths]

    def predicates(self, texts: Sequence[PassageBatch]) -> list[list[int]]:
        """Return the tokens of each sentence that are probably predicates, at least the likeliest one."""
        acts = masked(self.acts(self.words(texts[0]))[..., 0], texts[0].mask)
        return [(row > 0).nonzero()[:, 0].tolist() or [int(row.argmax())] for row in acts[texts[0].rows]]


def read(path: Path) -> list[Example]:
    """Read an example per predicate. Columns: sentence, number, word, two tags, lemma, roleset or -, then brackets of each predicate."""
    examples = []
    for lines in sentences_in(path):
        rows = [line.split("\t") for _, line in lines]
        for (number, _), row in zip(lines, rows, strict=True):
            if len(row) < 7 or len(row) != len(rows[0]):
                raise BadInput(t("{file}, line {n}: the sentence’s first row has another number of columns.", file=path.name, n=number))
        examples += _sentence_examples(path, number + 1, rows)
    return examples


def _sentence_examples(path: Path, number: int, rows: list[list[str]]) -> list[Example]:
    passage = (tuple(row[2] for row in rows),)
    places = tuple(k for k, row in enumerate(rows) if row[6] != "-")
    results = []
    for column in range(7, len(rows[0])):
        try:
            spans = spans_of_brackets([row[column] for row in rows])
        except ValueError as error:
            raise BadInput(t("{file}, sentence before line {n}: {error}.", file=path.name, n=number, error=error)) from None
        verb = next((first for first, _, label in spans if label == "V"), None)
        if verb is not None:
            results.append(Example((passage,), tuple(spans), Predicate(verb, places)))
    return results


def labels(examples: Sequence[Example]) -> tuple[str, ...]:
    """Return roles with at least RARE arguments, sorted."""
    every = [label for example in examples for _, _, label in example.target]
    return tuple(sorted(label for label in set(every) if every.count(label) >= RARE))


def score(examples: Sequence[Example], predictions: Sequence) -> dict[str, float]:
    """Score arguments as CoNLL-2005's scorer does, without the verb itself."""
    return span_f1((join_arguments(e.target) for e in examples), map(join_arguments, predictions))


def scrambled(examples: Sequence[Example], random: np.random.Generator) -> list[Example]:
    """Draw places and roles of each predicate's arguments at random, with the same number."""
    roles = [label for label in labels(examples) if label != "V"]
    results = []
    for example in examples:
        length = len(example.passages[0][0])
        verb = example.facts.token
        spans = [(verb, verb, "V")]
        others = [k for k in range(length) if k != verb]
        for token in random.permutation(others)[: len(example.target) - 1].tolist():
            spans.append((token, token, str(random.choice(roles))))
        results.append(Example(example.passages, tuple(sorted(spans)), example.facts))
    return results


TASK = Task(
    name="roles",
    title="Semantic roles",
    files={part: f"srl/ewt_propbank.{part}.conll.xz" for part in PARTS},
    readers=dict.fromkeys(PARTS, read),
    labels=labels,
    network=Labeler,
    score=score,
    scrambled=scrambled,
    measure="f1",
    recipe=TaskRecipe(hidden=64, depth=2, epochs=6, batch_size=40, learning_rate=3e-3, train_limit=5_000, dev_limit=600),
)
