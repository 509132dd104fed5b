"""Coreference of pronouns: which of two names is the referent, or neither? GAP (Webster et al. 2018): F1 by gender, and its bias.

The network scores a pronoun with each name as Lee et al. (2017), the paper's baseline, score spans: states at both ends, attention over the
words, and the distance. "Neither" has the score 0.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Generator, Tensor, nn

from ..common.device import Dropout, first_weights
from ..common.errors import BadInput
from ..common.i18n import t
from .inputs import PassageBatch, Reader, Span, covered, masked, passage_of
from .spans import f1
from .task import PARTS, Example, Passage, Shape, Task, TaskRecipe, deal_targets, lines_in

MASCULINE, FEMININE = ("he", "him", "his"), ("she", "her", "hers")
DISTANCE_DIM = 16
DISTANCES = (0, 1, 2, 4, 8, 16, 32, 64)  # tokens between the two; a number of its own for each side
COLUMNS = ("Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref")


@dataclass(frozen=True, slots=True)
class Mentions:
    """The pronoun and the names in a passage: first and last token of each."""

    pronoun: Span
    names: tuple[Span, ...]
    gender: str = ""  # "M" or "F", of the pronoun


class PairScorer(nn.Module):
    """A network from one passage to a score for each name in `facts`. The target is the number of the name, or -1."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.reader = Reader(shape, recipe, generator)
        self.attention = nn.Linear(self.reader.dim, 1)
        self.distance = nn.Embedding(2 * len(DISTANCES), DISTANCE_DIM)
        self.narrow = nn.Linear(3 * self.reader.dim, recipe.hidden)  # of a span
        self.hidden = nn.Linear(3 * recipe.hidden + DISTANCE_DIM, recipe.hidden)
        self.scores = nn.Linear(recipe.hidden, 1)
        self.dropout = Dropout(recipe.dropout, generator)
        first_weights(self, generator)

    def forward(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[Tensor]:
        """Return the scores of each example (1 + names,), "neither" first."""
        states = self.reader(texts[0])  # (U, T, R)
        attention = self.attention(states)[..., 0]  # (U, T)
        results = []
        rows = texts[0].rows.tolist()
        pairs = [(rows[k], e.facts.pronoun, name) for k, e in enumerate(examples) for name in e.facts.names]
        pronouns = self._spans(states, attention, [(row, pronoun) for row, pronoun, _ in pairs])  # (P, H)
        names = self._spans(states, attention, [(row, name) for row, _, name in pairs])
        apart = self.distance(torch.tensor([_bucket(pronoun, name) for _, pronoun, name in pairs]))
        joined = self.dropout(torch.cat([pronouns, names, pronouns * names, apart], dim=1))
        scores = self.scores(self.dropout(self.hidden(joined).relu()))[:, 0]  # (P,)
        for part in scores.split([len(e.facts.names) for e in examples]):
            results.append(torch.cat([part.new_zeros(1), part]))
        return results

    def _spans(self, states: Tensor, attention: Tensor, spans: Sequence[tuple[int, Span]]) -> Tensor:
        """Return (P, H): the states at both ends of each span and the sum within it weighted by attention."""
        rows = torch.tensor([row for row, _ in spans])
        first, last = (torch.tensor([span[end] for _, span in spans]) for end in (0, 1))
        places = torch.arange(states.shape[1])
        inside = (places >= first[:, None]) & (places <= last[:, None])  # (P, T)
        weights = masked(attention[rows], inside).softmax(dim=1)
        within = (weights[:, None] @ states[rows])[:, 0]  # (P, R)
        return self.narrow(self.dropout(torch.cat([states[rows, first], states[rows, last], within], dim=1))).relu()

    def loss(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> Tensor:
        """Return the cross entropy over the names and "neither", a scalar."""
        scores = self(texts, examples)
        wanted = [torch.tensor([example.target + 1]) for example in examples]
        return torch.stack([nn.functional.cross_entropy(s[None], w) for s, w in zip(scores, wanted, strict=True)]).mean()

    def predictions(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[list[float]]:
        """Return the probability of each name for each example. The rest to 1 is that of neither."""
        return [scores.softmax(dim=0)[1:].tolist() for scores in self(texts, examples)]


def _bucket(pronoun: Span, name: Span) -> int:
    """Return the distance in tokens, in doubling steps, and which span comes first."""
    before = name[1] < pronoun[0]
    between = pronoun[0] - name[1] - 1 if before else max(name[0] - pronoun[1] - 1, 0)
    return sum(between >= least for least in DISTANCES[1:]) + len(DISTANCES) * before


def read(path: Path) -> list[Example]:
    """Read GAP's table, whose offsets are characters."""
    rows = csv.reader((line for _, line in lines_in(path)), delimiter="\t", quoting=csv.QUOTE_NONE)
    names = next(rows, [])
    if missing := [column for column in COLUMNS if column not in names]:
        raise BadInput(t("{file} has no column {column}: GAP’s table is expected.", file=path.name, column=missing[0]))
    examples = []
    for number, cells in enumerate(rows, 2):
        row = dict(zip(names, cells, strict=False))
        try:
            examples.append(_example(row))
        except (KeyError, ValueError, TypeError):
            raise BadInput(t("{file}, line {n}: this is not a row of GAP’s table.", file=path.name, n=number)) from None
    return examples


def _example(row: dict[str, str]) -> Example:
    passage, spans = passage_of(row["Text"])
    places = [(int(row[f"{what}-offset"]), int(row[f"{what}-offset"]) + len(row[what])) for what in ("Pronoun", "A", "B")]
    mentions = [covered(spans, *place) for place in places]
    if None in mentions:
        raise ValueError(row)
    passage, mentions = cut_passage(passage, mentions)
    target = 0 if row["A-coref"].upper() == "TRUE" else 1 if row["B-coref"].upper() == "TRUE" else -1
    gender = "M" if row["Pronoun"].lower() in MASCULINE else "F"
    return Example((passage,), target, Mentions(mentions[0], tuple(mentions[1:]), gender))


def cut_passage(passage: Passage, mentions: Sequence[Span]) -> tuple[Passage, list[Span]]:
    """Return the sentences from the first mention to the last, and the mentions' positions in them."""
    first, last = min(span[0] for span in mentions), max(span[1] for span in mentions)
    ends = np.cumsum([len(sentence) for sentence in passage])
    begin, end = int(np.searchsorted(ends, first, side="right")), int(np.searchsorted(ends, last, side="right"))
    before = int(ends[begin - 1]) if begin else 0
    return passage[begin : end + 1], [(a - before, b - before) for a, b in mentions]


def chosen(probabilities: Sequence[float]) -> int:
    """Return the number of the name that is likelier than the other and than neither; -1 without one."""
    scores = [1 - sum(probabilities), *probabilities]
    return int(np.argmax(scores)) - 1


def score(examples: Sequence[Example], predictions: Sequence) -> dict[str, float]:
    """Score as GAP's official scorer does.

    Return F1 of the positive answers over all, masculine and feminine pronouns, and the ratio of the latter two.
    """
    result = {}
    for gender in ("", "M", "F"):
        right = said_all = gold = 0
        for example, prediction in zip(examples, predictions, strict=True):
            if gender in ("", example.facts.gender):
                answer = chosen(prediction)
                right += answer >= 0 and answer == example.target
                said_all += answer >= 0
                gold += example.target >= 0
        result[gender] = f1(right, said_all, gold)
    masculine, feminine = result["M"]["f1"], result["F"]["f1"]
    return {
        **result[""],
        "masculine": masculine,
        "feminine": feminine,
        "bias": feminine / masculine if masculine else 0.0,
        "gold": len(examples),
    }


TASK = Task(
    name="coreference",
    title="Coreference",
    files={"train": "coref/gap-development.tsv.xz", "dev": "coref/gap-validation.tsv.xz", "test": "coref/gap-test.tsv.xz"},
    readers=dict.fromkeys(PARTS, read),
    network=PairScorer,
    score=score,
    scrambled=deal_targets,
    measure="f1",
    recipe=TaskRecipe(hidden=48, epochs=6, batch_size=20, learning_rate=2e-3, dropout=0.4, test_limit=1_000),
)
