"""Coreference clusters: which spans of a document have the same referent? OntoGUM (Zhu et al. 2021), CoNLL F1 over gold mentions.

Each mention picks an earlier one, or none (mention ranking, Wiseman et al. 2015; spans are read as by Lee et al. 2017). Mentions are given,
since 177 documents are too few to learn to find them. Scores are therefore far above those of systems that find mentions. CoNLL F1 is the
mean of MUC, B3 and CEAFe, as the official scorer computes them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Generator, Tensor, nn

from ..common.device import Dropout, first_weights
from ..common.errors import BadInput
from ..common.i18n import t
from .inputs import PassageBatch, Reader, Span, flat, masked
from .task import PARTS, Example, Passage, Shape, Task, TaskRecipe, lines_in

BACK = 60  # mentions before one that it may go with
WIDTH = 12  # tokens of a mention that are read, from its first
FEATURE_DIM = 16
DISTANCES = (1, 2, 3, 4, 8, 16, 32)  # mentions between the two, and one
ENDS = frozenset(".?!")
LONGEST = 60  # OntoGUM has no sentence breaks: cut behind these, or after so many tokens
Clusters = list[frozenset]


class MentionRanker(nn.Module):
    """A network from one document, with mentions as `facts`, to the scores of every earlier mention, and of none, for each mention."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.reader = Reader(shape, recipe, generator)
        self.attention = nn.Linear(self.reader.dim, 1)
        self.narrow = nn.Linear(3 * self.reader.dim, recipe.hidden)  # of a mention
        self.distance, self.alike = nn.Embedding(len(DISTANCES), FEATURE_DIM), nn.Embedding(3, FEATURE_DIM)
        self.hidden = nn.Linear(3 * recipe.hidden + 2 * FEATURE_DIM, recipe.hidden)
        self.scores = nn.Linear(recipe.hidden, 1)
        self.dropout = Dropout(recipe.dropout, generator)
        first_weights(self, generator)

    def forward(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[Tensor]:
        """Return for each document (M, 1 + BACK): none first, then the previous mention, the one before it, and so on."""
        states = self.reader(texts[0])  # (U, T, R)
        return [self._document(states[row], e) for row, e in zip(texts[0].rows.tolist(), examples, strict=True)]

    def _document(self, states: Tensor, example: Example) -> Tensor:
        spans = torch.tensor(example.facts)  # (M, 2)
        places = torch.minimum(spans[:, :1] + torch.arange(WIDTH), spans[:, 1:])  # (M, W)
        inside = spans[:, :1] + torch.arange(WIDTH) <= spans[:, 1:]
        words = states[places]  # (M, W, R)
        weights = masked(self.attention(words)[..., 0], inside).softmax(dim=1)
        within = (weights[:, None] @ words)[:, 0]
        mentions = self.narrow(self.dropout(torch.cat([states[spans[:, 0]], states[spans[:, 1]], within], dim=1))).relu()  # (M, H)
        back = torch.arange(1, BACK + 1)
        earlier = torch.arange(len(spans))[:, None] - back  # (M, BACK)
        there = earlier >= 0
        later, antecedent = there.nonzero()[:, 0], earlier[there]  # (P,)
        apart = torch.bucketize(back, torch.tensor(DISTANCES), right=True)[None].expand_as(earlier)[there] - 1
        same = torch.from_numpy(_compare_mentions(example))[later, antecedent]
        pair = [mentions[later], mentions[antecedent], mentions[later] * mentions[antecedent], self.distance(apart), self.alike(same)]
        result = self.scores(self.dropout(self.hidden(self.dropout(torch.cat(pair, dim=1))).relu()))[:, 0]
        scores = masked(torch.zeros(there.shape), there).masked_scatter(there, result)
        return torch.cat([scores.new_zeros(len(spans), 1), scores], dim=1)

    def loss(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> Tensor:
        """Return the negative log of the probability given to mentions of the same cluster, or to none for a first mention."""
        losses = []
        for scores, example in zip(self(texts, examples), examples, strict=True):
            number = torch.tensor([number for *_, number in example.target])
            earlier = torch.arange(len(number))[:, None] - torch.arange(1, BACK + 1)
            right = (earlier >= 0) & (number[earlier.clamp(min=0)] == number[:, None])  # (M, BACK)
            right = torch.cat([~right.any(dim=1, keepdim=True), right], dim=1)
            losses.append(torch.logsumexp(scores, dim=1) - torch.logsumexp(masked(scores, right), dim=1))
        return torch.cat(losses).mean()

    def predictions(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[list[int]]:
        """Return the cluster number of each mention in each document: that of the chosen mention, or a new one."""
        answers = []
        for scores in self(texts, examples):
            numbers: list[int] = []
            for k, choice in enumerate(scores.argmax(dim=1).tolist()):
                numbers.append(numbers[k - choice] if choice else k)
            answers.append(numbers)
        return answers


def _compare_mentions(example: Example) -> np.ndarray:
    """Return (M, M): 2 for mentions with the same words in any case, 1 for the same last word, else 0."""
    tokens = [token.lower() for token in flat(example.passages[0])]
    texts = [" ".join(tokens[first : last + 1]) for first, last in example.facts]
    words, lasts = np.array(texts), np.array([tokens[last] for _, last in example.facts])
    return (lasts[:, None] == lasts).astype(np.int64) + (words[:, None] == words)


def read(path: Path) -> list[Example]:
    """Read documents of `number TAB word TAB bracketed cluster ids` lines between `# begin document` and `# end document`."""
    examples, words, cells = [], [], []
    for number, line in lines_in(path, end="# end document"):
        if line.startswith("# begin"):
            words, cells = [], []
        elif line.startswith("# end"):
            if words:
                examples.append(_example(path, number, words, cells))
            words, cells = [], []
        elif line.strip():
            parts = line.split("\t")
            if len(parts) != 3:
                raise BadInput(t("{file}, line {n}: a number, a word and clusters are expected.", file=path.name, n=number))
            words.append(parts[1])
            cells.append(parts[2])
    return examples


def _example(path: Path, number: int, words: list[str], cells: list[str]) -> Example:
    opened: dict[str, list[int]] = defaultdict(list)
    clusters: dict[Span, int] = {}
    try:
        for k, cell in enumerate(cells):
            for begins, name, ends in re.findall(r"(\()?(\d+)(\))?", cell):
                if begins:
                    opened[name].append(k)
                if ends:
                    clusters.setdefault((opened[name].pop(), k), int(name))
    except IndexError:
        raise BadInput(t("{file}, before line {n}: a cluster ends that did not begin.", file=path.name, n=number)) from None
    spans = tuple(sorted(clusters)) or ((0, 0),)
    return Example((_sentences(words),), tuple((*span, clusters.get(span, 0)) for span in spans), spans)


def _sentences(words: Sequence[str]) -> Passage:
    sentences = []
    begin = 0
    for k, word in enumerate(words, 1):
        if word in ENDS or k - begin == LONGEST or k == len(words):
            sentences.append(tuple(words[begin:k]))
            begin = k
    return tuple(sentences)


def score(examples: Sequence[Example], predictions: Sequence) -> dict[str, float]:
    """Return CoNLL F1 and its parts over all documents. A singleton is in no cluster, as in OntoNotes."""
    documents = [
        (_group_spans(e.facts, [number for *_, number in e.target]), _group_spans(e.facts, answer))
        for e, answer in zip(examples, predictions, strict=True)
    ]
    return conll_f1(documents) | {"gold": sum(len(cluster) for key, _ in documents for cluster in key)}


def _group_spans(spans: Sequence[Span], numbers: Sequence[int]) -> Clusters:
    groups = defaultdict(set)
    for span, number in zip(spans, numbers, strict=True):
        groups[number].add(span)
    return [frozenset(group) for group in groups.values() if len(group) > 1]


def conll_f1(documents: Iterable[tuple[Clusters, Clusters]]) -> dict[str, float]:
    """Return MUC, B3 and CEAFe of (key, response) clusters, each with recall and precision, and the mean of the three F1."""
    sums = defaultdict(lambda: np.zeros(4))  # right and all of the key, right and all of the response
    for key, response in documents:
        for name, counted in (("muc", _muc), ("b3", _b3), ("ceafe", _ceafe)):
            sums[name] += [*counted(key, response), *counted(response, key)]
    result = {}
    for name, (right, every, right_said, every_said) in sums.items():
        recall, precision = right / max(every, 1), right_said / max(every_said, 1)
        values = {"recall": recall, "precision": precision, "f1": 2 * recall * precision / max(recall + precision, 1e-12)}
        result |= {f"{name}_{kind}": float(value) for kind, value in values.items()}
    return {"f1": float(np.mean([result[f"{name}_f1"] for name in ("muc", "b3", "ceafe")]))} | result


def _muc(key: Clusters, response: Clusters) -> tuple[float, float]:
    """Return the share of the key's links that the response has (Vilain et al. 1995)."""
    cluster_of = {mention: k for k, cluster in enumerate(response) for mention in cluster}
    parts = [len({cluster_of.get(mention, mention) for mention in cluster}) for cluster in key]
    return sum(len(cluster) - n for cluster, n in zip(key, parts, strict=True)), sum(len(cluster) - 1 for cluster in key)


def _b3(key: Clusters, response: Clusters) -> tuple[float, float]:
    """Return for each mention the share of its cluster that the response has (Bagga & Baldwin 1998)."""
    return sum(len(k & r) ** 2 / len(k) for k in key for r in response), sum(map(len, key))


def _ceafe(key: Clusters, response: Clusters) -> tuple[float, float]:
    """Return the similarity of clusters under the best one-to-one alignment (Luo 2005, phi 4)."""
    from scipy.optimize import linear_sum_assignment

    if not key or not response:
        return 0.0, len(key)
    like = np.array([[2 * len(k & r) / (len(k) + len(r)) for r in response] for k in key])
    return float(like[linear_sum_assignment(-like)].sum()), len(key)


def scrambled(examples: Sequence[Example], random: np.random.Generator) -> list[Example]:
    """Draw the members of each document's clusters at random, with the same sizes."""
    results = []
    for e in examples:
        numbers = random.permutation([number for *_, number in e.target]).tolist()
        results.append(Example(e.passages, tuple((*span, n) for span, n in zip(e.facts, numbers, strict=True)), e.facts))
    return results


TASK = Task(
    name="clusters",
    title="Coreference clusters",
    files={part: f"coref/ontogum.{part}.conll.xz" for part in PARTS},
    readers=dict.fromkeys(PARTS, read),
    network=MentionRanker,
    score=score,
    scrambled=scrambled,
    measure="f1",
    recipe=TaskRecipe(hidden=48, epochs=6, batch_size=2, learning_rate=2e-3, train_limit=100, dev_limit=15),
)
