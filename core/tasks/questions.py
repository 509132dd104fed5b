"""Question answering: which words of a paragraph answer a question? SquadShifts' new Wikipedia (Miller et al. 2020), exact match and F1.

The network is a small version of the paper's baseline, bidirectional attention (Seo et al. 2017; Clark & Gardner 2018). Two features of
each word are added, as by Chen et al. (2017): whether the question contains it, or a word with the same first letters.
"""

import json
import lzma
import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Generator, Tensor, nn

from ..common.device import Dropout, initialize
from ..common.errors import BadInput
from ..common.i18n import t
from .inputs import BiLSTM, PassageBatch, Reader, Span, covered, flat, masked, passage_of
from .task import PARTS, Example, Shape, Task, TaskRecipe

MAX_ANSWER = 15  # tokens
MAX_PARAGRAPH = 300  # tokens; questions on longer ones are left out of training, but not of dev and test
STEM = 4  # first letters by which two words are taken for forms of one
_COMMON = """a an and are at by did do does for from how in is it of on the to was what when where which who why with"""
COMMON = frozenset(_COMMON.split())
ARTICLES = range(36), range(36, 40), range(40, 48)  # the 48 of new-wiki by use: training, choosing the epoch, testing


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The text of a question, the positions of its tokens, and the answers of annotators."""

    text: str
    spans: tuple[Span, ...]
    answers: tuple[str, ...] = ()

    def words(self, first: int, last: int) -> str:
        """Return the text between two tokens, both included."""
        return self.text[self.spans[first][0] : self.spans[last][1]]


class Biattention(nn.Module):
    """A network from a question and a paragraph to scores (B, T) of the answer's first and last token."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.reader = Reader(shape, recipe, generator)
        hidden = recipe.hidden
        self.of_paragraph = nn.Linear(self.reader.dim, 1)
        self.of_question = nn.Linear(self.reader.dim, 1)
        self.of_both = nn.Linear(self.reader.dim, 1, bias=False)
        self.narrow = nn.Linear(4 * self.reader.dim + 2, hidden)
        self.model = BiLSTM(hidden, hidden)
        self.to_last = BiLSTM(3 * hidden, hidden)
        self.first, self.last = nn.Linear(2 * hidden, 1), nn.Linear(2 * hidden, 1)
        self.dropout = Dropout(recipe.dropout, generator)
        initialize(self, generator)

    def forward(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> tuple[Tensor, Tensor]:
        """Return the scores (B, T) of the first and of the last token."""
        question, passage = texts
        q, p = self.reader(question)[question.rows], self.reader(passage)[passage.rows]  # (B, S, R), (B, T, R)
        mask_q, mask_p = question.mask[question.rows], passage.mask[passage.rows]
        both = (p * self.of_both.weight[0]) @ q.transpose(1, 2)  # (B, T, S)
        alike = masked(both + self.of_paragraph(p) + self.of_question(q).transpose(1, 2), mask_q[:, None])
        of_q = alike.softmax(dim=2) @ q  # (B, T, R)
        of_p = masked(alike.amax(dim=2), mask_p).softmax(dim=1)[:, None] @ p  # (B, 1, R)
        marks = _marks(examples, p.shape[1])
        x = self.narrow(self.dropout(torch.cat([p, of_q, p * of_q, of_q * of_p, marks], dim=2))).relu()  # (B, T, H)
        lengths = mask_p.sum(dim=1)
        modeled = self.model(self.dropout(x), lengths)  # (B, T, 2H)
        ended = self.to_last(self.dropout(torch.cat([x, modeled], dim=2)), lengths)
        return masked(self.first(modeled)[..., 0], mask_p), masked(self.last(ended)[..., 0], mask_p)

    def loss(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> Tensor:
        """Return the cross entropy of both tokens, a scalar."""
        first, last = self(texts, examples)
        wanted = torch.tensor([example.target for example in examples])  # (B, 2)
        return nn.functional.cross_entropy(first, wanted[:, 0]) + nn.functional.cross_entropy(last, wanted[:, 1])

    def predictions(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[tuple[int, int, float]]:
        """Return the likeliest first and last token of an answer of at most MAX_ANSWER tokens, and their probability."""
        first, last = (scores.log_softmax(dim=1) for scores in self(texts, examples))
        length = first.shape[1]
        allowed = torch.ones(length, length, dtype=torch.bool).triu().tril(MAX_ANSWER - 1)
        joint = (first[:, :, None] + last[:, None, :]).masked_fill(~allowed, -torch.inf).flatten(1)
        likely, places = joint.max(dim=1)
        return [(place // length, place % length, float(np.exp(p))) for place, p in zip(places.tolist(), likely.tolist(), strict=True)]


def _marks(examples: Sequence[Example], width: int) -> Tensor:
    """Return (B, T, 2): whether the question contains each word of the paragraph in any case, or a word with the same beginning."""
    marks = np.zeros((len(examples), width, 2), np.float32)
    for row, example in enumerate(examples):
        question, paragraph = ([token.lower() for token in flat(passage)] for passage in example.passages)
        words = {token for token in question if token.isalnum() and token not in COMMON}
        stems = {word[:STEM] for word in words if len(word) >= STEM}
        for k, token in enumerate(paragraph):
            marks[row, k] = token in words, token[:STEM] in stems
    return torch.from_numpy(marks)


def read(path: Path, articles: range | None = None, *, to_train: bool = False) -> list[Example]:
    """Read SQuAD 1.1's JSON, all articles or some. A question to train on has an answer in its paragraph, which is not too long."""
    try:
        data = json.loads(lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes())["data"]
        wanted = data if articles is None else [article for k, article in enumerate(data) if k in articles]
        examples = [example for article in wanted for paragraph in article["paragraphs"] for example in _paragraph_examples(paragraph)]
    except (lzma.LZMAError, ValueError, KeyError, TypeError, AttributeError):
        raise BadInput(t("{file} is not in the form of SQuAD 1.1. Download it again.", file=path.name)) from None
    return [e for e in examples if not to_train or (e.target is not None and len(e.facts.spans) <= MAX_PARAGRAPH)]


def _paragraph_examples(paragraph: dict) -> list[Example]:
    text = paragraph["context"]
    passage, spans = passage_of(text)
    results = []
    for pair in paragraph["qas"]:
        answers = [(answer["text"], int(answer["answer_start"])) for answer in pair["answers"]]
        common = Counter(answers).most_common(1)[0][0] if answers else ("", 0)
        target = covered(spans, common[1], common[1] + len(common[0]))
        question = passage_of(pair["question"])[0]
        if passage and question:
            results.append(Example((question, passage), target, Paragraph(text, tuple(spans), tuple(answer for answer, _ in answers))))
    return results


def normal(answer: str) -> str:
    """Normalize an answer as SQuAD's scorer does: lower case, no punctuation, no articles, single blanks."""
    plain = "".join(letter for letter in answer.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", plain).split())


def overlap(answer: str, truth: str) -> float:
    """Return the F1 of the words that two answers share."""
    a, b = normal(answer).split(), normal(truth).split()
    shared = (Counter(a) & Counter(b)).total()
    return 2 * shared / (len(a) + len(b)) if shared else 0.0


def score(examples: Sequence[Example], predictions: Sequence) -> dict[str, float]:
    """Return SQuAD's exact match and F1: the best over the annotators' answers, averaged over questions."""
    exact = total = 0.0
    for example, (first, last, _) in zip(examples, predictions, strict=True):
        predicted = example.facts.words(first, last)
        exact += max((normal(predicted) == normal(answer) for answer in example.facts.answers), default=0)
        total += max((overlap(predicted, answer) for answer in example.facts.answers), default=0.0)
    n = max(len(examples), 1)
    return {"f1": total / n, "exact": exact / n, "gold": len(examples)}


def scrambled(examples: Sequence[Example], random: np.random.Generator) -> list[Example]:
    """Draw answers of the same length anywhere in the paragraph."""
    results = []
    for example in examples:
        size = example.target[1] - example.target[0]
        length = len(example.facts.spans)
        first = int(random.integers(0, length - size))
        results.append(Example(example.passages, (first, first + size), example.facts))
    return results


TASK = Task(
    name="questions",
    title="Question answering",
    files={part: "qa/squadshifts_new_wiki.json.xz" for part in PARTS},
    readers={part: partial(read, articles=articles, to_train=part == "train") for part, articles in zip(PARTS, ARTICLES, strict=True)}
    | {"further": partial(read, to_train=True), "further test": read},
    tests={"xquad": "qa/xquad_en.json.xz"},
    further={"reddit": "qa/squadshifts_reddit.json.xz", "amazon": "qa/squadshifts_amazon_reviews.json.xz"},
    network=Biattention,
    score=score,
    scrambled=scrambled,
    measure="f1",
    recipe=TaskRecipe(hidden=48, epochs=5, batch_size=24, learning_rate=2e-3, output_elmo=True, train_limit=2_000, dev_limit=300),
)
